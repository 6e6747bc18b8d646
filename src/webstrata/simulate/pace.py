"""How fast a web can be crawled politely: pages a second and the front, by fetchers and delays.

BUBING's figures 3 and 4, on a stored web and in simulated time. Crawls are breadth-first from all home pages
on, and end when half of the pages are there, before a few large hosts are all that is left. The front is the
mean number of hosts that are visited in parallel: a page of theirs is being fetched, or they are left alone
after one.

- By fetchers: no delays, one fetcher, four, … up to 1 024. The rate grows with them until every host has one.
- By delays: an address rests from 1/8 s to 4 s, a host eight times as long. The same rate takes a larger
  front then; once all hosts are in it, the rate falls.

A crawl ends early where home pages lead to few others. Its rate is that of its first pages, and says nothing
about the web; `warn_paces` tells so, and from fewer than `MIN_PAGES` pages no rate should be shown.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from webstrata.collection.caveats import MIN_PAGES, warn_few
from webstrata.collection.progress import Progress
from webstrata.simulate.clock import make_clock
from webstrata.simulate.run import Simulation
from webstrata.simulate.settings import SimulateSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.collection import Snapshot

FETCHERS = (1, 4, 16, 64, 256, 1024)
DELAYS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0)
"""Of an address, in seconds."""
HOST_FACTOR = 8
"""Times as long as its address a host rests."""
FETCHERS_WITH_DELAYS = (16, 64, 256)


@dataclass(frozen=True)
class Pace:
    """How a simulated crawl went."""

    fetchers: int
    ip_delay: float
    pages: int
    rate: float
    """Pages a simulated second."""
    front: float
    """Hosts visited in parallel, in the mean over time."""

    @property
    def host_delay(self) -> float:
        """The delay of a host."""
        return HOST_FACTOR * self.ip_delay


def warn_paces(paces: Sequence[Pace], num_pages: int, num_hosts: int) -> list[str]:
    """Why rates of some crawls should not be relied on.

    Examples
    --------
    >>> warn_paces([Pace(1, 0.0, 1, 2.0, 1.0)], 300, 20)[0]
    'computed from 1 page, fewer than 30: rates and fronts say nothing about the web'
    """
    fewest = min((pace.pages for pace in paces), default=0)
    found = warn_few(fewest, MIN_PAGES, "page", "rates and fronts say nothing about the web")
    if fewest < num_pages // 2:
        found.append(
            f"crawls from home pages ended after {fewest:,} of {num_pages:,} pages, less than half: no more "
            "can be reached"
        )
    if num_hosts == 1:
        found.append("all pages are of one host, so that it is visited alone, whatever the fetchers")
    return found


def measure_paces(
    snapshot: Snapshot,
    points: Sequence[tuple[int, float]],
    *,
    progress: Progress | None = None,
) -> list[Pace]:
    """Crawl a stored web with each number of fetchers and delay of an address.

    Examples
    --------
    Two hosts of two pages; a page takes half a second, and with one fetcher so does the next.

    >>> from webstrata import testing
    >>> home = "<a href=/x>X</a>"
    >>> pages = {"http://a.org/": home, "http://a.org/x": "X", "http://b.org/": home, "http://b.org/x": "x"}
    >>> found = measure_paces(testing.snapshot_of(pages), [(1, 0.0), (2, 0.0)])
    >>> [(pace.rate, pace.front) for pace in found]
    [(2.0, 1.0), (4.0, 2.0)]
    """
    progress = progress or Progress()
    settings = SimulateSettings(
        policy=("breadth-first",), start="homes", clock=True, fetch_spread=0.0, obey_robots=False
    )
    simulation = Simulation(snapshot, settings, progress=progress)
    half = max(simulation.web.num_pages // 2, 1)
    paces = []
    with progress.task("crawling", total=half * len(points), unit="pages") as task:
        for fetchers, delay in points:
            simulation.settings = replace(
                settings,
                fetchers=fetchers,
                ip_delay=delay,
                host_delay=HOST_FACTOR * delay,
                max_pages=half,
            )
            simulation.clock = make_clock(simulation.web, simulation.settings)
            trace = simulation.trace("breadth-first", 0, task)
            if not len(trace.times):  # there is no page to begin with
                paces.append(Pace(fetchers, delay, 0, 0.0, 0.0))
                continue
            last = float(trace.times[-1])
            rests = np.minimum(HOST_FACTOR * delay, last - trace.times)
            front = (len(rests) * settings.fetch_time + rests.sum()) / last
            paces.append(Pace(fetchers, delay, len(rests), len(rests) / last, float(front)))
    return paces
