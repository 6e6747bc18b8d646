"""A snapshot as one file, or a folder, that other programs read.

============  ==========================================================================================
``warc``      a folder with the WARC files; one file, if the target ends in ``.warc`` or ``.warc.gz``
``trec``      the pages in node order as TREC Web documents (see `trec`), packed if it ends in ``.gz``
``cdxj``      the index, sorted lines, packed if it ends in ``.gz``
``wacz``      WARC files, index and list of pages in one zip (see `wacz`)
``parquet``   a row a capture in the order of the index, columns named as in Common Crawl's columnar index
``wet``       the text of the pages in node order as WARC records (see `wet`), packed if it ends in ``.gz``
``bundle``    a folder with graph, summaries and URLs, what there is of them, and no text (see `bundle`)
``bagit``     a folder with WARC files, index and a description as a BagIt bag, with checksums (see `bagit`)
============  ==========================================================================================

Payloads that the snapshot shares with earlier ones are part of it: the records that ``revisit`` records refer
to are copied into ``warc`` and ``wacz`` (see `originals`), and ``trec`` and ``wet`` have their text.

What is written appears under its name when it is whole, and nothing that is there is replaced.
"""

from __future__ import annotations

import datetime as dt
import gzip
import json
import shutil
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from webstrata._core import __version__
from webstrata.archive.bagit import BagWriter
from webstrata.archive.cdxj import BLOCK_LINES, Entry, Index
from webstrata.archive.codings import clean_codings, read_payload
from webstrata.archive.common_crawl import url_columns
from webstrata.archive.request_body import URN
from webstrata.archive.trec import Document
from webstrata.archive.wacz import Repacked, WaczWriter, move_lines
from webstrata.archive.warc import read_record
from webstrata.archive.wet import Conversion, WetWriter
from webstrata.collection.build import list_files
from webstrata.collection.files import explained, make_directory, open_writer, remove_tree, rename, sync_path
from webstrata.collection.progress import Progress
from webstrata.collection.tables import FactsTable
from webstrata.errors import ExistsError, UsageError
from webstrata.store.bundle import PARTS, write_bundle
from webstrata.store.captures_table import CAPTURE_SCHEMA, SCHEMA, describe_capture
from webstrata.store.copying import without_urls
from webstrata.store.moves import has_captures
from webstrata.store.originals import append_originals, copy_originals
from webstrata.store.packages import Packages
from webstrata.store.pages import Pages
from webstrata.store.takedowns import find_takedowns
from webstrata.store.text import Text
from webstrata.store.urls import Urls
from webstrata.store.warc_files import WarcFiles
from webstrata.web.html import scan
from webstrata.web.language import long_code

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from os import PathLike
    from typing import BinaryIO

    from webstrata.archive.warc import Record
    from webstrata.collection import Snapshot
    from webstrata.collection.parts import Part

Format = Literal["warc", "trec", "cdxj", "wacz", "parquet", "wet", "bundle", "bagit"]
ENDINGS: dict[Format, str] = {
    "warc": "-warc",
    "trec": ".trec.gz",
    "cdxj": ".cdxj.gz",
    "wacz": ".wacz",
    "parquet": ".parquet",
    "wet": ".warc.wet.gz",
    "bundle": "-bundle",
    "bagit": "-bag",
}
"""How names end that nobody chose."""

_PIECE = 1 << 20
_ROWS = 1 << 16


@dataclass(frozen=True, repr=False)
class ExportResult(FactsTable):
    """What was written."""

    path: Path
    items: int
    """Captures, or pages, or files, by the format."""
    what: str
    left_out: int = 0
    """Pages that the format cannot hold."""
    missing: tuple[str, ...] = ()
    """Parts that belong into it and that the snapshot does not have."""

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self) | {"path": str(self.path), "missing": list(self.missing)}


@dataclass(frozen=True)
class _Job:
    snapshot: Snapshot
    parts: Mapping[str, Part]
    """Those that the format is made of, held open."""
    target: Path
    """What is written now; renamed in the end."""
    name: str
    progress: Progress

    @property
    def warc(self) -> Path:
        return self.parts["warc"].path

    @property
    def index(self) -> Path:
        return self.parts["captures"].path

    @cached_property
    def pages(self) -> Pages:
        return Pages(self.parts["pages"].path)

    @property
    def title(self) -> str:
        return f"{self.snapshot.collection.title} {self.snapshot.date}"


