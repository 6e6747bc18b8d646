"""What pages contain, parsed once: text and links of every node, from the payloads in the WARC files.

Text and links come of one pass over each page, so `build_contents` makes both parts together. The work is
split into ranges of `RANGE` nodes: a shard reads the records of its nodes in the order of the files, and what
it writes is in the order of nodes, so that the parts are the shards one behind the other.

**Nothing is parsed twice.** What an earlier snapshot has of the same URL with the same digest, made by the
same version, is reused (`webstrata.store.reuse`). The same payload under another URL is parsed again, since
its relative links lead elsewhere.

**The core parses** (``rust/src/store/contents.rs``) pages in gzip members by itself, and others given their
payload; `parse` says in Python what it makes of a page, and the tests compare the two.

A record that cannot be read leaves an empty text without charset and no links, is logged and counted. Of a
page that is longer than `limit_parsed` allows the rest is stored and not parsed: a bomb must not cost its own
size many times over. A shard whose contents take more than `MAX_HELD` bytes is parsed in pieces, of one page
each at worst, so memory does not depend on how many bombs there are.
"""

from __future__ import annotations

import codecs
import logging
import re
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webstrata._core import store as core
from webstrata.archive.codings import read_payload
from webstrata.archive.warc import read_record
from webstrata.collection import shards
from webstrata.collection.progress import Progress, Task
from webstrata.errors import FormatError
from webstrata.store.duplicates.simhash import simhash
from webstrata.store.links import PAGE_NOFOLLOW
from webstrata.store.main_content.dom import find_places, load_rules
from webstrata.store.main_content.slope import find_sections
from webstrata.store.pages import Pages
from webstrata.store.parquet.columns import (
    fill_batches,
    links_table,
    read_declared,
    text_batches,
    text_columns,
)
from webstrata.store.parquet.merging import LinkShard, merge_links, merge_text
from webstrata.store.parsers.registry import find_parsers
from webstrata.store.reuse import Earlier, Taken, find_earlier, match
from webstrata.store.settings import LOW_SLOPE, MAIN, VISUAL, StoreSettings
from webstrata.store.text import BATCH, write_text
from webstrata.store.warc_files import WarcFiles, locate
from webstrata.web import charset as charsets
from webstrata.web import html, language
from webstrata.web.outline import scan_outline
from webstrata.web.row_key import row_keys
from webstrata.web.url import MAX_LENGTH
from webstrata.web.words import load_core, words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from webstrata.collection import Snapshot
    from webstrata.store.parsers.registry import Parser

_log = logging.getLogger(__name__)

RANGE = 64 * BATCH
"""Nodes of a shard at most; a multiple of `BATCH`, so that batches do not depend on how work was split."""
MAX_PARSED = 16 << 20
"""Bytes of a page that are parsed, here and in the core: text and words may take 14 times as much."""
MAX_HELD = 384 << 20
"""Bytes of contents that a worker holds; a range with more is parsed in pieces."""
_MIN_PARSED, _MAX_GROWTH = 1 << 20, 100
_LABEL = rb"content-type:[^\r\n]*charset=[\"' ]*([\w.:-]+)"
_ROBOTS = rb"x-robots-tag:([^\r\n]*)"
_SAMPLE = 1 << 10
"""Characters that tell the language: those in the middle of a text, for menus stand at its ends."""
_NOT_ASCII = ("UTF-16BE", "UTF-16LE", "ISO-2022-JP")
"""Charsets in which the bytes of a tag are not those of ASCII, or occur within characters."""


@dataclass(frozen=True)
class Content:
    """What a page contains."""

    text: dict[str, Any]
    """A row of ``text.arrow``."""
    columns: dict[str, Any]
    """A row of ``columns.parquet``."""
    links: Sequence[tuple[str, str, int, str]]
    """Row key, kind, rel and anchor text."""
    rejected: int = 0
    """Links without a normal form."""


