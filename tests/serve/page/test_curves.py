"""Curves of a crawl: rates are growth per second, sizes are as they stood, and lines begin at zero."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from webstrata.serve.page.curves import HEIGHT, POINTS, WIDTH, draw_curves, read_curves

if TYPE_CHECKING:
    from pathlib import Path


def write_series(path: Path, seconds: int) -> None:
    lines = [{"series": 1, "columns": ["pages", "front"]}]
    lines += [
        {
            "seconds": second,
            "pages": 10 * second,
            "front": second % 7,
            "failed_dns": second,
            "failed_tls": second,
        }
        for second in range(seconds)
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))


def test_the_last_hour_is_shown_with_a_bounded_number_of_points(tmp_path: Path) -> None:
    write_series(tmp_path / "series.jsonl", 9000)
    curves = {one["name"]: one for one in read_curves(tmp_path / "series.jsonl")}
    assert curves["pages/s"]["last"] == pytest.approx(10)
    assert curves["failed requests/s"]["last"] == pytest.approx(2)
    assert curves["pages/s"]["seconds"] == pytest.approx(3600, abs=1)
    assert all(len(one["points"].split()) <= POINTS + 2 for one in curves.values())
    whole = {one["name"]: one for one in read_curves(tmp_path / "series.jsonl", None)}
    assert whole["pages/s"]["seconds"] == 8999


def test_lines_stay_inside_their_picture() -> None:
    rows = [{"seconds": second, "pages": second**2, "waiting": 100 - second} for second in range(100)]
    for curve in draw_curves(rows):
        for point in curve["points"].split():
            x, y = map(float, point.split(","))
            assert 0 <= x <= WIDTH
            assert 0 <= y <= HEIGHT


def test_a_series_that_is_missing_short_or_broken_draws_nothing(tmp_path: Path) -> None:
    path = tmp_path / "series.jsonl"
    assert read_curves(path) == []
    path.write_text('{"series": 1}\n{"seconds": 1.0, "pages": 7}\n')
    assert read_curves(path) == []
    path.write_text("nothing\n")
    assert read_curves(path) == []


def test_a_counter_that_falls_has_no_negative_rate() -> None:
    rows = [{"seconds": 0, "pages": 5}, {"seconds": 1, "pages": 3}, {"seconds": 2, "pages": 9}]
    assert draw_curves(rows)[0]["points"].split()[0].endswith(f",{HEIGHT}")
