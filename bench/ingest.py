"""How fast archives become a snapshot: `webstrata ingest` beside a loop over FastWARC and resiliparse.

Ours is the whole of it: records read and checked, captures stored, index, pages, URLs, and of every page
text, title, headings, words, language, charset, simhash, links with their texts, and anchors, all on disk and
digested. Theirs is what anybody would write with the two packages: read a record, SHA-1 of the payload,
detect the charset, parse, text, absolute targets and texts of all links, a simhash of the words by BLAKE2b,
and write all of it to a Parquet file. It has no index, no languages, no headings and no anchors, and stores
no captures.

Both get the same four files, 32 000 pages in all (`--quick`: 2 000), real ones where `WEBSTRATA_CORPUS`
names a folder, else of the in-vitro web. The answer is pages per second of wall-clock time, on one core
and, for ours, on two (`ingest-two-cores`, which compares ours with ours: 2 would be perfect); `details` has
seconds of processor time, which say more on a busy machine. `ingest-crawl` has the files of a crawl of the
in-vitro web instead.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import Any

from bench.frame import PEERS, BuiltIn, Call, Figure, Peer, main
from bench.warc import IS_REAL, iter_pages, write_pages

_FILES = 4


def prepare(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Write the files."""
    count = 2_000 if quick else 32_000
    pages = iter_pages(count)
    for number in range(_FILES):
        write_pages(folder / f"pages-{number}.warc.gz", islice(pages, count // _FILES))


def prepare_crawl(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Crawl the in-vitro web over loopback, and keep the WARC files; no two crawls have the same bytes."""
    import webstrata as ws
    from webstrata.crawl.run import Crawl
    from webstrata.crawl.settings import CrawlSettings
    from webstrata.invitro import Web

    web = Web("realistic", seed=7)
    options = {
        "host_delay": 0.0,
        "ip_delay": 0.0,
        "max_crawl_delay": 0.0,
        "resolve": False,
        "max_pages": 2_000 if quick else 32_000,
    }
    with tempfile.TemporaryDirectory() as scratch, web.serve(origins=True) as server:
        snapshot = ws.create(Path(scratch) / "uk").add("2026-06")
        hosts = {name: (address, server.port) for name, address in server.addresses().items()}
        settings = CrawlSettings.read(options=options, environment={})
        Crawl(snapshot, settings, seeds=web.home_pages(), hosts=hosts).run()
        for path in (snapshot.path / "warc").glob("*.warc.gz"):
            shutil.copyfile(path, folder / path.name)


def _clock() -> float:
    """Seconds of processor time of this process and of those that it has waited for."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def ingest_ours(place: str, cores: int = 1) -> dict[str, Any]:
    """Make a snapshot of the files."""
    import webstrata as ws
    from webstrata.store.ingest.run import ingest

    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    folder = Path(tempfile.mkdtemp(dir=Path(place).parent))
    try:
        snapshot = ws.create(folder / "uk").add("2026-06")
        began, used = time.perf_counter(), _clock()
        result = ingest(snapshot, sorted(Path(place).glob("*.warc.gz")))
        return _answer(result.captures, began, used)
    finally:
        shutil.rmtree(folder)


def ingest_two(place: str) -> dict[str, Any]:
    """The same on two cores."""
    return ingest_ours(place, 2)


def ingest_theirs(place: str) -> dict[str, Any]:
    """Read, parse and write with FastWARC and resiliparse."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
    folder = Path(tempfile.mkdtemp(dir=Path(place).parent))
    try:
        began, used = time.perf_counter(), _clock()
        pages = sum(_loop(path, folder) for path in sorted(Path(place).glob("*.warc.gz")))
        return _answer(pages, began, used)
    finally:
        shutil.rmtree(folder)


def _loop(path: Path, folder: Path) -> int:
    import base64
    import hashlib
    import re
    from urllib.parse import urljoin

    import pyarrow as pa
    import pyarrow.parquet as pq
    from fastwarc.warc import ArchiveIterator, WarcRecordType  # type: ignore[import-not-found,unused-ignore]
    from resiliparse.extract.html2text import extract_plain_text  # type: ignore[import-not-found]
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding  # type: ignore[import-not-found]
    from resiliparse.parse.html import HTMLTree  # type: ignore[import-not-found]

    hashes: dict[str, int] = {}

    def hash_word(word: str) -> int:
        if word not in hashes:
            digest = hashlib.blake2b(word.encode(), digest_size=8).digest()
            hashes[word] = int.from_bytes(digest, "little")
        return hashes[word]

    def simhash(words: list[str]) -> int:
        import numpy as np

        if not words:
            return 0
        numbers = np.fromiter(map(hash_word, words), np.uint64, len(words))
        bits = np.unpackbits(numbers.view(np.uint8).reshape(-1, 8), axis=1)
        return int.from_bytes(np.packbits(2 * bits.sum(axis=0) > len(words)).tobytes(), "big")

    rows = []
    with path.open("rb") as stream:
        for record in ArchiveIterator(stream, record_types=WarcRecordType.response, parse_http=True):
            url = record.headers["WARC-Target-URI"]
            body = record.reader.read()
            tree = HTMLTree.parse(bytes_to_str(body, detect_encoding(body)))
            text = extract_plain_text(tree, main_content=False)
            links = [
                (urljoin(url, link.getattr("href")), link.text)
                for link in tree.document.query_selector_all("a[href]")
            ]
            words = re.findall(r"\w+", text.casefold())
            rows.append(
                {
                    "url": url,
                    "digest": base64.b32encode(hashlib.sha1(body).digest()).decode(),
                    "title": tree.title,
                    "text": text,
                    "words": len(words),
                    "simhash": simhash(words),
                    "targets": [target for target, _ in links],
                    "anchors": [anchor for _, anchor in links],
                }
            )
    schema = pa.schema(
        [
            *((name, pa.string()) for name in ("url", "digest", "title", "text")),
            ("words", pa.uint32()),
            ("simhash", pa.uint64()),
            *((name, pa.list_(pa.string())) for name in ("targets", "anchors")),
        ]
    )
    pq.write_table(
        pa.Table.from_pylist(rows, schema=schema), folder / f"{path.name}.parquet", compression="zstd"
    )
    return len(rows)


def _answer(pages: int, began: float, used: float) -> dict[str, Any]:
    wall, cpu = time.perf_counter() - began, _clock() - used
    return {
        "value": pages / wall,
        "pages": pages,
        "cpu_seconds": round(cpu, 2),
        "pages_per_cpu_second": round(pages / cpu, 1),
    }


def _figure(name: str, ours: str, **more: Any) -> Figure:  # noqa: ANN401 (fields of a figure)
    return Figure(
        name=name,
        data=("ingest-real" if IS_REAL else "ingest") if "crawl" not in name else name,
        varies="crawl" in name,
        prepare=prepare_crawl if "crawl" in name else prepare,
        ours=Call(f"bench.ingest:{ours}"),
        measure="answer",
        unit="pages/s",
        better="more",
        rounds=3,
        quick_rounds=3,
        **more,
    )


_LOOP: dict[str, Any] = {
    "theirs": Call("bench.ingest:ingest_theirs", PEERS / "python"),
    "peer": Peer("resiliparse"),
}

FIGURES = [
    _figure("ingest", "ingest_ours", **_LOOP),
    _figure(
        "ingest-two-cores",
        "ingest_two",
        theirs=Call("bench.ingest:ingest_ours"),
        peer=BuiltIn("webstrata on one core"),
    ),
    _figure("ingest-crawl", "ingest_ours", in_quick=False, **_LOOP),
]

if __name__ == "__main__":
    main(FIGURES)
