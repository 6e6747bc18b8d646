"""WARC files that stay as they are: a line for each capture, pointing into the copy of the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata.archive.cdxj import Line
from webstrata.archive.record_groups import is_gzip, read_groups
from webstrata.archive.responses import iter_answers, tell_robots
from webstrata.archive.warc import Place, read_records
from webstrata.store.ingest.filling import TOLD
from webstrata.store.ingest.journal import Later, Payload
from webstrata.store.ingest.rewriting import Rewriting

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.archive.record_groups import GroupBatch
    from webstrata.archive.responses import ReadResponse


class Indexing(Rewriting):
    """Writes the lines of captures in files that were copied."""

    def _index(self, path: Path, source: Path) -> None:
        """Write a line for each capture of a copy."""
        start = 0
        if is_gzip(path):
            with self.progress.task(
                f"reading {source.name}", total=path.stat().st_size, unit="bytes"
            ) as task:
                for batch in read_groups(path, workers=self.workers):
                    self.tally.records += batch.num_records
                    self._index_batch(batch)
                    task.advance(batch.next - task.done)
                    if not batch.is_odd:
                        continue
                    start = batch.next
                    break
                else:
                    return
        records = self._count(
            read_records(path, start=start, report=lambda problem: self.tally.report(self._origin, problem))
        )
        for answer in iter_answers(self._watched(records, source), self.tally):
            self._index_answer(answer, path)

    def _index_batch(self, batch: GroupBatch) -> None:
        journal = self.journal
        chosen: list[int] = []
        for place, known in enumerate(batch.plain()):
            if known is None:
                for answer in iter_answers(batch.records(place), self.tally):
                    self._index_answer(answer, batch.path)
                continue
            identity, digest, url, date, fingerprint, robots = known
            if not journal.is_new(identity):
                continue
            if digest is not None:
                own = Payload(url, date, fingerprint, TOLD[robots])
                payload = journal.keep(digest, own)
                if payload is not own:
                    self._index_repeated(batch, place, payload)
                    continue
            chosen.append(place)
        text, num_others = batch.found.lines(chosen, self._copy, self._label)
        self._write_lines(text, len(chosen), num_others)

    def _index_repeated(self, batch: GroupBatch, place: int, payload: Payload) -> None:
        """The line of a capture in order that has the payload of an earlier one."""
        facts = batch.facts(place)
        if facts is None:
            return
        self.counts["duplicates"] += 1
        self._write_line(
            Line(
                url=facts.url,
                date=facts.date,
                mime=facts.mime,
                status=facts.status,
                digest=facts.digest,
                fingerprint=facts.fingerprint,
                duplicate_of=payload.url,
                redirect=facts.redirect,
                robots=tell_robots(facts.header_robots | facts.page_robots),
                filename=self._copy,
                offset=facts.offsets[0],
                length=facts.length,
            )
        )

    def _index_answer(self, answer: ReadResponse, path: Path) -> None:
        record = answer.record
        if record.is_cut:  # it cannot be read from the copy, so what there is of it is stored once more
            if answer.revisit is None:
                self._store(answer)
            return
        place = Place(self._copy, record.offset, self._survey.places.get(record.offset, 0))
        if answer.revisit is not None:
            offsets = [record.offset, *(other.offset for other in answer.others)]
            mark = self._mark(record)
            self.journal.put_off(Later(str(path), offsets, self._origin, *place[::2], mark))
            return
        if (admitted := self._admit(answer)) is not None:
            capture = admitted.capture
            self._write(answer, capture.date, capture.digest, admitted.duplicate_of, place)
