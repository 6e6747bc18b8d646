r"""Which page to visit again, compared on recorded or drawn change times.

The input is, for each page, the times at which its content changed. A simulated crawler makes at most
`budget` visits per day, evenly spaced; at each turn it visits the page that has been due for longest, or none
if no page is due. A visit tells whether the page changed since the last one. Policies differ in when a page
is due again, τ days after a visit:

================  ========================================================================================
``uniform``       every page after the same interval, n / budget
``proportional``  in proportion to the true change rate λ: τ = Σλ / (λ·budget)
``adaptive``      StormCrawler's rule: the interval is halved towards its minimum (1 hour) if the page had
                  changed, multiplied by 1.5 if not, up to 14 days
``nutch``         Nutch's rule: 0.8 times as long if the page had changed, 1.4 times if not; 60 s to 1 year
``known``         the optimum for the true rates (`webstrata.crawl.plan`)
``greedy``        what a continuous crawl does: visits by beliefs about the rates, from the visits so far
                  (`webstrata.crawl.schedule.belief`)
================  ========================================================================================

The first visit of every page is free and comes at time 0. *Freshness* is the mean over time of the share of
pages, weighted by importance, that have not changed since their last visit; *age* is the mean time since the
first change not yet seen. Both are measured after `warmup` days. True rates are the number of changes of a
page divided by the duration, not a property of a model, so recorded histories need no Poisson assumption.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webstrata.collection.settings import unknown_name
from webstrata.collection.tables import TableList
from webstrata.crawl.schedule.belief import (
    BINS,
    class_of,
    due_intervals,
    estimate_shares,
    find_threshold,
    worth,
)
from webstrata.crawl.schedule.optimum import plan
from webstrata.crawl.schedule.rates import SLOWEST
from webstrata.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import numpy.typing as npt

    from webstrata.collection.progress import Progress

    Numbers = npt.NDArray[np.float64]

REVISIT_POLICIES = ("uniform", "proportional", "adaptive", "nutch", "known", "greedy")
_HOUR = 1 / 24


@dataclass(frozen=True)
class RevisitOutcome:
    """What one policy reached."""

    policy: str
    freshness: float
    """Mean share of pages that are fresh, weighted by importance."""
    age: float
    """Mean days since the first change not yet seen, weighted by importance."""
    visits: int
    changed: int
    """Visits that found a changed page."""
    unvisited: int
    """Pages that were never visited again."""


def draw_changes(rates: npt.ArrayLike, days: float, *, seed: int = 0) -> list[Numbers]:
    """Change times of pages that change at random (Poisson) with given rates per day.

    Examples
    --------
    >>> [len(times) for times in draw_changes([0.0, 10.0], 30, seed=1)]
    [0, 301]
    """
    random = np.random.default_rng(seed)
    return [
        np.sort(random.uniform(0, days, number))
        for number in random.poisson(np.asarray(rates, np.float64) * days)
    ]


def compare_revisits(
    changes: Sequence[Numbers],
    days: float,
    budget: float,
    *,
    policies: Iterable[str] = REVISIT_POLICIES,
    importance: npt.ArrayLike | None = None,
    groups: npt.ArrayLike | None = None,
    warmup: float = 0.0,
    max_interval: float = 90.0,
    progress: Progress | None = None,
) -> TableList[RevisitOutcome]:
    """Freshness and age that each policy reaches with the same budget.

    Parameters
    ----------
    changes
        Times of the changes of each page, in days from 0, sorted.
    days
        How long to simulate.
    budget
        Visits per day in total.
    policies
        Which of the policies above to compare.
    importance
        Weight of each page; default: 1 for all.
    groups
        Host number of each page: estimated rates of pages with few visits are drawn towards their host's.
    warmup
        Days at the beginning that are not measured.
    max_interval
        Longest number of days between two visits that the optimal policies plan.

    Examples
    --------
    >>> changes = draw_changes([0.01] * 40 + [0.3] * 40 + [20.0] * 20, 60, seed=1)
    >>> found = compare_revisits(changes, 60, budget=20, policies=["uniform", "known"], warmup=10)
    >>> [(each.policy, round(each.freshness, 2)) for each in found]
    [('uniform', 0.6), ('known', 0.66)]
    """
    if not changes:
        raise UsageError("there are no pages to revisit; give the change times of at least one page")
    if not budget > 0 or not days > warmup >= 0:
        raise UsageError(
            f"a budget above 0 and more days than the warm-up are needed; they are {budget:g}, {days:g} and "
            f"{warmup:g}"
        )
    weight = np.ones(len(changes)) if importance is None else np.asarray(importance, np.float64)
    found = []
    for name in policies:
        if name not in REVISIT_POLICIES:
            raise UsageError(unknown_name("revisit", name, "policy", dict.fromkeys(REVISIT_POLICIES)))
        web = _Web(changes, days, warmup, weight)
        visits, changed = _POLICIES[name](web, budget, max_interval, groups)
        found.append(web.judge(name, visits, changed))
        if progress is not None:
            progress.note(f"{name}: freshness {found[-1].freshness:.3f}, {visits:,} visits")
    return TableList(found)


class _Web:
    """Pages that change at given times, and what a crawler has seen of them."""

    def __init__(self, changes: Sequence[Numbers], days: float, warmup: float, weight: Numbers) -> None:
        self.changes = [np.asarray(times, np.float64) for times in changes]
        self.days, self.warmup, self.weight = days, warmup, weight
        self.last = np.zeros(len(changes))
        self.again = np.zeros(len(changes), np.bool_)
        self._stale = np.zeros(len(changes))
        self._age = np.zeros(len(changes))
        self.shares = np.zeros((0, 0))

    @property
    def rates(self) -> Numbers:
        """Changes per day of each page over the whole time."""
        return np.array([len(times) for times in self.changes]) / self.days

    def visit(self, page: int, time: float) -> bool:
        """Visit a page; whether it had changed."""
        first = self._first_unseen(page)
        self._add(page, first, time)
        self.last[page], self.again[page] = time, True
        return bool(first <= time)

    def judge(self, policy: str, visits: int, changed: int) -> RevisitOutcome:
        """Close the books."""
        for page in range(len(self.changes)):
            self._add(page, self._first_unseen(page), self.days)
        share = self.weight / self.weight.sum() / (self.days - self.warmup)
        fresh = 1 - float(self._stale @ share)
        return RevisitOutcome(
            policy, fresh, float(self._age @ share), visits, changed, int((~self.again).sum())
        )

    def _first_unseen(self, page: int) -> float:
        times = self.changes[page]
        place = np.searchsorted(times, self.last[page], side="right")
        return float(times[place]) if place < len(times) else np.inf

    def _add(self, page: int, first: float, until: float) -> None:
        """Count the time from a change to the visit that saw it, as far as it is measured."""
        begin = max(first, self.warmup)
        if begin < until:
            self._stale[page] += until - begin
            self._age[page] += ((until - first) ** 2 - (begin - first) ** 2) / 2


def _serve(
    web: _Web, budget: float, due: Numbers, after: Callable[[int, float, bool], float]
) -> tuple[int, int]:
    """Visit pages as they become due, at most `budget` per day; `after` a visit: when it is due again."""
    queue = [(time, page) for page, time in enumerate(due) if time < web.days]
    heapq.heapify(queue)
    visits = changed = 0
    time = -1 / budget
    while queue:
        begin, page = heapq.heappop(queue)
        time = max(time + 1 / budget, begin)
        if time >= web.days:
            break
        seen = web.visit(page, time)
        visits, changed = visits + 1, changed + seen
        again = after(page, time, seen)
        if again < web.days:
            heapq.heappush(queue, (again, page))
    return visits, changed


def _spread(intervals: Numbers) -> Numbers:
    """First due times, at a random point of each page's interval, so that they do not come all at once."""
    random = np.random.default_rng(0)
    return np.where(np.isfinite(intervals), random.random(len(intervals)) * intervals, np.inf)


