"""Erasing URLs: a planted token is found by every decoding reader before, and by none after."""

from __future__ import annotations

import gc
import gzip
import json
import zlib
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import webstrata as ws
from tests.pipeline.revisits import HOME, URLS
from tests.pipeline.sstables import read_blocks
from webstrata import testing
from webstrata.archive.warc import read_records
from webstrata.collection.check import check_collection
from webstrata.errors import LockedError, MissingError
from webstrata.pipeline.erasing import erase
from webstrata.store.table.cells import FAMILIES, Cells
from webstrata.store.takedowns import find_takedowns

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stories.conftest import Command
    from webstrata.api import Collection

TOKEN = "zqxtoken"
PAGE = f"http://private.example/{TOKEN}"
PAGES = {
    "http://a.example/": "<title>A</title><p>A page that stays, about fish and ships.<a href=/b>B</a>",
    "http://a.example/b": "<title>B</title><p>Another page that stays.<a href=/>home</a>",
    PAGE: (
        f"<title>{TOKEN} title</title><h1>{TOKEN}</h1><p>The text says {TOKEN} twice, {TOKEN}."
        f"<a href=http://a.example/b>{TOKEN} anchor</a><a href=/{TOKEN}-target>next</a>"
    ),
}


def decode(path: Path) -> bytes:
    """Everything a file says: its bytes, and what they decode to."""
    data = path.read_bytes()
    found = [data]
    rest = data
    while rest[:2] == b"\x1f\x8b":
        unpacker = zlib.decompressobj(wbits=31)
        found.append(unpacker.decompress(rest))
        rest = unpacker.unused_data
    if data[:4] == b"PAR1":
        found.append(repr(pq.read_table(path).to_pylist()).encode())
    if data[:6] == b"ARROW1":
        found.append(repr(pa.ipc.open_file(path).read_all().to_pylist()).encode())
    if path.suffix == ".sst":  # with what was deleted, and no reader of RocksDB gives
        found += read_blocks(path)
    if data[:4] == bytes.fromhex("28b52ffd"):
        with pa.CompressedInputStream(pa.BufferReader(data), "zstd") as stream:
            found.append(stream.read())
    return b"\n".join(found)


def find_token(uk: Collection) -> set[str]:
    """The files and the readers that have the token."""
    found = {
        f"{path.relative_to(uk.path).parts[-1]}"
        for path in uk.path.rglob("*")
        if path.is_file() and not path.is_symlink() and TOKEN.encode() in decode(path)
    }
    found |= {"path" for path in uk.path.rglob(f"*{TOKEN}*")}
    cells = Cells(uk.working_folder("table"))
    if any(TOKEN in repr(row) for family in FAMILIES for row in cells.scan(family)):
        found.add("cells")
    cells.close()
    for path in uk.working_folder("table").glob("*.sst"):
        if any(TOKEN.encode() in block for block in read_blocks(path)):
            found.add("blocks")
    for snapshot in ws.open(uk.path):
        readers = {
            "urls": list(snapshot.urls),
            "row_keys": list(snapshot.urls.row_keys),
            "page lists": list(snapshot.packages.iter_pages()) if "packages" in snapshot.parts else [],
            "text": [snapshot.text[node] for node in range(len(snapshot.urls))],
            "anchors": [snapshot.anchors[node] for node in range(len(snapshot.urls))],
            "links": [snapshot.links[node] for node in range(len(snapshot.urls))],
            "captures": list(snapshot.captures.scan("example", "domain")),
            "warc": [
                (record.headers, record.block)
                for path in (snapshot.path / "warc").glob("*.warc.gz")
                for record in read_records(path)
            ],
        }
        found |= {name for name, rows in readers.items() if TOKEN in repr(rows)}
    if len(ws.open(uk.path).search(TOKEN)):
        found.add("search")
    if TOKEN in repr(list(ws.open(uk.path).temporal.urls)):
        found.add("temporal")
    gc.collect()  # readers hold what they have open
    return found


def plant() -> Collection:
    parts = ["graph", "summaries", "temporal", "text_index"]
    uk = testing.collection_of({"2026-05": PAGES, "2026-06": PAGES}, parts=parts)
    with uk.table as table:
        table.put(PAGE, {"meta": {"note": f"{TOKEN} was here"}}, at="2026-05")
        table.put("http://a.example/", {"meta": {"note": "stays"}}, at="2026-05")
        # so much that it is compressed in its file
        padding = {f"note{number}": f"{'padding ' * 20} {TOKEN} {number}" for number in range(200)}
        table.put(PAGE, {"meta": padding}, at="2026-05")
    # what killed commands leave behind
    snapshot = uk["2026-06"]
    (snapshot.path / ".building" / "text").mkdir(parents=True)
    (snapshot.path / ".building" / "text" / "shard.gz").write_bytes(gzip.compress(TOKEN.encode()))
    with snapshot.write_part("packages") as build:
        row = {"number": 1, "file": "a.wacz", "digest": "", "lists": [{"name": "pages/pages.jsonl"}]}
        (build.path / "packages.json").write_text(json.dumps([row]))
        (build.path / "1" / "pages").mkdir(parents=True)
        (build.path / "1" / "pages" / "pages.jsonl").write_text(json.dumps({"url": PAGE, "ts": "2026"}))
    old = snapshot.path / ".parts" / "text.77"
    old.mkdir()
    (old / "text").write_text(TOKEN)
    (snapshot.path / "crawl").mkdir()
    (snapshot.path / "crawl" / "seeds.txt").write_text(f"{PAGE}\n")
    (snapshot.path / "crawl" / "result.json").write_text("{}")
    return ws.open(uk.path)


