"""Columns of captures: what Common Crawl's columnar index has of them."""

from __future__ import annotations

import pytest

from webstrata.archive.cdxj import Entry, Line
from webstrata.store.captures_table import CAPTURE_SCHEMA, SCHEMA, describe_capture


def _line(**fields: object) -> Entry:
    facts = {"url": "http://a.uk/", "date": 10**18, "mime": "text/html", "status": 200, "digest": bytes(20)}
    place = {"length": 9, "offset": 5, "filename": "uk-2026-06-00003.warc.gz"}
    return Entry.parse(Line(**(facts | place | fields)).to_bytes())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "subset"),
    [
        ({}, "warc"),
        ({"status": 404}, "crawldiagnostics"),
        ({"status": 304, "mime": "warc/revisit"}, "warc"),
        ({"robots": "robots-txt"}, "robotstxt"),
    ],
)
def test_captures_are_in_the_subset_that_common_crawl_has_them_in(
    fields: dict[str, object], subset: str
) -> None:
    assert describe_capture(_line(**fields), "2026-06")["subset"] == subset


def test_all_columns_are_in_the_schema_in_its_order() -> None:
    columns = describe_capture(_line(truncated="length", redirect="http://b.uk/"), "2026-06")
    names = [name for name in CAPTURE_SCHEMA.names if name in columns]
    assert list(columns) == names
    assert set(CAPTURE_SCHEMA.names) - set(names) == {"content_charset", "content_languages"}
    assert SCHEMA.names[-len(CAPTURE_SCHEMA) :] == CAPTURE_SCHEMA.names
    assert (columns["content_truncated"], columns["fetch_redirect"]) == ("length", "http://b.uk/")


def test_the_type_of_a_revisit_is_that_of_its_payload_or_not_known() -> None:
    assert describe_capture(_line(), "2026-06")["content_mime_detected"] == "text/html"
    assert describe_capture(_line(mime="warc/revisit"), "2026-06")["content_mime_detected"] is None
