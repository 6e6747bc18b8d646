r"""Transfer codings and content codings of stored responses, removed when the payload is read.

A WARC file that was copied as it is holds bodies as their writer stored them: in chunks, packed by gzip,
deflate, brotli or zstd, or as they are while the head still names a coding. Here the payload is the body
without chunks and without content codings, wherever these can be removed; where they cannot, the body had
none, or is damaged, and is given as it is.

Decoding stops at `MAX_PAYLOAD` bytes: a body of a megabyte may decode to a gigabyte.
"""

from __future__ import annotations

import io
import re
import zlib
from typing import TYPE_CHECKING, NamedTuple

from webstrata._core.archive import join_chunks
from webstrata.archive.warc import stream_io

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webstrata.archive.record import Record

MAX_PAYLOAD = 64 << 20
"""Bytes at which decoding stops; the rest is left out, and the capture is marked as truncated."""
_PIECE = 1 << 20
_CODED = re.compile(rb"(?im)^(transfer|content)-encoding[ \t]*:")
_KNOWN = ("gzip", "x-gzip", "deflate", "br", "zstd")


class Decoded(NamedTuple):
    """A body without its codings."""

    body: bytes
    is_decoded: bool = False
    """Whether the head names a content coding that the body does not have any more."""
    is_cut: bool = False
    """Whether decoding stopped at the limit."""


def decode(
    head: bytes, body: bytes, headers: list[tuple[str, str]] | None = None, limit: int | None = None
) -> Decoded:
    r"""A body without the codings that its head names; decoding stops at `limit`, by default `MAX_PAYLOAD`.

    Examples
    --------
    >>> head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: deflate\r\n\r\n"
    >>> packed = zlib.compress(b"Hello")
    >>> decode(head, b"%x\r\n%b\r\n0\r\n\r\n" % (len(packed), packed))
    Decoded(body=b'Hello', is_decoded=True, is_cut=False)
    """
    if _CODED.search(head) is None:
        return Decoded(body)
    headers = parse_headers(head) if headers is None else headers
    if "chunked" in (first(headers, "transfer-encoding") or "").lower():
        joined = join_chunks(body)
        body = body if joined is None else joined
    codings = [word.strip() for word in (first(headers, "content-encoding") or "").lower().split(",")]
    is_decoded = is_cut = False
    for coding in reversed([coding for coding in codings if coding and coding != "identity"]):
        if coding not in _KNOWN:
            break
        unpacked = unpack(coding, body, MAX_PAYLOAD if limit is None else limit)
        if unpacked is not None:
            body = unpacked.body
            is_cut |= unpacked.is_cut
        del unpacked
        # where nothing can be removed, others have removed it before and left the header
        is_decoded = True
    return Decoded(body, is_decoded, is_cut)


def read_payload(record: Record, limit: int | None = None) -> bytes:
    r"""The payload of a stored record, without the codings that its HTTP head names; `limit` bytes at most.

    Examples
    --------
    >>> from webstrata.archive.record import Record
    >>> block = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nHi\r\n0\r\n\r\n"
    >>> read_payload(Record("response", (("Content-Type", "application/http"),), block, 0))
    b'Hi'
    """
    return decode(record.head, record.payload, limit=limit).body[:limit]


def clean_codings(head: bytes) -> bytes:
    r"""A head that belongs to a decoded payload: headers that name codings are renamed ``X-Crawl-…``.

    Examples
    --------
    >>> clean_codings(b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n")
    b'HTTP/1.1 200 OK\r\nX-Crawl-Content-Encoding: br\r\n\r\n'
    """
    return _CODED.sub(lambda found: b"X-Crawl-" + found[0], head)


def parse_headers(head: bytes) -> list[tuple[str, str]]:
    r"""The headers of an HTTP head, names in lower case, folded lines joined.

    Examples
    --------
    >>> parse_headers(b"HTTP/1.1 200 OK\r\nA: b\r\n c\r\nno header\nD:e\n\n")
    [('a', 'b c'), ('d', 'e')]
    """
    text = re.sub(rb"\r?\n[ \t]+", b" ", head).decode("latin-1")
    lines = (line.partition(":") for line in text.splitlines()[1:])
    return [(name.strip().lower(), value.strip()) for name, colon, value in lines if colon and name.strip()]


def first(headers: list[tuple[str, str]], name: str) -> str | None:
    """The first value of a header, by its name in lower case.

    Examples
    --------
    >>> first([("a", "1"), ("a", "2")], "a")
    '1'
    """
    return next((value for key, value in headers if key == name), None)


class Unpacked(NamedTuple):
    """What a content coding was removed from."""

    body: bytes
    is_cut: bool = False
    """Whether there is more than the limit."""


def unpack(coding: str, body: bytes, limit: int) -> Unpacked | None:
    """At most `limit` bytes of a payload unpacked, as far as it goes; None if it is not packed so.

    It is unpacked in pieces into one buffer, so that it takes `limit` bytes of memory and not twice as many.

    Examples
    --------
    >>> unpack("deflate", zlib.compress(b"abc"), 2), unpack("gzip", b"<html>", 99)
    (Unpacked(body=b'ab', is_cut=True), None)
    """
    if coding in ("br", "zstd"):
        reader = (stream_io.BrotliReader if coding == "br" else stream_io.ZstdReader)(io.BytesIO(body))
        return _collect(iter(lambda: bytes(reader.read(_PIECE)), b""), limit)
    # what calls itself deflate is zlib most of the time, and bare at others
    windows = (47,) if coding != "deflate" else (47, -15)
    found = (_collect(_inflate(body, window), limit) for window in windows)
    return next((each for each in found if each is not None), None)


def _inflate(body: bytes, window: int) -> Iterator[bytes]:
    """The pieces of a body that is packed by zlib, members of gzip one after the other."""
    rest = body
    while rest:
        unpacker = zlib.decompressobj(window)
        while not unpacker.eof:
            piece = unpacker.decompress(rest, _PIECE)
            if not piece and not unpacker.eof:
                return  # the body ends before its time
            yield piece
            rest = unpacker.unconsumed_tail
        rest = unpacker.unused_data if unpacker.unused_data[:2] == b"\x1f\x8b" else b""


def _collect(pieces: Iterator[bytes], limit: int) -> Unpacked | None:
    """The pieces joined, up to `limit` bytes; what comes before damage is kept, and None is nothing."""
    joined = io.BytesIO()
    is_cut = False
    try:
        for piece in pieces:
            room = limit - joined.tell()
            joined.write(piece[:room])
            is_cut = len(piece) > room
            if is_cut:
                break
    except (OSError, ValueError, EOFError, zlib.error, stream_io.FastWARCError):
        pass
    return Unpacked(joined.getvalue(), is_cut) if joined.tell() else None
