"""Text of numbers: what stands between them, and where one is wrong."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.errors import FormatError, MissingError
from webstrata.graph.interchange import text
from webstrata.graph.interchange.edges import open_edges

if TYPE_CHECKING:
    from pathlib import Path


def arcs(path: Path) -> list[tuple[int, int]]:
    return [
        pair
        for sources, targets in open_edges(path).blocks
        for pair in zip(sources.tolist(), targets.tolist(), strict=True)
    ]


@given(
    pairs=st.lists(st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1)), max_size=30),
    between=st.sampled_from([" ", "\t", ",", "   ", " \t "]),
    end=st.sampled_from(["\n", "\r\n", " \n"]),
    comments=st.booleans(),
)
def test_pairs_are_read_whatever_stands_between(
    tmp_path: Path, pairs: list[tuple[int, int]], between: str, end: str, *, comments: bool
) -> None:
    end = "\n" if between in (",", "\t") and end == " \n" else end
    lines = [f"{source}{between}{target}{end}" for source, target in pairs]
    if comments:
        lines = ["# a list\n", "\n", *(line for pair in lines for line in (pair, "% and more\n"))]
    (tmp_path / "g.txt").write_text("".join(lines), newline="")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text, "CHUNK", 64)
        assert arcs(tmp_path / "g.txt") == pairs


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("0 1\n1\n", "line 2: expected two node numbers from 0 to 4294967295, got '1'"),
        ("0 1\n# ok\n1 x\n", "line 3: .* got '1 x'"),
        ("0 1\n1 4294967296\n", "line 2: .* got '1 4294967296'"),
        ("0 1\n1 99999999999999999999\n", "line 2"),
        ("0 1\n-1 2\n", "line 2: .* got '-1 2'"),
        ("0 1\n1 2 3\n", "line 2: .* got '1 2 3'"),
        ("hello\n", "line 1: .* got 'hello'"),
        ("# Nodes: 3\n0 1\n3 1\n", "line 3: expected two node numbers from 0 to 2, got '3 1'"),
        ("0\t1\n1\t\n", "line 2"),
        ("0.5 1\n", "line 1: .* got '0.5 1'"),
    ],
)
def test_the_line_and_the_value_that_are_wrong_are_said(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "g.txt").write_text(content)
    with pytest.raises(FormatError, match=message):
        arcs(tmp_path / "g.txt")


def test_a_file_that_is_cut_off_or_missing_is_said(tmp_path: Path) -> None:
    packed = gzip.compress("".join(f"{node} {node * 7 % 1000}\n" for node in range(5000)).encode())
    (tmp_path / "g.txt.gz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(FormatError, match="cut off or damaged"):
        arcs(tmp_path / "g.txt.gz")
    (tmp_path / "g.txt.gz").write_bytes(b"no gzip")
    with pytest.raises(FormatError, match="cut off or damaged"):
        arcs(tmp_path / "g.txt.gz")
    with pytest.raises(MissingError):
        arcs(tmp_path / "none.txt")
