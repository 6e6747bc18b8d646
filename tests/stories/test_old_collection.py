"""A collection in the formats of webstrata 0.1.0 opens, part by part, or says what to build again.

No program of 0.1.0 wrote it: what the format pages name as different is taken away from one of today.
``tests/data/search-1`` is a text index that 0.1.0 did write, and takes the place of the one of today.
"""

from __future__ import annotations

import gc
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import webstrata as ws
from tests.sealing import seal
from webstrata import testing
from webstrata.collection.build import write_record
from webstrata.collection.check import check_collection
from webstrata.collection.declarations import SnapshotPart, load_parts
from webstrata.errors import MissingError

if TYPE_CHECKING:
    from webstrata.api import Collection

DATA = Path(__file__).parents[1] / "data" / "search-1"


def write_arrow(path: Path, table: pa.Table, size: int) -> None:
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        for batch in table.combine_chunks().to_batches(max_chunksize=size):
            writer.write_batch(batch)


def read_arrow(path: Path) -> pa.Table:
    with pa.OSFile(str(path)) as source:
        return pa.ipc.open_file(source).read_all()


def age(uk: Collection) -> None:
    """Take away what 0.1.0 did not write."""
    for snapshot in uk:
        folder = snapshot.path / ".parts"
        text = read_arrow(folder / "text.1" / "text.arrow").drop_columns(["main", "fallback"])
        write_arrow(folder / "text.1" / "text.arrow", text.replace_schema_metadata(None), 64)
        others = read_arrow(folder / "urls.1" / "others.arrow")
        if "reason" in others.column_names:
            write_arrow(folder / "urls.1" / "others.arrow", others.drop_columns(["reason"]), 1 << 16)
        pages = pq.read_table(folder / "pages.1" / "pages.parquet")
        pq.write_table(pages.replace_schema_metadata(None), folder / "pages.1" / "pages.parquet")
        for name in ("pages", "urls", "text"):
            seal(snapshot, name)
    union = uk.path / ".parts" / "temporal.1" / "union.json"
    facts = json.loads(union.read_bytes())
    union.write_text(json.dumps({name: value for name, value in facts.items() if name != "lives"}))
    seal(uk, "temporal")
    shutil.rmtree(uk.path / ".parts" / "text_index.1")
    shutil.copytree(DATA, uk.path / ".parts" / "text_index.1")
    write_record(uk.path / ".parts" / "text_index.1", uk.parts.record("text_index"))
    seal(uk, "text_index")
    for holder in (uk, *uk):
        manifest = holder.parts.manifest
        for record in list(holder.parts):
            old = replace(record, version="0.1.0")
            manifest = manifest.with_part(old)
            write_record(holder.parts.path(record), old)
            (holder.parts.path(record) / "XXH3SUMS").unlink()
        with holder.parts.writing():
            holder.parts.replace_manifest(manifest)


@pytest.fixture
def old() -> Collection:
    uk = testing.collection()
    age(uk)
    gc.collect()
    return ws.open(uk.path)


def test_every_part_of_an_old_collection_opens_or_names_what_to_build(old: Collection) -> None:
    refused = {}
    opened = []
    for name, part in load_parts().items():
        holders: list[Any] = list(old) if isinstance(part, SnapshotPart) else [old]
        for holder in holders:
            if part.open is None or name not in holder.parts:
                continue
            try:
                part.open(holder)
                opened.append(name)
            except MissingError as error:
                refused[name] = str(error)
    assert {"captures", "pages", "urls", "text", "links", "anchors", "graph", "summaries", "temporal"} <= {
        *opened
    }
    assert set(refused) == {"text_index"}
    assert "an earlier version" in refused["text_index"]
    assert "build" in refused["text_index"]
    assert "\n" not in refused["text_index"]


def test_an_old_collection_is_read_and_built_on(old: Collection) -> None:
    june = old["2026-06"]
    node = june.urls.node("http://reef.example/")
    assert node is not None
    assert june.text[node].title == "The coral reef"
    assert june.text[node].main == ""  # 0.1.0 kept none for such a text
    assert june.pages.fingerprint_rule == 1
    assert june.capture("http://reef.example/").status == 200
    assert len(june.graph.successors(node)) > 0
    assert old.temporal.urls[old.temporal.node("http://reef.example/")] == "http://reef.example/"
    assert not check_collection(old).damage
    old.build("text_index", workers=1)
    assert next(iter(old.search("tropical fish"))).url == "http://reef.example/fish"
