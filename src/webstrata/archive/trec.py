r"""TREC Web compound documents, as collections such as WT10g and GOV2 have them (STORE, large files).

::

    <DOC>
    <DOCNO>WTX001-B01-10</DOCNO>
    <DOCHDR>
    http://www.example.com/test.html 204.244.59.33 19970101013145 text/html 440
    HTTP/1.0 200 OK
    Content-type: text/html
    </DOCHDR>
    <HTML>…</HTML>
    </DOC>

Below ``<DOCHDR>`` come URL, address, time, media type and length, then the HTTP head; what is behind
``</DOCHDR>`` is the payload. Of the first line only the URL must be there (GOV2 has no more), and the HTTP
head may lack. A document begins with a line ``<DOC>`` and one that begins with ``<DOCNO>``, and its last
``</DOC>`` before the next document ends it, so a payload may hold such a line. Where the length is that of
the payload without its last line feed, that line feed is the writer's, who needs it to begin the line
``</DOC>``. Plain, gzip, zstd or lz4.
"""

from __future__ import annotations

import datetime as dt
import email.utils
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from webstrata.archive.gzip_members import iter_members
from webstrata.archive.warc import MAX_BLOCK, Record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from webstrata.archive.tally import Tally

_BEGIN, _END, _END_OF_HEAD = b"<DOC>", b"</DOC>", b"</DOCHDR>"
_NUMBER = re.compile(rb"<DOCNO>\s*(.*?)\s*</DOCNO>", re.DOTALL)
_FIRST = re.compile(
    r"(?P<url>\S.*?)(?: (?P<ip>\S+) (?P<time>\d{14}) (?P<mime>\S+) (?P<length>-?\d+))?\s*", re.DOTALL
)
_SECOND = re.compile(rb"\n[ \t]*<DOC>[ \t\r]*\n[ \t]*<DOCNO>")
_MAX_LINE = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Document:
    r"""One document of a compound file.

    Examples
    --------
    >>> document = Document(
    ...     number="WTX001-B01-10", url="http://example.com/", time="19970101013145", mime="text/html",
    ...     head=b"HTTP/1.0 200 OK\n", payload=b"<p>Fish")
    >>> print(document.to_bytes().decode())
    <DOC>
    <DOCNO>WTX001-B01-10</DOCNO>
    <DOCHDR>
    http://example.com/ 0.0.0.0 19970101013145 text/html 7
    HTTP/1.0 200 OK
    </DOCHDR>
    <p>Fish
    </DOC>
    >>> Document.parse(document.to_bytes()) == document
    True
    """

    number: str
    url: str
    ip: str = "0.0.0.0"
    time: str = ""
    """Fourteen digits of UTC; nothing where it is not told."""
    mime: str = "text/html"
    length: int | None = None
    """As told; None where it is that of the payload."""
    head: bytes = b""
    payload: bytes = b""

    def to_bytes(self) -> bytes:
        """The document from ``<DOC>`` to the end of the line ``</DOC>``, or ``ValueError``."""
        first = self.url
        if self.time:
            length = len(self.payload) if self.length is None else self.length
            first += f" {self.ip} {self.time} {self.mime or 'unk'} {length}"
        head = self.head.replace(b"\r\n", b"\n").strip(b"\n")
        head = first.encode() + b"\n" + (head + b"\n" if head else b"")
        is_told = self.length is None and self.time
        end = b"" if not is_told and self.payload.endswith(b"\n") else b"\n"
        whole = b"<DOC>\n<DOCNO>%s</DOCNO>\n<DOCHDR>\n%s</DOCHDR>\n%s%s</DOC>\n" % (
            self.number.encode(), head, self.payload, end,
        )  # fmt: skip
        if _END_OF_HEAD in head or _SECOND.search(whole):
            raise ValueError("the text holds marks of the format, which cannot tell it from them")
        return whole

    @classmethod
    def parse(cls, whole: bytes) -> Document:
        """The document that these bytes are, or ``ValueError``."""
        number = _NUMBER.search(whole)
        top, has_head, rest = whole.partition(_END_OF_HEAD)
        _, begins, head = top.partition(b"<DOCHDR>")
        if number is None or not has_head or not begins:
            raise ValueError("a document lacks DOCNO or DOCHDR")
        first, _, head = head.lstrip(b"\r\n").partition(b"\n")
        told = _FIRST.fullmatch(first.decode("utf-8", "replace"))
        if told is None:
            raise ValueError("DOCHDR does not begin with a URL")
        end = rest.rfind(_END)
        payload = rest[: end if end >= 0 else len(rest)]
        payload = re.sub(rb"\A\r?\n", b"", payload)
        length = int(told["length"]) if told["length"] else None
        if length == len(payload) - 1 and payload.endswith(b"\n"):
            payload, length = payload[:-1], None
        return cls(
            number=number[1].decode("utf-8", "replace"),
            url=told["url"].strip(),
            ip=told["ip"] or "0.0.0.0",
            time=told["time"] or "",
            mime=told["mime"] or "text/html",
            length=length,
            head=head,
            payload=payload,
        )


