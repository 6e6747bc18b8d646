"""Pages of a wiki from its export in XML, as ``pages-articles.xml.bz2`` of Wikimedia.

The schemas 0.3 to 0.11 are read. A dump begins with what it says of the wiki (``siteinfo``: base, names of
namespaces, whether titles keep the case of their first letter); then a ``page`` has ``title``, ``ns``,
perhaps ``redirect``, and one or more ``revision`` with ``timestamp`` and ``text``. Of several revisions the
last counts, or the last at or before a moment.

A page becomes a capture: its wikitext as HTML (`webstrata.store.wikipedia.wikitext`), with the time of the
revision as ``Last-Modified``, at the time of the dump if its name tells. A redirect becomes an answer 301
that leads to its target, or with ``eliminate`` to nowhere. So the snapshot is one like any other.

**No two articles are one.** Two villages with the same line each are two articles. The title stands in the
page, and a fingerprint counts it (`webstrata.web.fingerprint`); its digits are written as character
references, which the rule of webstrata 0.1.0 counted too.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from email.utils import format_datetime
from typing import TYPE_CHECKING, cast
from xml.etree.ElementTree import ParseError, XMLPullParser

from webstrata.archive.record import Record
from webstrata.errors import FormatError, UsageError
from webstrata.store.wikipedia.drafts import Draft, iter_bodies
from webstrata.store.wikipedia.packed import scan_blocks
from webstrata.store.wikipedia.settings import ELIMINATE, WikipediaSettings
from webstrata.store.wikipedia.titles import NAMESPACES, Wiki
from webstrata.store.wikipedia.wikitext import find_redirect
from webstrata.web.url import normalize

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from xml.etree.ElementTree import Element

    from webstrata.archive.tally import Tally

_BLOCK = 1 << 18
_START = re.compile(rb"<mediawiki\b")
_SCHEMA = re.compile(r"\{?http://www\.mediawiki\.org/xml/export-(\d+)\.(\d+)/\}?")
_NEWEST = 11


@dataclass(frozen=True)
class Siteinfo:
    """What an export says of its wiki."""

    wiki: Wiki
    database: str
    language: str


def is_export(start: bytes) -> bool:
    """Whether a file that begins so may be the export of a wiki; nothing else that is read comes as bzip2.

    Examples
    --------
    >>> is_export(b'<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/"'), is_export(b"<html>")
    (True, False)
    """
    return start.startswith(b"BZh") or _START.search(start) is not None


def read_siteinfo(path: Path, *, base_url: str = "") -> Siteinfo:
    """What an export says of its wiki, without its pages.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "a.xml"
    >>> _ = path.write_text(
    ...     "<mediawiki xmlns='http://www.mediawiki.org/xml/export-0.10/' xml:lang='simple'><siteinfo>"
    ...     "<dbname>simplewiki</dbname><base>https://simple.wikipedia.org/wiki/Main_Page</base>"
    ...     "<case>first-letter</case><namespaces><namespace key='0' case='first-letter' />"
    ...     "<namespace key='14'>Category</namespace></namespaces></siteinfo></mediawiki>")
    >>> read_siteinfo(path).wiki.base
    'https://simple.wikipedia.org/wiki/'
    """
    for kind, element in _iter_elements(path, None):
        if kind == "siteinfo":
            return _read_siteinfo(path, element, base_url)
        if kind == "page":
            break
    return Siteinfo(Wiki(_check_base(path, base_url, "")), "", "")


def _read_siteinfo(path: Path, element: Element, base_url: str) -> Siteinfo:
    names, case = {}, "first-letter"
    told = {_local(child): (child.text or "").strip() for child in element}
    for child in element.iter():
        key = child.get("key", "")
        if _local(child) == "namespace" and re.fullmatch(r"-?\d+", key):
            names[int(key)] = (child.text or "").strip().replace(" ", "_")
            if key == "0":
                case = child.get("case", "")
    case = case or told.get("case", "")
    base = _check_base(path, base_url, told.get("base", ""))
    wiki = Wiki(base, names or NAMESPACES, keeps_case=case == "case-sensitive")
    return Siteinfo(wiki, told.get("dbname", ""), element.get("lang", ""))


def _check_base(path: Path, base_url: str, told: str) -> str:
    """What the URLs of pages begin with: that of the main page, less its title."""
    base = base_url or re.sub(r"[^/=]*\Z", "", told)
    if not base:
        raise UsageError(
            f"{path}: the file does not say what the URLs of its pages begin with; say so, as --base-url "
            f"https://en.wikipedia.org/wiki/"
        )
    base = normalize(base)
    return base if base.endswith(("/", "=", ":")) else base + "/"


def read_export(
    path: Path,
    tally: Tally,
    *,
    base_url: str = "",
    settings: WikipediaSettings | None = None,
    workers: int = 1,
) -> Iterator[Record]:
    r"""The pages of an export as WARC records of kind ``response``.

    Parameters
    ----------
    path
        The file, packed by bzip2, gzip or not at all.
    tally
        Where it is told what was left out.
    base_url
        What the URLs of pages begin with, where the file should not say.
    settings
        Which pages are taken, what becomes of redirects, and of what time revisions are.
    workers
        Processes that make HTML of wikitext.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.archive.tally import Tally
    >>> path = testing.scratch() / "a.xml"
    >>> _ = path.write_text(
    ...     "<mediawiki xmlns='http://www.mediawiki.org/xml/export-0.11/'><page><title>Fish</title><ns>0</ns>"
    ...     "<revision><timestamp>2009-08-01T00:00:00Z</timestamp><text>[[Sea]]</text></revision></page>"
    ...     "</mediawiki>")
    >>> record = next(read_export(path, Tally(), base_url="https://simple.wikipedia.org/wiki/"))
    >>> record.url, record.payload.splitlines()[-2]
    ('https://simple.wikipedia.org/wiki/Fish', b'<a href="https://simple.wikipedia.org/wiki/Sea">Sea</a>')
    """
    settings = settings or WikipediaSettings()
    dumped = re.search(r"-(\d{4})(\d\d)(\d\d)-", path.name)
    date = "-".join(dumped.groups()) + "T00:00:00Z" if dumped and not settings.at else ""
    common = (("WARC-Date", date),) if date else ()
    drafts = _iter_drafts(path, tally, base_url, settings)
    for draft, body in iter_bodies(drafts, workers=workers):
        headers = (
            ("WARC-Type", "response"),
            ("WARC-Target-URI", draft.url),
            *common,
            ("Content-Type", "application/http; msgtype=response"),
        )
        yield Record("response", headers, draft.head.encode("latin-1", "replace") + body, draft.offset)


def _iter_drafts(
    path: Path, tally: Tally, base_url: str, settings: WikipediaSettings
) -> Iterator[tuple[Draft, Wiki]]:
    """The pages that are taken, as they stand in the file."""
    site: Siteinfo | None = None
    place = [0]
    page = _Page(settings.at)
    for kind, element in _iter_elements(path, place):
        if kind == "siteinfo":
            site = _read_siteinfo(path, element, base_url)
            site.wiki.check(settings.namespaces)
        elif kind == "revision":
            page.take(element)
        elif kind == "page":
            site = site or Siteinfo(Wiki(_check_base(path, base_url, "")), "", "")
            draft = page.finish(element, site, settings, tally, place[0])
            page = _Page(settings.at)
            if draft is not None:
                yield draft, site.wiki


class _Page:
    """A page being read: of its revisions the one that counts."""

    def __init__(self, at: str) -> None:
        self._at = at
        self.time, self.text, self.model = "", "", "wikitext"
        self.has_revision = self.is_deleted = False

    def take(self, revision: Element) -> None:
        """Look at a revision."""
        told = {_local(child): child for child in revision}
        time = (told["timestamp"].text or "").strip() if "timestamp" in told else ""
        if time[: len(self._at)] > self._at or time < self.time:
            return
        self.time, self.has_revision = time, True
        self.model = (told["model"].text or "").strip() if "model" in told else "wikitext"
        text = told.get("text")
        self.text = (text.text or "") if text is not None else ""
        size = text.get("bytes", "0") if text is not None else "0"
        self.is_deleted = (
            text is None or text.get("deleted") is not None or (not self.text and size not in "0")
        )

    def finish(
        self, element: Element, site: Siteinfo, settings: WikipediaSettings, tally: Tally, offset: int
    ) -> Draft | None:
        """The page, if it is one that is taken."""
        told = {_local(child): child for child in element}
        title = (told["title"].text or "").strip() if "title" in told else ""
        number = (told["ns"].text or "").strip() if "ns" in told else ""
        if re.fullmatch(r"-?\d+", number):
            namespace = int(number)
        else:  # schemas before 0.5 leave it to the title
            namespace = (site.wiki.find(f":{title}") or (0, ""))[0]
        reasons = {
            "a page without a title": not title,
            "a page of another namespace": namespace not in settings.namespaces,
            "a page that was not there at that time": not self.has_revision,
            "a page whose text is not in the dump": self.is_deleted,
        }
        for reason, holds in reasons.items():
            if holds:
                tally.leave_out(reason)
                return None
        is_wikitext = self.model == "wikitext"
        # the element tells of the last revision, whichever is taken
        is_told = "redirect" in told and not self._at
        target = told["redirect"].get("title") if is_told else find_redirect(self.text)
        url, text, head = site.wiki.escape(title), self.text, self._head(200, "")
        if target is not None and is_wikitext:
            location = "" if settings.redirects == ELIMINATE else site.wiki.link(target)
            return Draft(url, self._head(301, location), offset, title, None, is_wikitext, site.language)
        return Draft(url, head, offset, title, text, is_wikitext, site.language)

    def _head(self, status: int, location: str) -> str:
        lines = [f"HTTP/1.1 {status} {'OK' if status == 200 else 'Moved Permanently'}"]
        lines += ["Content-Type: text/html; charset=utf-8"] if status == 200 else []
        lines += [f"Location: {location}"] if location else []
        try:
            moment = dt.datetime.strptime(self.time, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=dt.UTC)
            lines.append(f"Last-Modified: {format_datetime(moment, usegmt=True)}")
        except ValueError:
            pass
        return "\r\n".join([*lines, "", ""])


def _local(element: Element) -> str:
    """The name of an element without that of its schema."""
    return str(element.tag).rpartition("}")[2]


def _iter_elements(path: Path, place: list[int] | None) -> Iterator[tuple[str, Element]]:
    """``siteinfo``, and of each page its revisions and then itself; each is gone when the next comes."""
    parser: XMLPullParser[Element] = XMLPullParser(("start", "end"))
    place = [0] if place is None else place
    path_to: list[Element] = []
    is_over = False

    def advance(number: int) -> None:
        place[0] += number

    try:
        for block in scan_blocks(path, size=_BLOCK, advance=advance):
            if b"<!DOCTYPE" in block[:1024] or b"<!ENTITY" in block[:1024]:
                raise FormatError(f"{path}: an export of a wiki declares no entities; name another file")
            parser.feed(block)
            for event, element in cast("Iterator[tuple[str, Element]]", parser.read_events()):
                if event == "start":
                    if not path_to:
                        _check_root(path, element)
                    path_to.append(element)
                    continue
                path_to.pop()
                name = _local(element)
                if name == "siteinfo" and path_to:
                    element.set("lang", path_to[0].get("{http://www.w3.org/XML/1998/namespace}lang", ""))
                if name in ("siteinfo", "page", "revision") and path_to:
                    yield name, element
                    path_to[-1].remove(element)
                is_over = not path_to
    except ParseError as error:
        raise FormatError(
            f"{path}, {error.position[0]} lines into its content: this is no XML ({error}); fetch it again"
        ) from None
    if not is_over:
        raise FormatError(f"{path}: the file ends before its last page does; fetch it again")


def _check_root(path: Path, root: Element) -> None:
    found = _SCHEMA.match(str(root.tag))
    if _local(root) != "mediawiki":
        raise FormatError(
            f"{path}: this is XML that begins with {_local(root)}, and no export of a wiki; name another file"
        )
    if found and (int(found[1]), int(found[2])) > (0, _NEWEST):
        raise FormatError(
            f"{path}: the export has schema {found[1]}.{found[2]}, and those up to 0.{_NEWEST} are known; "
            f"upgrade webstrata, or name an older dump"
        )
