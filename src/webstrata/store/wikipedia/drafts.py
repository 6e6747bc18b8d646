"""Pages on the way from wikitext to HTML, in several processes and in their order.

Making HTML of wikitext is most of the work of reading an export. Pages are handed to a pool of processes in
batches of about a megabyte of wikitext, some batches ahead; what is less than one batch is done at once. The
processes are spawned, take no Ctrl-C themselves, and end when their parent does.
"""

from __future__ import annotations

import multiprocessing
import re
from collections import deque
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from webstrata.collection.shards import begin_worker, interrupts_held
from webstrata.errors import StorageError
from webstrata.store.wikipedia.wikitext import render

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from webstrata.store.wikipedia.titles import Wiki

BATCH = 1 << 20
"""Characters of wikitext that are handed over together."""
_DIGIT = re.compile(r"\d")


class Draft(NamedTuple):
    """A page that is to be stored."""

    url: str
    head: str
    """Of the answer that it becomes."""
    offset: int
    """Where in the file it was."""
    title: str
    text: str | None
    """None for a redirect, which has no body."""
    is_wikitext: bool
    language: str


def make_body(draft: Draft, wiki: Wiki) -> bytes:
    """The body of the answer that a page becomes; its title is in it, with digits as character references.

    Examples
    --------
    >>> from webstrata.store.wikipedia.titles import Wiki
    >>> draft = Draft("https://w.org/A_1", "", 0, "A 1", "[[B]]", is_wikitext=True, language="en")
    >>> print(make_body(draft, Wiki("https://w.org/")).decode(), end="")
    <!DOCTYPE html>
    <html lang="en"><head><meta charset="utf-8"><title>A 1</title></head>
    <body><h1>A &#49;</h1>
    <a href="https://w.org/B">B</a>
    </body></html>
    """
    if draft.text is None:
        return b""
    name = escape(draft.title, quote=False)
    shown = _DIGIT.sub(lambda digit: f"&#{ord(digit[0])};", name)
    body = render(draft.text, wiki) if draft.is_wikitext else f"<pre>{escape(draft.text, quote=False)}</pre>"
    language = f' lang="{escape(draft.language)}"' if draft.language else ""
    page = (
        f'<!DOCTYPE html>\n<html{language}><head><meta charset="utf-8"><title>{name}</title></head>\n'
        f"<body><h1>{shown}</h1>\n{body}\n</body></html>\n"
    )
    return page.encode("utf-8", "replace")


def _make_bodies(drafts: list[Draft], wiki: Wiki) -> list[bytes]:
    return [make_body(draft, wiki) for draft in drafts]


def iter_bodies(
    drafts: Iterable[tuple[Draft, Wiki]], *, workers: int = 1, batch: int = BATCH
) -> Iterator[tuple[Draft, bytes]]:
    """Pages with their bodies, in their order, made by as many processes.

    Examples
    --------
    >>> from webstrata.store.wikipedia.titles import Wiki
    >>> draft = Draft("https://w.org/A", "", 0, "A", None, is_wikitext=True, language="")
    >>> [body for _, body in iter_bodies([(draft, Wiki("https://w.org/"))])]
    [b'']
    """
    if workers <= 1:
        for draft, wiki in drafts:
            yield draft, make_body(draft, wiki)
        return
    with _Pool(workers) as pool:
        running: deque[tuple[list[Draft], Future[list[bytes]]]] = deque()
        held: tuple[list[Draft], Wiki] | None = None
        for group in _group(drafts, batch):
            if held is not None:
                running.append((held[0], pool.submit(*held)))
            held = group
            if len(running) > 2 * workers:
                yield from _collect(running)
        while running:
            yield from _collect(running)
        if held is not None:  # where it is the only one, it is not worth a process
            yield from zip(held[0], _make_bodies(*held), strict=True)


def _group(drafts: Iterable[tuple[Draft, Wiki]], size: int) -> Iterator[tuple[list[Draft], Wiki]]:
    found: list[Draft] = []
    total = 0
    last = None
    for draft, wiki in drafts:
        found.append(draft)
        last = wiki
        total += len(draft.text or "")
        if total >= size:
            yield found, wiki
            found, total = [], 0
    if last is not None:
        yield found, last


def _collect(running: deque[tuple[list[Draft], Future[list[bytes]]]]) -> Iterator[tuple[Draft, bytes]]:
    drafts, future = running.popleft()
    try:
        bodies = future.result()
    except BrokenProcessPool as error:
        raise StorageError(
            "a worker process died while it made pages of wikitext (killed, or out of memory); run the "
            "command again, with fewer workers if memory was short"
        ) from error
    yield from zip(drafts, bodies, strict=True)


class _Pool:
    """Processes that begin when there is something to do."""

    def __init__(self, workers: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(workers, mp_context=context, initializer=begin_worker)

    def submit(self, drafts: list[Draft], wiki: Wiki) -> Future[list[bytes]]:
        with interrupts_held():
            return self._pool.submit(_make_bodies, drafts, wiki)

    def __enter__(self) -> _Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)
