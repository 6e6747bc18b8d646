"""A ranking: a score for each node, the order that follows from it, and how it was made.

The **rank** of a node is its place when all are sorted by score, the largest first and from 1 on; of equal
scores the smaller node comes first, so that ranks are 1 … N without gaps, as K and K* of WIKI are. Nodes that
a graph has not (see `Graph.present`) have rank 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from webstrata.collection.sentences import tell_count
from webstrata.collection.tables import SHOWN, Table, TableList

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt
    import pyarrow as pa

    Scores = npt.NDArray[np.float64]


class Ranked(NamedTuple):
    """A node in its place."""

    rank: int
    node: int
    score: float
    name: str | None = None
    """Its URL, host or domain, where the nodes have names."""


class Top(TableList[Ranked]):
    """Nodes of the first ranks."""

    formats: Mapping[str, str] = {"score": ".6g"}


@dataclass(frozen=True, repr=False)
class Ranking(Table):
    """The scores of all nodes, and how exact they are.

    Examples
    --------
    >>> found = Ranking("indegree", np.array([1.0, 3.0, 1.0]))
    >>> found.ranks.tolist(), found.order.tolist()
    ([2, 1, 3], [1, 0, 2])
    >>> found.top(1)[0]
    Ranked(rank=1, node=1, score=3.0, name=None)
    """

    method: str
    scores: Scores
    """In node order."""
    error_bound: float | None = 0.0
    """The sum of all differences to the true scores is at most this, apart from rounding (some 10⁻¹⁵);
    none where no bound is known."""
    iterations: int = 0
    """Passes over all arcs."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What it was made with."""
    present: npt.NDArray[np.bool_] | None = None
    """Which nodes the graph has, where it has not all."""
    names: Sequence[str] | None = None
    """Of the nodes."""
    residual: float | None = None
    """With an α of 1, where no bound is known: what one more step changes, in the sum of all changes."""

    @cached_property
    def order(self) -> npt.NDArray[np.uint32]:
        """The nodes by rank, the first first."""
        order = np.argsort(-self.scores, kind="stable").astype(np.uint32)
        return order if self.present is None else order[self.present[order]]

    @cached_property
    def ranks(self) -> npt.NDArray[np.uint32]:
        """The rank of each node, from 1 on; 0 for nodes that are not there."""
        ranks = np.zeros(len(self.scores), np.uint32)
        ranks[self.order] = np.arange(1, len(self.order) + 1, dtype=np.uint32)
        return ranks

    @property
    def num_ranked(self) -> int:
        """How many nodes have a rank."""
        return len(self.order)

    @property
    def summary(self) -> str:
        """How exact the scores are, in a sentence or two."""
        passes = f"{tell_count(self.iterations, 'pass', 'passes')} over all links"
        if self.method == "2drank":
            return f"Scores are 1 / K₂; PageRank and CheiRank took {passes}."
        if self.error_bound is None:
            change = self.residual
            known = "" if change is None else f" One more step changes all scores together by {change:.2g}."
            return f"No bound of the error is known.{known}" + (
                f" It took {passes}." if self.iterations else ""
            )
        if not self.iterations:
            return "The scores are exact."
        return f"All scores together are within {self.error_bound:.2g} of the true ones; it took {passes}."

    def top(self, number: int = 10) -> Top:
        """The nodes of the first ranks.

        Examples
        --------
        >>> [place.node for place in Ranking("x", np.array([0.1, 0.7, 0.2])).top(2)]
        [1, 2]
        """
        return Top(self.place(int(node)) for node in self.order[: max(number, 0)])

    def place(self, node: int) -> Ranked:
        """A node with its rank, score and name."""
        name = self.names[node] if self.names is not None and node < len(self.names) else None
        return Ranked(int(self.ranks[node]), node, float(self.scores[node]), name)

    def to_arrow(self) -> pa.Table:
        """All nodes by rank: rank, node, score, and name where nodes have names."""
        return self._tabulate(self.order)

    def preview(self, number: int = SHOWN) -> tuple[pa.Table, int]:
        """The nodes of the first ranks, and how many nodes have a rank."""
        return self._tabulate(self.order[:number]), self.num_ranked

    def _tabulate(self, nodes: npt.NDArray[np.uint32]) -> pa.Table:
        import pyarrow as pa

        columns = {"rank": self.ranks[nodes], "node": nodes, "score": self.scores[nodes]}
        names = self.names
        if names is not None:
            known = [names[node] if node < len(names) else None for node in nodes.tolist()]
            return pa.table({**columns, "name": pa.array(known, pa.string())})
        return pa.table(columns)

    def __repr__(self) -> str:
        return f"<Ranking of {self.num_ranked:,} nodes by {self.method}>"
