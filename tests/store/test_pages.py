"""Lines of an index as a table, and the table of pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from webstrata.archive.cdxj import Line
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


def test_fingerprints_of_an_older_rule_are_not_read_and_do_not_disturb(tmp_path: Path) -> None:
    facts: dict[str, Any] = {
        "date": 10**18,
        "mime": "text/html",
        "status": 200,
        "digest": bytes(20),
        "length": 9,
        "offset": 0,
    }
    lines = [Line(url=f"http://{name}/", filename="a", fingerprint=7, **facts).to_bytes() for name in "ab"]
    # as webstrata 0.1.0 wrote it, in an index that captures were added to
    old = lines[0].replace(b'"fingerprint-2"', b'"fingerprint"')
    assert old != lines[0]
    (tmp_path / "c").write_bytes(old + lines[1])
    assert read_captures(tmp_path / "c")["fingerprint"].to_pylist() == [None, 7]


def test_pages_say_by_which_rule_their_fingerprints_were_made(tmp_path: Path) -> None:
    table = pa.table({"fingerprint": pa.array([7, None], pa.uint64())})
    write_pages(tmp_path / "pages.parquet", table)
    assert Pages(tmp_path).fingerprint_rule == 2
    pq.write_table(table, tmp_path / "pages.parquet")  # as webstrata 0.1.0 did
    assert Pages(tmp_path).fingerprint_rule == 1
    write_pages(tmp_path / "pages.parquet", pa.table({"url": ["http://a/"]}))
    assert Pages(tmp_path).fingerprint_rule == 0


def test_rows_are_read_by_node_across_groups(tmp_path: Path) -> None:
    count = ROW_GROUP + 5
    write_pages(tmp_path / "pages.parquet", pa.table({"number": pa.array(range(count))}))
    pages = Pages(tmp_path)
    assert len(pages) == count
    for node in (0, ROW_GROUP - 1, ROW_GROUP, count - 1):
        assert pages[node] == {"number": node}
    for node in (-count - 1, count):
        with pytest.raises(IndexError):
            pages[node]
    with pytest.raises(MissingError):
        Pages(tmp_path / "none")
