"""Continuous crawls of a synthetic web whose time passes fast: cuts, kills, and what they refuse."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import webstrata as ws
from webstrata.crawl.schedule.clock import CrawlClock
from webstrata.crawl.schedule.cuts import carried
from webstrata.crawl.schedule.pages import GONE, PAGE, SEEN, KnownPages
from webstrata.errors import FormatError, SettingError, UsageError
from webstrata.invitro import Web
from webstrata.invitro.continuous import BEGINNING
from webstrata.invitro.judge.log import read_log
from webstrata.pipeline.crawl_continuous import crawl_continuous
from webstrata.store.pages import read_captures

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Collection, Snapshot

SEED = 1
OPTIONS: dict[str, Any] = {"workers": 1, "max_crawl_delay": 0.0}


def read_index(snapshot: Snapshot) -> pa.Table:
    with snapshot.open_part("captures") as part:
        return read_captures(part.path / "index.cdxj.gz")


@pytest.fixture(scope="module")
def cut(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """Two weeks at a budget at which pages wait for days, so that a cut carries some."""
    collection = ws.create(tmp_path_factory.mktemp("continuous") / "uk")
    result = crawl_continuous(
        collection,
        invitro="living",
        invitro_seed=SEED,
        speed=86_400 / 2,
        days=13,
        options=OPTIONS,
        schedule={"budget": "0.5/page/day", "cut": "weekly"},
    )
    assert result.snapshots == collection.dates
    return collection


@pytest.mark.slow
def test_each_cut_has_every_page_as_it_was_when_it_was_last_visited(cut: Collection) -> None:
    web = Web("living", seed=SEED)
    names = cut.dates
    assert len(names) >= 2
    before: set[str] = set()
    shares = []
    for name in names:
        snapshot = cut[name]
        table = snapshot.pages.table("url", "fetch_time")
        seconds = table["fetch_time"].cast(pa.int64()).to_numpy() / 1000 - BEGINNING
        texts = [text for batch in snapshot.text.scan("text") for text in batch["text"].to_pylist()]
        is_carried = carried(snapshot)
        shares.append(is_carried.mean())
        same = 0
        urls = table["url"].to_pylist()
        for url, second, text in zip(urls, seconds.tolist(), texts, strict=True):
            # a capture is dated when it was asked for, and answered a little later
            ticks = [int(second / 60) + step for step in range(12)]
            lines = [web.text(url, tick).splitlines()[1] for tick in ticks if web.text(url, tick)]
            same += any(" ".join(line.split()[:8]) in text for line in lines)
        assert same >= 0.97 * len(urls), (name, same, len(urls))
        # what was a page at the cut before is one still, is carried, or a visit said that it is gone
        gone = before - set(urls)
        index = read_index(snapshot)
        statuses = dict(zip(index["url"].to_pylist(), index["status"].to_pylist(), strict=True))
        assert gone <= set(statuses), gone - set(statuses)
        assert all(statuses[url] in (404, 301, 302) for url in gone)
        before = set(urls)
    assert shares[0] == 0


@pytest.mark.slow
def test_an_unmodified_page_is_a_revisit_record(cut: Collection) -> None:
    number = 0
    for name in cut.dates:
        index = read_index(cut[name])
        unmodified = index.filter(pc.equal(index["status"], 304))
        number += len(unmodified)
        assert set(unmodified["mime"].to_pylist()) <= {"warc/revisit"}
        # each confirms a capture, whose payload its page has, unless a later visit said that it is gone
        gone = index.filter(pc.equal(index["status"], 404))
        assert set(unmodified["url"].to_pylist()) <= {*cut[name].urls, *gone["url"].to_pylist()}
    assert number > 100


@pytest.mark.slow
def test_copies_are_as_fresh_as_a_plan_without_knowledge(cut: Collection) -> None:
    """Rates are learned from nothing, and a third of the servers lie: no worse than equal visits, by far."""
    web = Web("living", seed=SEED)
    truth = web.freshness(cut.path / "continuous" / "requests.log", since=6.0, until=13.0)
    rates = np.array([len(web.history(url, 0, 40).changes) for url in truth.urls]) / 40
    visits = truth.visits.sum() / 7 / len(rates)
    x = np.maximum(rates, 1e-3) / visits
    equal = float((-np.expm1(-x) / x).mean())
    assert truth.freshness > 0.9 * equal, (truth.freshness, equal, visits)


def run(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "webstrata", "crawl", "uk", "--continuous", *words, "--quiet"]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def check_visits_are_known(collection: Collection, log: Path, killed: float) -> None:
    """What was answered a while before a kill is known to be visited, so that nobody asks for it early."""
    folder = collection.path / "continuous"
    clock = CrawlClock.read(json.loads((folder / "clock.json").read_text())["clock"])
    found = read_log(log)
    names = [f"http://{found.hosts[host]}{target}" for host, target in found.urls]
    good = found.complete & np.isin(found.status, (200, 304)) & (found.end / 1e6 < killed - 1.5)
    asked = {
        name: clock.at(moment / 1e6)
        for name, moment in zip((names[url] for url in found.url[good]), found.arrival[good], strict=True)
        if not name.endswith("/robots.txt")
    }
    pages = KnownPages(folder)
    rows = pages.find(list(asked))
    assert (rows >= 0).all()
    last = pages.state["last"][rows].astype(float)
    pages.close()
    captured: dict[str, float] = {}
    for name in collection.dates:
        path = collection[name].working_folder("crawl") / "captures.cdxj"
        if path.is_file():
            table = read_captures(path)
            seconds = table["time"].cast(pa.int64()).to_numpy() / 1e6
            captured.update(zip(table["url"].to_pylist(), seconds.tolist(), strict=True))
    late = [
        url
        for (url, moment), known in zip(asked.items(), last.tolist(), strict=True)
        if max(known, captured.get(url, 0)) < moment - 0.2 * clock.speed
    ]
    assert len(asked) > 20
    assert not late, (len(late), len(asked))


@pytest.mark.slow
def test_a_crawl_killed_at_any_moment_goes_on_where_it_was(tmp_path: Path) -> None:
    collection = ws.create(tmp_path / "uk")
    log = collection.path / "continuous" / "requests.log"
    first = ("--invitro", "living", "--invitro-seed", "2", "--speed", "20000", "--budget", "0.5/page/day")
    random = np.random.default_rng(5)
    for number in range(3):
        size = log.stat().st_size if log.is_file() else 0
        process = run(tmp_path, *(first if not number else ()), "--workers", "1")
        deadline = time.monotonic() + 60
        while (not log.is_file() or log.stat().st_size < size + 20_000) and time.monotonic() < deadline:
            assert process.poll() is None, process.stderr and process.stderr.read().decode()
            time.sleep(0.05)
        time.sleep(float(random.random()) * 2)
        killed = time.time()
        process.kill()
        assert process.wait() == -signal.SIGKILL
        assert process.stderr is not None
        process.stderr.close()
        check_visits_are_known(collection, log, killed)
    last = crawl_continuous(collection, days=1, options=OPTIONS)
    assert last.days >= 1
    web, found = Web("living", seed=2), read_log(log)
    pages = KnownPages(collection.path / "continuous")
    good = found.complete & np.isin(found.status, (200, 304))
    names = [f"http://{found.hosts[host]}{target}" for host, target in found.urls]
    # no page is forgotten: all that was answered, and every link of it, is known
    answered = {names[place] for place in np.unique(found.url[good])}
    answered = {url for url in answered if not url.endswith("/robots.txt")}
    assert (pages.find(sorted(answered)) >= 0).all()
    assert (pages.find(web.home_pages()) >= 0).all()
    known = pages.state
    assert np.count_nonzero(known["flags"] & PAGE) > 0.9 * np.count_nonzero(known["flags"] & SEEN)
    assert not np.count_nonzero(known["flags"] & GONE & PAGE)
    pages.close()


@pytest.mark.slow
def test_a_budget_is_changed_while_the_crawl_runs(tmp_path: Path) -> None:
    collection = ws.create(tmp_path / "uk")
    process = run(
        tmp_path, "--invitro", "living", "--invitro-seed", "3", "--speed", "3600",
        "--budget", "20/h", "--workers", "1",
    )  # fmt: skip
    log = collection.path / "continuous" / "requests.log"
    try:
        deadline = time.monotonic() + 60
        while (not log.is_file() or log.stat().st_size < 12_000) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert ws.open(tmp_path / "uk").change_schedule(budget="200/h") == {"budget": "200/h"}
        changed = time.time()
        time.sleep(9)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
        assert process.stderr is not None
        process.stderr.close()
    found = read_log(log)
    is_page = [not found.urls[url][1].endswith("/robots.txt") for url in found.url]
    arrival = found.arrival[is_page] / 1e6
    assert arrival.min() < changed
    slow = np.count_nonzero(arrival < changed) / (changed - arrival.min())
    fast = np.count_nonzero(arrival > changed + 4) / max(arrival.max() - changed - 4, 1)
    assert slow < 30
    assert fast > 2 * slow


@pytest.mark.parametrize(
    ("given", "error", "sentence"),
    [
        ({"schedule": {"budget": "0/s"}}, SettingError, "above 0"),
        ({"schedule": {"budget": "much"}}, SettingError, "written as 20/s"),
        ({"schedule": {"cut": "hourly"}}, SettingError, "daily"),
        ({"invitro": None}, UsageError, "give --seeds FILE, or --invitro PRESET"),
        ({"invitro": "tiny"}, UsageError, "moves by months"),
        ({"invitro": None, "seeds": ["http://a.example/"], "speed": 2.0}, UsageError, "only a synthetic web"),
        ({"schedule": {"budget": "1000/s"}, "options": {"host_delay": 4.0}}, UsageError, "allow"),
    ],
)
def test_what_cannot_be_crawled_is_refused_in_a_sentence(
    tmp_path: Path, given: dict[str, Any], error: type[Exception], sentence: str
) -> None:
    collection = ws.create(tmp_path / "uk")
    with pytest.raises(error, match=sentence):
        crawl_continuous(collection, **({"invitro": "living"} | given))
    assert not collection.dates


def test_the_sixty_fifth_snapshot_is_refused_at_the_start(tmp_path: Path) -> None:
    collection = ws.create(tmp_path / "uk")
    for number in range(64):
        collection.add(f"20{number // 12:02}-{number % 12 + 1:02}")
    with pytest.raises(UsageError, match="holds 64 snapshots"):
        crawl_continuous(collection, invitro="living")


def test_a_clock_that_was_set_back_is_noticed(tmp_path: Path) -> None:
    collection = ws.create(tmp_path / "uk")
    folder = collection.path / "continuous"
    folder.mkdir()
    told = {"clock": {"speed": 1.0, "since": 0.0, "shown": 0.0}, "seen": time.time() + 3600, "open": None}
    (folder / "clock.json").write_text(json.dumps(told))
    with pytest.raises(UsageError, match="the clock is behind"):
        crawl_continuous(collection)
    (folder / "clock.json").write_text("{}")
    with pytest.raises(FormatError, match="not the clock"):
        crawl_continuous(collection)


@pytest.mark.slow
def test_a_collection_of_one_shot_snapshots_begins_with_the_newest(tmp_path: Path) -> None:
    collection = ws.create(tmp_path / "uk")
    collection.add("2025-12").crawl(invitro="living", invitro_seed=4, workers=1)
    known = len(collection["2025-12"].urls)
    result = crawl_continuous(
        collection, invitro="living", invitro_seed=4, speed=86_400, days=1, options=OPTIONS,
        schedule={"budget": "1/page/day", "cut": "daily"},
    )  # fmt: skip
    assert result.visits.get("new", 0) < 0.2 * known
    assert len(collection["2026-01-01"].urls) >= 0.97 * known
    assert os.fspath(collection.path)


@pytest.mark.long
def test_cuts_that_are_not_kept_are_removed_and_leave_no_page_without_its_payload(tmp_path: Path) -> None:
    collection = ws.create(tmp_path / "uk")
    collection.add("2020-01")  # of the user's, and none of the crawl's business
    result = crawl_continuous(
        collection, invitro="living", invitro_seed=6, speed=86_400 / 4, days=5, options=OPTIONS,
        schedule={"budget": "0.4/page/day", "cut": "daily", "keep": "daily:2"},
    )  # fmt: skip
    assert len(result.snapshots) >= 3
    assert collection.dates == ["2020-01", *result.snapshots[-2:]]
    last = collection[result.snapshots[-1]]
    assert carried(last).any()
    texts = [text for batch in last.text.scan("text") for text in batch["text"].to_pylist()]
    assert len(texts) == len(last.urls)
    for place in np.flatnonzero(carried(last))[:20].tolist():
        assert last.pages[place]["warc_filename"]
        assert last.get(last.urls[place]).payload
