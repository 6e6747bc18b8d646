"""The pages of `webstrata serve`: search at a rate, hits over time, start, memory, scripts, first paint.

The collection has ten snapshots of 100 000 pages (`--quick`: 1 000), 1 000 000 captures: words drawn from a
vocabulary of 200 000 with probabilities ∝ 1/r, one page in four with another text from month to month. The
server is `webstrata serve` in a process of its own, asked on loopback over real HTTP.

`serve-search-p99`: the 99th percentile in milliseconds of ``/search.json`` at 200 requests/s, counted from
the moment at which each request was due; 500 queries of one to three words drawn from the hundredth to the
20 000th word by frequency, each with results, snippets and hits over time. `serve-histogram`: the slowest of
200 histograms of hits over time, by the index alone. The baseline of both is SQLite's FTS5 in a process of
its own, asked directly: top ten by `bm25` and hits per month, one row per version.

`serve-busy`: how many times as long the 99th percentile of CDX look-ups at 100 requests/s is while another
process compresses and parses without a pause on each core, against pywb. `serve-start`: seconds from the
command to the first response. `serve-rss`: resident MiB after 1 000 searches and 200 other pages;
`serve-rss-replay`: after 2 000 CDX look-ups and as many mementos. `serve-scripts`: gzipped KB of the scripts
of the search page; pywb's side is its page of captures. `serve-paint`: seconds to the largest contentful
paint of home page and search page in Chromium, the slower of the two.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urljoin

from bench.frame import OURS, PEERS, BuiltIn, Call, Figure, Peer, main
from bench.get import _url
from bench.get import prepare as prepare_get
from bench.serve import _ask_at_rate, _paths, _serving

if TYPE_CHECKING:
    from collections.abc import Iterator

MONTHS = 10
CHANGED = 0.25
RATE, SECONDS = 200, 5
QUERIES = 500
BURN = """
import zlib, re, time
text = b"".join(b"<p>word %d of a page</p>" % (n * n % 9973) for n in range(20000))
until = time.monotonic() + 60
while time.monotonic() < until:
    re.findall(rb"[a-z]+", zlib.decompress(zlib.compress(text, 6)))
"""


def prepare(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Ten months of synthetic pages, their index, the same in SQLite, and the queries."""
    import numpy as np

    import webstrata as ws
    from bench.partitions import spell

    pages = 1_000 if quick else 100_000
    collection = ws.create(folder / "uk")
    for month in range(MONTHS):
        _add_month(collection, month, pages)
    collection.build("text_index")
    random = np.random.default_rng(11)
    ranks = np.exp(random.uniform(np.log(100), np.log(2_000 if quick else 20_000), 3 * QUERIES)).astype(int)
    words = [spell(int(rank)) for rank in ranks]
    queries = [" ".join(words[3 * place : 3 * place + 1 + place % 3]) for place in range(QUERIES)]
    (folder / "queries.json").write_text(json.dumps(queries))
    _write_sqlite(folder, pages)


def _texts(month: int, pages: int) -> Iterator[tuple[list[str], list[int]]]:
    """Texts of a month in batches, each with its numbers of words; a page keeps its text until it changes."""
    import numpy as np

    from bench.partitions import MEDIAN, SIGMA, VOCABULARY, spell

    bounds = np.cumsum(1 / np.arange(1, VOCABULARY + 1))
    words = np.array([spell(rank) for rank in range(VOCABULARY)])
    changes = np.random.default_rng(3).random((MONTHS, pages)) < CHANGED
    changes[0] = False
    versions = changes[: month + 1].sum(axis=0)
    for start in range(0, pages, 1_024):
        texts = []
        for page in range(start, min(start + 1_024, pages)):
            random = np.random.default_rng((int(versions[page]), page))
            count = int(np.clip(random.lognormal(np.log(MEDIAN), SIGMA), 5, 2_000))
            texts.append(" ".join(words[np.searchsorted(bounds, random.random(count) * bounds[-1])]))
        yield texts, [text.count(" ") + 1 for text in texts]


