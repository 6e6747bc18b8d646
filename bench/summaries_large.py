"""Archives of summaries at size: an in-vitro snapshot of a million pages, from stored text to each format.

The snapshot is what a perfect crawl of the in-vitro web `uk-2007` would leave of its first month: `urls`,
`graph` and `text`, the main text of each page in row-key order; it is made without a server, by as many
processes as there are cores, in pieces that are found again by a run that was interrupted. Words are taken as
they are, without stemmer or stop words, terms in 20 pages or more.

`summaries-build-in-vitro`: CPU milliseconds a page, from stored text, in one process, with the memory that
the settings allow by default; ours in the default coding, theirs in that of SUM. The archives are kept until
something that makes them changes, and the other figures read them: `summaries-bytes-in-vitro` (with the same
rows in formats that anybody has, each of which is measured once and kept), `summaries-scan-in-vitro` and
`summaries-random-in-vitro`, as those of `bench.summaries`.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import shutil
import subprocess
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.frame import DATA, PEERS, ROOT, BenchError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa

    from webstrata.api import Snapshot
    from webstrata.invitro.web import TrueGraph
    from webstrata.summaries import Archive, SummaryRows

PRESET, PAGES, LABEL = "uk-2007", 1_900_000, "2026-06"
"""Asked for; a million of them are nodes of the first month."""
PIECE = 1 << 14
"""Pages that a process makes at once; whole batches of the text."""
ROWS_AT_ONCE = 1 << 16
"""Pages of a row group, and of a step of whatever is measured."""
MADE_BY = ("src/webstrata/summaries", "rust/src/summaries")


# ---- the snapshot


def prepare(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Make the snapshot, its text in pieces that stay until all are there."""
    from webstrata.invitro.web import Web
    from webstrata.store.text import write_text

    web = Web(PRESET, pages=PAGES)
    truth = web.graph(view="collection")
    pieces = folder.with_name(".summaries-in-vitro-pieces")
    pieces.mkdir(exist_ok=True)
    jobs = [
        (truth.urls[start : start + PIECE], path)
        for start in range(0, truth.num_nodes, PIECE)
        if not (path := pieces / f"{start:010}.arrow").is_file()
    ]
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        for done in [pool.submit(make_piece, *job) for job in jobs]:
            done.result()
    for name in ("text", "urls", "graph"):
        (folder / name).mkdir()
    write_text(folder / "text", _read_pieces(pieces), _columns(truth.num_nodes))
    write_graph(folder, truth)
    shutil.rmtree(pieces)


def make_piece(urls: list[str], path: Path) -> None:
    """The text of some pages, whole or not at all."""
    import pyarrow as pa

    from webstrata.invitro.web import Web
    from webstrata.store.text import BATCH, TEXT

    web = Web(PRESET, pages=PAGES)
    beside = path.with_suffix(f".{os.getpid()}")
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with beside.open("wb") as stream, pa.ipc.new_file(stream, TEXT, options=options) as writer:
        for start in range(0, len(urls), BATCH):
            rows = [
                {"title": "", "headings": [], "text": web.text(url), "main": []}
                for url in urls[start : start + BATCH]
            ]
            writer.write_batch(pa.RecordBatch.from_pylist(rows, schema=TEXT))
    beside.rename(path)


def _read_pieces(folder: Path) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    for path in sorted(folder.glob("*.arrow")):
        with pa.memory_map(str(path)) as source:
            file = pa.ipc.open_file(source)
            yield from (file.get_batch(number) for number in range(file.num_record_batches))


def _columns(num_nodes: int) -> pa.Table:
    import numpy as np
    import pyarrow as pa

    from webstrata.store.text import COLUMNS

    zeros = np.zeros(num_nodes, np.uint64)
    return pa.table(
        {
            "words": zeros.astype(np.uint32),
            "language": pa.nulls(num_nodes, pa.string()),
            "charset": pa.repeat("UTF-8", num_nodes),
            "simhash": zeros,
        },
        schema=COLUMNS,
    )


def write_graph(folder: Path, truth: TrueGraph) -> None:
    """The files of its parts `urls` and `graph`."""
    import pyarrow as pa

    from webstrata.graph.rows import RowsGraph
    from webstrata.store.urls import write_urls
    from webstrata.web.row_key import row_keys

    none = {"row_key": pa.array([], pa.string()), "node": pa.array([], pa.uint32())}
    none |= {"reason": pa.array([], pa.string())}
    write_urls(folder / "urls", pa.array(row_keys(truth.urls), pa.large_string()), pa.table(none))
    graph = RowsGraph(truth.offsets, truth.targets)
    graph.write(folder / "graph" / "forward")
    graph.transpose().write(folder / "graph" / "transpose")


