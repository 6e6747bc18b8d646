"""Cells on disk: their keys, their order, and what is left of them when a writer is killed."""

from __future__ import annotations

import datetime as dt
import os
import signal
import subprocess
import sys
import tempfile
import threading
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.errors import FormatError, LockedError, NewerFormatError, UsageError
from webstrata.store.table.cells import (
    FAMILIES,
    MAX_TIME,
    Cell,
    CellChange,
    Cells,
    after_prefix,
    column_prefix,
    decode_key,
    decode_value,
    encode_key,
    encode_value,
    parse_period,
)

if TYPE_CHECKING:
    from pathlib import Path

texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=6)
places = st.tuples(texts, texts, st.integers(0, MAX_TIME))
values = st.one_of(
    st.binary(),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
)


@given(places)
def test_a_key_says_row_column_and_time(place: tuple[str, str, int]) -> None:
    assert decode_key(encode_key(*place)) == place


@given(st.lists(places, max_size=30))
def test_keys_are_ordered_by_row_then_column_then_the_newest(found: list[tuple[str, str, int]]) -> None:
    by_bytes = sorted(encode_key(*place) for place in found)
    expected = sorted(found, key=lambda place: (place[0].encode(), place[1].encode(), -place[2]))
    assert [decode_key(key) for key in by_bytes] == expected


@given(values)
def test_a_value_comes_back_with_its_type(value: bytes | str | float) -> None:
    found = decode_value(encode_value(value))
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("data", [b"", b"q", b"i123", b"f123456789"])
def test_bytes_that_are_no_value_are_told(data: bytes) -> None:
    with pytest.raises(FormatError, match="no value of a cell; the table is damaged"):
        decode_value(data)


@pytest.mark.parametrize("key", [b"", b"abc", b"a\0b" + bytes(7), b"row\0colx" + b"1" * 8])
def test_bytes_that_are_no_key_are_told(key: bytes) -> None:
    with pytest.raises(FormatError, match="no key of a cell"):
        decode_key(key)


def test_what_a_cell_cannot_hold_is_refused() -> None:
    with pytest.raises(UsageError, match="a cell cannot hold this"):
        encode_value(1 << 63)
    with pytest.raises(TypeError, match="expected bytes, str, int or float"):
        encode_value(True)
    with pytest.raises(UsageError, match="has a character 0"):
        encode_key("org,a)/", "a\0b", 0)


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("2026", "2026-01-01", "2027-01-01"),
        ("2026-12", "2026-12-01", "2027-01-01"),
        ("2026-06-30", "2026-06-30", "2026-07-01"),
        ("2026-06-12T1830", "2026-06-12T18:30", "2026-06-12T18:31"),
        ("20260612183059", "2026-06-12T18:30:59", "2026-06-12T18:31:00"),
    ],
)
def test_a_date_is_a_period(text: str, first: str, after: str) -> None:
    begin, end = (dt.datetime.fromisoformat(moment).replace(tzinfo=dt.UTC) for moment in (first, after))
    assert parse_period(text) == (parse_period(begin)[0], parse_period(end)[0] - 1)
    assert Cell("", parse_period(text)[0], 0).datetime == begin


