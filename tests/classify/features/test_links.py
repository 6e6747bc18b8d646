"""Link features, each against its formula."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.classify import reference
from tests.rank.months import graphs, to_graph
from webstrata.classify.features.feature_sets import build_set
from webstrata.classify.features.links import BASE, DERIVED, FORMULAS, measure_nodes, truncate
from webstrata.classify.features.sites import open_sites
from webstrata.classify.settings import ClassifySettings
from webstrata.collection.progress import Progress
from webstrata.errors import UsageError
from webstrata.rank import pagerank, truncated_pagerank, trustrank
from webstrata.rank.walk import Walk

if TYPE_CHECKING:
    from pathlib import Path

    import webstrata as ws

COUNTED = [name for name in BASE if name.startswith(("supporters", "sites"))]


def test_there_are_177_of_them() -> None:
    assert (len(BASE), len(DERIVED), len(FORMULAS)) == (20, 68, 177)


@settings(max_examples=25)
@given(graphs, st.data())
def test_every_feature_is_what_its_formula_says(lists: list[set[int]], data: st.DataObject) -> None:
    graph = to_graph(lists)
    size = len(lists)
    sites = np.array(data.draw(st.lists(st.integers(0, 3), min_size=size, max_size=size)))
    ranks = {f"truncated_{level}": truncated_pagerank(graph, levels=level).scores for level in (1, 2, 3, 4)}
    ranks["trustrank"] = trustrank(graph, [size // 2]).scores
    scores = pagerank(graph).scores
    found = measure_nodes(graph, np.arange(size), scores, ranks, sites, registers=1024)
    plain = {name: row.tolist() for name, row in (ranks | {"pagerank": scores}).items()}
    for node in range(min(size, 8)):
        wanted = reference.measure_links(lists, node, plain, sites.tolist())
        base = {name: float(found[name][node]) for name in BASE}
        for name in BASE:
            off = 0.6 if name in COUNTED else 1e-12
            assert base[name] == pytest.approx(wanted[name], rel=1e-9, abs=off, nan_ok=True), name
        derived = reference.derive(base)
        assert set(DERIVED) <= set(derived)
        for name in DERIVED:
            value = pytest.approx(derived[name], rel=1e-6, abs=1e-6, nan_ok=True)
            assert float(found[name][node]) == value, name


@settings(max_examples=25)
@given(graphs, st.sampled_from([0.0, 0.5, 0.85]))
def test_truncated_ranks_are_those_of_the_room_rank(lists: list[set[int]], alpha: float) -> None:
    walk = Walk(to_graph(lists))
    found = truncate(walk, pagerank(walk, alpha=alpha).scores, alpha=alpha)
    for level in (1, 2, 3, 4):
        wanted = truncated_pagerank(walk, levels=level, alpha=alpha).scores
        assert np.abs(found[f"truncated_{level}"] - wanted).sum() < 2e-9


class Notes(Progress):
    """Remembers what is said."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def note(self, sentence: str) -> None:
        self.said.append(sentence)


def test_a_host_has_those_of_its_home_page_and_of_its_best_page(
    snapshot: ws.Snapshot, tmp_path: Path
) -> None:
    (tmp_path / "trusted").write_text("www.a.org\nhttp://c.org/x  # a page\nnowhere.org\n")
    progress = Notes()
    chosen = ClassifySettings(trusted=str(tmp_path / "trusted"), registers=4096)
    made = build_set(snapshot, "link", chosen, progress=progress)
    assert (made.hosts, made.features) == (3, 177)
    assert [said for said in progress.said if "1 of 3 are not in this snapshot, as nowhere.org" in said]
    table = snapshot.features("link")
    assert table.column_names == ["host", *FORMULAS]
    sites, urls = open_sites(snapshot), list(snapshot.urls)
    graph = snapshot.graph
    scores = {"pagerank": snapshot.rank("pagerank").scores}
    scores |= {f"truncated_{level}": truncated_pagerank(graph, levels=level).scores for level in (1, 2, 3, 4)}
    scores["trustrank"] = trustrank(graph, [urls.index("http://a.org/"), urls.index("http://c.org/x")]).scores
    lists = [set(graph.successors(node).tolist()) for node in range(graph.num_nodes)]
    plain = {name: row.tolist() for name, row in scores.items()}
    for row, home in zip(table.to_pylist(), sites.home.tolist(), strict=True):
        nodes = np.flatnonzero(sites.of_node == sites.names.index(row["host"]))
        top = int(nodes[np.argmax(scores["pagerank"][nodes])])
        assert row["same_page"] == (home == top)
        for page, node in (("home", home), ("top", top)):
            wanted = reference.measure_links(lists, node, plain, sites.of_node.tolist())
            for name in BASE:
                value = np.nan if row[f"{page}_{name}"] is None else row[f"{page}_{name}"]
                assert value == pytest.approx(wanted[name], rel=1e-3, abs=1e-6, nan_ok=True), name


def test_trustrank_is_missing_without_trusted_pages_and_files_of_strangers_are_refused(
    snapshot: ws.Snapshot, tmp_path: Path
) -> None:
    progress = Notes()
    build_set(snapshot, "link", ClassifySettings(), progress=progress)
    assert any("--trusted FILE" in said for said in progress.said)
    table = snapshot.features("link")
    assert table["home_trustrank"].null_count == table["top_log_trustrank_by_pagerank"].null_count == 3
    assert table["home_pagerank"].null_count == 0
    (tmp_path / "strangers").write_text("nowhere.org\n")
    with pytest.raises(UsageError, match="none of its 1 lines is a host or page of this snapshot"):
        build_set(snapshot, "link", ClassifySettings(trusted=str(tmp_path / "strangers")))