def _evenly(web: _Web, budget: float, intervals: Numbers) -> tuple[int, int]:
    return _serve(web, budget, _spread(intervals), lambda page, time, _: time + intervals[page])


def _uniform(web: _Web, budget: float, *_: object) -> tuple[int, int]:
    return _evenly(web, budget, np.full(len(web.last), len(web.last) / budget))


def _proportional(web: _Web, budget: float, *_: object) -> tuple[int, int]:
    with np.errstate(divide="ignore"):
        return _evenly(web, budget, web.rates.sum() / (web.rates * budget))


def _known(web: _Web, budget: float, max_interval: float, *_: object) -> tuple[int, int]:
    return _evenly(web, budget, _plan_intervals(web, web.rates, budget, max_interval))


def _plan_intervals(web: _Web, rates: Numbers, budget: float, max_interval: float) -> Numbers:
    """Days between two visits by the optimal plan; a small budget overrides the longest interval."""
    longest = max_interval if len(rates) / max_interval < budget / 2 else None
    with np.errstate(divide="ignore"):
        return 1 / plan(np.maximum(rates, SLOWEST), web.weight, budget, max_interval=longest)


def _by_steps(
    shorter: Callable[[float], float], longer: Callable[[float], float]
) -> Callable[..., tuple[int, int]]:
    """A policy that shortens the interval of a page that changed, and lengthens it otherwise."""

    def run(web: _Web, budget: float, *_: object) -> tuple[int, int]:
        # all begin with the interval that spends the budget
        intervals = np.full(len(web.last), len(web.last) / budget)

        def after(page: int, time: float, changed: bool) -> float:  # noqa: FBT001
            intervals[page] = (shorter if changed else longer)(intervals[page])
            return float(time + intervals[page])

        return _serve(web, budget, _spread(intervals), after)

    return run


