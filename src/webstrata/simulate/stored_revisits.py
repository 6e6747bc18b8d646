"""Policies of revisits compared on the change rates of a stored web.

Each two successive captures of a page, up to a snapshot, say whether it changed between them. The rates that
follow (`webstrata.crawl.schedule.rates`) are taken for the truth: change times are drawn from them, and each
policy visits the pages again, starting without knowledge (`webstrata.simulate.revisits`). What is compared
are policies, and not how good the rates are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from webstrata.crawl.schedule.budget import parse_budget
from webstrata.crawl.schedule.freshness import observe_changes
from webstrata.crawl.schedule.rates import estimate_rates
from webstrata.errors import UsageError
from webstrata.simulate.revisits import RevisitOutcome, compare_revisits, draw_changes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webstrata.api import Collection, Snapshot
    from webstrata.collection.progress import Progress
    from webstrata.collection.tables import TableList

POLICIES = ("greedy", "uniform", "proportional", "adaptive")


def simulate_revisits(
    snapshot: Snapshot,
    *,
    policies: Iterable[str] = POLICIES,
    budget: float | str = "0.2/page/day",
    days: float = 60.0,
    max_pages: int = 2000,
    seed: int = 0,
    progress: Progress | None = None,
) -> TableList[RevisitOutcome]:
    """Freshness and age that policies reach with the same budget, at the change rates of a stored web.

    Parameters
    ----------
    snapshot
        The newest snapshot that counts; another one with text before it is needed.
    policies
        Names of `webstrata.simulate.revisits`.
    budget
        Visits per day, as a number or as 0.2/page/day.
    days
        How long to simulate; the first half is not measured.
    max_pages
        Of more pages than that, so many are drawn, and their share of the budget.
    seed
        By which pages and change times are drawn.
    progress
        Where progress is shown.

    Examples
    --------
    >>> from webstrata import testing
    >>> found = simulate_revisits(testing.collection()["2026-06"], policies=["uniform", "known"], days=20)
    >>> [each.policy for each in found], found[1].freshness >= found[0].freshness - 0.05
    (['uniform', 'known'], True)
    """
    collection = cast("Collection", snapshot.collection)
    dates = [date for date in collection.dates if date <= snapshot.date]
    if len(dates) < 2:
        raise UsageError(
            f"{snapshot.path}: changes show between two snapshots, and there is none before this one; "
            "choose a later one"
        )
    seen = observe_changes([collection[date] for date in dates], progress=progress)
    number = len(seen.keys)
    _, hosts = np.unique(seen.hosts.astype(str), return_inverse=True)
    rates = estimate_rates(seen.pages, seen.intervals, seen.changed, num_pages=number, groups=[hosts]).rates
    visits = parse_budget(budget, number) if isinstance(budget, str) else float(budget)
    if number > max_pages:
        drawn = np.random.default_rng(seed).choice(number, max_pages, replace=False)
        rates, hosts, visits = rates[drawn], hosts[drawn], visits * max_pages / number
    changes = draw_changes(rates, days, seed=seed)
    return compare_revisits(
        changes, days, visits, policies=policies, groups=hosts, warmup=days / 2, progress=progress
    )
