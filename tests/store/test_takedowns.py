"""Takedowns in every reader."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from webstrata import testing
from webstrata.errors import FormatError, MissingError, UsageError
from webstrata.store.export import export
from webstrata.store.inventory import list_records
from webstrata.store.takedowns import HIDDEN, find_takedowns, parse_rule

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

STORM = "http://news.example/storm"


@pytest.mark.parametrize(
    ("what", "hidden", "shown"),
    [
        ("http://a.example/x", "https://www.a.example/x", "http://a.example/x/y"),
        ("http://a.example/x/", "http://a.example/x/y", "http://a.example/xy"),
        ("http://a.example/x*", "http://a.example/xy", "http://a.example/y"),
        ("a.example", "https://a.example/any", "http://b.a.example/"),
        ("http://a.example/", "http://a.example/any", "http://a.example.org/"),
    ],
)
def test_a_rule_hides_what_it_names_and_nothing_else(what: str, hidden: str, shown: str) -> None:
    uk = testing.empty()
    uk.takedown(what, reason="a test")
    assert find_takedowns(uk).hides(hidden)
    assert not find_takedowns(uk).hides(shown)
    uk.takedown(what, lift=True)
    assert not find_takedowns(uk).hides(hidden)
    assert [each.lifted != "" for each in uk.takedowns] == [True]


def test_a_takedown_is_applied_by_every_reader_until_it_is_lifted(tmp_path: Path) -> None:
    uk = testing.collection()
    june = uk["2026-06"]
    union_node = uk.temporal.node(STORM)

    def read() -> set[str]:
        """The readers that show the page."""
        found = set()
        readers: dict[str, Callable[[], object]] = {
            "capture": lambda: uk.capture(STORM),
            "snapshot": lambda: june.capture(STORM),
            "history": lambda: uk.temporal.node(STORM),
            "links": lambda: june.connectivity.node(STORM),
            "table": lambda: uk.table[STORM],
        }
        for name, reader in readers.items():
            try:
                reader()
                found.add(name)
            except MissingError:
                pass
        listed = {
            "scan": [entry.url for entry in june.captures.scan("news.example", "host")],
            "search": [hit.url for hit in uk.search("storm", at="2026-06")],
            "changes": [change.url for change in uk.changes("storm", "2026-05", "2026-06")],
            "urls": list(june.urls),
            "node": [STORM] if june.urls.get(STORM) is not None else [],
            "union": [uk.temporal.urls[union_node]],
            "records": [record.url for record in list_records(june)],
            "connectivity": june.connectivity.urls_of(range(15)).to_pylist(),
            "rows": [row.url for row in uk.table.scan()],
        }
        return found | {name for name, urls in listed.items() if STORM in urls}

    everything = read()
    assert len(everything) == 14
    uk.takedown(STORM, reason="request of the owner")
    assert read() == set()
    assert list(june.urls).count(HIDDEN) == 1
    with pytest.raises(MissingError, match=r"was taken down on \d{4}-\d\d-\d\d \(request of the owner\)"):
        uk.capture(STORM)
    export(june, "warc", tmp_path / "hidden.warc.gz")
    assert b"ran over the harbour wall" not in gzip.decompress((tmp_path / "hidden.warc.gz").read_bytes())
    uk.takedown(STORM, lift=True)
    assert read() == everything
    export(june, "warc", tmp_path / "shown.warc.gz")
    assert b"ran over the harbour wall" in gzip.decompress((tmp_path / "shown.warc.gz").read_bytes())


def test_a_takedown_needs_a_reason_and_a_url() -> None:
    uk = testing.empty()
    with pytest.raises(UsageError, match="needs a reason"):
        uk.takedown("a.example")
    with pytest.raises(UsageError, match="expected a URL, a host or a prefix"):
        parse_rule("http://")
    with pytest.raises(MissingError, match="is not taken down"):
        uk.takedown("a.example", lift=True)
    uk.takedown("a.example", reason="a test")
    with pytest.raises(UsageError, match="is taken down already"):
        uk.takedown("a.example", reason="again")


def test_a_damaged_log_shows_nothing() -> None:
    uk = testing.collection()
    uk.takedown("news.example", reason="a test")
    (uk.path / "takedowns.jsonl").write_text('{"event": "blo')
    with pytest.raises(FormatError, match=r"takedowns.jsonl, line 1: not a takedown"):
        uk.capture("http://reef.example/")
