"""Memento (RFC 7089): links between originals, TimeGates, TimeMaps and mementos.

============  ====================================================================
TimeGate      ``{prefix}{url}``, pattern 2.2: status 200, ``Vary: accept-datetime``
TimeMap       ``{prefix}timemap/link/{url}``, also ``json`` and ``cdxj``
memento       ``{prefix}{timestamp}{modifier}/{url}``
============  ====================================================================

`prefix` is the origin with the name of the collection, ``http://127.0.0.1:8081/uk/``. The forms are those of
pywb.
"""

from __future__ import annotations

import datetime as dt
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from webstrata.serve.replay.rows import to_http_date

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webstrata.serve.replay.rows import CdxRow

LINK_FORMAT = "application/link-format"


def make_memento_links(prefix: str, url: str, timestamp: str, modifier: str, collection: str) -> str:
    r"""The header ``Link`` of a memento.

    Examples
    --------
    >>> links = make_memento_links("http://r/uk/", "http://a.uk/", "20260612000000", "id_", "uk")
    >>> print(links.replace(", <", ",\n<"))
    <http://a.uk/>; rel="original",
    <http://r/uk/http://a.uk/>; rel="timegate",
    <http://r/uk/timemap/link/http://a.uk/>; rel="timemap"; type="application/link-format",
    <http://r/uk/20260612000000id_/http://a.uk/>; rel="memento"; datetime="Fri, 12 Jun 2026 00:00:00 GMT";
    collection="uk"
    """
    return ", ".join(
        [
            f'<{url}>; rel="original"',
            f'<{prefix}{url}>; rel="timegate"',
            f'<{prefix}timemap/link/{url}>; rel="timemap"; type="{LINK_FORMAT}"',
            make_memento_link(prefix, url, timestamp, modifier, collection),
        ]
    )


def make_memento_link(prefix: str, url: str, timestamp: str, modifier: str, collection: str) -> str:
    """The link to one memento.

    Examples
    --------
    >>> make_memento_link("http://r/uk/", "http://a.uk/", "20260612000000", "", "uk")
    '<http://r/uk/20260612000000/http://a.uk/>; rel="memento"; datetime="Fri, 12 Jun 2026 00:00:00 GMT"; ...'
    """
    date = to_http_date(timestamp)
    return (
        f'<{prefix}{timestamp}{modifier}/{url}>; rel="memento"; datetime="{date}"; collection="{collection}"'
    )


def write_timemap(captures: Iterator[CdxRow | None], prefix: str, url: str, name: str) -> Iterator[bytes]:
    """A TimeMap in link format, in pieces; nothing where there is no capture.

    Examples
    --------
    >>> from webstrata.serve.replay.rows import CdxRow
    >>> line = b'uk,a)/ 20260612000000 {"url": "http://a.uk/"}'
    >>> len(b"".join(write_timemap(iter([CdxRow(line)]), "http://r/uk/", "http://a.uk/", "uk")).splitlines())
    4
    """
    lines = write_timemap_lines(captures, prefix, name)
    first = next((line for line in lines if line), None)
    if first is None:
        return
    start = first.partition(b'datetime="')[2].partition(b'"')[0].decode()
    yield (
        f'<{prefix}timemap/link/{url}>; rel="self"; type="{LINK_FORMAT}"; from="{start}",\n'
        f'<{prefix}{url}>; rel="timegate",\n<{url}>; rel="original",\n'
    ).encode()
    yield first
    yield from lines


def write_timemap_lines(captures: Iterator[CdxRow | None], prefix: str, name: str) -> Iterator[bytes]:
    r"""The links to mementos, in pieces.

    Examples
    --------
    >>> from webstrata.serve.replay.rows import CdxRow
    >>> line = b'uk,a)/ 20260612000000 {"url": "http://a.uk/"}'
    >>> b"".join(write_timemap_lines(iter([CdxRow(line), None]), "http://r/uk/", "uk"))[:40]
    b'<http://r/uk/20260612000000/http://a.uk/'
    """
    is_first = True
    for capture in captures:
        if capture is None:
            yield b""
            continue
        link = make_memento_link(prefix, capture.get("url"), capture.timestamp, "", name)
        yield f"{'' if is_first else ',' + chr(10)}{link}".encode()
        is_first = False
    if not is_first:
        yield b"\n"


def parse_accept_datetime(text: str) -> str:
    """The timestamp of ``Accept-Datetime``, or `ValueError`.

    Examples
    --------
    >>> parse_accept_datetime("Sun, 26 Jan 2014 20:08:00 GMT")
    '20140126200800'
    """
    try:
        moment = parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError):
        raise ValueError(
            f"Accept-Datetime is {text[:80]!r}; write a date such as Sun, 26 Jan 2014 20:08:00 GMT"
        ) from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=dt.UTC)
    return moment.astimezone(dt.UTC).strftime("%Y%m%d%H%M%S").zfill(14)
