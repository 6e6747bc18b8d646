"""Codes: the numbers that summaries are, what they take, and which code is best."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings

from tests.summaries import reference
from tests.summaries.written import drawn_rows
from webstrata.summaries import SummariesSettings, make_rows, write_archive
from webstrata.summaries.code_names import from_core, is_code, to_core
from webstrata.summaries.codes import Histogram, best_codes, measure_costs, value_streams

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.summaries.rows import SummaryRows


@settings(max_examples=40)
@given(rows=drawn_rows(max_pages=10))
def test_the_numbers_of_a_kind_are_those_that_the_coding_writes(rows: SummaryRows) -> None:
    streams = value_streams(rows)
    bits = ""
    for row in range(rows.num_rows):
        page = rows.cut(row, row + 1)
        bits += reference.encode(
            int(page.lengths[0]), list(zip(page.terms.tolist(), page.counts.tolist(), strict=True))
        )
    codes = {"length": reference.delta, "difference": reference.gamma}
    total = sum(len(code(number)) for kind, code in codes.items() for number in streams[kind].tolist())
    total += sum(len(reference.zeta(size, 3)) for size in streams["size"].tolist())
    total += sum(len(reference.zeta(gap, 2)) for gap in streams["gap"].tolist())
    assert total == len(bits)


def test_the_best_codes_take_fewer_bytes_than_any_other_choice_of_one(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    rows = make_rows(
        [
            (
                int(random.integers(50, 900)),
                dict(zip(random.zipf(1.4, 40) % 900, random.zipf(1.9, 40) % 99 + 1, strict=True)),
            )
            for _ in range(300)
        ]
    )
    archive = write_archive(tmp_path / "sum", rows, settings=SummariesSettings(coding="codes"))
    costs = measure_costs(archive.scan_ranks())
    chosen = best_codes(costs)

    def size(**more: object) -> int:
        settings = SummariesSettings(coding="codes", **{**chosen, **more})  # type: ignore[arg-type]
        return write_archive(tmp_path / "best", rows, settings=settings).sizes()["summaries.stream"]

    best = size()
    assert best < archive.sizes()["summaries.stream"]
    for name, code in (
        ("length_code", "gamma"),
        ("size_code", "unary"),
        ("gap_code", "gamma"),
        ("count_code", "rice3"),
    ):
        assert best <= size(**{name: code})
    assert all(cost.bits[cost.best] >= cost.entropy - 1e-6 for cost in costs.values())


def test_names_of_codes_are_told_from_others() -> None:
    for name in ("unary", "zeta10", "pi2", "golomb1", "rice0", "exp-golomb0", "vbyte", "omega"):
        assert is_code(name)
        assert from_core(to_core(name)) == name
    for name in ("", "zeta", "zeta0", "zeta11", "pi1", "gamma3", "huffman", "Zeta(3)"):
        assert not is_code(name)
    with pytest.raises(ValueError, match="expected that of a code, got 'zeta'"):
        to_core("zeta")


def test_a_histogram_counts_small_and_large_numbers() -> None:
    histogram = Histogram()
    for numbers in ([3, 2**40, 3], [2**40, 65_536, 65_535]):
        histogram.add(np.array(numbers, np.uint64))
    values, counts = histogram.counted()
    assert values.tolist() == [3, 65_535, 65_536, 2**40]
    assert counts.tolist() == [2, 1, 1, 2]
