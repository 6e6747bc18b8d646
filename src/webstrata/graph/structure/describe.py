"""Statistics of a graph: degrees, components, bow tie, distances.

Memory: the rows of the graph and of its transpose where they are not compressed on disk, 20 bytes an arc and
50 a node while components are found, then what `balls` needs, 2 m + 40 bytes a node.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata.collection.caveats import MIN_PAGES, warn_few
from webstrata.collection.sentences import tell_count
from webstrata.collection.tables import FactsTable, Rows, Table
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
    from collections.abc import Sequence

    from webstrata.collection.progress import Progress
    from webstrata.graph.view import Graph

TOP = 10
"""Nodes that are named."""
_MAX_SIZES = 10
WINGS = {
    "in": "inward",
    "core": "core",
    "out": "outward",
    "tubes": "tubes",
    "tendrils": "tendrils",
    "disconnected": "disconnected",
}
"""Parts of a bow tie, by what they are called for people."""


@dataclass(frozen=True, repr=False)
class Structure(FactsTable):
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
    urls: Sequence[str] = ()
    """Those of the nodes, where they are known."""

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

    @property
    def summary(self) -> str:
        """What is told of all of it, in two sentences."""
        each = self.num_arcs / max(self.num_nodes, 1)
        return (
            f"{tell_count(self.num_nodes, 'node')}, {tell_count(self.num_arcs, 'arc')}, {each:.1f} per node, "
            f"{self.num_loops:,} of them loops. Reciprocity {self.reciprocity:.4f}, transitivity "
            f"{self.clustering.transitivity}, clustering coefficient {self.clustering.coefficient}."
        )

    def tables(self) -> dict[str, Table]:
        """Degrees, components, bow tie, distances, central nodes; the rest is for programs."""
        kinds = (("in", self.indegrees), ("out", self.outdegrees))
        counts = [
            {"kind": kind, "degree": degree, "nodes": nodes}
            for kind, found in kinds
            for degree, nodes in found.counts
        ]
        return {
            "Degrees": Rows(
                "degrees",
                [self._describe_degrees(kind, found) for kind, found in kinds],
                formats={"mean": ".2f", "median": "g", "zero": ".2%"},
            ),
            "Components": Rows(
                "components",
                [_describe_components("weak", self.weak), _describe_components("strong", self.strong)],
                formats={"share": ".2%"},
            ),
            "Bow tie": Rows("bow tie", self._describe_bow_tie(), formats={"share": ".2%"}),
            **self._describe_distances(),
            "Degree distributions": Rows("degree distributions", counts, shown=0),
            "All numbers": self,
        }

    shown = 0  # of all numbers, which `tables` has in a better order

    def _describe_degrees(self, kind: str, degrees: Degrees) -> dict[str, Any]:
        law = degrees.law
        return {
            "degree": kind,
            "mean": degrees.mean,
            "median": degrees.median,
            "largest": degrees.largest,
            "zero": degrees.num_zeros / max(self.num_nodes, 1),
            "power law": f"{law.exponent:.3f} ± {law.standard_error:.2g} from {law.x_min} on"
            if law
            else "none fitted",
        }

    def _describe_bow_tie(self) -> list[dict[str, Any]]:
        counts = {part: getattr(self.bow_tie, name) for part, name in WINGS.items()}
        total = max(self.num_nodes, 1)
        return [{"part": part, "nodes": count, "share": count / total} for part, count in counts.items()]

    def _describe_distances(self) -> dict[str, Table]:
        if (balls := self.balls) is None:
            return {}
        joined = f"share of pairs that are joined{'' if balls.joined_share.is_exact else ', estimated'}"
        values = {
            "mean distance": str(balls.mean_distance),
            "effective diameter": str(balls.effective_diameter),
            joined: str(balls.joined_share),
            "longest seen": f"{balls.longest:,}",
        }
        central = [
            {"node": node, "centrality": score, **({"URL": self.urls[node]} if node < len(self.urls) else {})}
            for node, score in self.top()
        ]
        return {
            "Distances": Rows(
                "distances",
                [{"what": what, "value": value} for what, value in values.items()],
                note=f"HyperBall, {balls.runs} runs of {balls.registers} registers; ± is one standard error.",
            ),
            "Harmonic centrality": Rows(
                "harmonic centrality",
                central,
                formats={"centrality": ".1f"},
                note=f"Centralities are within {balls.counter_error:.1%}.",
            ),
        }

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

    def to_dict(self) -> dict[str, Any]:
        """One document, with the error of everything that is estimated.

        Examples
        --------
        >>> from webstrata.graph import Graph
        >>> describe_structure(Graph.from_arcs([(0, 1), (1, 0)])).to_dict()["reciprocity"]
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
            document["harmonic"] = [
                {
                    "node": node,
                    "centrality": score,
                    **({"url": self.urls[node]} if node < len(self.urls) else {}),
                }
                for node, score in self.top()
            ]
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
    urls: Sequence[str] = (),
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
    urls
        The URLs of the nodes, to name the most central ones.
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
        urls=urls,
    )


def _describe_components(kind: str, components: Components) -> dict[str, Any]:
    return {
        "components": kind,
        "number": len(components),
        "largest": int(components.sizes[0]) if len(components) else 0,
        "share": components.largest_share,
        "next sizes": " ".join(map(str, components.sizes[1:6].tolist())),
    }


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
