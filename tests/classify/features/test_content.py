"""Content features of hosts: home page, page of maximum PageRank, mean and variance."""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np
import pytest

from webstrata.classify.features.content import page_ranks
from webstrata.classify.features.feature_sets import build_features, build_set
from webstrata.classify.features.pages import CORPUS, NAMES, QUERIES, page_features
from webstrata.classify.features.sites import site_name
from webstrata.classify.learning.cost import Meter
from webstrata.classify.settings import ClassifySettings
from webstrata.errors import MissingError

if TYPE_CHECKING:
    from pathlib import Path

    import webstrata as ws


@pytest.fixture
def settings(tmp_path: Path) -> ClassifySettings:
    (tmp_path / "log.txt").write_text("cheap pills\ncheap fish")
    return ClassifySettings(query_words=str(tmp_path / "log.txt"), sets=("A", "Aa", "B"))


def test_the_sets_have_the_columns_that_are_said(snapshot: ws.Snapshot, settings: ClassifySettings) -> None:
    made = {one.name: one for one in build_features(snapshot, settings)}
    assert [made[name].features for name in ("A", "Aa", "B")] == [48, 24, 96]
    assert {one.hosts for one in made.values()} == {3}
    tables = {name: snapshot.features(name) for name in made}
    b = set(tables["B"].column_names)
    assert b == {
        "host",
        *(f"{group}_{name}" for group in ("home", "top", "mean", "variance") for name in NAMES),
    }
    without = {"host", *(f"{g}_{name}" for g in ("home", "mean", "variance") for name in NAMES)}
    assert set(tables["A"].column_names) == {name for name in without if name.partition("_")[2] not in CORPUS}
    assert set(tables["Aa"].column_names) - {"host"} == {
        name for name in without if name.partition("_")[2] in QUERIES
    }
    for name in ("A", "Aa"):
        assert tables[name].to_arrow() == tables["B"].select(tables[name].column_names)
    # B needed what A had made, and its cost says so
    assert made["B"].cost.cpu_seconds > 0


def test_every_column_is_what_the_pages_of_the_host_give(
    snapshot: ws.Snapshot, settings: ClassifySettings
) -> None:
    build_features(snapshot, settings)
    pages, ranks = page_features(snapshot, settings), page_ranks(snapshot)
    urls = list(snapshot.urls)
    homes = {"a.org": "http://a.org/", "b.org": "http://b.org/", "c.org": "http://c.org/x"}
    rows = {row["host"]: row for row in snapshot.features("B").to_pylist()}
    assert list(rows) == ["a.org", "b.org", "c.org"]
    for host, row in rows.items():
        nodes = [node for node, url in enumerate(urls) if site_name(urlsplit(url).hostname or "") == host]
        top = max(nodes, key=lambda node: (ranks[node], -node))
        for place, name in enumerate(NAMES):
            known = [float(pages[node, place]) for node in nodes if not math.isnan(pages[node, place])]
            wanted = {
                "home": float(pages[urls.index(homes[host]), place]),
                "top": float(pages[top, place]),
                "mean": statistics.fmean(known) if known else None,
                "variance": statistics.pvariance(known) if known else None,
            }
            for group, value in wanted.items():
                found = row[f"{group}_{name}"]
                if value is None or math.isnan(value):
                    assert found is None, (host, group, name)
                else:
                    assert found == pytest.approx(value, rel=1e-5, abs=1e-6), (host, group, name)


def test_without_query_words_aa_cannot_be_made_and_a_lacks_them(snapshot: ws.Snapshot) -> None:
    with pytest.raises(MissingError, match="--query-words FILE"):
        build_features(snapshot, ClassifySettings(sets=("A", "Aa")))
    table = snapshot.features("A")
    assert table["home_query_recall_100"].null_count == 3
    assert table["mean_words"].null_count == 0


def test_a_ranking_that_was_made_before_counts_for_all_who_use_it(snapshot: ws.Snapshot) -> None:
    snapshot.parts.remove("rank-pagerank")
    with Meter() as first:
        scores = page_ranks(snapshot)
    with Meter() as second:
        np.testing.assert_array_equal(page_ranks(snapshot), scores)
    assert second.borrowed.cpu_seconds > 0
    assert first.borrowed.cpu_seconds == 0


def test_a_set_without_its_graph_says_what_is_missing(fresh: ws.Snapshot) -> None:
    bare = fresh
    bare.parts.remove("graph")
    with pytest.raises(MissingError, match="no part graph"):
        build_set(bare, "B")
    assert build_set(bare, "A").hosts == 3
