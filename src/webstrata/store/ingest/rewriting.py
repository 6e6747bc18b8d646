"""Records written again, with everything that their headers say.

A response whose payload is decoded, or that becomes a ``revisit``, gets another block. Its headers stay,
unknown ones and ``WARC-Record-ID`` among them, except for those that would not be true of the new block:

=========================================  =============================================================
``WARC-Type``                              ``revisit`` for a capture whose payload is stored already
``WARC-Block-Digest``                      of the new block
``WARC-Payload-Digest``                    of the decoded payload; of a revisit, that of its original
``X-Webstrata-Origin``                     name of the source file and the offset of the record in it
``X-Webstrata-Origin-Block-Digest``        what the source declared, where it is not the same
``X-Webstrata-Origin-Payload-Digest``      likewise
=========================================  =============================================================

A record whose block stays as it is keeps all of its headers, digests that do not hold too.
"""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import re
from typing import TYPE_CHECKING

from webstrata._core import archive as core
from webstrata.archive.digests import to_base32
from webstrata.archive.fixity import Survey, verify_record
from webstrata.archive.record_groups import is_gzip, read_groups
from webstrata.archive.responses import iter_answers, tell_robots
from webstrata.archive.warc import Revisit
from webstrata.store.ingest.filling import TOLD, Filling
from webstrata.store.ingest.journal import Later, Payload, identify
from webstrata.store.ingest.readers import read_archive

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from webstrata.archive.record import Record
    from webstrata.archive.record_groups import GroupBatch
    from webstrata.archive.responses import ReadResponse
    from webstrata.archive.warc import Capture
    from webstrata.store.ingest.readers import Source

PROFILES = {
    "identical-digest": "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
    "not-modified": "http://netpreserve.org/warc/1.1/revisit/server-not-modified",
    "duplicate": "urn:webstrata:revisit:same-fingerprint",
}
_REPLACED = ("content-length", "warc-block-digest", "warc-payload-digest")
_REFERS = ("warc-profile", "warc-refers-to", "warc-refers-to-target-uri", "warc-refers-to-date")
Headers = list[tuple[str, str]]


def rewrite(
    answer: ReadResponse, digest: bytes, origin: str, revisit: Revisit | None = None
) -> tuple[Headers, bytes]:
    r"""The headers and the block of the record of an answer, its payload decoded or left out.

    Parameters
    ----------
    answer
        What was read.
    digest
        SHA-1 of its payload.
    origin
        The name of the file it was read from.
    revisit
        The capture that has the payload already.

    Examples
    --------
    >>> from webstrata.archive.responses import iter_answers
    >>> from webstrata.archive.record import Record
    >>> from webstrata.archive.tally import Tally
    >>> headers = (
    ...     ("WARC-Type", "response"), ("WARC-Record-ID", "<urn:uuid:1>"), ("X-Curator", "Ada"),
    ...     ("WARC-Target-URI", "http://a.uk/"), ("Content-Type", "application/http; msgtype=response"))
    >>> block = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nHi\r\n0\r\n\r\n"
    >>> [answer] = iter_answers([Record("response", headers, block, 7)], Tally())
    >>> written, block = rewrite(answer, bytes(20), "a.warc")
    >>> dict(written)["WARC-Record-ID"], dict(written)["X-Curator"], dict(written)["X-Webstrata-Origin"]
    ('<urn:uuid:1>', 'Ada', 'a.warc offset=7')
    >>> block
    b'HTTP/1.1 200 OK\r\nX-Crawl-Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\nHi'
    """
    record = answer.record
    length = len(answer.body) if answer.body or revisit is None else None
    block = core.clean_head(answer.head, length, answer.is_decoded)
    if revisit is None:
        block += answer.body
    origin = f"{origin} offset={record.offset}"
    if revisit is None and not record.is_cut and (block == record.block or record.kind == "resource"):
        return [*_with_date(record, answer.date), ("X-Webstrata-Origin", origin)], record.block
    dropped = (*_REPLACED, "warc-type", *(_REFERS if revisit else ()))
    kept = [(name, value) for name, value in _with_date(record, answer.date) if name.lower() not in dropped]
    headers = [("WARC-Type", "response" if revisit is None else "revisit"), *kept]
    if revisit is not None:
        headers += [("WARC-Profile", PROFILES[revisit.profile]), ("WARC-Refers-To-Target-URI", revisit.url)]
        if revisit.date > 0:
            headers.append(("WARC-Refers-To-Date", _show_date(revisit.date)))
    if answer.truncated and not record.get("WARC-Truncated"):
        headers.append(("WARC-Truncated", answer.truncated))
    block_digest = hashlib.sha1(block, usedforsecurity=False).digest()
    for name, own in (("Block-Digest", block_digest), ("Payload-Digest", digest)):
        spelled = f"sha1:{base64.b32encode(own).decode()}"
        headers.append((f"WARC-{name}", spelled))
        told = record.get(f"WARC-{name}")
        if told and told != spelled:
            headers.append((f"X-Webstrata-Origin-{name}", told))
    return [*headers, ("X-Webstrata-Origin", origin)], block


