"""What archives of summaries take, and how fast they are read and built: our coding beside that of SUM.

`summaries-bytes`: bytes a page on disk, with everything that is needed to read a summary (stream, places,
missing nodes, model, order of terms); ours in the default coding, theirs in the coding of SUM, as it is and
with the codes that its archive likes best in the details. There too, the same rows as Parquet (zstd 3 and
19), as a compressed SciPy matrix and, where it is installed among the peers, as an index of tantivy without
positions; none of these finds a page without reading others. `summaries-scan`: nanoseconds of CPU time a
posting, all summaries in order, as arrays. `summaries-random`: microseconds of CPU time a summary, 100 000
of them (`--quick`: 20 000) in batches of 1 000, the same for both. `summaries-build`: CPU milliseconds a
page from stored text, ours in the default coding, theirs in that of SUM. All on one thread.

The rows are those of the folder `summaries` of the third-party data (`WEBSTRATA_TEST_DATA`): 12 000 real
pages of documentation, terms in 20 pages or more. Texts for building are drawn from the same terms.

`summaries-bytes-real` and the figures that end with `-in-vitro` measure more, and only when asked for by name
or in the full run: 36 000 pages of the folder that `WEBSTRATA_CORPUS` names, and an in-vitro snapshot of a
million pages (`bench.summaries_large`); words as they are, without stemmer or stop words, terms in 20 pages
or more.
"""

from __future__ import annotations

import functools
import io
import itertools
import json
import math
import os
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.floors import require
from bench.frame import (
    PEERS,
    ROOT,
    BenchError,
    BuiltIn,
    Call,
    Figure,
    digest_tree,
    main,
)
from bench.summaries_large import prepare as prepare_in_vitro

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webstrata.summaries import Archive, SummaryRows

MIN_DF = 20
REAL_PAGES = 36_000
_BATCH = 1000


def find_data() -> Path:
    """The folder of real term counts; it need not be there."""
    named = os.environ.get("WEBSTRATA_TEST_DATA")
    return (Path(named) if named else ROOT.parent / "shared" / "data") / "summaries"


