"""The truth about pages in continuous time: when each changed, and how fresh the copies of a crawler were.

A web with ``ticks_per_day`` above 0 changes at any tick. A *state* of a URL is its status and its main
content; a `History` has every state of one URL between two moments, exactly: the core goes from event to
event.

`judge_freshness` reads the log of a server that ran on the web's clock. A copy is the content at the last
complete response with status 200; a 304 confirms it and does not renew it, whether the server was right
or not. Over the time that a page is there, its *freshness* is the share in which its copy is its content,
and its *age* the mean time since the first change that the copy lacks; a page not yet visited has no
copy, and its age counts from its first state on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from webstrata.collection.tables import Table
from webstrata.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from webstrata.invitro.web import Web

    Numbers = NDArray[np.float64]

BEGINNING = 1_767_225_600
"""When every web in continuous time begins, in seconds since 1970: 1 January 2026."""


@dataclass(frozen=True)
class History:
    """The states of a URL, the first one at the beginning of the time that was asked for."""

    url: str
    days: Numbers
    """When each state began, in days from the beginning of the web."""
    status: NDArray[np.uint16]
    content: NDArray[np.uint64]
    """Equal for equal main content; 0 where it is no page."""

    @property
    def changes(self) -> Numbers:
        """When the content of the page changed, births and deaths left out."""
        both = (self.content[1:] != 0) & (self.content[:-1] != 0)
        found: Numbers = self.days[1:][both]
        return found


@dataclass(frozen=True, repr=False)
class Truth(Table):
    """How fresh the copies of a crawler were; one row per URL."""

    urls: Sequence[str]
    alive: Numbers
    """Days for which each was there."""
    fresh: Numbers
    """Days of these in which its copy was its content."""
    stale: Numbers
    """Days times age."""
    visits: NDArray[np.int64]
    """Complete responses with status 200 or 304."""

    formats = {"freshness": ".1%", "age": ".2f"}  # noqa: RUF012

    def __len__(self) -> int:
        return len(self.urls)

    @property
    def freshness(self) -> float:
        """Share of the time of all pages in which they were fresh."""
        return float(self.fresh.sum() / max(self.alive.sum(), 1e-12))

    @property
    def age(self) -> float:
        """Mean days since the first change not seen."""
        return float(self.stale.sum() / max(self.alive.sum(), 1e-12))

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per URL."""
        alive = np.maximum(self.alive, 1e-12)
        columns = (self.urls, self.alive, self.fresh / alive, self.stale / alive, self.visits)
        names = ("url", "days", "freshness", "age", "visits")
        return [
            dict(zip(names, row, strict=True))
            for row in zip(*(list(column) if isinstance(column, list) else column for column in columns),
                           strict=True)
        ]  # fmt: skip


class LivingWeb:
    """What a web in continuous time can tell besides; `webstrata.invitro.Web` is one."""

    def history(self, url: str, since: float, until: float) -> History:
        """When a page changed: its states between two moments, in days from the beginning of the web.

        Examples
        --------
        >>> from webstrata.invitro import Web
        >>> web = Web("living", seed=1)
        >>> history = web.history(web.home_pages()[0], 0, 30)
        >>> set(history.status.tolist()), bool((np.diff(history.days) > 0).all())
        ({200}, True)
        """
        return find_history(cast("Web", self), url, since, until)

    def freshness(
        self, log: Path, *, since: float = 0.0, until: float | None = None, urls: Sequence[str] | None = None
    ) -> Truth:
        """How fresh the copies were that a crawler got of this web, by the log of its server.

        Parameters
        ----------
        log
            What its server wrote, with the speed of its clock.
        since, until
            Days from the beginning of the web that are judged; default: from its beginning to the last
            request.
        urls
            Pages that are judged; default: all that were answered with status 200.
        """
        return judge_freshness(cast("Web", self), log, since=since, until=until, urls=urls)