def translate_digest(headers: Iterable[tuple[str, str]], digest: bytes | None) -> Headers:
    """The headers of a revisit whose original was decoded: `digest` is the one that the original has now.

    Without `digest` the headers stay as they are.

    Examples
    --------
    >>> translate_digest([("WARC-Payload-Digest", "sha1:AB")], bytes(20))[0]
    ('WARC-Payload-Digest', 'sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA')
    >>> translate_digest([("WARC-Payload-Digest", "sha1:AB")], bytes(20))[1]
    ('X-Webstrata-Origin-Payload-Digest', 'sha1:AB')
    """
    translated: Headers = []
    for name, value in headers:
        if digest is not None and name.lower() == "warc-payload-digest":
            translated.append((name, f"sha1:{to_base32(digest)}"))
            translated.append(("X-Webstrata-Origin-Payload-Digest", value))
        else:
            translated.append((name, value))
    return translated


def _with_date(record: Record, date: int | None) -> Headers:
    """The headers of a record; where it tells no time, that of the capture is added."""
    headers = list(record.headers)
    if record.get("WARC-Date") is None and date is not None:
        headers.append(("WARC-Date", _show_date(date)))
    return headers


def _show_date(nanoseconds: int) -> str:
    moment = dt.datetime.fromtimestamp(nanoseconds // 10**9, dt.UTC)
    fraction = f".{nanoseconds % 10**9 // 1000:06}"
    return moment.strftime("%Y-%m-%dT%H:%M:%S") + re.sub(r"\.0+$", "", fraction) + "Z"


class Rewriting(Filling):
    """Writes the captures of sources into WARC files of the ingest."""

    def _rewrite(self, source: Source, name: str) -> None:
        start = 0
        if name == "WARC" and is_gzip(source.path):
            odd = self._rewrite_groups(source.path)
            if odd is None:
                return
            start = odd
        source = source._replace(start=start)
        has_revisits = False
        records = self._watched(read_archive(source, self.tally), source.path)
        if name == "WARC 0.9":
            records = self._verified(records)
        for answer in iter_answers(records, self.tally, alone=self._keep_record):
            if answer.revisit is not None:
                has_revisits = True
            else:
                self._store(answer)
        if has_revisits:
            self.journal.put_off_rest(source.path, source.start)

    def _verified(self, records: Iterable[Record]) -> Iterator[Record]:
        """The same records, whose digests are compared as they are read."""
        for record in records:
            checked, unknown, found = verify_record(record, self._origin)
            self.counts["digests"] += checked
            self.counts["unknown_digests"] += unknown
            if found and self._is_strict:
                self._refuse(found)
            self._report(found)
            self._marks |= Survey(mismatches=found).marks()
            yield record

    def _rewrite_groups(self, path: Path) -> int | None:
        """Store the captures of a file as long as it is in order; where it is not, if so."""
        with self.progress.task(f"reading {path.name}", total=path.stat().st_size, unit="bytes") as task:
            for batch in read_groups(path, workers=self.workers):
                self.tally.records += batch.num_records
                self._store_batch(batch)
                task.advance(batch.next - task.done)
                if batch.is_odd:
                    return batch.next
        return None

    def _store_batch(self, batch: GroupBatch) -> None:
        """Copy the captures whose records can stay as they are, and write the others, all in their order."""
        journal = self.journal
        chosen: list[int] = []
        for place, known in enumerate(batch.plain()):
            if known is None or known[1] in journal.stored:
                self._copy_groups(batch, chosen)
                chosen = []
                if known is None:
                    self._store_group(batch.path, batch.records(place))
                else:
                    self._store_repeated(batch, place)
                continue
            identity, digest, url, date, fingerprint, robots = known
            if journal.is_new(identity):
                chosen.append(place)
                if digest is not None:
                    journal.keep(digest, Payload(url, date, fingerprint, TOLD[robots]))
        self._copy_groups(batch, chosen)

    def _copy_groups(self, batch: GroupBatch, chosen: list[int]) -> None:
        text, num_others = self._writer.copy(batch.found, chosen, self._label)
        self._write_lines(text, len(chosen), num_others)

    def _store_repeated(self, batch: GroupBatch, place: int) -> None:
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
            self._write_capture(answer, self._capture(answer, revisit, facts.digest), payload.url)

    def _store_group(self, path: Path, records: list[Record]) -> None:
        for answer in iter_answers(records, self.tally, alone=self._keep_record):
            if answer.revisit is not None:
                mark = self._mark(answer.record)
                later = Later(str(path), [each.offset for each in records], self._origin, fixity=mark)
                self.journal.put_off(later)
            else:
                self._store(answer)

    def _keep_record(self, record: Record) -> None:
        """Write a record that belongs to no capture as it is, unless its file was read before."""
        if self._keeps_records and not self._is_known and not record.is_cut:
            self._writer.write_record(record.headers, record.block, self._default_date)

    def _store(self, answer: ReadResponse) -> None:
        if (admitted := self._admit(answer)) is None:
            return
        capture, duplicate_of, payload = admitted
        if payload is not None and not (self._keeps_records and answer.record.kind == "resource"):
            capture = self._capture(answer, Revisit("identical-digest", payload.url, payload.date))
        self._write_capture(answer, capture, duplicate_of)

    def _write_capture(self, answer: ReadResponse, capture: Capture, duplicate_of: str | None) -> None:
        if not self._keeps_records:
            place = self._writer.write(capture)
        else:
            name = re.split(r"[/\\]", self._origin)[-1]
            headers, block = rewrite(answer, capture.digest, name, capture.revisit)
            place = self._writer.write_record(headers, block, capture.date)
            for other in answer.others:
                self._writer.write_record(other.headers, other.block, capture.date)
        is_revisit = capture.revisit is not None
        self._write(answer, capture.date, capture.digest, duplicate_of, place, is_revisit=is_revisit)
