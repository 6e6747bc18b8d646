"""WARC files that stay as they are: a line for each capture, pointing into the copy of the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata.store.answers import iter_answers, tell_robots
from webstrata.store.cdxj import Line
from webstrata.store.filling import TOLD
from webstrata.store.groups import is_gzip, read_groups
from webstrata.store.journal import Later, Payload, identify
from webstrata.store.rewriting import Rewriting
from webstrata.store.step import CAPTURES
from webstrata.store.warc import Place, read_records

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.store.answers import Answer
    from webstrata.store.groups import Batch


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

    def _index_batch(self, batch: Batch) -> None:
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
        self._streams[CAPTURES].write(text)
        self.counts["captures"] += len(chosen)
        self.counts["other_time"] += num_others

    def _index_repeated(self, batch: Batch, place: int, payload: Payload) -> None:
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

    def _index_answer(self, answer: Answer, path: Path) -> None:
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
        capture = self._capture(answer)
        self.journal.remember(record.get("WARC-Payload-Digest") or "", capture.digest)
        if not self.journal.is_new(identify(answer.full_url, capture.date, capture.digest)):
            return
        duplicate_of = next((value for name, value in answer.metadata if name == "duplicate-of"), None)
        if answer.status == 200 and capture.body and answer.is_page:
            own = Payload(capture.url, capture.date, answer.fingerprint, answer.page_robots)
            payload = self.journal.keep(capture.digest, own)
            if payload is not own:
                duplicate_of = payload.url
                self.counts["duplicates"] += 1
        self._write(answer, capture.date, capture.digest, duplicate_of, place)
