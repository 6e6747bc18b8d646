"""Stored captures found by URL and time, with their payloads.

A lookup reads one block of the index and one record. Where a capture is a ``revisit``, its payload is that of
the capture it refers to (`webstrata.archive.revisits`), of the URL that the record, or the index, names, in
this snapshot or in another one of the collection. A URL that was not captured as it is spelled is looked for
under its key of the index, which knows no ``www.`` and no scheme.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from webstrata.archive.cdxj import Index, surt
from webstrata.archive.codings import first, parse_headers, read_payload
from webstrata.archive.request_body import URN, to_key
from webstrata.archive.responses import HTML, media_type
from webstrata.archive.revisits import find_original
from webstrata.archive.warc import read_record
from webstrata.collection.action import Action, list_host
from webstrata.collection.tables import SHOWN, Rows, Table
from webstrata.errors import MissingError, UrlError, UsageError
from webstrata.store.main_content.methods import find_places
from webstrata.store.pages import Pages
from webstrata.store.settings import MAIN, StoreSettings
from webstrata.store.takedowns import find_takedowns
from webstrata.store.text import Text, cut_main
from webstrata.store.urls import Urls
from webstrata.web.charset import detect
from webstrata.web.html import Page, scan
from webstrata.web.url import normalize, normalize_any

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    import pyarrow as pa

    from webstrata.archive.cdxj import Entry
    from webstrata.archive.warc import Record
    from webstrata.collection import Collection, Snapshot
    from webstrata.collection.manifest import PartRecord
    from webstrata.store.text import PageText

REVISIT = "warc/revisit"
_TEXT = re.compile(r"text/|application/(json|javascript|xml)$|.*\+(json|xml)$")
Match = Literal["exact", "prefix", "host", "domain"]


class Captures(Table):
    """The captures of one snapshot; the files are held until it is let go.

    Examples
    --------
    >>> from webstrata import testing
    >>> captures = Captures(testing.snapshot())
    >>> [entry.url for entry in captures.scan("news.example", "host")]
    ['http://news.example/', 'http://news.example/storm']
    >>> captures.read(next(captures.entries("http://news.example/storm"))).payload[:15]
    b'<!DOCTYPE html>'
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.date = snapshot.date
        self.main_method = snapshot.settings(StoreSettings).main
        self._parts = [snapshot.open_part(name) for name in ("captures", "warc")]
        made_from = self._parts[0].record.inputs.get(f"{snapshot.date}/warc")
        if made_from not in (None, self._parts[1].record.checksum):
            raise MissingError(
                f"{snapshot.path}: the index is older than the WARC files; wait if somebody is building it, "
                "else {fix} to see how to build it again",
                fix=Action.on(snapshot, "show"),
            )
        self.index = Index(self._parts[0].path)
        self._snapshot = snapshot

    def _show(self, entries: Iterator[Entry]) -> Iterator[Entry]:
        """Those captures that are not taken down."""
        takedowns = find_takedowns(self._snapshot.collection)
        return (entry for entry in entries if not takedowns.hides(entry.url)) if takedowns else entries

    @cached_property
    def _texts(self) -> tuple[Urls, Pages, Text] | None:
        """What is needed to find the text of a page, where the snapshot has it."""
        try:
            parts = [self._snapshot.open_part(name) for name in ("urls", "pages", "text")]
        except MissingError:
            return None
        if parts[2].record.inputs.get(f"{self.date}/pages") != parts[1].record.checksum:
            return None  # it is of other pages
        urls, pages, text = parts
        return Urls(urls.path, urls), Pages(pages.path, pages), Text(text.path, text)

    def find_text(self, entry: Entry) -> PageText | None:
        """The text of a capture as the part `text` has it: of the node of its URL, if the payload is that."""
        if self._texts is None:
            return None
        urls, pages, text = self._texts
        node = urls.get(entry.url)
        if node is None or urls[node] != entry.url:
            return None
        digest = pages.between(node, node + 1, "content_digest")["content_digest"][0].as_py()
        found = text[node] if digest == entry.fields["digest"] else None
        return found if found is not None and found.charset is not None else None

    def __iter__(self) -> Iterator[Entry]:
        return self._show(self.index.scan(""))

    def to_rows(self) -> Iterator[dict[str, Any]]:
        """One row per capture, by key and time."""
        return (describe_entry(self.date, entry) for entry in self)

    def preview(self, number: int = SHOWN) -> tuple[pa.Table, int]:
        """The first captures, and how many there are."""
        total = int(self._parts[0].record.counts.get("captures", 0)) or sum(1 for _ in self)
        first = Rows("captures", islice(self.to_rows(), number))
        return first.to_arrow(), total

    def entries(self, url: str, *, exact: bool = True) -> Iterator[Entry]:
        """The captures of a URL, oldest first; if not `exact`, of all URLs with the same key."""
        if exact:
            return self._show(self.index.captures(url))
        return self._show(self.index.scan(surt(normalize_any(url)) + " "))

    def lookup(self, url: str, at: dt.datetime | str | None = None, *, exact: bool = True) -> Entry | None:
        """The last capture of a URL, of those at or before a time."""
        if exact:
            return None if self.hides(url) else self.index.lookup(url, at)
        urls = {entry.url for entry in self.entries(url, exact=False)}
        found = [entry for other in urls if (entry := self.index.lookup(other, at)) is not None]
        return max(found, key=lambda entry: (entry.timestamp, entry.url), default=None)

    def hides(self, url: str) -> bool:
        """Whether a URL was taken down (`webstrata.store.takedowns`)."""
        return find_takedowns(self._snapshot.collection).hides(url)

    def refuse_hidden(self, url: str) -> None:
        """Raise `MissingError` with date and reason if a URL was taken down."""
        collection = self._snapshot.collection
        find_takedowns(collection).check(url, str(collection.path))

    def scan(self, where: str, match: Match = "exact") -> Iterator[Entry]:
        """The captures of a URL, of what begins so, of a host or of a domain, in the order of the index.

        `where` is a URL, the name of a host, or a key of the index such as ``uk,example)/a``.
        """
        key = _find_key(where, match)
        host, _, _ = key.partition(")")
        if match == "exact":
            return self._show(self.index.scan(key + " "))
        if match == "prefix":
            return self._show(self.index.scan(key))
        name = ".".join(reversed(host.partition(":")[0].split(",")))
        port = host.partition(":")[2]
        if match == "host":
            return self._show(self.index.scan_host(f"{name}:{port}" if port else name))
        return self._show(self.index.scan_domain(name))

    def read(self, entry: Entry) -> Record:
        """The record of a capture."""
        path = self._parts[1].path / entry.fields["filename"]
        return read_record(path, int(entry.fields["offset"]), int(entry.fields["length"]))

    def list_files(self) -> list[Path]:
        """The WARC files."""
        return sorted(path for path in self._parts[1].path.iterdir() if ".warc" in path.suffixes)

    def __repr__(self) -> str:
        return f"<Captures of {self.date}>"


