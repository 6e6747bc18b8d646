"""Lines of an index as a table, and the table of pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from webstrata.errors import FormatError, MissingError
from webstrata.store.pages import ROW_GROUP, Pages, read_captures, write_pages

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "text", [b"org,a)/ 20260101000000 {", b"nonsense\n", b'a) 20260101000000 {"url": "x"}\n']
)
def test_a_line_that_is_none_is_told(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "c").write_bytes(text)
    with pytest.raises(FormatError, match="line"):
        read_captures(tmp_path / "c")


def test_rows_are_read_by_node_across_groups(tmp_path: Path) -> None:
    count = ROW_GROUP + 5
    write_pages(tmp_path / "pages.parquet", pa.table({"number": pa.array(range(count))}))
    pages = Pages(tmp_path)
    assert len(pages) == count
    for node in (0, ROW_GROUP - 1, ROW_GROUP, count - 1):
        assert pages[node] == {"number": node}
    for node in (-1, count):
        with pytest.raises(IndexError):
            pages[node]
    with pytest.raises(MissingError):
        Pages(tmp_path / "none")
