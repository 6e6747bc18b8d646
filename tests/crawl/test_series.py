"""A series is bounded, keeps its ends, and survives what happens to files."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.crawl.control.core import Clock
from webstrata.crawl.series import MAX_ROWS, Series, rates, read_series
from webstrata.errors import FormatError, NewerFormatError

if TYPE_CHECKING:
    from pathlib import Path


def make(path: Path, clock: Clock, max_rows: int = MAX_ROWS) -> Series:
    return Series(path, max_rows=max_rows, clock=clock, wall_clock=lambda: 1_781_000_000 + clock.now)


def test_a_sample_a_second_is_kept_however_often_one_asks(tmp_path: Path) -> None:
    clock = Clock()
    series = make(tmp_path / "series.jsonl", clock)
    for step in range(101):
        clock.now = 100 + step / 10
        series.sample({"pages": step, "no_such_counter": 1})
    rows = read_series(tmp_path / "series.jsonl")
    assert [row["seconds"] for row in rows] == [float(second) for second in range(11)]
    assert [row["pages"] for row in rows] == list(range(0, 101, 10))
    assert rows[0].keys() == {"time", "seconds", "state", "pages"}
    assert rows == series.rows


def test_a_long_crawl_has_no_more_rows_than_a_short_one(tmp_path: Path) -> None:
    clock = Clock()
    series = make(tmp_path / "series.jsonl", clock)
    for second in range(40_000):
        clock.now = 100.0 + second
        series.sample({"pages": second})
    series.sample({"pages": 40_000}, force=True)
    rows = read_series(tmp_path / "series.jsonl")
    assert MAX_ROWS / 2 <= len(rows) <= MAX_ROWS
    assert (rows[0]["pages"], rows[-1]["pages"]) == (0, 40_000)
    gaps = [after["seconds"] - before["seconds"] for before, after in itertools.pairwise(rows)]
    assert max(gaps) <= 2 * series.interval
    assert (tmp_path / "series.jsonl").stat().st_size < MAX_ROWS * 200


@given(max_rows=st.integers(3, 12), steps=st.lists(st.floats(0.05, 5), max_size=60))
def test_file_and_memory_agree_and_the_ends_stay(
    tmp_path_factory: pytest.TempPathFactory, max_rows: int, steps: list[float]
) -> None:
    path = tmp_path_factory.mktemp("series") / "series.jsonl"
    clock = Clock()
    series = make(path, clock, max_rows)
    kept = []
    for number, step in enumerate(steps):
        clock.now += step
        if series.sample({"pages": number}):
            kept.append(number)
    pages = [row["pages"] for row in read_series(path)]
    assert pages == [row["pages"] for row in series.rows]
    assert len(pages) <= max_rows
    assert pages == sorted(set(pages))
    assert set(pages) <= set(kept)
    if kept:
        assert (pages[0], pages[-1]) == (kept[0], kept[-1])


def test_a_crawl_that_goes_on_goes_on_with_its_series(tmp_path: Path) -> None:
    path = tmp_path / "series.jsonl"
    clock = Clock()
    series = make(path, clock)
    for second in range(5):
        clock.now = 100.0 + second
        series.sample({"pages": second})
    with path.open("ab") as stream:
        stream.write(b'{"time": 17')  # a line that a dead process did not end
    clock.now = 9_000.0  # hours later, and another clock
    again = make(path, clock)
    clock.now = 9_001.0
    again.sample({"pages": 9})
    assert [row["seconds"] for row in read_series(path)] == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


def test_the_interval_that_was_come_to_is_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "series.jsonl"
    clock = Clock()
    series = make(path, clock, 10)
    for second in range(100):
        clock.now = 100.0 + second
        series.sample({"pages": second})
    assert make(path, clock, 10).interval in (series.interval, series.interval / 2)


def test_a_damaged_series_is_named_by_readers_and_begun_again_by_a_crawl(tmp_path: Path) -> None:
    path = tmp_path / "series.jsonl"
    path.write_text('{"series": 1}\nnonsense\n')
    with pytest.raises(FormatError, match=r"series.jsonl, line 2: this is no JSON object"):
        read_series(path)
    path.write_text('{"pages": 1}\n')
    with pytest.raises(FormatError, match="line 1: this is no series"):
        read_series(path)
    path.write_text('{"series": 1}\n{"pages": 1}\n')
    with pytest.raises(FormatError, match="line 2: it has no `seconds`"):
        read_series(path)
    path.write_text('{"series": 2}\n')
    with pytest.raises(NewerFormatError, match="upgrade"):
        read_series(path)
    assert make(path, Clock()).rows == []
    assert read_series(path) == []


def test_a_series_that_a_power_cut_damaged_keeps_the_lines_before_the_damage(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "series.jsonl"
    good = '{"series": 1}\n{"seconds": 0.0, "pages": 1}\n{"seconds": 1.0, "pages": 5}\n'
    path.write_bytes(good.encode() + bytes(40) + b'\n{"seconds": 3.0, "pages": 9}\n')
    series = make(path, Clock())
    assert [row["pages"] for row in series.rows] == [1, 5]
    assert (
        "line 4: this is no JSON object; the series of the crawl continues after 2 good lines" in caplog.text
    )
    assert read_series(path) == series.rows  # the file is sound again


def test_a_disk_that_refuses_costs_the_series_and_not_the_crawl(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    folder.mkdir()
    clock = Clock()
    series = make(folder / "series.jsonl", clock, 4)
    series.sample({"pages": 0})
    moved = folder.rename(tmp_path / "away")
    for second in range(1, 4):
        clock.now = 100.0 + second
        assert series.sample({"pages": second})
    moved.rename(folder)
    clock.now = 104.0
    series.sample({"pages": 4})  # the fifth of four: it is written as a whole, and the gap is closed
    assert [row["pages"] for row in read_series(folder / "series.jsonl")] == [0, 2, 4]


def test_rates_are_never_negative_and_need_two_rows() -> None:
    assert rates([], "pages") == []
    assert rates([{"seconds": 1, "pages": 1}], "pages") == []
    rows = [
        {"seconds": 1},
        {"seconds": 2, "pages": 5},
        {"seconds": 2, "pages": 6},
        {"seconds": 4, "pages": 2},
    ]
    assert rates(rows, "pages") == [5.0, 0.0, 0.0]


def test_the_first_line_tells_the_version_and_the_columns(tmp_path: Path) -> None:
    make(tmp_path / "series.jsonl", Clock())
    header = json.loads((tmp_path / "series.jsonl").read_text().splitlines()[0])
    assert header["series"] == 1
    assert "pages" in header["columns"]
