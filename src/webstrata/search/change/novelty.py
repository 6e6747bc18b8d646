"""How much of a page's text is new, and the ranking `new-text` that is made of it.

With c₁(w) and c₂(w) as the counts of word w in the earlier and in the later version of page u,

    new(u) = Σ_w max(0, c₂(w) − c₁(w)) / Σ_w c₂(w),

1 for a page that the earlier snapshot does not have, and 0 for one without words. The score of a page is

    score(u) = BM25(u) · (1 + h) · new(u) / (new(u) + h) · words(u) / (words(u) + w · extra(u)).

The second factor is 1 for a new page, 0 for one that gained no word, and (1 + h) / 2 where the share of new
words is h (`novelty_half`). It is 1/2 for a page that alignment leaves out, of which nothing is known. The
third factor lowers lists of links: extra(u) is the number of out-links of u above the median of the
candidates of its host, and each counts like w words (`words_per_link`). A menu is on all pages of a host and
so does not count; hosts with fewer than `MIN_PAGES` candidates have no such factor.

Words are those of the stored text of both snapshots (`webstrata.web.words`); the terms of summaries stand in
where a snapshot has no text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webstrata._core.summaries import Counter
from webstrata.store.text import Text
from webstrata.summaries.archive import Archive
from webstrata.summaries.rows import SummaryRows
from webstrata.web.words import load_core

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from webstrata.collection import Collection
    from webstrata.search.change.answer import Candidates
    from webstrata.search.change.settings import ChangesSettings

    Nodes = npt.NDArray[np.int64]
    Numbers = npt.NDArray[np.float64]
    Documents = Callable[[str], npt.NDArray[np.uint32]]

NEW_TEXT = "new-text"
"""The name of the ranking."""
MIN_PAGES = 5
"""Candidates that a host must have for a median of their links."""


def new_shares(before: SummaryRows, after: SummaryRows) -> Numbers:
    """The share of new words of each page, whose versions have the same row and terms of one vocabulary.

    Examples
    --------
    >>> from webstrata.summaries import make_rows
    >>> new_shares(make_rows([(3, {0: 2, 1: 1}), (0, {})]), make_rows([(4, {0: 3, 2: 1}), (0, {})])).tolist()
    [0.5, 0.0]
    """
    owners = after.places
    counts = after.counts.astype(np.int64)
    keys, known = _keys(before), _keys(after)
    order = np.argsort(keys)
    places = np.searchsorted(keys, known, sorter=order)
    places[places == len(keys)] = 0
    if len(keys):
        found = order[places]
        old = np.where(keys[found] == known, before.counts.astype(np.int64)[found], 0)
    else:
        old = np.zeros(len(known), np.int64)
    new = np.bincount(owners, np.maximum(0, counts - old), after.num_rows)
    total = np.bincount(owners, counts, after.num_rows)
    return np.divide(new, total, out=np.zeros(after.num_rows), where=total > 0)


def _keys(rows: SummaryRows) -> Nodes:
    """One number for each row and term."""
    found: Nodes = rows.places << 32 | rows.terms.astype(np.int64)
    return found


class Novelty:
    """Finds shares of new words; what it opens, it keeps.

    Examples
    --------
    >>> from webstrata import testing
    >>> collection = testing.collection()
    >>> url = "http://garden.example/"
    >>> nodes = [np.array([collection[label].urls.node(url)]) for label in ("2026-04", "2026-05")]
    >>> Novelty(collection).shares(*nodes, "2026-04", "2026-05").round(3).tolist()  # the pond is new
    [0.162]
    """

    def __init__(self, collection: Collection, documents: Documents | None = None) -> None:
        self._collection = collection
        self._documents = documents
        """For a snapshot the document of each page in the text index; equal ones are not read."""
        self._texts: dict[str, Text] = {}
        self._archives: dict[str, Archive] = {}
        self._numbers: dict[tuple[str, str], npt.NDArray[np.uint32]] = {}
        """For two snapshots the term of the later one for each of the earlier."""
        self._known: dict[tuple[str, str], dict[int, float]] = {}
        """For two snapshots the shares that were found, by the node in the later one."""

    def shares(self, pages_before: Nodes, pages: Nodes, before: str, after: str) -> Numbers:
        """The shares of pages, given by their nodes in both snapshots, -1 for a page that was not there."""
        known = self._known.setdefault((before, after), {})
        if self._documents is not None:
            old, new = (self._documents(label) for label in (before, after))
            same = np.flatnonzero(pages_before >= 0)
            same = same[old[pages_before[same]] == new[pages[same]]]
            known |= dict.fromkeys(pages[same].tolist(), 0.0)
        known |= dict.fromkeys(pages[pages_before < 0].tolist(), 1.0)
        left = np.array([place for place, page in enumerate(pages.tolist()) if page not in known], np.int64)
        if len(left):
            has_texts = all(self._has_text(label) for label in (before, after))
            count = self._count_texts if has_texts else self._take_summaries
            found = new_shares(*count(before, pages_before[left], after, pages[left]))
            known |= zip(pages[left].tolist(), found.tolist(), strict=True)
        return np.array([known[page] for page in pages.tolist()], np.float64)

    def _count_texts(
        self, before: str, pages_before: Nodes, after: str, pages: Nodes
    ) -> tuple[SummaryRows, SummaryRows]:
        """The words of the stored texts of both versions."""
        counter = Counter(load_core(), None, [])
        for label, own in ((before, pages_before), (after, pages)):
            wanted, places = np.unique(own, return_inverse=True)
            texts = self._open_text(label).take(wanted).fill_null("").take(pa.array(places))
            offsets = np.frombuffer(texts.buffers()[1], np.int64)[
                texts.offset : texts.offset + len(texts) + 1
            ]
            data = texts.buffers()[2]
            counter.add(offsets, np.frombuffer(data, np.uint8) if data else np.zeros(0, np.uint8))
        rows = SummaryRows(*counter.finish()[1])
        return rows.cut(0, len(pages)), rows.cut(len(pages), 2 * len(pages))

    def _take_summaries(
        self, before: str, pages_before: Nodes, after: str, pages: Nodes
    ) -> tuple[SummaryRows, SummaryRows]:
        """The terms of the summaries of both versions, those of the earlier one numbered as in the later."""
        old, new = self._open_archive(before), self._open_archive(after)
        then, now = old.batch(pages_before), new.batch(pages)
        if not (old.terms.have_texts and new.terms.have_texts):
            return then, now  # archives without words number their terms alike
        if (before, after) not in self._numbers:
            places = pc.index_in(old.terms.text_column(), value_set=new.terms.text_column())
            # a word that the later snapshot does not have gets a number of its own
            own = pa.array(np.arange(len(old.terms)) + len(new.terms), pa.int64())
            self._numbers[before, after] = (
                pc.coalesce(places.cast(pa.int64()), own).to_numpy().astype(np.uint32)
            )
        numbers = self._numbers[before, after]
        return SummaryRows(then.lengths, then.offsets, numbers[then.terms], then.counts), now

    def _has_text(self, label: str) -> bool:
        return label in self._texts or "text" in self._collection[label].parts

    def _open_text(self, label: str) -> Text:
        if label not in self._texts:
            part = self._collection[label].open_part("text")
            self._texts[label] = Text(part.path, part)
        return self._texts[label]

    def _open_archive(self, label: str) -> Archive:
        if label not in self._archives:
            part = self._collection[label].open_part("summaries")
            self._archives[label] = Archive(part.path, part)
        return self._archives[label]


def novelty_factors(shares: Numbers, half: float) -> Numbers:
    """(1 + h) · new / (new + h) of shares of new words; 1/2 where the share is not a number.

    Examples
    --------
    >>> novelty_factors(np.array([0.0, 0.2, 1.0, np.nan]), 0.2).round(3).tolist()
    [0.0, 0.6, 1.0, 0.5]
    """
    found: Numbers = (1 + half) * shares / (shares + half)
    return np.where(np.isnan(shares), 0.5, found)


def list_factors(words: Numbers, outdegrees: Numbers, hosts: Nodes, words_per_link: float) -> Numbers:
    """The factor words / (words + w · extra) of pages: low for those that are lists of links.

    Examples
    --------
    >>> outdegrees = np.array([10.0, 10, 11, 10, 60])
    >>> list_factors(np.full(5, 250.0), outdegrees, np.zeros(5, np.int64), 10.0).round(3).tolist()
    [1.0, 1.0, 0.962, 1.0, 0.334]
    >>> list_factors(np.full(2, 250.0), np.array([10.0, 60]), np.zeros(2, np.int64), 10.0).tolist()
    [1.0, 1.0]
    """
    found = np.ones(len(words))
    for host in np.unique(hosts):
        own = np.flatnonzero(hosts == host)
        if len(own) >= MIN_PAGES:
            extra = np.maximum(0.0, outdegrees[own] - np.median(outdegrees[own]))
            size = words[own] + 1
            found[own] = size / (size + words_per_link * extra)
    return found


def score_new_text(found: Candidates, settings: ChangesSettings) -> Numbers:
    """The score of each candidate by `new-text`.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.search.change import ChangeSearch
    >>> from webstrata.search.change.settings import ChangesSettings
    >>> search, settings = ChangeSearch(testing.collection()), ChangesSettings()
    >>> found = search.gather("storm", "2026-05", "2026-06", settings)
    >>> best = int(np.argmax(score_new_text(found, settings)))
    >>> search.union.urls_at("2026-06")[int(found.pages[best])]
    'http://reef.example/storm'
    """
    factors = novelty_factors(found.novelty, settings.novelty_half)
    factors = factors * list_factors(found.words, found.outdegrees, found.hosts, settings.words_per_link)
    scores: Numbers = found.texts * factors
    return scores
