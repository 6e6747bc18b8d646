"""Merged lines against a plain model: a sorted list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from webstrata.archive.cdxj import Index, build_cdxj
from webstrata.serve.replay.lines import BlockTable, MergedLines, Range

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

KEYS = st.sampled_from([f"uk,{host}){path}" for host in "abc" for path in ("/", "/x", "/x?y=1", "/z")])
LINES = st.lists(st.builds("{} 2026{:010} {{}}".format, KEYS, st.integers(0, 9)), min_size=1, max_size=40)
BOUNDS = st.sampled_from([b"", b"uk,a)", b"uk,a)/x ", b"uk,b)", b"uk,b)/x", b"uk,c)/z ", b"uk,d)"])


def make_tables(folder: Path, parts: list[list[str]]) -> list[BlockTable]:
    tables = []
    for number, part in enumerate(parts):
        made = folder / str(number)
        made.mkdir(exist_ok=True)
        (made / "lines").write_text("".join(f"{line}\n" for line in part))
        build_cdxj(made / "lines", made, block_lines=3)
        tables.append(BlockTable(Index(made)))
    return tables


@settings(deadline=None, max_examples=60)
@given(parts=st.lists(LINES, min_size=1, max_size=4), low=BOUNDS, high=BOUNDS)
def test_ranges_of_merged_indexes_are_those_of_a_sorted_list(
    tmp_path_factory: pytest.TempPathFactory, parts: list[list[str]], low: bytes, high: bytes
) -> None:
    lines = MergedLines(make_tables(tmp_path_factory.mktemp("lines"), parts))
    model = sorted((line.encode(), place) for place, part in enumerate(parts) for line in part)
    wanted = [pair for pair in model if low <= pair[0] < high]
    assert [tuple(row) for row in lines.forward(Range(low, high))] == wanted
    assert [row.line for row in lines.backward(Range(low, high))] == [line for line, _ in wanted[::-1]]


@settings(deadline=None, max_examples=60)
@given(parts=st.lists(LINES, min_size=1, max_size=4), low=BOUNDS, high=BOUNDS, size=st.integers(1, 5))
def test_the_pages_of_a_range_have_every_line_once(
    tmp_path_factory: pytest.TempPathFactory, parts: list[list[str]], low: bytes, high: bytes, size: int
) -> None:
    lines = MergedLines(make_tables(tmp_path_factory.mktemp("pages"), parts))
    whole = Range(low, max(low, high))
    blocks = lines.count_blocks(whole)
    found = [
        row
        for start in range(0, blocks, size)
        for row in lines.forward(lines.cut(whole, start, start + size))
    ]
    assert found == list(lines.forward(whole))


def test_a_range_without_lines_has_no_blocks(tmp_path: Path) -> None:
    lines = MergedLines(make_tables(tmp_path, [["uk,a)/ 20260101000000 {}"]]))
    assert lines.count_blocks(Range(b"uk,b)", b"uk,c)")) == 0
    assert lines.count_blocks(Range(b"uk,a)", b"uk,b)")) == 1
