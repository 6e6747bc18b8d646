"""An index divided by documents and by terms on many documents (LECT): ``python -m bench.partitions``.

Synthetic documents with the shape of text: words drawn from a vocabulary of 200 000 with probabilities ∝ 1/r
(Zipf), lengths log-normal with a median of 60 words, on hosts of 100 pages. They are written batch by batch,
so memory does not grow with their number. The index is built from them, then `search compare` measures it and
its partitions: bytes moved, latency and balance for the same Zipfian queries.

10⁶ documents by default, 20 000 with ``--quick``. One line of JSON per way to answer, then one with sizes,
seconds and the largest resident size of this process and of its servers.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.frame import DATA, find_commit

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    import webstrata as ws

DOCUMENTS, QUICK_DOCUMENTS = 1_000_000, 20_000
VOCABULARY = 200_000
MEDIAN, SIGMA = 60, 0.7
SEED = 7
PER_HOST = 100


def make_documents(collection: ws.Collection, documents: int) -> None:
    """A snapshot with `urls`, `text` and `anchors` of synthetic documents, in memory for a batch."""
    import pyarrow as pa

    from webstrata.store.anchors import ANCHORS
    from webstrata.store.parquet.rows import write_rows
    from webstrata.store.text import BATCH, COLUMNS, write_text
    from webstrata.store.urls import write_urls

    snapshot = collection.add("2026-06")
    keys = [f"example,h{node // PER_HOST:07})/{node % PER_HOST:03}" for node in range(documents)]
    none = pa.table({"row_key": pa.array([], pa.string()), "node": pa.array([], pa.uint32())})
    with snapshot.write_part("urls") as build:
        write_urls(build.path, pa.array(keys, pa.large_string()), none)
    del keys
    lengths: list[int] = []

    def columns() -> Iterator[pa.Table]:
        for start in range(0, documents, 1 << 16):
            some = lengths[start : start + (1 << 16)]
            same = {"language": ["en"] * len(some), "charset": ["UTF-8"] * len(some)}
            yield pa.table({"words": some, **same, "simhash": [0] * len(some)}, schema=COLUMNS)

    with snapshot.write_part("text") as build:
        write_text(build.path, make_batches(documents, BATCH, lengths), columns())
    with snapshot.write_part("anchors", inputs=("urls",)) as build:
        write_rows(build.path / "anchors.parquet", ANCHORS, [ANCHORS.empty_table()])


def make_batches(documents: int, size: int, lengths: list[int]) -> Iterator[pa.RecordBatch]:
    """Texts in batches; their lengths in words are appended to `lengths`."""
    import numpy as np
    import pyarrow as pa

    from webstrata.store.text import TEXT

    random = np.random.default_rng(SEED)
    bounds = np.cumsum(1 / np.arange(1, VOCABULARY + 1))
    words = np.array([spell(rank) for rank in range(VOCABULARY)])
    for start in range(0, documents, size):
        number = min(size, documents - start)
        counts = np.clip(random.lognormal(np.log(MEDIAN), SIGMA, number).astype(int), 5, 2_000)
        drawn = words[np.searchsorted(bounds, random.random(int(counts.sum())) * bounds[-1])]
        texts = [" ".join(piece) for piece in np.split(drawn, np.cumsum(counts)[:-1])]
        lengths += counts.tolist()
        rows = [
            {
                "title": text[:40].rpartition(" ")[0],
                "headings": [],
                "text": text,
                "main": [0, len(text)],
                "fallback": False,
            }
            for text in texts
        ]
        yield pa.RecordBatch.from_pylist(rows, schema=TEXT)


def spell(rank: int) -> str:
    """A word that no stemmer changes, of the letters a to j: the digits of a number, the end its length.

    Examples
    --------
    >>> spell(0), spell(42)
    ('ab', 'ecb')
    """
    return "".join("abcdefghij"[int(digit)] for digit in str(rank)) + "b"


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, help=f"how many; default: {DOCUMENTS:,}")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_DOCUMENTS:,} documents and few queries")
    parser.add_argument("--queries", type=int, help="how many; default: 300, with --quick 50")
    parser.add_argument("--servers", type=int, default=4, help="parts of each partition; default: 4")
    chosen = parser.parse_args()
    documents = chosen.documents or (QUICK_DOCUMENTS if chosen.quick else DOCUMENTS)
    queries = chosen.queries or (50 if chosen.quick else 300)
    DATA.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="partitions-", dir=DATA))
    try:
        run(folder, documents, queries, chosen.servers)
    finally:
        shutil.rmtree(folder)


def run(folder: Path, documents: int, queries: int, servers: int) -> None:
    """Make documents, index and partitions in a folder, and measure them."""
    import webstrata as ws
    from webstrata.search.build import build_text_index
    from webstrata.search.distributed.comparison import measure_partitions

    seconds: dict[str, float] = {}
    begun = time.monotonic()

    def note(what: str) -> None:
        seconds[what] = round(time.monotonic() - begun - sum(seconds.values()), 1)
        print(f"{what}: {seconds[what]} s", file=sys.stderr, flush=True)

    collection = ws.create(folder / "uk")
    make_documents(collection, documents)
    note("documents")
    build_text_index(collection, workers=1)
    note("index")
    found = measure_partitions(collection, {}, parts=servers, queries=queries)
    note("compare")
    for measured in found:
        print(json.dumps({"documents": documents, **measured.to_dict()}))
    usage = {
        name: resource.getrusage(who).ru_maxrss * 1024
        for name, who in (("process", resource.RUSAGE_SELF), ("servers", resource.RUSAGE_CHILDREN))
    }
    print(json.dumps({"documents": documents, "seconds": seconds, "peak": usage, "commit": find_commit()}))


if __name__ == "__main__":
    main()
