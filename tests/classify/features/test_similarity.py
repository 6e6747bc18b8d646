"""XJaccard and PSimRank: exact values from their definitions, estimates within the error that is stated."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.sparse.csgraph import shortest_path

from tests.classify.small_graphs import graph_pairs, list_successors, mean_and_variance
from webstrata.classify.features.neighbours import NeighbourRows
from webstrata.classify.features.similarity import (
    LENGTHS,
    error_bound,
    exact_psimrank,
    exact_xjaccard,
    psimrank,
    similarity_columns,
    xjaccard,
)
from webstrata.graph import Graph


def jaccard_by_walks(before: Graph, after: Graph, node: int, k: int) -> float:
    """J of what all walks of k links lead to, each walk by itself."""
    ends = []
    for graph in (before, after):
        walks = [[node]]
        for _ in range(k):
            walks = [[*walk, target] for walk in walks for target in list_successors(graph)[walk[-1]]]
        ends.append({walk[-1] for walk in walks})
    return len(ends[0] & ends[1]) / len(ends[0] | ends[1]) if ends[0] | ends[1] else math.nan


def jaccard_by_distance(before: Graph, after: Graph, node: int, k: int) -> float:
    """J of the nodes at distance exactly k, by SciPy."""
    there = [
        set(np.flatnonzero(shortest_path(graph.to_scipy(), indices=node, unweighted=True) == k))
        for graph in (before, after)
    ]
    return len(there[0] & there[1]) / len(there[0] | there[1]) if there[0] | there[1] else math.nan


def meeting_probabilities(before: Graph, after: Graph, node: int) -> list[float]:
    """Pr[first met at step k], over all orders of the nodes one by one; for k = 1 and 2."""
    lists = [list_successors(graph) for graph in (before, after)]
    orders = list(itertools.permutations(range(before.num_nodes)))
    met = [0, 0]
    for first, second in itertools.product(orders, orders):
        places = [node, node]
        for k, order in enumerate((first, second)):
            if not all(lists[side][place] for side, place in enumerate(places)):
                break
            places = [min(lists[side][place], key=order.index) for side, place in enumerate(places)]
            if places[0] == places[1]:
                met[k] += 1
                break
    return [number / len(orders) ** 2 for number in met]


@given(graph_pairs(max_nodes=5))
@settings(max_examples=15)
def test_exact_xjaccard_is_the_sum_of_the_formula_for_walks_and_for_distances(
    pair: tuple[Graph, Graph],
) -> None:
    for by_distance, jaccard in ((False, jaccard_by_walks), (True, jaccard_by_distance)):
        found = exact_xjaccard(*pair, decay=0.3, by_distance=by_distance)
        for node in range(pair[0].num_nodes):
            total = 0.0
            for k in range(1, 4):
                total += jaccard(*pair, node, k) * 0.3**k * 0.7
                assert found[k - 1, node] == pytest.approx(total, nan_ok=True)


@given(graph_pairs(max_nodes=4))
@settings(max_examples=20)
def test_exact_psimrank_is_what_all_orders_of_the_nodes_give(pair: tuple[Graph, Graph]) -> None:
    found = exact_psimrank(*pair, decay=0.5)
    for node in range(pair[0].num_nodes):
        first, second = meeting_probabilities(*pair, node)
        assert found[:2, node] == pytest.approx([0.5 * first, 0.5 * first + 0.25 * second])


@pytest.mark.parametrize("turned", [False, True])
def test_estimates_are_within_the_stated_error_of_the_exact_values(*, turned: bool) -> None:
    before, after = moving_graph(40, 120, share=0.3)
    if turned:
        before, after = before.transpose(), after.transpose()
    fingerprints, probability = 200, 0.02
    for estimate, exact, decay in ((xjaccard, exact_xjaccard, 0.1), (psimrank, exact_psimrank, 0.15)):
        found = estimate(before, after, fingerprints=fingerprints, seed=1)
        wanted = exact(before, after)
        assert (np.isnan(found) == np.isnan(wanted)).all()
        for length in range(1, LENGTHS + 1):
            scale = decay * (1 - decay**length) if estimate is xjaccard else decay
            apart = np.abs(found[length - 1] - wanted[length - 1])
            known = ~np.isnan(apart)
            bound = error_bound(scale, fingerprints, probability)
            assert np.count_nonzero(apart[known] > bound) <= probability * np.count_nonzero(known)
            # not by chance: the mean of the errors is below the largest standard deviation there can be
            assert np.sqrt(np.mean(apart[known] ** 2)) <= scale / (2 * math.sqrt(fingerprints))
            assert abs(np.mean(found[length - 1][known] - wanted[length - 1][known])) < bound / 3


def test_the_error_falls_with_the_number_of_fingerprints() -> None:
    before, after = moving_graph(50, 250, share=0.5)
    wanted = exact_xjaccard(before, after)[3]
    few, many = (
        np.sqrt(np.nanmean((xjaccard(before, after, fingerprints=number)[3] - wanted) ** 2))
        for number in (16, 1024)
    )
    assert many < few / 4  # a factor of 64 in number is one of 8 in error


def test_graphs_that_do_not_move_are_as_like_as_can_be() -> None:
    graph = Graph.from_arcs([(0, 1), (0, 2), (1, 0), (2, 1), (2, 0)])
    assert xjaccard(graph, graph, fingerprints=3)[3] == pytest.approx([0.1 * (1 - 0.1**4)] * 3)
    assert psimrank(graph, graph, fingerprints=3)[3] == pytest.approx([0.15] * 3)


@given(graph_pairs(max_nodes=7))
def test_derived_columns_are_what_their_names_say(pair: tuple[Graph, Graph]) -> None:
    similarity = exact_xjaccard(*pair)
    columns = similarity_columns("x", similarity, NeighbourRows(pair[1]))
    assert len(columns) == 21
    successors = list_successors(pair[1])
    for node in range(pair[0].num_nodes):
        values = [float(similarity[k, node]) for k in range(4)]
        ratios = [b / a if a else math.nan for a, b in itertools.pairwise(values)]
        known = [ratio for ratio in ratios if not math.isnan(ratio)]
        wanted = {f"x_{k + 1}": values[k] for k in range(4)}
        for k in range(4):
            theirs = [float(similarity[k, other]) for other in successors[node]]
            wanted[f"x_mean_{k + 1}"], wanted[f"x_variance_{k + 1}"] = mean_and_variance(theirs)
        for k, ratio in enumerate(ratios, 2):
            wanted[f"x_ratio_{k}"] = ratio
            wanted[f"x_log_ratio_{k}"] = math.log(ratio)
        for name, of in (("min", min), ("max", max), ("mean", lambda some: sum(some) / len(some))):
            wanted[f"x_log_{name}_ratio"] = math.log(of(known)) if known else math.nan
        found = {name: float(column[node]) for name, column in columns.items()}
        assert found == pytest.approx(wanted, nan_ok=True)


def test_graphs_of_different_size_are_refused() -> None:
    with pytest.raises(ValueError, match="expected the 2 nodes"):
        xjaccard(Graph.from_arcs([(0, 1)]), Graph.from_arcs([(0, 2)]))


def moving_graph(num_nodes: int, num_arcs: int, *, share: float) -> tuple[Graph, Graph]:
    """A random graph and itself with a share of its arcs drawn anew; some nodes have none."""
    chosen = random.Random(7)

    def draw() -> tuple[int, int]:
        return chosen.randrange(num_nodes - 5), int(num_nodes * chosen.random() ** 2)

    arcs = [draw() for _ in range(num_arcs)]
    moved = [draw() if chosen.random() < share else arc for arc in arcs]
    return tuple(Graph.from_arcs(some, num_nodes=num_nodes) for some in (arcs, moved))  # type: ignore[return-value]
