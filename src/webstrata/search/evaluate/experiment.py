"""All queries asked in all ways: one outcome for each way, figures for each query."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from webstrata.errors import DateError, QueryError
from webstrata.search.change.answer import order_answers
from webstrata.search.change.novelty import NEW_TEXT
from webstrata.search.evaluate.measures import DEPTH, count_edges, kept_share, measure_lists

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from webstrata.collection.progress import Progress
    from webstrata.search.change.answer import Candidates
    from webstrata.search.change.run import ChangeSearch
    from webstrata.search.change.seeds import QuerySeeds
    from webstrata.search.change.settings import ChangesSettings
    from webstrata.search.evaluate.judgements import Judgements
    from webstrata.search.evaluate.queries import TimedQuery
    from webstrata.search.evaluate.runs import Run

BM25 = "bm25"
"""The way without change and links: the pages that match best, as many as there are candidates."""


@dataclass(frozen=True)
class RunOutcome:
    """What one way of asking gave, query by query."""

    name: str
    run: Run
    figures: dict[str, dict[str, float]] = field(default_factory=dict)
    """For each query its measures."""

    def series(self, measure: str) -> npt.NDArray[np.float64]:
        """A measure of each query, in the order of their IDs."""
        return np.array([self.figures[query].get(measure, np.nan) for query in sorted(self.figures)])

    def mean(self, measure: str) -> float:
        """The mean of a measure over all queries."""
        return float(self.series(measure).mean())


class SearchExperiment:
    """Asks queries in any way, and keeps what ways have in common."""

    def __init__(self, search: ChangeSearch, queries: Sequence[TimedQuery], judgements: Judgements) -> None:
        self.search, self.queries, self.judgements = search, list(queries), judgements
        self._intervals = {query.id: self._find_interval(query) for query in queries}
        self._found: dict[tuple[object, ...], Candidates] = {}
        self._seeds: dict[tuple[str, str], tuple[int, QuerySeeds]] = {}
        self._source = search.stages.seeds
        # a text is looked for once, whatever comes behind it
        search.stages = replace(search.stages, seeds=self._find_seeds)

    def _find_interval(self, query: TimedQuery) -> tuple[str, str]:
        """The interval of a query; where there is none, it is said which query asks for it."""
        try:
            return self.search.interval(query.at)
        except DateError as error:
            raise DateError(f"query {query.id}: {error}") from None

    def check_queries(self) -> None:
        """Ask each text for one page, so that one that cannot be read is refused before long work, by its ID.

        Examples
        --------
        >>> from webstrata import testing
        >>> from webstrata.search.change import ChangeSearch
        >>> from webstrata.search.evaluate.queries import TimedQuery
        >>> search = ChangeSearch(testing.collection())
        >>> SearchExperiment(search, [TimedQuery("1", "storm", "2026-06")], {}).check_queries()
        >>> SearchExperiment(search, [TimedQuery("2", " ", "2026-06")], {}).check_queries()
        Traceback (most recent call last):
        webstrata.errors.UsageError: the query is empty; write some words to look for
        """
        for query in self.queries:
            try:
                self._source(query.text, self._intervals[query.id][1], 1)
            except QueryError as error:
                told = str(error).removeprefix("query")
                raise QueryError(f"query {query.id}{told}", error.excerpt) from None

    def _find_seeds(self, query: str, label: str, number: int) -> QuerySeeds:
        asked, found = self._seeds.get((query, label), (0, None))
        if found is None or asked < number:
            asked, found = number, self._source(query, label, number)
            self._seeds[query, label] = asked, found
        return type(found)(found.nodes[:number], found.scores[:number])

    @property
    def has_other_month(self) -> bool:
        """Whether there is a second interval to ask for."""
        return len(self.search.union.snapshots) > 2

    def interval(self, query: TimedQuery, *, is_other: bool = False) -> tuple[str, str]:
        """The interval of a query; or another one, in which nothing of it happened: the next, or the last."""
        before, after = self._intervals[query.id]
        if not is_other:
            return before, after
        known = list(self.search.union.snapshots)
        place = known.index(after)
        place = place + 1 if place + 1 < len(known) else place - 1
        return known[place - 1], known[place]

    def ask(
        self,
        settings: ChangesSettings,
        *,
        name: str = "",
        is_other: bool = False,
        progress: Progress | None = None,
    ) -> RunOutcome:
        """The outcome of ranking by settings, in the right month or in the other one."""
        run: Run = {}
        figures: dict[str, dict[str, float]] = {}
        for query in self.queries:
            before, after = self.interval(query, is_other=is_other)
            found = self._gather(query, before, after, settings)
            preference, scores = self.search.rank(found, settings)
            order = order_answers(found, scores, preference, settings)
            urls = self.search.union.urls_at(after)
            run[query.id] = [urls[int(page)] for page in found.pages[order]]
            figures[query.id] = self._measure_graph(found, order[:DEPTH], after, settings.restart)
        return self._finish(name or settings.rank, run, figures)

    def ask_bm25(self, settings: ChangesSettings, *, is_other: bool = False) -> RunOutcome:
        """The outcome of text alone: as many pages as a change search has candidates."""
        run: Run = {}
        for query in self.queries:
            _, after = self.interval(query, is_other=is_other)
            found = self._find_seeds(query.text, after, settings.seeds + settings.expansion)
            urls = self.search.union.urls_at(after)
            run[query.id] = [urls[int(page)] for page in found.nodes]
        return self._finish(BM25, run, {})

    def measure(self, name: str, run: Mapping[str, Sequence[str]]) -> RunOutcome:
        """The outcome of a run that somebody else made."""
        return self._finish(name, {query: list(urls) for query, urls in run.items()}, {})

    def _gather(self, query: TimedQuery, before: str, after: str, settings: ChangesSettings) -> Candidates:
        key: tuple[object, ...] = query.id, after, settings.seeds, settings.expansion
        if settings.rank == NEW_TEXT:  # which chooses its seeds by more than text
            key += settings.matches, settings.novelty_half, settings.words_per_link
        if key not in self._found:
            self._found[key] = self.search.gather(query.text, before, after, settings)
        return self._found[key]

    def _measure_graph(
        self, found: Candidates, first: npt.NDArray[np.int64], after: str, restart: float
    ) -> dict[str, float]:
        counts = self.search.counts
        degrees = np.zeros(len(found), np.int64)
        known = found.nodes >= 0
        degrees[known] = counts.outdegrees[counts.snapshots.index(after)][found.nodes[known]]
        return {
            "edges_before": float(count_edges(found.arcs_before, first)),
            "edges_after": float(count_edges(found.arcs_after, first)),
            "kept": kept_share(found.arcs_after, degrees, first, restart),
        }

    def _finish(self, name: str, run: Run, figures: dict[str, dict[str, float]]) -> RunOutcome:
        lists = measure_lists(self.judgements, run)
        return RunOutcome(name, run, {query: lists[query] | figures.get(query, {}) for query in lists})
