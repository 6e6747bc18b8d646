"""ARC files, what archives were before WARC: gzip, a member a record, or plain.

A file is one record after another, an empty line between them. A record is a line and as many bytes as it
says; the line of version 1 and of version 2, by the second line of the file, is ::

    URL IP-address Archive-date Content-type Archive-length
    URL IP-address Archive-date Content-type Result-code Checksum Location Offset Filename Archive-length

A URL may hold blanks, so the line is read from its end. The first record is about the file
(``filedesc://…``). They are given as WARC records would be: ``warcinfo`` for the first, ``response`` where
the block is an HTTP message, else ``resource``. What is between two records and belongs to neither is passed
over and told.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, BinaryIO

from webstrata.archive.gzip_members import Member, iter_members
from webstrata.archive.warc import MAX_BLOCK, Record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from webstrata.archive.tally import Tally

_HEADER = re.compile(
    rb"(?P<url>[A-Za-z][A-Za-z0-9+.-]*:.*?) (?P<ip>[0-9a-fA-F.:]+) (?P<date>\d{8,}) (?P<mime>\S+)"
    rb"(?: \S+ \S+ \S+ \S+ \S+)? (?P<length>\S+)\s*"
)
_MAX_LINE = 1 << 16


def is_arc(start: bytes) -> bool:
    r"""Whether an unpacked file that begins so is an ARC file.

    Examples
    --------
    >>> is_arc(b"filedesc://a.arc 127.0.0.1 20140216050221 text/plain 75\n"), is_arc(b"WARC/1.0")
    (True, False)
    """
    return start.startswith(b"filedesc:") or _HEADER.fullmatch(start.split(b"\n", 1)[0]) is not None


def read_arc(path: str | PathLike[str], tally: Tally, *, name: str = "") -> Iterator[Record]:
    r"""The records of an ARC file.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.archive.tally import Tally
    >>> path = testing.scratch() / "a.arc"
    >>> _ = path.write_bytes(
    ...     b"http://a.uk/ 192.0.2.1 20010909014640 text/html 22\nHTTP/1.0 200 OK\r\n\r\nHi!\n")
    >>> [(record.url, record.get("WARC-Date"), record.payload) for record in read_arc(path, Tally())]
    [('http://a.uk/', '2001-09-09T01:46:40Z', b'Hi!')]
    """
    name = name or str(path)
    for member in iter_members(path, tally, name=name):
        yield from _read_member(member, tally, name)


def _read_member(member: Member, tally: Tally, name: str) -> Iterator[Record]:
    stream = member.stream
    position, strange = 0, -1
    while line := stream.readline(_MAX_LINE):
        begun, position = position, position + len(line)
        header = _HEADER.fullmatch(line)
        if header is None:
            if line.strip() and strange < 0:
                strange = begun
                tally.damaged(name, member.place(begun), "what is here is no record of an ARC file")
            continue
        strange = -1
        is_first = header["url"].startswith(b"filedesc:")
        try:
            length = int(header["length"])
        except ValueError:
            length = -1
        if length < 0:
            told = f"the record says that it has {header['length'].decode(errors='replace')} bytes"
            tally.damaged(name, member.place(begun), told)
            block, is_cut = (_read_paragraph(stream), False) if is_first else (b"", True)
        elif length > MAX_BLOCK:
            what = f"the record declares {length} bytes, and {MAX_BLOCK} are admitted"
            tally.damaged(name, member.place(begun), what)
            strange = begun
            continue  # its lines are passed over, up to one that begins a record
        else:
            block = stream.read(length)
            is_cut = len(block) < length
            if is_cut:
                what = f"the record has {len(block)} bytes of {length}"
                tally.damaged(name, member.place(begun), what)
        position += len(block)
        kind = "warcinfo" if is_first else "response" if block.startswith(b"HTTP/") else "resource"
        yield Record(kind, _headers(header, kind, block), block, member.place(begun), is_cut)


def _read_paragraph(stream: BinaryIO) -> bytes:
    """Lines up to an empty one, with it."""
    lines = [stream.readline(_MAX_LINE)]
    while lines[-1].strip():
        lines.append(stream.readline(_MAX_LINE))
    return b"".join(lines)


def _headers(header: re.Match[bytes], kind: str, block: bytes) -> tuple[tuple[str, str], ...]:
    date = header["date"].decode().ljust(14, "0")
    moment = f"{date[:4]}-{date[4:6]}-{date[6:8]}T{date[8:10]}:{date[10:12]}:{date[12:14]}Z"
    mime = header["mime"].decode("latin-1")
    # the line tells the type of an answer whose head does not
    is_told = kind != "response" or re.search(rb"(?i)\ncontent-type:", block.partition(b"\r\n\r\n")[0])
    return (
        ("WARC-Type", kind),
        ("WARC-Target-URI", header["url"].decode("utf-8", "replace")),
        ("WARC-Date", moment),
        ("WARC-IP-Address", header["ip"].decode()),
        ("Content-Type", "application/http; msgtype=response" if kind == "response" else mime),
        *(() if is_told else (("WARC-Identified-Payload-Type", mime),)),
    )