def limit_parsed(stored: int) -> int:
    """How many bytes of a page are parsed whose record has `stored` bytes in the WARC file.

    100 times as many as are stored, at least 1 MiB and at most `MAX_PARSED`. Text is not packed so densely.

    Examples
    --------
    >>> limit_parsed(5_000) >> 20, limit_parsed(100_000), limit_parsed(1 << 20) >> 20
    (1, 10000000, 16)
    """
    return min(max(stored * _MAX_GROWTH, _MIN_PARSED), MAX_PARSED)


def parse(
    body: bytes,
    *,
    url: str,
    mime: str = "text/html",
    head: bytes = b"",
    main: str = MAIN,
    parsers: Mapping[str, Parser] | None = None,
) -> Content:
    r"""What a page contains, given its payload, the head of its response and how main content is found.

    Examples
    --------
    >>> content = parse(b"<title>T</title><h1>Big <b>fish</b></h1><a href=/x>small</a>", url="http://a.org/")
    >>> content.text["text"], content.text["headings"]
    ('Big fish\nsmall', [{'level': 1, 'text': 'Big fish'}])
    >>> content.links, content.columns["words"]
    ([('org,a)/x', 'anchor', 0, 'small')], 3)
    """
    label = _find_header(head, _LABEL)
    if mime != "text/html":
        body, label = _mark_up(body, url, label, mime, parsers or {})
    page = html.scan(body[:MAX_PARSED], url=url, charset=label, text=True)
    found = words(page.text)
    robots = page.robots | html.parse_directives(_find_header(head, _ROBOTS) or "")
    of_page = PAGE_NOFOLLOW if html.Directives.NOFOLLOW in robots else 0
    # `#top` stays within the page (RFC 3986, 4.4), unless a <base> takes it elsewhere
    stays = page.base in (None, url)
    links = [link for link in page.links if not (stays and not link.target.partition("#")[0])]
    kept = [link for link in links if link.url is not None]
    keys = row_keys([link.url or "" for link in kept])
    found_links = [
        (key, str(link.kind), link.rel.value | of_page, link.anchor)
        for key, link in zip(keys, kept, strict=True)
    ]
    start = max(len(page.text) - _SAMPLE, 0) // 2
    spoken = language.detect(page.text[start : start + _SAMPLE]) or read_declared(page.language or "")
    places, is_fallback = _find_places(body[:MAX_PARSED], page, main)
    return Content(
        {
            "title": page.title,
            "headings": [{"level": level, "text": text} for level, text in page.headings],
            "text": page.text,
            "main": places,
            "fallback": is_fallback,
        },
        {
            "words": len(found),
            "language": spoken,
            "charset": page.charset.name,
            "simhash": simhash(found),
        },
        found_links,
        len(links) - len(kept),
    )


def _find_places(body: bytes, page: html.Page, main: str) -> tuple[list[int], bool]:
    """Where main content stands in the text, and whether the whole text stands in for it."""
    if main != LOW_SLOPE:
        return find_places(scan_outline(body, charset=page.charset.name), visual=main == VISUAL)
    found = find_sections(page.text, page.tags)
    is_fallback = bool(page.text) and not found
    return [0, len(page.text.encode())] if is_fallback else found, is_fallback


def _find_header(head: bytes, pattern: bytes) -> str | None:
    found = re.search(rb"(?im)^" + pattern, head)
    return found[1].decode("latin-1").strip() if found else None


def _mark_up(
    body: bytes, url: str, label: str | None, mime: str, parsers: Mapping[str, Parser]
) -> tuple[bytes, str | None]:
    """Plain text, or what a parser reads, as a page that shows the same, and its charset."""
    if mime in parsers:
        return parsers[mime].parse(body, url, mime).to_html(), "utf-8"
    if mime != "text/plain":
        return body, label
    tld = (urlsplit(url).hostname or "").rpartition(".")[2]
    name = charsets.detect(body, label=label, tld=tld).name
    body, name = _to_ascii_superset(body, name)
    return body.replace(b"&", b"&amp;").replace(b"<", b"&lt;").replace(b"\n", b"<br>"), name


