"""The row table of a collection, after BigTable: a row a page, column families, cells stamped with a time.

=============================  ==========================================================================
``content http text links``    views over WARC files and index, one capture a snapshot; never written
``anchor meta scores``         cells in RocksDB, written by anybody at any time
=============================  ==========================================================================

A row key, a family, a column and a time name a cell. Rows are in the order of row keys, columns in the order
of their bytes, versions with the newest first. `cells` owns the bytes on disk, `views` reads captures, `rows`
puts both together. `host_labels` has the labels of hosts that people give, in cells of the table.
"""

from webstrata.store.table.cells import FAMILIES, Cell
from webstrata.store.table.host_labels import (
    HostLabel,
    export_host_labels,
    find_host_label,
    read_host_labels,
    write_host_label,
)
from webstrata.store.table.rows import Batch, Row, RowTable
from webstrata.store.table.views import VIEWS

__all__ = [
    "FAMILIES",
    "VIEWS",
    "Batch",
    "Cell",
    "HostLabel",
    "Row",
    "RowTable",
    "export_host_labels",
    "find_host_label",
    "read_host_labels",
    "write_host_label",
]