def export(
    snapshot: Snapshot, kind: Format, target: Path, *, progress: Progress | None = None
) -> ExportResult:
    """Write a snapshot in a format of others.

    Parameters
    ----------
    snapshot
        What is written; it must have been crawled or ingested.
    kind
        One of `ENDINGS`.
    target
        The file or folder to be made.
    progress
        Where progress is shown.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "reef.trec"
    >>> result = export(testing.snapshot(), "trec", path)
    >>> result.items, result.what
    (15, 'pages')
    >>> path.read_text().splitlines()[1]
    '<DOCNO>2026-06-00000000</DOCNO>'
    """
    with explained(target, "read"):
        if target.exists() or target.is_symlink():
            raise ExistsError(f"{target}: something is here already; choose another name, or move it away")
    beside = target.with_name(f".{target.name}.new")
    with ExitStack() as stack:
        if (takedowns := find_takedowns(snapshot.collection)) and has_captures(snapshot):
            shown = without_urls(snapshot, takedowns.hides, progress=progress)
            snapshot = stack.enter_context(shown)
        needed = {"wet": ("warc", "pages", "text"), "bundle": ("urls",)}.get(
            kind, ("warc", "captures", "pages")
        )
        more = {"bundle": PARTS, "parquet": ("text", "urls"), "bagit": ("packages",)}.get(kind, ())
        welcome = [name for name in more if name in snapshot.parts]
        names = dict.fromkeys((*needed, *welcome))
        parts = {name: stack.enter_context(snapshot.open_part(name, whole=True)) for name in names}
        remove_tree(beside)  # of one that was killed
        try:
            job = _Job(snapshot, parts, beside, target.name, progress or Progress())
            items, what, left_out = _WRITERS[kind](job)
            rename(beside, target)
        finally:
            remove_tree(beside)
    sync_path(target.absolute().parent)
    missing = tuple(name for name in PARTS if name not in parts) if kind == "bundle" else ()
    return ExportResult(target, items, what, left_out, missing)


def _export_warc(job: _Job) -> tuple[int, str, int]:
    files = _list_warc(job)
    with ExitStack() as stack:
        scratch = stack.enter_context(_scratch(job))
        originals = copy_originals(job.snapshot, job.index / "index.cdxj.gz", scratch, _name_originals(job))
        lent = [originals.path] if originals else []
        size = sum(path.stat().st_size for path in [*files, *lent])
        task = stack.enter_context(job.progress.task("copying", total=size, unit="bytes"))
        if not job.name.endswith((".warc", ".warc.gz", ".warc.zst")):
            make_directory(job.target)
            for path in [*files, *lent]:
                with open_writer(job.target / path.name) as out:
                    _copy(path, out, task.advance)
            return len(files) + len(lent), "files", 0
        ending = next(end for end in (".warc.gz", ".warc.zst", ".warc") if job.name.endswith(end))
        if any(not path.name.endswith(ending) for path in files):
            raise UsageError(
                f"{job.name}: the files of this snapshot end as {files[0].name} does; choose such a name, or "
                f"one without an ending for a folder"
            )
        if ending == ".warc.zst" and len(files) + len(lent) > 1:
            raise UsageError(f"{job.name}: files packed by zstd cannot be joined; choose a name for a folder")
        with open_writer(job.target) as out:
            for path in files:  # records are packed one by one, so files can be put one behind the other
                _copy(path, out, task.advance)
            for path in lent:
                append_originals(path, out, packed=ending == ".warc.gz")
    return len(files) + len(lent), "files", 0


def _export_cdxj(job: _Job) -> tuple[int, str, int]:
    with open_writer(job.target) as out:
        if job.name.endswith(".gz"):
            _copy(job.index / "index.cdxj.gz", out, lambda _: None)
        else:
            with gzip.open(job.index / "index.cdxj.gz") as lines:
                shutil.copyfileobj(lines, out, _PIECE)
    return job.snapshot.parts.record("captures").counts["captures"], "captures", 0


def _export_trec(job: _Job) -> tuple[int, str, int]:
    number = left_out = 0
    with open_writer(job.target) as stream, _packed(stream, job.name) as out:
        for node, row, record in _iter_pages(job):
            document = Document(
                number=f"{job.snapshot.date}-{node:08d}",
                url=row["url"],
                ip=record.get("WARC-IP-Address") or "0.0.0.0",
                time=f"{row['fetch_time']:%Y%m%d%H%M%S}",
                mime=row["content_mime_type"],
                head=clean_codings(record.head),
                payload=read_payload(record),
            )
            try:
                out.write(document.to_bytes())
                number += 1
            except ValueError:  # a page that is made of marks of the format
                left_out += 1
    return number, "pages", left_out


