"""Archives that others made become a snapshot, as if it had been crawled.

WARC files are copied byte for byte and indexed where they are (``--copy as-is``, the default), or rewritten
(``--copy rewrite``): `webstrata.store.ingest.intake` does either, and converts every other format. Each
capture gets a line in ``captures.cdxj``, and the store step that ends a crawl builds the parts. The digests
of all records are verified (`webstrata.archive.fixity`), and the part `warc` says where its files come from
(`webstrata.store.ingest.provenance`).

Nothing that is wrong with a file ends the work, unless that is wanted (``--strict``): it is counted and
reported. What was read is kept when the work is interrupted, and the same command resumes after it
(`webstrata.store.ingest.journal`).
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from webstrata.archive.codings import MAX_PAYLOAD
from webstrata.collection.files import remove_tree
from webstrata.collection.progress import Progress
from webstrata.collection.sentences import tell_count
from webstrata.collection.tables import FactsTable, Rows, Table
from webstrata.errors import ExistsError, FormatError
from webstrata.store.build import UNPARSED, build_parsed, build_unparsed
from webstrata.store.ingest.intake import Intake
from webstrata.store.ingest.journal import Journal
from webstrata.store.ingest.readers import find_format
from webstrata.store.ingest.sources import list_sources as list_sources
from webstrata.store.packages import check_packages, keep_packages
from webstrata.store.reuse import open_earlier
from webstrata.store.settings import StoreSettings

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from typing import Literal

    from webstrata.archive.fixity import Mismatch
    from webstrata.archive.packages.check import PackageCheck
    from webstrata.archive.tally import Damage
    from webstrata.collection import Snapshot
    from webstrata.store.ingest.readers import Source


@dataclass(frozen=True, kw_only=True, repr=False)
class IngestResult(FactsTable):
    """What came of it."""

    files: int
    records: int
    captures: int
    """Stored, `duplicates` and `revisits` included."""
    duplicates: int
    """With the payload of an earlier capture; where files are rewritten, stored as revisit."""
    revisits: int
    """Revisit records of the files."""
    unresolved: int
    """Revisits of payloads that are not among the files."""
    repeated: int
    """Captures that were there already, and left out."""
    undated: int
    """Captures whose record tells no time; they got that of the snapshot."""
    other_time: int
    """Captures of another time than the snapshot's label says."""
    cut: int
    """Captures whose payload, decoded, is longer than is read; they count with its beginning."""
    pages: int
    """Nodes of the snapshot now."""
    copied: int
    """Files that were copied as they are."""
    digests: int
    """Digests of records that were compared with their bytes."""
    unknown_digests: int
    """Digests by algorithms that are not known."""
    mismatched: int
    """Digests that do not hold."""
    mismatches: list[Mismatch]
    """The first 1000 of them; the part `warc` has all."""
    kept: dict[str, int]
    """Records that are stored and are no captures of pages, by reason."""
    left_out: dict[str, int]
    """What is not stored, by reason."""
    damaged: int
    damage: list[Damage]
    packages: list[PackageCheck]
    """What verifying the WACZ files among the sources found."""
    seconds: float
    notes: list[str] = field(default_factory=list)
    """Which files could not be copied as they are, or were not read, and why."""

    shown = 0  # of all numbers

    @property
    def summary(self) -> str:
        """How much was read in what time, in a sentence."""
        rate = self.captures / max(self.seconds, 1e-9)
        return (
            f"{tell_count(self.captures, 'capture')} of {tell_count(self.files, 'file')} in "
            f"{self.seconds:.1f} s, {rate:,.0f} captures/s; the snapshot has "
            f"{tell_count(self.pages, 'page')}."
        )

    def tables(self) -> dict[str, Table]:
        """What was counted and is not 0; all numbers for programs."""
        rows = [{"what": what, "number": number} for what, number in self.counts().items()]
        return {"Ingest": Rows("ingest", rows), "All numbers": self}

    def counts(self) -> dict[str, int]:
        """What was counted and is not 0, by what it is called for people."""
        kept = "kept in full" if self.copied else "stored as revisit"
        found = {
            "WARC files copied as they are": self.copied,
            f"{kept}: payload of an earlier capture": self.duplicates,
            "revisit records": self.revisits,
            "revisits of payloads that are not here": self.unresolved,
            "left out: captures that were here already": self.repeated,
            **{f"stored, and no capture of a page: {reason}": n for reason, n in self.kept.items()},
            **{f"left out: {reason}": number for reason, number in self.left_out.items()},
            "without a time, given that of the snapshot": self.undated,
            "captured at another time than the snapshot's": self.other_time,
            f"cut off: decoded to more than {MAX_PAYLOAD >> 20} MiB": self.cut,
            "digests verified": self.digests,
            "digests by unknown algorithms": self.unknown_digests,
            "digests that do not hold": self.mismatched,
            "damaged places": self.damaged,
        }
        return {"records read": self.records} | {what: number for what, number in found.items() if number}

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data."""
        lists = {name: [each._asdict() for each in getattr(self, name)] for name in ("damage", "mismatches")}
        return asdict(self) | lists | {"packages": [check.to_dict() for check in self.packages]}


def discard_empty(snapshot: Snapshot) -> None:
    """Remove a snapshot in which nothing was built, as after an ingest that was refused.

    Examples
    --------
    >>> import tempfile
    >>> import webstrata as ws
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     collection = ws.create(f"{folder}/uk")
    ...     discard_empty(collection.add("2026-06"))
    ...     "2026-06" in collection
    False
    """
    if not list(snapshot.parts):
        remove_tree(snapshot.path)


def ingest(
    snapshot: Snapshot,
    paths: Iterable[Path],
    *,
    base_url: str = "",
    mode: Literal["new", "again", "add"] = "new",
    copy: Literal["as-is", "rewrite"] = "as-is",
    strict: bool = False,
    renew: str = "",
    progress: Progress | None = None,
) -> IngestResult:
    """Make the captures in files the captures of a snapshot, and build its parts.

    Parameters
    ----------
    snapshot
        Where they go.
    paths
        Files of any format of `webstrata.store.ingest.readers`, or folders.
    base_url
        What a folder of HTML files stands for.
    mode
        ``new`` refuses a snapshot that has captures, ``again`` replaces them, ``add`` keeps them.
    copy
        ``as-is`` copies WARC files byte for byte where they can be read in place, ``rewrite`` stores each
        payload once, decoded, in files of its own. Other formats are always rewritten.
    strict
        Refuse everything, with `FormatError`, if a digest, or a hash or signature of a WACZ, does not hold,
        or a record is damaged.
    renew
        The command that does it again, kept in the manifest.
    progress
        Where progress is shown.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import webstrata as ws
    >>> from webstrata.archive.warc import Capture, WarcWriter
    >>> with tempfile.TemporaryDirectory() as name:
    ...     folder = Path(name)
    ...     with WarcWriter(folder, "old") as writer:
    ...         _ = writer.write(
    ...             Capture(url="http://a.uk/", date=10**18, head=b"HTTP/1.1 200 OK", body=b"<html>Hi"))
    ...     snapshot = ws.create(folder / "uk").add("2001-09")
    ...     result = ingest(snapshot, [folder / "old-00000.warc.gz"])
    ...     urls = list(snapshot.urls)
    >>> result.captures, result.copied, result.pages, urls
    (1, 1, 1, ['http://a.uk/'])
    """
    progress = progress or Progress()
    notes: list[str] = []
    scratch = snapshot.working_folder("ingest")
    sources = list_sources(paths, base_url=base_url, scratch=scratch, notes=notes)
    for note in notes:
        progress.note(note)
    return ingest_sources(
        snapshot, sources, mode=mode, copy=copy, strict=strict, renew=renew, notes=notes, progress=progress
    )


def ingest_sources(
    snapshot: Snapshot,
    sources: list[Source],
    *,
    mode: Literal["new", "again", "add"] = "new",
    copy: Literal["as-is", "rewrite"] = "as-is",
    strict: bool = False,
    renew: str = "",
    notes: Iterable[str] = (),
    progress: Progress | None = None,
) -> IngestResult:
    """Do what `ingest` does for files about which more is known than their paths.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import webstrata as ws
    >>> from webstrata.store.ingest.readers import Source
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.html").write_text("<title>A</title>")
    ...     snapshot = ws.create(Path(folder, "uk")).add("2001-09")
    ...     ingest_sources(snapshot, [Source(Path(folder, "a.html"), "http://a.uk/")]).pages
    1
    """
    progress = progress or Progress()
    started = time.monotonic()
    folder = snapshot.working_folder("ingest")
    packages = check_packages(_list_packages(sources), strict=strict, progress=progress)
    with snapshot.parts.writing(progress):
        kind = f"{mode} {copy}{' strict' if strict else ''}"
        journal = Journal.find(snapshot, kind, sources)
        if journal is not None:
            progress.note(f"{snapshot.path}: {journal.num_done} of {len(sources)} files were read before")
        elif "warc" in snapshot.parts and mode == "new":
            raise ExistsError(
                f"{snapshot.path}: this snapshot has captures already; choose another one, add to them with "
                f"--add, or replace them with --again"
            )
        else:
            journal = Journal.begin(snapshot, kind)
        try:
            work = Intake(snapshot, journal, progress, copy=copy, strict=strict)
            work.notes += notes
            work.run(sources)
            # pages that were there before are not parsed again
            chosen = snapshot.settings(StoreSettings)
            earlier = (
                open_earlier(snapshot, main=chosen.main, parsers=chosen.parsers) if mode == "add" else None
            )
            if not journal.has_parts(snapshot):
                build_unparsed(snapshot, folder, renew=renew, progress=progress)
                journal.end_parts(snapshot, UNPARSED)
            keep_packages(snapshot, packages, add=mode == "add", progress=progress)
            build_parsed(snapshot, earlier=earlier, progress=progress)
        except BaseException as error:
            # to resume from what is in the files would end in the same way
            if isinstance(error, FormatError) or not journal.can_go_on:
                journal.remove()
            raise
        journal.remove()
        pages = snapshot.parts.record("pages").counts["nodes"]
    tally = journal.tally
    return IngestResult(
        files=len(sources),
        records=tally.records,
        pages=pages,
        mismatches=journal.mismatches,
        kept=dict(tally.kept.most_common()),
        left_out=dict(tally.left_out.most_common()),
        damaged=tally.num_damaged,
        damage=tally.damage,
        packages=packages,
        seconds=time.monotonic() - started,
        notes=work.notes,
        **journal.counts,
    )


def _list_packages(sources: list[Source]) -> list[Path]:
    """The WACZ files among the sources."""
    return [
        source.path
        for source in sources
        if source.git is None and source.path.is_file() and find_format(source.path) == "WACZ"
    ]
