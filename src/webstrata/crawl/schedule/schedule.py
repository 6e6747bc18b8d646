"""Which page a continuous crawl visits next.

Every page has a moment at which it is due: when the value of a visit, expected over what is believed
about its change rate (`webstrata.crawl.schedule.belief`), reaches the threshold ν. ν is one for all
hosts, found so that all visits together spend the budget; a host that politeness allows less than that
has a larger one of its own. Beliefs and ν are renewed again and again while the crawl runs.

Visits are handed out at a constant rate, those due for longest first. A page may come early, after half
its interval, if none is due; so the rate is the budget's, and no faster at any time. New pages take up to
`new_share` of the visits while others wait, and all that is left over. The hosts whose queue in the core
has `max_pending` visits are passed over until it is shorter. A visit under way is marked on disk, so that
a crawl that was killed knows what it had asked for.
"""

from __future__ import annotations

import heapq
import time
from collections import Counter, deque
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from webstrata.crawl.schedule.belief import (
    class_of,
    due_intervals,
    estimate_shares,
    find_threshold,
    worth,
)
from webstrata.crawl.schedule.budget import parse_budget
from webstrata.crawl.schedule.pages import GONE, OTHER, PAGE, SEEN, SENT, KnownPage, KnownPages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.crawl.schedule.clock import CrawlClock
    from webstrata.crawl.schedule.settings import ContinuousSettings

    Numbers = npt.NDArray[np.float64]
    Visit = tuple[str, int, str | None]

DAY = 86_400.0
_PLAN_EVERY = 60.0
"""Seconds after which a plan is renewed at the latest."""
_BURST = 1.0
"""Seconds of ours for which visits are saved up at most."""
_FAILURES, _WEEK = 3, 7 * DAY
ROBOTS, FILTERED = -9998, -5001
"""Statuses of URLs that were not asked for: robots.txt, a filter."""


class Visited(NamedTuple):
    """How a visit ended, as the core reports it."""

    url: str
    status: int
    """Of HTTP; below 0 there was no answer, or the URL was not asked for."""
    content: int
    """64 bits of what counts as a change; 0 where the answer does not tell."""
    date: int
    """Nanoseconds since 1970 on the clock of the web."""
    size: int = 0
    tag: str = ""
    modified: str = ""
    is_page: bool = False
    is_copy: bool = False
    """It repeats the page of another URL."""