def _export_wacz(job: _Job) -> tuple[int, str, int]:
    files = _list_warc(job)
    with _scratch(job) as scratch, open_writer(job.target) as out:
        originals = copy_originals(job.snapshot, job.index / "index.cdxj.gz", scratch, _name_originals(job))
        writer = WaczWriter(out, title=job.title, scratch=scratch)
        moved: dict[str, Repacked] = {}
        taken = {path.name for path in files if path.name.endswith(".gz")} | {_name_originals(job)}
        for path in files:
            if path.name in taken:
                writer.add_archive(path)
            else:
                moved[path.name] = writer.add_repacked(path, taken)
                taken.add(moved[path.name].name)
        if originals:
            writer.add_archive(originals.path)
        with gzip.open(job.index / "index.cdxj.gz") as lines:
            held = move_lines(lines, moved) if moved else iter(lines)
            held = originals.merge(held) if originals else held
            writer.add_index(iter(lambda: list(islice(held, BLOCK_LINES)), []))
        writer.add_pages(
            {
                "id": str(node),
                "url": row["url"],
                "ts": f"{row['fetch_time']:%Y-%m-%dT%H:%M:%SZ}",
                "title": scan(read_payload(record), anchors=False).title or row["url"],
            }
            for node, row, record in _iter_pages(job)
        )
        writer.close(created=_now(), software=f"webstrata/{__version__}")
    return len(job.pages), "pages", 0


def _export_parquet(job: _Job) -> tuple[int, str, int]:
    total = job.snapshot.parts.record("captures").counts["captures"]
    with (
        job.progress.task("captures", total=total, unit="captures") as task,
        open_writer(job.target) as out,
        Index(job.index) as index,
        pq.ParquetWriter(out, SCHEMA, compression="zstd") as writer,
    ):
        # its columns have no method, and no room for records without an address
        pages = (entry for entry in index if entry.request is None and not entry.url.startswith(URN))
        entries, said, number = iter(pages), _Said(job), 0
        while batch := list(islice(entries, _ROWS)):
            rows = [describe_capture(entry, job.snapshot.date) | said.of(entry) for entry in batch]
            urls = url_columns(pa.chunked_array([[entry.url for entry in batch]], pa.string()))
            captures = pa.Table.from_pylist(rows, schema=CAPTURE_SCHEMA)
            writer.write_table(pa.table([*urls.columns, *captures.columns], schema=SCHEMA))
            task.advance(len(batch))
            number += len(batch)
    return number, "captures", total - number


class _Said:
    """Charset and language of captures whose text is in the snapshot: those with the payload of a node."""

    def __init__(self, job: _Job) -> None:
        self._urls = Urls(job.parts["urls"].path) if "text" in job.parts and "urls" in job.parts else None
        if self._urls is not None:
            self._digests = job.pages.table("content_digest")["content_digest"].combine_chunks()
            columns = Text(job.parts["text"].path).columns("charset", "language")
            self._charsets, self._languages = (
                columns[name].combine_chunks() for name in columns.column_names
            )

    def of(self, entry: Entry) -> dict[str, str | None]:
        node = self._urls.get(entry.url) if self._urls is not None else None
        if node is None or self._digests[node].as_py() != entry.fields["digest"]:
            return {}
        language = long_code(self._languages[node].as_py())
        return {"content_charset": self._charsets[node].as_py(), "content_languages": language}


def _export_wet(job: _Job) -> tuple[int, str, int]:
    text = Text(job.parts["text"].path)
    texts = (row for batch in text.scan("title", "text") for row in batch.to_pylist())
    languages = text.columns("language")["language"]
    fields = [("software", f"webstrata/{__version__}"), ("isPartOf", job.title)]
    with open_writer(job.target) as out:
        packed = job.name.endswith(".gz")
        writer = WetWriter(out, packed=packed, name=job.name, created=_now(), fields=fields)
        for (node, row, record), said in zip(_iter_pages(job), texts, strict=True):
            conversion = Conversion(
                url=row["url"],
                date=f"{row['fetch_time']:%Y-%m-%dT%H:%M:%SZ}",
                refers_to=record.get("WARC-Record-ID") or "",
                title=said["title"],
                text=said["text"],
                language=languages[node].as_py(),
            )
            writer.write(conversion)
    return len(text), "pages", 0


def _export_bundle(job: _Job) -> tuple[int, str, int]:
    about = {
        "title": job.title,
        "snapshot": job.snapshot.date,
        "created": _now(),
        "software": f"webstrata/{__version__}",
    }
    total = sum(part.record.bytes for part in job.parts.values())
    with job.progress.task("copying", total=total, unit="bytes") as task:
        write_bundle(job.target, job.parts, about, task.advance)
    return len(job.parts), "parts", 0