def _to_ascii_superset(body: bytes, name: str) -> tuple[bytes, str]:
    """The same text in a charset in which tags are written as in ASCII."""
    if name not in _NOT_ASCII:
        return body, name
    return body.decode(codecs.lookup(name).name, "replace").encode("utf-8", "replace"), "utf-8"


# ---- shards


@dataclass(frozen=True)
class _Range:
    """The work of a shard."""

    parts: tuple[str, ...]
    pages: str
    warc: tuple[tuple[str, str], ...]
    """Folders of WARC files by label; see `webstrata.store.warc_files`."""
    start: int
    stop: int
    taken: npt.NDArray[np.int32]
    """For each node that of the earlier snapshot, or -1."""
    text: str
    links: str
    """Parts of the earlier snapshot."""
    main: str
    """How main content is found."""
    parsers: tuple[str, ...] = ()
    """Names of parsers of other content types."""

    def __reduce__(self) -> tuple[Any, ...]:
        # the digest of the work must not depend on where an array happens to lie
        plain = (self.parts, self.pages, self.warc, self.start, self.stop, self.text, self.links)
        return _make_range, (self.taken.tolist(), *plain, self.main, self.parsers)


def _make_range(
    taken: list[int],
    parts: tuple[str, ...],
    pages: str,
    warc: tuple[tuple[str, str], ...],
    start: int,
    stop: int,
    text: str,
    links: str,
    main: str,
    parsers: tuple[str, ...],
) -> _Range:
    return _Range(parts, pages, warc, start, stop, np.array(taken, np.int32), text, links, main, parsers)


def _parse_range(item: _Range, folder: Path, task: Task) -> Mapping[str, int]:
    """Write the contents of a range of nodes, in pieces where they take much memory."""
    counts = dict.fromkeys(("taken", "unreadable", "rejected", "fallback"), 0)
    columns: list[pa.Table] = []
    with ExitStack() as stack:
        links = stack.enter_context(LinkShard(folder)) if "links" in item.parts else None

        def parse_pieces() -> Iterator[pa.RecordBatch]:
            for piece in _iter_pieces(item, task):
                for name in ("taken", "unreadable", "rejected"):
                    counts[name] += piece.counts[name]
                if links is not None:
                    own = piece.taken.complete_links(*links_table(piece.start, piece.found), piece.start)
                    links.add(*own)
                if "text" in item.parts:
                    columns.append(piece.taken.complete_columns(text_columns(piece.found)))
                    yield from piece.taken.complete_text(text_batches(piece.found, piece.size))

        batches = _count_fallback(fill_batches(parse_pieces(), first=item.start), counts)
        if "text" in item.parts:
            write_text(folder, batches, columns, compression=None, main=item.main)
        else:
            deque(batches, maxlen=0)
    return counts


class _Piece(NamedTuple):
    """The contents of some nodes of a range."""

    start: int
    size: int
    found: Mapping[str, Any]
    taken: Taken
    counts: Mapping[str, int]


