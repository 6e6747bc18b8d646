"""How a crawl begins and ends."""

from __future__ import annotations

import _thread
import random
import resource
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.origin import HANG, QUICK, Origin, core_threads, page, prepare, read, reply, tree
from webstrata import create
from webstrata.crawl.configuration import make_filters, product_token
from webstrata.crawl.run import Crawl
from webstrata.crawl.settings import CrawlSettings
from webstrata.errors import (
    DiskFullError,
    ExistsError,
    MissingError,
    SettingError,
    UsageError,
    WebstrataError,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from webstrata.crawl.hosts import Hosts


# ---- the end


def interrupt_when(condition: Callable[[], bool], times: int = 1) -> threading.Thread:
    """Press Ctrl-C as soon as something holds."""

    def press() -> None:
        deadline = time.monotonic() + 60
        while not condition() and time.monotonic() < deadline:
            time.sleep(0.01)
        for number in range(times):
            if number:
                time.sleep(0.5)  # two at once would count as one
            _thread.interrupt_main()

    thread = threading.Thread(target=press)
    thread.start()
    return thread


def test_an_interrupted_crawl_leaves_closed_files_and_parts(tmp_path: Path) -> None:
    with Origin() as origin:
        tree(origin, size=63)
        job = prepare(tmp_path, ["http://a.test/"], {"hosts": {"a.test": origin.at()}}, host_delay=0.1)
        thread = interrupt_when(lambda: len(origin.paths()) > 3)
        with pytest.raises(KeyboardInterrupt):
            job.run()
        thread.join()
    found = read(job.snapshot, None)
    assert 3 <= len(found.captures) < 60
    assert {record["WARC-Target-URI"] for record in found.captures} == set(found.lines)
    assert len(list(found.snapshot.urls)) == len(found.captures)


def test_who_interrupts_twice_does_not_wait_for_a_silent_server(tmp_path: Path) -> None:
    with Origin(("127.0.0.1", "127.0.0.2")) as origin:
        origin.say("a.test/", reply(page("home")))
        origin.say("b.test/", (HANG,))
        hosts = {"a.test": origin.at(), "b.test": origin.at("127.0.0.2")}
        job = prepare(tmp_path, [f"http://{name}/" for name in hosts], {"hosts": hosts}, response_timeout=600)
        thread = interrupt_when(lambda: len(origin.paths()) == 2, times=2)
        begun = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            job.run()
        thread.join()
        # far from the ten minutes that the server is granted, however busy this machine is
        assert time.monotonic() - begun < 300
        found = read(job.snapshot, None)
    assert found.stored == {"http://a.test/"}


def test_a_full_disk_ends_the_crawl_with_its_own_error(tmp_path: Path) -> None:
    draw = random.Random(7)
    with Origin() as origin:
        for place in range(40):
            origin.say(f"/{place}", reply(page(f"number {place}") + draw.randbytes(20_000)))
        seeds = [f"http://a.test/{place}" for place in range(40)]
        job = prepare(tmp_path, seeds, {"hosts": {"a.test": origin.at()}})
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, limits[1]))
        try:
            with pytest.raises(DiskFullError, match="no space left"):
                job.run()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not core_threads()


def test_a_crawl_is_stopped_and_paused_from_another_thread(tmp_path: Path) -> None:
    counts: list[int] = []
    with Origin() as origin:
        # without the stop it takes ten seconds at least
        tree(origin, size=511)
        job = prepare(tmp_path, ["http://a.test/"], {"hosts": {"a.test": origin.at()}}, host_delay=0.02)

        def steer() -> None:
            while len(origin.paths()) < 3:
                time.sleep(0.01)
            job.pause()
            while job.control is None or job.control.status()["counters"]["in_flight"]:
                time.sleep(0.01)
            time.sleep(0.1)  # for a visit that began in the same moment
            counts.append(len(origin.paths()))
            time.sleep(0.3)
            counts.append(len(origin.paths()))
            job.pause(paused=False)
            while len(origin.paths()) < counts[-1] + 3:
                time.sleep(0.01)
            job.stop()

        thread = threading.Thread(target=steer)
        thread.start()
        result = job.run()
        thread.join()
    assert counts[0] == counts[1]
    assert result.end == "stopped"
    assert 6 <= result.pages < 511


