"""Why a page is an answer: the links and words that came and went, and where to look at them.

Links are those of the union, by their labels; words are terms of summaries, of which those come first whose
counts changed most, rare terms before common ones: |c₂ − c₁| · ln(1 + N / df). Nothing is parsed for it.
"""

from __future__ import annotations

from collections import ChainMap
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from webstrata.collection.action import Action
from webstrata.summaries.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt
    import pyarrow as pa

    from webstrata.collection import Collection
    from webstrata.temporal.union import StoredUnion

    Nodes = npt.NDArray[np.int64]

SHOWN_LINKS = 5
SHOWN_WORDS = 8


class WordChange(NamedTuple):
    """A word that a page has more often than before, or less often."""

    word: str
    before: int
    after: int


@dataclass(frozen=True)
class LinkChange:
    """Links of one direction that came or went: how many, and some of them."""

    number: int
    urls: tuple[str, ...]


@dataclass(frozen=True)
class Reason:
    """What happened to a page between two snapshots."""

    is_new: bool
    """Whether the earlier snapshot has not got it."""
    words_before: int
    words_after: int
    words_gained: tuple[WordChange, ...]
    words_lost: tuple[WordChange, ...]
    links_gained: LinkChange
    links_lost: LinkChange
    inlinks_gained: LinkChange
    inlinks_lost: LinkChange
    look: str
    """A command that shows it."""

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self) | {
            name: [word._asdict() for word in getattr(self, name)] for name in ("words_gained", "words_lost")
        }


class SnapshotWords:
    """The words of the pages of one snapshot, from its summaries.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.summaries import make_rows, write_archive
    >>> archive = write_archive(testing.scratch(), make_rows([(3, {0: 1, 1: 2})]), texts=["eel", "fish"])
    >>> SnapshotWords(archive).count(np.array([0, -1]))
    [(3, {'eel': 1, 'fish': 2}), (0, {})]
    """

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._texts: pa.ChunkedArray | None = None
        self.weights: dict[str, float] = {}
        """ln(1 + N / df) of the words that were met: how much each tells."""

    def count(self, pages: Nodes) -> list[tuple[int, dict[str, int]]]:
        """Of each page its length, and the count of each of its words; nothing for one below 0."""
        found: list[tuple[int, dict[str, int]]] = [(0, {}) for _ in pages]
        places = np.flatnonzero(pages >= 0)
        if not len(places) or not self._archive.terms.have_texts:
            return found
        if self._texts is None:  # read once, since words are all over it
            self._texts = self._archive.terms.text_column().combine_chunks()
        rows = self._archive.batch(pages[places])
        words = self._texts.take(rows.terms).to_pylist()
        counts = rows.counts.tolist()
        weights = np.log1p(self._archive.num_summaries / np.maximum(self._archive.terms.df[rows.terms], 1))
        self.weights.update(zip(words, weights.tolist(), strict=True))
        for row, place in enumerate(places):
            begin, end = int(rows.offsets[row]), int(rows.offsets[row + 1])
            pairs = zip(words[begin:end], counts[begin:end], strict=True)
            found[place] = int(rows.lengths[row]), dict(pairs)
        return found


def compare_words(
    before: dict[str, int], after: dict[str, int], weights: Mapping[str, float], number: int = SHOWN_WORDS
) -> tuple[tuple[WordChange, ...], tuple[WordChange, ...]]:
    """The words that were gained and lost, those that tell most first.

    Examples
    --------
    >>> compare_words({"fish": 1, "sea": 1}, {"fish": 3, "eel": 1}, {"fish": 1.0, "eel": 1.5, "sea": 0.5})
    ((WordChange(word='fish', before=1, after=3), WordChange(word='eel', before=0, after=1)),
     (WordChange(word='sea', before=1, after=0),))
    """
    changed = [
        WordChange(word, before.get(word, 0), after.get(word, 0))
        for word in before.keys() | after.keys()
        if before.get(word, 0) != after.get(word, 0)
    ]
    changed.sort(key=lambda one: (-abs(one.after - one.before) * weights[one.word], one.word))
    gained = tuple(one for one in changed if one.after > one.before)[:number]
    lost = tuple(one for one in changed if one.after < one.before)[:number]
    return gained, lost


