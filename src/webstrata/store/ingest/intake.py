"""Sources become WARC files and index lines, in the working folder of an ingest.

**As it is**: a WARC file whose records can be read one by one, given their offsets, is copied byte for byte,
and each capture gets a line that points into the copy. These are files that are not compressed, have one gzip
member per record, or one zstd frame per record. A WACZ gives its WARC files. Every other source is rewritten,
and a note says why: files compressed as a whole or by lz4, WARC before 0.17, ARC, TREC Web.

**Rewritten**: a capture whose records our writer would write in the same way is copied, gzip member by gzip
member. Any other is written with its payload decoded (`webstrata.store.ingest.rewriting`); one with status
200 and the payload of an earlier one becomes a ``revisit``. Records that belong to no capture are written
unchanged.

In either way, in the order of the sources,

- a capture with URL, second and payload of an earlier one gets no line: the same file may come twice, and is
  copied once;
- a ``revisit`` record finds its original when all sources are read, by the digest that its writer declared,
  or by the URL and the time that it refers to; without an original its line has neither status nor digest of
  another capture.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from webstrata._core import __version__
from webstrata.archive.digests import from_base32, plain
from webstrata.archive.fixity import Survey, survey
from webstrata.archive.responses import iter_answers, join_robots
from webstrata.archive.tally import Tally
from webstrata.archive.wacz import extract_archives
from webstrata.archive.warc import Place, WarcWriter, read_record
from webstrata.collection.files import open_writer
from webstrata.errors import FormatError
from webstrata.store.build import CAPTURES
from webstrata.store.ingest.indexing import Indexing
from webstrata.store.ingest.journal import STREAMS, identify
from webstrata.store.ingest.provenance import (
    PROVENANCE,
    Origin,
    choose_name,
    copy_file,
    digest_file,
    find_ending,
)
from webstrata.store.ingest.readers import find_format, read_archive
from webstrata.store.ingest.rewriting import translate_digest

if TYPE_CHECKING:
    from webstrata.archive.responses import ReadResponse
    from webstrata.store.ingest.readers import Source

_REASONS = {
    "WARC 0.9": "WARC before version 0.17 has another form",
    "ARC": "ARC is not WARC",
    "TREC": "TREC Web is not WARC",
}


class Intake(Indexing):
    """The folder of an ingest being filled.

    Examples
    --------
    >>> import tempfile
    >>> import webstrata as ws
    >>> from webstrata.collection.progress import Progress
    >>> from webstrata.store.ingest.journal import Journal
    >>> from webstrata.store.ingest.readers import Source
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.html").write_text("<title>A</title>")
    ...     snapshot = ws.create(Path(folder, "uk")).add("2026-06")
    ...     journal = Journal.begin(snapshot, "new as-is")
    ...     Intake(snapshot, journal, Progress()).run([Source(Path(folder, "a.html"), "http://a.uk/")])
    >>> journal.counts["captures"]
    1
    """

    def run(self, sources: list[Source]) -> None:
        """Store every capture of `sources` that is not there yet."""
        left = self.journal.left(sources)
        if self.journal.is_closed and not left:
            return
        fields = {
            "software": f"webstrata/{__version__}",
            "isPartOf": f"{self.snapshot.collection.title} {self.snapshot.date}",
        }
        with ExitStack() as stack:
            self._streams = {
                name: stack.enter_context(open_writer(self.folder / name, append=True)) for name in STREAMS
            }
            self._writer = stack.enter_context(WarcWriter(self.folder, self.journal.prefix, fields=fields))
            self.journal.reopen(self._writer)
            for source in left:
                self._read(source)
                self.journal.end_file(source, self._writer, self._streams)
            self._streams[CAPTURES].flush()
            self._store_later(sources)
            self._refuse_nothing(sources)
            self.journal.end_all(self._writer, self._streams)

    def _refuse_nothing(self, sources: list[Source]) -> None:
        if not self.counts["captures"] and not self.counts["repeated"]:
            what = f"{len(sources)} files" if len(sources) != 1 else str(sources[0].path)
            counted = self.tally.left_out + self.tally.kept
            told = [f"{number} of them {reason}" for reason, number in counted.most_common(3)]
            told += [str(damage) for damage in self.tally.damage[:1]]
            more = f" ({'; '.join(told)})" if told else ""
            raise FormatError(
                f"{what}: there are {self.tally.records} records and no capture of a page among them{more}; "
                f"name other files"
            )

    # ---- sources

    def _read(self, source: Source) -> None:
        """Store the captures of a source that have payloads; the others wait until all are read."""
        name = "git" if source.git is not None else find_format(source.path)
        self._origin, self._copy = str(source.path), ""
        self._survey, self._marks, self._is_known = Survey(), {}, False
        self._keeps_records = self.tally.keeps = name in ("WARC", "WARC 0.9", "WACZ")
        num_damaged = self.tally.num_damaged
        if name == "WACZ" and self._is_as_is:
            if self._copy_members(source):
                return
        elif name == "WARC":
            self._examine(source.path, str(source.path))
            if self._is_as_is:
                reason = self._copy_source(source.path, str(source.path))
                if not reason:
                    self._index(self.folder / self._copy, source.path)
                    self._refuse_damage(num_damaged)
                    return
                if source.path.stat().st_size:
                    self._note(f"{source.path}: {reason}, so the file is rewritten")
                self._log_source(source, reason)
            else:
                self._log_source(source)
        else:
            if name == "WACZ":
                for place, path in extract_archives(source.path, Tally(), scratch=source.scratch):
                    self._examine(path, place)
            if self._is_as_is and name in _REASONS:
                self._note(f"{source.path}: {_REASONS[name]}, so the file is rewritten")
            self._log_source(source, _REASONS.get(name) if self._is_as_is else None)
        self._rewrite(source, name)
        self._refuse_damage(num_damaged)

    def _refuse_damage(self, before: int) -> None:
        if self._is_strict and self.tally.num_damaged > before:
            where = self.tally.damage[before] if before < len(self.tally.damage) else self._origin
            raise FormatError(f"{where}; leave out --strict to ingest what can be read")

    def _examine(self, path: Path, origin: str) -> None:
        """Verify the digests of a WARC file, and find its records."""
        with self.progress.task(f"verifying {path.name}", total=path.stat().st_size, unit="bytes") as task:
            self._survey = survey(path, name=origin, workers=self.workers, task=task)
        self._marks |= self._survey.marks()
        self.counts["digests"] += self._survey.checked
        self.counts["unknown_digests"] += self._survey.unknown
        if self._is_strict and self._survey.mismatches:
            self._refuse(self._survey.mismatches)

    def _log_source(self, source: Source, reason: str | None = None) -> None:
        """Say in the provenance that a source is rewritten."""
        path, is_file = source.path, source.git is None and source.path.is_file()
        digest = digest_file(path) if is_file else None
        self._is_known = digest is not None and digest in self.journal.rewritten
        if digest is not None and not self._is_known:
            self.journal.rewritten.add(digest)
        self._report(self._survey.mismatches)
        if not self._is_known:
            size = path.stat().st_size if is_file else None
            origin = Origin(origin=str(path), copy="rewrite", size=size, sha256=digest, reason=reason)
            self._streams[PROVENANCE].write(origin.to_line())

    def _copy_members(self, source: Source) -> bool:
        """Copy and index the WARC files of a WACZ, as they are; False where one of them must be rewritten."""
        has_members = False
        for place, path in extract_archives(source.path, Tally(), scratch=source.scratch):
            found = survey(path, name=place, workers=self.workers)
            reason = self._find_reason(path, found)
            if reason:
                self._note(f"{place}: {reason}, so the file is rewritten")
                return False
            has_members = True
        if not has_members:
            return False
        num_damaged = self.tally.num_damaged
        for place, path in extract_archives(source.path, self.tally, scratch=source.scratch):
            self._origin = place
            self._examine(path, place)
            self._copy_source(path, place)
            self._index(self.folder / self._copy, path)
        self._refuse_damage(num_damaged)
        return True

    def _find_reason(self, path: Path, found: Survey) -> str:
        """Why a WARC file cannot be copied as it is; nothing where it can."""
        if find_ending(path) is None:
            return "no replay tool reads WARC in this compression"
        if not found.is_per_record or not found.places:
            return "its records are not compressed one by one"
        return ""

    def _copy_source(self, path: Path, origin: str) -> str:
        """Copy a WARC file byte for byte, unless it was copied before; the reason where that cannot be."""
        reason = self._find_reason(path, self._survey)
        if reason:
            return reason
        digest = digest_file(path)
        known = self.journal.copies.get(digest)
        self._is_known = known is not None
        if known is not None:
            self._copy = known
        else:
            taken = {file.name.removesuffix(".open") for file in self.folder.glob("*.warc*")}
            ending = find_ending(path) or ".warc"
            self._copy = choose_name(origin, ending, taken, self.journal.prefix)
            copied = copy_file(path, self.folder / self._copy)
            if copied != digest:
                raise FormatError(f"{path}: the file changed while it was read; run the command again")
            self.journal.copies[digest] = self._copy
            self.counts["copied"] += 1
            size = path.stat().st_size
            facts = Origin(origin=origin, copy="as-is", file=self._copy, size=size, sha256=digest)
            self._streams[PROVENANCE].write(facts.to_line())
        self._report(self._survey.mismatches)
        return ""

    # ---- when all sources are read

    def _store_later(self, sources: list[Source]) -> None:
        self._marks = {}
        for later in self.journal.later:
            records = [read_record(Path(later.path), offset) for offset in later.offsets]
            self._origin, self._keeps_records, self._is_known = later.origin, True, False
            place = Place(later.filename, later.offsets[0], later.length) if later.filename else None
            for answer in iter_answers(records, Tally()):
                self._store_revisit(answer, place, later.fixity)
        by_path = {str(source.path): source for source in sources}
        for path, start in self.journal.again:
            # damage of the file was reported when it was read first
            source = by_path[path]._replace(start=start)
            name = find_format(source.path)
            self._origin, self._keeps_records = path, name in ("WARC", "WARC 0.9", "WACZ")
            for answer in iter_answers(self._watched(read_archive(source, Tally()), source.path), Tally()):
                self._store_revisit(answer, None, self._mark(answer.record))

    def _store_revisit(self, answer: ReadResponse, place: Place | None, fixity: str | None) -> None:
        revisit = answer.revisit
        if revisit is None:
            return
        told = plain(answer.record.get("WARC-Payload-Digest") or "")
        digest = self.journal.told.get(told) or (from_base32(told) if told else None)
        if digest is None or (revisit.profile == "not-modified" and digest not in self.journal.stored):
            digest = self._originals.find(revisit.url, revisit.date) or digest
        payload = self.journal.stored.get(digest) if digest is not None else None
        duplicate_of = revisit.url if revisit.url != answer.url else None
        if payload is not None and revisit.profile == "identical-digest":
            duplicate_of = payload.url
            answer.fingerprint = payload.fingerprint
            answer.robots = join_robots(answer.robots, payload.robots)
        date = self._default_date if answer.date is None else answer.date
        if not self.journal.is_new(identify(answer.full_url, date, digest or b"")):
            return
        self.counts["revisits"] += 1
        self.counts["unresolved"] += payload is None
        if place is None and self._keeps_records:
            headers = translate_digest(answer.record.headers, self.journal.told.get(told))
            headers.append(("X-Webstrata-Origin", self._name_origin(answer.record)))
            place = self._writer.write_record(headers, answer.record.block, date)
            for other in answer.others:
                self._writer.write_record(other.headers, other.block, date)
        elif place is None:
            place = self._writer.write(self._capture(answer, revisit, digest or b""))
        self._write(answer, date, digest, duplicate_of, place, is_revisit=True, fixity=fixity)
