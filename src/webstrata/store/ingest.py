"""Archives that others made become a snapshot, as if it had been crawled.

A capture whose records can stay as they are is copied (`webstrata.store.groups`), every other one is written
anew (`webstrata.store.warc`, ``docs/formats/warc.md``), with a line in ``captures.cdxj``, and the store step
that ends a crawl builds the parts. In the order of the files

- a capture with URL, second and payload of one before is left out: the same file may come twice;
- one with status 200 and the payload of one before is stored as ``revisit``;
- a ``revisit`` record finds the payload it refers to by the digest that its writer told, wherever that is
  among the files; for this, these records are read twice, and come last.

Nothing that is wrong with a file ends the work: it is counted and told. What was read is kept when the work
is broken off, and the same command goes on behind it (`webstrata.store.journal`).
"""

from __future__ import annotations

import ipaddress
import re
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webstrata._core import __version__
from webstrata.collection.collection import parse_label
from webstrata.collection.files import explained, open_writer
from webstrata.collection.progress import Progress
from webstrata.collection.settings import ResourcesSettings
from webstrata.errors import ExistsError, FormatError
from webstrata.store.answers import iter_answers, join_robots, tell_robots
from webstrata.store.cdxj import Line
from webstrata.store.groups import is_gzip, read_groups
from webstrata.store.html_tree import check_base, has_hosts
from webstrata.store.journal import NOTES, Journal, Payload, from_base32, identify, plain
from webstrata.store.packages.part import check_packages, keep_packages
from webstrata.store.readers import READERS, Source, find_format, read_archive
from webstrata.store.settings import StoreSettings
from webstrata.store.step import CAPTURES, UNPARSED, build_parsed, build_unparsed
from webstrata.store.taking import open_earlier
from webstrata.store.tally import Damage, Tally
from webstrata.store.warc import Capture, Revisit, WarcWriter, read_record
from webstrata.web.html import Directives

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO, Literal

    from webstrata.collection import Snapshot
    from webstrata.store.answers import Answer
    from webstrata.store.groups import Batch
    from webstrata.store.packages.check import PackageCheck
    from webstrata.store.warc import Record

_TOLD = [tell_robots(Directives(bits)) for bits in range(8)]
"""What a page asks of robots, by its bits as the core has them."""
_ARCHIVES = tuple(reader.ending for name, reader in READERS.items() if name not in ("HTML", "sitemap"))


