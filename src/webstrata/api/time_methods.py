"""The methods of a collection about all of its snapshots through time, for `webstrata.api.Collection`.

Each is one call of a function of another room, imported when it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from webstrata.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from os import PathLike
    from typing import Unpack

    from webstrata.api.collection import Collection
    from webstrata.collection.progress import Progress
    from webstrata.crawl.run import Crawl
    from webstrata.crawl.schedule.freshness import Basis, Freshness
    from webstrata.keywords import ContinuousKeywords
    from webstrata.pipeline.crawl_continuous import ContinuousResult
    from webstrata.rank.panel import HostPanel
    from webstrata.temporal.arc_labels import ArcLabelsResult
    from webstrata.temporal.bias import BiasReport
    from webstrata.temporal.tables import UnionStatistics


class TimeMethods:
    """Ingest a labelled graph, write a panel, describe the union."""

    def ingest_arc_labels(
        self,
        basename: str | PathLike[str],
        *,
        at: Sequence[str],
        urls: str | PathLike[str] | None = None,
        progress: Progress | None = None,
    ) -> ArcLabelsResult:
        """Make the snapshots of a published arc-labelled graph those of this collection, and their union."""
        from webstrata.temporal.arc_labels import ingest_arc_labels

        return ingest_arc_labels(cast("Collection", self), basename, at=at, urls=urls, progress=progress)

    def panel(
        self,
        output: str | PathLike[str],
        *,
        methods: Sequence[str] = ("pagerank",),
        snapshots: Sequence[str] = (),
        progress: Progress | None = None,
    ) -> HostPanel:
        """Write one row per host and snapshot as a Parquet file: degrees, ranks, first and last seen."""
        from webstrata.rank.panel import write_panel

        return write_panel(
            cast("Collection", self), output, methods=methods, snapshots=snapshots, progress=progress
        )

    def temporal_stats(self, *, codings: bool = False, progress: Progress | None = None) -> UnionStatistics:
        """What the snapshots have in common, how long pages live, and the size of their union.

        With `codings`, the union is also coded as TIME does, and the sizes are compared.
        """
        from webstrata.temporal.tables import UnionStatistics

        return UnionStatistics(cast("Collection", self).temporal, codings=codings, progress=progress)

    def freshness(
        self,
        *,
        at: str | None = None,
        basis: Basis = "main",
        budget: float | str | Sequence[float | str] = (),
        progress: Progress | None = None,
    ) -> Freshness:
        """How up to date the collection is, by host, and what budgets of visits per day would give.

        Examples
        --------
        >>> from webstrata import testing
        >>> found = testing.collection().freshness(at="2026-06-20", budget="0.1/page/day")
        >>> round(found.plans().rows[0]["optimal"], 2)
        0.96
        """
        from webstrata.crawl.schedule.freshness import measure_freshness

        budgets = [budget] if isinstance(budget, float | int | str) else list(budget)
        return measure_freshness(
            cast("Collection", self), at=at, basis=basis, budgets=budgets, progress=progress
        )

    def crawl_continuous(
        self,
        *,
        seeds: str | PathLike[str] | Iterable[str] | None = None,
        invitro: str | None = None,
        invitro_seed: int = 0,
        speed: float = 1.0,
        days: float | None = None,
        options: Mapping[str, object] | None = None,
        schedule: Mapping[str, object] | None = None,
        watch: Callable[[Crawl], None] | None = None,
        progress: Progress | None = None,
    ) -> ContinuousResult:
        """Visit pages again and again, each when it is worth most, and cut snapshots, until it is stopped."""
        from webstrata.pipeline.crawl_continuous import crawl_continuous

        return crawl_continuous(
            cast("Collection", self),
            seeds=seeds,
            invitro=invitro,
            invitro_seed=invitro_seed,
            speed=speed,
            days=days,
            options=options,
            schedule=schedule,
            watch=watch,
            progress=progress,
        )

    def change_schedule(self, **options: Unpack[ContinuousKeywords]) -> dict[str, object]:
        """Change settings of ``[continuous]``; a continuous crawl that runs obeys them within seconds.

        Examples
        --------
        >>> from webstrata import testing
        >>> testing.collection().change_schedule(budget="5/s")
        {'budget': '5/s'}
        """
        from webstrata.crawl.schedule.settings import ContinuousSettings

        given = {name: value for name, value in options.items() if value is not None}
        if not given:
            raise UsageError("nothing to change; give a setting, as --budget 5/s")
        collection = cast("Collection", self)
        collection.settings(ContinuousSettings, given)
        collection.remember(ContinuousSettings, given)
        return given

    def temporal_bias(
        self,
        *,
        replicates: int = 400,
        seed: int = 0,
        invitro: str | None = None,
        invitro_seed: int = 0,
        progress: Progress | None = None,
    ) -> BiasReport:
        """What the limits of the crawls did to the sample."""
        from webstrata.invitro.alignment import read_panel
        from webstrata.temporal.bias import report_bias

        collection = cast("Collection", self)
        truth = (
            read_panel(invitro, invitro_seed, len(collection.temporal.facts.snapshots)) if invitro else None
        )
        return report_bias(
            collection.temporal, replicates=replicates, seed=seed, truth=truth, progress=progress
        )
