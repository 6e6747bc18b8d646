"""Labels of hosts in the row table."""

from __future__ import annotations

import datetime as dt

import pytest

from webstrata import testing
from webstrata.classify.learning.labels import load_labels
from webstrata.errors import MissingError, UsageError
from webstrata.store.table import (
    RowTable,
    export_host_labels,
    find_host_label,
    read_host_labels,
    write_host_label,
)


def test_the_newest_label_counts_and_earlier_ones_stay_readable() -> None:
    uk = testing.empty()
    for day, label in ((1, "undecided"), (3, "spam"), (2, "nonspam")):
        write_host_label(uk, "Shop.Example", label, at=dt.datetime(2026, 6, day, tzinfo=dt.UTC))
    found = find_host_label(uk, "shop.example")
    assert found is not None
    assert (found.host, found.label, found.given.day) == ("shop.example", "spam", 3)
    with RowTable(uk) as table:
        cells = table["http://shop.example/"].cells("meta", "host-label")
    assert [cell.value for cell in cells] == ["spam", "nonspam", "undecided"]


def test_hosts_with_ports_and_notes_come_back() -> None:
    uk = testing.empty()
    write_host_label(uk, "a.example:8080", "news|personal", note="two kinds,\nas it says")
    (found,) = read_host_labels(uk)
    assert (found.host, found.label, found.note) == (
        "a.example:8080",
        "news|personal",
        "two kinds,\nas it says",
    )
    assert export_host_labels(uk) == "host,label\na.example:8080,news|personal\n"


def test_labels_can_be_written_and_read_while_another_process_reads() -> None:
    uk = testing.empty()
    write_host_label(uk, "a.example", "spam")
    with RowTable(uk) as reader:
        assert reader["http://a.example/"].find("meta", "host-label") is not None
        write_host_label(uk, "b.example", "nonspam")
    assert [found.host for found in read_host_labels(uk)] == ["a.example", "b.example"]


def test_labels_can_be_read_while_the_table_is_open_to_write() -> None:
    uk = testing.empty()
    with RowTable(uk) as writer:
        writer.put("http://news.example/", {"scores": {"pagerank": 0.5}}, at="2026-06")
        assert writer.stored.can_write
        assert read_host_labels(uk) == []
        assert find_host_label(uk, "news.example") is None


@pytest.mark.parametrize("host", ["", "a b", "http://a.example/", "a.example/x", "x" * 300, "user@a.example"])
def test_what_is_not_a_host_is_refused(host: str) -> None:
    with pytest.raises(UsageError, match="is not a host"):
        write_host_label(testing.empty(), host, "spam")


@pytest.mark.parametrize("label", ["", "a,b", "a\nb", "x" * 70, '"spam"', "|"])
def test_what_is_not_a_label_is_refused(label: str) -> None:
    with pytest.raises(UsageError, match="is not a label"):
        write_host_label(testing.empty(), "a.example", label)


def test_classify_reads_labels_of_the_table() -> None:
    june = testing.snapshot()
    with pytest.raises(MissingError, match="no host has a label in the row table"):
        load_labels("table", june)
    for host, label in (("shop.example", "spam"), ("news.example", "nonspam"), ("reef.example", "undecided")):
        write_host_label(june.collection, host, label)
    assert load_labels("table", june).find("spam") == {"shop.example": True, "news.example": False}
