"""The text of pages, read one at a time and all in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

import webstrata as ws
from webstrata.errors import MissingError
from webstrata.store.text import BATCH, COLUMNS, TEXT, Text, write_text

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def text(tmp_path: Path) -> Text:
    """Three batches, the last one not full."""
    rows = [
        {"title": f"T{node}", "headings": [{"level": 2, "text": f"H{node}"}], "text": f"text {node} " * 50}
        for node in range(2 * BATCH + 5)
    ]
    batches = [
        pa.RecordBatch.from_pylist(rows[place : place + BATCH], schema=TEXT)
        for place in range(0, len(rows), BATCH)
    ]
    columns = [
        {"words": node, "language": "en" if node % 2 else None, "charset": "UTF-8", "simhash": 2**63 + node}
        for node in range(len(rows))
    ]
    write_text(tmp_path, batches, pa.Table.from_pylist(columns, schema=COLUMNS))
    return Text(tmp_path)


def test_each_node_has_its_own_text(text: Text) -> None:
    assert len(text) == 2 * BATCH + 5
    for node in (0, 1, BATCH - 1, BATCH, 2 * BATCH + 4, 3):
        page = text[node]
        assert (page.title, page.words, page.simhash) == (f"T{node}", node, 2**63 + node)
        assert page.headings[0].text == f"H{node}"
        assert page.text.startswith(f"text {node} ")
        assert page.language == ("en" if node % 2 else None)
    for node in (-len(text) - 1, len(text)):
        with pytest.raises(IndexError, match="expected 0 to 132"):
            text[node]


def test_a_node_is_read_without_the_others(text: Text, tmp_path: Path) -> None:
    before = pa.total_allocated_bytes()
    batch = next(text.scan("title"))
    assert batch.num_rows == BATCH
    assert batch.schema.names == ["title"]
    assert pa.total_allocated_bytes() - before < (tmp_path / "text.arrow").stat().st_size + 20_000


def test_a_scan_begins_where_it_is_told(text: Text) -> None:
    titles = [title for batch in text.scan("title", start=BATCH + 1) for title in batch["title"].to_pylist()]
    assert titles[0] == f"T{BATCH}"
    assert titles[-1] == f"T{2 * BATCH + 4}"


def test_the_files_open_with_other_readers(text: Text, tmp_path: Path) -> None:
    table = pa.ipc.open_file(tmp_path / "text.arrow").read_all()
    assert len(table) == len(text)
    assert repr(text) == f"<Text: {len(text)}>"


def test_a_snapshot_without_text_says_so(tmp_path: Path) -> None:
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    for name in ("text", "links", "anchors"):
        with pytest.raises(MissingError, match=f"no part {name}"):
            getattr(snapshot, name)
