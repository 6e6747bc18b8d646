"""Addresses of hosts, from the records of their home pages or the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.parquet as pq

import webstrata as ws
from webstrata.archive.warc import Capture, WarcWriter
from webstrata.classify.features.addresses import find_addresses
from webstrata.invitro.truth import build_truth
from webstrata.store.ingest.run import ingest

if TYPE_CHECKING:
    from pathlib import Path

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"


def test_the_record_of_the_home_page_tells_the_address(tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    with WarcWriter(files, "in") as writer:
        for name, ip in (("a.org", "10.0.0.1"), ("www.b.org", "10.0.0.2"), ("c.org", "0.0.0.0")):
            body = f"<p>{name} has a page of its own".encode()
            writer.write(Capture(url=f"http://{name}/", date=10**18, head=HEAD, body=body, ip=ip))
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    ingest(snapshot, [files])
    found = find_addresses(snapshot, ["b.org", "a.org", "c.org", "gone.org"])
    assert found == ["10.0.0.2", "10.0.0.1", None, None]


def test_the_truth_tells_it_where_there_is_one(tmp_path: Path) -> None:
    snapshot = ws.create(tmp_path / "uk").add("2026-01")
    build_truth(snapshot, ws.invitro.Web("tiny", seed=7), month=0)
    with snapshot.open_part("truth") as part:
        row = pq.read_table(part.path / "hosts.parquet").to_pylist()[3]
    assert find_addresses(snapshot, [row["name"].removeprefix("www.")]) == [str(row["address"])]