def is_trec(start: bytes) -> bool:
    r"""Whether an unpacked file that begins so is a TREC file.

    Examples
    --------
    >>> is_trec(b"\n<DOC>\n<DOCNO>1"), is_trec(b"<DOCTYPE")
    (True, False)
    """
    return start.lstrip().startswith(_BEGIN)


def read_documents(
    path: str | PathLike[str], tally: Tally, *, name: str = ""
) -> Iterator[tuple[int, Document]]:
    r"""The documents of a file, with the place where each begins (packed: where its member does).

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.archive.tally import Tally
    >>> path = testing.scratch() / "a.trec"
    >>> both = [Document(number=str(n), url=f"http://a.uk/{n}", payload=b"Fish\n") for n in range(2)]
    >>> _ = path.write_bytes(b"".join(document.to_bytes() for document in both))
    >>> [document for _, document in read_documents(path, Tally())] == both
    True
    """
    name = name or str(path)
    for offset, whole in _split(path, tally, name):
        if not whole.rstrip().endswith(_END):
            tally.damaged(name, offset, "the document is cut off, or something follows it")
        try:
            yield offset, Document.parse(whole)
        except ValueError as error:
            tally.damaged(name, offset, str(error))


def read_trec(path: str | PathLike[str], tally: Tally, *, name: str = "") -> Iterator[Record]:
    r"""The documents of a file as WARC would have them.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.archive.tally import Tally
    >>> path = testing.scratch() / "a.trec"
    >>> document = Document(number="1", url="http://a.uk/", time="19970101013145", payload=b"Fish")
    >>> _ = path.write_bytes(document.to_bytes())
    >>> record = next(read_trec(path, Tally()))
    >>> record.kind, record.url, record.get("WARC-Date"), record.payload
    ('resource', 'http://a.uk/', '1997-01-01T01:31:45Z', b'Fish')
    """
    for offset, document in read_documents(path, tally, name=name):
        is_http = document.head.startswith(b"HTTP/")
        kind = "response" if is_http else "resource"
        head = document.head.replace(b"\r\n", b"\n").rstrip(b"\n").replace(b"\n", b"\r\n") + b"\r\n\r\n"
        headers = [
            ("WARC-Type", kind),
            ("WARC-Target-URI", document.url),
            ("Content-Type", "application/http; msgtype=response" if is_http else document.mime),
        ]
        if moment := _moment(document):
            headers.append(("WARC-Date", moment))
        if is_http and not re.search(rb"(?im)^content-type:", document.head):
            headers.append(("WARC-Identified-Payload-Type", document.mime))
        if document.ip != "0.0.0.0":
            headers.append(("WARC-IP-Address", document.ip))
        yield Record(kind, tuple(headers), (head if is_http else b"") + document.payload, offset)


def _moment(document: Document) -> str | None:
    """When the document was fetched: its own line, or the server's clock."""
    t = document.time
    if t:
        return f"{t[:4]}-{t[4:6]}-{t[6:8]}T{t[8:10]}:{t[10:12]}:{t[12:]}Z"
    told = re.search(rb"(?im)^date:\s*(.+?)\s*$", document.head)
    try:
        date = email.utils.parsedate_to_datetime(told[1].decode("latin-1")) if told else None
    except ValueError:
        return None
    return date.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if date else None


def _split(path: str | PathLike[str], tally: Tally, name: str) -> Iterator[tuple[int, bytes]]:
    """The pieces of a file from one beginning of a document to the next."""
    lines: list[bytes] = []
    begun = size = candidate = 0
    is_strange = False
    for place, line in _lines(path, tally, name):
        is_first = not lines
        if line.lstrip().startswith(b"<DOCNO>") and lines and lines[-1].strip() == _BEGIN:
            if len(lines) > 1:
                yield begun, b"".join(lines[:-1])
            begun, lines, size, is_strange = candidate, lines[-1:], 0, False
        elif line.strip() == _BEGIN:
            candidate = place
            begun = candidate if is_first else begun
        elif is_first:
            if line.strip() and not is_strange:
                tally.damaged(name, place, "what is here is no document of a TREC file")
            is_strange = is_strange or bool(line.strip())
            continue
        lines.append(line)
        size += len(line)
        if size > MAX_BLOCK:
            tally.damaged(name, begun, f"the document has more than the {MAX_BLOCK} bytes that are admitted")
            lines, is_strange = [], True
    if lines:
        yield begun, b"".join(lines)


def _lines(path: str | PathLike[str], tally: Tally, name: str) -> Iterator[tuple[int, bytes]]:
    """Lines with their places; one that a member ends in goes on in the next."""
    rest, begun = b"", 0
    for member in iter_members(path, tally, name=name):
        position = 0
        while line := member.stream.readline(_MAX_LINE):
            if not rest:
                begun = member.place(position)
            position += len(line)
            rest += line
            if line.endswith(b"\n") or len(line) == _MAX_LINE:
                yield begun, rest
                rest = b""
    if rest:
        yield begun, rest
