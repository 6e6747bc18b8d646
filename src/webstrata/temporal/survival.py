"""How long pages, hosts and links live: survival curves, birth and death rates.

A page, host or link is **alive** in all snapshots from the first that has it to the last that has it: one
that is absent for a while and returns was not dead. All that is needed is the matrix L of lives, L(f, l) =
how many are seen first in snapshot f and last in snapshot l. With n snapshots 0 … n − 1,

- N(t) = Σ L(f, l) over f ≤ t ≤ l is how many are alive in t,
- B(t) = Σ L(t + 1, l) over l are born between t and t + 1, and D(t) = Σ L(f, t) over f die there.

**Rates.** For each pair of successive snapshots the birth rate B(t) / N(t) and the death rate D(t) / N(t);
and per year, if the snapshots are Δ years apart, δ = −ln(1 − D / N(t)) / Δ and β = δ + ln(N(t + 1) / N(t))
/ Δ: the rates of a process with constant rates that has these counts.

**Survival curve.** S(k) is the share of what is alive at some snapshot that is alive k snapshots later, by
the product limit of Kaplan and Meier (1958): S(k) = Π (1 − d(m) / r(m)) over m = 1 … k, where r(m) counts,
over all starts t with t + m < n, what is alive in t and in t + m − 1, and d(m) how many of them are not
alive in t + m.

**Censoring.** *Right*: what the last snapshot has may live on; a start t contributes to lag m only while t
+ m is observed, and nothing dies in the last snapshot. *Left*: what the first snapshot has is of unknown
age; so S(k) is the residual life of what is there, not the life of what is new, and no age is needed. What
is absent from the last snapshots and would have returned later counts as dead: the last death rate is an
upper bound.

Next to it the plain shares: of what is in snapshot t, how much is in snapshot u > t.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata.collection.caveats import MIN_PAGES
from webstrata.collection.snapshot_dates import parse_snapshot_date

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.temporal.union import UnionFacts

_YEAR = 365.25 * 86_400
NAMES = {"hosts": "hosts", "urls": "pages", "arcs": "links"}
"""What the tables of a union are about, in words."""


@dataclass(frozen=True)
class Lag:
    """One point of a survival curve."""

    lag: int
    """Snapshots later."""
    years: float
    """Mean time between the snapshots that are so far apart."""
    at_risk: int
    """r: observations that could end here."""
    deaths: int
    survival: float


@dataclass(frozen=True)
class Turnover:
    """What was born and died between two successive snapshots."""

    start: str
    end: str
    alive: int
    """In the first of the two."""
    births: int
    deaths: int
    years: float
    birth_rate: float
    """Per what is alive at the start."""
    death_rate: float
    births_per_year: float | None
    """None where nothing, or nothing of what was there, is alive at the end."""
    deaths_per_year: float | None


@dataclass(frozen=True)
class Survival:
    """How long one kind of thing lives."""

    what: str
    """pages, hosts or links."""
    snapshots: list[str]
    shares: list[list[float | None]]
    """Row t, column u: of what is in t, the share that is in u; None where u ≤ t or t is empty."""
    curve: list[Lag]
    turnover: list[Turnover]
    warnings: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def describe_survival(facts: UnionFacts) -> list[Survival]:
    """The survival of hosts, pages and links of a union; none where a build of an earlier version made it.

    Examples
    --------
    >>> from webstrata.temporal.union import UnionFacts
    >>> table = [[2, 1], [1, 3]]
    >>> facts = UnionFacts(["2026-01", "2026-02"], "static", urls=table, lives={"urls": [[1, 1], [0, 2]]})
    >>> [(found.what, found.curve[0].survival) for found in describe_survival(facts)]
    [('pages', 0.5)]
    """
    num_hosts = int(np.sum(facts.lives.get("hosts", []))) or None
    return [
        survival_of_lives(NAMES[what], facts.lives[what], getattr(facts, what), facts.snapshots, num_hosts)
        for what in NAMES
        if what in facts.lives
    ]


def survival_of_lives(
    what: str,
    lives: Sequence[Sequence[int]],
    common: Sequence[Sequence[int]],
    snapshots: Sequence[str],
    num_hosts: int | None = None,
) -> Survival:
    """Survival from first and last sightings.

    Parameters
    ----------
    what
        What is counted, in the plural.
    lives
        L(f, l): how many are seen first in snapshot f and last in l.
    common
        How many every two snapshots have in common, sizes on the diagonal.
    snapshots
        Their labels, oldest first.
    num_hosts
        How many hosts they are of, where that is known, for a warning.

    Examples
    --------
    Four pages: one lives through all three snapshots, one dies after each of the first two, one is born last.

    >>> lives = [[1, 1, 1], [0, 0, 0], [0, 0, 1]]
    >>> common = [[3, 2, 1], [2, 2, 1], [1, 1, 2]]
    >>> found = survival_of_lives("pages", lives, common, ["2024", "2025", "2026"])
    >>> [(point.at_risk, point.deaths, round(point.survival, 2)) for point in found.curve]
    [(5, 2, 0.6), (2, 1, 0.3)]
    >>> [(row.births, row.deaths) for row in found.turnover], round(found.shares[0][2], 2)
    ([(0, 1), (1, 1)], 0.33)
    """
    table = np.asarray(lives, np.int64)
    number = len(snapshots)
    moments = [parse_snapshot_date(label).timestamp() / _YEAR for label in snapshots]
    shares: list[list[float | None]] = [
        [common[t][u] / common[t][t] if u > t and common[t][t] else None for u in range(number)]
        for t in range(number)
    ]
    alive = [int(table[: t + 1, t:].sum()) for t in range(number)]
    curve = _curve(table, moments)
    turnover = []
    for t in range(number - 1):
        births, deaths = int(table[t + 1].sum()), int(table[:, t].sum())
        years = moments[t + 1] - moments[t]
        birth_rate, death_rate = (count / alive[t] if alive[t] else 0.0 for count in (births, deaths))
        dying = birthing = None
        if death_rate < 1 and alive[t] and alive[t + 1] and years > 0:
            dying = -math.log1p(-death_rate) / years
            # of a web that shrinks by its deaths alone, rounding must not make it negative
            birthing = max(dying + math.log(alive[t + 1] / alive[t]) / years, 0.0)
        row = (alive[t], births, deaths, years, birth_rate, death_rate, birthing, dying)
        turnover.append(Turnover(snapshots[t], snapshots[t + 1], *row))
    return Survival(what, list(snapshots), shares, curve, turnover, _warn(what, curve, turnover, num_hosts))


def _curve(lives: np.ndarray[Any, np.dtype[np.int64]], moments: list[float]) -> list[Lag]:
    number = len(moments)
    curve = []
    survival = 1.0
    for lag in range(1, number):
        starts = range(number - lag)
        at_risk = sum(int(lives[: t + 1, t + lag - 1 :].sum()) for t in starts)
        deaths = sum(int(lives[: t + 1, t + lag - 1].sum()) for t in starts)
        if not at_risk:
            break
        survival *= 1 - deaths / at_risk
        years = sum(moments[t + lag] - moments[t] for t in starts) / len(starts)
        curve.append(Lag(lag, years, at_risk, deaths, survival))
    return curve


def _warn(what: str, curve: list[Lag], turnover: list[Turnover], num_hosts: int | None) -> list[str]:
    found = []
    if len(turnover) == 1:
        found.append(
            f"survival of {what}: there are two snapshots, so the curve has one point, and what would return "
            "later counts as dead"
        )
    few = [row.lag for row in curve if row.at_risk < MIN_PAGES]
    if few:
        least = min(row.at_risk for row in curve)
        found.append(
            f"survival of {what}: from lag {few[0]} on, there are fewer than {MIN_PAGES} observations "
            f"(as few as {least})"
        )
    if num_hosts == 1 and what != "hosts":
        found.append(f"survival of {what}: all are of one host, and rates of other hosts may differ")
    return found