def _add_month(collection: Any, month: int, pages: int) -> None:  # noqa: ANN401 (no import at the top)
    import pyarrow as pa

    from bench.partitions import PER_HOST
    from webstrata.store.anchors import ANCHORS
    from webstrata.store.pages import write_pages
    from webstrata.store.parquet.rows import write_rows
    from webstrata.store.text import BATCH, COLUMNS, TEXT, write_text
    from webstrata.store.urls import write_urls

    snapshot = collection.add(f"2026-{month + 1:02}")
    keys = [f"example,h{node // PER_HOST:07})/{node % PER_HOST:03}" for node in range(pages)]
    urls = [f"http://h{node // PER_HOST:07}.example/{node % PER_HOST:03}" for node in range(pages)]
    none = pa.table({"row_key": pa.array([], pa.string()), "node": pa.array([], pa.uint32())})
    with snapshot.write_part("pages") as build:
        write_pages(build.path / "pages.parquet", pa.table({"url": urls}))
        build.count(nodes=pages)
    with snapshot.write_part("urls") as build:
        write_urls(build.path, pa.array(keys, pa.large_string()), none)
    lengths: list[int] = []

    def rows() -> Iterator[pa.RecordBatch]:
        for texts, counts in _texts(month, pages):
            lengths.extend(counts)
            for start in range(0, len(texts), BATCH):
                yield pa.RecordBatch.from_pylist(
                    [
                        {
                            "title": text[:40].rpartition(" ")[0],
                            "headings": [],
                            "text": text,
                            "main": [0, len(text)],
                            "fallback": False,
                        }
                        for text in texts[start : start + BATCH]
                    ],
                    schema=TEXT,
                )

    def columns() -> Iterator[pa.Table]:
        same = {"language": ["en"] * len(lengths), "charset": ["UTF-8"] * len(lengths)}
        yield pa.table({"words": lengths, **same, "simhash": [0] * len(lengths)}, schema=COLUMNS)

    with snapshot.write_part("text") as build:
        write_text(build.path, rows(), columns())
    with snapshot.write_part("anchors", inputs=("urls",)) as build:
        write_rows(build.path / "anchors.parquet", ANCHORS, [ANCHORS.empty_table()])


def _write_sqlite(folder: Path, pages: int) -> None:
    """A row per version: title and text in FTS5, first and last month in a table."""
    import sqlite3

    with contextlib.closing(sqlite3.connect(folder / "pages.sqlite")) as base:
        base.execute("create virtual table version using fts5(title, body)")
        base.execute("create table span (first int, last int)")
        known: dict[int, tuple[str, int]] = {}
        number = 0
        for month in range(MONTHS):
            page = 0
            for texts, _ in _texts(month, pages):
                for text in texts:
                    before = known.get(page)
                    if before is not None and before[0] == text:
                        base.execute("update span set last = ? where rowid = ?", (month, before[1]))
                    else:
                        number += 1
                        title = text[:40].rpartition(" ")[0]
                        base.execute(
                            "insert into version(rowid, title, body) values (?, ?, ?)", (number, title, text)
                        )
                        base.execute(
                            "insert into span(rowid, first, last) values (?, ?, ?)", (number, month, month)
                        )
                        known[page] = (text, number)
                    page += 1
        base.commit()


# ---- servers