def _iter_pieces(item: _Range, task: Task) -> Iterator[_Piece]:
    """All nodes of a range in order: at once, or in pieces of at most `MAX_HELD` bytes, or of one page."""
    waiting = [(item.start, item.stop)]
    while waiting:
        start, stop = waiting.pop()
        done = task.done
        piece, num_read = _parse_piece(item, start, stop, task)
        if piece is not None:
            yield piece
            continue
        task.advance(done - task.done)  # these are parsed again
        # far less than was read: writing what was found takes several times as much
        size = min(max(num_read // 16, 1), (stop - start + 1) // 2)
        waiting += reversed([(first, min(first + size, stop)) for first in range(start, stop, size)])


def _parse_piece(item: _Range, start: int, stop: int, task: Task) -> tuple[_Piece | None, int]:
    """The contents of some nodes, None if they take too much memory; and how many pages were parsed."""
    names = ("url", "content_mime_type", "warc_filename", "warc_record_offset", "warc_record_length")
    table = Pages(Path(item.pages)).between(start, stop, *names)
    rules = None if item.main == LOW_SLOPE else load_rules(visual=item.main == VISUAL)
    kernel = core.Contents(load_core(), len(table), MAX_LENGTH, rules, MAX_HELD)
    nodes = item.taken[start - item.start : stop - item.start]
    taken = Taken(nodes, Path(item.text), Path(item.links))
    task.advance(len(taken))
    order = pc.sort_indices(
        table, [("warc_filename", "ascending"), ("warc_record_offset", "ascending")]
    ).to_numpy()
    order = order[nodes[order] < 0]
    unreadable, num_read, folders = 0, 0, dict(item.warc)
    parsers = find_parsers(item.parsers)
    for name, rows in _group_files(table["warc_filename"].take(order).to_pylist(), order.tolist()):
        for place in range(0, len(rows), BATCH):
            chosen = table.take(rows[place : place + BATCH]).to_pylist()
            path = locate(folders, name)
            unreadable += _parse_rows(kernel, path, rows[place : place + BATCH], chosen, parsers)
            num_read += len(chosen)
            if kernel.is_full and stop - start > 1:
                return None, num_read
            task.advance(len(chosen))
    found = kernel.finish()
    counts = {"taken": len(taken), "unreadable": unreadable, "rejected": found["rejected"]}
    return _Piece(start, stop - start, found, taken, counts), num_read


def _count_fallback(batches: Iterable[pa.RecordBatch], counts: dict[str, int]) -> Iterator[pa.RecordBatch]:
    """The same batches; the pages whose whole text stands in for main content are added to the counts."""
    for batch in batches:
        counts["fallback"] += pc.sum(batch["fallback"]).as_py() or 0
        yield batch


def _group_files(names: list[str], rows: list[int]) -> Iterator[tuple[str, list[int]]]:
    for name, pairs in groupby(zip(names, rows, strict=True), lambda pair: pair[0]):
        yield name, [row for _, row in pairs]


def _parse_rows(
    kernel: core.Contents,
    path: Path,
    rows: list[int],
    pages: list[dict[str, Any]],
    parsers: Mapping[str, Parser],
) -> int:
    """Let the core parse pages of a file; how many could not be read."""
    marked = {"text/plain", *parsers}
    whole = [place for place, page in enumerate(pages) if page["content_mime_type"] not in marked]
    columns = ("warc_record_offset", "warc_record_length", "url")
    places = [(rows[place], *(pages[place][name] for name in columns)) for place in whole]
    left = {whole[place] for place in kernel.read(path, places)} | (set(range(len(pages))) - set(whole))
    unreadable = 0
    for place in sorted(left):  # another compression than gzip, plain text, or damage
        if kernel.is_full:
            break
        page = pages[place]
        try:
            record = read_record(path, page["warc_record_offset"])
        except FormatError as error:
            _log.warning("%s", error)
            unreadable += 1
            continue
        label = _find_header(record.head, _LABEL)
        body = read_payload(record, limit_parsed(page["warc_record_length"]))
        mime = page["content_mime_type"]
        if mime in marked:
            try:
                body, label = _mark_up(body, page["url"], label, mime, parsers)
            except Exception as error:  # whatever a parser makes of bytes of strangers
                _log.warning("%s: the parser of %s failed: %s", page["url"], mime, error)
                unreadable += 1
                continue
        robots = _find_header(record.head, _ROBOTS) or ""
        kernel.parse(rows[place], body, page["url"], label, robots)
    return unreadable


# ---- the parts


def _choose_range(num_nodes: int) -> int:
    """Nodes of a shard: whole batches, at most `RANGE`, and about 32 shards where that gives small ones.

    Small shards, since a worker waits for the last one of another; and no more than one where starting a
    worker would take longer than its work.
    """
    return RANGE if num_nodes <= RANGE else min(max(num_nodes // (32 * BATCH), 8) * BATCH, RANGE)


def build_contents(
    snapshot: Snapshot,
    parts: Collection[str] = ("text", "links"),
    *,
    settings: StoreSettings | None = None,
    workers: int = 1,
    earlier: Earlier | None = None,
    meanwhile: Callable[[], None] | None = None,
    progress: Progress | None = None,
) -> None:
    """Build the parts `text` and `links` of a snapshot that has `warc` and `pages`.

    What is known of a page is taken over: from `earlier` if it is given, else from the last snapshot before.
    What needs the links alone may be done `meanwhile`: they are there before the texts are packed.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata import testing
    >>> from webstrata.archive.cdxj import Line
    >>> from webstrata.store.build import build_store
    >>> from webstrata.archive.warc import Capture, WarcWriter
    >>> folder = testing.scratch()
    >>> body = b"<a href=/>Home</a>"
    >>> capture = Capture(url="http://a.org/", date=10**18, head=b"HTTP/1.1 200 OK", body=body)
    >>> with WarcWriter(folder, "crawl") as writer:
    ...     place = writer.write(capture)
    >>> line = Line(
    ...     url=capture.url, date=capture.date, mime="text/html", status=200, digest=capture.digest,
    ...     **place._asdict())
    >>> _ = (folder / "captures.cdxj").write_bytes(line.to_bytes())
    >>> snapshot = ws.create(folder / "uk").add("2026-06")
    >>> build_store(snapshot, folder, parts=())
    >>> build_contents(snapshot)
    >>> snapshot.text[0].text, snapshot.links[0][0].anchor
    ('Home', 'Home')
    """
    progress = progress or Progress()
    names = tuple(sorted(parts))
    if not names or set(names) - {"text", "links"}:
        raise ValueError(f"parts: expected text, links or both, got {names}")
    with ExitStack() as stack:
        pages = stack.enter_context(snapshot.open_part("pages"))
        warc = stack.enter_context(WarcFiles(snapshot))
        settings = settings or snapshot.settings(StoreSettings)
        find_parsers(settings.parsers)  # what is not there is said before anything is begun
        earlier = earlier or find_earlier(snapshot, main=settings.main, parsers=settings.parsers)
        if earlier is not None:
            stack.enter_context(earlier)
        taken = match(pages.path, earlier.pages.path if earlier else None)
        known = (str(earlier.text.path), str(earlier.links.path)) if earlier else ("", "")
        build = partial(snapshot.write_part, inputs=("warc", "pages"), progress=progress)
        texts = stack.enter_context(build("text", settings=settings)) if "text" in names else None
        linked = stack.enter_context(ExitStack())  # ends before the texts do
        targets = linked.enter_context(build("links", settings=settings)) if "links" in names else None
        num_nodes, files = len(taken), (str(pages.path), tuple(sorted(warc.folders.items())))
        size = _choose_range(num_nodes)
        ranges = [(start, min(start + size, num_nodes)) for start in range(0, num_nodes, size)]
        work = [
            shards.Shard(
                f"{place:06}",
                _Range(
                    names, *files, start, stop, taken[start:stop], *known, settings.main, settings.parsers
                ),
                stop - start,
            )
            for place, (start, stop) in enumerate(ranges)
        ]
        done = shards.run(
            texts or targets,  # type: ignore[arg-type]  # one of them is there
            _parse_range,
            work,
            workers=workers,
            pool="threads",  # what the core does by itself needs no interpreter
            title="parsing",
            unit="pages",
        )
        counts = {
            name: sum(shard.counts[name] for shard in done)
            for name in ("taken", "unreadable", "rejected", "fallback")
        }
        folders = [shard.path for shard in done]
        # one packs, the other sorts: with a core each, they are done in the time of one
        packing = None
        if texts:
            names_of_text = ("taken", "unreadable", "fallback")
            texts.count(nodes=num_nodes, **{name: counts[name] for name in names_of_text})
            thread = stack.enter_context(ThreadPoolExecutor(1))
            packing = thread.submit(merge_text, texts.path, folders, main=settings.main)
        if targets:
            merged = merge_links(targets.path, folders, targets.folder)
            targets.count(links=merged.links, targets=merged.targets, rejected=counts["rejected"])
        linked.close()
        if meanwhile:
            meanwhile()
        if packing:
            packing.result()
