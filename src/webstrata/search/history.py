"""What search sees of a page through time: its versions, its change in each interval, words gained and lost.

The change of an interval is split into content, in-links and out-links, as in CHANGE, table 1, whose last
column is the whole time. Of a page that alignment leaves out (one with a question mark, where the union is of
static pages) the captures under this very URL are compared, with the links of each snapshot's own graph.
"""

from __future__ import annotations

from collections import ChainMap
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata.collection.tables import Rows, Table
from webstrata.errors import MissingError
from webstrata.graph.build import StoredGraph
from webstrata.search.change.counts import open_counts
from webstrata.search.change.measure import log_ratio
from webstrata.search.change.reasons import Reasons, compare_words
from webstrata.store.pages import Pages
from webstrata.store.takedowns import find_takedowns
from webstrata.summaries.archive import read_facts
from webstrata.web.fingerprint import RULE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.collection import Snapshot
    from webstrata.collection.progress import Progress
    from webstrata.search.change.reasons import WordChange
    from webstrata.temporal.union import StoredUnion


@dataclass(frozen=True)
class Version:
    """A page in one snapshot."""

    snapshot: str
    is_there: bool
    version: int | None
    """1 for the text it had first, and one more for each other; none where it is not there or not known."""
    words: int
    inlinks: int
    outlinks: int


@dataclass(frozen=True)
class IntervalChange:
    """What happened to a page between two snapshots."""

    before: str
    after: str
    content: float
    inlinks: float
    outlinks: float
    words_gained: tuple[WordChange, ...] = ()
    words_lost: tuple[WordChange, ...] = ()

    @property
    def total(self) -> float:
        """change(u)."""
        return self.content + self.inlinks + self.outlinks

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        words = {
            name: [word._asdict() for word in getattr(self, name)] for name in ("words_gained", "words_lost")
        }
        return asdict(self) | {"total": self.total} | words


