"""What becomes of odd rows, other namespaces, and of little memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.store.wikipedia import reference
from tests.store.wikipedia.dumps import Page, make_wiki, write_table, write_tables
from tests.store.wikipedia.test_tables import to_networkx
from webstrata.errors import FormatError
from webstrata.store.wikipedia import joining, numbers
from webstrata.store.wikipedia.ingest import ingest_dump
from webstrata.store.wikipedia.settings import WikipediaSettings
from webstrata.store.wikipedia.tables import TablesResult

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Snapshot

BASE = "https://simple.wikipedia.org/wiki/"


def ingest(folder: Path, place: Path, **chosen: object) -> tuple[Snapshot, TablesResult]:
    snapshot = ws.create(place).add("2009-08")
    result = ingest_dump(snapshot, folder, settings=WikipediaSettings(**chosen))  # type: ignore[arg-type]
    assert isinstance(result, TablesResult)
    return snapshot, result


@pytest.mark.parametrize("schema", ["old", "new"])
def test_little_memory_gives_the_same(tmp_path: Path, schema: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_tables(tmp_path / "dump", make_wiki(2), schema=schema, per_statement=7)
    monkeypatch.setattr(joining, "_BLOCK", 40)
    monkeypatch.setattr(joining, "_MEMORY", 4000)
    monkeypatch.setattr("webstrata.store.wikipedia.sql._BATCH", 200)
    monkeypatch.setattr(numbers.Pairs.__init__, "__kwdefaults__", {"memory": 256})
    snapshot, _ = ingest(folder, tmp_path / "wiki")
    expected, found = reference.make_graph(folder), to_networkx(snapshot)
    assert (set(found.nodes), set(found.edges)) == (set(expected.nodes), set(expected.edges))
    assert list(snapshot.path.glob("ingest*")) == []


def test_without_the_table_redirects_forward_to_their_one_link(tmp_path: Path) -> None:
    folder = write_tables(tmp_path / "dump", make_wiki(3), redirects=False)
    snapshot, result = ingest(folder, tmp_path / "wiki")
    expected = reference.make_graph(folder)
    assert set(to_networkx(snapshot).edges) == set(expected.edges)
    assert 0 < result.lost_redirects < result.redirects


def test_a_redirect_with_two_links_and_no_row_stands_for_nothing(tmp_path: Path) -> None:
    pages = [
        Page(1, 0, "A", [(0, "R"), (0, "S")]), Page(2, 0, "B"),
        Page(3, 0, "R", redirect=(0, "B")), Page(4, 0, "S", redirect=(0, "B")),
    ]  # fmt: skip
    pages[2].links, pages[3].links = [(0, "A"), (0, "B")], [(0, "B")]
    snapshot, result = ingest(write_tables(tmp_path / "d", pages, redirects=False), tmp_path / "wiki")
    assert (result.redirects, result.lost_redirects) == (2, 1)
    assert snapshot.urls.node(BASE + "S") == snapshot.urls.node(BASE + "B") == 1
    assert snapshot.urls.get(BASE + "R") is None


def test_namespaces_are_chosen(tmp_path: Path) -> None:
    folder = write_tables(tmp_path / "dump", make_wiki(4))
    snapshot, _ = ingest(folder, tmp_path / "wiki", namespaces=(0, 14))
    urls = set(snapshot.urls)
    assert {BASE + f"Category:Cat_{number}" for number in range(4)} <= urls
    assert not any("Talk:" in url for url in urls)
    with pytest.raises(FormatError, match="no page of the namespaces 12 is there"):
        ingest(folder, tmp_path / "other", namespaces=(12,))


def test_links_to_missing_pages_are_kept_for_the_frontier(tmp_path: Path) -> None:
    pages = [Page(1, 0, "A", [(0, "Missing"), (0, "B"), (0, "B")]), Page(2, 0, "B")]
    folder = write_tables(tmp_path / "d", pages, schema="new")
    snapshot, result = ingest(folder, tmp_path / "wiki")
    assert (result.links, result.targets, result.rows) == (2, 2, 2 + 3 + 3 + 0)
    assert [link.url for link in snapshot.links[0]] == [BASE + "B", BASE + "Missing"]


def test_pages_say_which_they_are_and_nothing_of_captures(tmp_path: Path) -> None:
    pages = [Page(10, 0, "B"), Page(7, 0, "A")]
    snapshot, _ = ingest(write_tables(tmp_path / "d", pages), tmp_path / "wiki")
    table = snapshot.pages.table("url", "wiki_page_id", "wiki_page_bytes", "fetch_status")
    assert table.to_pylist() == [
        {
            "url": BASE + page.title,
            "wiki_page_id": page.id,
            "wiki_page_bytes": len(page.text),
            "fetch_status": None,
        }
        for page in reversed(pages)
    ]


def test_odd_rows_are_counted_and_told(tmp_path: Path) -> None:
    folder = write_tables(tmp_path / "d", [Page(1, 0, "A", [(0, "B")]), Page(2, 0, "B")])
    columns = ["page_id", "page_namespace", "page_title", "page_is_redirect"]
    rows: list[tuple[object, ...]] = [
        (1, 0, "A", 0), (2, 0, "B", 0), (3, 0, "B", 0), (-4, 0, "C", 0), (None, 0, "D", 0), (2**40, 0, "E", 0)
    ]  # fmt: skip
    write_table(folder / "simplewiki-20090810-page.sql.gz", "page", columns, rows)
    snapshot, result = ingest(folder, tmp_path / "wiki")
    assert list(snapshot.urls) == [BASE + "A", BASE + "B"]
    assert result.damaged == 4
    assert sum("has the title of another one" in damage.what for damage in result.damage) == 1


def test_a_link_whose_target_nobody_knows_is_told_from_one_to_another_namespace(tmp_path: Path) -> None:
    pages = [Page(1, 0, "A", [(0, "B"), (14, "Fish")]), Page(2, 0, "B")]
    folder = write_tables(tmp_path / "d", pages, schema="new")
    columns = ["pl_from", "pl_from_namespace", "pl_target_id"]
    rows = [(1, 0, 1000), (1, 0, 1006), (1, 0, 7777), (9, 0, 1000)]  # B, the category, nothing, from nowhere
    write_table(folder / "simplewiki-20090810-pagelinks.sql.gz", "pagelinks", columns, rows)
    _, result = ingest(folder, tmp_path / "wiki")
    assert (result.links, result.damaged) == (1, 0)
    assert result.left_out == {
        "a link from a page that is not taken": 1,
        "a link whose target is not in linktarget": 1,
        "a link to another namespace": 1,
    }