@contextlib.contextmanager
def open_snapshot(place: str, *parts: str, summaries: Path | None = None) -> Iterator[Snapshot]:
    """A snapshot with some of these parts, and with an archive; gone in the end."""
    import webstrata as ws

    folder = Path(tempfile.mkdtemp(prefix=".in-vitro-", dir=DATA))
    try:
        snapshot = ws.create(folder / "uk").add(LABEL)
        places = {name: Path(place) / name for name in parts}
        for name, files in (places | ({"summaries": summaries} if summaries else {})).items():
            with snapshot.write_part(name) as build:
                for path in files.iterdir():
                    os.link(path, build.path / path.name)
        yield snapshot
    finally:
        shutil.rmtree(folder)


# ---- archives


def _version() -> str:
    found = hashlib.sha256()
    for name in MADE_BY:
        for path in sorted((ROOT / name).rglob("*.[pr][ys]")):
            found.update(path.read_bytes())
    return found.hexdigest()[:16]


def _place(place: str, coding: str) -> Path:
    return DATA / "built" / f"{Path(place).name}-{coding}-{_version()}"


def build(place: str, coding: str) -> dict[str, Any]:
    """Build the part from text, and keep it."""
    os.environ["RAYON_NUM_THREADS"] = "1"  # read when the core first needs threads
    from webstrata.summaries import SummariesSettings, build_summaries

    settings = SummariesSettings(coding=coding, stemmer="none", stop_words="none")
    kept = _place(place, coding)
    kept.parent.mkdir(exist_ok=True)
    with open_snapshot(place, "text") as snapshot:
        start = time.process_time(), time.perf_counter()
        build_summaries(snapshot, settings, workers=1)
        seconds, passed = time.process_time() - start[0], time.perf_counter() - start[1]
        for old in kept.parent.glob(f"{Path(place).name}-{coding}-*"):
            shutil.rmtree(old)
        with snapshot.open_part("summaries") as part:
            pages = part.counts["nodes"]
            shutil.copytree(part.path, kept)
    return {
        "value": seconds * 1e3 / pages,
        "pages": pages,
        "pages_per_second": round(pages / seconds),
        "pages_per_second_by_the_clock": round(pages / passed),
        "memory_setting": settings.memory,
    }


def open_archive(place: str, coding: str) -> Archive:
    """What `build` has kept, or keeps now."""
    from webstrata.summaries import Archive

    if not _place(place, coding).is_dir():
        build(place, coding)
    return Archive(_place(place, coding))


# ---- what others take


def measure_others(archive: Archive, kept: Path) -> dict[str, float]:
    """Bytes a page of the same rows, ranks as terms, in formats that anybody has.

    What is known of a format stays in a file beside the others, block by block, so that a run that was
    interrupted goes on; it is of these rows alone, whatever our coding is.
    """
    kept.mkdir(parents=True, exist_ok=True)
    ways: dict[str, Callable[[SummaryRows], int]] = {
        "Parquet, zstd 3": lambda rows: _write_parquet(rows, 3),
        "Parquet, zstd 19": lambda rows: _write_parquet(rows, 19),
        "SciPy CSR, npz": _write_npz,
    }
    found = {name: _measure_blocks(archive, name, kept, measure) for name, measure in ways.items()}
    found["tantivy, no positions"] = _keep(archive, "tantivy, no positions", kept, [_write_tantivy])
    return {name: round(size / archive.num_summaries, 2) for name, size in found.items() if size}


def _measure_blocks(archive: Archive, name: str, kept: Path, measure: Callable[[SummaryRows], int]) -> int:
    import numpy as np

    def of_block(first: int) -> Callable[[Archive], int]:
        nodes = np.arange(first, min(first + ROWS_AT_ONCE, len(archive)), dtype=np.uint64)
        return lambda archive: measure(archive.ranked_batch(nodes))

    return _keep(archive, name, kept, [of_block(first) for first in range(0, len(archive), ROWS_AT_ONCE)])


def _keep(archive: Archive, name: str, kept: Path, steps: Sequence[Callable[[Archive], int]]) -> int:
    """The sum of what some steps measure; those that were done before are not done again."""
    path = kept / f"{name.replace(' ', '-').replace(',', '')}.json"
    of_what = {"summaries": archive.num_summaries, "postings": archive.num_postings}
    known: dict[str, Any] = json.loads(path.read_text()) if path.is_file() else {}
    if not of_what.items() <= known.items():
        known = of_what | {"bytes": []}
    for step in steps[len(known["bytes"]) :]:
        known["bytes"].append(step(archive))
        beside = path.with_suffix(f".{os.getpid()}")
        beside.write_text(json.dumps(known))
        beside.rename(path)
    return sum(known["bytes"])


