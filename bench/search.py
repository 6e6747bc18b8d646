"""Search: latency and indexing beside plain tantivy, and what twelve months take in one index.

`search-latency` and `search-common`: milliseconds of the median query (p99 in the details), ten answers, one
to three words of middle frequency, or of the hundred most frequent ones. Both sides have the same documents
in one segment, and ask for the same terms in the same fields: ours the index as it is built, in which
versions share entries, with labels of snapshots, scored by BM25F; theirs, tantivy by its Python package, a
plain index with a document for each version, without labels, scored by the weighted sum of BM25 over fields,
which is what it offers. Ours makes its query of clauses each time; theirs has it made before.

`search-index`: documents a CPU second on one indexing thread, the same values of the same fields, English
stemmer, with positions where we have them. `search-two`: the index of all months built by two processes
(ours) and by one (theirs), seconds of the clock. `search-months`: bytes of the index of twelve months a page
of a month, ours, and of an index of each month alone, theirs. `search-grown`: the same, with months added one
by one.

Pages are those of an in-vitro web (`small`, seed 3), fetched without a network month by month, with what
links call them; from month to month one in seven gets another paragraph, and one in four another link in its
text. Twelve months of some 9 000 pages have 57 871 versions.
"""

from __future__ import annotations

import functools
import json
import multiprocessing
import os
import shutil
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from bench.frame import PEERS, BuiltIn, Call, Figure, Peer, main

if TYPE_CHECKING:
    import webstrata as ws
    from webstrata.invitro import Web
    from webstrata.search.index import TextIndex

MONTHS = 12
QUERIES = 400


