r"""How up to date a collection is, and what a budget of visits would give.

Each two successive captures of a page in different snapshots are an observation: τ days apart, changed or
not. What counts as a change is the main content by default, so that a counter in the footer does not; `text`
is all visible text, `bytes` the payload. Change rates follow by maximum likelihood, with the page's host as
its group (`webstrata.crawl.schedule.rates`). Then, for a page with rate λ last captured Δ days before the
date of the report::

    freshness  e^(−λΔ)                       probability that it has not changed since
    age        Δ − (1 − e^(−λΔ))/λ           expected time since the first change not seen

Intervals of the means come from the 95% intervals of the rates, all at their upper or all at their lower
ends; they are conservative. The table of budgets gives the mean freshness that revisits would keep up in the
long run: by the optimal plan, by equal visits, and by visits in proportion to the rates.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webstrata.collection.progress import Progress
from webstrata.collection.tables import Rows, Table
from webstrata.crawl.schedule.budget import parse_budget
from webstrata.crawl.schedule.optimum import expected_freshness, plan
from webstrata.crawl.schedule.rates import estimate_rates
from webstrata.errors import SettingError, UsageError
from webstrata.store.text import cut_main

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    from webstrata.api import Collection, Snapshot
    from webstrata.crawl.schedule.rates import ChangeRates

    Numbers = npt.NDArray[np.float64]
    Basis = Literal["main", "text", "bytes"]

BASES: tuple[Basis, ...] = ("main", "text", "bytes")
BUDGETS = (1 / 90, 1 / 30, 1 / 7, 1.0)
"""Visits per page and day that are compared if no budget is given."""


@dataclass(frozen=True)
class Observations:
    """What the snapshots of a collection say about changes of pages."""

    keys: pa.Array
    """Row keys of all pages."""
    hosts: npt.NDArray[np.object_]
    """Name of the host of each page."""
    last: Numbers
    """Days since 1970 of the last capture of each page."""
    pages: npt.NDArray[np.int64]
    """Page of each pair of captures."""
    intervals: Numbers
    changed: npt.NDArray[np.bool_]


def observe_changes(
    snapshots: Sequence[Snapshot], basis: Basis = "main", *, progress: Progress | None = None
) -> Observations:
    """Pairs of successive captures of pages, with whether the page changed.

    Examples
    --------
    >>> from webstrata import testing
    >>> seen = observe_changes([testing.collection()[date] for date in ("2026-04", "2026-05", "2026-06")])
    >>> len(seen.keys), len(seen.pages), int(seen.changed.sum())
    (16, 25, 5)
    """
    if basis not in BASES:
        raise SettingError(f"unknown basis of changes '{basis}'; choose one of {', '.join(BASES)}")
    progress = progress or Progress()
    columns = [snapshot.urls.key_column.cast(pa.large_string()) for snapshot in snapshots]
    keys = pc.unique(
        pa.chunked_array([chunk for column in columns for chunk in column.chunks], pa.large_string())
    )
    last = np.full(len(keys), np.nan)
    digests = np.zeros(len(keys), np.uint64)
    hosts = np.empty(len(keys), np.object_)
    pages, intervals, changed = [], [], []
    with progress.task("reading contents", total=sum(map(len, columns)), unit="pages") as task:
        for snapshot, column in zip(snapshots, columns, strict=True):
            place = pc.index_in(column, keys).combine_chunks().to_numpy(zero_copy_only=False).astype(np.int64)
            table = snapshot.pages.table("fetch_time", "url_host_name")
            hosts[place] = table["url_host_name"].to_pylist()
            now = table["fetch_time"].cast(pa.int64()).to_numpy() / 86_400_000
            found = np.fromiter(_digest(snapshot, basis, task.advance), np.uint64, len(place))
            again = now > last[place]  # false for a page seen for the first time
            pages.append(place[again])
            intervals.append(now[again] - last[place[again]])
            changed.append(found[again] != digests[place[again]])
            newer = again | np.isnan(last[place])
            last[place[newer]], digests[place[newer]] = now[newer], found[newer]
    return Observations(
        keys, hosts, last, np.concatenate(pages), np.concatenate(intervals), np.concatenate(changed)
    )


def _digest(snapshot: Snapshot, basis: Basis, advance: Any) -> Iterable[int]:  # noqa: ANN401
    """64 bits of a digest of each page's content."""
    if basis == "bytes":
        for value in snapshot.pages.table("content_digest")["content_digest"].to_pylist():
            yield _hash(str(value))
            advance(1)
        return
    for batch in snapshot.text.scan("text", "main"):
        for text, places in zip(batch["text"].to_pylist(), batch["main"].to_pylist(), strict=True):
            yield _hash(cut_main(text or "", places or []) if basis == "main" else text or "")
            advance(1)


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest())


