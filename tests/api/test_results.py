"""Every result of the Python API is a table that other libraries and notebooks take as it is."""

from __future__ import annotations

import inspect
import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pyarrow as pa
import pytest

import webstrata as ws
from webstrata import testing
from webstrata.collection.tables import Result, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

FISH = "http://reef.example/fish"
TOMATOES = "http://garden.example/tomatoes"


@pytest.fixture(scope="module")
def uk() -> ws.Collection:
    return testing.collection()


@pytest.fixture(scope="module")
def crawled() -> ws.Snapshot:
    snapshot = testing.empty().add("2026-06")
    snapshot.crawl(invitro="tiny", limit=20, user_agent="me/1.0 (+https://example.org/me)")
    return snapshot


OF_COLLECTION: dict[str, Callable[[ws.Collection], Any]] = {
    "build": lambda uk: uk.build("graph", again=True),
    "show": lambda uk: uk.show(),
    "check": lambda uk: uk.check(),
    "fixity": lambda uk: uk.fixity(),
    "run": lambda uk: uk.run(first="graph", last="graph"),
    "ls": lambda uk: uk.ls("garden.example", match="host"),
    "diff": lambda uk: uk.diff(TOMATOES, "2026-05", "2026-06"),
    "similar": lambda uk: uk.similar(FISH),
    "history": lambda uk: uk.history(FISH, with_inlinks=True),
    "temporal_stats": lambda uk: uk.temporal_stats(),
    "freshness": lambda uk: uk.freshness(at="2026-06-20"),
    "temporal_bias": lambda uk: uk.temporal_bias(replicates=10),
    "rank": lambda uk: uk.rank(of="2026-06"),
    "search": lambda uk: uk.search("tropical fish"),
    "changes": lambda uk: uk.changes("storm", "2026-05", "2026-06"),
    "takedowns": lambda uk: uk.takedowns,
}
OF_SNAPSHOT: dict[str, Callable[[ws.Snapshot], Any]] = {
    "pages": lambda june: june.pages,
    "urls": lambda june: june.urls,
    "captures": lambda june: june.captures,
    "text": lambda june: june.text,
    "links": lambda june: june.links,
    "anchors": lambda june: june.anchors,
    "summaries": lambda june: june.summaries,
    "graph": lambda june: june.graph,
    "host_graph": lambda june: june.host_graph,
    "build": lambda june: june.build("graph", again=True),
    "store": lambda june: june.store(parts="links"),
    "show": lambda june: june.show(),
    "duplicates": lambda june: june.duplicates(),
    "near_duplicates": lambda june: june.duplicates(near=True),
    "graph_stats": lambda june: june.graph_stats(),
    "graph_links": lambda june: june.graph_links(FISH),
    "graph_check": lambda june: june.graph_check(),
    "rank": lambda june: june.rank(),
    "top": lambda june: june.rank().top(3),
    "plane": lambda june: june.plane(),
    "spectrum": lambda june: june.spectrum(),
    "summaries_show": lambda june: june.summaries_show(FISH),
    "summaries_stats": lambda june: june.summaries_stats(best_codes=True),
    "classify_features": lambda june: june.classify_features(sets="A"),
    "features": lambda june: june.classify_features(sets="A") and june.features("A"),
    "simulate": lambda june: june.simulate(policy=("breadth-first",), relevant="query:fish"),
    "export": lambda june: june.export("warc", testing.scratch() / "out"),
}
OF_CRAWL: dict[str, Callable[[ws.Snapshot], Any]] = {
    "crawl_result": lambda crawled: crawled.crawl_result(),
    "result": lambda crawled: crawled.crawl_result().result,
    "crawl_retry": lambda crawled: crawled.crawl_retry(list=True),
}
DRAWN = {
    "freshness", "temporal_bias", "rank", "changes", "duplicates", "graph_stats", "plane", "spectrum",
    "summaries_stats", "simulate", "crawl_result", "temporal_stats",
}  # fmt: skip


