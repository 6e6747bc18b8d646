"""Parquet tables of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from webstrata.errors import FormatError
from webstrata.graph.interchange.parquet import open_parquet

if TYPE_CHECKING:
    from pathlib import Path


def test_columns_are_known_by_name_or_as_the_only_numbers(tmp_path: Path) -> None:
    pq.write_table(pa.table({"dst": [1], "weight": [9], "src": [0]}), tmp_path / "named.parquet")
    pq.write_table(pa.table({"u": [0], "v": [1], "why": ["x"]}), tmp_path / "only.parquet")
    for name in ("named", "only"):
        [(sources, targets)] = open_parquet(tmp_path / f"{name}.parquet").blocks
        assert (sources.tolist(), targets.tolist()) == ([0], [1])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"a": [1], "b": [1], "c": [1]},
            "expected two columns of whole numbers, source and target, got a, b, c",
        ),
        (
            {"source": [0, None], "target": [1, 1]},
            "row 1: expected a node number in the column source, got none",
        ),
        (
            {"source": [0, 1], "target": [1, -7]},
            "row 1: expected node numbers from 0 .* column target, got -7",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_row(
    tmp_path: Path, columns: dict[str, list[int]], message: str
) -> None:
    pq.write_table(pa.table(columns), tmp_path / "g.parquet")
    with pytest.raises(FormatError, match=message):
        list(open_parquet(tmp_path / "g.parquet").blocks)


def test_a_file_that_is_cut_off_is_said(tmp_path: Path) -> None:
    pq.write_table(pa.table({"source": [0], "target": [1]}), tmp_path / "g.parquet")
    (tmp_path / "g.parquet").write_bytes((tmp_path / "g.parquet").read_bytes()[:-9])
    with pytest.raises(FormatError, match="cut off"):
        open_parquet(tmp_path / "g.parquet")
