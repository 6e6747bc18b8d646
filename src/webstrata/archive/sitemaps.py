"""A sitemap as the list of files that are pages: it says what URL and what time each of them has.

``<loc>`` is looked for among the files of some folders, those beside the sitemap first: the path of
``http://example.uk/a/b`` as ``a/b``, ``a/b.html`` or ``a/b/index.html``, below the folder itself or below
``example.uk``. ``<lastmod>`` is when it was captured; where it is missing, the time of the file. A sitemap of
sitemaps stands for those of its files that are there. What is listed and has no file is counted: it tells of
a page, and is none.

Nothing is fetched, no file outside the folders is read, whatever a URL says, and entities that a sitemap
declares are not known: it is searched for elements, not parsed as XML.
"""

from __future__ import annotations

import datetime as dt
import html
import mimetypes
import re
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from webstrata.archive.gzip_members import iter_members
from webstrata.archive.html_folder import is_html
from webstrata.archive.warc import MAX_BLOCK, Record
from webstrata.errors import UrlError
from webstrata.web.url import normalize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    from webstrata.archive.tally import Tally

MAX_BYTES = 256 << 20
"""Bytes of the longest sitemap, unpacked; the protocol admits 50 MiB."""
_MAX_TEXT = 1 << 14
_START = re.compile(rb"<(?:[\w-]{1,99}:)?(?:urlset|sitemapindex)\b")
_TAG = re.compile(rb"<(/?)(?:[\w-]{1,99}:)?(url|sitemap|loc|lastmod)(?:\s[^<>]{0,999})?>")
_DATE = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s?(Z|[+-]\d\d:?\d\d)?)?)?)?"
)
_INDEX = ("index.html", "index.htm", "index.xhtml")


def is_sitemap(start: bytes) -> bool:
    """Whether an unpacked file that begins so is a sitemap.

    Examples
    --------
    >>> is_sitemap(b'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">')
    True
    >>> is_sitemap(b"<html>")
    False
    """
    return _START.search(start) is not None and not is_html(start)


def read_sitemap(
    path: str | PathLike[str], tally: Tally, *, base_url: str = "", folders: Sequence[Path] = ()
) -> Iterator[Record]:
    """The files that a sitemap lists, as WARC records of kind ``resource``.

    Parameters
    ----------
    path
        The sitemap, packed or not.
    tally
        Where it is told what was left out.
    base_url
        What the folders stand for; nothing, if for the root of the host, or for all hosts.
    folders
        Where to look for files besides the folder of the sitemap.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.archive.tally import Tally
    >>> folder = testing.scratch()
    >>> _ = (folder / "a.html").write_text("<title>A</title>")
    >>> _ = (folder / "sitemap.xml").write_text(
    ...     "<urlset><url><loc>http://example.uk/a</loc><lastmod>2026-06-12</lastmod></url>"
    ...     "<url><loc>http://example.uk/gone</loc></url></urlset>")
    >>> tally = Tally()
    >>> records = read_sitemap(folder / "sitemap.xml", tally)
    >>> [(record.url, record.get("WARC-Date"), record.block) for record in records]
    [('http://example.uk/a', '2026-06-12T00:00:00Z', b'<title>A</title>')]
    >>> dict(tally.left_out)
    {'listed in a sitemap, and no file of it is here': 1}
    """
    roots = list(dict.fromkeys(folder.resolve() for folder in (Path(path).parent, *folders)))
    base = normalize(base_url) if base_url else ""
    waiting = [Path(path).resolve()]
    for sitemap in waiting:  # grows while it is gone through
        number = 0
        for kind, loc, lastmod in _iter_entries(_unpack(sitemap, tally)):
            number += 1
            try:
                url = normalize(loc)
            except UrlError as error:
                tally.leave_out(f"no page of the web by its URL ({error.reason})")
                continue
            file = _find_file(url, base, roots)
            if kind == "url":
                record = _make(url, file, parse_lastmod(lastmod), tally)
                if record is not None:
                    yield record
            elif file is None:
                tally.leave_out("a sitemap that another one lists, and that is not here")
            elif file not in waiting:
                waiting.append(file)
        if not number:
            tally.damaged(str(sitemap), 0, "the sitemap lists nothing")