def check_protocol(result: Any) -> None:  # noqa: ANN401
    """What a result owes other libraries, notebooks, and what shows it."""
    table = result.to_arrow()
    assert isinstance(table, pa.Table)
    assert pa.table(result).num_rows == table.num_rows
    if table.num_columns:
        assert pl.DataFrame(result).shape == table.shape
    assert isinstance(json.loads(json.dumps(result.to_dict(), default=str)), dict)
    assert " at 0x" not in repr(result)
    assert len(repr(result)) < 4000
    assert result._repr_html_().startswith("<table><caption>")
    assert isinstance(result, Result)
    for title, found in result.tables().items():
        assert title
        assert isinstance(found, Table)
        assert isinstance(found.to_arrow(), pa.Table)


@pytest.mark.parametrize("name", OF_COLLECTION)
def test_every_result_of_a_collection_is_a_table(uk: ws.Collection, name: str) -> None:
    result = OF_COLLECTION[name](uk)
    check_protocol(result)
    assert bool(result.figures()) == (name in DRAWN)


@pytest.mark.parametrize("name", OF_SNAPSHOT)
def test_every_result_of_a_snapshot_is_a_table(uk: ws.Collection, name: str) -> None:
    result = OF_SNAPSHOT[name](uk["2026-06"])
    check_protocol(result)
    assert bool(result.figures()) == (name in DRAWN or (name == "near_duplicates" and bool(result.rows)))


@pytest.mark.parametrize("name", OF_CRAWL)
def test_every_result_of_a_crawl_is_a_table(crawled: ws.Snapshot, name: str) -> None:
    result = OF_CRAWL[name](crawled)
    check_protocol(result)
    assert bool(result.figures()) == (name in DRAWN)


def test_other_results_are_tables(tmp_path: Path) -> None:
    uk, other = testing.empty(), testing.collection()
    check_protocol(uk.merge(other, ["2026-06"]))
    uk["2026-06"].export("warc", tmp_path / "warc")
    check_protocol(uk.add("2026-07").ingest(str(tmp_path / "warc" / "*.warc.gz")))
    check_protocol(uk.remove("2026-07"))
    check_protocol(ws.invitro.describe(ws.invitro.Web("tiny", months=2)))


def list_results() -> Iterator[tuple[type, str, str]]:
    """Public methods that are not in the lists above, with what they return by their annotation."""
    for holder, known in ((ws.Collection, OF_COLLECTION), (ws.Snapshot, OF_SNAPSHOT | OF_CRAWL)):
        for name in dir(holder):
            method = getattr(holder, name)
            module = getattr(method, "__module__", "")
            if name.startswith("_") or name in known or not inspect.isroutine(method):
                continue
            if module.startswith(("webstrata.api", "webstrata.pipeline")):
                yield holder, name, str(method.__annotations__.get("return", ""))


PLAIN = {
    "None", "str", "Path", "int", "object", "tuple[int, int]", "dict[str, Any]", "dict[str, object]",
    "Server", "Collection", "Snapshot", "StoredCapture", "StoredUnion", "TextIndex", "StoredGraph",
    "Archive", "HostModel", "Takedown", "PageServer", "CrawlStatus",
}  # fmt: skip
"""Results that are no tables: numbers, paths, parts that are opened, a capture, a model."""
ELSEWHERE = {
    "ingest", "merge", "remove", "crawl", "simulation", "classify_predict", "classify_experiment",
    "classify_gate", "search_compare", "search_evaluate", "ingest_arc_labels", "panel", "compare_ranks",
    "crawl_continuous", "simulate_revisits",
}  # fmt: skip
"""Results that are tested above or with the room that makes them."""


def test_no_method_is_left_out() -> None:
    left = [
        f"{holder.__name__}.{name} -> {kind}"
        for holder, name, kind in list_results()
        if kind not in PLAIN and name not in ELSEWHERE
    ]
    assert not left
