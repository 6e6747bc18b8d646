"""What is told of an archive."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from webstrata.summaries import make_rows, write_archive
from webstrata.summaries.statistics import describe_archive, thin_out

if TYPE_CHECKING:
    from pathlib import Path


def test_statistics_are_those_of_the_files_and_the_numbers(tmp_path: Path) -> None:
    archive = write_archive(tmp_path, make_rows([(9, {0: 3, 4: 1, 6: 2}), (5, {4: 5}), (0, {})]), missing=[2])
    found = describe_archive(archive, with_codes=True)
    assert (found.num_nodes, found.num_summaries, found.num_postings, found.num_words) == (3, 2, 4, 14)
    assert found.bytes == {name: (tmp_path / name).stat().st_size for name in found.bytes}
    assert {path.name for path in tmp_path.iterdir()} == set(found.bytes)
    assert found.term_ranks[0] == (1.0, 2.0)
    assert found.gaps == [(1.0, 4.0)]
    document = found.to_dict()
    assert document["bytes_per_summary"] == pytest.approx(found.summary_bytes, abs=0.01)
    assert document["best_codes"]["gap_code"] == found.costs["gap"].best  # type: ignore[index]
    assert "costs" not in describe_archive(archive).to_dict()


def test_a_curve_keeps_what_lies_under_it() -> None:
    places = np.arange(1, 5001)
    values = 10_000 // places
    points = thin_out(places, values)
    assert len(points) < 170
    assert points[:3] == [(1.0, 10_000.0), (2.0, 5000.0), (3.0, 3333.0)]
    assert thin_out(places[:0], values[:0]) == []
