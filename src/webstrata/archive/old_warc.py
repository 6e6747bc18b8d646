"""WARC before its headers had names: versions 0.9 to 0.16, of 2006 to 2008, the dumps of LAW among them.

A record is one line of seven words, named fields if there are any, an empty line and a block::

    warc/0.9 10757 response http://www.example.uk/ 20060920234350 message/http uuid:c6f7927d-…

The words are version, length, kind, URL, time, and then type and ID, or ID and type: writers differ. The
length counts the line, the fields and the block; of some writers the block alone, which is told by where the
next record begins. Behind a record come up to two empty lines. Records are given as those of WARC/1.1 would
be, ``message/http`` as ``application/http``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from webstrata.archive.gzip_members import Member, iter_members
from webstrata.archive.warc import MAX_BLOCK, Record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike
    from typing import BinaryIO

    from webstrata.archive.tally import Tally

_LINE = re.compile(
    rb"warc/(?P<version>0\.\d+)[ \t]+(?P<length>\d{1,18})[ \t]+(?P<kind>[a-z]+)[ \t]+(?P<url>\S+)[ \t]+"
    rb"(?P<date>\d{8,})[ \t]+(?P<rest>[^\r\n]+?)[ \t]*\r?\n",
    re.IGNORECASE,
)
_ID = re.compile(r"<?(?:uuid|uuri|urn|info)[:/]\S*", re.IGNORECASE)
_MAX_LINE = 1 << 16
_MAX_FIELDS = 1000
_NAMES = {
    "ip-address": "WARC-IP-Address",
    "checksum": "WARC-Payload-Digest",
    "related-record-id": "WARC-Concurrent-To",
    "truncated": "WARC-Truncated",
}


def is_old_warc(start: bytes) -> bool:
    r"""Whether an unpacked file that begins so is one of these.

    Examples
    --------
    >>> is_old_warc(b"warc/0.9 99 response http://a.uk/ 20060920234350 message/http uuid:1\r\n")
    True
    >>> is_old_warc(b"WARC/0.18\r\nWARC-Type: response\r\n")
    False
    """
    return _LINE.match(start.lstrip()) is not None


def read_old_warc(path: str | PathLike[str], tally: Tally, *, name: str = "") -> Iterator[Record]:
    r"""The records of a file.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.archive.tally import Tally
    >>> path = testing.scratch() / "a.warc"
    >>> block = b"HTTP/1.0 200 OK\r\n\r\nHi!"
    >>> line = b"warc/0.9 %d response http://a.uk/ 20010909014640 message/http uuid:1\r\n\r\n"
    >>> _ = path.write_bytes(line % (len(line % 99) + len(block)) + block + b"\r\n\r\n")
    >>> [(record.url, record.get("WARC-Date"), record.payload) for record in read_old_warc(path, Tally())]
    [('http://a.uk/', '2001-09-09T01:46:40Z', b'Hi!')]
    """
    name = name or str(path)
    for member in iter_members(path, tally, name=name):
        yield from _Member(member, tally, name).read()


class _Member:
    """The records of a gzip member, or of a file that is not packed."""

    def __init__(self, member: Member, tally: Tally, name: str) -> None:
        self._member, self._tally, self._name = member, tally, name
        self._stream: BinaryIO = member.stream
        self._position = 0
        self._kept = b""
        """What was read ahead."""

    def read(self) -> Iterator[Record]:
        is_strange = False
        while line := self._read_line():
            begun = self._position - len(line)
            found = _LINE.fullmatch(line)
            if found is None:
                if line.strip() and not is_strange:
                    self._tell(begun, "what is here is no record of WARC 0.9")
                is_strange = is_strange or bool(line.strip())
                continue
            fields = self._read_fields()
            length = int(found["length"]) - (self._position - begun)
            is_strange = not 0 <= length <= MAX_BLOCK
            if is_strange:
                self._tell(begun, f"the record declares {int(found['length'])} bytes, which cannot be")
                continue  # its lines are passed over, up to one that begins a record
            block = self._read_block(length, self._position - begun)
            is_cut = len(block) < length
            if is_cut:
                self._tell(begun, f"the record has {len(block)} bytes of {length}")
            headers = _headers(found, fields)
            kind = found["kind"].decode().lower()
            yield Record(kind, headers, block, self._member.place(begun), is_cut)

    def _read_line(self) -> bytes:
        line = self._kept[: self._kept.find(b"\n") + 1]
        if line:
            self._kept = self._kept[len(line) :]
        else:
            line, self._kept = self._kept + self._stream.readline(_MAX_LINE), b""
        self._position += len(line)
        return line

    def _read(self, size: int) -> bytes:
        piece, self._kept = self._kept[:size], self._kept[size:]
        piece += self._stream.read(size - len(piece)) if len(piece) < size else b""
        self._position += len(piece)
        return piece

    def _read_fields(self) -> list[tuple[str, str]]:
        fields: list[tuple[str, str]] = []
        for _ in range(_MAX_FIELDS):
            line = self._read_line()
            if not line.strip():
                break
            field, _, value = line.decode("utf-8", "replace").partition(":")
            if line[:1] in b" \t" and fields:
                fields[-1] = (fields[-1][0], f"{fields[-1][1]} {line.decode('utf-8', 'replace').strip()}")
            else:
                fields.append((_NAMES.get(field.strip().lower(), field.strip()), value.strip()))
        return fields

    def _read_block(self, length: int, head: int) -> bytes:
        """A block of `length` bytes, or of `head` more where only then a record ends."""
        block = self._read(length)
        more = self._peek(head + 4)
        if len(block) == length and not _ends(more[:4]) and _ends(more[head:]) and len(more) >= head:
            block += self._read(head)
        return block

    def _peek(self, size: int) -> bytes:
        self._kept += self._stream.read(size - len(self._kept)) if len(self._kept) < size else b""
        return self._kept[:size]

    def _tell(self, begun: int, what: str) -> None:
        self._tally.damaged(self._name, self._member.place(begun), what)


def _ends(start: bytes) -> bool:
    """Whether a record may have ended before this."""
    return start[:1] in (b"", b"\r", b"\n") or start[:4].lower() == b"warc"


def _headers(found: re.Match[bytes], fields: list[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    date = found["date"].decode().ljust(14, "0")
    moment = f"{date[:4]}-{date[4:6]}-{date[6:8]}T{date[8:10]}:{date[10:12]}:{date[12:14]}Z"
    rest = found["rest"].decode("utf-8", "replace")
    told = _ID.search(rest)
    mime = (rest[: told.start()] + rest[told.end() :]).strip() if told else rest
    if mime.lower().startswith("message/http"):
        mime = f"application/http; msgtype={found['kind'].decode().lower()}"
    return (
        ("WARC-Type", found["kind"].decode().lower()),
        ("WARC-Target-URI", found["url"].decode("utf-8", "replace")),
        ("WARC-Date", moment),
        *((("WARC-Record-ID", f"<{told[0].strip('<>')}>"),) if told else ()),
        ("Content-Type", mime),
        *fields,
    )