@dataclass(frozen=True, repr=False)
class Freshness(Table):
    """How up to date a collection is at a date; one row per host, the least fresh first."""

    at: str
    basis: str
    snapshots: tuple[str, ...]
    hosts: Sequence[str]
    """Names of hosts."""
    host: npt.NDArray[np.int64]
    """Host of each page."""
    elapsed: Numbers
    """Days since the last capture of each page."""
    rates: ChangeRates
    budgets: tuple[float, ...]
    """Visits per day to compare."""

    formats = {"changes_per_day": ".4f", "freshness": ".1%", "age": ".1f"}  # noqa: RUF012

    def __len__(self) -> int:
        return len(self.hosts)

    @staticmethod
    def _fresh(rates: Numbers, elapsed: Numbers) -> Numbers:
        return np.exp(-rates * elapsed)

    @cached_property
    def _pages(self) -> dict[str, Numbers]:
        rate = self.rates.rates
        return {
            "fresh": self._fresh(rate, self.elapsed),
            "fresh_low": self._fresh(self.rates.high, self.elapsed),
            "fresh_high": self._fresh(self.rates.low, self.elapsed),
            "age": self.elapsed + np.expm1(-rate * self.elapsed) / rate,
        }

    @property
    def facts(self) -> dict[str, Any]:
        """Means over all pages, with what they are based on."""
        means = {name: float(values.mean()) for name, values in self._pages.items()}
        return {
            "at": self.at,
            "changes_of": self.basis,
            "pages": len(self.host),
            "hosts": len(self.hosts),
            "observations": int(self.rates.visits.sum()),
            "changes": int(self.rates.changes.sum()),
            "freshness": means["fresh"],
            "freshness_low": means["fresh_low"],
            "freshness_high": means["fresh_high"],
            "age": means["age"],
            "median_rate": float(np.median(self.rates.rates)),
        }

    @property
    def summary(self) -> str:
        """The means in a sentence."""
        found = self.facts
        return (
            f"{found['freshness']:.1%} of {found['pages']:,} pages are estimated to be up to date at "
            f"{self.at} ({found['freshness_low']:.1%} to {found['freshness_high']:.1%}), the mean age is "
            f"{found['age']:.1f} days; {found['changes']:,} of {found['observations']:,} pairs of captures "
            "differ."
        )

    @property
    def warnings(self) -> list[str]:
        """What to know before relying on these numbers."""
        unseen = float(np.mean(self.rates.visits == 0))
        found = []
        if unseen > 0.5:
            found.append(f"{unseen:.0%} of the pages were captured once, and have the rate of their host")
        if not self.rates.changes.any():
            found.append("no page has changed, so that all rates are upper estimates")
        return found

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per host."""
        number = len(self.hosts)
        pages = np.bincount(self.host, minlength=number)

        def mean(values: npt.NDArray[Any]) -> Numbers:
            return np.bincount(self.host, weights=values, minlength=number) / pages

        columns = {
            "pages": pages,
            "observations": np.bincount(self.host, weights=self.rates.visits, minlength=number).astype(int),
            "changes": np.bincount(self.host, weights=self.rates.changes, minlength=number).astype(int),
            "changes_per_day": mean(self.rates.rates),
            "freshness": mean(self._pages["fresh"]),
            "age": mean(self._pages["age"]),
        }
        rows = [
            {"host": host, **{name: values[place].item() for name, values in columns.items()}}
            for place, host in enumerate(self.hosts)
        ]
        return sorted(rows, key=lambda row: (row["freshness"], row["host"]))

    def plans(self) -> Rows:
        """Mean freshness that budgets would keep up, by the optimal plan and by two simple rules."""
        rate = self.rates.rates
        rows = []
        for budget in self.budgets:
            equal = budget / len(rate)
            rows.append(
                {
                    "visits_per_day": budget,
                    "per_page_and_day": equal,
                    "optimal": float(expected_freshness(rate, plan(rate, budget=budget)).mean()),
                    "equal": float(expected_freshness(rate, equal).mean()),
                    "proportional": float(expected_freshness(rate, rate * (budget / rate.sum())).mean()),
                }
            )
        shares = dict.fromkeys(("optimal", "equal", "proportional"), ".1%")
        return Rows("budgets", rows, formats={"visits_per_day": ",.1f", "per_page_and_day": ".3g", **shares})

    def tables(self) -> Mapping[str, Table]:
        """Hosts, then budgets."""
        return {"Hosts, the least fresh first": self, "Freshness that budgets would keep up": self.plans()}

    def to_dict(self) -> dict[str, Any]:
        """The means, then hosts and budgets."""
        return {
            **self.facts,
            "warnings": self.warnings,
            "hosts": self.to_rows(),
            "budgets": self.plans().rows,
        }


def measure_freshness(
    collection: Collection,
    *,
    at: str | None = None,
    basis: Basis = "main",
    budgets: Sequence[float | str] = (),
    progress: Progress | None = None,
) -> Freshness:
    """How up to date a collection is, from what its snapshots say about changes.

    Parameters
    ----------
    collection
        At least two snapshots with text are needed.
    at
        A date, as ``2026-06`` or ``2026-06-12``; default: today.
    basis
        What counts as a change: ``main`` content, visible ``text`` or ``bytes``.
    budgets
        Visits per day to compare, or texts as ``0.2/page/day``; default: one visit per page in 90, 30, 7
        days and 1 day.

    Examples
    --------
    >>> from webstrata import testing
    >>> found = measure_freshness(testing.collection(), at="2026-06-20")
    >>> found.facts["observations"], found.facts["changes"], round(found.facts["freshness"], 2)
    (25, 5, 0.83)
    """
    from webstrata.collection.snapshot_dates import parse_snapshot_date

    snapshots = [collection[date] for date in collection.dates]
    if len(snapshots) < 2:
        raise UsageError(
            f"{collection.path}: changes show between two snapshots, and it has {len(snapshots)}; add another"
        )
    moment = parse_snapshot_date(at) if at else dt.datetime.now(dt.UTC)
    seen = observe_changes(snapshots, basis, progress=progress)
    day = moment.timestamp() / 86_400
    if day < np.nanmax(seen.last):
        newest = dt.datetime.fromtimestamp(float(np.nanmax(seen.last)) * 86_400, dt.UTC).date()
        raise UsageError(f"at {at}: the newest capture is of {newest}; give a date after it")
    names, host = np.unique(seen.hosts.astype(str), return_inverse=True)
    rates = estimate_rates(seen.pages, seen.intervals, seen.changed, num_pages=len(seen.keys), groups=[host])
    given = [parse_budget(each, len(host)) if isinstance(each, str) else each for each in budgets]
    chosen = tuple(given) or tuple(share * len(host) for share in BUDGETS)
    shown = moment.date().isoformat()
    return Freshness(
        shown,
        basis,
        tuple(collection.dates),
        [str(name) for name in names],
        host,
        day - seen.last,
        rates,
        chosen,
    )