def describe_entry(label: str, entry: Entry) -> dict[str, Any]:
    """A capture of a snapshot as a row.

    Examples
    --------
    >>> from webstrata import testing
    >>> captures = testing.snapshot().captures
    >>> row = describe_entry(captures.date, next(captures.entries("http://news.example/storm")))
    >>> row["snapshot"], row["status"], row["mime"]
    ('2026-06', 200, 'text/html')
    """
    fields = entry.fields
    return {
        "snapshot": label,
        "key": entry.key,
        "time": entry.time,
        "url": entry.url,
        "status": entry.status,
        "mime": fields["mime"],
        "digest": fields.get("digest"),
        "length": int(fields["length"]),
        "offset": int(fields["offset"]),
        "filename": fields["filename"],
    }


def _find_key(where: str, match: Match) -> str:
    """What a user typed as a key of the index."""
    if not where:
        raise UsageError(
            "what to look for is empty; give a URL, the name of a host, or a key as uk,example)/"
        )
    if where.startswith(URN):
        return to_key(where.lower())
    if "://" not in where and (")" in where or "," in where.partition("/")[0]):
        return where if ")" in where or match == "prefix" else where.rstrip(",") + ")/"
    return surt(normalize(where if "://" in where else f"http://{where}"))


@dataclass(frozen=True)
class StoredCapture:
    """One stored response of a page."""

    label: str
    """Of the snapshot it belongs to."""
    entry: Entry
    record: Record
    source: Record | None
    """The record that holds its payload; None if that is not in the collection."""
    holder: Captures | None = field(default=None, compare=False, repr=False)
    """Where it was found."""

    @property
    def url(self) -> str:
        """Its URL in normal form."""
        return self.entry.url

    @property
    def time(self) -> dt.datetime:
        """When it was captured, to the second."""
        return self.entry.time

    @property
    def status(self) -> int:
        """The status of the response; 0 where a revisit record does not tell it."""
        return self.entry.status

    @property
    def is_revisit(self) -> bool:
        """Whether its payload is that of another capture."""
        return self.entry.fields["mime"] == REVISIT

    @property
    def head(self) -> bytes:
        """Status line and headers, as stored; of a revisit that has none, those of what it refers to."""
        return self.record.head or self._source.head

    @cached_property
    def headers(self) -> list[tuple[str, str]]:
        """The headers of the answer, names in lower case."""
        return parse_headers(self.head)

    @property
    def payload(self) -> bytes:
        """The payload, without transfer and content codings, or `MissingError`."""
        return self._decoded_payload

    @cached_property
    def _decoded_payload(self) -> bytes:
        return read_payload(self._source)

    @property
    def raw_payload(self) -> bytes:
        """The payload as it is stored, perhaps with codings, or `MissingError`."""
        return self._source.payload

    @property
    def mime(self) -> str:
        """The media type of the payload."""
        if not self.is_revisit:
            return self.entry.fields["mime"]
        return media_type(first(self.headers, "content-type") or "") or self._source_mime

    @property
    def _source_mime(self) -> str:
        if self.source is None:
            return ""
        return media_type(first(parse_headers(self.source.head), "content-type") or "")

    @property
    def _source(self) -> Record:
        if self.source is None:
            target = self.record.get("WARC-Refers-To-Target-URI") or self.url
            date = self.record.get("WARC-Refers-To-Date")
            raise MissingError(
                f"{self.url}: this capture has the payload of {target}{f' at {date}' if date else ''}, which "
                f"is not in the collection; ingest the files that have it"
            )
        return self.source

    @property
    def _charset(self) -> str | None:
        _, _, parameters = (first(self.headers, "content-type") or "").lower().partition("charset=")
        return parameters.partition(";")[0].strip(" \"'") or None

    @cached_property
    def page(self) -> Page:
        """What the page says: title, links, text."""
        return scan(self.payload, url=self.url, charset=self._charset, text=True)

    @cached_property
    def stored_text(self) -> PageText | None:
        """Text, title and language as the part `text` has them; None of what is no page there."""
        return self.holder.find_text(self.entry) if self.holder is not None else None

    @property
    def text(self) -> str:
        """The visible text of a page, a line a block; any other text as it is, or `UsageError`.

        It is the stored one where there is one, and found in the payload where not.
        """
        if self.mime in HTML:
            return self.stored_text.text if self.stored_text else self.page.text
        if self.mime and not _TEXT.match(self.mime):
            raise UsageError(f"{self.url}: this is {self.mime}, which has no text here; ask for its payload")
        return self.decoded

    @property
    def main(self) -> str:
        """Of the text of a page what is main content: the stored one, or found as for the part `text`."""
        if self.mime not in HTML:
            return self.text
        if self.stored_text:
            return self.stored_text.main
        page = self.page
        method = self.holder.main_method if self.holder else MAIN
        return cut_main(page.text, find_places(method, page, self.payload))

    @property
    def decoded(self) -> str:
        """The payload as text, in its charset."""
        tld = (urlsplit(self.url).hostname or "").rpartition(".")[2]
        name = detect(self.payload, label=self._charset, tld=tld).name
        try:
            codec = codecs.lookup(_CODECS.get(name.lower(), name))
        except LookupError:
            codec = codecs.lookup("latin-1")
        return codec.decode(self.payload, "replace")[0].removeprefix("\ufeff")

    def __repr__(self) -> str:
        return f"<StoredCapture {self.url} {self.time:%Y-%m-%dT%H:%M:%SZ} of {self.label}>"


