"""Views beside the snapshots that the union was made of."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings

from tests.temporal.labelled import Labelled, labelled, make
from webstrata.errors import MissingError, UsageError
from webstrata.graph.hosts import Groups, NamedGraph, write_named
from webstrata.graph.rows import RowsGraph
from webstrata.graph.structure import describe_structure, distances, grow_balls
from webstrata.graph.structure.components import strong_components
from webstrata.rank.pagerank import pagerank
from webstrata.temporal.labels import LabelledGraph, write_labels
from webstrata.temporal.views import TemporalGraph, View

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from webstrata.graph.view import Graph


def open_both(folder: Path, graph: Labelled) -> TemporalGraph:
    """The union with its transpose."""
    path = graph.write(folder / "forward")
    order = np.lexsort((np.array([source for source, _, _ in graph.arcs()], np.int64), graph.targets))
    back = folder / "backward"
    RowsGraph(graph.offsets, graph.targets).transpose().write(back)
    write_labels(
        back,
        back,
        node_labels=graph.node_labels,
        arc_labels=graph.labels[order],
        num_snapshots=graph.num_snapshots,
    )
    opened = [LabelledGraph.open(name, name, snapshots=graph.snapshots) for name in (path, back)]
    return TemporalGraph(*opened)


def has(label: int, all_of: int = 0, none_of: int = 0, any_of: int = 0) -> bool:
    return label & all_of == all_of and not label & none_of and bool(label & any_of or not any_of)


def arcs_of(view: Graph) -> set[tuple[int, int]]:
    offsets, targets = view.rows()
    sources = np.repeat(np.arange(view.num_nodes), np.diff(offsets).astype(np.int64))
    return set(zip(sources.tolist(), targets.tolist(), strict=True))


@settings(max_examples=20)
@given(labelled)
def test_views_have_the_arcs_of_their_labels(tmp_path: Path, graph: Labelled) -> None:
    time = open_both(tmp_path, graph)
    months = graph.snapshots

    def check(view: View, is_kept: Callable[[int], bool]) -> None:
        wanted = {(source, target) for source, target, label in graph.arcs() if is_kept(label)}
        assert arcs_of(view) == wanted
        assert view.num_arcs == len(wanted)
        assert arcs_of(view.transpose()) == {(target, source) for source, target in wanted}
        assert view.outdegrees().tolist() == view.outdegrees(range(view.num_nodes)).tolist()

    last = len(months) - 1
    for place in sorted({0, last // 2, last}):
        month, older, bit = months[place], (1 << place) - 1, 1 << place
        view = time.at(month)
        check(view, functools.partial(has, all_of=bit))
        np.testing.assert_array_equal(view.present, graph.node_labels >> np.uint64(place) & np.uint64(1))
        check(time.born_at(month), functools.partial(has, all_of=bit, none_of=older))
        newer = (1 << last + 1) - bit
        check(time.died_at(month), functools.partial(has, all_of=bit >> 1 or 1 << 64, none_of=newer))
        check(time.between(month, months[last]), functools.partial(has, any_of=newer))
    check(time.stable(), lambda label: label == 2 ** len(months) - 1)
    gained, lost = time.diff(months[0], months[last])
    check(gained, lambda label: label >> last & 1 > label & 1)
    check(lost, lambda label: label >> last & 1 < label & 1)


@settings(max_examples=20)
@given(labelled)
def test_views_join_as_sets_do(tmp_path: Path, graph: Labelled) -> None:
    time = open_both(tmp_path, graph)
    one, other = time.at(graph.snapshots[0]), time.born_at(graph.snapshots[-1])
    assert arcs_of(one & other) == arcs_of(one) & arcs_of(other)
    assert arcs_of(one | other) == arcs_of(one) | arcs_of(other)
    assert arcs_of(one - other) == arcs_of(one) - arcs_of(other)
    assert arcs_of((one | other) - (one & other)) == arcs_of(one) ^ arcs_of(other)
    assert set((one | other).nodes.tolist()) == set(one.nodes.tolist()) | set(other.nodes.tolist())
    assert set((one - other).nodes.tolist()) == set(one.nodes.tolist())


@pytest.fixture(scope="module")
def time(tmp_path_factory: pytest.TempPathFactory) -> TemporalGraph:
    return open_both(tmp_path_factory.mktemp("union"), make(11, 300, 12, bounded=True, churn=0.2))


def test_pagerank_of_a_view_is_that_of_the_month_by_itself(time: TemporalGraph) -> None:
    for view in (time.at("2000-04"), time.between("2000-02", "2000-03"), time.stable()):
        month, nodes = view.induced()
        assert 0 < month.num_nodes < time.num_nodes
        assert {(int(nodes[u]), int(nodes[v])) for u, v in arcs_of(month)} == arcs_of(view)
        found, wanted = pagerank(view, tolerance=1e-14), pagerank(month, tolerance=1e-14)
        np.testing.assert_allclose(found.scores[nodes], wanted.scores, rtol=0, atol=1e-12)
        assert not found.scores[~view.present].any()
    nothing = time.at("2000-01") - time.at("2000-01")
    nothing.present = np.zeros(time.num_nodes, bool)
    assert pagerank(nothing).scores.tolist() == [0.0] * time.num_nodes


def test_a_preference_counts_only_where_nodes_are(time: TemporalGraph) -> None:
    view = time.at("2000-04")
    month, nodes = view.induced()
    weights = np.arange(1.0, time.num_nodes + 1)
    found, wanted = pagerank(view, preference=weights), pagerank(month, preference=weights[nodes])
    np.testing.assert_allclose(found.scores[nodes], wanted.scores, rtol=0, atol=1e-8)


def test_components_of_a_view_are_those_of_the_month(time: TemporalGraph) -> None:
    view = time.at("2000-04")
    month, nodes = view.induced()
    found, wanted = strong_components(view), strong_components(month)
    assert found.sizes[0] == wanted.sizes[0] > 1
    np.testing.assert_array_equal(found.of_node[nodes] == 0, wanted.of_node == 0)


def test_histories_and_overlaps_are_those_of_labels(time: TemporalGraph) -> None:
    rows = time.forward.labelled_rows()
    node = int(np.argmax(np.diff(rows.offsets)))
    targets, labels = time.successors(node)
    months = tuple(month for place, month in enumerate(time.snapshots) if int(labels[0]) >> place & 1)
    assert time.history(node, int(targets[0])) == months
    assert time.history(node) == tuple(
        month for place, month in enumerate(time.snapshots) if time.node_label(node) >> place & 1
    )
    sources, backward = time.predecessors(int(targets[0]))
    assert backward[sources == node].tolist() == [int(labels[0])]
    overlap = time.arc_overlap()
    both = time.at("2000-02") & time.at("2000-05")
    assert (overlap[1, 4], overlap[4, 1], overlap[1, 1]) == (
        both.num_arcs,
        both.num_arcs,
        time.at("2000-02").num_arcs,
    )
    assert np.trace(overlap) == time.num_link_instances
    assert time.node_overlap()[1, 4] == both.num_present


def test_what_is_not_there_is_refused(time: TemporalGraph) -> None:
    with pytest.raises(MissingError, match="1999-01: there is no such snapshot in the union; it has 2000-01"):
        time.at("1999-01")
    with pytest.raises(UsageError, match="the range ends before it begins"):
        time.between("2000-05", "2000-04")
    with pytest.raises(MissingError, match="the union has no transpose"):
        TemporalGraph(time.forward).predecessors(0)
    with pytest.raises(ValueError, match="expected two of the same graph"):
        _ = time.at("2000-01") & TemporalGraph(time.backward or time.forward).at("2000-01")


@pytest.fixture(scope="module")
def month(tmp_path_factory: pytest.TempPathFactory) -> View:
    """One of twelve months, in which half of the nodes or so are away."""
    graph = make(5, 60, 12, bounded=True, churn=0.1)
    return open_both(tmp_path_factory.mktemp("month"), graph).at(graph.snapshots[4])


def test_the_structure_of_a_view_is_that_of_its_month_by_itself(month: View) -> None:
    alone, nodes = month.induced()
    assert 20 < len(nodes) < month.num_nodes
    seen = describe_structure(month, with_distances=False)
    wanted = describe_structure(alone, with_distances=False)
    # the wedges that are drawn are the same too
    assert seen.to_dict() == wanted.to_dict()
    for name in ("weak", "strong"):
        found = getattr(seen, name).of_node
        np.testing.assert_array_equal(found[nodes], getattr(wanted, name).of_node)
        assert (found[~month.present] == -1).all()


def test_distances_in_a_view_are_those_of_its_month_by_itself(month: View) -> None:
    alone, nodes = month.induced()
    reached = distances(month, nodes[:1])
    np.testing.assert_array_equal(reached[nodes], distances(alone, [0]))
    away = int(np.flatnonzero(~month.present)[0])
    with pytest.raises(ValueError, match=f"nodes that are there at this time, got {away}"):
        distances(month, [away])


def test_balls_in_a_view_count_the_pairs_of_its_nodes(month: View) -> None:
    alone, nodes = month.induced()
    balls = grow_balls(month.transpose(), month, registers=4096)
    wanted = grow_balls(alone.transpose(), alone, registers=4096)
    assert balls.neighbourhood[0] == wanted.neighbourhood[0] == len(nodes)
    np.testing.assert_allclose(balls.neighbourhood, wanted.neighbourhood, rtol=0.02)
    np.testing.assert_allclose(balls.harmonic[nodes], wanted.harmonic, rtol=0.1, atol=0.3)
    assert balls.joined_share.value == pytest.approx(wanted.joined_share.value, rel=0.02)


def test_what_is_made_of_a_view_has_its_nodes(month: View, tmp_path: Path) -> None:
    alone, nodes = month.induced()
    assert sorted(month.to_networkx()) == nodes.tolist()
    assert sorted(month.to_networkit().iterNodes()) == nodes.tolist()
    order = np.random.default_rng(0).permutation(month.num_nodes).astype(np.uint32)
    permuted = month.permuted(order)
    assert permuted.present is not None
    assert np.flatnonzero(permuted.present).tolist() == sorted(order[nodes].tolist())
    assert permuted.num_present == len(nodes)
    of_node = np.arange(month.num_nodes, dtype=np.uint32) // 10
    groups = Groups(of_node, [f"{name}.org" for name in "abcdef"])
    write_named(tmp_path / "hosts", month, groups)
    hosts = NamedGraph(tmp_path, "hosts")
    assert hosts.pages.tolist() == np.bincount(of_node[nodes], minlength=6).tolist()
    assert hosts.weights is not None
    assert int(np.asarray(hosts.weights).sum()) == alone.num_arcs
