"""A change search, stage by stage."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from webstrata.collection.dates import find_last
from webstrata.errors import DateError, MissingError
from webstrata.graph.rows import RowsGraph
from webstrata.search.change.answer import Candidates, ChangeAnswer, ChangeStage
from webstrata.search.change.combine import combine
from webstrata.search.change.counts import WordCounts, open_counts
from webstrata.search.change.expand import expand
from webstrata.search.change.measure import PageChange, no_change
from webstrata.search.change.novelty import (
    NEW_TEXT,
    Novelty,
    list_factors,
    novelty_factors,
    score_new_text,
)
from webstrata.search.change.reasons import Reasons
from webstrata.search.change.seeds import check_query, usual_seeds
from webstrata.search.change.settings import ChangesSettings
from webstrata.search.change.subgraph import induce
from webstrata.search.change.walks import rank_candidates
from webstrata.search.change.weigh import weigh_candidates
from webstrata.temporal.union import NONE, StoredUnion

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from webstrata.collection import Collection
    from webstrata.collection.progress import Progress
    from webstrata.graph.view import Graph
    from webstrata.search.change.expand import Expansion
    from webstrata.search.change.seeds import SeedSource

    Nodes = npt.NDArray[np.int64]
    Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Stages:
    """The functions that a change search is made of; each can be another one of the same kind."""

    seeds: SeedSource
    texts: Callable[[str, str, Nodes], Numbers] | None = None
    """What neighbours score for their text; `score` of the seeds where not given, and 0 without it."""
    measure: Callable[[WordCounts, Nodes, str, str], PageChange] = WordCounts.change
    expand: Callable[..., Expansion] = expand
    combine: Callable[..., Numbers] = combine
    weigh: Callable[[Candidates, ChangesSettings], Numbers] = weigh_candidates
    rank: Callable[[Graph, Numbers, ChangesSettings], Numbers] = rank_candidates
    """By links; the ranking `new-text` takes none."""
    score: Callable[[Candidates, ChangesSettings], Numbers] = score_new_text
    """By text and new words: the ranking `new-text`."""

    def __post_init__(self) -> None:
        """Ask who finds seeds for the scores of their neighbours too."""
        if self.texts is None:
            object.__setattr__(self, "texts", getattr(self.seeds, "score", None))


class ChangeSearch:
    """Searches what changed between snapshots of a collection; what it opens, it keeps.

    Parameters
    ----------
    collection
        With a union of its snapshots, and summaries of each.
    stages
        In place of the usual ones.
    progress
        Where what is made once reports.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.search.change.settings import ChangesSettings
    >>> answer = ChangeSearch(testing.collection()).search("storm", "2026-05", "2026-06", ChangesSettings())
    >>> [change.url for change in answer][:2]
    ['http://reef.example/storm', 'http://news.example/storm']
    """

    def __init__(
        self, collection: Collection, *, stages: Stages | None = None, progress: Progress | None = None
    ) -> None:
        if len(collection) < 2:
            raise MissingError(
                f"{collection.path}: it has {len(collection)} snapshot{'' if len(collection) == 1 else 's'}, "
                "and what changed takes two; add another one"
            )
        self.collection = collection
        self.union = StoredUnion(collection)
        self._progress = progress
        self.stages = stages or Stages(usual_seeds(collection))
        self._novelty = Novelty(collection, getattr(self.stages.seeds, "documents", None))
        self._reasons = Reasons(self.union)
        self._graphs: dict[str, tuple[Graph, Graph]] = {}

    @cached_property
    def counts(self) -> WordCounts:
        """Links and words by snapshot, counted and stored when they are needed for the first time."""
        return open_counts(self.union, progress=self._progress)

    # ---- when

    def interval(self, at: str, since: str | None = None) -> tuple[str, str]:
        """The two snapshots that are compared: that of `at`, and `since` or the one before."""
        known = list(self.union.snapshots)
        after = find_last(known, at)
        if since is not None:
            before = find_last(known, since)
            if before >= after:
                raise DateError(f"{before} is not before {after}; name an earlier snapshot to begin with")
            return before, after
        if after == known[0]:
            raise DateError(
                f"{after} is the first snapshot, and there is none before it to compare with; "
                f"the first that can be asked for is {known[1]}"
            )
        return known[known.index(after) - 1], after

    # ---- the stages

    def gather(self, query: str, before: str, after: str, settings: ChangesSettings) -> Candidates:
        """The seeds of a query and their neighbours, with texts, changes and arcs."""
        is_new_text = settings.rank == NEW_TEXT
        number = max(settings.matches, settings.seeds) if is_new_text else settings.seeds
        pages, scores = self.stages.seeds(check_query(query), after, number)
        pages, nodes, scores = _align(np.asarray(pages, np.int64), scores, self.union.to_union(after))
        if is_new_text and len(pages) > settings.seeds:
            kept = self._choose(pages, nodes, scores, before, after, settings)
            pages, nodes, scores = pages[kept], nodes[kept], scores[kept]
        aligned = np.flatnonzero(nodes >= 0)

        def measure(some: Nodes) -> Numbers:
            return self.stages.measure(self.counts, some, before, after).total

        expansion = self.stages.expand(
            self._directions(after),
            nodes[aligned],
            scores[aligned],
            measure(nodes[aligned]),
            measure,
            settings.expansion,
        )
        more = [own[0] for own in self.union.pages(after, expansion.nodes)]
        pages = np.concatenate([pages, np.array(more, np.int64)])
        nodes = np.concatenate([nodes, expansion.nodes])
        change = no_change(len(nodes))
        known = nodes >= 0
        for part, found in zip(
            change, self.stages.measure(self.counts, nodes[known], before, after), strict=True
        ):
            part[known] = found
        return Candidates(
            pages,
            nodes,
            np.concatenate([scores, self._score_texts(query, after, pages[len(scores) :])]),
            change,
            np.concatenate([np.full(len(scores), -1), aligned[expansion.through]]).astype(np.int64),
            self._hosts(after, pages),
            # other rankings do without, and counting words takes time
            self._find_novelty(pages, nodes, before, after) if is_new_text else np.full(len(pages), np.nan),
            *self._sizes(nodes, after),
            *induce(self.union, nodes, before, after),
        )

    def rank(self, found: Candidates, settings: ChangesSettings) -> tuple[Numbers, Numbers]:
        """The preference p(u) of each candidate, and its score."""
        preference = self.stages.combine(
            found.texts, found.change.total, alpha=settings.alpha, saturation=settings.saturation
        )
        if settings.rank == NEW_TEXT:
            return preference, self.stages.score(found, settings)
        graph = RowsGraph.from_arcs(found.arcs_after, num_nodes=len(found))
        graph.weights = self.stages.weigh(found, settings)
        return preference, self.stages.rank(graph, preference, settings)

    def search(
        self, query: str, before: str, after: str, settings: ChangesSettings | None = None
    ) -> ChangeAnswer:
        """What changed about a query between two snapshots."""
        settings = settings or self.collection.settings(ChangesSettings)
        for label in (before, after):
            self.union.place(label)
        found = self.gather(query, before, after, settings)
        preference, scores = self.rank(found, settings)
        return ChangeAnswer(
            query,
            before,
            after,
            settings,
            found,
            preference,
            scores,
            urls=self.union.urls_at(after),
            reasons=self._reasons,
            stages=self._tell(found, after, settings),
        )

    def _choose(
        self,
        pages: Nodes,
        nodes: Nodes,
        scores: Numbers,
        before: str,
        after: str,
        settings: ChangesSettings,
    ) -> Nodes:
        """The places of the seeds of `new-text` among pages that match, in their order."""
        factors = novelty_factors(
            self._find_novelty(pages, nodes, before, after), settings.novelty_half
        ) * list_factors(*self._sizes(nodes, after), self._hosts(after, pages), settings.words_per_link)
        best = np.argsort(-scores * factors, kind="stable")[: settings.seeds]
        return np.sort(best)

    def _find_novelty(self, pages: Nodes, nodes: Nodes, before: str, after: str) -> Numbers:
        """The share of new words of pages, NaN for those that are not aligned."""
        found = np.full(len(pages), np.nan)
        known = np.flatnonzero(nodes >= 0)
        earlier = self._reasons.pages_before(nodes[known], before)
        found[known] = self._novelty.shares(earlier, pages[known], before, after)
        return found

    def _sizes(self, nodes: Nodes, label: str) -> tuple[Numbers, Numbers]:
        """The numbers of words and of out-links of nodes in a snapshot, 0 for those that are not aligned."""
        row, known = self.counts.snapshots.index(label), nodes >= 0
        words, outdegrees = np.zeros(len(nodes)), np.zeros(len(nodes))
        words[known] = self.counts.words[row][nodes[known]]
        outdegrees[known] = self.counts.outdegrees[row][nodes[known]]
        return words, outdegrees

    def _score_texts(self, query: str, label: str, pages: Nodes) -> Numbers:
        """What neighbours score for their text; nothing where the source of seeds cannot say."""
        texts = self.stages.texts
        return np.zeros(len(pages)) if texts is None else np.asarray(texts(query, label, pages), np.float64)

    def _hosts(self, label: str, pages: Nodes) -> Nodes:
        """A number for the host of each page."""
        urls = self.union.urls_at(label)
        names = [urls[int(page)].split("/", 3)[2] for page in pages]
        return np.unique(names, return_inverse=True)[1].astype(np.int64)

    def _directions(self, label: str) -> tuple[Graph, Graph]:
        """The graph of a snapshot in both directions, made once: which nodes it has takes a look at all."""
        if label not in self._graphs:
            graph = self.union.at(label)
            self._graphs[label] = graph, graph.transpose()
        return self._graphs[label]

    def _tell(self, found: Candidates, after: str, settings: ChangesSettings) -> list[ChangeStage]:
        number = self.union.place(after)
        left_out = self.union.facts.pages[number] - self.union.facts.aligned[number]
        alone = int(np.count_nonzero(found.nodes < 0))
        aligned = (
            f"{left_out:,} pages of {after} are not aligned and are ranked by text alone, {alone} of the "
            "seeds among them"
            if left_out
            else f"all pages of {after} are aligned"
        )
        walks = {
            NEW_TEXT: f"BM25 times new / (new + {settings.novelty_half:g}) of the share of new words, less "
            "for lists of links",
            "none": "p itself",
            "pagerank": f"personalized PageRank, restart {settings.restart:g}",
            "hits-authority": f"authorities of personalized HITS, supersource {settings.supersource:g}",
            "hits-hub": f"hubs of personalized HITS, supersource {settings.supersource:g}",
            "hits": f"the mean of authorities and hubs of personalized HITS, supersource "
            f"{settings.supersource:g}",
            "combined": f"the mean of PageRank (restart {settings.restart:g}) and authorities "
            f"(supersource {settings.supersource:g})",
        }
        links = {
            "new": f"those of a host to a page as one, times {settings.old_links:.3g} if there before",
            "hosts": "those of a host to a page as one",
            "equal": "all equal",
        }
        neighbours = len(found) - found.num_seeds
        source = getattr(self.stages.seeds, "told", type(self.stages.seeds).__name__)
        weighed = f", links {links[settings.link_weights]}" if settings.rank not in (NEW_TEXT, "none") else ""
        return [
            ChangeStage("seeds", f"the {found.num_seeds} best of at most {settings.seeds} by {source}"),
            ChangeStage(
                "change", f"|ln in₁/in₂| + |ln out₁/out₂| + |ln words₁/words₂|, each count plus 1; {aligned}"
            ),
            ChangeStage(
                "expansion",
                f"{neighbours} neighbours of at most {settings.expansion} by BM25(u) + change(u) + change(v)",
            ),
            ChangeStage(
                "combination",
                f"p = {settings.alpha:g} · text / largest + {1 - settings.alpha:g} · change / (change + "
                f"{settings.saturation:g})",
            ),
            ChangeStage(
                "rank",
                f"{walks[settings.rank]}, on {len(found)} pages and {len(found.arcs_after)} links of {after} "
                f"({len(found.arcs_before)} before){weighed}",
            ),
        ]


def _align(pages: Nodes, scores: Numbers, to_union: npt.NDArray[np.uint32]) -> tuple[Nodes, Nodes, Numbers]:
    """Pages with their nodes of the union, -1 for none; of several with one node the best, which is first."""
    found = to_union[pages]
    nodes = np.where(found == NONE, -1, found.astype(np.int64))
    _, first = np.unique(nodes, return_index=True)
    kept = nodes < 0
    kept[first] = True
    return pages[kept], nodes[kept], np.asarray(scores, np.float64)[kept]
