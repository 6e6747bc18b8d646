"""Agents share hosts by their names, and crawl together what one would crawl alone."""

from __future__ import annotations

import threading
import time
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.crawl.origin import Origin, core_threads, page, prepare, read, reply
from webstrata.crawl.agents import Ring, Standing, is_agent_finished

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.crawl.run import Crawl

HOSTS = [f"http://h{number}.test/" for number in range(2000)]


def test_hosts_spread_evenly() -> None:
    ring = Ring(["a", "b", "c", "d"])
    shares = Counter(ring.owner(host) for host in HOSTS)
    assert min(shares.values()) > 0.75 * len(HOSTS) / 4
    assert max(shares.values()) < 1.25 * len(HOSTS) / 4


def test_only_the_hosts_of_an_agent_that_leaves_move() -> None:
    before, after = Ring(["a", "b", "c"]), Ring(["a", "c"])
    for host in HOSTS:
        assert before.owner(host) in ("b", after.owner(host))


def test_all_pages_of_a_name_have_one_owner_whatever_their_scheme_and_port() -> None:
    ring = Ring(["a", "b", "c"])
    for number in range(50):
        urls = ["http://h{}.test/", "https://h{}.test/x?y", "http://h{}.test:8080/"]
        assert len({ring.owner(url.format(number)) for url in urls}) == 1


@settings(max_examples=10)
@given(names=st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=5, unique=True))
def test_every_agent_finds_the_same_owners_in_any_order_of_names(names: list[str]) -> None:
    one, other = Ring(names), Ring(sorted(names))
    assert [one.owner(host) for host in HOSTS[:20]] == [other.owner(host) for host in HOSTS[:20]]
    assert one.agents[one.number(names[-1])] == names[-1]


@pytest.mark.parametrize("names", [[], ["a", "a"]])
def test_agents_need_names_of_their_own(names: list[str]) -> None:
    with pytest.raises(ValueError, match="agents: expected different names"):
        Ring(names)


def test_an_agent_must_be_one_of_the_ring(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="agent: expected one of"):
        prepare(tmp_path, ["http://a.test/"], {"ring": Ring(["a"]), "agent": "b"})


def test_urls_on_their_way_mean_that_it_is_not_over() -> None:
    idle = [Standing(is_idle=True, sent=2, received=0), Standing(is_idle=True, sent=0, received=2)]
    assert is_agent_finished(idle, idle)
    assert not is_agent_finished(idle, [idle[0], Standing(is_idle=True, sent=0, received=1)])
    assert not is_agent_finished([idle[0], Standing(is_idle=True, sent=0, received=1)], idle)
    busy = [idle[0], Standing(is_idle=False, sent=0, received=2)]
    assert not is_agent_finished(busy, busy)


def weave(origin: Origin, num_hosts: int) -> list[str]:
    """Hosts whose pages lead to pages of the next ones, so that a chain of links visits all many times."""
    names = [f"h{number}.test" for number in range(num_hosts)]
    for number, name in enumerate(names):
        for depth in range(4):
            near = f"/{depth + 1}" if depth < 3 else "/"
            far = f"http://{names[(number + 1) % num_hosts]}/{depth}"
            origin.say(f"{name}/{depth}", reply(page(f"page {depth} of {name}", near, far)))
    return names


def run_together(crawls: list[Crawl]) -> None:
    """Run agents in threads until all that they sent each other is fetched; the first has all the seeds."""
    threads = [threading.Thread(target=crawl.run) for crawl in crawls]
    deadline = time.monotonic() + 120
    # who sends must find the others running: they have nothing to do until then
    for thread in threads[1:]:
        thread.start()
    while not all(crawl.standing.is_idle for crawl in crawls[1:]):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    threads[0].start()
    before: list[Standing] = []
    while not is_agent_finished(before, after := [crawl.standing for crawl in crawls]) or not before:
        assert time.monotonic() < deadline, after
        before = after
        time.sleep(0.05)
    for crawl in crawls:
        crawl.finish()
    for thread in threads:
        thread.join(120)


def test_agents_crawl_together_what_one_crawls_alone(tmp_path: Path) -> None:
    ring = Ring(["first", "second"])
    with Origin() as origin:
        names = weave(origin, 8)
        hosts = dict.fromkeys(names, origin.at())
        seed = f"http://{names[0]}/0"
        alone = prepare(tmp_path, [seed], {"hosts": hosts})
        alone.run()
        crawls: dict[str, Crawl] = {}
        for agent in ring.agents:
            how = {
                "hosts": hosts,
                "ring": ring,
                "agent": agent,
                "send": lambda owner, urls: crawls[owner].add(urls),
                "waits": True,
            }
            # only one of them has anything to begin with
            seeds = [seed] if agent == "first" else []
            crawls[agent] = prepare(tmp_path, seeds, how)
        run_together(list(crawls.values()))
    assert not core_threads()
    found = {agent: read(crawl.snapshot, None) for agent, crawl in crawls.items()}
    whole = read(alone.snapshot, None)
    assert found["first"].stored | found["second"].stored == whole.stored
    assert len(whole.stored) > 30
    for agent, crawled in found.items():
        assert crawled.stored
        assert {ring.owner(url) for url in crawled.stored} == {agent}
    for crawl in crawls.values():
        assert crawl.standing.is_idle
        assert crawl.standing.sent > 0


def test_an_agent_that_does_not_wait_ends_and_has_passed_everything_on(tmp_path: Path) -> None:
    ring = Ring(["first", "second"])
    sent: list[tuple[str, int]] = []
    with Origin() as origin:
        names = weave(origin, 8)
        how = {
            "hosts": dict.fromkeys(names, origin.at()),
            "ring": ring,
            "agent": "first",
            "send": lambda _, urls: sent.extend(urls),
        }
        job = prepare(tmp_path, [f"http://{name}/0" for name in names], how)
        result = job.run()
    assert result.end == "exhausted"
    assert {ring.owner(url) for url, _ in sent} == {"second"}
    assert result.counters["foreign"] == len(sent) == job.standing.sent
    assert result.counters["filtered"] == 0


def test_who_waits_goes_on_until_told_otherwise(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("/", reply(page("home")))
        origin.say("/later", reply(page("later")))
        job = prepare(tmp_path, ["http://a.test/"], {"hosts": {"a.test": origin.at()}, "waits": True})
        thread = threading.Thread(target=job.run)
        thread.start()
        while not job.standing.is_idle or len(origin.paths()) < 1:
            time.sleep(0.01)
        time.sleep(0.3)
        assert thread.is_alive()
        job.add([("http://a.test/later", 0)])
        job.finish()
        thread.join(120)
    assert origin.paths() == ["/", "/later"]
