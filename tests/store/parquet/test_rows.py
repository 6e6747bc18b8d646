"""Tables with many rows a node."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.store.parquet import rows
from webstrata.store.parquet.rows import ParquetRows, write_rows

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = pa.schema([("node", pa.uint32()), ("value", pa.int64())])


@given(
    st.lists(st.integers(0, 20), max_size=60).map(sorted),
    st.lists(st.integers(0, 60), max_size=4).map(sorted),
)
def test_the_rows_of_a_node_are_found_however_the_table_came(
    tmp_path: Path, nodes: list[int], cuts: list[int]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "ROW_GROUP", 7)
        table = pa.table({"node": nodes, "value": np.arange(len(nodes))}, schema=SCHEMA)
        edges = [0, *(min(cut, len(nodes)) for cut in cuts), len(nodes)]
        pieces = [table.slice(a, b - a) for a, b in pairwise(edges)]
        assert write_rows(tmp_path / "pieces.parquet", SCHEMA, pieces) == len(nodes)
        write_rows(tmp_path / "whole.parquet", SCHEMA, [table])
    assert (tmp_path / "pieces.parquet").read_bytes() == (tmp_path / "whole.parquet").read_bytes()
    found = ParquetRows(tmp_path / "pieces.parquet", "node")
    assert len(found) == len(nodes)
    for node in range(22):
        expected = [place for place, other in enumerate(nodes) if other == node]
        assert found.of(node)["value"].to_pylist() == expected
    assert [value for block in found.blocks("value") for value in block["value"].to_pylist()] == list(
        range(len(nodes))
    )
    sizes = [
        pq.read_metadata(tmp_path / "whole.parquet").row_group(group).num_rows
        for group in range(found._file.num_row_groups)
    ]
    assert all(size == 7 for size in sizes[:-1])
