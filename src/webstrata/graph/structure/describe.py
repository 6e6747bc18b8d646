"""All there is to tell about a graph: what `webstrata graph stats` prints.

Memory: the rows of the graph and of its transpose where they are not compressed on disk, 20 bytes an arc and
50 a node while components are found, then what `balls` needs, 2 m + 40 bytes a node.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata.collection.caveats import MIN_PAGES, warn_few
from webstrata.graph.structure.balls import Balls, Estimate, grow_balls
from webstrata.graph.structure.components import (
    BowTie,
    Components,
    bow_tie,
    strong_components,
    weak_components,
)
from webstrata.graph.structure.degrees import Degrees, describe_degrees, indegrees, outdegrees
from webstrata.graph.structure.joined import count_joined_pairs
from webstrata.graph.structure.neighbours import Clustering, count_neighbours, sample_clustering

if TYPE_CHECKING:
    from webstrata.collection.progress import Progress
    from webstrata.graph.view import Graph

TOP = 10
"""Nodes that are named."""
_MAX_SIZES = 10


@dataclass(frozen=True)
class Structure:
    """What a graph looks like."""

    num_nodes: int
    """Those that are there, of a graph at one time; and so in all that is counted here."""
    num_arcs: int
    num_loops: int
    reciprocity: float
    indegrees: Degrees
    outdegrees: Degrees
    weak: Components
    strong: Components
    bow_tie: BowTie
    clustering: Clustering
    balls: Balls | None
    """None where distances were not asked for."""

    @property
    def warnings(self) -> list[str]:
        """Which of the numbers should not be relied on, and why."""
        found = warn_few(self.num_nodes, MIN_PAGES, "node", "shares and distances say little")
        for kind, degrees in (("in", self.indegrees), ("out", self.outdegrees)):
            if degrees.law is None:
                found.append(f"{kind}-degree: no power law fitted: {degrees.no_law}")
            else:
                found += [f"{kind}-degree, power law: {sentence}" for sentence in degrees.law.warnings]
        return found

    def top(self, number: int = TOP) -> list[tuple[int, float]]:
        """The nodes of largest harmonic centrality, with it; ties by number.

        Examples
        --------
        >>> from webstrata.graph import Graph
        >>> [node for node, _ in describe_structure(Graph.from_arcs([(0, 1), (2, 1)])).top(1)]
        [1]
        """
        if self.balls is None:
            return []
        nodes = np.flatnonzero(self.weak.of_node >= 0)
        scores = self.balls.harmonic[nodes]
        order = np.lexsort((nodes, -scores))[:number]
        return [(int(nodes[place]), float(scores[place])) for place in order]

    def to_json(self) -> dict[str, Any]:
        """One document, with the error of everything that is estimated.

        Examples
        --------
        >>> from webstrata.graph import Graph
        >>> describe_structure(Graph.from_arcs([(0, 1), (1, 0)])).to_json()["reciprocity"]
        1.0
        """
        document: dict[str, Any] = {
            "nodes": self.num_nodes,
            "arcs": self.num_arcs,
            "loops": self.num_loops,
            "reciprocity": self.reciprocity,
            "indegree": _degrees_to_json(self.indegrees),
            "outdegree": _degrees_to_json(self.outdegrees),
            "weak_components": _components_to_json(self.weak),
            "strong_components": _components_to_json(self.strong),
            "bow_tie": asdict(self.bow_tie),
            "transitivity": asdict(self.clustering.transitivity),
            "clustering_coefficient": asdict(self.clustering.coefficient),
            "warnings": self.warnings,
        }
        if self.balls:
            balls = self.balls
            document["distances"] = {
                "registers": balls.registers,
                "runs": balls.runs,
                "counter_relative_error": balls.counter_error,
                "mean": asdict(balls.mean_distance),
                "effective_diameter": asdict(balls.effective_diameter),
                "joined_share": asdict(balls.joined_share),
                "longest_seen": balls.longest,
                "distribution": balls.distribution.tolist(),
                "neighbourhood": balls.neighbourhood.tolist(),
            }
            document["harmonic"] = [{"node": node, "centrality": score} for node, score in self.top()]
        return document


def describe_structure(
    graph: Graph,
    transpose: Graph | None = None,
    *,
    with_distances: bool = True,
    registers: int = 64,
    runs: int = 4,
    sample: int = 20_000,
    seed: int = 0,
    progress: Progress | None = None,
) -> Structure:
    """Degrees, components, bow tie, clustering and distances of a graph.

    Parameters
    ----------
    graph
        Any graph.
    transpose
        The same with its arcs turned round, where it is at hand.
    with_distances
        Whether to estimate distances and centralities, which takes longest.
    registers, runs
        Of the counters; see `grow_balls`.
    sample
        How many wedges are drawn for the clustering coefficient.
    seed
        Chooses hash functions and wedges.
    progress
        Where it reports.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> found = describe_structure(Graph.from_arcs([(0, 1), (1, 2), (2, 0), (2, 3)]))
    >>> len(found.strong), found.bow_tie.outward, found.outdegrees.largest
    (2, 1, 2)
    """
    transpose = graph.transpose() if transpose is None else transpose
    here = slice(None) if graph.present is None else graph.present
    strong = strong_components(graph, progress=progress)
    weak = weak_components(graph, progress=progress)
    neighbours = count_neighbours(graph, transpose, progress=progress)
    balls = None
    if with_distances:
        balls = grow_balls(transpose, graph, registers=registers, runs=runs, seed=seed, progress=progress)
        pairs = count_joined_pairs(graph, strong)
        if pairs is not None:
            nodes = graph.num_present
            share = pairs / max(nodes * (nodes - 1), 1)
            balls = replace(balls, joined_share=Estimate(share, 0.0, is_exact=True))
    return Structure(
        num_nodes=graph.num_present,
        num_arcs=graph.num_arcs,
        num_loops=neighbours.num_loops,
        reciprocity=neighbours.reciprocity,
        indegrees=describe_degrees(indegrees(graph, progress=progress)[here]),
        outdegrees=describe_degrees(outdegrees(graph, progress=progress)[here]),
        weak=weak,
        strong=strong,
        bow_tie=bow_tie(graph, transpose, strong, weak, progress=progress),
        clustering=sample_clustering(
            graph, transpose, neighbours.counts, sample=sample, seed=seed, progress=progress
        ),
        balls=balls,
    )


def _degrees_to_json(found: Degrees) -> dict[str, Any]:
    return {
        "mean": found.mean,
        "median": found.median,
        "largest": found.largest,
        "zeros": found.num_zeros,
        "power_law": asdict(found.law) if found.law else None,
        "no_power_law": found.no_law or None,
        "counts": [list(pair) for pair in found.counts],
    }


def _components_to_json(found: Components) -> dict[str, Any]:
    return {
        "number": len(found),
        "largest_share": found.largest_share,
        "largest": found.sizes[:_MAX_SIZES].tolist(),
    }