def _write_parquet(rows: SummaryRows, level: int) -> int:
    """The bytes of a row group."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    offsets = pa.array(rows.offsets.astype(np.int64))
    table = pa.table(
        {
            "length": rows.lengths,
            "terms": pa.LargeListArray.from_arrays(offsets, pa.array(rows.terms)),
            "counts": pa.LargeListArray.from_arrays(offsets, pa.array(rows.counts)),
        }
    )
    stream = io.BytesIO()
    pq.write_table(table, stream, compression="zstd", compression_level=level)
    return stream.tell()


def _write_npz(rows: SummaryRows) -> int:
    """The bytes of what `scipy.sparse.save_npz` writes of a block, and of lengths as they are."""
    import numpy as np
    import scipy.sparse as sp

    matrix = sp.csr_matrix((rows.counts, rows.terms.astype(np.int32), rows.offsets.astype(np.int64)))
    stream = io.BytesIO()
    sp.save_npz(stream, matrix)
    return stream.tell() + 4 * rows.num_rows


_INDEX = """
import pathlib, sys, tempfile, tantivy
builder = tantivy.SchemaBuilder()
builder.add_text_field("body", stored=False, tokenizer_name="whitespace", index_option="freq")
with tempfile.TemporaryDirectory(dir=sys.argv[1]) as folder:
    writer = tantivy.Index(builder.build(), path=folder).writer(heap_size=512 << 20, num_threads=1)
    for line in sys.stdin:
        writer.add_document(tantivy.Document(body=[line]))
    writer.commit()
    writer.wait_merging_threads()
    print(sum(path.stat().st_size for path in pathlib.Path(folder).iterdir()))
"""


def _write_tantivy(archive: Archive) -> int:
    """An index with frequencies and without positions, fed page by page; 0 where it is not installed."""
    import numpy as np

    python = PEERS / "python"
    if not python.is_file():
        return 0
    words = np.array([f"t{term}" for term in range(len(archive.terms))], object)
    command = [str(python), "-c", _INDEX, str(DATA)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as peer:
        assert peer.stdin is not None
        assert peer.stdout is not None
        for rows in archive.scan_ranks():
            terms = np.repeat(rows.terms, rows.counts)
            ends = np.append(0, np.cumsum(rows.counts, dtype=np.int64))[rows.offsets.astype(np.int64)]
            found = words[terms].tolist()
            for begin, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
                print(" ".join(found[begin:end]), file=peer.stdin)
        peer.stdin.close()
        told = peer.stdout.read()
    return int(told) if peer.returncode == 0 else 0


# ---- figures


def measure_ours(place: str) -> dict[str, Any]:
    """Bytes a page of the default coding, and of what others would keep."""
    from bench.summaries import bytes_per_page, describe_pointers

    archive = open_archive(place, "contexts")
    value = bytes_per_page(archive)
    found = {
        "value": round(value, 2),
        "share_of_sum": round(value / bytes_per_page(open_archive(place, "codes")), 4),
        "pages": archive.num_summaries,
        "terms_per_page": round(archive.num_postings / archive.num_summaries, 1),
        "terms": len(archive.terms),
    } | describe_pointers(archive)
    others = measure_others(archive, DATA / "built" / f"{Path(place).name}-others")
    if value > min(others.values()):
        raise BenchError(f"the default coding takes {value:.1f} bytes a page, and others less: {others}")
    return found | {"others": others}


def measure_theirs(place: str) -> dict[str, Any]:
    """Bytes a page of the coding of SUM, and what its best codes would take, by their lengths."""
    from bench.summaries import bytes_per_page, describe_pointers
    from webstrata.summaries.codes import best_codes, measure_costs

    archive = open_archive(place, "codes")
    # one block of sixteen tells which codes are best; all of them would take as long as a build
    some = (rows for number, rows in enumerate(archive.scan_ranks()) if number % 16 == 0)
    return {
        "value": round(bytes_per_page(archive), 2),
        **describe_pointers(archive),
        "best_codes": json.dumps(best_codes(measure_costs(some))),
    }


def scan(place: str, coding: str) -> dict[str, Any]:
    """Read all in order."""
    from bench.summaries import scan_archive

    os.environ["RAYON_NUM_THREADS"] = "1"
    return scan_archive(open_archive(place, coding))


def read(place: str, coding: str) -> dict[str, Any]:
    """Read some in any order."""
    from bench.summaries import read_archive

    os.environ["RAYON_NUM_THREADS"] = "1"
    return read_archive(open_archive(place, coding), 100_000)