class Reasons:
    """Finds reasons; what it opens, it keeps."""

    def __init__(self, union: StoredUnion) -> None:
        self.union = union
        self._collection: Collection = union.collection
        self._words: dict[str, tuple[str, SnapshotWords]] = {}

    def words_of(self, label: str) -> SnapshotWords:
        """The words of a snapshot, as its summaries have them now."""
        snapshot = self._collection[label]
        checksum = str(snapshot.parts.record("summaries").checksum)
        if self._words.get(label, ("",))[0] != checksum:
            part = snapshot.open_part("summaries")
            self._words[label] = checksum, SnapshotWords(Archive(part.path, part))
        return self._words[label][1]

    def explain(self, nodes: Nodes, pages: Nodes, urls: list[str], before: str, after: str) -> list[Reason]:
        """The reasons of pages, given by their nodes in the union (or below 0) and in the later snapshot."""
        earlier = self.pages_before(nodes, before)
        old, new = self.words_of(before), self.words_of(after)
        texts = list(zip(old.count(earlier), new.count(pages), strict=True))
        # what a word tells is what it tells now, or told last
        weights = ChainMap(new.weights, old.weights)
        links = [self._links(nodes, before, after, is_in=is_in) for is_in in (False, True)]
        found = []
        for place, ((length, then), (now_length, now)) in enumerate(texts):
            gained, lost = compare_words(then, now, weights)
            is_new = nodes[place] >= 0 and earlier[place] < 0
            found.append(
                Reason(
                    bool(is_new),
                    length,
                    now_length,
                    gained,
                    lost,
                    *links[0][place],
                    *links[1][place],
                    look=self._look(urls[place], before, after, is_new=earlier[place] < 0),
                )
            )
        return found

    def pages_before(self, nodes: Nodes, before: str) -> Nodes:
        """The page of each node in the earlier snapshot, -1 where it was not there."""
        found = np.full(len(nodes), -1, np.int64)
        places = np.flatnonzero(nodes >= 0)
        for place, own in zip(places, self.union.pages(before, nodes[places]), strict=True):
            if len(own):
                found[place] = own[0]
        return found

    def _links(
        self, nodes: Nodes, before: str, after: str, *, is_in: bool
    ) -> list[tuple[LinkChange, LinkChange]]:
        """For each node the links of a direction that it gained and lost; those among the nodes first."""
        none = LinkChange(0, ()), LinkChange(0, ())
        found = [none] * len(nodes)
        places = np.flatnonzero(nodes >= 0)
        graph = self.union.backward if is_in else self.union.forward
        assert graph is not None  # a stored union has both directions
        rows = graph.batch_labelled_successors(nodes[places])
        offsets = rows.offsets.astype(np.int64)
        is_other = rows.targets != np.repeat(nodes[places], np.diff(offsets))  # to itself is no news
        is_far = ~np.isin(rows.targets, nodes)
        pairs = (
            self._some(np.flatnonzero(changed & is_other), rows.targets, is_far, offsets)
            for changed in (view.arc_condition.holds(rows.labels) for view in self.union.diff(before, after))
        )
        for place, gained, lost in zip(places, *pairs, strict=True):
            found[place] = gained, lost
        return found

    def _some(
        self,
        chosen: npt.NDArray[np.intp],
        targets: npt.NDArray[np.uint32],
        is_far: npt.NDArray[np.bool_],
        offsets: npt.NDArray[np.int64],
    ) -> list[LinkChange]:
        """How many targets of each list are at the chosen places of all lists, and some of them."""
        lists = np.searchsorted(offsets, chosen, side="right") - 1
        shown = targets[chosen[np.lexsort((is_far[chosen], lists))]]
        bounds = np.searchsorted(lists, np.arange(len(offsets))).tolist()
        found = []
        for begin, end in pairwise(bounds):
            some = shown[begin:end][:SHOWN_LINKS].tolist()
            found.append(LinkChange(end - begin, tuple(self.union.urls[node] for node in some)))
        return found

    def _look(self, url: str, before: str, after: str, *, is_new: bool) -> str:
        if is_new:
            return Action.on(self._collection, "get", url, at=after, text=True).command
        return Action.on(self._collection, "diff", before, after, url).command