@pytest.mark.parametrize("text", ["", "June", "2026-13", "9999", "1969", "20260", "２０２６"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a date"):
        parse_period(text)


rows, columns = st.sampled_from("ab"), st.sampled_from("xy")
operations = st.lists(
    st.one_of(
        st.tuples(st.just("put"), rows, columns, st.integers(0, 3), st.integers(0, 9)),
        st.tuples(st.just("delete"), rows, columns),
        st.tuples(st.just("reopen")),
    ),
    max_size=12,
)


@given(operations)
def test_any_sequence_of_writes_reads_as_a_dictionary_would(
    tmp_path_factory: pytest.TempPathFactory, sequence: list[tuple[object, ...]]
) -> None:
    cells = Cells(tmp_path_factory.mktemp("cells") / "table")
    model: dict[tuple[str, str, int], int] = {}
    for kind, *rest in sequence:
        if kind == "put":
            row, column, time, value = rest
            assert isinstance(row, str)
            assert isinstance(column, str)
            assert isinstance(time, int)
            assert isinstance(value, int)
            cells.write([CellChange("meta", encode_key(row, column, time), encode_value(value))])
            model[row, column, time] = value
        elif kind == "delete":
            row, column = rest
            prefix = column_prefix(str(row), str(column))
            cells.write([CellChange("meta", prefix, end=after_prefix(prefix))])
            model = {place: value for place, value in model.items() if place[:2] != (row, column)}
        else:
            cells.close()
    found = {(row, c.column, c.time): c.value for row, group in cells.scan("meta") for c in group}
    assert found == model
    for row in "ab":
        for column in "xy":
            for until in range(4):
                times = [t for r, c, t in model if (r, c) == (row, column) and t <= until]
                newest = cells.read_cell("meta", row, column, until)
                assert (newest.time if newest else None) == (max(times) if times else None)
    assert not list(cells.scan("scores"))
    cells.close()


def test_reading_what_was_never_written_makes_no_folder(tmp_path: Path) -> None:
    cells = Cells(tmp_path / "table")
    assert list(cells.scan("meta")) == []
    assert cells.read_cell("scores", "a", "b") is None
    assert not (tmp_path / "table").exists()


def test_a_reader_sees_what_a_writer_has_written_so_far(tmp_path: Path) -> None:
    writer, reader = Cells(tmp_path / "table"), Cells(tmp_path / "table")
    writer.write([CellChange("meta", encode_key("a", "b", 1), b"sx")])
    assert [row for row, _ in reader.scan("meta")] == ["a"]
    writer.write([CellChange("meta", encode_key("b", "b", 1), b"sx")])
    assert [row for row, _ in reader.scan("meta")] == ["a"]  # it keeps what it saw
    reader.close()
    assert [row for row, _ in reader.scan("meta")] == ["a", "b"]
    assert reader.read_cell("meta", "b", "b") == Cell("b", 1, "x")
    reader.close()
    writer.close()


def test_a_second_writer_waits_for_the_first_and_is_told_who_it_is(tmp_path: Path) -> None:
    writer, other = Cells(tmp_path / "table"), Cells(tmp_path / "table", patience=0.05)
    change = CellChange("meta", encode_key("a", "b", 1), b"sx")
    writer.write([change])
    with pytest.raises(LockedError, match=rf"process {os.getpid()} .* has been writing here since"):
        other.write([change])
    patient = Cells(tmp_path / "table")
    timer = threading.Timer(0.2, writer.close)
    timer.start()
    patient.write([change])  # no error: the first writer closes while this one waits
    timer.join()
    patient.close()


BUSY_WRITER = """
import sys
from pathlib import Path
from webstrata.store.table.cells import CellChange, Cells, encode_key
cells = Cells(Path(sys.argv[1]) / "table")
for number in range(120):
    keys = [encode_key(f"row{n:05}", "x", number) for n in range(60)]
    changes = [CellChange("scores", key, b"s" + b"y" * 400) for key in keys]
    cells.write(changes)
    if number % 10 == 9:  # files are replaced while others read them
        cells._database.flush(True)
        cells._families["scores"].compact_range(None, None)
    if number == 0:
        print("begun", flush=True)
cells.close()
"""


def test_readers_in_other_processes_see_whole_batches_while_files_are_replaced(tmp_path: Path) -> None:
    words = [sys.executable, "-c", BUSY_WRITER, str(tmp_path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "begun\n"
        seen = []
        while writer.poll() is None:
            reader = Cells(tmp_path / "table")
            rows = {row: len(cells) for row, cells in reader.scan("scores")}
            reader.close()
            assert len(rows) == 60
            assert len(set(rows.values())) == 1  # a batch is seen whole or not at all
            seen.append(rows["row00000"])
        assert writer.returncode == 0
    assert seen
    assert seen == sorted(seen)  # how many states are seen depends on how busy the machine is
    reader = Cells(tmp_path / "table")
    assert {len(cells) for _, cells in reader.scan("scores")} == {120}
    reader.close()


def test_a_reader_beside_a_writer_leaves_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    writer, reader = Cells(tmp_path / "table"), Cells(tmp_path / "table")
    writer.write([CellChange("meta", encode_key("a", "b", 1), b"sx")])
    assert len(list(reader.scan("meta"))) == 1
    assert len(list((tmp_path / "scratch").iterdir())) == 1
    reader.close()
    assert list((tmp_path / "scratch").iterdir()) == []
    writer.close()


def test_a_reader_keeps_what_it_saw_when_a_writer_comes(tmp_path: Path) -> None:
    writer, reader = Cells(tmp_path / "table"), Cells(tmp_path / "table")
    writer.write([CellChange("meta", encode_key("a", "b", 1), b"sx")])
    writer.close()
    assert len(list(reader.scan("meta"))) == 1
    writer.write([CellChange("meta", encode_key("b", "b", 1), b"sx")])
    assert len(list(reader.scan("meta"))) == 1
    writer.close()
    reader.close()
    assert len(list(reader.scan("meta"))) == 2


def test_a_writer_that_is_forgotten_lets_its_lock_go(tmp_path: Path) -> None:
    writer = Cells(tmp_path / "table")
    writer.write([CellChange("meta", encode_key("a", "b", 1), b"sx")])
    del writer
    assert [row for row, _ in Cells(tmp_path / "table").scan("meta")] == ["a"]


def test_a_table_of_a_newer_webstrata_is_refused(tmp_path: Path) -> None:
    cells = Cells(tmp_path / "table")
    cells.write([])
    assert cells._database is not None
    cells._database.put(b"format", b"2")
    cells.close()
    with pytest.raises(NewerFormatError, match="has format 2, and this webstrata knows 1; upgrade"):
        list(cells.scan("meta"))
    with pytest.raises(NewerFormatError):
        cells.write([])
    with pytest.raises(NewerFormatError):  # and not locked by the refusal
        cells.write([])


def test_a_damaged_table_is_told_in_a_sentence(tmp_path: Path) -> None:
    cells = Cells(tmp_path / "table")
    cells.write([CellChange("meta", encode_key("a", "b", 1), b"sx")])
    cells.close()
    (manifest,) = (tmp_path / "table").glob("MANIFEST-*")
    manifest.write_bytes(b"\xff" * 100)
    with pytest.raises(FormatError, match="table: the table is damaged; restore the folder from a copy"):
        list(cells.scan("meta"))


FULL = """
import resource, signal, sys
from pathlib import Path
from webstrata.errors import DiskFullError
from webstrata.store.table.cells import Cells, CellChange, encode_key, encode_value

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
cells = Cells(Path(sys.argv[1]))
cells.write([])
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 18, 1 << 18))
number = 0
try:
    while number < 10_000:
        cells.write([CellChange("meta", encode_key(f"row{number:06}", "x", 1), encode_value(bytes(1000)))])
        number += 1
except DiskFullError as error:
    print(number, error)
"""


def test_a_full_disk_is_said_and_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    folder = tmp_path / "table"
    words = [sys.executable, "-c", FULL, str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    number, _, sentence = done.stdout.partition(" ")
    assert sentence.startswith(f"{folder}: no space left to write; free some space on this disk")
    assert int(number) > 100
    assert [row for row, _ in Cells(folder).scan("meta")] == [f"row{n:06}" for n in range(int(number))]


WRITER = """
import sys
from pathlib import Path
from webstrata.store.table.cells import FAMILIES, Cells, CellChange, encode_key, encode_value

cells, first = Cells(Path(sys.argv[1])), int(sys.argv[2])
for number in range(first, first + 100_000):
    key = encode_key(f"row{number:06}", "number", 7)
    cells.write([CellChange(family, key, encode_value(number)) for family in FAMILIES])
    print(number, flush=True)
"""


@pytest.mark.parametrize("acknowledged", [1, 50, 333])
def test_every_acknowledged_write_survives_kill_9(tmp_path: Path, acknowledged: int) -> None:
    folder, count = tmp_path / "table", 0
    for _ in range(2):  # the second writer begins with what the first one left
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(folder), str(count)], stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout is not None
        last = -1
        for _ in range(acknowledged):
            last = int(writer.stdout.readline())
        writer.send_signal(signal.SIGKILL)
        rest = [int(line) for line in writer.stdout.read().splitlines() if line]
        writer.stdout.close()
        assert writer.wait() == -signal.SIGKILL
        last = max([last, *rest])
        found = {
            family: {row: [cell.value for cell in cells] for row, cells in Cells(folder).scan(family)}
            for family in FAMILIES
        }
        assert all(found["meta"][f"row{number:06}"] == [number] for number in range(last + 1))
        # an update of a row is there in all families or in none
        assert found["meta"] == found["anchor"] == found["scores"]
        assert len(found["meta"]) - (last + 1) in (0, 1)
        count = len(found["meta"])
