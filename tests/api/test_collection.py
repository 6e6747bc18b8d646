"""The Python API from files to a report, without an import below `webstrata`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pyarrow as pa
import pytest

import webstrata as ws
from webstrata import testing
from webstrata.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def warc_files(tmp_path: Path) -> list[str]:
    """Patterns of the WARC files of two snapshots."""
    for snapshot in list(testing.collection())[1:]:
        snapshot.export("warc", tmp_path / f"crawl-{snapshot.date}")
    return [str(tmp_path / f"crawl-{label}" / "*.warc.gz") for label in ("2026-05", "2026-06")]


def test_a_collection_is_made_built_ranked_and_searched_by_methods(
    tmp_path: Path, warc_files: list[str]
) -> None:
    uk = ws.create(tmp_path / "uk")
    for label, pattern in zip(("2026-05", "2026-06"), warc_files, strict=True):
        uk.add(label).ingest(pattern)
    june = uk["2026-06"]
    assert len(june.urls) == 15
    assert list(june.build("graph")) == ["2026-06/graph"]
    assert june.build("graph") == {}
    uk["2026-05"].build("graph")
    union = uk.align()
    assert union.facts.snapshots == ["2026-05", "2026-06"]
    assert uk.temporal.num_nodes == union.num_nodes
    top = june.rank("pagerank", alpha=0.9).top(20)
    assert top[0].rank == 1
    assert len(top) == 15
    uk.index()
    hits = uk.search("tropical fish", at="2026-06", limit=3)
    assert pa.table(hits)["url"].to_pylist()[0] == "http://reef.example/fish"
    assert pl.DataFrame(hits).shape == (3, 11)
    assert pl.DataFrame(june.rank("pagerank", alpha=0.9)).columns == ["rank", "node", "score", "name"]
    assert pl.DataFrame(june.pages).height == 15
    assert "<table>" in june.rank("pagerank", alpha=0.9).top(2)._repr_html_()
    assert uk.get("http://reef.example/fish").status == 200
    assert uk.diff("http://garden.example/tomatoes", "2026-05", "2026-06").changes
    assert uk.history("http://garden.example/pond").snapshots == ("2026-05", "2026-06")
    assert uk.check().damage == []
    assert uk.show("2026-06").to_dict()["snapshots"][0]["date"] == "2026-06"


def test_a_pattern_that_no_file_matches_is_refused_and_leaves_no_snapshot(tmp_path: Path) -> None:
    uk = ws.create(tmp_path / "uk")
    with pytest.raises(ws.errors.MissingError, match="no such files; check the pattern"):
        uk.add("2026-06").ingest(str(tmp_path / "*.warc.gz"))


def test_settings_of_a_method_are_remembered_and_unknown_ones_refused() -> None:
    uk = testing.collection()
    uk.align(by="canonical")
    assert uk.show().to_dict()["parts"]
    assert uk.temporal.facts.by == "canonical"
    with pytest.raises(ws.errors.SettingError, match="windw is not a setting"):
        uk["2026-06"].build("graph", windw=3)  # type: ignore[call-arg]


def test_a_run_builds_what_is_missing_and_says_what_it_would_do(tmp_path: Path) -> None:
    uk = testing.collection()
    plan = uk.run(dry_run=True, first="graph", last="graph")
    assert {row["state"] for row in plan.rows} == {"fresh"}
    done = uk.run(first="graph", last="graph")
    assert [(row["stage"], row["built"]) for row in done.rows] == [("graph", 0)]


def test_a_crawl_is_a_method_of_its_snapshot() -> None:
    june = testing.empty().add("2026-06")
    result = june.crawl(invitro="tiny", limit=10)
    assert result.end == "max_pages"
    assert len(june.urls) > 0
    with pytest.raises(ws.errors.MissingError):
        june.crawl_status()


def test_a_run_with_a_failed_stage_keeps_the_table_of_the_others() -> None:
    pages = {"http://a.example/": "<a href=/b>B</a>", "http://a.example/b": "<p>B"}
    uk = testing.collection_of({"2026-05": pages, "2026-06": pages}, parts=())
    path = uk["2026-05"].parts.path(uk["2026-05"].parts.record("links")) / "links.parquet"
    path.chmod(0o644)
    path.write_bytes(b"damaged")
    with pytest.raises(ws.errors.RunError, match="stage failed: graph, 2026-05/graph") as caught:
        uk.run(first="graph", last="graph")
    result = caught.value.result
    assert [(row["stage"], row["built"]) for row in result.rows] == [("graph", 1)]
    assert len(result.failures) == 1
    assert "links.parquet" in result.failures[0]
    assert pa.table(result).num_rows == 1
    assert uk["2026-06"].graph.num_arcs == 1


def test_graphs_of_a_snapshot_carry_urls_to_other_libraries() -> None:
    june = testing.snapshot()
    urls = list(june.urls)
    for graph in (june.graph, june.graph.transpose()):
        networkx = graph.to_networkx()
        assert [networkx.nodes[node]["url"] for node in range(len(urls))] == urls
        assert networkx.nodes[0]["host"] == "garden.example"
        assert graph.to_igraph().vs["url"] == urls
        made = graph.to_networkit()
        attribute = made.getNodeAttribute("url", str)
        assert [attribute[node] for node in range(len(urls))] == urls
    assert june.host_graph.to_igraph().vs["name"] == june.host_graph.names
    assert "url" not in ws.Graph.from_arcs([(0, 1)]).to_igraph().vs.attributes()


def test_taken_down_pages_have_no_url_in_other_libraries() -> None:
    uk = testing.collection()
    uk.takedown("http://news.example/storm", reason="request of the owner")
    node = testing.snapshot().urls.node("http://news.example/storm")
    assert "storm" not in uk["2026-06"].graph.to_networkx().nodes[node]["url"]


def test_the_later_snapshot_of_changes_is_named_once() -> None:
    uk = testing.collection()
    with pytest.raises(UsageError, match="both name the later snapshot; give one of them"):
        uk.changes("storm", end="2026-06", at="2026-05")
