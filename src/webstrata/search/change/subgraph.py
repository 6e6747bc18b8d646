"""The candidates and the arcs among them, in the earlier snapshot and in the later one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from webstrata.graph.rows import RowsGraph

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from webstrata.graph.view import Graph
    from webstrata.temporal.views import TemporalGraph

    Arcs = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ChangedGraph:
    """Pages as nodes 0 … n − 1, and the arcs among them at two times.

    Examples
    --------
    >>> arcs = np.array([[0, 1], [1, 2]])
    >>> graph = ChangedGraph(["http://a/", "http://b/", "http://c/"], arcs[:1], arcs)
    >>> graph
    <ChangedGraph of 3 pages: 1 arcs before, 2 after>
    >>> graph.gained.tolist(), graph.after.successors(1).tolist(), graph.top(2).after.num_arcs
    ([[1, 2]], [2], 1)
    """

    urls: Sequence[str]
    arcs_before: Arcs
    """Pairs of source and target, in order."""
    arcs_after: Arcs

    @property
    def num_nodes(self) -> int:
        """How many pages there are."""
        return len(self.urls)

    @cached_property
    def before(self) -> Graph:
        """The graph of the earlier snapshot."""
        return RowsGraph.from_arcs(self.arcs_before, num_nodes=self.num_nodes)

    @cached_property
    def after(self) -> Graph:
        """The graph of the later snapshot."""
        return RowsGraph.from_arcs(self.arcs_after, num_nodes=self.num_nodes)

    @property
    def gained(self) -> Arcs:
        """The arcs that the later snapshot alone has."""
        return _without(self.arcs_after, self.arcs_before)

    @property
    def lost(self) -> Arcs:
        """The arcs that the earlier snapshot alone has."""
        return _without(self.arcs_before, self.arcs_after)

    def top(self, number: int) -> ChangedGraph:
        """The graph of the first pages alone."""
        kept = (arcs[(arcs < number).all(axis=1)] for arcs in (self.arcs_before, self.arcs_after))
        return ChangedGraph(self.urls[:number], *kept)

    def to_arrow(self) -> pa.Table:
        """A row for each arc: source and target as URLs, and whether it was there before and after."""
        both = np.unique(np.concatenate([self.arcs_before, self.arcs_after]), axis=0)
        keys = _keys(both)
        sources, targets = ([self.urls[node] for node in column] for column in both.T.tolist())
        return pa.table(
            {
                "source": pa.array(sources, pa.string()),
                "target": pa.array(targets, pa.string()),
                "before": np.isin(keys, _keys(self.arcs_before)),
                "after": np.isin(keys, _keys(self.arcs_after)),
            }
        )

    def to_networkx(self) -> Any:  # noqa: ANN401
        """A `networkx.DiGraph` of URLs, whose arcs say ``before`` and ``after``; for small graphs."""
        import networkx

        found = networkx.DiGraph()
        found.add_nodes_from(self.urls)
        for row in self.to_arrow().to_pylist():
            found.add_edge(row["source"], row["target"], before=row["before"], after=row["after"])
        return found

    def __repr__(self) -> str:
        return (
            f"<ChangedGraph of {self.num_nodes:,} pages: {len(self.arcs_before):,} arcs before, "
            f"{len(self.arcs_after):,} after>"
        )


def induce(union: TemporalGraph, nodes: npt.NDArray[np.int64], before: str, after: str) -> tuple[Arcs, Arcs]:
    """The arcs among nodes of a union at two times, by their places and in order; a node below 0 has none.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.temporal.labels import label_arcs
    >>> from webstrata.temporal.views import TemporalGraph
    >>> labels = label_arcs(testing.scratch() / "union", [(0, 2, 0b01), (2, 0, 0b11), (0, 1, 0b11)],
    ...     snapshots=["2026-01", "2026-02"])
    >>> then, now = induce(TemporalGraph(labels), np.array([2, -1, 0]), "2026-01", "2026-02")
    >>> then.tolist(), now.tolist()
    ([[0, 2], [2, 0]], [[0, 2]])
    """
    places = np.flatnonzero(nodes >= 0)
    rows = union.forward.batch_labelled_successors(nodes[places])
    sources = np.repeat(places, np.diff(rows.offsets).astype(np.int64))
    order = places[np.argsort(nodes[places], kind="stable")]
    known = nodes[order]
    found = np.searchsorted(known, rows.targets)
    found[found == len(known)] = 0
    is_inside = known[found] == rows.targets if len(known) else np.zeros(len(rows.targets), bool)
    arcs = np.stack([sources[is_inside], order[found[is_inside]]], axis=1)
    sorting = np.lexsort((arcs[:, 1], arcs[:, 0]))
    arcs, labels = arcs[sorting], rows.labels[is_inside][sorting]
    then, now = (
        (labels >> np.uint64(union.place(label)) & np.uint64(1)).astype(bool) for label in (before, after)
    )
    return arcs[then], arcs[now]


def _keys(arcs: Arcs) -> npt.NDArray[np.int64]:
    found: npt.NDArray[np.int64] = arcs[:, 0] << 32 | arcs[:, 1]
    return found


def _without(arcs: Arcs, others: Arcs) -> Arcs:
    found: Arcs = arcs[~np.isin(_keys(arcs), _keys(others))]
    return found
