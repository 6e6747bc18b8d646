"""WARC records written by hand, as other programs write them."""

from __future__ import annotations

import base64
import gzip
import hashlib
import uuid
from typing import TYPE_CHECKING

from webstrata.archive.record import Record

if TYPE_CHECKING:
    from collections.abc import Callable

JUNE = "2026-06-12T18:30:00Z"
Raw = tuple[tuple[tuple[str, str], ...], bytes]


def sha1(data: bytes) -> str:
    return f"sha1:{base64.b32encode(hashlib.sha1(data, usedforsecurity=False).digest()).decode()}"


def raw(kind: str, block: bytes, *headers: tuple[str, str], date: str = JUNE) -> Raw:
    """Headers and block of a record of any kind."""
    first = (
        ("WARC-Type", kind),
        ("WARC-Record-ID", f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, repr((kind, block, headers)))}>"),
        ("WARC-Date", date),
    )
    return (*first, *headers, ("Content-Length", str(len(block)))), block


def response(
    url: str,
    body: bytes,
    *,
    head: bytes = b"",
    payload: str = "",
    block: str = "",
    status: bytes = b"200 OK",
    date: str = JUNE,
    more: tuple[tuple[str, str], ...] = (),
) -> Raw:
    """A response with digests, which hold unless others are given."""
    message = b"HTTP/1.1 " + status + b"\r\nContent-Type: text/html\r\n" + head + b"\r\n" + body
    return raw(
        "response",
        message,
        ("WARC-Target-URI", url),
        ("Content-Type", "application/http; msgtype=response"),
        ("WARC-Payload-Digest", payload or sha1(body)),
        ("WARC-Block-Digest", block or sha1(message)),
        *more,
        date=date,
    )


def record(made: Raw) -> Record:
    """The same as it would be read."""
    return Record(dict(made[0])["WARC-Type"], made[0], made[1], 0)


def show(made: Raw) -> bytes:
    lines = "".join(f"{name}: {value}\r\n" for name, value in made[0])
    return f"WARC/1.0\r\n{lines}\r\n".encode() + made[1] + b"\r\n\r\n"


def pack(*records: Raw, compress: Callable[[bytes], bytes] | None = None) -> bytes:
    """Records one after the other, one gzip member each unless something else is said."""
    compress = compress or (lambda data: gzip.compress(data, mtime=0))
    return b"".join(compress(show(each)) for each in records)
