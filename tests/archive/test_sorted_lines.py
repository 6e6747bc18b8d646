"""Lines sorted on disk, in whatever memory and however many runs that makes."""

from __future__ import annotations

import heapq
import random
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from webstrata.archive.sorted_lines import sort_lines

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import pytest


@settings(max_examples=40)
@given(
    lines=st.lists(st.binary(max_size=5).map(lambda line: line.replace(b"\n", b"")), max_size=30),
    fan_in=st.integers(2, 4),
)
def test_lines_are_sorted_whatever_the_memory(tmp_path: Path, lines: list[bytes], fan_in: int) -> None:
    source = tmp_path / "lines"
    source.write_bytes(b"\n".join(lines))
    expected = sorted(line + b"\n" for line in source.read_bytes().removesuffix(b"\n").split(b"\n"))
    if not source.read_bytes():
        expected = []
    for memory in (1, 10, 1 << 20):
        assert list(sort_lines(source, tmp_path, memory=memory, fan_in=fan_in)) == expected
    assert [path.name for path in tmp_path.iterdir()] == ["lines"]


def test_no_more_runs_are_open_at_a_time_than_may_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[int] = []
    merge = heapq.merge

    def counting(*files: Iterable[bytes]) -> Iterable[bytes]:
        opened.append(len(files))
        return merge(*files)

    monkeypatch.setattr(heapq, "merge", counting)
    numbers = [b"%08d\n" % number for number in random.Random(7).sample(range(1000), 500)]
    (tmp_path / "lines").write_bytes(b"".join(numbers))
    assert list(sort_lines(tmp_path / "lines", tmp_path, memory=9, fan_in=5)) == sorted(numbers)
    assert max(opened) == 5
    assert len(opened) > 50
    assert [path.name for path in tmp_path.iterdir()] == ["lines"]


def test_what_is_given_up_leaves_no_files(tmp_path: Path) -> None:
    (tmp_path / "lines").write_bytes(b"b\na\nd\nc\n")
    lines = sort_lines(tmp_path / "lines", tmp_path, memory=1, fan_in=2)
    assert next(lines) == b"a\n"
    lines.close()  # type: ignore[attr-defined]
    assert [path.name for path in tmp_path.iterdir()] == ["lines"]
