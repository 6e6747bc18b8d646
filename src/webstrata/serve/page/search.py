"""The search page: words and dates in, pages with marked snippets and hits over time out."""

from __future__ import annotations

import dataclasses
from bisect import bisect_left, bisect_right
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

import numpy as np
from fastapi import Query

from webstrata.collection.action import Action
from webstrata.collection.dates import find_last, find_range
from webstrata.errors import DateError, MissingError, UsageError
from webstrata.search.fields import NUMBERS, weight_list
from webstrata.search.index import MAX_EXPANDED, within
from webstrata.search.settings import SearchSettings
from webstrata.serve.page.home import find_ranks
from webstrata.serve.page.scores import find_spam
from webstrata.serve.page.view import PageView, read_cursor, write_cursor
from webstrata.web.row_key import from_row_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.api import Collection
    from webstrata.search.hits import Hit, Hits
    from webstrata.search.index import TextIndex
    from webstrata.serve.page.site import Site

SIZE = 10
MOST = 1000
"""Results that can be paged through."""
COUNTED = 500
"""Best versions whose hosts are counted."""
HOSTS = 8
FOLD = 3
"""Bits by which simhashes of near-duplicates differ at most."""
_MARKS = ("\ue000", "\ue001")
"""Around words of the query in a snippet: private characters, which mean nothing in a text."""

Text = Annotated[
    str, Query(max_length=1000, description="Words, phrases in quotes, +must, -not, site:, title:.")
]
Date = Annotated[str | None, Query(max_length=20, description="A date as 2026, 2026-06 or 2026-06-12.")]
Cursor = Annotated[
    str | None, Query(max_length=40, description="The value of `next` of an earlier response.")
]


def show_search(
    site: Site,
    *,
    q: Text = "",
    at: Date = None,
    from_: Annotated[str | None, Query(alias="from", max_length=20, description="First date.")] = None,
    to: Date = None,
    host: Annotated[str, Query(max_length=253, description="A host, or a domain with its hosts.")] = "",
    language: Annotated[str, Query(max_length=3, pattern="^[a-z]*$", description="ISO 639-1 code.")] = "",
    fold: Annotated[bool, Query(description="Fold near-duplicates into the best of them.")] = False,
    hide_spam: Annotated[
        bool, Query(description="Leave out hosts that a label or model calls spam.")
    ] = False,
    cursor: Cursor = None,
) -> PageView:
    """The best pages for a query, as of a date or in a range, with hits over time.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> view = show_search(Site(testing.collection(), "uk"), q="storm")
    >>> view.facts["total"], [(mark.date, mark.count) for mark in view.marks]
    (4, [('2026-04', 0), ('2026-05', 0), ('2026-06', 4)])
    >>> row = view.rows[0]
    >>> row["title"], row["first_seen"], [piece for piece, is_marked in row["snippet"] if is_marked][0]
    ('After the storm', '2026-06', 'storm')
    """
    collection = site.collection
    at, from_, to = at or None, from_ or None, to or None
    options = {"at": at, "from": from_, "to": to, "host": host or None, "fold": FOLD if fold else None}
    spam = find_spam(site)
    asked = narrow(q, language, spam if hide_spam else [])
    action = Action.on(collection, "search", asked or "QUERY", **options)
    facts: dict[str, Any] = {
        "query": q, "at": at, "from": from_, "to": to, "host": host, "language": language, "fold": fold,
        "hide_spam": hide_spam, "spam_hosts": len(spam), "total": 0, "hosts": [],
    }  # fmt: skip
    view = PageView("search", f"{q} – search" if q else "Search", action, facts=facts, is_live=hide_spam)
    try:
        index = collection.text_index
    except MissingError:  # not built, or not since the pages changed
        view.missing.append(site.lacks("Search", "text_index"))
        return view
    facts["languages"] = site.keep("languages", list_languages)
    if at and (from_ or to):
        raise DateError("at names one time, from and to a range; give one of the two")
    chosen = [find_last(index.snapshots, at)] if at else find_range(index.snapshots, from_, to)
    facts["snapshots"] = chosen
    if not q.strip():
        view.marks = site.marks(chosen=set(chosen))
        return view
    settings = collection.settings(SearchSettings, {"fold": FOLD if fold else -1})
    index.compiler(settings).compile(q)  # what is wrong with it is marked as it was typed
    counts, total = _count(index, asked, host, settings, chosen)
    view.marks, view.unit = site.marks(counts, set(chosen)), "hits"
    start = read_cursor(cursor, MOST)
    hits = index.search(
        asked, at=at, since=from_, until=to, host=host or None, limit=start + SIZE + 1, settings=settings
    )
    if len(hits) > start + SIZE and start + SIZE < MOST:
        view.next = write_cursor(start + SIZE)
    shown = _slice(hits, start, start + SIZE)
    view.rows = [
        _describe(site, hit, key, start)
        for hit, key in zip(shown.rows(marks=_MARKS), index._keys(shown.documents), strict=True)
    ]
    for date in {row["snapshot"] for row in view.rows}:
        mine = [row for row in view.rows if row["snapshot"] == date]
        for row, rank in zip(mine, find_ranks(site, date, [row["url"] for row in mine]), strict=True):
            row["page_rank"] = rank
    facts["total"] = total
    facts["understood"] = hits.explain()
    facts["hosts"] = count_hosts(index, asked, settings, chosen)
    return view


