"""Small graphs that the tests of temporal link features draw, and what slow formulas are written with."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from webstrata.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Sequence


@st.composite
def graph_pairs(draw: st.DrawFn, max_nodes: int = 8, *, loops: bool = True) -> tuple[Graph, Graph]:
    """Two graphs of the same nodes; the later one keeps some arcs of the earlier."""
    number = draw(st.integers(1, max_nodes))
    node = st.integers(0, number - 1)
    arcs = st.tuples(node, node) if loops else st.tuples(node, node).filter(lambda arc: arc[0] != arc[1])
    before = draw(st.sets(arcs, max_size=3 * number))
    kept = {arc for arc in sorted(before) if draw(st.booleans())}
    after = kept | draw(st.sets(arcs, max_size=2 * number))
    graphs = [Graph.from_arcs(sorted(some), num_nodes=number) for some in (before, after)]
    return graphs[0], graphs[1]


def list_successors(graph: Graph) -> list[list[int]]:
    """The successors of each node."""
    return [graph.successors(node).tolist() for node in range(graph.num_nodes)]


def mean_and_variance(values: Sequence[float]) -> tuple[float, float]:
    """Of the values that are not missing; missing where there are none."""
    known = [value for value in values if not math.isnan(value)]
    if not known:
        return math.nan, math.nan
    mean = sum(known) / len(known)
    return mean, sum((value - mean) ** 2 for value in known) / len(known)


def quotient(above: float, below: float) -> float:
    """Missing where the denominator is 0."""
    return above / below if below else math.nan
