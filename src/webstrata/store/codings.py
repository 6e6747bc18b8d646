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

from webstrata.store.warc import stream_io

if TYPE_CHECKING:
    from webstrata.store.record import Record

MAX_PAYLOAD = 64 << 20
"""Bytes at which decoding stops; the rest is left out, and the capture is marked as truncated."""
_CHUNK = re.compile(rb"[ \t]*([0-9a-fA-F]{1,15})[ \t]*(?:;[^\n]*)?\r?\n")
_CODED = re.compile(rb"(?im)^(transfer|content)-encoding[ \t]*:")
_KNOWN = ("gzip", "x-gzip", "deflate", "br", "zstd")


class Decoded(NamedTuple):
    """A body without its codings."""

    body: bytes
    is_decoded: bool = False
    """Whether the head names a content coding that the body does not have any more."""
    is_cut: bool = False
    """Whether decoding stopped at `MAX_PAYLOAD`."""


def decode(head: bytes, body: bytes, headers: list[tuple[str, str]] | None = None) -> Decoded:
    r"""A body without the codings that its head names.

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
        unpacked = unpack(coding, body, MAX_PAYLOAD + 1)
        if unpacked is not None:
            is_cut |= len(unpacked) > MAX_PAYLOAD
            body = unpacked[:MAX_PAYLOAD]
        del unpacked
        # where nothing can be removed, others have removed it before and left the header
        is_decoded = True
    return Decoded(body, is_decoded, is_cut)


def read_payload(record: Record) -> bytes:
    r"""The payload of a stored record, without the codings that its HTTP head names.

    Examples
    --------
    >>> from webstrata.store.record import Record
    >>> block = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nHi\r\n0\r\n\r\n"
    >>> read_payload(Record("response", (("Content-Type", "application/http"),), block, 0))
    b'Hi'
    """
    return decode(record.head, record.payload).body


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


def join_chunks(body: bytes) -> bytes | None:
    r"""A body without chunks, as far as it goes; None if it is not made of them.

    Examples
    --------
    >>> join_chunks(b"3;x\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"), join_chunks(b"<html>")
    (b'abcde', None)
    """
    pieces: list[bytes] = []
    position = 0
    while True:
        line = _CHUNK.match(body, position)
        if line is None:
            return b"".join(pieces) if pieces and position >= len(body) else None
        size = int(line[1], 16)
        if size == 0:
            return b"".join(pieces)
        pieces.append(body[line.end() : line.end() + size])
        position = line.end() + size
        position += 2 if body.startswith(b"\r\n", position) else body.startswith(b"\n", position)


def unpack(coding: str, body: bytes, limit: int) -> bytes | None:
    """At most `limit` bytes of a payload unpacked, as far as it goes; None if it is not packed so.

    Examples
    --------
    >>> unpack("deflate", zlib.compress(b"abc"), 99), unpack("gzip", b"<html>", 99)
    (b'abc', None)
    """
    if coding in ("br", "zstd"):
        reader = (stream_io.BrotliReader if coding == "br" else stream_io.ZstdReader)(io.BytesIO(body))
        try:
            return bytes(reader.read(limit)) or None
        except (OSError, ValueError, EOFError, stream_io.FastWARCError):
            return None
    # what calls itself deflate is zlib most of the time, and bare at others
    for window in (47,) if coding != "deflate" else (47, -15):
        unpacker, pieces, size = zlib.decompressobj(window), [], 0
        try:
            pieces.append(unpacker.decompress(body, limit))
            size = len(pieces[0])
            while unpacker.eof and unpacker.unused_data[:2] == b"\x1f\x8b" and size < limit:
                rest = unpacker.unused_data
                unpacker = zlib.decompressobj(window)
                pieces.append(unpacker.decompress(rest, limit - size))
                size += len(pieces[-1])
        except zlib.error:
            pass  # what came before the damage is kept
        if size:
            return pieces[0] if len(pieces) == 1 else b"".join(pieces)
    return None