def prepare(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Fetch the pages of all months, index them, and write what both sides are asked and given."""
    import webstrata as ws
    from webstrata.search.build import build_text_index

    collection = ws.create(folder / "uk")
    # 11 000 pages a month are some 50 000 versions
    make_collection(
        collection, pages=150 if quick else 11_000, months=MONTHS, workers=1 if quick else os.cpu_count() or 1
    )
    build_text_index(collection, workers=1)
    write_queries(collection.text_index, folder / "queries.json")
    write_plain(collection.text_index, folder / "plain")
    write_documents(collection, folder / "documents.json")


def make_collection(collection: ws.Collection, *, pages: int, months: int, workers: int = 1) -> None:
    """Give a collection the months of an in-vitro web, as a perfect crawl would leave them."""
    works = [
        (str(collection.path), collection.add(f"2026-{month + 1:02}").date, month, pages, months)
        for month in range(months)
    ]
    if workers == 1:
        for work in works:
            add_month(*work)
        return
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        list(pool.map(add_month, *zip(*works, strict=True)))


@functools.cache
def load_web(pages: int, months: int) -> Web:
    """The web, once in a process."""
    from webstrata.invitro import Web

    return Web("small", seed=3, pages=pages, months=months)


def add_month(path: str, label: str, month: int, pages: int, months: int) -> None:
    """Fill a snapshot with the pages of a month."""
    import pyarrow as pa

    import webstrata as ws
    from webstrata.store.anchors import ANCHORS
    from webstrata.store.contents import parse
    from webstrata.store.parquet.rows import write_rows
    from webstrata.store.text import BATCH, COLUMNS, TEXT, write_text
    from webstrata.store.urls import write_urls
    from webstrata.web.row_key import row_keys

    web, snapshot = load_web(pages, months), ws.open(path)[label]
    urls = list(web.graph(month, view="collection").urls)
    keys = row_keys(urls)
    order = sorted(range(len(keys)), key=lambda place: keys[place].encode())
    nodes = {keys[place]: node for node, place in enumerate(order)}
    rows, columns, anchors = [], [], []
    for node, place in enumerate(order):
        found = parse(web.fetch(urls[place], month).body, url=urls[place])
        rows.append(found.text)
        columns.append(found.columns)
        anchors += [
            {"target": nodes[key], "source": node, "rel": rel, "text": text}
            for key, kind, rel, text in found.links
            if kind == "anchor" and text and nodes.get(key, node) != node
        ]
    anchors.sort(key=lambda row: (row["target"], row["source"]))
    with snapshot.write_part("urls") as build:
        none = pa.table({"row_key": pa.array([], pa.string()), "node": pa.array([], pa.uint32())})
        write_urls(build.path, pa.array([keys[place] for place in order], pa.large_string()), none)
    with snapshot.write_part("text") as build:
        batches = (
            pa.RecordBatch.from_pylist(rows[start : start + BATCH], schema=TEXT)
            for start in range(0, len(rows), BATCH)
        )
        write_text(build.path, batches, pa.Table.from_pylist(columns, schema=COLUMNS))
    with snapshot.write_part("anchors", inputs=("urls",)) as build:
        table = pa.Table.from_pylist(anchors, schema=ANCHORS)
        write_rows(build.path / "anchors.parquet", ANCHORS, [table])


# ---- the same index, asked by both


def write_queries(index: TextIndex, path: Path) -> None:
    """Queries as both sides take them: a field, a term and a weight each, of common and of rarer words."""
    import numpy as np

    from webstrata.search.distributed.comparison import frequent_words
    from webstrata.search.fields import FIELDS, NUMBERS, weights
    from webstrata.search.settings import SearchSettings

    random = np.random.default_rng(5)
    words = frequent_words(index)
    scored = weights(SearchSettings())
    found = {}
    for name, some in (("common", words[:100]), ("middle", words[len(words) // 20 : len(words) // 2])):
        drawn = [random.choice(some, random.integers(1, 4), replace=False).tolist() for _ in range(QUERIES)]
        found[name] = drawn
    fields = {field: scored[field] for field, _ in FIELDS if field in scored}
    path.write_text(json.dumps({"queries": found, "fields": fields, "numbers": NUMBERS}))


def write_plain(index: TextIndex, folder: Path) -> None:
    """Write the documents of an index as plain tantivy has them: each by itself, in one segment."""
    import numpy as np

    from webstrata._core.search import Writer
    from webstrata.search.documents import Homes, PageReader
    from webstrata.search.fields import FIELDS, field_values

    homes = Homes.find([index.maps[label] for label in index.snapshots], len(index))
    folder.mkdir()
    writer = Writer(folder, FIELDS, index.analyzer)
    for number, label in enumerate(index.snapshots):
        documents = np.flatnonzero(homes.sources == number)
        numbers = iter(documents.tolist())
        for pages in PageReader(index.source(label)).read(homes.nodes[documents]):
            values = (field_values(page.key, page.row, page.anchors) for page in pages)
            writer.add([[(next(numbers), each)] for each in values])
    writer.finish()


def _percentiles(times: list[float]) -> dict[str, Any]:
    ordered = sorted(times)
    return {
        "value": 1000 * ordered[len(ordered) // 2],
        "p99": round(1000 * ordered[min(len(ordered) * 99 // 100, len(ordered) - 1)], 4),
    }


def ask_ours(place: str, kind: str) -> dict[str, Any]:
    """Our reader, with the labels of all months."""
    import webstrata as ws
    from webstrata.search.settings import SearchSettings

    index, settings = ws.open(Path(place) / "uk").text_index, SearchSettings()
    told = json.loads((Path(place) / "queries.json").read_text())
    fields = [told["numbers"][field] for field in told["fields"]]
    clauses = [
        ("boolean", [("should", ("word", term, fields)) for term in query]) for query in told["queries"][kind]
    ]
    mask, times, total = index.mask(), [], 0.0
    for clause in clauses:
        begun = time.perf_counter()
        _, scores, _ = index.top(clause, 10, mask, settings)
        times.append(time.perf_counter() - begun)
        total += float(scores.sum())
    return _percentiles(times) | {"sum": round(total, 1)}


def ask_theirs(place: str, kind: str) -> dict[str, Any]:
    """Plain tantivy, with a document for each version."""
    import tantivy  # type: ignore[import-not-found, unused-ignore]

    # it writes a lock beside what it reads
    segments = tempfile.mkdtemp()
    shutil.copytree(Path(place) / "plain", segments, dirs_exist_ok=True)
    index = tantivy.Index.open(segments)
    searcher, schema = index.searcher(), index.schema
    told = json.loads((Path(place) / "queries.json").read_text())
    queries = [
        tantivy.Query.boolean_query([
            (
                tantivy.Occur.Should,
                tantivy.Query.boost_query(tantivy.Query.term_query(schema, field, term, "freq"), weight),
            )
            for term in query
            for field, weight in told["fields"].items()
        ])
        for query in told["queries"][kind]
    ]  # fmt: skip
    times, total = [], 0.0
    for query in queries:
        begun = time.perf_counter()
        hits = searcher.search(query, 10, count=False).hits
        times.append(time.perf_counter() - begun)
        total += sum(score for score, _ in hits)
    shutil.rmtree(segments)
    return _percentiles(times) | {"sum": round(total, 1)}


# ---- indexing


@functools.cache
def load_documents(place: str) -> list[list[list[str]]]:
    """The values of all fields of some pages, as both sides are given them."""
    return list(json.loads((Path(place) / "documents.json").read_text()))


def write_documents(collection: ws.Collection, path: Path) -> None:
    """Write the values of all fields of the pages of the first months, a few thousand."""
    from contextlib import ExitStack

    import numpy as np

    from webstrata.search.documents import Held, PageReader
    from webstrata.search.fields import field_values

    documents: list[list[list[str]]] = []
    with ExitStack() as stack:
        for snapshot in collection:
            reader = PageReader(Held.open(snapshot, stack).source(snapshot.date))
            for pages in reader.read(np.arange(len(reader))):
                documents += [field_values(page.key, page.row, page.anchors) for page in pages]
            if len(documents) > 5000:
                break
    path.write_text(json.dumps(documents))


def write_ours(place: str) -> dict[str, Any]:
    """One segment, on one thread."""
    from webstrata._core.search import Analyzer, Writer
    from webstrata.search.fields import FIELDS
    from webstrata.web.words import load_core

    documents = load_documents(place)
    folder = Path(tempfile.mkdtemp())
    analyzer = Analyzer(load_core(), "english")
    begun, started = time.process_time(), time.perf_counter()
    writer = Writer(folder, FIELDS, analyzer)
    for start in range(0, len(documents), 64):
        some = enumerate(documents[start : start + 64], start)
        writer.add([[(number, values)] for number, values in some])
    writer.finish()
    return _rate(folder, len(documents), time.process_time() - begun, time.perf_counter() - started)


def write_theirs(place: str) -> dict[str, Any]:
    """One indexing thread of tantivy, and the one that hands it documents."""
    import tantivy  # type: ignore[import-not-found, unused-ignore]

    documents = load_documents(place)
    kinds = [*["position"] * 6, "basic", "basic", "basic"]
    names = ["title", "text", "other", "anchor", "host", "url", "site", "language", "word"]
    builder = tantivy.SchemaBuilder()
    for name, kind in zip(names, kinds, strict=True):
        tokenizer = "raw" if kind == "basic" else "en_stem"
        builder.add_text_field(name, stored=False, tokenizer_name=tokenizer, index_option=kind)
    folder = Path(tempfile.mkdtemp())
    begun, started = time.process_time(), time.perf_counter()
    writer = tantivy.Index(builder.build(), path=str(folder)).writer(256_000_000, num_threads=1)
    for values in documents:
        document = tantivy.Document()
        for name, texts in zip(names, values, strict=True):
            for text in texts:
                document.add_text(name, text)
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    return _rate(folder, len(documents), time.process_time() - begun, time.perf_counter() - started)


def _rate(folder: Path, number: int, cpu: float, wall: float) -> dict[str, Any]:
    size = sum(path.stat().st_size for path in folder.iterdir())
    shutil.rmtree(folder)
    return {"value": number / cpu, "wall": round(number / wall), "bytes": round(size / number)}


def build_part(place: str, workers: int) -> None:
    """Build the part of all months, in so many processes."""
    import webstrata as ws
    from webstrata.search.build import build_text_index

    folder = Path(tempfile.gettempdir()) / f"search-part-{os.getpid()}"
    if not folder.exists():
        shutil.copytree(Path(place) / "uk", folder, symlinks=True)
    collection = ws.open(folder)
    if "text_index" in collection.parts:
        collection.parts.remove("text_index")
    build_text_index(collection, workers=workers)
    collection.parts.remove("text_index")


# ---- months


def measure_together(place: str) -> dict[str, Any]:
    """Bytes a page of a month, of one index of all months."""
    import webstrata as ws

    record = ws.open(Path(place) / "uk").parts.record("text_index")
    counts = record.counts
    return {
        "value": round(record.bytes / counts["pages"], 1),
        "documents": counts["documents"],
        "pages": counts["pages"],
    }


def measure_grown(place: str) -> dict[str, Any]:
    """Bytes a page of a month, of one index that got a month at a time."""
    import webstrata as ws
    from webstrata.search.build import build_text_index

    folder = Path(tempfile.mkdtemp()) / "uk"
    shutil.copytree(Path(place) / "uk", folder, symlinks=True)
    collection = ws.open(folder)
    collection.parts.remove("text_index")
    for number in range(len(collection.dates)):
        build_text_index(collection, list(collection)[: number + 1], workers=1)
    record = collection.parts.record("text_index")
    found = {"value": round(record.bytes / record.counts["pages"], 1), "segments": record.counts["segments"]}
    shutil.rmtree(folder)
    return found


def measure_apart(place: str) -> dict[str, Any]:
    """Bytes a page, of an index for each month alone."""
    import webstrata as ws
    from webstrata.search.build import build_text_index

    folder = Path(tempfile.mkdtemp()) / "uk"
    shutil.copytree(Path(place) / "uk", folder, symlinks=True)
    collection, size, pages = ws.open(folder), 0, 0
    for snapshot in collection:
        build_text_index(collection, [snapshot], workers=1)
        record = collection.parts.record("text_index")
        size, pages = size + record.bytes, pages + record.counts["pages"]
    shutil.rmtree(folder)
    return {"value": round(size / pages, 1), "pages": pages}


def _figure(
    name: str,
    *,
    peer: Peer | None = None,
    measure: Literal["wall", "answer"] = "answer",
    **more: Any,  # noqa: ANN401
) -> Figure:
    return Figure(
        name=name,
        prepare=prepare,
        data="search",
        varies=True,
        peer=peer or Peer("tantivy"),
        measure=measure,
        **more,
    )


_peers = PEERS / "python"
FIGURES = [
    *(
        _figure(
            name,
            ours=Call("bench.search:ask_ours", arguments=("{input}", kind)),
            theirs=Call("bench.search:ask_theirs", python=_peers, arguments=("{input}", kind)),
            unit="ms",
        )
        for name, kind in (("search-latency", "middle"), ("search-common", "common"))
    ),
    _figure(
        "search-index",
        ours=Call("bench.search:write_ours"),
        theirs=Call("bench.search:write_theirs", python=_peers),
        unit="documents a CPU second",
        better="more",
        rounds=5,
        quick_rounds=3,
    ),
    _figure(
        "search-two",
        ours=Call("bench.search:build_part", arguments=("{input}", 2)),
        theirs=Call("bench.search:build_part", arguments=("{input}", 1)),
        peer=BuiltIn("one process"),
        measure="wall",
        rounds=3,
        quick_rounds=2,
        warm_up=False,
        in_quick=False,
    ),
    *(
        _figure(
            name,
            ours=Call(f"bench.search:{measured}"),
            theirs=Call("bench.search:measure_apart"),
            peer=BuiltIn("an index for each month"),
            unit="bytes a page",
            rounds=1,
            quick_rounds=1,
            warm_up=False,
            in_quick=name == "search-months",
        )
        for name, measured in (("search-months", "measure_together"), ("search-grown", "measure_grown"))
    ),
]

if __name__ == "__main__":
    main(FIGURES)