def narrow(query: str, language: str = "", without: Sequence[str] = ()) -> str:
    """A query that holds in one language, and outside of some hosts.

    Examples
    --------
    >>> narrow("fish OR soup", "en", ["pills.example"])
    '+(fish OR soup) +language:en -site:pills.example'
    >>> narrow("fish"), narrow("", "en")
    ('fish', '')
    """
    if not query.strip() or not (language or without):
        return query
    words = [f"+({query})", *([f"+language:{language}"] if language else [])]
    return " ".join([*words, *(f"-site:{host}" for host in without)])


def count_hosts(
    index: TextIndex, query: str, settings: SearchSettings, chosen: list[str]
) -> list[dict[str, Any]]:
    """The hosts of the best pages for a query, those of most pages first.

    Examples
    --------
    >>> from webstrata import testing
    >>> index = testing.collection().text_index
    >>> count_hosts(index, "pond", SearchSettings(), ["2026-06"])
    [{'host': 'garden.example', 'pages': 2}]
    """
    mask = sum(1 << index.snapshots.index(date) for date in chosen)
    clause = index.compiler(settings).compile(query)
    documents, *_ = index.top(clause, COUNTED, mask, settings)
    keys = set(index._keys(documents))
    found = Counter(urlsplit(from_row_key(key)).hostname or "" for key in keys)
    return [{"host": host, "pages": number} for host, number in found.most_common(HOSTS)]


def count_hits(index: TextIndex, query: str, host: str, settings: SearchSettings) -> dict[str, int]:
    """How many pages of each snapshot a query finds.

    Examples
    --------
    >>> from webstrata import testing
    >>> index = testing.collection().text_index
    >>> count_hits(index, "pond", "", SearchSettings())
    {'2026-04': 0, '2026-05': 3, '2026-06': 2}
    """
    return _count(index, query, host, settings, [])[0]


def _count(
    index: TextIndex, query: str, host: str, settings: SearchSettings, chosen: list[str]
) -> tuple[dict[str, int], int]:
    """Pages by snapshot, and versions of pages in the chosen snapshots, by going through the index once."""
    clause, weights = _compile(index, query, host, settings)
    masks = [1 << place for place in range(len(index.snapshots))]
    both = sum(1 << index.snapshots.index(date) for date in chosen)
    *counts, total = index.reader.count(clause, weights, index.labels, [*masks, both])
    return dict(zip(index.snapshots, counts, strict=True)), total