@dataclass(frozen=True)
class PageChanges(Table):
    """The versions of a page, and its change in each interval; the last interval is the whole time."""

    url: str
    is_aligned: bool
    versions: list[Version]
    intervals: list[IntervalChange]

    @property
    def num_versions(self) -> int:
        """How many different texts it had, as far as is known."""
        return max((version.version or 0 for version in self.versions), default=0)

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per snapshot."""
        return [asdict(version) for version in self.versions]

    shown = 0  # of the versions as they are counted

    def tables(self) -> dict[str, Table]:
        """Versions, change in each interval, and the words that came and went."""
        versions = [
            {
                "snapshot": one.snapshot,
                "version": (str(one.version) if one.version else "?") if one.is_there else "–",
                "words": one.words if one.is_there else 0,
                "in-links": one.inlinks if one.is_there else 0,
                "out-links": one.outlinks if one.is_there else 0,
            }
            for one in self.versions
        ]
        change = [
            {
                "interval": f"{one.before} to {one.after}",
                "content": one.content,
                "in-links": one.inlinks,
                "out-links": one.outlinks,
                "all": one.total,
            }
            for one in self.intervals
        ]
        words = [
            {
                "interval": f"{one.before} to {one.after}",
                "": sign,
                "words": ", ".join(f"{word.word} {word.before}→{word.after}" for word in words),
            }
            for one in self.intervals
            for sign, words in (("+", one.words_gained), ("-", one.words_lost))
            if words
        ]
        number = self.num_versions
        return {
            f"Versions{f': {number}' if number else ''}": Rows("versions", versions),
            "Change": Rows(
                "change",
                change,
                formats=dict.fromkeys(("content", "in-links", "out-links", "all"), ".3f"),
            ),
            "Words that came and went": Rows("words", words),
            "Counts": self,
        }

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "aligned": self.is_aligned,
            "versions": [asdict(version) for version in self.versions],
            "intervals": [interval.to_dict() for interval in self.intervals],
        }


def has_summaries(union: StoredUnion) -> bool:
    """Whether every snapshot of a union has summaries that can be read, without which no words are known.

    Those of version 0.1.0 cannot be read.

    Examples
    --------
    >>> from webstrata import testing
    >>> has_summaries(testing.collection().temporal)
    True
    """
    return all(_can_read(union.collection[label]) for label in union.snapshots)


def _can_read(snapshot: Snapshot) -> bool:
    if "summaries" not in snapshot.parts:
        return False
    try:
        with snapshot.open_part("summaries") as part:
            read_facts(part.path / "archive.toml")
    except MissingError:
        return False
    return True


def page_changes(union: StoredUnion, url: str, *, progress: Progress | None = None) -> PageChanges:
    """What search sees of a page through time.

    Examples
    --------
    >>> from webstrata import testing
    >>> found = page_changes(testing.collection().temporal, "http://news.example/storm")
    >>> [version.words for version in found.versions]
    [0, 0, 43]
    >>> [round(interval.total, 2) for interval in found.intervals]
    [0.0, 6.27, 6.27]
    """
    find_takedowns(union.collection).check(url, str(union.collection.path))
    try:
        node = union.node(url)
    except MissingError:
        pages = [_find(union, label, url) for label in union.snapshots]
        if max(pages) < 0:
            raise
        return _compare(
            union, url, pages, [_degrees(union, *pair) for pair in zip(union.snapshots, pages, strict=True)]
        )
    counts = open_counts(union, progress=progress)
    pages = [int(own[0]) if len(own := union.pages(label, [node])[0]) else -1 for label in union.snapshots]
    degrees = [
        (int(counts.indegrees[number, node]), int(counts.outdegrees[number, node]))
        for number in range(len(union.snapshots))
    ]
    return _compare(union, url, pages, degrees, is_aligned=True)


def _find(union: StoredUnion, label: str, url: str) -> int:
    page = union.urls_at(label).get(url)
    return -1 if page is None else page


def _degrees(union: StoredUnion, label: str, page: int) -> tuple[int, int]:
    """In-degree and out-degree of a page in the graph of its own snapshot."""
    if page < 0:
        return 0, 0
    with union.collection[label].open_part("graph") as part:
        graph = StoredGraph(part.path, part)
        return graph.transpose().outdegree(page), graph.outdegree(page)


def _compare(
    union: StoredUnion,
    url: str,
    pages: Sequence[int],
    degrees: Sequence[tuple[int, int]],
    *,
    is_aligned: bool = False,
) -> PageChanges:
    labels = union.snapshots
    reasons = Reasons(union)
    words = [
        reasons.words_of(label).count(np.array([page]))[0] for label, page in zip(labels, pages, strict=True)
    ]
    # fingerprints of webstrata 0.1.0 follow another rule: with one such snapshot, digests are compared
    told = _fingerprint if all(_has_prints(union.collection[label]) for label in labels) else _digest
    prints = [told(union.collection[label], page) for label, page in zip(labels, pages, strict=True)]
    known = list(dict.fromkeys(one for one in prints if one is not None))
    versions = [
        Version(
            label,
            page >= 0,
            None if print_ is None else known.index(print_) + 1,
            length,
            *links,
        )
        for label, page, print_, (length, _), links in zip(labels, pages, prints, words, degrees, strict=True)
    ]
    intervals = []
    for one, other in [*pairwise(range(len(labels))), *([(0, len(labels) - 1)] if len(labels) > 2 else [])]:
        # which words summaries know is another matter in each snapshot, so counts may differ in equal texts
        is_same = prints[one] is not None and prints[one] == prints[other]
        gained, lost = compare_words(
            {} if is_same else words[one][1],
            {} if is_same else words[other][1],
            ChainMap(reasons.words_of(labels[other]).weights, reasons.words_of(labels[one]).weights),
        )
        content, inlinks, outlinks = (
            float(log_ratio(then, now))
            for then, now in (
                (words[one][0], words[other][0]),
                (degrees[one][0], degrees[other][0]),
                (degrees[one][1], degrees[other][1]),
            )
        )
        intervals.append(IntervalChange(labels[one], labels[other], content, inlinks, outlinks, gained, lost))
    return PageChanges(url, is_aligned, versions, intervals)


def _has_prints(snapshot: Snapshot) -> bool:
    """Whether the pages of a snapshot have fingerprints of today's rule."""
    if "pages" not in snapshot.parts:
        return True  # nothing is known of its pages, and nothing is compared
    with snapshot.open_part("pages") as part:
        return Pages(part.path, part).fingerprint_rule == RULE


def _fingerprint(snapshot: Snapshot, page: int) -> object:
    """The fingerprint of a page, or its digest where it has none; None where nothing is known of the page."""
    found = _read(snapshot, page, "fingerprint")
    return _digest(snapshot, page) if found is None else found


def _digest(snapshot: Snapshot, page: int) -> object:
    return _read(snapshot, page, "content_digest")


def _read(snapshot: Snapshot, page: int, column: str) -> object:
    if page < 0 or "pages" not in snapshot.parts:
        return None
    with snapshot.open_part("pages") as part:
        table = Pages(part.path, part)
        if column not in table.columns:
            return None
        return table.between(page, page + 1, column)[column][0].as_py()
