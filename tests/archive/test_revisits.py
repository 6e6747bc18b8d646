"""Which capture a revisit refers to."""

from __future__ import annotations

from webstrata.archive.cdxj import Entry
from webstrata.archive.record import Record
from webstrata.archive.revisits import MIME, find_original

PROFILE = "http://netpreserve.org/warc/1.1/revisit/"


def line(timestamp: str, digest: str, mime: str = "text/html", status: str = "200") -> Entry:
    fields = {"url": "http://a.uk/", "mime": mime, "status": status, "digest": digest}
    return Entry("uk,a)/", timestamp, fields)


def revisit(profile: str, **headers: str) -> Record:
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Record("revisit", (("WARC-Profile", profile), *named), b"", 0)


def test_the_digest_decides_where_there_is_one() -> None:
    stored = [line("20260601000000", "A"), line("20260602000000", "B"), line("20260603000000", "B", MIME)]
    same = revisit(PROFILE + "identical-payload-digest", WARC_Refers_To_Date="2026-06-01T00:00:00Z")
    assert find_original(line("20260609000000", "B", MIME), same, stored) is stored[1]
    assert find_original(line("20260609000000", "C", MIME), same, stored) is None


def test_only_the_capture_that_is_named_was_not_modified() -> None:
    stored = [
        line("20260601000000", "A"),
        line("20260602000000", "B"),
        line("20260603000000", "C", status="404"),
    ]
    asked = line("20260609000000", "-", MIME, "304")
    named = revisit(PROFILE + "server-not-modified", WARC_Refers_To_Date="2026-06-01T00:00:00.5Z")
    assert find_original(asked, named, stored) is stored[0]
    for date in ("2026-05-01T00:00:00Z", "2026-06-03T00:00:00Z", ""):
        other = revisit(PROFILE + "server-not-modified", WARC_Refers_To_Date=date)
        assert find_original(asked, other, stored) is None


def test_a_page_with_the_same_fingerprint_has_the_nearest_one_before() -> None:
    stored = [line("20260601000000", "A"), line("20260602000000", "B"), line("20260610000000", "C")]
    alike = revisit("urn:webstrata:revisit:same-fingerprint")
    assert find_original(line("20260609000000", "D", MIME), alike, stored) is stored[1]