def _greedy(web: _Web, budget: float, max_interval: float, groups: npt.ArrayLike | None) -> tuple[int, int]:
    """Plan again and again with what the visits so far say about the rates."""
    number = len(web.last)
    group = np.zeros(number, np.int64) if groups is None else np.asarray(groups, np.int64)
    unchanged, changes = np.zeros(number), np.zeros((number, BINS), np.uint8)
    due = _spread(np.full(number, number / budget))
    longest = max_interval if number / max_interval < budget / 2 else np.inf
    visits = changed = 0
    time = -1 / budget
    step = min(max(number / budget / 8, 1 / 24), 1.0)
    values, threshold = _believe(web, unchanged, changes, group, budget, longest)
    for begin in np.arange(0.0, web.days, step):
        if begin:
            values, threshold = _believe(web, unchanged, changes, group, budget, longest)
            intervals = np.minimum(due_intervals(values, web.weight, threshold), longest)
            # an interval counts from the last visit; before the first, the spread of the beginning holds
            due = np.where(web.again, web.last + intervals, np.minimum(due, intervals))
        end = min(begin + step, web.days)
        queue = [(at, page) for page, at in enumerate(due) if at < end]
        heapq.heapify(queue)
        while queue:
            at, page = heapq.heappop(queue)
            time = max(time + 1 / budget, at)
            if time >= end:
                break
            wait = time - web.last[page]
            found = web.visit(page, time)
            if found:
                place = class_of(wait)
                changes[page, place] = min(int(changes[page, place]) + 1, 255)
            else:
                unchanged[page] += wait
            visits, changed = visits + 1, changed + found
            due[page] = np.inf  # until the next plan
            row = slice(page, page + 1)
            fresh, _ = worth(unchanged[row], changes[row], group[row], web.shares)
            due[page] = time + min(float(due_intervals(fresh, web.weight[row], threshold)[0]), longest)
            if due[page] < end:
                heapq.heappush(queue, (due[page], page))
    return visits, changed


def _believe(
    web: _Web,
    unchanged: Numbers,
    changes: npt.NDArray[np.uint8],
    group: npt.NDArray[np.int64],
    budget: float,
    longest: float,
) -> tuple[npt.NDArray[np.float32], float]:
    """What visits of all pages are worth, and the threshold that spends the budget."""
    web.shares = estimate_shares(unchanged, changes, group)
    values, _ = worth(unchanged, changes, group, web.shares)
    return values, find_threshold(values, web.weight, budget, max_interval=longest)


_POLICIES: dict[str, Callable[..., tuple[int, int]]] = {
    "uniform": _uniform,
    "proportional": _proportional,
    "adaptive": _by_steps(lambda old: (old + _HOUR) / 2, lambda old: min(old * 1.5, 14.0)),
    "nutch": _by_steps(lambda old: max(old * 0.8, 60 / 86_400), lambda old: min(old * 1.4, 365.0)),
    "known": _known,
    "greedy": _greedy,
}
