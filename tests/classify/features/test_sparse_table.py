"""Tables of lists: what is written is read again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from webstrata.classify.features.sparse_table import from_table, is_sparse, to_table

if TYPE_CHECKING:
    from pathlib import Path


@given(st.data())
def test_a_matrix_comes_back_from_parquet_as_it_was(tmp_path: Path, data: st.DataObject) -> None:
    shape = data.draw(st.integers(0, 5)), data.draw(st.integers(0, 5))
    values = st.sampled_from([0.0, 0.0, 1.5, -2.0])
    dense = np.array(
        data.draw(st.lists(values, min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]))
    ).reshape(shape)
    missing = np.array(data.draw(st.lists(st.booleans(), min_size=shape[0], max_size=shape[0])), np.bool_)
    hosts, names = [f"{row}.org" for row in range(shape[0])], [f"ave:é{column}" for column in range(shape[1])]
    table = to_table(hosts, names, csr_array(dense), missing=missing, facts={"N": 7})
    pq.write_table(table, tmp_path / "table.parquet")
    found = from_table(pq.read_table(tmp_path / "table.parquet"))
    assert (found.hosts, found.names, found.facts) == (hosts, names, {"N": 7})
    assert found.missing.tolist() == missing.tolist()
    assert found.matrix.shape == shape
    assert (found.matrix.toarray() == np.where(missing[:, None], 0, dense)).all()


def test_blocks_of_rows_are_one_table() -> None:
    dense = np.array([[0, 1.0], [2, 0], [0, 0]])
    missing = np.array([False, False, True])
    blocks = [csr_array(dense[:2]), csr_array(dense[2:])]
    for matrix in (csr_array(dense), blocks, iter(blocks)):
        found = from_table(to_table(["a", "b", "c"], ["x", "y"], matrix, missing=missing))
        assert (found.matrix.toarray() == dense).all()
        assert found.missing.tolist() == missing.tolist()


def test_a_plain_table_is_none() -> None:
    table = pa.table({"host": ["a.org"], "words": [1.0]})
    assert not is_sparse(table)
    with pytest.raises(ValueError, match="expected one of lists"):
        from_table(table)