@contextlib.contextmanager
def _serving_pages(place: str) -> Iterator[tuple[int, int]]:
    """The port and the process of `webstrata serve`."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    words = [sys.executable, "-m", "webstrata", "serve", str(Path(place) / "uk"), "--port", str(port)]
    with (Path(place) / "serve-log").open("wb") as log:
        server = subprocess.Popen(words, stdout=log, stderr=subprocess.STDOUT)
        try:
            _wait(f"http://127.0.0.1:{port}/healthz", server)
            yield port, server.pid
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(30)


def _wait(address: str, server: subprocess.Popen[bytes]) -> None:
    for _ in range(3_000):
        try:
            urllib.request.urlopen(address).read()
        except OSError:
            if server.poll() is not None:
                raise RuntimeError(f"the server ended with {server.returncode}") from None
            time.sleep(0.01)
        else:
            return
    raise RuntimeError(f"{address}: no response in 30 s")


def _percentile(times: list[float]) -> float:
    return sorted(times)[int(len(times) * 0.99)] * 1e3


def search_ours(place: str) -> dict[str, Any]:
    """99th percentile of searches at the rate, milliseconds."""
    queries = json.loads((Path(place) / "queries.json").read_text())
    paths = [f"/search.json?q={quote(query)}" for query in queries]
    with _serving_pages(place) as (port, _):
        asyncio.run(_ask_at_rate(port, paths, 50, 2))
        taken = asyncio.run(_ask_at_rate(port, paths, RATE, SECONDS))
    return {
        "value": _percentile(taken),
        "median": round(statistics.median(taken) * 1e3, 2),
        "responses": len(taken),
        "due": RATE * SECONDS,
        "load": os.getloadavg()[0],
    }


def search_sqlite(place: str) -> dict[str, Any]:
    """99th percentile of the same queries, one after the other, milliseconds."""
    times = [
        _ask_sqlite(place, query, ranked=True)
        for query in json.loads((Path(place) / "queries.json").read_text())
    ]
    return {"value": _percentile(times), "median": round(statistics.median(times) * 1e3, 2)}


def histogram_ours(place: str) -> dict[str, Any]:
    """The slowest of 200 histograms, milliseconds."""
    import webstrata as ws
    from webstrata.search.settings import SearchSettings
    from webstrata.serve.page.search import count_hits

    index = ws.open(Path(place) / "uk").text_index
    times = []
    for query in json.loads((Path(place) / "queries.json").read_text())[:200]:
        began = time.perf_counter()
        count_hits(index, query, "", SearchSettings())
        times.append(time.perf_counter() - began)
    return {"value": max(times) * 1e3, "median": round(statistics.median(times) * 1e3, 2)}


def histogram_sqlite(place: str) -> dict[str, Any]:
    """The same by FTS5."""
    queries = json.loads((Path(place) / "queries.json").read_text())[:200]
    times = [_ask_sqlite(place, query, ranked=False) for query in queries]
    return {"value": max(times) * 1e3, "median": round(statistics.median(times) * 1e3, 2)}


def _ask_sqlite(place: str, query: str, *, ranked: bool) -> float:
    import functools
    import sqlite3

    @functools.cache
    def open_base(path: str) -> sqlite3.Connection:
        return sqlite3.connect(path)

    base = open_base(str(Path(place) / "pages.sqlite"))
    match = " OR ".join(query.split())
    began = time.perf_counter()
    if ranked:
        base.execute(
            "select rowid, bm25(version), snippet(version, 1, '', '', '…', 24) from version "
            "where version match ? order by rank limit 10",
            (match,),
        ).fetchall()
    spans = base.execute(
        "select first, last, count(*) from version join span on span.rowid = version.rowid "
        "where version match ? group by first, last",
        (match,),
    ).fetchall()
    [sum(count for first, last, count in spans if first <= month <= last) for month in range(MONTHS)]
    return time.perf_counter() - began


# ---- beside a build, start, memory


def _busy(place: str, side: str) -> dict[str, Any]:
    """How many times as long the 99th percentile is while every core has other work."""
    paths, rate = _paths(place, "cdx"), 100 if side == "ours" else 20
    with _serving(place, side) as port:
        asyncio.run(_ask_at_rate(port, paths, rate / 2, 2))
        quiet = _percentile(asyncio.run(_ask_at_rate(port, paths, rate, 5)))
        builds = [subprocess.Popen([sys.executable, "-c", BURN]) for _ in range(os.cpu_count() or 1)]
        try:
            busy = _percentile(asyncio.run(_ask_at_rate(port, paths, rate, 5)))
        finally:
            for build in builds:
                build.kill()
                build.wait()
    return {"value": busy / quiet, "quiet_ms": round(quiet, 2), "busy_ms": round(busy, 2), "rate": rate}


def busy_ours(place: str) -> dict[str, Any]:
    """Ours."""
    return _busy(place, "ours")


def busy_pywb(place: str) -> dict[str, Any]:
    """The same by pywb, at a fifth of the rate, which it can keep."""
    return _busy(place, "pywb")


def start_ours(place: str) -> dict[str, Any]:
    """Seconds from the command to the first home page."""
    began = time.perf_counter()
    with _serving_pages(place) as (port, _):
        up = time.perf_counter() - began
        urllib.request.urlopen(f"http://127.0.0.1:{port}/").read()
        home = time.perf_counter() - began
    return {"value": up, "home": round(home, 2)}


def start_pywb(place: str) -> dict[str, Any]:
    """Seconds from the command to the first response."""
    began = time.perf_counter()
    with _serving(place, "pywb"):
        return {"value": time.perf_counter() - began}


def _resident(pid: int) -> float:
    text = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmHWM:\s*(\d+)", text)
    return int(found[1]) / 1024 if found else 0.0


def memory_ours(place: str) -> dict[str, Any]:
    """Resident MiB, the most there was, after many requests of all kinds."""
    queries = json.loads((Path(place) / "queries.json").read_text())
    pages = [f"/page/http://h{number:07}.example/000" for number in range(10)] + ["/", "/hosts", "/parts"]
    with _serving_pages(place) as (port, pid):
        started = _resident(pid)
        for number in range(1_000):
            address = f"http://127.0.0.1:{port}/search.json?q={quote(queries[number % len(queries)])}"
            urllib.request.urlopen(address).read()
        for number in range(200):
            urllib.request.urlopen(f"http://127.0.0.1:{port}{pages[number % len(pages)]}").read()
        return {"value": _resident(pid), "at_start": round(started, 1)}


def memory_replay(place: str) -> dict[str, Any]:
    """Resident MiB of the replay origin after 2 000 look-ups and mementos of random URLs."""
    return _memory(place, "ours")


def memory_pywb(place: str) -> dict[str, Any]:
    """The same by pywb."""
    return _memory(place, "pywb")


def _memory(place: str, side: str) -> dict[str, Any]:
    with _serving(place, side) as port:
        for kind in ("cdx", "memento"):
            for path in _paths(place, kind):
                urllib.request.urlopen(f"http://127.0.0.1:{port}{path}").read()
        with contextlib.suppress(OSError):
            found = subprocess.run(
                ["ss", "-ltnpH", f"sport = :{port}"], capture_output=True, text=True
            ).stdout
            if match := re.search(r"pid=(\d+)", found):
                return {"value": _resident(int(match[1]))}
    raise RuntimeError("ss does not tell which process listens")


# ---- in a browser


def _scripts(address: str) -> float:
    """Gzipped KB of all scripts that a page loads."""
    page = urllib.request.urlopen(urllib.request.Request(address, headers={"Accept": "text/html"})).read()
    total = 0
    for name in re.findall(rb"<script[^>]+src=[\"']?([^\"' >]+)", page):
        script = urllib.request.urlopen(urljoin(address, name.decode())).read()
        total += len(gzip.compress(script, 9))
    return total / 1000


def scripts_ours(place: str) -> dict[str, Any]:
    """Of the search page with results."""
    query = json.loads((Path(place) / "queries.json").read_text())[0]
    with _serving_pages(place) as (port, _):
        return {"value": _scripts(f"http://127.0.0.1:{port}/search?q={quote(query)}")}


def scripts_pywb(place: str) -> dict[str, Any]:
    """Of pywb's page of captures of a URL."""
    del place
    get = Path(__file__).resolve().parent.parent / ".bench-data"
    found = next(path for path in (get / "full" / "get", get / "quick" / "get") if path.is_dir())
    with _serving(str(found), "pywb") as port:
        return {"value": _scripts(f"http://127.0.0.1:{port}/uk/*/{_url(1)}")}