def prepare(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Copy the term counts."""
    for name in ("counts.parquet", "lengths.parquet"):
        shutil.copyfile(find_data() / name, folder / name)


def prepare_real(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Count the words of real pages, in row-key order."""
    from bench.data import real_pages
    from webstrata.web.html import scan
    from webstrata.web.row_key import row_keys

    texts = {url: scan(body, anchors=False, text=True).text for url, body in real_pages(REAL_PAGES)}
    in_order = sorted(zip(row_keys(texts), texts, strict=True))
    write_counts(folder, (texts[url] for _, url in in_order))


def write_counts(folder: Path, texts: Iterable[str]) -> None:
    """Count the words of texts, and write the rows without the terms in few pages."""
    import numpy as np
    import pyarrow as pa

    from webstrata._core import summaries as core
    from webstrata.summaries.build import save_rows
    from webstrata.summaries.rows import DROPPED, SummaryRows, renumber
    from webstrata.web.words import load_core

    counter = core.Counter(load_core(), None, ())
    texts = iter(texts)
    while some := list(itertools.islice(texts, _BATCH)):
        column = pa.array(some, pa.large_string())
        offsets, data = (np.frombuffer(column.buffers()[1], np.int64), column.buffers()[2])
        counter.add(offsets[: len(some) + 1], np.frombuffer(data or b"", np.uint8))
    (_, _, df, _), rows = counter.finish()
    numbers = np.where(df >= MIN_DF, np.cumsum(df >= MIN_DF) - 1, DROPPED).astype(np.uint32)
    save_rows(folder / "rows", renumber(SummaryRows(*rows), numbers))


@functools.cache
def load_rows(place: str) -> SummaryRows:
    """The rows, without the terms in few pages."""
    import numpy as np
    import pyarrow.parquet as pq

    from webstrata.summaries import SummaryRows
    from webstrata.summaries.build import load_rows as open_rows
    from webstrata.summaries.rows import DROPPED, renumber

    if (Path(place) / "rows.lengths.npy").is_file():
        return open_rows(Path(place) / "rows")
    table = pq.read_table(Path(place) / "counts.parquet")
    lengths = pq.read_table(Path(place) / "lengths.parquet")["words"].to_numpy().astype(np.uint32)
    pages, terms, counts = (table[name].to_numpy() for name in ("page", "term", "count"))
    offsets = np.zeros(len(lengths) + 1, np.uint64)
    np.cumsum(np.bincount(pages, minlength=len(lengths)), out=offsets[1:], dtype=np.uint64)
    df = np.bincount(terms)
    numbers = np.where(df >= MIN_DF, np.cumsum(df >= MIN_DF) - 1, DROPPED).astype(np.uint32)
    return renumber(SummaryRows(lengths, offsets, terms.astype(np.uint32), counts.astype(np.uint32)), numbers)


@functools.cache
def write(place: str, coding: str, **more: Any) -> Archive:  # noqa: ANN401
    """An archive of the rows, beside the input."""
    os.environ["RAYON_NUM_THREADS"] = "1"  # read when the core first needs threads
    from webstrata.summaries import SummariesSettings, write_archive

    settings = SummariesSettings(coding=coding, **more)
    name = f"{Path(place).name}-{coding}-{os.getpid()}{''.join(sorted(more))}"
    return write_archive(Path(place).with_name(name), load_rows(place), settings=settings)


def bytes_per_page(archive: Archive) -> float:
    """Bytes of all files that a reader needs."""
    sizes = archive.sizes()
    return (sum(sizes.values()) - sizes["terms.parquet"]) / archive.num_summaries


def measure_ours(place: str) -> dict[str, Any]:
    """Bytes a page of the default coding, and of what others would keep; the share of SUM has a floor."""
    found = measure_ours_at_size(place)
    require("summaries-share-of-sum", found["share_of_sum"], digest_tree(Path(place), ""))
    return found


def measure_ours_at_size(place: str) -> dict[str, Any]:
    """The same without a floor."""
    archive = write(place, "contexts")
    value = bytes_per_page(archive)
    pages = archive.num_summaries
    found = {
        "value": round(value, 2),
        "share_of_sum": value / bytes_per_page(write(place, "codes")),
        "pages": pages,
        "terms_per_page": round(archive.num_postings / pages, 1),
    } | describe_pointers(archive)
    others = {name: round(size / pages, 2) for name, size in measure_others(load_rows(place)).items()}
    if value > min(others.values()):
        raise BenchError(f"the default coding takes {value:.1f} bytes a page, and others less: {others}")
    for path in Path(place).parent.glob(f"{Path(place).name}-*-{os.getpid()}*"):
        shutil.rmtree(path)
    write.cache_clear()
    return found | {"others": others}


def describe_pointers(archive: Archive) -> dict[str, float]:
    """Bits a pointer takes, and what is promised: 2.2 and log₂ of the mean bits of a summary."""
    sizes, pages = archive.sizes(), archive.num_summaries
    mean = 8 * sizes["summaries.stream"] / pages
    return {
        "pointer_bits": round(8 * sizes["summaries.places"] / pages, 2),
        "pointer_bound": round(2.2 + math.log2(mean), 2),
    }


def measure_others(rows: SummaryRows) -> dict[str, int]:
    """Bytes of the same rows, terms renumbered by frequency, in formats that anybody has."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq
    import scipy.sparse as sp

    from webstrata.summaries.rows import renumber
    from webstrata.summaries.terms import invert, rank_terms

    ranked = renumber(rows, invert(rank_terms(np.bincount(rows.terms))))
    offsets = pa.array(ranked.offsets.astype(np.int64))
    table = pa.table(
        {
            "length": ranked.lengths,
            "terms": pa.LargeListArray.from_arrays(offsets, pa.array(ranked.terms)),
            "counts": pa.LargeListArray.from_arrays(offsets, pa.array(ranked.counts)),
        }
    )
    found = {}
    for level in (3, 19):
        stream = io.BytesIO()
        pq.write_table(table, stream, compression="zstd", compression_level=level)
        found[f"Parquet, zstd {level}"] = stream.tell()
    matrix = sp.csr_matrix((ranked.counts, ranked.terms.astype(np.int32), ranked.offsets.astype(np.int64)))
    stream = io.BytesIO()
    sp.save_npz(stream, matrix)
    found["SciPy CSR, npz"] = stream.tell() + len(ranked.lengths.tobytes())
    if (size := measure_tantivy(ranked)) is not None:
        found["tantivy, no positions"] = size
    return found


def measure_tantivy(rows: SummaryRows) -> int | None:
    """Bytes of an index with frequencies and without positions; None where tantivy is not installed."""
    import subprocess

    from numpy import diff

    script = (
        "import json, sys, tempfile, pathlib, tantivy\n"
        "b = tantivy.SchemaBuilder()\n"
        "b.add_text_field('body', stored=False, tokenizer_name='whitespace', index_option='freq')\n"
        "f = tempfile.mkdtemp()\n"
        "w = tantivy.Index(b.build(), path=f).writer(num_threads=1)\n"
        "for line in sys.stdin: w.add_document(tantivy.Document(body=[line]))\n"
        "w.commit(); w.wait_merging_threads()\n"
        "print(sum(p.stat().st_size for p in pathlib.Path(f).iterdir()))\n"
    )
    python = PEERS / "python"
    if not python.is_file():
        return None
    starts, sizes = rows.offsets.astype(int).tolist(), diff(rows.offsets.astype(int)).tolist()
    lines = []
    for start, size in zip(starts[:-1], sizes, strict=True):
        terms, counts = rows.terms[start : start + size].tolist(), rows.counts[start : start + size].tolist()
        pairs = zip(terms, counts, strict=True)
        lines.append(" ".join(f"t{term}" for term, count in pairs for _ in range(count)))
    done = subprocess.run(
        [str(python), "-c", script], input="\n".join(lines), capture_output=True, text=True, check=False
    )
    return int(done.stdout) if done.returncode == 0 else None


def measure_theirs(place: str) -> dict[str, Any]:
    """Bytes a page of the coding of SUM, and of the codes that are best for the archive."""
    from webstrata.summaries.codes import best_codes, measure_costs

    archive = write(place, "codes")
    chosen = best_codes(measure_costs(archive.scan_ranks()))
    best = write(place, "codes", **chosen)
    found = {
        "value": round(bytes_per_page(archive), 2),
        **describe_pointers(archive),
        "best_codes": json.dumps(chosen),
        "with_best_codes": round(bytes_per_page(best), 2),
    }
    for path in Path(place).parent.glob(f"{Path(place).name}-*-{os.getpid()}*"):
        shutil.rmtree(path)
    write.cache_clear()
    return found


def scan(place: str, coding: str) -> dict[str, Any]:
    """Go through all summaries."""
    return scan_archive(write(place, coding))


def scan_archive(archive: Archive) -> dict[str, Any]:
    """The same of an archive that is there."""
    start = time.process_time()
    total = sum(int(rows.counts.sum(dtype="uint64")) for _, rows in archive.scan())
    seconds = time.process_time() - start
    rate = archive.num_postings / seconds / 1e6
    found = {"value": seconds * 1e9 / archive.num_postings, "million_postings_per_second": round(rate, 1)}
    return found | {"sum": total}


def read(place: str, coding: str, count: int = 20_000) -> dict[str, Any]:
    """Read summaries that nobody knows before, in batches."""
    return read_archive(write(place, coding), count)


def read_archive(archive: Archive, count: int) -> dict[str, Any]:
    """The same of an archive that is there."""
    import numpy as np

    nodes = np.random.default_rng(42).integers(0, len(archive), count).reshape(-1, _BATCH)
    start = time.process_time()
    total = sum(int(archive.batch(batch).counts.sum(dtype=np.uint64)) for batch in nodes)
    seconds = time.process_time() - start
    return {"value": seconds * 1e6 / count, "summaries_per_second": round(count / seconds), "sum": total}


@functools.cache
def store(place: str, count: int = 6000) -> Any:  # noqa: ANN401
    """A snapshot whose pages have the words of the rows, in an order that is drawn."""
    os.environ["RAYON_NUM_THREADS"] = "1"
    import numpy as np
    import pyarrow as pa

    import webstrata as ws
    from webstrata.store.text import BATCH, COLUMNS, TEXT, write_text

    rows = load_rows(place).cut(0, count)
    random = np.random.default_rng(1)
    folder = Path(place).with_name(f"{Path(place).name}-text-{os.getpid()}")
    snapshot = ws.create(folder).add("2026-06")
    words = np.array([f"word{number:x}ing" for number in range(int(rows.terms.max()) + 1)])
    texts = []
    for page in range(count):
        row = rows.cut(page, page + 1)
        drawn = random.permutation(np.repeat(row.terms, np.minimum(row.counts, 1000)))
        texts.append(" ".join(words[drawn]))
    batches = [
        pa.RecordBatch.from_pylist(
            [
                {"title": "", "headings": [], "text": text, "main": []}
                for text in texts[start : start + BATCH]
            ],
            schema=TEXT,
        )
        for start in range(0, count, BATCH)
    ]
    columns = {"words": [0] * count, "language": [None] * count, "charset": ["UTF-8"] * count}
    with snapshot.write_part("text") as build:
        write_text(build.path, batches, pa.table(columns | {"simhash": [0] * count}, schema=COLUMNS))
    return snapshot


def build(place: str, coding: str) -> dict[str, Any]:
    """Build the part from text."""
    from webstrata.summaries import SummariesSettings, build_summaries

    snapshot = store(place)
    start = time.process_time()
    build_summaries(snapshot, SummariesSettings(coding=coding, min_df=2), workers=1)
    seconds = time.process_time() - start
    with snapshot.open_part("summaries") as part:
        pages, postings = part.counts["nodes"], part.counts["postings"]
    value = seconds * 1e3 / pages
    return {"value": value, "pages_per_second": round(pages / seconds), "postings": postings}


def _of_codings(function: str) -> dict[str, Call]:
    """Both sides by one function, which is told the coding."""
    codings = {"ours": "contexts", "theirs": "codes"}
    return {side: Call(function, arguments=("{input}", coding)) for side, coding in codings.items()}


def _figure(name: str, sides: dict[str, Call], unit: str, **more: Any) -> Figure:  # noqa: ANN401
    facts: dict[str, Any] = {"prepare": prepare, "data": "summaries", **sides}
    return Figure(
        name=name,
        peer=BuiltIn("the coding of SUM"),
        measure="answer",
        unit=unit,
        **facts | more,
    )


_SIZES = {"ours": Call("bench.summaries:measure_ours"), "theirs": Call("bench.summaries:measure_theirs")}
_SIZES_REAL = _SIZES | {"ours": Call("bench.summaries:measure_ours_at_size")}
_LARGE = "bench.summaries_large"
_SIZES_LARGE = {side: Call(f"{_LARGE}:measure_{side}") for side in ("ours", "theirs")}


def _large(name: str, sides: dict[str, Call], unit: str, rounds: int = 1) -> Figure:
    return _figure(
        f"summaries-{name}-in-vitro",
        sides,
        unit,
        prepare=prepare_in_vitro,
        data="summaries-in-vitro",
        rounds=rounds,
        warm_up=rounds > 1,
        in_quick=False,
    )


FIGURES = (
    [
        _figure("summaries-bytes", _SIZES, "bytes a page", rounds=1, quick_rounds=1, warm_up=False),
        _figure("summaries-scan", _of_codings("bench.summaries:scan"), "ns"),
        _figure("summaries-random", _of_codings("bench.summaries:read"), "us"),
        _figure("summaries-build", _of_codings("bench.summaries:build"), "ms", rounds=5, quick_rounds=3),
    ]
    if find_data().is_dir()
    else []
) + [
    _figure(
        "summaries-bytes-real",
        _SIZES_REAL,
        "bytes a page",
        prepare=prepare_real,
        data="summaries-bytes-real",
        rounds=1,
        warm_up=False,
        in_quick=False,
    ),
    _large("build", _of_codings(f"{_LARGE}:build"), "ms"),
    _large("bytes", _SIZES_LARGE, "bytes a page"),
    _large("scan", _of_codings(f"{_LARGE}:scan"), "ns", 3),
    _large("random", _of_codings(f"{_LARGE}:read"), "us", 5),
]

if __name__ == "__main__":
    main(FIGURES)
