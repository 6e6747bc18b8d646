"""What a graph looks like: degrees, components and bow tie, neighbours of neighbours, distances."""

from webstrata.graph.structure.balls import Balls, Estimate, grow_balls
from webstrata.graph.structure.components import (
    BowTie,
    Components,
    bow_tie,
    distances,
    reachable,
    strong_components,
    weak_components,
)
from webstrata.graph.structure.degrees import Degrees, describe_degrees, indegrees, outdegrees
from webstrata.graph.structure.describe import Structure, describe_structure
from webstrata.graph.structure.neighbours import (
    Clustering,
    Neighbours,
    Share,
    count_neighbours,
    sample_clustering,
)

__all__ = [
    "Balls",
    "BowTie",
    "Clustering",
    "Components",
    "Degrees",
    "Estimate",
    "Neighbours",
    "Share",
    "Structure",
    "bow_tie",
    "count_neighbours",
    "describe_degrees",
    "describe_structure",
    "distances",
    "grow_balls",
    "indegrees",
    "outdegrees",
    "reachable",
    "sample_clustering",
    "strong_components",
    "weak_components",
]