# ---- before it begins


def test_a_snapshot_is_crawled_once_unless_asked_again(tmp_path: Path) -> None:
    with Origin() as origin:
        tree(origin, size=3)
        job = prepare(tmp_path, ["http://a.test/"], {"hosts": {"a.test": origin.at()}})
        job.run()
        with pytest.raises(ExistsError, match="--again"):
            job.run()
        assert job.run(again=True).pages == 3
        assert len(read(job.snapshot, None).captures) == 3


BAD: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "user_agent": ({"resolve": True}, {}),
    "compression_level": ({"compression_level": 13}, {}),
    "gate_after": ({"gate_after": 2}, {}),
    "levels is 1": ({"levels": 1}, {"priority": lambda urls, _: [0] * len(urls)}),
    "levels is 4": ({"levels": 4}, {}),
    "level_bias is 3": ({"level_bias": 3.0}, {}),
    "priority is pagerank": ({"priority": "pagerank"}, {}),
    "priority: nowhere.tsv is not a file": ({"priority": "nowhere.tsv"}, {}),
    "priority: no_such_module:f cannot be imported": ({"priority": "no_such_module:f"}, {}),
    "priority: math:pi is not a function": ({"priority": "math:pi"}, {}),
    "host_delays": ({"host_delays": ("a.test",)}, {}),
    "host_delays: 'a.test=-5s'": ({"host_delays": ("a.test=-5s",)}, {}),
    "ip_delays": ({"ip_delays": ("a.test=5s",)}, {}),
    "name_servers": ({"name_servers": ("ns.test",)}, {}),
}


@pytest.mark.parametrize("start", BAD)
def test_a_setting_that_makes_no_sense_is_told_in_one_sentence(tmp_path: Path, start: str) -> None:
    settings, how = BAD[start]
    with pytest.raises(SettingError) as told:
        prepare(tmp_path, ["http://a.test/"], how, **settings)
    assert str(told.value).startswith(start)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    "hosts", [{"a.test": ("nowhere", 80)}, {"a.test": ("127.0.0.1", 0)}, {"a.test": ("127.0.0.1", 99999)}]
)
def test_a_place_that_is_none_is_refused(tmp_path: Path, hosts: Hosts) -> None:
    with pytest.raises(ValueError, match="hosts: expected"):
        prepare(tmp_path, ["http://a.test/"], {"hosts": hosts})


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"authority": "missing.pem"}, MissingError),
        ({"hosts_table": "missing"}, MissingError),
        ({"compression": "zstd", "dictionary": "missing"}, MissingError),
        ({"accept_all_certificates": False, "authority": "odd.pem"}, WebstrataError),
    ],
)
def test_what_cannot_begin_leaves_nothing_in_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any], error: type[Exception]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "odd.pem").write_text("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
    snapshot = create(tmp_path / "c").add("2026-06")
    with pytest.raises(error):
        Crawl(snapshot, CrawlSettings(**(QUICK | settings)), seeds=["http://a.test/"]).run()
    assert not core_threads()
    result = Crawl(snapshot, CrawlSettings(**QUICK), seeds=["http://a.test/"]).run()
    assert result.end == "exhausted"


def test_there_must_be_something_to_begin_with(tmp_path: Path) -> None:
    for how in ({}, {"pages": [("mailto:a@b.test", "", "")]}):
        with pytest.raises(UsageError, match="no URL to begin with"):
            prepare(tmp_path, [], how).run()


def test_urls_cannot_be_added_to_a_crawl_that_does_not_run(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not running"):
        prepare(tmp_path, ["http://a.test/"], {}).add([("http://a.test/1", 0)])


def test_a_filter_that_lets_everything_through_costs_nothing() -> None:
    filters = make_filters(CrawlSettings(max_repeats=0, store="  true "))
    assert set(filters.values()) == {None}


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [("a-b_c/1.0 (+http://d)", "a-b_c"), ("Plain", "Plain"), ("1st/2", "webstrata"), ("", "webstrata")],
)
def test_robots_txt_knows_a_crawler_by_its_first_word(user_agent: str, name: str) -> None:
    assert product_token(user_agent) == name