PAINT = """() => new Promise(done => {
    let last = 0;
    new PerformanceObserver(list => { for (const e of list.getEntries()) last = e.startTime; })
        .observe({type: "largest-contentful-paint", buffered: true});
    setTimeout(() => done(last), 1500);
})"""


def _paint(address: str, rounds: int = 3) -> list[float]:
    import shutil

    from playwright.sync_api import sync_playwright

    times = []
    with sync_playwright() as started:
        flags = ["--no-proxy-server", "--no-sandbox"]
        browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        for _ in range(rounds):
            page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
            page.goto(address)
            times.append(float(page.evaluate(PAINT)) / 1e3)
        browser.close()
    return times


def paint_ours(place: str) -> dict[str, Any]:
    """Seconds to the largest contentful paint: the slower median of home page and search page."""
    query = json.loads((Path(place) / "queries.json").read_text())[0]
    with _serving_pages(place) as (port, _):
        home = _paint(f"http://127.0.0.1:{port}/")
        search = _paint(f"http://127.0.0.1:{port}/search?q={quote(query)}")
    found = [statistics.median(home), statistics.median(search)]
    return {"value": max(found), "home": round(found[0], 3), "search": round(found[1], 3), "first": home[0]}


def paint_page(place: str) -> dict[str, Any]:
    """A page of one sentence from Python's own server: what Chromium takes for anything."""
    import functools
    import http.server
    import threading

    folder = Path(place) / "plain-page"
    folder.mkdir(exist_ok=True)
    (folder / "index.html").write_text("<!doctype html><title>plain</title><h1>One sentence</h1>")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        found = _paint(f"http://127.0.0.1:{server.server_address[1]}/")
        server.shutdown()
    return {"value": statistics.median(found)}


