"""Captures as HTTP responses of the replay origin.

With the modifiers ``id_`` and ``ir_`` the payload is sent as it is stored, without transfer coding. Otherwise
pages and stylesheets are rewritten (`rewriting`) and everything else is sent as it is. Headers of the capture
are sent as ``X-Archive-Orig-…``, but for those that describe the payload. Every response has the policy
`POLICY`: no script runs, and nothing is loaded from elsewhere.

A service worker cannot see a redirect that it follows. To a request that names no destination
(``Sec-Fetch-Dest: empty``, as those of wabac.js), a raw memento with another status than 2xx is sent with
status 200, and ``X-Redirect-Status`` and ``X-Orig-Location`` say what was captured.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from webstrata.archive.codings import decode, first, parse_headers
from webstrata.archive.responses import media_type
from webstrata.errors import MissingError
from webstrata.serve.replay.memento import make_memento_links
from webstrata.serve.replay.rewriting import find_kind, rewrite
from webstrata.serve.replay.rows import to_http_date

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webstrata.archive.record import Record
    from webstrata.store.captures import StoredCapture

POLICY = (
    "default-src 'none'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; font-src 'self' data:; "
    "media-src 'self'; frame-src 'self'; form-action 'none'; base-uri 'none'; sandbox"
)
"""The Content-Security-Policy of everything that comes from an archive."""
COMMON = (
    ("access-control-allow-origin", "*"),
    ("access-control-expose-headers", "*"),
    ("cross-origin-resource-policy", "cross-origin"),
    ("x-frame-options", ""),  # empty: the server base sends none; the pages show mementos in a frame
    ("x-dns-prefetch-control", "off"),
)
"""Headers of every response of the replay origin."""
RAW = ("id_", "ir_")
"""Modifiers that ask for the payload as it is stored."""
_KEPT = frozenset({"content-type", "content-disposition", "content-language", "content-range"})
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_RANGE = re.compile(r"bytes=(\d*)-(\d*)")
_MAGIC = {"gzip": b"\x1f\x8b", "x-gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd"}


@dataclass
class Reply:
    """A response: status, headers, and a body at once or in pieces."""

    status: int = 200
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes | Iterator[bytes] = b""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """How a memento is wanted."""

    prefix: str
    """The address of the collection, with a slash at its end."""
    name: str
    """The collection."""
    modifier: str = ""
    is_timegate: bool = False
    byte_range: str = ""
    """The header ``Range``."""
    is_fetch: bool = False
    """Whether a script, such as a service worker, asks."""


def make_reply(capture: StoredCapture, wanted: Wanted) -> Reply:
    """The response for a capture.

    Examples
    --------
    >>> from webstrata import testing
    >>> capture = testing.snapshot().capture("http://news.example/storm")
    >>> reply = make_reply(capture, Wanted(prefix="http://r/uk/", name="uk", modifier="id_"))
    >>> reply.status, dict(reply.headers)["memento-datetime"], reply.body == capture.payload
    (200, 'Mon, 01 Jun 2026 00:00:12 GMT', True)
    """
    head, source = _find_head(capture), capture.source
    if source is None:
        # says where the payload should be
        _ = capture.payload
        raise MissingError(f"{capture.url}: the payload is not in the collection")
    status, reason = _parse_status(head)
    # records of other kinds than responses have no head
    headers = parse_headers(head) if head else [("content-type", capture.mime or "application/octet-stream")]
    is_raw = wanted.modifier in RAW
    timestamp = capture.entry.timestamp
    reply = Reply(status, make_memento_headers(capture.url, timestamp, wanted))
    declared = first(headers, "content-type") or ""
    kind = None if is_raw else find_kind(media_type(declared), wanted.modifier)
    location = first(headers, "location")
    kept = dict(headers)
    if kind is not None:
        payload = decode(source.head, source.payload).body
        base = f"/{wanted.prefix.split('/', 3)[3]}{timestamp}"
        reply.body, kept["content-type"] = rewrite(payload, kind, capture.url, declared, base)
    else:
        payload, coding = _read_raw(source)
        if coding and (wanted.byte_range or not is_raw):
            payload, coding = decode(source.head, source.payload).body, ""
        if coding:
            reply.headers.append(("content-encoding", coding))
        reply.body = payload
    for name, value in headers:
        if name in _KEPT and (name != "content-range" or status == 206):
            value, name = kept[name], name
        elif name in ("location", "content-location") and not is_raw:
            value = _rewrite_address(value, capture.url, wanted, timestamp)
            name = name if name == "location" else f"x-archive-orig-{name}"
        else:
            name = f"x-archive-orig-{name}"
        if _NAME.fullmatch(name) and len(value) < 8192:
            reply.headers.append((name, _CONTROL.sub(" ", value)))
    if kind is not None and first(headers, "content-type") is None:
        reply.headers.append(("content-type", kept["content-type"]))
    _answer_status(reply, wanted, status, reason, location, capture.url, timestamp)
    if kind is None and reply.status == 200:
        _cut_range(reply, wanted.byte_range)
    if reply.status in (204, 304):
        reply.body = b""
    return reply


def make_memento_headers(url: str, timestamp: str, wanted: Wanted) -> list[tuple[str, str]]:
    """The headers of a memento that do not depend on its content.

    Examples
    --------
    >>> wanted = Wanted(prefix="http://r/uk/", name="uk", is_timegate=True)
    >>> dict(make_memento_headers("http://a.uk/", "20260612000000", wanted))["content-location"]
    'http://r/uk/20260612000000/http://a.uk/'
    """
    links = make_memento_links(wanted.prefix, url, timestamp, wanted.modifier, wanted.name)
    headers = [
        ("memento-datetime", to_http_date(timestamp)),
        ("link", links),
        ("content-location", f"{wanted.prefix}{timestamp}{wanted.modifier}/{url}"),
        ("content-security-policy", POLICY),
    ]
    if wanted.is_timegate:
        headers.append(("vary", "accept-datetime"))
    return headers


def redirect_to_exact(url: str, timestamp: str, wanted: Wanted) -> Reply:
    """The redirect from a TimeGate, or from another time, to a memento.

    Examples
    --------
    >>> reply = redirect_to_exact("http://a.uk/", "20260612000000", Wanted(prefix="http://r/uk/", name="uk"))
    >>> reply.status, dict(reply.headers)["location"]
    (302, 'http://r/uk/20260612000000/http://a.uk/')
    """
    names = ("link", "vary")
    headers = [pair for pair in make_memento_headers(url, timestamp, wanted) if pair[0] in names]
    return Reply(302, [("location", f"{wanted.prefix}{timestamp}{wanted.modifier}/{url}"), *headers])


def _find_head(capture: StoredCapture) -> bytes:
    """The head of a capture; of a revisit that says ``304 Not Modified``, the head of what it refers to."""
    head = capture.record.head
    if capture.is_revisit and capture.source is not None and (not head or _parse_status(head)[0] == 304):
        return capture.source.head
    return head


def _parse_status(head: bytes) -> tuple[int, str]:
    """Status and reason; 200 where there is no head, or none that can be sent."""
    words = head.partition(b"\n")[0].decode("latin-1").strip().split(" ", 2)
    status = int(words[1]) if len(words) > 1 and re.fullmatch(r"\d{3}", words[1]) else 200
    return (status if 200 <= status < 600 else 200), words[2] if len(words) > 2 else ""


def _read_raw(source: Record) -> tuple[bytes, str]:
    """A payload without transfer coding, and the content coding that it has."""
    headers = parse_headers(source.head)
    coding = (first(headers, "content-encoding") or "").strip().lower()
    if "chunked" in (first(headers, "transfer-encoding") or "").lower():
        bare = [("transfer-encoding", "chunked")]
        payload = decode(source.head, source.payload, bare).body
    else:
        payload = source.payload
    if not coding or coding == "identity":
        return payload, ""
    magic = _MAGIC.get(coding)
    if magic is not None and payload.startswith(magic):
        return payload, coding
    # others have no mark, or others have removed the coding and left the header
    return decode(source.head, source.payload).body, ""


def _rewrite_address(value: str, url: str, wanted: Wanted, timestamp: str) -> str:
    try:
        target = urljoin(url, value.strip())
    except ValueError:
        return ""
    if not target.lower().startswith(("http://", "https://")):
        return ""
    return f"{wanted.prefix}{timestamp}{wanted.modifier}/{_quote(target)}"


def _quote(text: str) -> str:
    """A target that was sent in any charset, as ASCII."""
    return "".join(char if "!" <= char <= "~" else f"%{ord(char) & 0xFF:02X}" for char in text)


def _answer_status(
    reply: Reply, wanted: Wanted, status: int, reason: str, location: str | None, url: str, timestamp: str
) -> None:
    is_raw = wanted.modifier in RAW
    if location is not None and 300 <= status < 400:
        try:
            target = _CONTROL.sub("", _quote(urljoin(url, location.strip())))
        except ValueError:
            target = ""
        reply.headers.append(("x-orig-location", target))
        if is_raw and not wanted.is_fetch:
            reply.headers.append(("location", _rewrite_address(location, url, wanted, timestamp)))
    if is_raw and not 200 <= status < 300:
        reply.headers.append(("x-redirect-status", str(status)))
        text = reason or (HTTPStatus(status).phrase if status in list(HTTPStatus) else "")
        reply.headers.append(("x-redirect-statustext", _CONTROL.sub(" ", text)))
        if wanted.is_fetch:
            reply.status = 200


def _cut_range(reply: Reply, wanted: str) -> None:
    """Let a response have only the bytes that were asked for."""
    assert isinstance(reply.body, bytes)
    reply.headers.append(("accept-ranges", "bytes"))
    span = find_span(wanted, len(reply.body))
    if span is None:
        return
    start, end = span
    if start >= end:
        reply.status, size = 416, len(reply.body)
        reply.headers.append(("content-range", f"bytes */{size}"))
        reply.body = b""
        return
    reply.headers.append(("content-range", f"bytes {start}-{end - 1}/{len(reply.body)}"))
    reply.status, reply.body = 206, reply.body[start:end]


def cut_span(reply: Reply, wanted: str, size: int) -> tuple[int, int]:
    """First and last byte of a file of `size` bytes to be sent; the reply gets status and headers for them.

    Examples
    --------
    >>> reply = Reply()
    >>> cut_span(reply, "bytes=2-3", 10), reply.status, dict(reply.headers)["content-range"]
    ((2, 4), 206, 'bytes 2-3/10')
    """
    span = find_span(wanted, size)
    start, end = span or (0, size)
    if span is not None:
        is_empty = start >= end
        reply.status = 416 if is_empty else 206
        reply.headers.append(
            ("content-range", f"bytes */{size}" if is_empty else f"bytes {start}-{end - 1}/{size}")
        )
    if start < end:
        reply.headers.append(("content-length", str(end - start)))
    return start, end


def find_span(wanted: str, size: int) -> tuple[int, int] | None:
    """First byte, and the one after the last, of a ``Range`` with one range; None for the whole.

    Examples
    --------
    >>> find_span("bytes=2-3", 10), find_span("bytes=-4", 10), find_span("bytes=8-", 10), find_span("", 10)
    ((2, 4), (6, 10), (8, 10), None)
    >>> find_span("bytes=10-", 10), find_span("bytes=0-1,4-5", 10)
    ((10, 10), None)
    """
    match = _RANGE.fullmatch(wanted.strip())
    if match is None or not (match[1] or match[2]):
        return None
    if not match[1]:
        return max(size - int(match[2]), 0), size if int(match[2]) else 0
    start = int(match[1])
    end = min(int(match[2]) + 1, size) if match[2] else size
    if match[2] and int(match[2]) < start:
        return None
    return min(start, size), max(end, min(start, size))
