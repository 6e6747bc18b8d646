"""Tables of features with thousands of columns, most of whose values are 0: a row a host all the same.

=============  ============================================================================================
``host``       its name
``columns``    a list: the numbers of the columns in which it has a value other than 0, in order
``values``     a list of 32-bit floats as long: the values
=============  ============================================================================================

The schema's metadata has under ``webstrata.columns`` the names of the columns by number, as JSON, and under
``webstrata.facts`` what else is to be known of them. A host without any value whose lists are null is
missing: nothing is known of it, not even that it is 0.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
from scipy.sparse import csr_array

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

COLUMNS, VALUES = "columns", "values"
_NAMES, _FACTS = b"webstrata.columns", b"webstrata.facts"


class SparseFeatures(NamedTuple):
    """The features of hosts as a sparse matrix."""

    hosts: list[str]
    names: list[str]
    """Of the columns."""
    matrix: csr_array
    """A row a host, a column a feature."""
    missing: npt.NDArray[np.bool_]
    """For each host whether nothing is known of it; its row is empty."""
    facts: dict[str, Any]


def is_sparse(table: pa.Table) -> bool:
    """Whether a table of features is one of lists.

    Examples
    --------
    >>> is_sparse(pa.table({"host": ["a.org"], "words": [1.0]}))
    False
    """
    return _NAMES in (table.schema.metadata or {})


def count_features(table: pa.Table) -> int:
    """How many features a table has, of lists or of columns.

    Examples
    --------
    >>> count_features(pa.table({"host": ["a.org"], "words": [1.0]}))
    1
    """
    if is_sparse(table):
        return len(json.loads(table.schema.metadata[_NAMES]))
    return sum(name != "host" for name in table.column_names)


def to_table(
    hosts: Sequence[str],
    names: Sequence[str],
    matrix: csr_array | Iterable[csr_array],
    *,
    missing: npt.NDArray[np.bool_] | None = None,
    facts: Mapping[str, Any] | None = None,
) -> pa.Table:
    """The table of a sparse matrix.

    Parameters
    ----------
    hosts
        Of the rows.
    names
        Of the columns.
    matrix
        The values, also in blocks of rows; what is 0 in it is left out.
    missing
        For each host whether nothing is known of it.
    facts
        What else is to be known, as JSON has it.

    Examples
    --------
    >>> table = to_table(["a.org", "b.org"], ["eel", "fish"], csr_array([[0, 2.5], [0, 0]]))
    >>> table.to_pylist()
    [{'host': 'a.org', 'columns': [1], 'values': [2.5]}, {'host': 'b.org', 'columns': [], 'values': []}]
    """
    columns, values, row = [], [], 0
    for block in [matrix] if isinstance(matrix, csr_array) else matrix:
        kept = block.copy()
        kept.eliminate_zeros()
        kept.sort_indices()
        offsets = pa.array(kept.indptr.astype(np.int64))
        mask = None if missing is None else pa.array(missing[row : row + kept.shape[0]])
        items = kept.indices.astype(np.uint32), kept.data.astype(np.float32)
        columns.append(pa.LargeListArray.from_arrays(offsets, pa.array(items[0]), mask=mask))
        values.append(pa.LargeListArray.from_arrays(offsets, pa.array(items[1]), mask=mask))
        row += kept.shape[0]
    lists = [
        pa.chunked_array(columns, pa.large_list(pa.uint32())),
        pa.chunked_array(values, pa.large_list(pa.float32())),
    ]
    metadata = {_NAMES: json.dumps(list(names)), _FACTS: json.dumps(dict(facts or {}))}
    table = pa.table([pa.array(hosts, pa.string()), *lists], names=["host", COLUMNS, VALUES])
    return table.replace_schema_metadata(metadata)


def from_table(table: pa.Table) -> SparseFeatures:
    """The sparse matrix of a table.

    Examples
    --------
    >>> found = from_table(to_table(["a.org"], ["eel", "fish"], csr_array([[0, 2.5]])))
    >>> found.hosts, found.names, found.matrix.toarray().tolist()
    (['a.org'], ['eel', 'fish'], [[0.0, 2.5]])
    """
    if not is_sparse(table):
        raise ValueError(f"table: expected one of lists with names of columns, got {table.schema.names}")
    metadata = table.schema.metadata
    columns, values = (table[name].combine_chunks() for name in (COLUMNS, VALUES))
    missing = columns.is_null().to_numpy(zero_copy_only=False)
    sizes = columns.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    names: list[str] = json.loads(metadata[_NAMES])
    # `flatten` leaves out what stands behind a null
    parts = (values.flatten().to_numpy(), columns.flatten().to_numpy().astype(np.int64), offsets)
    matrix = csr_array(parts, shape=(len(table), len(names)))
    return SparseFeatures(table["host"].to_pylist(), names, matrix, missing, json.loads(metadata[_FACTS]))