class Schedule:
    """The visits of a continuous crawl; one thread uses it.

    Parameters
    ----------
    folder
        Where pages are kept between runs.
    settings
        Budget and choices.
    clock
        The clock of the web.
    host_delay
        Seconds between two visits to a host, which limit how often its pages can be visited.
    timer
        Seconds of ours, which never go back.
    """

    def __init__(
        self,
        folder: Path,
        settings: ContinuousSettings,
        clock: CrawlClock,
        *,
        host_delay: float = 0.0,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self.settings, self.clock, self._timer = settings, clock, timer
        self.pages = KnownPages(folder)
        self._host_cap = DAY / (host_delay * clock.speed) if host_delay else np.inf
        self._due: Numbers = np.full(len(self.pages), np.inf)
        self._heap: list[tuple[float, int]] = []
        self._pending: Counter[int] = Counter()
        self._held: dict[int, list[int]] = {}
        self._closed: set[int] = set()
        self._credit = self._share = 0.0
        self._stepped = timer()
        self._planned, self._plan_cost, self._since_plan = -np.inf, 0.0, 0
        self._shares: Numbers = np.zeros((0, 0))
        self.threshold = 0.0
        self.reasons: Counter[str] = Counter()
        """Visits by reason: ``new``, ``due``, ``early``."""
        self.outcomes: Counter[str] = Counter()
        """Ends of visits: changed, unchanged, not-modified, first, gone, other, failed."""
        state = self.pages.state
        # what was under way when an earlier run ended is asked for again if nothing of it was stored
        state["flags"] &= 0xFF ^ SENT
        self._new = deque(np.flatnonzero((state["flags"] & (SEEN | GONE)) == 0).tolist())

    @property
    def rate(self) -> float:
        """Visits per day of the web's clock."""
        known = int(np.count_nonzero((self.pages.state["flags"] & (GONE | OTHER)) == 0))
        return parse_budget(self.settings.budget, max(known, 1))

    def change(self, settings: ContinuousSettings) -> None:
        """Obey other settings from now on."""
        if settings != self.settings:
            self.settings = settings
            self._planned = -np.inf

    # ---- what comes in

    def add(self, urls: Sequence[Visit]) -> None:
        """Take up URLs that were found."""
        by_depth = self.settings.importance == "depth"
        groups: dict[float, list[Visit]] = {}
        for url in urls:
            groups.setdefault(1 / (1 + url[1]) if by_depth else 1.0, []).append(url)
        for importance, group in groups.items():
            rows = self.pages.add(group, importance)
            self._new.extend(rows.tolist())
        more = len(self.pages) - len(self._due)
        self._due = np.append(self._due, np.full(more, np.inf))

    def adopt(self, urls: Sequence[str], visited: npt.NDArray[np.integer]) -> None:
        """Take up pages of an earlier snapshot, with the seconds at which they were visited."""
        self.add([(url, 0, None) for url in urls])
        rows = self.pages.find(urls)
        state = self.pages.state
        fresh = state["last"][rows] < visited
        state["last"][rows[fresh]] = visited[fresh]
        state["flags"][rows[fresh]] |= SEEN | PAGE
        self._new = deque(row for row in self._new if not state["flags"][row] & SEEN)
        self._planned = -np.inf

    def note(self, ended: Iterable[tuple[Any, ...]]) -> None:
        """Take down how visits ended, as the core reports them."""
        visits = list(ended)
        rows = self.pages.find([visit[0] for visit in visits])
        for row, visit in zip(rows.tolist(), visits, strict=True):
            if row >= 0:
                self._note(row, Visited(*visit))

    def _note(self, row: int, visit: Visited) -> None:
        status, content = visit.status, visit.content
        record = self.pages.state[row]
        host = int(record["host"])
        if record["flags"] & SENT:
            self._pending[host] -= 1
            self._release(host)
        seconds = visit.date / 1e9
        flags = int(record["flags"]) & ~SENT
        wait = (seconds - int(record["last"])) / DAY
        if status == 304 and flags & SEEN:
            self._learn(record, wait, changed=False)
            self.outcomes["not-modified"] += 1
        elif status in (404, 410):
            flags = (flags | SEEN | GONE) & ~PAGE
            self.outcomes["gone"] += 1
        elif status < 0 or status == 429 or status >= 500:
            is_refused = status in (ROBOTS, FILTERED)
            self.outcomes["other" if is_refused else "failed"] += 1
            if is_refused:
                flags |= SEEN | OTHER
            else:
                self._fail(row, record, flags, seconds)
                return
        elif visit.is_page:
            kind = "first"
            if flags & PAGE and int(record["content"]):
                changed = content != int(record["content"])
                self._learn(record, wait, changed=changed)
                kind = "changed" if changed else "unchanged"
            self.outcomes[kind] += 1
            record["content"] = content
            flags = (flags | SEEN | PAGE) & ~(GONE | OTHER)
        else:
            flags = (flags | SEEN | OTHER) & ~PAGE
            self.outcomes["other"] += 1
        if status in (200, 304) and (visit.tag or visit.modified):
            [page] = self.pages.texts([row])
            told = (visit.tag, visit.modified)
            if told != (page.tag, page.modified) and not page.tag.startswith("level="):
                self.pages.keep_validators(row, KnownPage(page.url, page.depth, *told))
        record["failures"] = 0
        record["last"] = max(int(seconds), 1)
        record["flags"] = flags
        self._set_due(row)

    @staticmethod
    def _learn(record: Any, wait: float, *, changed: bool) -> None:  # noqa: ANN401 (a record of NumPy)
        if wait <= 0:
            return
        if changed:
            place = int(class_of(wait))
            record["changes"][place] = min(int(record["changes"][place]) + 1, 255)
        else:
            record["unchanged"] += wait

    def _fail(self, row: int, record: Any, flags: int, now: float) -> None:  # noqa: ANN401
        """A visit gave no answer: try again later. After three of them in a week the page is gone."""
        failures = min(int(record["failures"]) + 1, 255)
        record["failures"] = failures
        if failures >= _FAILURES and now - int(record["last"]) > _WEEK:
            flags = (flags | GONE) & ~PAGE
        record["flags"] = flags | SEEN
        if not record["last"]:
            record["last"] = max(int(now), 1)
        self._due[row] = now + DAY * min(2.0**failures / 2, self.settings.max_interval / DAY)
        self._offer(row)

    def close_host(self, origin: str) -> None:
        """Ask a host for nothing more until the next cut."""
        host = self.pages.host_number(origin)
        if host is not None:
            self._closed.add(host)
            self._pending.pop(host, None)
            self._held.pop(host, None)
            own = self.pages.state["host"] == host
            self.pages.state["flags"][own] &= 0xFF ^ SENT

    def recover(self, urls: Sequence[str], seconds: npt.NDArray[np.integer]) -> None:
        """Take down visits that an earlier run stored and had no time to note: what they found is unknown."""
        rows = self.pages.find(urls)
        state = self.pages.state
        for row, moment in zip(rows.tolist(), seconds.tolist(), strict=True):
            if row >= 0 and int(state["last"][row]) < moment:
                state["last"][row], state["content"][row] = moment, 0
                state["flags"][row] |= SEEN
        self._new = deque(row for row in self._new if not state["flags"][row] & SEEN)
        self._planned = -np.inf

    # ---- what goes out

    def step(self) -> list[Visit]:
        """The visits to begin now."""
        real = self._timer()
        elapsed, self._stepped = real - self._stepped, real
        now = self.clock.now()
        self._plan_if_needed(now, real)
        per_second = self.rate / DAY * self.clock.speed
        self._credit = min(self._credit + elapsed * per_second, max(per_second * _BURST, 1.0))
        state = self.pages.state
        rows: list[int] = []
        while self._credit >= 1 and (row := self._next(now)) is not None:
            self._credit -= 1
            self._pending[int(state["host"][row])] += 1
            state["flags"][row] |= SENT
            rows.append(row)
        found: list[Visit] = []
        for row, page in zip(rows, self.pages.texts(rows), strict=True):
            found.append((page.url, page.depth, _carried(page, is_seen=bool(state["flags"][row] & SEEN))))
        self._since_plan += len(rows)
        return found

    def _next(self, now: float) -> int | None:
        self._share = min(self._share + self.settings.new_share, 2.0)
        if self._share >= 1 or not (self._heap and self._heap[0][0] <= now):
            row = self._next_new()
            if row is not None:
                self._share = max(self._share - 1, 0.0)
                self.reasons["new"] += 1
                return row
        while self._heap:
            due, row = self._heap[0]
            record = self.pages.state[row]
            last = int(record["last"])
            if due > now and now - last < (due - last) / 2:
                return None
            heapq.heappop(self._heap)
            # a moment that was put off since has another entry
            if due != self._due[row] or record["flags"] & SENT or self._holds(row):
                continue
            self.reasons["due" if due <= now else "early"] += 1
            return row
        return None

    def _next_new(self) -> int | None:
        for _ in range(len(self._new)):
            row = self._new.popleft()
            if self.pages.state["flags"][row] & (SEEN | SENT) or self._holds(row):
                continue
            return row
        return None

    def _holds(self, row: int) -> bool:
        """Whether a page has to wait for its host; it comes back when the host has room."""
        host = int(self.pages.state["host"][row])
        if host in self._closed:
            return True
        if self._pending[host] < self.settings.max_pending:
            return False
        self._held.setdefault(host, []).append(row)
        return True

    def _release(self, host: int) -> None:
        if self._pending[host] * 2 > self.settings.max_pending:
            return
        for row in self._held.pop(host, ()):
            if self.pages.state["flags"][row] & SEEN:
                self._offer(row)
            else:
                self._new.appendleft(row)

    # ---- planning

    def _plan_if_needed(self, now: float, real: float) -> None:
        waited = real - self._planned
        # small collections are planned often, large ones when it is worth it
        is_much = self._since_plan * 20 > len(self.pages) and waited > 50 * self._plan_cost
        if waited > max(_PLAN_EVERY, 20 * self._plan_cost) or is_much:
            begun = time.monotonic()
            self.plan(now)
            self._plan_cost = time.monotonic() - begun
            self._planned, self._since_plan = self._timer(), 0

    def plan(self, now: float) -> None:
        """Estimate all rates again, and find when each page is due."""
        state = self.pages.state
        rows = np.flatnonzero(state["flags"] & SEEN)
        is_page = (state["flags"][rows] & PAGE) != 0
        longest = self.settings.max_interval / DAY
        self._due[:] = np.inf
        self._due[rows] = state["last"][rows] + self.settings.max_interval
        known = rows[is_page]
        if len(known):
            own = state[known]
            self._shares = estimate_shares(own["unchanged"], own["changes"], own["host"])
            values, _ = worth(own["unchanged"], own["changes"], own["host"], self._shares)
            spent = len(rows[~is_page]) / longest
            budget = max(self.rate - spent, self.rate / 10)
            self.threshold = find_threshold(values, own["importance"], budget, max_interval=longest)
            intervals = np.minimum(due_intervals(values, own["importance"], self.threshold), longest)
            self._spare_hosts(own["host"], values, own["importance"], intervals, longest)
            self._due[known] = own["last"] + intervals * DAY
        failed = rows[state["failures"][rows] > 0]
        pauses = np.minimum(2.0 ** state["failures"][failed] / 2 * DAY, self.settings.max_interval)
        self._due[failed] = np.maximum(self._due[failed], state["last"][failed] + pauses)
        self._held.clear()
        near = rows[(state["flags"][rows] & SENT) == 0]
        self._heap = list(zip(self._due[near].tolist(), near.tolist(), strict=True))
        heapq.heapify(self._heap)
        waiting = set(self._new)
        late = np.flatnonzero((state["flags"] & (SEEN | SENT)) == 0)
        self._new.extend(row for row in late.tolist() if row not in waiting)

    def _spare_hosts(
        self,
        hosts: npt.NDArray[np.integer],
        values: npt.NDArray[np.float32],
        importance: npt.NDArray[np.floating],
        intervals: Numbers,
        longest: float,
    ) -> None:
        """Give hosts that politeness allows less a threshold of their own."""
        if not np.isfinite(self._host_cap):
            return
        wanted = np.bincount(hosts, weights=1 / intervals)
        for host in np.flatnonzero(wanted > self._host_cap):
            own = np.flatnonzero(hosts == host)
            cap = max(self._host_cap, len(own) / longest)
            own_threshold = find_threshold(values[own], importance[own], cap, max_interval=longest)
            found = due_intervals(values[own], importance[own], own_threshold)
            intervals[own] = np.minimum(found, longest)

    def _set_due(self, row: int) -> None:
        """When a page that was just visited is due again, by the last plan."""
        record = self.pages.state[row]
        interval = self.settings.max_interval / DAY
        host = int(record["host"])
        if record["flags"] & PAGE and len(self._shares) and self.threshold > 0:
            place = slice(row, row + 1)
            own = self.pages.state[place]
            group = np.array([min(host, len(self._shares) - 1)])
            values, _ = worth(own["unchanged"], own["changes"], group, self._shares)
            interval = min(float(due_intervals(values, own["importance"], self.threshold)[0]), interval)
        self._due[row] = int(record["last"]) + interval * DAY
        self._offer(row)

    def _offer(self, row: int) -> None:
        heapq.heappush(self._heap, (float(self._due[row]), row))

    def close(self) -> None:
        """Write everything."""
        self.pages.close()


def _carried(page: KnownPage, *, is_seen: bool) -> str | None:
    """What a visit carries along: validators of pages that were visited, the level of a sitemap."""
    if page.tag.startswith("level="):
        return f"\n\n\n\n{page.tag.removeprefix('level=')}"
    return f"{page.tag}\n{page.modified}" if is_seen else None
