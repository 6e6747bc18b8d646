"""What a crawl may take of memory, whatever servers send."""

from __future__ import annotations

import json
import subprocess
import sys
import zlib
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from tests.crawl.origin import QUICK, Origin, reply

if TYPE_CHECKING:
    from pathlib import Path

NUM_HOSTS = 60
LIMIT = 4 << 20
SIZE = 64 << 20

CHILD = """
import json, sys
import webstrata as ws
from webstrata.crawl.run import Crawl

def peak():
    with open("/proc/self/status") as stream:
        return next(int(line.split()[1]) for line in stream if line.startswith("VmHWM"))

def crawl(name, seeds):
    snapshot = ws.create(folder + "/" + name).add("2026-06")
    job = Crawl(snapshot, ws.CrawlSettings(**settings), seeds=seeds, hosts=hosts, parses=False)
    return job.run().counters

folder, hosts, settings = json.loads(sys.argv[1])
hosts = {name: tuple(place) for name, place in hosts.items()}
crawl("small", ["http://" + name + "/small" for name in hosts])
before = peak()
counters = crawl("large", ["http://" + name + "/bomb" for name in hosts])
print(json.dumps([peak() - before, counters["bombs"], counters["pages"]]))
"""


def pack(coding: str) -> bytes:
    """A page of 64 MiB that is some kilobytes when packed."""
    if coding != "gzip":
        codec = {"br": "brotli"}.get(coding, coding)
        return bytes(pa.Codec(codec).compress(b"a" * SIZE, asbytes=True))
    packer = zlib.compressobj(wbits=31)
    pieces = [packer.compress(b"a" * (1 << 20)) for _ in range(SIZE >> 20)]
    return b"".join([*pieces, packer.flush()])


@pytest.mark.long
@pytest.mark.parametrize(
    ("coding", "limit"), [("gzip", LIMIT), ("br", LIMIT), ("zstd", LIMIT), ("gzip", 1 << 20)]
)
def test_bombs_of_many_hosts_take_little_memory(tmp_path: Path, coding: str, limit: int) -> None:
    addresses = tuple(f"127.0.1.{place + 1}" for place in range(NUM_HOSTS))
    with Origin(addresses) as origin:
        origin.say("/small", reply(b"<p>small</p>"))
        origin.say("/bomb", reply(pack(coding), f"Content-Encoding: {coding}"))
        hosts = {f"h{place}.test": origin.at(address) for place, address in enumerate(addresses)}
        told = json.dumps([str(tmp_path), hosts, QUICK | {"max_response": limit}])
        done = subprocess.run([sys.executable, "-c", CHILD, told], capture_output=True, text=True, check=True)
    kilobytes, bombs, pages = json.loads(done.stdout)
    assert bombs == pages == NUM_HOSTS
    # all of them at once would be 60 or 240 MiB, and twice as much again for what is read in them
    assert kilobytes < 100 << 10
