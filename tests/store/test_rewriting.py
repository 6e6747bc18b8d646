"""Records written again."""

from __future__ import annotations

from tests.store.warcs import record, response, sha1
from webstrata.store.answers import iter_answers
from webstrata.store.fixity import verify_record
from webstrata.store.record import Record
from webstrata.store.rewriting import rewrite
from webstrata.store.tally import Tally
from webstrata.store.warc import Revisit

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
