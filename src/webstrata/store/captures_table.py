"""One capture as a row of Common Crawl's columnar index: names, types and order of its columns.

The format is in ``docs/formats/captures-table.md``. Offset and length are 64 bits wide, where
Common Crawl has 32.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from webstrata.archive.common_crawl import TIME, URL_SCHEMA
from webstrata.store.pages import REVISIT, ROBOTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webstrata.archive.cdxj import Entry

CAPTURE_SCHEMA = pa.schema([
    ("fetch_time", TIME),
    ("fetch_status", pa.int16()),
    ("fetch_redirect", pa.string()),
    ("content_digest", pa.string()),
    ("content_mime_type", pa.string()),
    ("content_mime_detected", pa.string()),
    ("content_charset", pa.string()),
    ("content_languages", pa.string()),
    ("content_truncated", pa.string()),
    ("warc_filename", pa.string()),
    ("warc_record_offset", pa.int64()),
    ("warc_record_length", pa.int64()),
    ("warc_segment", pa.string()),
    ("crawl", pa.string()),
    ("subset", pa.string()),
])  # fmt: skip
SCHEMA = pa.schema([*URL_SCHEMA, *CAPTURE_SCHEMA])


def describe_capture(entry: Entry, label: str) -> dict[str, Any]:
    """The columns of a capture after those of its URL; charset and languages are not in the index.

    Examples
    --------
    >>> from webstrata.archive.cdxj import Entry, Line
    >>> line = Line(
    ...     url="http://a.uk/", date=10**18, mime="text/html", status=200, digest=bytes(20), length=9,
    ...     offset=0, filename="uk-2026-06-00003.warc.gz")
    >>> columns = describe_capture(Entry.parse(line.to_bytes()), "2026-06")
    >>> columns["fetch_status"], columns["warc_segment"], columns["subset"]
    (200, '00003', 'warc')
    """
    fields = entry.fields
    return {
        "fetch_time": entry.time,
        "fetch_status": entry.status,
        "fetch_redirect": fields.get("redirect"),
        "content_digest": fields["digest"],
        "content_mime_type": fields["mime"] or None,
        "content_mime_detected": _find_type(fields),
        "content_truncated": fields.get("truncated"),
        "warc_filename": fields["filename"],
        "warc_record_offset": int(fields["offset"]),
        "warc_record_length": int(fields["length"]),
        "warc_segment": _find_segment(fields["filename"]),
        "crawl": label,
        "subset": _find_subset(fields),
    }


def _find_type(fields: Mapping[str, str]) -> str | None:
    """The type by which a payload is read; of a revisit that of the payload it stands for, if known."""
    is_revisit = fields["mime"] == REVISIT
    return (fields.get("payload-mime") if is_revisit else fields["mime"]) or None


def _find_segment(filename: str) -> str | None:
    """What Common Crawl calls the segment: the number behind a file's prefix."""
    found = re.search(r"-(\d+)\.warc", filename)
    return found[1] if found else None


def _find_subset(fields: Mapping[str, str]) -> str:
    """In which set of files Common Crawl has such a capture: pages, robots.txt, or all other responses."""
    if ROBOTS in fields.get("robots", ""):
        return "robotstxt"
    return "warc" if fields["status"] == "200" or fields["mime"] == REVISIT else "crawldiagnostics"
