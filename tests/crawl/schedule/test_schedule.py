"""Which page is visited next, on a clock of the test and a web of change times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest

from webstrata.crawl.schedule.clock import CrawlClock
from webstrata.crawl.schedule.optimum import expected_freshness, plan
from webstrata.crawl.schedule.pages import GONE, OTHER, PAGE, SENT
from webstrata.crawl.schedule.schedule import DAY, ROBOTS, Schedule
from webstrata.crawl.schedule.settings import ContinuousSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Make = Callable[..., "World"]

BEGIN = 1_767_225_600.0
STEP, SPEED = 900.0, 900.0
"""Seconds of the web between two steps, and in one of ours."""


@dataclass(frozen=True)
class Hand(CrawlClock):
    """A clock that the test moves."""

    hand: tuple[float, ...] = ()

    def now(self) -> float:
        return TIME[0]


TIME = [BEGIN]


class World:
    """Pages that change, and a core that answers at once."""

    def __init__(self, folder: Path, settings: ContinuousSettings, rates: np.ndarray, **more: float) -> None:
        TIME[0] = BEGIN
        clock = Hand(speed=SPEED)
        self.schedule = Schedule(folder, settings, clock, timer=lambda: TIME[0] / SPEED, **more)
        random = np.random.default_rng(4)
        self.urls = [f"http://h{number % 7}.example/{number}" for number in range(len(rates))]
        self.changes = [np.cumsum(random.exponential(1 / rate, int(rate * 200) + 50)) for rate in rates]
        self.place = {url: number for number, url in enumerate(self.urls)}
        self.visits: list[tuple[float, int]] = []
        self.schedule.add([(url, 0, None) for url in self.urls])

    def content(self, page: int, day: float) -> int:
        return 1 + int(np.searchsorted(self.changes[page], day))

    def run(self, days: float) -> None:
        end = TIME[0] + days * DAY
        while TIME[0] < end:
            TIME[0] += STEP
            answers = []
            for url, _, _ in self.schedule.step():
                page = self.place[url]
                self.visits.append((TIME[0], page))
                content = self.content(page, (TIME[0] - BEGIN) / DAY)
                answers.append((url, 200, content, int(TIME[0] * 1e9), 100, "", "", True, False))
            self.schedule.note(answers)

    def freshness(self, since: float, until: float) -> float:
        days = np.arange(since, until, 0.1)
        last = np.full(len(self.urls), -1.0)
        visits, place, fresh = sorted(self.visits), 0, 0.0
        for day in days:
            while place < len(visits) and (visits[place][0] - BEGIN) / DAY <= day:
                last[visits[place][1]] = (visits[place][0] - BEGIN) / DAY
                place += 1
            same = [
                last[page] >= 0 and self.content(page, last[page]) == self.content(page, day)
                for page in range(len(self.urls))
            ]
            fresh += float(np.mean(same))
        return fresh / len(days)


@pytest.fixture
def make_world(tmp_path: Path) -> Iterator[Callable[..., World]]:
    made: list[World] = []

    def make(settings: ContinuousSettings, rates: np.ndarray, **more: float) -> World:
        made.append(World(tmp_path, settings, rates, **more))
        return made[-1]

    yield make
    for world in made:
        world.schedule.close()


def test_rates_are_learned_and_copies_nearly_as_fresh_as_with_known_rates(make_world: Make) -> None:
    rates = np.repeat([0.01, 0.3, 20.0], 40)
    world = make_world(ContinuousSettings(budget="0.5/page/day", max_pending=1000), rates)
    world.run(30)
    found = world.freshness(18, 30)
    best = float(expected_freshness(rates, plan(rates, budget=60.0)).mean())
    equal = float(expected_freshness(rates, 0.5).mean())
    assert found > equal
    assert found > 0.94 * best
    # pages that change faster than they can be followed are left alone
    late = np.array([page for moment, page in world.visits if moment > BEGIN + 18 * DAY])
    per_kind = np.bincount(late // 40, minlength=3)
    assert per_kind[1] > 2 * per_kind[0]
    assert per_kind[1] > 2 * per_kind[2]


def test_no_hour_has_more_than_its_share_of_the_budget(make_world: Make) -> None:
    world = make_world(ContinuousSettings(budget="60/h"), np.full(500, 1.0))
    world.run(2)
    hours = np.bincount(((np.array([moment for moment, _ in world.visits]) - BEGIN) / 3600).astype(int))
    assert hours[1:-1].max() <= 1.1 * 60
    assert hours[1:-1].min() >= 0.9 * 60


def test_every_page_is_visited_within_the_longest_interval(make_world: Make) -> None:
    settings = ContinuousSettings(budget="100/day", max_interval=6 * DAY)
    world = make_world(settings, np.array([50.0] * 60 + [0.5] * 60))
    world.run(20)
    for page in range(120):
        own = np.array([moment for moment, which in world.visits if which == page])
        assert np.diff(own, append=TIME[0]).max() <= 6.5 * DAY


def test_hosts_with_a_delay_leave_visits_to_others(make_world: Make) -> None:
    world = make_world(ContinuousSettings(budget="700/day", max_pending=1000), np.full(70, 2.0),
                  host_delay=DAY / 50 / SPEED)  # fmt: skip
    world.run(5)
    late = [page for moment, page in world.visits if moment > BEGIN + 2 * DAY]
    hosts = np.bincount(np.array(late) % 7, minlength=7) / 3
    # ten pages of each host, 50 visits a day at most, or twice that when none is due
    assert hosts.max() <= 110


def test_a_host_with_many_visits_waiting_is_passed_over(tmp_path: Path) -> None:
    schedule = Schedule(
        tmp_path, ContinuousSettings(budget="1000/s", max_pending=5), CrawlClock(1.0, 0.0, 0.0)
    )
    schedule.add([(f"http://{host}.example/{page}", 0, None) for host in "ab" for page in range(50)])
    schedule._credit = 1000
    sent = [url for url, _, _ in schedule.step()]
    assert sorted({url[:16] for url in sent}) == ["http://a.example", "http://b.example"]
    assert len(sent) == 10
    schedule.note([(url, 200, 1, 10**18, 1, "", "", True, False) for url in sent[:5]])
    schedule._credit = 1000
    assert 5 <= len(schedule.step()) <= 6
    schedule.close()


def visit(schedule: Schedule, url: str, status: int, day: float, content: int = 1) -> int:
    moment = BEGIN + day * DAY
    row = int(schedule.pages.find([url])[0])
    schedule.pages.state["flags"][row] |= SENT
    page = status == 200
    schedule.note([(url, status, content if page else 0, int(moment * 1e9), 1, "", "", page, False)])
    return int(schedule.pages.state["flags"][row])


def test_how_a_visit_ends_decides_what_a_page_is(tmp_path: Path) -> None:
    TIME[0] = BEGIN
    schedule = Schedule(tmp_path, ContinuousSettings(), Hand())
    url = "http://a.example/"
    schedule.add([(url, 0, None)])
    assert visit(schedule, url, 200, 0) & PAGE
    assert visit(schedule, url, 304, 1) & PAGE
    assert float(schedule.pages.state["unchanged"][0]) == pytest.approx(1.0)
    visit(schedule, url, 200, 2, content=2)
    assert schedule.pages.state["changes"][0].sum() == 1
    assert visit(schedule, url, 503, 3) & PAGE
    assert visit(schedule, url, -2, 5) & PAGE
    assert not visit(schedule, url, 503, 7) & GONE  # the third failure, but within a week
    assert visit(schedule, url, 503, 10) & GONE
    assert visit(schedule, url, 200, 11) & (PAGE | GONE) == PAGE
    assert visit(schedule, url, 404, 12) & (PAGE | GONE) == GONE
    assert visit(schedule, url, ROBOTS, 13) & OTHER
    assert visit(schedule, url, 301, 14) & (PAGE | OTHER) == OTHER
    schedule.close()


def test_what_a_killed_run_had_stored_is_not_asked_for_again(tmp_path: Path) -> None:
    TIME[0] = BEGIN
    settings = ContinuousSettings(budget="1000/s")
    schedule = Schedule(tmp_path, settings, Hand(), timer=lambda: TIME[0])
    urls = [f"http://a.example/{page}" for page in range(20)]
    schedule.add([(url, 0, None) for url in urls])
    TIME[0] += 10
    sent = [url for url, _, _ in schedule.step()]
    assert len(sent) == 20
    schedule.close()
    again = Schedule(tmp_path, settings, Hand(), timer=lambda: TIME[0])
    again.recover(urls[:15], np.full(15, int(TIME[0])))
    TIME[0] += 10
    assert sorted(url for url, _, _ in again.step()) == sorted(urls[15:])
    again.close()


def test_importance_follows_depth_if_asked(tmp_path: Path) -> None:
    schedule = Schedule(tmp_path, ContinuousSettings(importance="depth"), Hand())
    schedule.add([("http://a.example/", 0, None), ("http://a.example/b", 3, None)])
    assert schedule.pages.state["importance"].tolist() == [1.0, 0.25]
    schedule.close()