# names of the Encoding standard that Python spells otherwise
_CODECS = {
    "windows-874": "cp874",
    "x-mac-cyrillic": "mac_cyrillic",
    "macintosh": "mac_roman",
    "iso-8859-8-i": "iso8859_8",
    "shift_jis": "cp932",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "euc-kr": "cp949",
    "windows-1252": "cp1252",
}


def find_capture(
    holders: Iterable[Captures],
    url: str,
    at: dt.datetime | str | None = None,
    *,
    where: str = "",
    others: Callable[[], list[Captures]] = list,
) -> StoredCapture:
    """The last capture of a URL in some snapshots, of those at or before a time, or `MissingError`.

    Parameters
    ----------
    holders
        The captures of the snapshots, oldest first.
    url, at
        What is looked for: a moment, or a date like ``2026-06``, which is over when June is.
    where
        What the collection is called if there is nothing.
    others
        Gives the captures of more snapshots, for a payload that is in none of `holders`.

    Examples
    --------
    >>> from webstrata import testing
    >>> captures = testing.snapshot().captures
    >>> find_capture([captures], "http://news.example/storm", where="uk").time.isoformat()
    '2026-06-01T00:00:12+00:00'
    >>> find_capture([captures], "http://nowhere.example/", where="uk")
    Traceback (most recent call last):
    webstrata.errors.MissingError: uk: http://nowhere.example/ was not captured; call
    `collection.ls('nowhere.example', match='host')` ...
    """
    holders = list(holders)
    url = normalize_any(url)
    for captures in holders[:1]:
        captures.refuse_hidden(url)
    for exact in (True, False):
        found = [
            (entry, place)
            for place, captures in enumerate(holders)
            if (entry := captures.lookup(url, at, exact=exact)) is not None
        ]
        if found:
            entry, place = max(found, key=lambda pair: (pair[0].timestamp, pair[1]))
            # the record of a revisit most often refers to its own snapshot, and if not to an earlier one
            near = [holders[place], *reversed(holders[:place]), *holders[place + 1 :]]
            return read_capture(entry, near, others)
    later = [entry for captures in holders for entry in captures.entries(url, exact=False)]
    if later:
        earliest = min(entry.time for entry in later)
        raise MissingError(
            f"{where}: {url} was first captured at {earliest:%Y-%m-%dT%H:%M:%SZ}, after {at}; "
            f"ask for a later time"
        )
    fix = list_host(where, urlsplit(url).hostname or url)
    raise MissingError(f"{where}: {url} was not captured; {{fix}} to list what was of its host", fix=fix)


