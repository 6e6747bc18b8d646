"""Captures as the CDX server sends them: lines of an index, and the four forms of output.

A line stays as bytes as long as possible. Without ``fields``, a line of ``cdxj`` and an object of ``json``
are the line of the index with ``source`` (collection and snapshot) and ``source-coll`` added; fields are
parsed only for what asks for them.
"""

from __future__ import annotations

import datetime as dt
import json
from email.utils import format_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TEXT_FIELDS = (
    "urlkey",
    "timestamp",
    "url",
    "mime",
    "status",
    "digest",
    "redirect",
    "robotflags",
    "length",
    "offset",
    "filename",
)
"""Fields of ``output=text``: those of a CDX file with 11 fields."""
ORIGINAL = ("orig.length", "orig.offset", "orig.filename")
"""Fields that resolveRevisits adds."""
TYPES = {
    "cdxj": "text/x-cdxj",
    "json": "text/x-ndjson",
    "text": "text/plain",
    "link": "application/link-format",
}


class CdxRow:
    """A line of an index with its source; fields are parsed when they are asked for.

    Examples
    --------
    >>> line = b'org,example)/ 20260612000000 {"url": "http://example.org/", "status": "200"}'
    >>> capture = CdxRow(line, source="uk:2026-06", collection="uk")
    >>> capture.key, capture.timestamp, capture.get("status"), capture.get("urlkey")
    ('org,example)/', '20260612000000', '200', 'org,example)/')
    """

    __slots__ = ("_fields", "collection", "line", "place", "source")

    def __init__(self, line: bytes, place: int = 0, source: str = "", collection: str = "") -> None:
        self.line, self.place = line, place
        self.source, self.collection = source, collection
        self._fields: dict[str, str] | None = None

    @property
    def key(self) -> str:
        """The key of its URL."""
        return self.line[: self.line.index(b" ")].decode()

    @property
    def timestamp(self) -> str:
        """When it was captured, 14 digits."""
        start = self.line.index(b" ") + 1
        return self.line[start : start + 14].decode()

    @property
    def fields(self) -> dict[str, str]:
        """All fields in their order; changes to them are sent."""
        if self._fields is None:
            key, timestamp, text = self.line.split(b" ", 2)
            self._fields = {"urlkey": key.decode(), "timestamp": timestamp.decode(), **json.loads(text)}
            if self.source:
                self._fields |= {"source": self.source, "source-coll": self.collection}
        return self._fields

    @property
    def text(self) -> str:
        """The whole line."""
        return self.line.decode()

    def get(self, name: str, default: str = "") -> str:
        """A field, as text."""
        return str(self.fields.get(name, default))

    def to_cdxj(self) -> bytes:
        """Key, timestamp, and the other fields as an object."""
        if self._fields is not None:
            return self._prefix() + _dump({name: self.fields[name] for name in list(self.fields)[2:]})
        return self.line[:-1] + self._tail()

    def to_json(self) -> bytes:
        """All fields as an object."""
        if self._fields is not None:
            return _dump(self.fields)
        key, timestamp, text = self.line.split(b" ", 2)
        start = b'{"urlkey": %b, "timestamp": "%b", ' % (json.dumps(key.decode()).encode(), timestamp)
        return start + text[1:-1] + self._tail()

    def _prefix(self) -> bytes:
        return self.line[: self.line.index(b" ") + 16]

    def _tail(self) -> bytes:
        if not self.source:
            return b"}\n"
        source, name = json.dumps(self.source), json.dumps(self.collection)
        return f', "source": {source}, "source-coll": {name}}}\n'.encode()


def make_writer(output: str, fields: Sequence[str], *, resolved: bool = False) -> Callable[[CdxRow], bytes]:
    r"""The function that writes captures in a form of output, but for ``link``.

    Examples
    --------
    >>> line = b'org,example)/ 20260612000000 {"url": "http://example.org/", "status": "200"}'
    >>> make_writer("text", ("timestamp", "status", "digest"))(CdxRow(line))
    b'20260612000000 200 -\n'
    >>> make_writer("json", ("timestamp", "status"))(CdxRow(line))
    b'{"timestamp": "20260612000000", "status": "200"}\n'
    """
    if output == "text":
        names = fields or (*TEXT_FIELDS, *(ORIGINAL if resolved else ()))
        return lambda capture: (" ".join(_word(capture.get(name)) for name in names) + "\n").encode()
    if not fields:
        return CdxRow.to_json if output == "json" else CdxRow.to_cdxj

    def write(capture: CdxRow) -> bytes:
        chosen = {name: capture.fields[name] for name in fields if name in capture.fields}
        return _dump(chosen) if output == "json" else capture._prefix() + _dump(chosen)

    return write


def to_http_date(timestamp: str) -> str:
    """A timestamp of 14 digits as a date of HTTP.

    Examples
    --------
    >>> to_http_date("20140127171238")
    'Mon, 27 Jan 2014 17:12:38 GMT'
    """
    return format_datetime(parse_timestamp(timestamp), usegmt=True)


def parse_timestamp(text: str) -> dt.datetime:
    """The first moment of a timestamp with 1 to 14 digits; impossible parts become the nearest possible ones.

    Examples
    --------
    >>> parse_timestamp("2014").isoformat(), parse_timestamp("20140231").isoformat()
    ('2014-01-01T00:00:00+00:00', '2014-02-28T00:00:00+00:00')
    """
    digits = text[:14]
    year = int(digits[:4].ljust(4, "0"))
    month, day, hour, minute, second = (int(digits[at : at + 2].ljust(2, "0") or 0) for at in range(4, 14, 2))
    year, month = min(max(year, 1), 9999), min(max(month, 1), 12)
    following = dt.date(year + month // 12, month % 12 + 1, 1) if (year, month) != (9999, 12) else dt.date.max
    last = (following - dt.timedelta(days=1)).day if following != dt.date.max else 31
    return dt.datetime(
        year,
        month,
        min(max(day, 1), last),
        min(hour, 23),
        min(minute, 59),
        min(second, 59),
        tzinfo=dt.UTC,
    )


def _dump(fields: dict[str, str]) -> bytes:
    return json.dumps(fields).encode() + b"\n"


def _word(value: str) -> str:
    return value.replace(" ", "%20") or "-"
