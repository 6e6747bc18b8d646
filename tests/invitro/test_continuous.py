"""A web in continuous time, and the truth about it."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pytest

from webstrata.errors import UsageError
from webstrata.invitro import Web
from webstrata.invitro.continuous import BEGINNING, History, _judge_page

if TYPE_CHECKING:
    from pathlib import Path


def test_a_history_has_every_change_that_a_look_at_each_moment_finds() -> None:
    web = Web("living", seed=3, page_death_rate=0.5, ticks_per_day=48, link_change_rate=0.3)
    changed = 0
    for url in list(web.graph().urls)[:12]:
        history = web.history(url, 0, 6)
        states = np.searchsorted(history.days, np.arange(6 * 48 + 1) / 48, side="right") - 1
        facts = [web.facts(url, tick) or {"status": 0} for tick in range(6 * 48 + 1)]
        for tick in range(1, len(facts)):
            before, now = states[tick - 1], states[tick]
            same_text = facts[tick].get("text", "") == facts[tick - 1].get("text", "")
            assert same_text == bool(history.content[before] == history.content[now]), (url, tick)
            assert facts[tick]["status"] == history.status[now]
        changed += len(history.days) - 1
    assert changed > 30


def test_pages_change_as_often_as_their_rates_say() -> None:
    web = Web("living", seed=5, slowest_change=0.5, fastest_change=0.5, page_death_rate=0.0)
    urls = list(web.graph().urls)[:150]
    counts = [len(web.history(url, 0, 60).changes) for url in urls]
    assert np.mean(counts) == pytest.approx(30, rel=0.05)
    # Poisson: the variance is the mean
    assert np.var(counts) == pytest.approx(30, rel=0.4)


def test_validators_are_as_honest_as_the_host() -> None:
    day = 1440
    for honest, stale, fickle in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)):
        web = Web("living", seed=2, honest_share=honest, stale_share=stale, fickle_share=fickle)
        url = next(u for u in web.graph().urls if 3 < len(web.history(u, 0, 20).changes) < 15)
        heads = [web.fetch(url, tick).head.decode() for tick in range(0, 20 * day, day)]
        texts = [web.text(url, tick) for tick in range(0, 20 * day, day)]
        tags = [head.partition("ETag: ")[2].partition("\r")[0] for head in heads]
        same_tag = [one == other for one, other in itertools.pairwise(tags)]
        same_text = [one == other for one, other in itertools.pairwise(texts)]
        if honest:
            assert same_tag == same_text
        elif stale:
            assert all(same_tag)
            assert not all(same_text)
        elif fickle:
            assert not any(same_tag)
        else:
            assert set(tags) == {""}


def test_freshness_is_the_share_of_time_in_which_the_copy_is_the_page() -> None:
    history = History("http://a/", np.array([0.0, 2.0, 5.0]), np.full(3, 200, np.uint16),
                      np.array([1, 2, 3], np.uint64))  # fmt: skip
    # visited on day 1 (content 1, fresh until 2) and day 6 (content 3, fresh until the end on 10)
    alive, fresh, stale = _judge_page(history, np.array([1.0, 6.0]), 0.0, 10.0)
    assert (alive, fresh) == (10.0, 5.0)
    # before the first visit its age counts from day 0; then the copy lacks what came on day 2 until day 6
    assert stale == pytest.approx(1 / 2 + 4 * 4 / 2)
    never = _judge_page(history, np.array([]), 0.0, 10.0)
    assert never == (10.0, 0.0, 50.0)


def test_a_log_of_a_running_clock_is_judged(tmp_path: Path) -> None:
    from urllib.request import ProxyHandler, build_opener

    web = Web("living", seed=7)
    url = web.home_pages()[0]
    with web.serve(log=tmp_path / "log", speed=86_400.0) as server:
        browser = build_opener(ProxyHandler({"http": server.proxy}))
        for _ in range(3):
            with browser.open(url) as response:
                response.read()
    truth = web.freshness(tmp_path / "log")
    assert (truth.urls, truth.visits.tolist()) == ([url], [3])
    assert 0 <= truth.freshness <= 1
    assert BEGINNING == 1_767_225_600


def test_a_web_of_months_has_no_history(tmp_path: Path) -> None:
    web = Web("tiny")
    with pytest.raises(UsageError, match="preset living"):
        web.history(web.home_pages()[0], 0, 1)
    with web.serve(log=tmp_path / "log"):
        pass
    with pytest.raises(UsageError, match="stood still"):
        web.freshness(tmp_path / "log")