@dataclass(frozen=True, kw_only=True)
class IngestResult:
    """What came of it."""

    files: int
    records: int
    captures: int
    """Stored, `duplicates` and `revisits` included."""
    duplicates: int
    """Stored as revisit, since the payload was there."""
    revisits: int
    """Stored as revisit, as they were found."""
    unresolved: int
    """Revisits of payloads that are not among the files."""
    repeated: int
    """Captures that were there already, and left out."""
    undated: int
    """Captures whose record tells no time; they got that of the snapshot."""
    other_time: int
    """Captures of another time than the snapshot's label says."""
    cut: int
    """Captures whose payload, unpacked, is longer than is stored; they have its beginning."""
    pages: int
    """Nodes of the snapshot now."""
    left_out: dict[str, int]
    """Records that are no captures of pages, by reason."""
    damaged: int
    damage: list[Damage]
    packages: list[PackageCheck]
    """What verifying the WACZ files among the sources found."""
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data."""
        return asdict(self) | {
            "damage": [damage._asdict() for damage in self.damage],
            "packages": [check.to_dict() for check in self.packages],
        }


def list_sources(paths: Iterable[Path], *, base_url: str = "", scratch: Path | None = None) -> list[Source]:
    r"""The files and folders of pages that `paths` name; an error if one of them is neither.

    A folder stands for the archives in it, at any depth, and for the pages in it if it has any. Beside a
    sitemap, a folder of pages whose URLs nobody knows is where the files of the sitemap are looked for.

    Examples
    --------
    >>> folder = getfixture("tmp_path")
    >>> _ = (folder / "a.warc").write_bytes(b"WARC/1.0\r\n"), (folder / "notes.txt").write_text("no")
    >>> [source.path.name for source in list_sources([folder])]
    ['a.warc']
    """
    found = []
    paths = list(paths)
    formats = {path: find_format(path) for path in paths if not path.is_dir()}
    has_sitemap = "sitemap" in formats.values()
    folders = tuple(path for path in paths if path.is_dir())
    for path in paths:
        if not path.is_dir():
            if formats[path] == "HTML":
                check_base(path, base_url)
            found.append(Source(path, base_url, scratch, folders))
            continue
        with explained(path, "list"):
            files = sorted(file for file in path.rglob("*") if file.is_file() and not file.is_symlink())
        archives = [file for file in files if any(ending in file.name.lower() for ending in _ARCHIVES)]
        archives = [file for file in archives if _is_archive(file)]
        found += [Source(file, "", scratch) for file in archives]
        if not archives or any(file.suffix.lower() in (".html", ".htm", ".xhtml") for file in files):
            if has_sitemap and not base_url and not has_hosts(path):
                continue
            check_base(path, base_url)
            found.append(Source(path, base_url, scratch))
    return found


def _is_archive(path: Path) -> bool:
    try:
        return find_format(path) != "HTML"
    except FormatError:
        return False


def ingest(
    snapshot: Snapshot,
    paths: Iterable[Path],
    *,
    base_url: str = "",
    mode: Literal["new", "again", "add"] = "new",
    renew: str = "",
    strict: bool = False,
    progress: Progress | None = None,
) -> IngestResult:
    """Make the captures in files the captures of a snapshot, and build its parts.

    Parameters
    ----------
    snapshot
        Where they go.
    paths
        Files of any format of `webstrata.store.readers`, or folders.
    base_url
        What a folder of HTML files stands for.
    mode
        ``new`` refuses a snapshot that has captures, ``again`` replaces them, ``add`` keeps them.
    renew
        The command that does it again, for `webstrata show`.
    strict
        Whether a WACZ whose hashes or signature do not hold is refused, before anything is written.
    progress
        Where progress is shown.

    Examples
    --------
    >>> import webstrata as ws
    >>> folder = getfixture("tmp_path")
    >>> with WarcWriter(folder, "old") as writer:
    ...     _ = writer.write(
    ...         Capture(url="http://a.uk/", date=10**18, head=b"HTTP/1.1 200 OK", body=b"<html>Hi"))
    >>> snapshot = ws.create(folder / "uk").add("2001-09")
    >>> result = ingest(snapshot, [folder / "old-00000.warc.gz"])
    >>> result.captures, result.pages, list(snapshot.urls)
    (1, 1, ['http://a.uk/'])
    """
    sources = list_sources(paths, base_url=base_url, scratch=snapshot.working_folder("ingest"))
    return ingest_sources(snapshot, sources, mode=mode, renew=renew, strict=strict, progress=progress)


def ingest_sources(
    snapshot: Snapshot,
    sources: list[Source],
    *,
    mode: Literal["new", "again", "add"] = "new",
    renew: str = "",
    strict: bool = False,
    progress: Progress | None = None,
) -> IngestResult:
    """Do what `ingest` does for files about which more is known than their paths.

    Examples
    --------
    >>> import webstrata as ws
    >>> folder = getfixture("tmp_path")
    >>> _ = (folder / "a.html").write_text("<title>A</title>")
    >>> snapshot = ws.create(folder / "uk").add("2001-09")
    >>> ingest_sources(snapshot, [Source(folder / "a.html", "http://a.uk/")]).pages
    1
    """
    progress = progress or Progress()
    started = time.monotonic()
    folder = snapshot.working_folder("ingest")
    packages = check_packages(_list_packages(sources), strict=strict, progress=progress)
    with snapshot.parts.writing(progress):
        journal = Journal.find(snapshot, mode, sources)
        if journal is not None:
            progress.note(f"{snapshot.path}: {journal.num_done} of {len(sources)} files were read before")
        elif "warc" in snapshot.parts and mode == "new":
            raise ExistsError(
                f"{snapshot.path}: this snapshot has captures already; choose another one, add to them with "
                f"--add, or replace them with --again"
            )
        else:
            journal = Journal.begin(snapshot, mode)
        try:
            work = _Work(snapshot, journal, progress)
            work.run(sources)
            # of what is added to, nothing is parsed again
            main = snapshot.settings(StoreSettings).main
            earlier = open_earlier(snapshot, main=main) if mode == "add" else None
            if not journal.has_parts(snapshot):
                build_unparsed(snapshot, folder, renew=renew, progress=progress)
                journal.end_parts(snapshot, UNPARSED)
            keep_packages(snapshot, packages, add=mode == "add", progress=progress)
            build_parsed(snapshot, earlier=earlier, progress=progress)
        except BaseException as error:
            # to go on from what is in the files would end in the same way
            if isinstance(error, FormatError) or not journal.can_go_on:
                journal.remove()
            raise
        journal.remove()
        pages = snapshot.parts.record("pages").counts["nodes"]
    return work.result(len(sources), pages, packages, time.monotonic() - started)


def _list_packages(sources: list[Source]) -> list[Path]:
    """The WACZ files among the sources."""
    return [
        source.path
        for source in sources
        if source.git is None and source.path.is_file() and find_format(source.path) == "WACZ"
    ]


class _Work:
    """The folder being filled."""

    def __init__(self, snapshot: Snapshot, journal: Journal, progress: Progress) -> None:
        self.snapshot, self.folder, self.progress = snapshot, journal.folder, progress
        self.journal, self.tally, self.counts = journal, journal.tally, journal.counts
        self.workers = snapshot.settings(ResourcesSettings).num_workers
        self._label = re.sub(r"[-T]", "", snapshot.label)
        moment = parse_label(snapshot.label)
        self._default_date = int(moment.timestamp()) * 10**9 if moment.year >= 1970 else 0

    def run(self, sources: list[Source]) -> None:
        """Write every capture of `sources` that is not there yet."""
        left = self.journal.left(sources)
        if self.journal.is_closed and not left:
            return
        fields = {
            "software": f"webstrata/{__version__}",
            "isPartOf": f"{self.snapshot.collection.title} {self.snapshot.label}",
        }
        prefix = f"{self.snapshot.collection.path.name}-{self.snapshot.label}"
        with (
            open_writer(self.folder / CAPTURES, append=True) as lines,
            open_writer(self.folder / NOTES, append=True) as notes,
            WarcWriter(self.folder, prefix, fields=fields) as writer,
        ):
            self.journal.reopen(writer)
            for source in left:
                self._read(source, writer, lines)
                self.journal.end_file(source, writer, lines, notes)
            for path, offsets in self.journal.later:
                answers = iter_answers([read_record(Path(path), offset) for offset in offsets], Tally())
                self._store_revisits(answers, writer, lines)
            by_path = {str(source.path): source for source in sources}
            for path, start in self.journal.again:
                # what is wrong with the file has been told
                source = by_path[path]._replace(start=start)
                answers = iter_answers(self._watch(source, Tally()), Tally())
                self._store_revisits(answers, writer, lines)
            self._refuse_nothing(sources)
            self.journal.end_all(writer, lines, notes)

    def _refuse_nothing(self, sources: list[Source]) -> None:
        if not self.counts["captures"] and not self.counts["repeated"]:
            what = f"{len(sources)} files" if len(sources) != 1 else str(sources[0].path)
            told = [f"{number} of them {reason}" for reason, number in self.tally.left_out.most_common(3)]
            told += [str(damage) for damage in self.tally.damage[:1]]
            more = f" ({'; '.join(told)})" if told else ""
            raise FormatError(
                f"{what}: there are {self.tally.records} records and no capture of a page among them{more}; "
                f"name other files"
            )

    def _read(self, source: Source, writer: WarcWriter, lines: BinaryIO) -> None:
        """Store the captures of a file that have payloads; the others are put off."""
        if find_format(source.path) == "WARC" and is_gzip(source.path):
            start = self._read_groups(source.path, writer, lines)
            if start is None:
                return
            source = source._replace(start=start)
        has_revisits = False
        for answer in iter_answers(self._watch(source, self.tally), self.tally):
            if answer.revisit is not None:
                has_revisits = True
            else:
                self._store(answer, writer, lines)
        if has_revisits:
            self.journal.put_off_rest(source.path, source.start)

    def _read_groups(self, path: Path, writer: WarcWriter, lines: BinaryIO) -> int | None:
        """Store the captures of a file as long as it is in order; where it is not, if so."""
        with self.progress.task(f"reading {path.name}", total=path.stat().st_size, unit="bytes") as task:
            for batch in read_groups(path, workers=self.workers):
                self.tally.records += batch.num_records
                self._store_batch(batch, writer, lines)
                task.advance(batch.next - task.done)
                if batch.is_odd:
                    return batch.next
        return None

    def _store_batch(self, batch: Batch, writer: WarcWriter, lines: BinaryIO) -> None:
        """Copy the captures whose records can stay as they are, and write the others, all in their order."""
        journal = self.journal
        chosen: list[int] = []
        for place, known in enumerate(batch.plain()):
            if known is None or known[1] in journal.stored:
                self._copy(batch, chosen, writer, lines)
                chosen = []
                if known is None:
                    self._store_group(batch.path, batch.records(place), writer, lines)
                else:
                    self._store_repeated(batch, place, writer, lines)
                continue
            identity, digest, url, date, fingerprint, robots = known
            if journal.is_new(identity):
                chosen.append(place)
                if digest is not None:
                    journal.keep(digest, Payload(url, date, fingerprint, _TOLD[robots]))
        self._copy(batch, chosen, writer, lines)

    def _store_repeated(self, batch: Batch, place: int, writer: WarcWriter, lines: BinaryIO) -> None:
        """Store a capture in order whose payload is stored: all that is needed of the payload is known."""
        facts = batch.facts(place)
        if facts is None or not self.journal.is_new(identify(facts.url, facts.date, facts.digest)):
            return
        payload = self.journal.stored[facts.digest]
        revisit = Revisit("identical-digest", payload.url, payload.date)
        for answer in iter_answers(batch.heads(place), self.tally):
            answer.fingerprint = facts.fingerprint
            answer.robots = tell_robots(facts.header_robots | facts.page_robots)
            self.counts["duplicates"] += 1
            self._write(answer, self._capture(answer, revisit, facts.digest), payload.url, writer, lines)

    def _copy(self, batch: Batch, chosen: list[int], writer: WarcWriter, lines: BinaryIO) -> None:
        text, num_others = writer.copy(batch.found, chosen, self._label)
        lines.write(text)
        self.counts["captures"] += len(chosen)
        self.counts["other_time"] += num_others

    def _store_group(self, path: Path, records: list[Record], writer: WarcWriter, lines: BinaryIO) -> None:
        for answer in iter_answers(records, self.tally):
            if answer.revisit is not None:
                self.journal.put_off(path, [record.offset for record in records])
            else:
                self._store(answer, writer, lines)

    def _store_revisits(self, answers: Iterable[Answer], writer: WarcWriter, lines: BinaryIO) -> None:
        for answer in answers:
            if answer.revisit is not None:
                self._store_revisit(answer, answer.revisit, writer, lines)

    def _watch(self, source: Source, tally: Tally) -> Iterator[Record]:
        total = source.path.stat().st_size if source.path.is_file() else None
        with self.progress.task(
            f"reading {source.path.name}", total=total, unit="bytes" if total else "pages"
        ) as task:
            for record in read_archive(source, tally):
                yield record
                task.advance(max(record.offset - task.done, 0) if total else 1)

    def _store(self, answer: Answer, writer: WarcWriter, lines: BinaryIO) -> None:
        capture = self._capture(answer)
        self.journal.remember(answer.record.get("WARC-Payload-Digest") or "", capture.digest)
        if not self.journal.is_new(identify(answer.full_url, capture.date, capture.digest)):
            return
        duplicate_of = next((value for name, value in answer.metadata if name == "duplicate-of"), None)
        if answer.status == 200 and capture.body and answer.is_page:
            own = Payload(capture.url, capture.date, answer.fingerprint, answer.page_robots)
            payload = self.journal.keep(capture.digest, own)
            if payload is not own:
                duplicate_of = payload.url
                capture = self._capture(answer, Revisit("identical-digest", payload.url, payload.date))
                self.counts["duplicates"] += 1
        self._write(answer, capture, duplicate_of, writer, lines)

    def _store_revisit(self, answer: Answer, revisit: Revisit, writer: WarcWriter, lines: BinaryIO) -> None:
        told = answer.record.get("WARC-Payload-Digest") or ""
        digest = self.journal.told.get(plain(told)) or from_base32(plain(told))
        payload = self.journal.stored.get(digest)
        if payload is not None and revisit.profile == "identical-digest":
            revisit = Revisit(revisit.profile, payload.url, payload.date)
            answer.fingerprint = payload.fingerprint
            answer.robots = join_robots(answer.robots, payload.robots)
        capture = self._capture(answer, revisit, digest)
        if self.journal.is_new(identify(answer.full_url, capture.date, capture.digest)):
            self.counts["revisits"] += 1
            self.counts["unresolved"] += payload is None and revisit.profile == "identical-digest"
            self._write(answer, capture, revisit.url if revisit.url != capture.url else None, writer, lines)

    def _capture(self, answer: Answer, revisit: Revisit | None = None, digest: bytes = b"") -> Capture:
        record = answer.record
        return Capture(
            url=answer.url,
            date=self._default_date if answer.date is None else answer.date,
            head=answer.head,
            body=answer.body,
            request=answer.request,
            decoded=answer.is_decoded,
            ip=_read_ip(record.get("WARC-IP-Address")),
            truncated=answer.truncated,
            digest=digest,
            identified_type=record.get("WARC-Identified-Payload-Type"),
            protocols=[value for name, value in record.headers if name.lower() == "warc-protocol"],
            cipher=record.get("WARC-Cipher-Suite"),
            metadata=answer.metadata,
            revisit=revisit,
        )

    def _write(
        self, answer: Answer, capture: Capture, duplicate_of: str | None, writer: WarcWriter, lines: BinaryIO
    ) -> None:
        place = writer.write(capture)
        line = Line(
            url=capture.url,
            date=capture.date,
            mime=answer.mime if capture.revisit is None else "warc/revisit",
            status=answer.status,
            digest=capture.digest,
            fingerprint=answer.fingerprint,
            duplicate_of=duplicate_of,
            redirect=answer.redirect,
            robots=answer.robots,
            truncated=answer.truncated,
            request=answer.parsed_request,
            **place._asdict(),
        )
        self.counts["undated"] += answer.date is None
        self.counts["cut"] += answer.truncated == "length" and not answer.record.get("WARC-Truncated")
        self._write_line(line, lines)

    def _write_line(self, line: Line, lines: BinaryIO) -> None:
        text = line.to_bytes()
        lines.write(text)
        self.counts["captures"] += 1
        timestamp = text.split(b" ", 2)[1].decode()
        self.counts["other_time"] += not timestamp.startswith(self._label)

    def result(self, files: int, pages: int, packages: list[PackageCheck], seconds: float) -> IngestResult:
        """What came of it."""
        return IngestResult(
            files=files,
            records=self.tally.records,
            pages=pages,
            left_out=dict(self.tally.left_out.most_common()),
            damaged=self.tally.num_damaged,
            damage=self.tally.damage,
            packages=packages,
            seconds=seconds,
            **self.counts,
        )


def _read_ip(text: str | None) -> str | None:
    try:
        return str(ipaddress.ip_address((text or "").strip()))
    except ValueError:
        return None
