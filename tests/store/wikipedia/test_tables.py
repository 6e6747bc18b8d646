"""Graphs of wikis from their tables, beside SQLite and NetworkX."""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx as nx
import pytest

import webstrata as ws
from tests.store.wikipedia import reference
from tests.store.wikipedia.dumps import make_wiki, write_tables
from webstrata.collection.progress import Progress, Task
from webstrata.errors import Cancelled
from webstrata.store.links import arcs
from webstrata.store.wikipedia.ingest import ingest_dump
from webstrata.store.wikipedia.settings import WikipediaSettings

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Snapshot


def to_networkx(snapshot: Snapshot) -> nx.DiGraph:
    graph, urls = nx.DiGraph(), list(snapshot.urls)
    graph.add_nodes_from(urls)
    pairs = zip(*(column.tolist() for column in arcs(snapshot)), strict=True)
    graph.add_edges_from((urls[source], urls[end]) for source, end in pairs)
    return graph


@pytest.mark.parametrize("redirects", ["resolve", "eliminate"])
def test_every_schema_gives_the_graph_of_sqlite(tmp_path: Path, redirects: str) -> None:
    pages = make_wiki(1)
    collection = ws.create(tmp_path / "wiki")
    for month, schema in enumerate(("old", "both", "new"), 1):
        folder = write_tables(tmp_path / schema, pages, schema=schema, lines=schema == "both")
        snapshot = collection.add(f"2009-0{month}")
        ingest_dump(snapshot, folder, settings=WikipediaSettings(redirects=redirects))
        expected = reference.make_graph(folder, eliminate=redirects == "eliminate")
        found = to_networkx(snapshot)
        assert set(found.nodes) == set(expected.nodes)
        assert set(found.edges) == set(expected.edges)
        assert list(snapshot.urls.row_keys) == sorted(snapshot.urls.row_keys)


class _Stops(Progress):
    """Cancels when a task of this title is under way."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = title

    def opened(self, task: Task) -> None:
        if task.title.startswith(self._title):
            self.cancel()


@pytest.mark.parametrize("title", ["reading simplewiki-20090810-pagel", "sorting titles", "sorting links"])
def test_work_that_is_broken_off_leaves_what_was_there(tmp_path: Path, title: str) -> None:
    pages = make_wiki(7, 10)
    snapshot = ws.create(tmp_path / "wiki").add("2009-08")
    first = write_tables(tmp_path / "first", pages)
    ingest_dump(snapshot, first)
    before = [record.checksum for record in snapshot.parts]
    second = write_tables(tmp_path / "second", make_wiki(8, 10), schema="new")
    with pytest.raises(Cancelled):
        ingest_dump(snapshot, second, mode="again", progress=_Stops(title))
    assert not (snapshot.path / "ingest").exists()
    assert [record.checksum for record in snapshot.parts] == before
    (snapshot.path / "ingest").mkdir()
    (snapshot.path / "ingest" / "named-0").write_bytes(b"of one that was killed")
    ingest_dump(snapshot, second, mode="again")
    snapshot = ws.open(tmp_path / "wiki")["2009-08"]
    assert set(to_networkx(snapshot).edges) == set(reference.make_graph(second).edges)
