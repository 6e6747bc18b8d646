"""What was captured, seen as families of the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.sealing import seal
from webstrata.archive.cdxj import build_cdxj
from webstrata.errors import FormatError
from webstrata.store.table.cells import parse_period
from webstrata.store.table.views import Views

if TYPE_CHECKING:
    from collections.abc import Iterator

    import webstrata as ws

MAY, JUNE = parse_period("2026-05")[0], parse_period("2026-06")[0]


@pytest.fixture
def views(uk: ws.Collection) -> Iterator[Views]:
    found = Views(uk)
    yield found
    found.close()


def read(views: Views, family: str, row: str) -> list[dict[str, object]]:
    return [{cell.column: cell.value for cell in cells} for cells in views.cells(family, row)]


def test_each_snapshot_has_one_version_and_the_newest_comes_first(views: Views) -> None:
    cells = list(views.cells("content", "org,a)/"))
    assert [[cell.time for cell in group] for group in cells] == [[JUNE], [MAY]]
    assert read(views, "text", "org,a)/") == [
        {"title": "Juné", "visible": "", "main": ""},
        {"title": "May", "visible": "onetwoB", "main": "onetwoB"},
    ]


def test_text_is_read_from_its_part_and_not_from_the_record(
    views: Views, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webstrata.store.table.views.read_record", None)
    assert [row["title"] for row in read(views, "text", "org,a)/")] == ["Juné", "May"]


def test_versions_after_a_time_are_not_read(views: Views) -> None:
    assert [cells[0].time for cells in views.cells("content", "org,a)/", until=JUNE - 1)] == [MAY]
    assert list(views.cells("content", "org,a)/", until=MAY - 1)) == []


def test_the_first_complete_capture_counts(views: Views) -> None:
    may = read(views, "http", "org,a)/")[1]
    assert (may["status"], may["mime"], may["captured"]) == (200, "text/html", "20010909014641")
    assert isinstance(may["head"], bytes)
    assert may["head"].startswith(b"HTTP/1.1 200 x\r\n")


def test_a_revisit_shows_the_payload_it_refers_to_also_of_an_older_snapshot(views: Views) -> None:
    for row in ("org,c)/", "org,b)/"):
        for title in read(views, "text", row):
            assert title == {"title": "The same", "visible": "façade", "main": "façade"}
    assert len(read(views, "content", "org,b)/")) == 2
    assert read(views, "content", "org,b)/")[0] == read(views, "content", "org,b)/")[1]


def test_links_are_columns_with_their_texts(views: Views) -> None:
    links = read(views, "links", "org,a)/")
    assert links == [{}, {"http://a.org/x": "one\ntwo", "http://b.org/": "B"}]


def test_row_keys_are_those_of_all_snapshots_in_order_and_once(views: Views) -> None:
    assert list(views.row_keys()) == ["org,a)/", "org,b)/", "org,c)/", "org,d)/p?q=1"]
    assert list(views.row_keys(b"org,b", b"org,d")) == ["org,b)/", "org,c)/"]


def test_a_page_that_was_not_captured_has_no_cells(views: Views) -> None:
    assert read(views, "content", "org,z)/") == []


def test_a_snapshot_without_an_index_has_no_cells(uk: ws.Collection) -> None:
    uk.add("2026-07")
    assert len(read(Views(uk), "content", "org,a)/")) == 2


def test_a_name_in_the_index_never_leads_out_of_the_part(uk: ws.Collection) -> None:
    june = uk["2026-06"]
    with june.open_part("captures") as part:
        line = b'org,a)/ 20260601000000 {"url": "http://a.org/", "mime": "text/html", "status": "200", '
        line += b'"digest": "", "length": "1", "offset": "0", "filename": "../../collection.toml"}\n'
        (uk.path / "lines").write_bytes(line)
        build_cdxj(uk.path / "lines", part.path)
    seal(june, "captures")
    with pytest.raises(FormatError, match="which is no file of the part `warc`"):
        read(Views(uk), "content", "org,a)/")


def test_anchors_are_columns_by_the_pages_that_link(views: Views) -> None:
    cells = views.anchors("org,b)/")
    assert [(cell.column, cell.time, cell.value) for cell in cells] == [("http://a.org/", MAY, "B")]
    assert views.anchors("org,b)/", until=MAY - 1) == []
    assert views.anchors("org,c)/") == []  # a duplicate: its anchors are those of its node
    assert list(views.anchor_rows()) == ["org,b)/"]
    assert list(views.anchor_rows(b"org,c", b"org,d")) == []
