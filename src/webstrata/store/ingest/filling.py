"""What both ways of storing a source share: the folder of an ingest being filled with lines and reports."""

from __future__ import annotations

import ipaddress
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from webstrata.archive.cdxj import Line
from webstrata.archive.fixity import FIXITY, Mismatch, Survey, to_lines
from webstrata.archive.responses import tell_robots
from webstrata.archive.tally import MAX_SHOWN
from webstrata.archive.warc import Capture, Place, Revisit, WarcWriter
from webstrata.collection.settings import ResourcesSettings
from webstrata.collection.snapshot_dates import parse_snapshot_date
from webstrata.errors import FormatError
from webstrata.store.build import CAPTURES
from webstrata.store.ingest.journal import Payload, identify
from webstrata.store.ingest.original_lookup import OriginalLookup
from webstrata.web.html import Directives

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO

    from webstrata.archive.responses import ReadResponse
    from webstrata.archive.warc import Record
    from webstrata.collection import Snapshot
    from webstrata.collection.progress import Progress
    from webstrata.store.ingest.journal import Journal

TOLD = [tell_robots(Directives(bits)) for bits in range(8)]
"""What a page asks of robots, by its bits as the core has them."""


class Admitted(NamedTuple):
    """A capture that was not known before."""

    capture: Capture
    duplicate_of: str | None
    """The URL whose capture has the same payload."""
    payload: Payload | None = None
    """Where the payload was stored before, if it was."""


class Filling:
    """The folder of an ingest, and what is known of the source that is being read."""

    def __init__(
        self,
        snapshot: Snapshot,
        journal: Journal,
        progress: Progress,
        *,
        copy: str = "as-is",
        strict: bool = False,
    ) -> None:
        self.snapshot, self.folder, self.progress = snapshot, journal.folder, progress
        self.journal, self.tally, self.counts = journal, journal.tally, journal.counts
        self.workers = snapshot.settings(ResourcesSettings).num_workers
        self.notes: list[str] = []
        self._is_as_is, self._is_strict = copy == "as-is", strict
        self._label = re.sub(r"[-T]", "", snapshot.date)
        moment = parse_snapshot_date(snapshot.date)
        self._default_date = int(moment.timestamp()) * 10**9 if moment.year >= 1970 else 0
        self._writer: WarcWriter
        self._streams: dict[str, BinaryIO]
        self._originals = OriginalLookup(snapshot, journal.folder)
        # of the source that is being read
        self._origin, self._copy = "", ""
        self._survey = Survey()
        self._marks: dict[tuple[int, str], str] = {}
        self._keeps_records = self._is_known = False

    # ---- reports

    def _note(self, text: str) -> None:
        self.notes.append(text)
        self.progress.note(text)

    def _refuse(self, mismatches: list[Mismatch]) -> None:
        more = f" (the first of {len(mismatches)} such digests)" if len(mismatches) > 1 else ""
        raise FormatError(
            f"{mismatches[0]}{more}; ask for an undamaged copy of the file, or leave out --strict to ingest "
            f"it with a report"
        )

    def _report(self, mismatches: Iterable[Mismatch]) -> None:
        """Keep the mismatches of a source; `file` is the copy, where there is one."""
        found = [
            each._replace(file=self._copy or Path(each.file).name, origin=each.file) for each in mismatches
        ]
        if self._is_known:
            return
        self._streams[FIXITY].write(to_lines(found))
        self.counts["mismatched"] += len(found)
        room = MAX_SHOWN - len(self.journal.mismatches)
        self.journal.mismatches += found[: max(room, 0)]

    def _name_origin(self, record: Record) -> str:
        return f"{re.split('[/!]', self._origin)[-1]} offset={record.offset}"

    def _count(self, records: Iterable[Record]) -> Iterator[Record]:
        for record in records:
            self.tally.records += 1
            yield record

    def _watched(self, records: Iterable[Record], source: Path) -> Iterator[Record]:
        total = source.stat().st_size if source.is_file() else None
        with self.progress.task(
            f"reading {source.name}", total=total, unit="bytes" if total else "pages"
        ) as task:
            for record in records:
                yield record
                task.advance(max(record.offset - task.done, 0) if total else 1)

    def _mark(self, record: Record) -> str | None:
        return self._marks.get((record.offset, record.get("WARC-Record-ID") or ""))

    # ---- lines

    def _capture(self, answer: ReadResponse, revisit: Revisit | None = None, digest: bytes = b"") -> Capture:
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

    def _admit(self, answer: ReadResponse) -> Admitted | None:
        """The capture of an answer that has a payload, registered in the journal; None if it is known."""
        capture = self._capture(answer)
        self.journal.remember(answer.record.get("WARC-Payload-Digest") or "", capture.digest)
        if not self.journal.is_new(identify(answer.full_url, capture.date, capture.digest)):
            return None
        duplicate_of = next((value for name, value in answer.metadata if name == "duplicate-of"), None)
        if answer.status != 200 or not capture.body or not answer.is_page:
            return Admitted(capture, duplicate_of)
        own = Payload(capture.url, capture.date, answer.fingerprint, answer.page_robots)
        payload = self.journal.keep(capture.digest, own)
        if payload is own:
            return Admitted(capture, duplicate_of)
        self.counts["duplicates"] += 1
        return Admitted(capture, payload.url, payload)

    def _write(
        self,
        answer: ReadResponse,
        date: int,
        digest: bytes | None,
        duplicate_of: str | None,
        place: Place,
        *,
        is_revisit: bool = False,
        fixity: str | None = None,
    ) -> None:
        self.counts["undated"] += answer.date is None
        self.counts["cut"] += answer.truncated == "length" and not answer.record.get("WARC-Truncated")
        self._write_line(
            Line(
                url=answer.url,
                date=date,
                mime="warc/revisit" if is_revisit else answer.mime,
                status=answer.status,
                digest=digest,
                fingerprint=answer.fingerprint,
                duplicate_of=duplicate_of,
                redirect=answer.redirect,
                robots=answer.robots,
                truncated=answer.truncated,
                request=answer.parsed_request,
                fixity=fixity or self._mark(answer.record),
                **place._asdict(),
            )
        )

    def _write_line(self, line: Line) -> None:
        text = line.to_bytes()
        timestamp = text.split(b" ", 2)[1].decode()
        self._write_lines(text, 1, not timestamp.startswith(self._label))

    def _write_lines(self, text: bytes, count: int, num_others: int) -> None:
        """Write the lines of captures, some of which are of another time than the snapshot."""
        self._streams[CAPTURES].write(text)
        self.counts["captures"] += count
        self.counts["other_time"] += num_others


def _read_ip(text: str | None) -> str | None:
    try:
        return str(ipaddress.ip_address((text or "").strip()))
    except ValueError:
        return None
