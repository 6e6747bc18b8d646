"""Rates of links against what their formulas say, written down slowly."""

from __future__ import annotations

import math
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.classify.small_graphs import graph_pairs, list_successors, mean_and_variance, quotient
from webstrata.classify.features.similarity import psimrank, xjaccard
from webstrata.classify.features.temporal_links import (
    FORMULAS,
    build_temporal_link,
    clustering,
    rate_columns,
    temporal_link_columns,
)
from webstrata.classify.settings import ClassifySettings
from webstrata.collection.progress import Progress
from webstrata.graph import Graph

if TYPE_CHECKING:
    import webstrata as ws


def reference_rates(before: Graph, after: Graph, present: list[bool]) -> list[dict[str, float]]:
    """The 33 columns of each node, from the sets of its neighbours."""
    sets = {
        "o": [[set(row) for row in list_successors(graph)] for graph in (before, after)],
        "i": [[set(row) for row in list_successors(graph.transpose())] for graph in (before, after)],
    }
    found: list[dict[str, float]] = [{} for _ in present]
    for node, columns in enumerate(found):
        for side, both in sets.items():
            old, new = (some[node] for some in both)
            columns[f"{side}dr"] = quotient(len(old) - len(old & new), len(old))
            columns[f"{side}gr"] = quotient(len(new) - len(old & new), len(old))
            if not present[node]:
                columns |= {f"{side}dr": math.nan, f"{side}gr": math.nan}
    for node, columns in enumerate(found):
        for name in ("idr", "igr", "odr", "ogr"):
            theirs = [found[other][name] for other in sets["i"][1][node]]
            columns[f"{name}_mean"], columns[f"{name}_variance"] = mean_and_variance(theirs)
        then, now = (reference_clustering(graph, node) for graph in (before, after))
        columns["crcc"] = quotient(now - then, then)
        for side in "io":
            growth, death = f"{side}gr", f"{side}dr"
            value = columns.__getitem__
            columns |= {
                f"{growth}_times_{death}": value(growth) * value(death),
                f"{growth}_over_{death}": quotient(value(growth), value(death)),
                f"{growth}_mean_over_{growth}": quotient(value(f"{growth}_mean"), value(growth)),
                f"{growth}_variance_over_{growth}": quotient(value(f"{growth}_variance"), value(growth)),
                f"{death}_mean_over_{death}": quotient(value(f"{death}_mean"), value(death)),
                f"{death}_variance_over_{death}": quotient(value(f"{death}_variance"), value(death)),
                f"{growth}_mean_times_{death}_mean": value(f"{growth}_mean") * value(f"{death}_mean"),
                f"{growth}_mean_over_{death}_mean": quotient(value(f"{growth}_mean"), value(f"{death}_mean")),
                f"{growth}_variance_times_{death}_variance": value(f"{growth}_variance")
                * value(f"{death}_variance"),
                f"{growth}_variance_over_{death}_variance": quotient(
                    value(f"{growth}_variance"), value(f"{death}_variance")
                ),
            }
    gone = dict.fromkeys(found[0], math.nan)
    return [columns if here else gone for columns, here in zip(found, present, strict=True)]


def reference_clustering(graph: Graph, node: int) -> float:
    successors = [set(row) for row in list_successors(graph)]
    pairs = list(permutations(sorted(successors[node] - {node}), 2))
    return quotient(sum(c in successors[b] for b, c in pairs), len(pairs))


@given(graph_pairs(loops=False), st.data())
@settings(max_examples=30)
def test_every_rate_is_what_its_formula_says(pair: tuple[Graph, Graph], data: st.DataObject) -> None:
    before, after = pair
    number = before.num_nodes
    after.present = np.array(data.draw(st.lists(st.booleans(), min_size=number, max_size=number)))
    columns = rate_columns(before, after)
    wanted = reference_rates(before, after, after.present.tolist())
    for node in range(number):
        found = {name: float(column[node]) for name, column in columns.items()}
        assert found == pytest.approx(wanted[node], nan_ok=True, abs=1e-12)


def test_clustering_in_many_blocks_is_that_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(5)
    graph = Graph.from_arcs(random.integers(0, 40, (400, 2)), num_nodes=41)
    wanted = [reference_clustering(graph, node) for node in range(41)]
    assert clustering(graph).tolist() == pytest.approx(wanted, nan_ok=True)
    monkeypatch.setattr("webstrata.classify.features.temporal_links._PRODUCTS", 30)
    assert clustering(graph).tolist() == pytest.approx(wanted, nan_ok=True)


def test_similarities_go_along_both_directions_and_miss_sites_that_were_not_there() -> None:
    random = np.random.default_rng(6)
    before, after = (Graph.from_arcs(random.integers(0, 30, (120, 2)), num_nodes=30) for _ in range(2))
    before.present = np.arange(30) != 7
    columns = temporal_link_columns(before, after, fingerprints=8, seed=3)
    assert list(columns) == list(FORMULAS)
    assert len(columns) == 117
    assert all(np.isnan(column[7]) for column in columns.values())
    turned = before.transpose(), after.transpose()
    kept = before.present
    for name, measure in (("xjaccard", xjaccard), ("psimrank", psimrank)):
        for side, graphs in (("out", (before, after)), ("in", turned)):
            wanted = measure(*graphs, fingerprints=8, seed=3)
            assert columns[f"{name}_{side}_4"][kept] == pytest.approx(wanted[3][kept], nan_ok=True)


def test_the_set_follows_a_site_from_month_to_month(months: list[ws.Snapshot]) -> None:
    june = months[2]
    table = build_temporal_link(june, ClassifySettings(fingerprints=16), Progress())
    assert table.column_names[0] == "host"
    assert table.num_columns == 118
    rows = {row["host"]: row for row in table.to_pylist()}
    assert list(rows) == ["a.org", "b.org", "c.org", "d.org"]
    # in May b and c linked to each other, and a to b
    assert (rows["b.org"]["idr"], rows["b.org"]["igr"]) == (0, 0)
    assert (rows["b.org"]["odr"], rows["b.org"]["ogr"]) == (0.5, 0)
    assert (rows["a.org"]["odr"], rows["a.org"]["igr"]) == (0, 1)  # by c, whichever name is linked to
    assert rows["d.org"]["idr"] == 0.5
    assert rows["a.org"]["xjaccard_out_1"] == pytest.approx(0.09)
    # a site that was not there in April has no past
    earlier = build_temporal_link(june, ClassifySettings(fingerprints=2, earlier=("2026-04",)), Progress())
    new = next(row for row in earlier.to_pylist() if row["host"] == "c.org")
    assert {value for name, value in new.items() if name != "host"} == {None}
    assert next(row for row in earlier.to_pylist() if row["host"] == "b.org")["ogr"] == 0.5


def test_all_consecutive_pairs_stand_side_by_side(months: list[ws.Snapshot]) -> None:
    _, may, june = months
    table = build_temporal_link(june, ClassifySettings(fingerprints=2, earlier=("all",)), Progress())
    assert table.num_columns == 1 + 2 * 117
    hosts = table["host"].to_pylist()
    then = build_temporal_link(may, ClassifySettings(fingerprints=2), Progress())
    for name in ("odr", "idr", "psimrank_in_4", "crcc"):
        mays = dict(zip(then["host"].to_pylist(), then[name].to_pylist(), strict=True))
        assert table[f"{name}@1"].to_pylist() == [mays[host] for host in hosts], name
