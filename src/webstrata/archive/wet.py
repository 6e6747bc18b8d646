"""WET: the text of pages as WARC ``conversion`` records, as Common Crawl hands it out.

A file begins with ``warcinfo``; then comes a record a page, each its own gzip member, with these headers in
this order, which readers of WET files rely on::

    WARC/1.0
    WARC-Type: conversion
    WARC-Target-URI: http://example.uk/
    WARC-Date: 2026-06-12T18:30:00Z
    WARC-Record-ID: <urn:uuid:…>
    WARC-Refers-To: <urn:uuid:…>              the record with the payload
    WARC-Block-Digest: sha1:…
    WARC-Identified-Content-Language: eng     ISO 639-3, where the language is known
    Content-Type: text/plain
    Content-Length: 1234

The block is the title, if there is one, and the visible text, in UTF-8 with a line for each block.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

from webstrata.web.language import long_code

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import BinaryIO

_IDS = uuid.UUID("5f2a3c52-7d6c-5e0e-9d7a-0d6c2f1b8a34")
"""The name space of record IDs, so that the same text of the same record has the same one."""


@dataclass(frozen=True, kw_only=True)
class Conversion:
    """The text of one page."""

    url: str
    date: str
    """As in the record it refers to."""
    refers_to: str
    title: str
    text: str
    language: str | None = None
    """ISO 639-1."""

    def to_bytes(self) -> bytes:
        r"""The record.

        Examples
        --------
        >>> record = Conversion(
        ...     url="http://a.uk/", date="2026-06-12T18:30:00Z", refers_to="", title="A", text="B c")
        >>> lines = record.to_bytes().decode().split("\r\n")
        >>> lines[1], lines[-5:]
        ('WARC-Type: conversion', ['Content-Length: 5', '', 'A\nB c', '', ''])
        """
        block = f"{self.title}\n{self.text}" if self.title else self.text
        data = block.encode("utf-8", "replace")
        language = long_code(self.language)
        return _record(
            data,
            {
                "WARC-Type": "conversion",
                "WARC-Target-URI": self.url,
                "WARC-Date": self.date,
                "WARC-Record-ID": f"<{uuid.uuid5(_IDS, f'{self.refers_to} {self.url}').urn}>",
                **({"WARC-Refers-To": self.refers_to} if self.refers_to else {}),
                "WARC-Block-Digest": f"sha1:{_sha1(data)}",
                **({"WARC-Identified-Content-Language": language} if language else {}),
                "Content-Type": "text/plain",
            },
        )


class WetWriter:
    """Writes a WET file into a stream, its ``warcinfo`` first.

    Parameters
    ----------
    stream
        Where it goes.
    packed
        Whether each record becomes a gzip member.
    name, created
        The file and its time, for ``warcinfo``.
    fields
        More lines of ``warcinfo``.

    Examples
    --------
    >>> import io
    >>> from fastwarc.warc import ArchiveIterator
    >>> stream = io.BytesIO()
    >>> date = "2026-06-30T12:00:00Z"
    >>> writer = WetWriter(stream, packed=True, name="a.warc.wet.gz", created=date, fields=[])
    >>> writer.write(Conversion(url="http://a.uk/", date=date, refers_to="", title="", text="B"))
    >>> _ = stream.seek(0)
    >>> [(record.headers["WARC-Type"], record.reader.read()[:1]) for record in ArchiveIterator(stream)]
    [('warcinfo', b'f'), ('conversion', b'B')]
    """

    def __init__(
        self,
        stream: BinaryIO,
        *,
        packed: bool,
        name: str,
        created: str,
        fields: Iterable[tuple[str, str]],
    ) -> None:
        self._stream, self._packed = stream, packed
        lines = [("format", "WARC File Format 1.0"), *fields]
        block = "".join(f"{key}: {' '.join(value.split())}\r\n" for key, value in lines).encode()
        self._put(
            _record(
                block,
                {
                    "WARC-Type": "warcinfo",
                    "WARC-Date": created,
                    "WARC-Filename": "".join(name.splitlines()),
                    "WARC-Record-ID": f"<{uuid.uuid4().urn}>",
                    "Content-Type": "application/warc-fields",
                },
            )
        )

    def write(self, conversion: Conversion) -> None:
        """Add the text of a page."""
        self._put(conversion.to_bytes())

    def _put(self, record: bytes) -> None:
        self._stream.write(gzip.compress(record, 6, mtime=0) if self._packed else record)


def _record(block: bytes, headers: Mapping[str, str]) -> bytes:
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    head = f"WARC/1.0\r\n{lines}Content-Length: {len(block)}\r\n\r\n"
    return head.encode("utf-8", "replace") + block + b"\r\n\r\n"


def _sha1(data: bytes) -> str:
    return base64.b32encode(hashlib.sha1(data, usedforsecurity=False).digest()).decode()
