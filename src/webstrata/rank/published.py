"""Our ranks compared with those that a web graph release publishes.

The release has scores and positions by harmonic centrality and PageRank (see
`webstrata.graph.releases.ranks`); ours are of the same graph. Over all nodes that have both scores, agreement
is **Spearman's ρ**, the correlation of ranks with equal scores at their mean rank. Over the first k it is
what `stability` has: members in common, Kendall's τ of these and rank-biased overlap. Harmonic centrality is
an estimate on both sides (HyperBall): a counter of 64 registers is off by 13%, the mean of our 4 runs by
6.5%, so orders differ among near-equal nodes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from webstrata.collection.sentences import tell_count
from webstrata.collection.tables import Rows, Table
from webstrata.errors import MissingError, UsageError
from webstrata.graph.part import open_release
from webstrata.rank.settings import RankSettings
from webstrata.rank.stability import compare_orders
from webstrata.rank.stored import RankedGraph, rank_snapshot

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt
    import pyarrow as pa

    from webstrata.collection import Snapshot
    from webstrata.collection.progress import Progress

    Scores = npt.NDArray[np.float64]

PUBLISHED = ("harmonic", "pagerank")
"""Methods that releases publish scores of."""
DEPTHS = (10, 100, 1000, 10_000)


@dataclass(frozen=True, repr=False)
class PublishedComparison(Table):
    """How much our ranks and the published ones agree, one row per method and depth."""

    release: str
    level: str
    agreements: list[dict[str, Any]]
    correlations: Mapping[str, float]
    """Spearman's ρ by method."""
    compared: Mapping[str, int]
    """Nodes with both scores, by method."""
    first: list[dict[str, Any]]
    """The first by the published ranks, with ours."""

    @property
    def summary(self) -> str:
        """The correlations of all nodes, one line per method."""
        return "\n".join(
            f"{self.release}, {method}: Spearman's ρ = {correlation:.4f} over "
            f"{tell_count(self.compared[method], self.level)}"
            for method, correlation in self.correlations.items()
        )

    def tables(self) -> dict[str, Table]:
        """How much the first nodes agree, and the first with both ranks."""
        numbers = dict.fromkeys(("jaccard", "kendall_tau", "rank_biased_overlap"), ".3f")
        headings = {"method": "method", "depth": "first", "common": "in both", "jaccard": "Jaccard"}
        headings |= {"kendall_tau": "Kendall's τ", "rank_biased_overlap": "rank-biased overlap"}
        names = {"method": "method", "published": "published", "ours": "ours", "name": self.level}
        return {
            "Agreement": Rows("agreement", self.agreements, formats=numbers, headings=headings),
            "First by the published ranks": Rows("first", self.first, headings=names),
        }

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per method and depth."""
        return self.agreements

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "release": self.release,
            "level": self.level,
            "correlations": dict(self.correlations),
            "compared": dict(self.compared),
            "agreements": self.agreements,
            "first": self.first,
        }


def compare_published(
    snapshot: Snapshot,
    methods: Sequence[str] = PUBLISHED,
    *,
    settings: RankSettings | None = None,
    limit: int = 10,
    progress: Progress | None = None,
) -> PublishedComparison:
    """Our ranks of a snapshot that was made of a web graph release, compared with those it publishes.

    Parameters
    ----------
    snapshot
        Made by ``ingest`` of a release that has a file of ranks.
    methods
        Of ``harmonic`` and ``pagerank``.
    settings
        How ours are computed; as the files say where not given.
    limit
        How many of the first are listed with both ranks.
    progress
        Where it reports.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder, snapshot = testing.scratch(), testing.empty().add("2026-04")
    >>> for name, rows in {
    ...     "vertices": ["0 org.a", "1 org.b"],
    ...     "edges": ["0 1"],
    ...     "ranks": ["#pr_val #host_rev", "0.65 org.b", "0.35 org.a"],
    ... }.items():
    ...     lines = chr(10).join(row.replace(" ", chr(9)) for row in rows)
    ...     _ = (folder / f"cc-host-{name}.txt").write_text(lines)
    >>> _ = snapshot.ingest(webgraph=folder)
    >>> compare_published(snapshot, ["pagerank"]).correlations
    {'pagerank': 1.0}
    """
    if unknown := [name for name in methods if name not in PUBLISHED]:
        raise UsageError(f"{unknown[0]}: releases publish {' and '.join(PUBLISHED)}; name these")
    release = open_release(snapshot)
    if missing := [name for name in methods if name not in release.columns]:
        raise MissingError(
            f"{snapshot.path}: the release {release.facts.name} was ingested without ranks by {missing[0]}; "
            f"put {release.facts.name}-ranks.txt.gz beside its files and ingest it again"
        )
    settings = replace(settings or snapshot.settings(RankSettings), level="page")
    graph = RankedGraph(snapshot, "page")
    agreements: list[dict[str, Any]] = []
    correlations, compared, first = {}, {}, []
    for method in methods:
        theirs = _read_scores(release.to_arrow([method])[method])
        ours = rank_snapshot(snapshot, replace(settings, method=method), graph=graph, progress=progress)
        both = np.flatnonzero(~np.isnan(theirs))
        order = both[np.argsort(-theirs[both], kind="stable")]
        compared[method] = len(both)
        correlations[method] = correlate_ranks(ours.scores[both], theirs[both])
        for depth in sorted({min(depth, len(both)) for depth in DEPTHS}):
            agreement = compare_orders(
                ours.order[:depth].tolist(), order[:depth].tolist(), persistence=settings.persistence
            )
            agreements.append({"method": method, "depth": depth, **agreement.to_dict()})
        first += [
            {
                "method": method,
                "published": place,
                "ours": int(ours.ranks[node]),
                "name": urlsplit(ours.names[node]).hostname if ours.names is not None else None,
            }
            for place, node in enumerate(order[:limit].tolist(), 1)
        ]
    return PublishedComparison(
        release.facts.name, release.facts.level, agreements, correlations, compared, first
    )


def correlate_ranks(one: Scores, other: Scores) -> float:
    """Spearman's ρ: the correlation of ranks, equal scores at their mean rank; 0 where one side is constant.

    Examples
    --------
    >>> correlate_ranks(np.array([0.1, 0.2, 0.9]), np.array([1.0, 5.0, 7.0]))
    1.0
    >>> correlate_ranks(np.array([0.1, 0.2]), np.array([3.0, 3.0]))
    0.0
    """
    from scipy.stats import rankdata

    ranks = [rankdata(scores) for scores in (one, other)]
    centred = [each - each.mean() if len(each) else each for each in ranks]
    spread = float(np.sqrt((centred[0] ** 2).sum() * (centred[1] ** 2).sum()))
    return float((centred[0] * centred[1]).sum() / spread) if spread else 0.0


def _read_scores(column: pa.ChunkedArray) -> Scores:
    """Scores with NaN where the release has none."""
    found: Scores = column.to_numpy(zero_copy_only=False).astype(np.float64)
    return found