def _figure(name: str, ours: str, theirs: str, peer: Peer, **more: Any) -> Figure:  # noqa: ANN401
    fields: dict[str, Any] = {"data": "serve-search", "prepare": prepare, "warm_up": False} | more
    python = (OURS if isinstance(peer, BuiltIn) else PEERS) / "python"
    return Figure(
        name=name,
        varies=True,
        ours=Call(f"bench.serve_pages:{ours}"),
        theirs=Call(f"bench.serve_pages:{theirs}", python),
        peer=peer,
        measure="answer",
        rounds=3,
        quick_rounds=1,
        in_quick=False,
        **fields,
    )


PYWB, FTS = Peer("pywb"), BuiltIn("SQLite FTS5")
GET = {"data": "get", "prepare": prepare_get}
FIGURES = [
    _figure("serve-search-p99", "search_ours", "search_sqlite", FTS, unit="ms"),
    _figure("serve-histogram", "histogram_ours", "histogram_sqlite", FTS, unit="ms"),
    _figure("serve-busy", "busy_ours", "busy_pywb", PYWB, unit="times", **GET),
    _figure("serve-start", "start_ours", "start_pywb", PYWB, **GET),
    _figure("serve-rss", "memory_ours", "memory_ours", BuiltIn("itself"), unit="MiB"),
    _figure("serve-rss-replay", "memory_replay", "memory_pywb", PYWB, unit="MiB", **GET),
    _figure("serve-scripts", "scripts_ours", "scripts_pywb", PYWB, unit="KB"),
    _figure("serve-paint", "paint_ours", "paint_page", BuiltIn("a page of one sentence"), unit="s"),
]

if __name__ == "__main__":
    main(FIGURES)
