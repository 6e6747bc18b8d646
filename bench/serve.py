"""The replay origin: exact CDX look-ups and raw mementos per second, look-ups at a rate, pages of a host.

The collection is that of `bench.get`: 1 000 000 captures (`--quick`: 20 000). Each side is a server in a
process of its own, ours on the server base, pywb's `wayback` with its default server (gevent), asked for
random URLs on loopback. `serve-cdx` and `serve-memento` are the most responses per second (`wrk`) with 8 or
with 64 connections that are kept, whichever gives more: pywb sends head and body apart, and with few
connections the clients' delayed acknowledgements decide, not its speed. `serve-cdx-p99` is the 99th
percentile in milliseconds at 500 requests/s, counted from the moment at which each request was due; the
details say how many of them got a response within 30 s.
`serve-page` is the slowest of 40 pages, spread over all captures of one host (5 000 000; `--quick`: 200 000),
by the query alone; pywb reads a page with its `ZipNumIndexSource` from the same files.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.frame import PEERS, Call, Figure, Peer, main
from bench.get import _url, prepare

if TYPE_CHECKING:
    from collections.abc import Iterator

CONNECTIONS = (8, 64)
SECONDS = 3
RATE = 500
URLS = 2_000
HOST = "http://big.example.org"
OURS = """
import sys, webstrata as ws
from webstrata.serve.replay import make_replay_app
from webstrata.serve.settings import ServeSettings
from webstrata.web.server import Server
app = make_replay_app({"uk": ws.open(sys.argv[1])}, ServeSettings())
Server(app, port=int(sys.argv[2])).run()
"""
CONFIG = """
framed_replay: false
collections:
  uk:
    index_paths: {uk}/snapshots/2026-06/captures/
    archive_paths: {uk}/snapshots/2026-06/warc/
