"""The answer of a change search: a ranked list, why each page is in it, and the subgraph."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import pyarrow as pa

from webstrata.collection.tables import Table
from webstrata.search.change.subgraph import ChangedGraph
from webstrata.store.takedowns import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from webstrata.search.change.measure import PageChange
    from webstrata.search.change.reasons import Reason, Reasons
    from webstrata.search.change.settings import ChangesSettings
    from webstrata.store.urls import Urls

    Nodes = npt.NDArray[np.int64]
    Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Candidates:
    """The pages that may be answers, seeds first, with all that ranking needs to know of them."""

    pages: Nodes
    """Nodes of the later snapshot."""
    nodes: Nodes
    """Nodes of the union, -1 for a page that alignment leaves out."""
    texts: Numbers
    """The score of the text, 0 where it does not match."""
    change: PageChange
    through: Nodes
    """The place of the seed by which a neighbour came in, -1 for seeds."""
    hosts: Nodes
    """A number for the host of each."""
    novelty: Numbers
    """The share of its words that is new, NaN where that is not known."""
    words: Numbers
    """The number of its words in the later snapshot."""
    outdegrees: Numbers
    """The number of its out-links in the later snapshot."""
    arcs_before: Nodes
    arcs_after: Nodes

    def __len__(self) -> int:
        return len(self.pages)

    @property
    def num_seeds(self) -> int:
        """How many of them are seeds."""
        return int(np.count_nonzero(self.through < 0))


@dataclass(frozen=True)
class ChangeStage:
    """What one stage did, for people."""

    name: str
    told: str

    def to_dict(self) -> dict[str, str]:
        """As plain data."""
        return {"stage": self.name, "did": self.told}


@dataclass(frozen=True)
class ChangedPage:
    """One answer."""

    rank: int
    url: str
    score: float
    text: float
    """BM25, 0 for a page that does not match."""
    change: float
    content: float
    inlinks: float
    outlinks: float
    new_words: float | None
    """The share of its words that is new; None where that is not known."""
    through: str
    """The URL of the seed by which it came in, empty for seeds."""
    reached_by_links: bool
    """Whether it does not match the query, and is here since a page that does is linked with it."""
    is_aligned: bool


class ChangeAnswer(Table):
    """Pages about a query that changed between two snapshots, the best first.

    It is made by `webstrata.search.change.run.ChangeSearch`. Iterated over, it gives one
    `ChangedPage` per page.
    """

    def __init__(
        self,
        query: str,
        before: str,
        after: str,
        settings: ChangesSettings,
        candidates: Candidates,
        preference: Numbers,
        scores: Numbers,
        *,
        urls: Urls,
        reasons: Reasons,
        stages: Sequence[ChangeStage] = (),
    ) -> None:
        self.query, self.before, self.after, self.settings = query, before, after, settings
        self.candidates, self.preference, self.all_scores = candidates, preference, scores
        self.stages = tuple(stages)
        self.order: Nodes = order_answers(candidates, scores, preference, settings)
        self._urls, self._reasons = urls, reasons
        shown = [self._urls[int(page)] != HIDDEN for page in candidates.pages[self.order]]
        self.order = self.order[np.array(shown, bool)]

    def __len__(self) -> int:
        return len(self.order)

    @property
    def scores(self) -> Numbers:
        """The score of each answer, the best first."""
        return self.all_scores[self.order]

    @cached_property
    def urls(self) -> list[str]:
        """The URL of each answer in the later snapshot, the best first."""
        return [self._urls[int(page)] for page in self.candidates.pages[self.order]]

    @cached_property
    def graph(self) -> ChangedGraph:
        """All candidates with the arcs among them before and after, the best first."""
        return ChangedGraph(
            self.urls,
            *(
                _renumber(arcs, self.order)
                for arcs in (self.candidates.arcs_before, self.candidates.arcs_after)
            ),
        )

    def reasons(self, number: int | None = None) -> list[Reason]:
        """What happened to each of the first answers; as many as are shown, if not told."""
        first = self.order[: self.settings.top if number is None else number]
        return self._reasons.explain(
            self.candidates.nodes[first],
            self.candidates.pages[first],
            self.urls[: len(first)],
            self.before,
            self.after,
        )

    def _row(self, rank: int, place: int) -> ChangedPage:
        found, change = self.candidates, self.candidates.change
        through = int(found.through[place])
        return ChangedPage(
            rank,
            self.urls[rank - 1],
            float(self.all_scores[place]),
            float(found.texts[place]),
            float(change.total[place]),
            float(change.content[place]),
            float(change.inlinks[place]),
            float(change.outlinks[place]),
            None if np.isnan(found.novelty[place]) else float(found.novelty[place]),
            self._urls[int(found.pages[through])] if through >= 0 else "",
            bool(found.texts[place] <= 0),
            bool(found.nodes[place] >= 0),
        )

    def __iter__(self) -> Iterator[ChangedPage]:
        return (self._row(rank, int(place)) for rank, place in enumerate(self.order, 1))

    @overload
    def __getitem__(self, place: int) -> ChangedPage: ...
    @overload
    def __getitem__(self, place: slice) -> list[ChangedPage]: ...
    def __getitem__(self, place: int | slice) -> ChangedPage | list[ChangedPage]:
        if isinstance(place, slice):
            return [self._row(number + 1, int(self.order[number])) for number in range(len(self))[place]]
        number = range(len(self))[place]
        return self._row(number + 1, int(self.order[number]))

    def top(self, number: int | None = None) -> list[ChangedPage]:
        """The first answers; as many as are shown, if not told."""
        first = self.order[: self.settings.top if number is None else number]
        return [self._row(rank, int(place)) for rank, place in enumerate(first, 1)]

    def to_arrow(self) -> pa.Table:
        """All answers, the best first: what `ChangedPage` has, and p(u)."""
        found, order = self.candidates, self.order
        through = found.through[order]
        return pa.table(
            {
                "rank": np.arange(1, len(order) + 1, dtype=np.uint32),
                "url": pa.array(self.urls, pa.string()),
                "score": self.scores,
                "preference": self.preference[order],
                "text": found.texts[order],
                "change": found.change.total[order],
                "content": found.change.content[order],
                "inlinks": found.change.inlinks[order],
                "outlinks": found.change.outlinks[order],
                "new_words": pa.array(found.novelty[order], from_pandas=True),
                "through": pa.array(
                    [self._urls[int(found.pages[seed])] if seed >= 0 else None for seed in through],
                    pa.string(),
                ),
                "reached_by_links": found.texts[order] <= 0,
                "aligned": found.nodes[order] >= 0,
            }
        )

    def to_dict(self, number: int | None = None) -> dict[str, Any]:
        """As plain data: the first answers with their reasons, what each stage did, and the subgraph."""
        top = self.top(number)
        drawn = self.graph.top(len(top))
        return {
            "query": self.query,
            "before": self.before,
            "after": self.after,
            "settings": self.settings.to_dict(),
            "stages": [stage.to_dict() for stage in self.stages],
            "answers": [
                vars(row) | {"reasons": reason.to_dict()}
                for row, reason in zip(top, self.reasons(len(top)), strict=True)
            ],
            "arcs_before": drawn.arcs_before.tolist(),
            "arcs_after": drawn.arcs_after.tolist(),
        }

    def __repr__(self) -> str:
        return f"<ChangeAnswer to {self.query!r}: {len(self)} pages, {self.before} to {self.after}>"


def order_answers(
    found: Candidates, scores: Numbers, preference: Numbers, settings: ChangesSettings
) -> Nodes:
    """Places of candidates in the order of answers: with `matches_first` those that match before the others.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.search.change import ChangeSearch
    >>> from webstrata.search.change.settings import ChangesSettings
    >>> search, settings = ChangeSearch(testing.collection()), ChangesSettings()
    >>> found = search.gather("storm", "2026-05", "2026-06", settings)
    >>> order = order_answers(found, found.change.total, found.change.total, settings)
    >>> (found.texts[order] > 0).tolist()  # those that match come first
    [True, True, True, True, False, False, False, False, False]
    """
    order = rank_order(scores, preference, found.pages)
    if not settings.matches_first:
        return order
    matches = found.texts[order] > 0
    return np.concatenate([order[matches], order[~matches]])


def rank_order(scores: Numbers, preference: Numbers, pages: Nodes) -> Nodes:
    """Places by score, then by preference, then by node: always the same.

    Examples
    --------
    >>> rank_order(np.array([0.5, 1.0, 0.5]), np.array([0.1, 0.2, 0.7]), np.array([4, 5, 6])).tolist()
    [1, 2, 0]
    """
    return np.lexsort((pages, -preference, -scores)).astype(np.int64)


def _renumber(arcs: Nodes, order: Nodes) -> Nodes:
    """Arcs between places as arcs between ranks, in order."""
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    found = ranks[arcs].reshape(-1, 2)
    return found[np.lexsort((found[:, 1], found[:, 0]))]
