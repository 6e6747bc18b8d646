"""Families that are views: what a snapshot captured of a page, read from its index and WARC files.

Each snapshot has one cell a column, stamped with the first microsecond of its label. Of several captures in
a snapshot the first complete one counts, as for its `pages`: not truncated, no error of the server; the first
of all where there is none.

===========  ==========================================================================================
``content``  ``body``: the payload; for a revisit, the one it refers to
``http``     ``status``, ``mime``, ``digest``, ``captured`` (fourteen digits) and ``head`` as stored
``text``     ``title``, ``visible``, the text of a page, and ``main``, its main content: from the part `text`
             where the page is a node of it, else from the capture
``links``    a column per URL that the page links to: the texts of the links, a line each
``anchor``   a column per page that links to this one: the texts of its links, a line each, from the part
             `anchors`. What is written to this family later is beside it, and stands before it where column
             and time are the same
===========  ==========================================================================================
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from heapq import merge
from itertools import groupby
from typing import TYPE_CHECKING, Any

from webstrata.archive.cdxj import Index
from webstrata.archive.codings import read_payload
from webstrata.archive.revisits import find_original
from webstrata.archive.warc import read_record
from webstrata.errors import FormatError, MissingError
from webstrata.store.anchors import Anchors
from webstrata.store.hiding import Hidden
from webstrata.store.main_content.methods import find_places
from webstrata.store.pages import REVISIT
from webstrata.store.settings import StoreSettings
from webstrata.store.table.cells import MAX_TIME, Cell, Value, parse_period
from webstrata.store.takedowns import find_takedowns, make_hide
from webstrata.store.text import Text, cut_main
from webstrata.store.urls import Urls
from webstrata.web import html
from webstrata.web.row_key import from_row_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from webstrata.archive.cdxj import Entry
    from webstrata.archive.warc import Record
    from webstrata.collection import Collection
    from webstrata.collection.parts import Part

VIEWS = ("content", "http", "text", "links")
"""The families that are read from captures."""

_HTML = ("text/html", "application/xhtml+xml")


@dataclass(frozen=True)
class _Opened:
    """A snapshot with what it captured; its parts are held so that the files stay."""

    time: int
    index: Index
    urls: Urls | None
    anchors: Anchors | None
    text: Text | None
    main_method: str
    warc: Part
    parts: tuple[Part, ...]


class Views:
    """The captures of all snapshots of a collection, each opened when first asked for.

    Examples
    --------
    >>> from webstrata import testing
    >>> views = Views(testing.collection())
    >>> list(views.row_keys())[:2]
    ['example,garden)/', 'example,garden)/pond']
    """

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._opened: dict[str, _Opened | None] = {}

    def cells(self, family: str, row: str, until: int = MAX_TIME) -> Iterator[list[Cell]]:
        """The cells of a family, a list for each snapshot that captured the page, the newest first."""
        url = from_row_key(row)
        for opened in self._snapshots(until):
            entry = _choose(opened.index.captures(url))
            if entry is not None:
                values = _read_text(opened, row) if family == "text" else None
                if values is None:
                    values = self._read(family, opened, entry)
                yield [Cell(column, opened.time, value) for column, value in sorted(values.items())]

    def anchors(self, row: str, until: int = MAX_TIME) -> list[Cell]:
        """What other pages of each snapshot call a page, by column, the newest first."""
        url = from_row_key(row)
        cells = []
        for opened in self._snapshots(until):
            node = opened.urls.get(url) if opened.urls is not None and opened.anchors is not None else None
            if (
                node is None
                or opened.urls is None
                or opened.anchors is None
                or opened.urls.sorted_keys[node] != row
            ):
                continue
            texts: dict[int, dict[str, None]] = {}
            for anchor in opened.anchors[node]:
                texts.setdefault(anchor.source, {})[anchor.text] = None
            cells += [
                Cell(opened.urls[source], opened.time, "\n".join(said)) for source, said in texts.items()
            ]
        return sorted(cells, key=lambda cell: (cell.column.encode(), -cell.time))

    def anchor_rows(self, start: bytes = b"", stop: bytes = b"\xff") -> Iterator[str]:
        """The row keys of a range whose pages others call something, in order, each once."""
        held = [(opened.urls, opened.anchors) for opened in self._snapshots()]
        columns = [
            _with_anchors(urls, anchors, start, stop)
            for urls, anchors in held
            if urls is not None and anchors is not None
        ]
        return (key for key, _ in groupby(merge(*columns)))

    def row_keys(self, start: bytes = b"", stop: bytes = b"\xff") -> Iterator[str]:
        """The row keys of all captured URLs from `start` up to `stop`, in order, each once."""
        held = [opened.urls for opened in self._snapshots() if opened.urls is not None]
        columns = [column for urls in held for column in (urls.sorted_keys, urls.others["row_key"])]
        last = None
        for key in merge(*(_between(keys, start, stop) for keys in columns)):
            if key != last:
                yield key
            last = key

    def close(self) -> None:
        """Let the parts go; the next read opens what is there then."""
        for opened in self._opened.values():
            if opened is not None:
                opened.index.close()
                for part in opened.parts:
                    part.close()
        self._opened.clear()

    def _snapshots(self, until: int = MAX_TIME) -> Iterator[_Opened]:
        for label in reversed(self._collection.dates):
            if parse_period(label)[0] > until:
                continue
            if label not in self._opened:
                self._opened[label] = self._open(label)
            opened = self._opened[label]
            if opened is not None:
                yield opened

    def _open(self, label: str) -> _Opened | None:
        snapshot = self._collection[label]
        parts: list[Part] = []
        try:
            parts += [snapshot.open_part("captures"), snapshot.open_part("warc")]
            parts += [snapshot.open_part("urls")]
            parts += [snapshot.open_part("anchors")]
        except MissingError:
            pass  # a snapshot that captured nothing yet, or whose store step was interrupted
        if len(parts) < 2:
            for part in parts:
                part.close()
            return None
        hide = make_hide(self._collection)
        urls = Urls(parts[2].path, hide=hide) if len(parts) > 2 else None
        anchors = None
        if len(parts) > 3 and parts[3].record.inputs.get(f"{label}/urls") == parts[2].record.checksum:
            hidden = Hidden(self._collection, snapshot)
            anchors = Anchors(parts[3].path, hidden=hidden)  # those of other nodes would speak of other pages
        text = None
        if urls is not None and "text" in snapshot.parts:
            parts += [snapshot.open_part("text")]
            made_from = {part.record.inputs.get(f"{label}/pages") for part in (parts[2], parts[-1])}
            text = Text(parts[-1].path, parts[-1]) if len(made_from) == 1 else None
        time = parse_period(label)[0]
        method = snapshot.settings(StoreSettings).main
        return _Opened(time, Index(parts[0].path), urls, anchors, text, method, parts[1], tuple(parts))

    def _read(self, family: str, opened: _Opened, entry: Entry) -> dict[str, Value]:
        record = _load(opened, entry)
        if family == "http":
            fields = entry.fields
            return {
                "status": entry.status,
                "mime": fields["mime"],
                "digest": fields["digest"],
                "captured": entry.timestamp,
                "head": record.head,
            }
        mime = entry.fields["mime"]
        if mime == REVISIT:
            found = self._find_payload(opened, entry, record)
            if found is None:
                return {}
            record, mime = found
        if family == "content":
            return {"body": read_payload(record)}
        if mime.partition(";")[0].strip().lower() not in _HTML:
            return {}
        page = html.scan(
            read_payload(record), url=entry.url, charset=_charset(record.head), text=family == "text"
        )
        if family == "text":
            places = find_places(opened.main_method, page, read_payload(record))
            return {"title": page.title, "visible": page.text, "main": cut_main(page.text, places)}
        links: dict[str, dict[str, None]] = {}
        for link in page.links:
            if link.url is not None:
                texts = links.setdefault(link.url, {})
                if link.anchor:
                    texts[link.anchor] = None
        takedowns = find_takedowns(self._collection)
        return {url: "\n".join(texts) for url, texts in links.items() if not takedowns.hides(url)}

    def _find_payload(self, opened: _Opened, entry: Entry, record: Record) -> tuple[Record, str] | None:
        """The record whose payload a revisit stands for, in its snapshot or an older one."""
        told = record.get("WARC-Refers-To-Target-URI") or entry.fields.get("duplicate-of") or entry.url
        for candidate in self._snapshots(opened.time):
            found = find_original(entry, record, list(candidate.index.captures(told)))
            if found is not None:
                return _load(candidate, found), found.fields["mime"]
        return None


def _read_text(opened: _Opened, row: str) -> dict[str, Value] | None:
    """What the part `text` has of a page; None where it is no node, or its record could not be read."""
    node = opened.urls.get(from_row_key(row)) if opened.urls is not None and opened.text is not None else None
    if node is None or opened.urls is None or opened.text is None or opened.urls.sorted_keys[node] != row:
        return None
    page = opened.text[node]
    return {"title": page.title, "visible": page.text, "main": page.main} if page.charset else None


def _choose(entries: Iterator[Entry]) -> Entry | None:
    """The capture that counts."""
    first = None
    for entry in entries:
        if "truncated" not in entry.fields and entry.status < 500:
            return entry
        first = first or entry
    return first


def _load(opened: _Opened, entry: Entry) -> Record:
    name = entry.fields["filename"]
    if "/" in name or name.startswith("."):  # a name of an index from elsewhere never becomes a path
        raise FormatError(
            f"{opened.index.path}: the line of {entry.url} names {name!r}, which is no file of the part "
            f"`warc`; build the index again"
        )
    return read_record(opened.warc.path / name, int(entry.fields["offset"]))


def _charset(head: bytes) -> str | None:
    for line in head.split(b"\n")[1:]:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-type" and b"charset=" in value.lower():
            return value.lower().partition(b"charset=")[2].split(b";")[0].strip(b" \r\"'").decode("latin-1")
    return None


def _with_anchors(urls: Urls, anchors: Anchors, start: bytes, stop: bytes) -> Iterator[str]:
    """The row keys of a range whose pages are called something by others."""
    last = -1
    first, behind = (_find(urls.sorted_keys, key) for key in (start, stop))
    for block in anchors.rows.blocks("target"):
        for node in block["target"].unique().to_pylist():
            if first <= node < behind and node != last:
                yield str(urls.sorted_keys[node])
            last = node


def _find(keys: Sequence[str], key: bytes) -> int:
    return bisect_left(keys, key, key=lambda text: str(text).encode())


def _between(keys: Any, start: bytes, stop: bytes) -> Iterator[str]:  # noqa: ANN401 (Arrow has no types)
    def encode(key: Any) -> bytes:  # noqa: ANN401
        return str(key).encode()

    for place in range(bisect_left(keys, start, key=encode), bisect_left(keys, stop, key=encode)):
        yield str(keys[place])