def _unpack(path: Path, tally: Tally) -> bytes:
    text = b""
    with closing(iter_members(path, tally)) as members:
        for member in members:
            text += member.stream.read(MAX_BYTES - len(text) + 1)
            if len(text) > MAX_BYTES:
                tally.damaged(str(path), MAX_BYTES, "the sitemap is longer than is read")
                return text
    return text


def _iter_entries(text: bytes) -> Iterator[tuple[str, str, str]]:
    """Whether it is a page or a sitemap, its URL and its time, for each entry."""
    said = {b"loc": "", b"lastmod": ""}
    begun = 0
    for tag in _TAG.finditer(text):
        is_end, name = bool(tag[1]), tag[2]
        if name in said:
            if is_end:
                said[name] = said[name] or _text(text[begun : tag.start()][:_MAX_TEXT])
            begun = tag.end()
            continue
        if is_end:
            yield name.decode(), said[b"loc"], said[b"lastmod"]
        said = dict.fromkeys(said, "")


def _text(raw: bytes) -> str:
    raw = raw.strip()
    if raw.startswith(b"<![CDATA["):
        return raw[9:].removesuffix(b"]]>").decode("utf-8", "replace").strip()
    return html.unescape(raw.decode("utf-8", "replace")).strip()


def parse_lastmod(text: str) -> str | None:
    """A time of a sitemap as ``WARC-Date`` has it; None if it is none. What is not told is the first.

    Examples
    --------
    >>> parse_lastmod("2026"), parse_lastmod("2026-06-12T20:30+02:00"), parse_lastmod("yesterday")
    ('2026-01-01T00:00:00Z', '2026-06-12T18:30:00Z', None)
    """
    found = _DATE.fullmatch(text.strip())
    if found is None:
        return None
    year, month, day, time, zone = found.groups()
    try:
        zone = "+00:00" if zone in (None, "Z") else zone
        moment = dt.datetime.fromisoformat(f"{year}-{month or '01'}-{day or '01'}T{time or '00:00'}{zone}")
        return moment.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError):
        return None


def _find_file(url: str, base: str, roots: list[Path]) -> Path | None:
    """The file of a URL below one of the folders; none outside of them, whatever links lead there."""
    parts = urlsplit(url)
    path = url.removeprefix(base) if base and url.startswith(base) else parts.path
    names = [unquote(name, errors="surrogateescape") for name in path.partition("?")[0].split("/") if name]
    if any(name in (".", "..") or "/" in name or "\0" in name for name in names):
        return None
    for root in roots:
        for start in (root, root / parts.netloc):
            whole = start.joinpath(*names)
            kinds = [whole, whole.with_name(f"{whole.name}.html")] if names and path[-1:] != "/" else []
            for file in (*kinds, *(whole / name for name in _INDEX)):
                try:
                    if file.is_file() and file.resolve().is_relative_to(root):
                        return file.resolve()
                except (OSError, ValueError):  # a name that no file can have
                    continue
    return None


def _make(url: str, file: Path | None, date: str | None, tally: Tally) -> Record | None:
    if file is None:
        tally.leave_out("listed in a sitemap, and no file of it is here")
        return None
    try:
        status = file.stat()
        if status.st_size > MAX_BLOCK:
            tally.leave_out("a file that is too long")
            return None
        block = file.read_bytes()
    except OSError as error:
        tally.damaged(str(file), 0, error.strerror or str(error))
        return None
    mime = mimetypes.guess_type(file.name, strict=False)[0]
    if mime is None:
        mime = "text/html" if is_html(block[:1024]) else "application/octet-stream"
    changed = dt.datetime.fromtimestamp(status.st_mtime, dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    headers = (
        ("WARC-Type", "resource"),
        ("WARC-Target-URI", url),
        ("WARC-Date", date or changed),
        ("Content-Type", mime),
    )
    return Record("resource", headers, block, 0)
