"""Records written again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import webstrata as ws
from tests.store.warcs import pack, raw, record, response, sha1
from webstrata.archive.fixity import verify_record
from webstrata.archive.record import Record
from webstrata.archive.responses import iter_answers
from webstrata.archive.tally import Tally
from webstrata.archive.warc import Revisit, read_records
from webstrata.store.ingest.rewriting import rewrite
from webstrata.store.ingest.run import ingest

if TYPE_CHECKING:
    from pathlib import Path

CHUNKS = b"2\r\nHi\r\n0\r\n\r\n"


def test_a_record_that_becomes_a_revisit_keeps_its_identity_and_names_what_it_refers_to() -> None:
    made = record(response("http://a.uk/", b"Hi", more=(("X-Curator", "Ada"), ("WARC-Warcinfo-ID", "<1>"))))
    [answer] = iter_answers([made], Tally())
    headers, block = rewrite(answer, bytes(20), "a.warc", Revisit("identical-digest", "http://b.uk/", 10**18))
    told = dict(headers)
    assert (told["WARC-Type"], told["X-Curator"], told["WARC-Warcinfo-ID"]) == ("revisit", "Ada", "<1>")
    assert told["WARC-Record-ID"] == made.get("WARC-Record-ID")
    assert told["WARC-Refers-To-Target-URI"] == "http://b.uk/"
    assert told["WARC-Refers-To-Date"] == "2001-09-09T01:46:40Z"
    assert block.endswith(b"\r\n\r\n")
    assert told["WARC-Block-Digest"] == sha1(block)


def test_a_decoded_record_has_true_digests_and_those_of_its_source() -> None:
    made = record(response("http://a.uk/", CHUNKS, head=b"Transfer-Encoding: chunked\r\n"))
    [answer] = iter_answers([made], Tally())
    headers, block = rewrite(answer, bytes.fromhex("00" * 20), "a.warc")
    told = dict(headers)
    assert block.endswith(b"\r\n\r\nHi")
    assert told["X-Webstrata-Origin-Payload-Digest"] == made.get("WARC-Payload-Digest")
    assert told["X-Webstrata-Origin-Block-Digest"] == made.get("WARC-Block-Digest")
    true = [pair for pair in headers if pair[0] != "WARC-Payload-Digest"]
    assert verify_record(Record("response", tuple(true), block, 0)) == (1, 0, [])


def test_a_rewritten_revisit_has_the_digest_that_its_decoded_original_has_now(tmp_path: Path) -> None:
    original = response("http://a.uk/", CHUNKS, head=b"Transfer-Encoding: chunked\r\n")
    declared = sha1(CHUNKS)
    again = raw(
        "revisit",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
        ("WARC-Target-URI", "http://b.uk/"),
        ("WARC-Profile", "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest"),
        ("WARC-Refers-To-Target-URI", "http://a.uk/"),
        ("Content-Type", "application/http; msgtype=response"),
        ("WARC-Payload-Digest", declared),
    )
    (tmp_path / "a.warc.gz").write_bytes(pack(original, again))
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    ingest(snapshot, [tmp_path / "a.warc.gz"], copy="rewrite")
    with snapshot.open_part("warc") as part:
        [path] = part.path.glob("*.warc.gz")
        [revisit] = read_records(path, kinds=["revisit"])
    assert revisit.get("WARC-Payload-Digest") == sha1(b"Hi")
    assert revisit.get("X-Webstrata-Origin-Payload-Digest") == declared