def read_capture(
    entry: Entry, holders: list[Captures], others: Callable[[], list[Captures]] = list
) -> StoredCapture:
    """A capture of the first of some snapshots; where it is a revisit, its payload is looked for in all.

    Examples
    --------
    >>> from webstrata import testing
    >>> captures = testing.snapshot().captures
    >>> read_capture(next(captures.entries("http://news.example/storm")), [captures]).status
    200
    """
    record = holders[0].read(entry)
    source: Record | None = record
    if entry.fields["mime"] == REVISIT:
        source = _find_payload(entry, record, holders) or _find_payload(entry, record, others())
    return StoredCapture(holders[0].date, entry, record, source, holders[0])


def _find_payload(entry: Entry, record: Record, holders: list[Captures]) -> Record | None:
    """The record that holds the payload of a revisit."""
    named = [record.get("WARC-Refers-To-Target-URI"), entry.fields.get("duplicate-of"), entry.url]
    urls = list(dict.fromkeys(_normal(url) for url in named if url))
    for captures in holders:
        found = find_original(
            entry, record, [other for url in urls for other in captures.index.captures(url)]
        )
        if found is not None:
            return captures.read(found)
    return None


def _normal(url: str) -> str:
    """A URL as the index has it; what is none stays as it is."""
    try:
        return normalize(url.strip("<>"))
    except UrlError:
        return url


class AllCaptures:
    """The captures of all snapshots of a collection that have some, kept open from one question to the next.

    Examples
    --------
    >>> from webstrata import testing
    >>> every = AllCaptures(testing.collection()).list()
    >>> [len(list(captures.entries("http://news.example/storm"))) for captures in every]
    [0, 0, 1]
    """

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._open: dict[str, tuple[Snapshot, PartRecord, Captures]] = {}

    def list(self) -> list[Captures]:
        """As they are now, oldest first; what was built anew is opened anew."""
        known, self._open = self._open, {}
        for label in self._collection.dates:
            held = known.get(label)
            snapshot = held[0] if held else self._collection[label]
            if "captures" in snapshot.parts and "warc" in snapshot.parts:
                record = snapshot.parts.record("captures")
                is_same = held is not None and held[1] == record
                captures = held[2] if held is not None and is_same else Captures(snapshot)
                self._open[label] = (snapshot, record, captures)
        if not self._open:
            self._explain()
        return [captures for _, _, captures in self._open.values()]

    def _explain(self) -> None:
        """Say why there are none, where a snapshot was made of something that has none."""
        for snapshot in self._collection:
            if any("captures" in record.lacks for record in snapshot.parts):
                snapshot.parts.record("captures")
