"""How much memory the store step takes, and how that grows: ten times the pages beside a tenth of them.

The input is the folder that a crawl leaves: WARC files and ``captures.cdxj``, of 1 000 000 made-up pages and
of 100 000 (`--quick`: 20 000 and 2 000). A page has ten links: to pages of its host, to pages anywhere, and
two to URLs that nobody else links to and that were not captured. One in fifty is a copy of another page, one
in fifty URLs is a redirect. The step runs in a fresh process that computes everything itself (workers have
their own memory, of which the parsing of 4 096 pages is the most).

The answer is the peak of resident memory in MB, that of an interpreter with everything imported included;
mapped files count as far as they were touched. `ratio` compares ours with ours: 1 would be perfect, 0.1 is
memory that grows as the input does. `details` has the peak of each piece of work, by what its progress is
called, what the interpreter had before, and how much came on top of that at both sizes.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench.frame import BuiltIn, Call, Figure, main

_HOST_PAGES = 200
_DATE = 1_781_289_000 * 10**9
_WORDS = [f"word{number}" for number in range(2000)]
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"


def prepare(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Write both folders."""
    for name, count in (
        (("small", 2_000), ("large", 20_000))
        if quick
        else (
            ("small", 100_000),
            ("large", 1_000_000),
        )
    ):
        (folder / name).mkdir()
        write_crawl(folder / name, count)


def write_crawl(folder: Path, count: int) -> None:
    """Write what a crawl of so many pages would leave."""
    from webstrata.archive.cdxj import Line
    from webstrata.archive.warc import Capture, WarcWriter

    draw = random.Random(7)
    with (
        WarcWriter(folder, "crawl", level=1, max_bytes=64 << 20) as writer,
        (folder / "captures.cdxj").open("wb") as lines,
    ):
        for page in range(count):
            url, date = _url(page), _DATE + page * 10**7
            redirect = _url(draw.randrange(count)) if page % 50 == 7 else None
            head = f"HTTP/1.1 301 Moved\r\nLocation: {redirect}\r\n".encode() if redirect else _HEAD
            body = b"" if redirect else _page(page - page % 50 if page % 50 == 9 else page, count)
            capture = Capture(url=url, date=date, head=head, body=body)
            place = writer.write(capture)
            line = Line(
                url=url,
                date=date,
                mime="text/html",
                status=301 if redirect else 200,
                digest=capture.digest,
                fingerprint=int.from_bytes(capture.digest[:8], "big"),
                redirect=redirect,
                **place._asdict(),
            )
            lines.write(line.to_bytes())


def _url(page: int) -> str:
    host, own = divmod(page, _HOST_PAGES)
    return f"http://www{host % 7}.host{host}.example.org/folder{own % 5}/page-{own}.html"


def _page(page: int, count: int) -> bytes:
    draw = random.Random(page)
    start = page - page % _HOST_PAGES
    targets = [start + draw.randrange(_HOST_PAGES) for _ in range(5)]
    targets += [draw.randrange(count) for _ in range(3)]
    links = [_url(min(target, count - 1)) for target in targets]
    links += [f"http://outside{draw.randrange(10**6)}.example.com/{page}/{place}" for place in range(2)]
    text = " ".join(draw.choices(_WORDS, k=60))
    anchors = "".join(
        f'<li><a href="{link}">about {text[place : place + 20]}</a>' for place, link in enumerate(links)
    )
    return f"<html><title>Page {page}</title><h1>Page {page}</h1><p>{text}<ul>{anchors}</ul>".encode()


# ---- measuring, in a process of its own


def store(crawl: Path, folder: Path) -> dict[str, Any]:
    """Run the step, and tell the peak of each piece of its work in MB."""
    import webstrata as ws
    from webstrata.collection.progress import Progress
    from webstrata.collection.progress import Task as Piece
    from webstrata.store.build import build_store

    class Watch(Progress):
        """Reads the peak when a piece of work ends, and sets it back."""

        def __init__(self) -> None:
            super().__init__()
            self.peaks: dict[str, int] = {}

        def closed(self, task: Piece) -> None:
            title = task.title.split("-0")[0]
            self.peaks[title] = max(self.peaks.get(title, 0), _take_peak())

    snapshot = ws.create(folder / "uk").add("2026-06")
    before, watch = _take_peak(), Watch()
    build_store(snapshot, crawl, workers=1, progress=watch)
    peaks = {**watch.peaks, "the rest": _take_peak()}
    top = max(peaks.values())
    return {
        "value": top,
        "pages": len(snapshot.urls),
        "before": before,
        "on_top": top - before,
        "peaks": dict(sorted(peaks.items(), key=lambda item: -item[1])),
    }


def _take_peak() -> int:
    """The largest resident size since the last time this was asked, in MB."""
    text = Path("/proc/self/status").read_text()
    peak = next(line.split()[1] for line in text.splitlines() if line.startswith("VmHWM"))
    Path("/proc/self/clear_refs").write_text("5")
    return round(int(peak) * 1024 / 1e6)


def _measure(place: str, name: str) -> dict[str, Any]:
    folder = Path(tempfile.mkdtemp(dir=Path(place).parent))
    words = [sys.executable, "-m", "bench.store_memory", "--store", str(Path(place) / name), str(folder)]
    try:
        done = subprocess.run(words, check=True, capture_output=True, text=True, env=os.environ.copy())
        found: dict[str, Any] = json.loads(done.stdout)
    finally:
        shutil.rmtree(folder)
    return found


def measure_large(place: str) -> dict[str, Any]:
    """The larger number of pages."""
    return _measure(place, "large")


def measure_small(place: str) -> dict[str, Any]:
    """A tenth of them."""
    return _measure(place, "small")


FIGURES = [
    Figure(
        name="store-memory",
        prepare=prepare,
        ours=Call("bench.store_memory:measure_large"),
        theirs=Call("bench.store_memory:measure_small"),
        peer=BuiltIn("webstrata on a tenth of the pages"),
        measure="answer",
        unit="MB",
        rounds=1,
        quick_rounds=1,
        warm_up=False,
        # each record of a WARC file has an identifier of its own
        varies=True,
    )
]

if __name__ == "__main__":
    if sys.argv[1:2] == ["--store"]:
        print(json.dumps(store(Path(sys.argv[2]), Path(sys.argv[3]))))
    else:
        main(FIGURES)