"""
LUA = """
local paths = {{}}
for line in io.lines("{paths}") do paths[#paths + 1] = line end
local at = 0
request = function() at = at % #paths + 1; return wrk.format("GET", paths[at]) end
"""


@contextlib.contextmanager
def _serving(place: str, side: str) -> Iterator[int]:
    """The port of a server in a process of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    uk = Path(place) / "uk"
    folder = Path(place) / f"serve-{side}"
    folder.mkdir(exist_ok=True)
    if side == "ours":
        words = [sys.executable, "-c", OURS, str(uk), str(port)]
    else:
        (folder / "config.yaml").write_text(CONFIG.format(uk=uk))
        words = [str(PEERS / "wayback"), "-p", str(port), "-b", "127.0.0.1"]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(words, cwd=folder, stdout=log, stderr=subprocess.STDOUT)
        try:
            for _ in range(600):
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/uk/cdx?url={_url(1)}").read()
                    break
                except OSError:
                    if server.poll() is not None:
                        raise RuntimeError((folder / "log").read_text()[-500:]) from None
                    time.sleep(0.1)
            yield port
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(30)


def _paths(place: str, kind: str) -> list[str]:
    count = int((Path(place) / "count").read_text())
    chosen = random.Random(7).sample(range(count), min(URLS, count))
    if kind == "memento":
        return [f"/uk/20260612183000id_/{_url(number)}" for number in chosen]
    return [f"/uk/cdx?url={_url(number)}&output=json" for number in chosen]


def _rate(place: str, side: str, kind: str) -> dict[str, Any]:
    """Responses per second; every one must have status 200 (wrk counts others)."""
    folder = Path(place) / f"paths-{side}-{kind}"
    folder.mkdir(exist_ok=True)
    (folder / "paths").write_text("\n".join(_paths(place, kind)))
    (folder / "wrk.lua").write_text(LUA.format(paths=folder / "paths"))
    wrk = shutil.which("wrk")
    if wrk is None:
        raise RuntimeError("wrk is not installed")
    rates = {}
    with _serving(place, side) as port:
        for number in CONNECTIONS:
            words = [wrk, "-t1", f"-c{number}", f"-d{SECONDS}s", "-s", str(folder / "wrk.lua")]
            done = subprocess.run(
                [*words, f"http://127.0.0.1:{port}"], capture_output=True, encoding="utf-8", check=True
            )
            if "Non-2xx" in done.stdout:
                raise RuntimeError(done.stdout)
            found = re.search(r"Requests/sec:\s*([0-9.]+)", done.stdout)
            rates[number] = float(found[1]) if found else 0.0
    return {"value": max(rates.values()), **{f"with_{number}": rate for number, rate in rates.items()}}


def cdx_ours(place: str) -> dict[str, Any]:
    """Exact look-ups per second."""
    return _rate(place, "ours", "cdx")


def cdx_pywb(place: str) -> dict[str, Any]:
    """The same by pywb."""
    return _rate(place, "pywb", "cdx")


def memento_ours(place: str) -> dict[str, Any]:
    """Raw mementos per second."""
    return _rate(place, "ours", "memento")


def memento_pywb(place: str) -> dict[str, Any]:
    """The same by pywb."""
    return _rate(place, "pywb", "memento")


async def _ask_at_rate(port: int, paths: list[str], rate: float, seconds: float) -> list[float]:
    """Seconds from the moment at which each request was due to the end of its response."""
    waiting: asyncio.Queue[tuple[float, str]] = asyncio.Queue()
    taken: list[float] = []

    async def work() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while True:
            due, path = await waiting.get()
            writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = re.search(rb"content-length: *(\d+)", head)
            if length:
                await reader.readexactly(int(length[1]))
            elif b"chunked" in head:
                while (size := int((await reader.readline()).split(b";")[0], 16)) > 0:
                    await reader.readexactly(size + 2)
                await reader.readline()
            else:
                writer.close()
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
            taken.append(time.perf_counter() - due)
            waiting.task_done()

    workers = [asyncio.create_task(work()) for _ in range(64)]
    began = time.perf_counter()
    for number in range(int(rate * seconds)):
        due = began + number / rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        waiting.put_nowait((due, paths[number % len(paths)]))
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(waiting.join(), 30)
    for worker in workers:
        worker.cancel()
    return taken


def _p99(place: str, side: str) -> dict[str, Any]:
    paths = _paths(place, "cdx")
    with _serving(place, side) as port:
        asyncio.run(_ask_at_rate(port, paths, 50, 1))
        taken = asyncio.run(_ask_at_rate(port, paths, RATE, SECONDS))
    times = sorted(taken)
    return {
        "value": times[int(len(times) * 0.99)] * 1e3,
        "median": round(statistics.median(times) * 1e3, 2),
        "responses": len(times),
        "due": RATE * SECONDS,
    }


def p99_ours(place: str) -> dict[str, Any]:
    """99th percentile of look-ups at the rate, milliseconds."""
    return _p99(place, "ours")


def p99_pywb(place: str) -> dict[str, Any]:
    """The same by pywb."""
    return _p99(place, "pywb")


def prepare_host(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """An index with the captures of one host, and nothing else."""
    from webstrata.archive.cdxj import Line, build_cdxj

    count = 200_000 if quick else 5_000_000
    source = folder / "lines"
    with source.open("wb") as out:
        for number in range(count):
            line = Line(
                url=f"{HOST}/folder{number % 997}/page{number}",
                date=(1_781_289_000 + number) * 10**9,
                mime="text/html",
                status=200,
                digest=number.to_bytes(20, "big"),
                length=500,
                offset=number * 500,
                filename="a.warc.gz",
            )
            out.write(line.to_bytes())
    (folder / "index").mkdir()
    build_cdxj(source, folder / "index", workers=os.cpu_count() or 1)
    source.unlink()


def _spread(pages: int) -> list[int]:
    return sorted(random.Random(7).sample(range(pages), min(40, pages)))


def page_ours(place: str) -> dict[str, Any]:
    """The slowest of 40 pages, milliseconds."""
    from webstrata.archive.cdxj import Index
    from webstrata.serve.replay.lines import BlockTable, MergedLines, Range
    from webstrata.serve.replay.rows import CdxRow

    with Index(Path(place) / "index") as index:
        lines = MergedLines([BlockTable(index)])
        whole = Range(b"org,example,big)", b"org,example,big*")
        pages = -(-lines.count_blocks(whole) // 10)
        times, rows = [], 0
        for page in _spread(pages):
            began = time.perf_counter()
            part = lines.cut(whole, page * 10, page * 10 + 10)
            body = b"".join(CdxRow(row.line, 0, "uk:2026-06", "uk").to_json() for row in lines.forward(part))
            times.append(time.perf_counter() - began)
            rows += body.count(b"\n")
    return {"value": max(times) * 1e3, "median": round(statistics.median(times) * 1e3, 2), "rows": rows}


def page_pywb(place: str) -> dict[str, Any]:
    """The same by pywb's reader."""
    from pywb.warcserver.index.zipnum import ZipNumIndexSource  # type: ignore[import-not-found]

    index = ZipNumIndexSource(str(Path(place) / "index" / "index.idx"))
    query = {"url": HOST + "/", "matchType": "host"}
    (facts,) = index.load_index(query | {"showNumPages": "true"})
    times, rows = [], 0
    for page in _spread(int(facts["pages"])):
        began = time.perf_counter()
        found = [each.to_json() for each in index.load_index(query | {"page": str(page)})]
        times.append(time.perf_counter() - began)
        rows += len(found)
    return {"value": max(times) * 1e3, "median": round(statistics.median(times) * 1e3, 2), "rows": rows}


def _figure(name: str, ours: str, theirs: str, **more: Any) -> Figure:  # noqa: ANN401 (fields of a figure)
    fields: dict[str, Any] = {"data": "get", "prepare": prepare} | more
    return Figure(
        name=name,
        varies=True,
        ours=Call(f"bench.serve:{ours}"),
        theirs=Call(f"bench.serve:{theirs}", PEERS / "python"),
        peer=Peer("pywb"),
        measure="answer",
        rounds=5,
        quick_rounds=2,
        **fields,
    )


FIGURES = [
    _figure("serve-cdx", "cdx_ours", "cdx_pywb", unit="responses/s", better="more", in_quick=False),
    _figure(
        "serve-memento", "memento_ours", "memento_pywb", unit="responses/s", better="more", in_quick=False
    ),
    _figure("serve-cdx-p99", "p99_ours", "p99_pywb", unit="ms", in_quick=False),
    _figure("serve-page", "page_ours", "page_pywb", unit="ms", data="serve-host", prepare=prepare_host),
]

if __name__ == "__main__":
    main(FIGURES)