def find_history(web: Web, url: str, since: float, until: float) -> History:
    """The states of a URL between two moments, in days from the beginning of the web.

    Examples
    --------
    >>> from webstrata.invitro import Web
    >>> web = Web("living", seed=1)
    >>> find_history(web, "http://nobody.example/", 0, 30).status.tolist()
    [0]
    """
    ticks = web.settings.ticks_per_day
    if not ticks:
        raise UsageError(
            f"{web!r} moves by months, so it has no history; take one in continuous time, preset living"
        )
    if not 0 <= since <= until:
        raise UsageError(f"from day {since:g} to day {until:g}: give days from 0, the earlier one first")
    begun, status, content = web._core.history(url, int(since * ticks), int(until * ticks))
    return History(url, begun / ticks, status, content)


def judge_freshness(
    web: Web,
    log: Path,
    *,
    since: float = 0.0,
    until: float | None = None,
    urls: Sequence[str] | None = None,
) -> Truth:
    """How fresh the copies were that a crawler got of a web (`LivingWeb.freshness`).

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.invitro import Web
    >>> web, log = Web("living"), testing.scratch() / "log"
    >>> with web.serve(log=log, speed=60.0):
    ...     pass
    >>> judge_freshness(web, log, until=1, urls=web.home_pages()[:1]).freshness  # nobody asked for it
    0.0
    """
    from webstrata.invitro.judge.log import read_log

    found = read_log(log)
    if "speed" not in found.header:
        raise UsageError(f"{log}: this server stood still; freshness needs one that was started with a speed")
    ticks = web.settings.ticks_per_day
    begun, speed = float(found.header["started"]), float(found.header["speed"])
    day = found.header["month"] / ticks + (found.end / 1e6 - begun) * speed / 86_400
    scheme = "https" if web.settings.tls else "http"
    names = [f"{scheme}://{found.hosts[host]}{target}" for host, target in found.urls]
    good = found.complete & np.isin(found.status, (200, 304))
    end = float(day.max(initial=since)) if until is None else until
    visited = {name: place for place, name in enumerate(names)}
    if urls is None:
        seen = np.unique(found.url[good & (found.status == 200)])
        urls = [names[place] for place in seen if not names[place].endswith(("/robots.txt", "/sitemap.xml"))]
    order = np.argsort(found.url, kind="stable")
    bounds = np.searchsorted(found.url[order], np.arange(len(names) + 1))
    rows = np.zeros((len(urls), 3))
    visits = np.zeros(len(urls), np.int64)
    for row, url in enumerate(urls):
        place = visited.get(url)
        own = order[bounds[place] : bounds[place + 1]] if place is not None else order[:0]
        own = own[good[own]]
        visits[row] = np.count_nonzero((day[own] >= since) & (day[own] <= end))
        copies = np.sort(day[own[found.status[own] == 200]])
        rows[row] = _judge_page(find_history(web, url, 0, end), copies, since, end)
    alive, fresh, stale = rows.T.copy()
    return Truth(list(urls), alive, fresh, stale, visits)


def _judge_page(history: History, copies: Numbers, since: float, end: float) -> tuple[float, float, float]:
    """Days for which a page was there, in which its copy was fresh, and the integral of its age."""
    alive = fresh = stale = 0.0
    ends = np.append(history.days[1:], end)
    # the state that each copy shows
    shown = np.searchsorted(history.days, copies, side="right") - 1
    for state in np.flatnonzero(history.content != 0):
        begin, over = float(history.days[state]), float(ends[state])
        low, high = max(begin, since), min(over, end)
        if high <= low:
            continue
        alive += high - low
        caught = copies[shown == state]
        first = float(caught[0]) if len(caught) else np.inf
        fresh += max(0.0, high - max(first, low))
        # until then, the copy lacks the first state after the one that it shows
        stop = min(first, high)
        if stop > low:
            before = copies[copies < stop]
            missed = float(ends[shown[len(before) - 1]]) if len(before) else float(history.days[0])
            stale += ((stop - missed) ** 2 - (low - missed) ** 2) / 2
    return alive, fresh, stale