def test_a_token_is_found_by_every_reader_before_an_erasure_and_by_none_after() -> None:
    uk = plant()
    before = find_token(uk)
    readers = {
        "urls",
        "row_keys",
        "page lists",
        "text",
        "anchors",
        "links",
        "captures",
        "warc",
        "cells",
        "search",
        "temporal",
        "blocks",
    }
    assert readers | {"shard.gz", "seeds.txt", "pages.parquet"} <= before
    uk.takedown("private.example", reason="a court order", erase=True)
    assert find_token(uk) == set()
    uk = ws.open(uk.path)
    assert not [name for name, state in uk.states().items() if state.is_stale]
    assert not check_collection(uk).damage
    assert uk.capture("http://a.example/b").payload == PAGES["http://a.example/b"].encode()
    assert uk.table["http://a.example/"]["meta"]["note"] == "stays"
    assert (uk["2026-06"].path / "crawl" / "result.json").exists()
    with pytest.raises(MissingError, match="was erased on"):
        uk.capture(PAGE)
    assert uk.takedowns[0].erased
    uk.table.close()


def test_a_page_with_the_payload_of_an_erased_one_keeps_it(revisits: Collection) -> None:
    uk = revisits
    terms, copy = URLS[2], URLS[3]
    payload = uk["2026-06"].capture(copy).payload
    erasure = erase(uk, terms, reason="a request", workers=1)
    assert (erasure.captures, erasure.moved) == ({"2026-04": 1}, {"2026-05": 1})
    uk = ws.open(uk.path)
    for label in ("2026-05", "2026-06"):
        assert uk[label].capture(copy).payload == payload
        assert uk[label].capture(URLS[0]).payload == HOME
    for path in uk.path.rglob("*.warc.gz"):
        assert all(terms not in str(record.headers) for record in read_records(path)), path


@pytest.mark.parametrize(
    "point",
    [
        "erase.removed",
        pytest.param("erase.prepared", marks=pytest.mark.long),
        pytest.param("erase.one", marks=pytest.mark.long),
        pytest.param("erase.published", marks=pytest.mark.long),
        pytest.param("erase.part", marks=pytest.mark.long),
        pytest.param("erase.rebuilt", marks=pytest.mark.long),
        pytest.param("erase.swept", marks=pytest.mark.long),
    ],
)
def test_a_killed_erasure_is_completed_by_the_same_command(webstrata: Command, point: str) -> None:
    uk = plant()
    parts = sorted(uk.states())
    words = ("takedown", str(uk.path), "private.example", "--erase", "--yes", "--reason", "a court order")
    assert webstrata(*words, faults=f"crash at={point}").returncode == -9
    assert find_takedowns(ws.open(uk.path)).hides(PAGE)  # from the first moment on
    done = webstrata(*words)
    assert done.returncode == 0, done.stderr
    assert find_token(uk) == set()
    uk = ws.open(uk.path)
    assert sorted(uk.states()) == parts
    assert not [name for name, state in uk.states().items() if state.is_stale]
    assert not (uk.path / "erasing.json").exists()
    assert not check_collection(uk).damage
    with pytest.raises(MissingError, match="was erased on"):
        uk.capture(PAGE)


def test_an_erasure_waits_for_readers_and_is_completed_by_the_same_call() -> None:
    uk = plant()
    with uk["2026-06"].open_part("text"), pytest.raises(LockedError, match="a reader has this older version"):
        erase(uk, "private.example", reason="a court order", workers=1)
    with pytest.raises(MissingError, match="was taken down on"):
        uk.capture(PAGE)
    erase(uk, "private.example", reason="a court order", workers=1)
    assert find_token(uk) == set()


def test_compressed_blocks_are_decoded_where_their_bytes_show_nothing() -> None:
    uk = plant()
    with uk.table:  # opened again, it writes what is in memory
        pass
    files = list(uk.working_folder("table").glob("*.sst"))
    raw = sum(path.read_bytes().count(TOKEN.encode()) for path in files)
    decoded = sum(block.count(TOKEN.encode()) for path in files for block in read_blocks(path))
    assert decoded >= 200 > raw
