"""How long it takes to get a page by its URL out of a collection of a million, and to open that: beside pywb.

The collection has 1 000 000 pages (`--quick`: 20 000), each with a text of its own of some hundred bytes, so
that the index has the size of a real one and the files do not. `get` reads 1 000 random pages after 100 that
count for nothing: URL to index block to record to payload; the answer is the median in milliseconds, and
`details` has the 95th percentile and the resident bytes of the process. pywb's own index reader
(`ZipNumIndexSource`) looks for the same URLs in the same files, and warcio reads the records. `get-open`
opens the collection anew and gets one page, imports apart.
"""

from __future__ import annotations

import random
import resource
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.frame import PEERS, Call, Figure, Peer, main

if TYPE_CHECKING:
    from collections.abc import Callable

_HOSTS = 1_000
_COUNT = 1_000


def _url(number: int) -> str:
    return f"http://host{number % _HOSTS}.example.org/folder{number // _HOSTS % 37}/page{number}.html"


def prepare(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Write captures as a crawl does, and let the store step index them; nothing is parsed."""
    import shutil

    import webstrata as ws
    from webstrata.archive.cdxj import Line
    from webstrata.archive.warc import Capture, WarcWriter
    from webstrata.store.build import build_store

    count = 20_000 if quick else 1_000_000
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
    crawl = folder / "crawl"
    crawl.mkdir()
    with WarcWriter(crawl, "crawl", level=1) as writer, (crawl / "captures.cdxj").open("wb") as lines:
        for number in range(count):
            body = b"<title>Page %d</title><p>%d</p>" % (number, number * number) + b"<p>text</p>" * 20
            capture = Capture(url=_url(number), date=1_781_289_000 * 10**9, head=head, body=body)
            place = writer.write(capture)
            line = Line(
                url=capture.url,
                date=capture.date,
                mime="text/html",
                status=200,
                digest=capture.digest,
                fingerprint=number,
                **place._asdict(),
            )
            lines.write(line.to_bytes())
    snapshot = ws.create(folder / "uk").add("2026-06")
    build_store(snapshot, crawl, parts=())
    shutil.rmtree(crawl)
    (folder / "count").write_text(str(count))


def _measure(place: str, get: Callable[[str], bytes]) -> dict[str, Any]:
    count = int((Path(place) / "count").read_text())
    chosen = random.Random(7).sample(range(count), _COUNT + 100)
    times = []
    for number in chosen:
        began = time.perf_counter()
        body = get(_url(number))
        times.append(time.perf_counter() - began)
        if b"<title>Page %d<" % number not in body:
            raise ValueError(f"{_url(number)}: another page came")
    times = times[100:]
    return {
        "value": statistics.median(times) * 1e3,
        "p95": round(statistics.quantiles(times, n=20)[-1] * 1e3, 3),
        "resident_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def get_ours(place: str) -> dict[str, Any]:
    """By the collection, as users hold it."""
    import webstrata as ws

    collection = ws.open(Path(place) / "uk")
    return _measure(place, lambda url: collection.capture(url).payload)


def _open_pywb(place: str) -> Callable[[str], bytes]:
    """What pywb's server does with a request, without the server."""
    from pywb.warcserver.index.zipnum import ZipNumIndexSource  # type: ignore[import-not-found]
    from warcio.archiveiterator import ArchiveIterator  # type: ignore[import-untyped]

    snapshot = Path(place) / "uk" / "snapshots" / "2026-06"
    index = ZipNumIndexSource(str(snapshot / "captures" / "index.idx"))

    def get(url: str) -> bytes:
        entry = next(iter(index.load_index({"url": url, "limit": 1})))
        with (snapshot / "warc" / entry["filename"]).open("rb") as stream:
            stream.seek(int(entry["offset"]))
            body: bytes = next(iter(ArchiveIterator(stream))).content_stream().read()
            return body

    return get


def get_pywb(place: str) -> dict[str, Any]:
    """By pywb's own readers."""
    return _measure(place, _open_pywb(place))


def _open(place: str, opening: Callable[[], Callable[[str], bytes]]) -> dict[str, Any]:
    began = time.perf_counter()
    body = opening()(_url(17))
    taken = time.perf_counter() - began
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"value": taken * 1e3, "bytes": len(body), "resident_bytes": resident}


def open_pywb(place: str) -> dict[str, Any]:
    """Open the index and get a page, milliseconds."""
    return _open(place, lambda: _open_pywb(place))


def open_ours(place: str) -> dict[str, Any]:
    """Open the collection and get a page, milliseconds."""
    import webstrata as ws

    return _open(place, lambda: lambda url: ws.open(Path(place) / "uk").capture(url).payload)


def _figure(name: str, ours: str, theirs: str, **more: Any) -> Figure:  # noqa: ANN401 (fields of a figure)
    return Figure(
        name=name,
        data="get",
        varies=True,
        prepare=prepare,
        ours=Call(f"bench.get:{ours}"),
        theirs=Call(f"bench.get:{theirs}", PEERS / "python"),
        peer=Peer("pywb"),
        measure="answer",
        unit="ms",
        rounds=5,
        quick_rounds=3,
        **more,
    )


FIGURES = [_figure("get", "get_ours", "get_pywb"), _figure("get-open", "open_ours", "open_pywb")]

if __name__ == "__main__":
    main(FIGURES)
