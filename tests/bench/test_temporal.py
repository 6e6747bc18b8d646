"""The figures of time: sizes on real histories against their floors, and the same arcs on both sides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from bench import temporal
from bench.floors import require
from bench.frame import digest_tree
from webstrata.invitro import Web
from webstrata.temporal.labels import LabelledGraph
from webstrata.temporal.views import TemporalGraph

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _own_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is built is not kept beside that of benchmarks, nor found there from another run."""
    monkeypatch.setattr(temporal, "DATA", tmp_path_factory.mktemp("bench-data"))


def open_union(place: Path) -> LabelledGraph:
    basename = temporal.build(str(place), "runs")
    months = [f"2006-{month + 1:02}" for month in range(temporal.MONTHS)]
    return LabelledGraph.open(basename, basename, snapshots=months)


@pytest.mark.parametrize(
    "name",
    [
        "docs-churning",
        "docs-partial-crawl",
        "site-rebuilt",
        pytest.param("docs-versions", marks=pytest.mark.slow),
    ],
)
def test_a_history_takes_no_more_than_its_floor_and_less_than_times_coding(
    name: str, tmp_path: Path, test_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBSTRATA_TEST_DATA", str(test_data))
    temporal._real(name)(tmp_path, True)
    ours, theirs = temporal.size_ours(str(tmp_path)), temporal.size_theirs(str(tmp_path))
    require(f"temporal-size-{name}", ours["value"], digest_tree(tmp_path, f"temporal-{name}"))
    assert ours["value"] <= 0.7 * theirs["value"]
    assert ours["bits_per_label"] <= 0.5 * theirs["bits_per_label"]
    union, graph = temporal.load(str(tmp_path)), open_union(tmp_path)
    rows = graph.labelled_rows()
    np.testing.assert_array_equal(rows.targets, union.targets)
    np.testing.assert_array_equal(rows.labels, union.labels)
    np.testing.assert_array_equal(graph.node_labels, union.nodes)


def test_the_months_of_the_in_vitro_union_are_those_of_its_truth(tmp_path: Path) -> None:
    temporal.write_in_vitro(tmp_path, 300)
    time = TemporalGraph(open_union(tmp_path))
    web = Web("uk-2007", pages=300, hosts=20, months=temporal.MONTHS)
    for month, (_, view) in enumerate(time.views()):
        truth = web.graph(month, view="collection")
        static = np.array(["?" not in url for url in truth.urls])
        sources = np.repeat(np.arange(truth.num_nodes), np.diff(truth.offsets).astype(np.int64))
        assert view.num_present == np.count_nonzero(static)
        assert view.num_arcs == np.count_nonzero(static[sources] & static[truth.targets])
        # both are in row-key order, so that the month by itself is the truth, arc for arc
        graph, _ = view.induced()
        kept = static[sources] & static[truth.targets]
        numbers = np.cumsum(static) - 1
        np.testing.assert_array_equal(graph.rows()[1], numbers[truth.targets[kept]])