def _export_bagit(job: _Job) -> tuple[int, str, int]:
    created = _now()
    bag = BagWriter(job.target)
    kept = [
        ("index", job.index),
        *([("packages", job.parts["packages"].path)] if "packages" in job.parts else []),
    ]
    files = [(path, f"warc/{path.name}") for path in _list_warc(job)]
    for name, folder in kept:
        files += [(path, f"{name}/{path.relative_to(folder).as_posix()}") for path in list_files(folder)]
    with job.progress.task(
        "copying", total=sum(path.stat().st_size for path, _ in files), unit="bytes"
    ) as task:
        for path, name in files:
            bag.add_file(path, name, task.advance)
    description = _describe_bag(job, created)
    bag.add("description.json", [json.dumps(description, indent=2, ensure_ascii=False).encode() + b"\n"])
    what = (
        f"{description['captures']} captures of {description['pages']} pages in WARC files, with a CDXJ index"
    )
    bag.close(
        [
            ("Bagging-Date", created[:10]),
            ("Bag-Software-Agent", f"webstrata/{__version__}"),
            ("External-Identifier", f"{job.snapshot.collection.path.resolve().name}-{job.snapshot.date}"),
            ("External-Description", f"{job.title}: {what}"),
        ]
    )
    return len(files) + 1, "files", 0


def _describe_bag(job: _Job, created: str) -> dict[str, Any]:
    """What a bag is of, where it came from and which other snapshots its records refer to."""
    inputs = job.parts["pages"].record.inputs
    others = {name.partition("/")[0] for name in inputs if name.endswith("/warc")}
    described: dict[str, Any] = {
        "title": job.title,
        "snapshot": job.snapshot.date,
        "created": created,
        "software": f"webstrata/{__version__}",
        "captures": job.snapshot.parts.record("captures").counts["captures"],
        "pages": len(job.pages),
        "warc": "warc/*.warc*: WARC 1.1, every capture",
        "index": "index/index.cdxj.gz: CDXJ, sorted by SURT and time",
        "payloads_in_snapshots": sorted(others - {job.snapshot.date}),
    }
    if "packages" in job.parts:
        described["ingested_from"] = [
            {"file": row["file"], "check": row["check"]} for row in Packages(job.parts["packages"].path).rows
        ]
    return described


def _now() -> str:
    return dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


_WRITERS: dict[Format, Callable[[_Job], tuple[int, str, int]]] = {
    "warc": _export_warc,
    "trec": _export_trec,
    "cdxj": _export_cdxj,
    "wacz": _export_wacz,
    "parquet": _export_parquet,
    "wet": _export_wet,
    "bundle": _export_bundle,
    "bagit": _export_bagit,
}


@contextmanager
def _scratch(job: _Job) -> Iterator[Path]:
    """A folder next to the target that goes when the block ends."""
    with TemporaryDirectory(prefix=f".{job.name}-", dir=job.target.absolute().parent) as name:
        yield Path(name)


def _name_originals(job: _Job) -> str:
    return f"{job.snapshot.collection.path.name}-{job.snapshot.date}-originals.warc.gz"


def _list_warc(job: _Job) -> list[Path]:
    return sorted(path for path in job.warc.iterdir() if ".warc" in path.name)


def _iter_pages(job: _Job) -> Iterator[tuple[int, dict[str, Any], Record]]:
    """The nodes with their rows and the records that hold their payloads."""
    table = job.pages.table("url", "fetch_time", "content_mime_type", "warc_filename", "warc_record_offset")
    node = 0
    with WarcFiles(job.snapshot) as files, job.progress.task("pages", total=len(table), unit="pages") as task:
        for batch in table.to_batches(max_chunksize=4096):
            for row in batch.to_pylist():
                path = files.find(row["warc_filename"])
                yield node, row, read_record(path, row["warc_record_offset"])
                node += 1
                task.advance()


def _copy(path: Path, out: BinaryIO, advance: Callable[[int], None]) -> None:
    with explained(path, "read"), path.open("rb") as stream:
        while piece := stream.read(_PIECE):
            out.write(piece)
            advance(len(piece))


@contextmanager
def _packed(stream: BinaryIO, name: str) -> Iterator[Any]:
    if not name.endswith(".gz"):
        yield stream
        return
    with gzip.GzipFile("", "wb", 6, stream, mtime=0) as packed:
        yield packed


def choose_target(snapshot: Snapshot, kind: Format, into: str | PathLike[str] | None = None) -> Path:
    """Where an export goes: `into`, or a name in the current folder.

    Examples
    --------
    >>> from webstrata import testing
    >>> choose_target(testing.snapshot(), "wacz").name
    'uk-2026-06.wacz'
    """
    return Path(into or f"{snapshot.collection.path.resolve().name}-{snapshot.date}{ENDINGS[kind]}")
