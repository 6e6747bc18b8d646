"""Rows: captures and notes under one key."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from webstrata.errors import UsageError
from webstrata.store.table.rows import find_row_key

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from webstrata.store.table import RowTable


@pytest.fixture
def table(uk: ws.Collection) -> Iterator[RowTable]:
    with uk.table as found:
        yield found


def test_a_row_shows_captures_and_notes_together(table: RowTable) -> None:
    table.put("http://a.org/", {"meta": {"note": "changes"}, "scores": {"pagerank": 0.5}})
    row = table["http://a.org/"]
    assert (row.key, row.url) == ("org,a)/", "http://a.org/")
    assert row["text"]["title"] == "Juné"
    assert row["meta"]["note"] == "changes"
    assert dict(row["scores"]) == {"pagerank": 0.5}
    assert "other" not in row["scores"]
    with pytest.raises(KeyError):
        row["scores"]["other"]
    assert row
    assert not table["http://nowhere.org/"]
    assert "empty" in repr(row["anchor"])


def test_a_row_can_be_seen_as_it_was(table: RowTable) -> None:
    for label, value in (("2026-05", 1), ("2026-06", 2)):
        table.put("org,a)/", {"scores": {"rank": value}}, at=label)
    table.put("org,a)/", {"scores": {"rank": 3}}, at=dt.datetime(2026, 6, 15, tzinfo=dt.UTC))
    row = table["org,a)/"]
    assert [cell.value for cell in row.cells("scores", "rank")] == [3, 2, 1]
    assert row["scores"]["rank"] == 3
    assert row.at("2026-06")["scores"]["rank"] == 3
    assert row.at("2026-06-14")["scores"]["rank"] == 2
    assert row.at("2026-05")["scores"]["rank"] == 1
    assert "rank" not in row.at("2026-04")["scores"]
    assert (row.at("2026-05")["text"]["title"], row.at("2026-06")["text"]["title"]) == ("May", "Juné")


def test_a_cell_written_again_at_its_time_is_replaced(table: RowTable) -> None:
    table.put("org,a)/", {"meta": {"note": "first"}})
    table.put("org,a)/", {"meta": {"note": "second"}})
    assert [cell.value for cell in table["org,a)/"].cells("meta")] == ["second"]


def test_anchor_text_of_a_page_comes_from_the_pages_that_link_to_it(table: RowTable) -> None:
    for row in table.scan(families=["links"]):
        for target, text in row.at("2026-05")["links"].items():
            table.put(target, {"anchor": {row.url: text}}, at="2026-05")
    assert dict(table["http://b.org/"]["anchor"]) == {"http://a.org/": "B"}
    assert dict(table["http://a.org/x"]["anchor"]) == {"http://a.org/": "one\ntwo"}


def test_a_batch_is_written_whole_or_not_at_all(table: RowTable) -> None:
    with table.batch() as batch:
        batch.put("org,a)/", {"meta": {"note": "1"}})
        batch.put("org,b)/", {"scores": {"rank": 1}})
    with pytest.raises(UsageError), table.batch() as batch:
        batch.put("org,c)/", {"meta": {"note": "1"}, "content": {"body": "1"}})
    assert [row.key for row in table.scan(families=["meta", "scores"])] == ["org,a)/", "org,b)/"]


def test_deleting_takes_a_version_a_column_a_family_or_all_that_was_written(table: RowTable) -> None:
    def fill() -> None:
        for label in ("2026-05", "2026-06"):
            table.put("org,a)/", {"meta": {"x": 1, "xy": 2}, "scores": {"r": 3}}, at=label)
        table.put("org,a)/b", {"meta": {"x": 9}})

    def left() -> list[tuple[str, str, int]]:
        cells = [(f, cell) for f in ("meta", "scores") for cell in table["org,a)/"].cells(f)]
        return [(family, cell.column, cell.datetime.month) for family, cell in cells]

    everything = [(f, c, m) for f, c in (("meta", "x"), ("meta", "xy"), ("scores", "r")) for m in (6, 5)]
    fill()
    assert left() == everything
    table.delete("org,a)/", "meta", "x", at="2026-05")
    assert left() == [place for place in everything if place != ("meta", "x", 5)]
    table.delete("org,a)/", "meta", "x")
    assert left() == everything[2:]
    fill()
    table.delete("org,a)/", "meta")
    assert left() == everything[4:]
    fill()
    table.delete("http://a.org/")
    assert left() == []
    assert table["org,a)/b"]["meta"]["x"] == 9
    assert table["org,a)/"]["text"]["title"] == "Juné"
    with pytest.raises(UsageError, match="name the family of the column"):
        table.delete("org,a)/", column="x")


def test_a_scan_goes_through_captured_and_written_rows_in_order(table: RowTable) -> None:
    table.put("http://b.org/", {"scores": {"rank": 1}})
    table.put("http://b.org/new", {"meta": {"note": "never captured"}})
    table.put("http://www.b.org/", {"scores": {"rank": 2}})
    keys = ["org,a)/", "org,b)/", "org,b)/new", "org,b,www)/", "org,c)/", "org,d)/p?q=1"]
    assert [row.key for row in table.scan()] == keys
    assert [row.key for row in table.scan("org,b)")] == keys[1:3]
    assert [row.key for row in table.scan("org,b")] == keys[1:4]
    assert [row.key for row in table.scan(start="org,b)/new", stop="org,c)/")] == keys[2:4]
    scores = {row.key: row["scores"]["rank"] for row in table.scan(families=["scores"])}
    assert scores == {"org,b)/": 1, "org,b,www)/": 2}
    assert [dict(row["scores"]) for row in table.scan("org,b)/", families=["scores"], at="2026-05")] == [{}]


def test_a_scan_of_one_family_touches_only_that_one(table: RowTable, monkeypatch: pytest.MonkeyPatch) -> None:
    table.put("org,a)/", {"scores": {"rank": 1}, "meta": {"note": "x"}})
    touched: list[str] = []
    items = table.stored._items

    def watch(family: str, start: bytes, stop: bytes) -> Iterator[tuple[bytes, bytes]]:
        touched.append(family)
        return items(family, start, stop)

    monkeypatch.setattr(table.stored, "_items", watch)
    monkeypatch.setattr(table.views, "_snapshots", lambda *_: pytest.fail("captures were read"))
    assert [dict(row["scores"]) for row in table.scan(families=["scores"])] == [{"rank": 1}]
    assert table["org,a)/"]["meta"]["note"] == "x"
    assert touched == ["scores", "meta"]


def test_nothing_is_opened_before_it_is_needed(uk: ws.Collection) -> None:
    before = sorted(path.name for path in uk.path.iterdir())
    assert list(uk.table["http://a.org/"]["scores"]) == []
    assert sorted(path.name for path in uk.path.iterdir()) == before


@pytest.mark.parametrize("row", ["", "foo", "org,A)/", "org,a)", "ftp://a.org/", "org,a)/#f", "org,a)/\0"])
def test_what_is_no_row_is_refused(row: str) -> None:
    with pytest.raises(UsageError, match="neither a URL nor a row key"):
        find_row_key(row)


def test_what_cannot_be_written_is_refused(table: RowTable, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'content' is what was captured, and cannot be written"):
        table.put("org,a)/", {"content": {"body": b""}})
    with pytest.raises(UsageError, match="'score' is not known; choose one of content, http"):
        table["org,a)/"]["score"]
    with pytest.raises(UsageError, match="there is no snapshot yet whose time a cell could have"):
        ws.create(tmp_path / "empty").table.put("org,a)/", {"meta": {"a": "b"}})


def test_anchors_that_were_seen_and_written_are_one_family(table: RowTable) -> None:
    row = table["http://b.org/"]
    assert dict(row["anchor"]) == {"http://a.org/": "B"}
    table.put("http://b.org/", {"anchor": {"http://z.org/": "later"}}, at="2026-06")
    table.put("http://b.org/", {"anchor": {"http://a.org/": "instead"}}, at="2026-05")
    row = table["http://b.org/"]
    assert dict(row["anchor"]) == {"http://a.org/": "instead", "http://z.org/": "later"}
    found = row.find("anchor", "http://z.org/")
    assert found is not None
    assert found.value == "later"
    table.delete("http://b.org/", "anchor")
    assert dict(table["http://b.org/"]["anchor"]) == {"http://a.org/": "B"}
    assert [r.key for r in table.scan(families=["anchor"])] == ["org,b)/"]
    assert [r.key for r in table.scan("org,c", families=["anchor"])] == []