def _compile(index: TextIndex, query: str, host: str, settings: SearchSettings) -> tuple[Any, Any]:
    return within(index.compiler(settings).compile(query), host or None), weight_list(settings)


def _slice(hits: Hits, start: int, end: int) -> Hits:
    return dataclasses.replace(
        hits,
        documents=hits.documents[start:end],
        scores=hits.scores[start:end],
        text_scores=hits.text_scores[start:end],
        folded=list(hits.folded)[start:end],
    )


def _describe(site: Site, hit: Hit, key: str, start: int) -> dict[str, Any]:
    versions, dates = find_versions(site, key)
    return {
        "rank": start + hit.rank,
        "url": hit.url,
        "title": hit.title,
        "host": urlsplit(hit.url).hostname or "",
        "snippet": split_marks(hit.snippet),
        "snapshot": hit.snapshot,
        "first_seen": dates[0],
        "last_seen": dates[-1],
        "versions": versions,
        "score": hit.score,
        "page_rank": None,
        "folded": hit.folded,
    }


def find_versions(site: Site, key: str) -> tuple[int, list[str]]:
    """How many versions the page of a row key has, and the snapshots that have it.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> find_versions(Site(testing.collection(), "uk"), "example,garden)/tomatoes")
    (3, ['2026-04', '2026-05', '2026-06'])
    """
    index = site.collection.text_index
    keys, order = site.keep("key order", _sort_keys)
    start = bisect_left(order, key, key=lambda place: str(keys[int(place)].as_py()))
    end = bisect_right(order, key, key=lambda place: str(keys[int(place)].as_py()))
    labels = int(np.bitwise_or.reduce(index.labels[order[start:end]], initial=np.uint64(0)))
    return end - start, [date for number, date in enumerate(index.snapshots) if labels >> number & 1]


def _sort_keys(collection: Collection) -> tuple[Any, Any]:
    import pyarrow.compute as pc

    keys = collection.text_index.documents["row_key"].combine_chunks()
    return keys, pc.sort_indices(keys).to_numpy()


def split_marks(text: str) -> list[tuple[str, bool]]:
    r"""A snippet as pieces, each with whether it is a word of the query.

    Examples
    --------
    >>> split_marks("a \ue000fish\ue001 soup")
    [('a ', False), ('fish', True), (' soup', False)]
    """
    pieces = []
    for number, piece in enumerate(text.split(_MARKS[0])):
        if number == 0:
            pieces.append((piece.replace(_MARKS[1], ""), False))
            continue
        marked, _, rest = piece.partition(_MARKS[1])
        pieces += [(marked, True), (rest.replace(_MARKS[1], ""), False)]
    return [(piece, is_marked) for piece, is_marked in pieces if piece]


def list_languages(collection: Collection) -> list[str]:
    """The languages of indexed pages, the most frequent first.

    Examples
    --------
    >>> from webstrata import testing
    >>> list_languages(testing.collection())
    ['en']
    """
    found = collection.text_index.reader.terms(NUMBERS["language"], "", MAX_EXPANDED)
    return sorted(found, key=lambda name: (-found[name], name))


def show_completion(
    site: Site, *, q: Annotated[str, Query(max_length=100, description="The first letters of a word.")] = ""
) -> PageView:
    """Words that begin with the last word of a query, for completion.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> show_completion(Site(testing.collection(), "uk"), q="fish to").rows[:1]
    [{'text': 'fish tomatoes'}]
    """
    before, blank, word = q.rpartition(" ")
    if "text_index" not in site.collection.parts:
        raise UsageError("there is no text index to complete words from")
    words = site.collection.text_index.complete(word, 8) if word else []
    rows = [{"text": f"{before}{blank}{one}"} for one in words]
    return PageView(
        "complete",
        "Completion",
        Action(
            "search",
            str(site.collection.path),
            words=(word or "WORD",),
            options={"complete": True},
            python=f"text_index.complete({word!r}, 8)",
        ),
        rows,
    )
