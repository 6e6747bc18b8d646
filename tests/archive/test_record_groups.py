"""Captures of WARC files, looked at by the core."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.store.ingest.test_run import HEAD, JUNE, make, write
from webstrata.archive.record_groups import PlainRecord, is_gzip, read_groups
from webstrata.archive.responses import iter_answers, tell_robots
from webstrata.archive.tally import Tally
from webstrata.archive.warc import Revisit, read_records
from webstrata.store.ingest.journal import identify
from webstrata.store.ingest.readers import Source, find_format, read_archive
from webstrata.web.html import Directives

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.archive.record_groups import Facts

REQUEST = b"GET / HTTP/1.1\r\n\r\n"


def read(path: Path, workers: int = 1) -> tuple[list[Facts], list[str]]:
    """The facts of a file, and the kinds of the records without."""
    found, kinds = [], []
    for batch in read_groups(path, workers=workers):
        for place, plain in enumerate(batch.plain()):
            facts = batch.facts(place)
            assert (facts is None) == (plain is None)
            if facts is None or plain is None:
                kinds += [record.kind for record in batch.records(place)]
            else:
                found.append(facts)
                told = PlainRecord(*plain)
                assert told.identity == identify(facts.url, facts.date, facts.digest)
                assert told[2:5] == (facts.url, facts.date, facts.fingerprint)
                assert told.digest == (None if facts.is_empty or facts.status != 200 else facts.digest)
    return found, kinds


def test_what_is_found_is_what_the_records_say(tmp_path: Path) -> None:
    path = write(
        tmp_path / "in",
        make("http://a.uk/", b"<meta name=robots content=noindex>a", request=REQUEST),
        make("http://b.uk/", head=b"HTTP/1.1 301 x\r\nContent-Type: text/html\r\nLocation: /c?d\r\n"),
        make("http://c.uk/", metadata=[("via", "http://a.uk/"), ("duplicate-of", "http://b.uk/")]),
        make("http://d.uk/", head=HEAD + b"X-Robots-Tag: nofollow\r\nX-Robots-Tag: noindex\r\n"),
    )
    found, kinds = read(path)
    assert kinds == ["warcinfo"]
    answers = list(iter_answers(read_records(path), Tally()))
    assert [(facts.url, facts.date, facts.status, facts.mime) for facts in found] == [
        (answer.url, answer.date, answer.status, answer.mime) for answer in answers
    ]
    assert [(facts.fingerprint, facts.redirect) for facts in found] == [
        (answer.fingerprint, answer.redirect) for answer in answers
    ]
    assert [tell_robots(facts.header_robots | facts.page_robots) for facts in found] == [
        answer.robots for answer in answers
    ]
    assert found[1].redirect == "http://b.uk/c?d"
    assert found[2].duplicate_of == "http://b.uk/"
    assert found[3].header_robots == Directives.NOINDEX | Directives.NOFOLLOW
    assert [len(facts.offsets) for facts in found] == [2, 1, 2, 1]


def test_what_must_be_written_anew_is_given_as_it_was_read(tmp_path: Path) -> None:
    gzip = HEAD + b"Content-Encoding: gzip\r\n"
    revisit = Revisit("identical-digest", "http://a.uk/", JUNE)
    path = write(
        tmp_path / "in",
        make("http://a.uk/", head=gzip),
        make("http://b.uk/", truncated="length"),
        make("http://c.uk/", revisit=revisit, request=REQUEST),
        make("http://d.uk/", request=b"POST / HTTP/1.1\r\n\r\n"),
        make("http://e.uk/", head=b"HTTP/1.1 200 OK\r\n"),
    )
    found, kinds = read(path)
    assert found == []
    assert kinds == [record.kind for record in read_records(path)]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_batch_ends_where_a_file_is_damaged(tmp_path: Path, workers: int) -> None:
    captures = [make(f"http://a.uk/{number}", request=REQUEST) for number in range(40)]
    path = write(tmp_path / "in", *captures)
    places = [record.offset for record in read_records(path, kinds=["response"])]
    data = bytearray(path.read_bytes())
    data[places[30] + 20] ^= 255
    path.write_bytes(data)
    [batch] = read_groups(path, workers=workers)
    assert batch.is_odd
    # the capture before is given again to who goes on, for what comes may belong to it
    assert batch.next == places[29]
    urls = [PlainRecord(*plain).url for plain in batch.plain() if plain]
    assert urls == [f"http://a.uk/{number}" for number in range(29)]


def test_every_file_of_others_gives_the_same_answers_by_both_ways(test_data: Path) -> None:
    seen = 0
    for path in sorted((test_data / "warc").rglob("*.warc.gz")):
        if find_format(path) != "WARC" or not is_gzip(path):
            continue
        slow = {
            answer.record.offset: answer
            for answer in iter_answers(read_archive(Source(path), Tally()), Tally())
        }
        for batch in read_groups(path):
            for place in range(len(batch.plain())):
                if (facts := batch.facts(place)) is not None:
                    seen += 1
                    answer = slow[facts.offsets[0]]
                    assert (facts.url, facts.date, facts.status) == (answer.url, answer.date, answer.status)
                    assert (facts.mime, facts.fingerprint) == (answer.mime, answer.fingerprint)
                    assert not answer.is_decoded
    assert seen > 0
