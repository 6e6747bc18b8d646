"""What changes while a crawl runs, and whom it never asks."""

from __future__ import annotations

import threading
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

import webstrata as ws
from tests.crawl.origin import Origin, crawl, page, prepare, reply, tree
from webstrata.crawl.given_up import read_given_up
from webstrata.errors import FilterError
from webstrata.invitro.judge.settings import JudgeSettings

if TYPE_CHECKING:
    from pathlib import Path

# every way to write an address that is nobody else's business, and what redirects may try
FORBIDDEN = [
    "http://127.0.0.1/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0177.0.0.1/",
    "http://0.0.0.0/",
    "http://10.0.0.1/",
    "http://172.16.0.1/",
    "http://192.168.1.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://100.64.0.1/",
    "http://198.18.0.1/",
    "http://192.0.0.1/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "http://[::1]/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:169.254.169.254]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[fc00::1]/",
    "http://[fe80::1]/",
    "http://[ff02::1]/",
    "http://[2001:db8::1]/",
    "http://[::10.0.0.1]/",
    "http://[::ffff:0:10.0.0.1]/",
    "http://[64:ff9b:1::8.8.8.8]/",
    "http://[2001:0:808:808::1]/",
    "http://[2606:2800:220:1:0:5efe:10.0.0.1]/",
    "http://[2606:2800:220:1:200:5efe:192.168.1.1]/",
]

LATE = 2.0
"""Seconds after a change from which on nothing may be as before. What is promised is one, and changes are
seen within milliseconds; the other one is for a machine that is busy with other things."""


def test_no_page_leads_to_an_address_of_a_private_network(tmp_path: Path) -> None:
    with Origin() as origin:
        # the same port, so that the origin itself would answer on loopback
        port = origin.at()[1]
        targets = [f"http://{url.split('/')[2]}:{port}/secret" for url in FORBIDDEN]
        origin.say("/", reply(page("links", *targets)))
        origin.say("/secret", reply(page("secret")))
        # who would retry it would wait for an hour
        patience: dict[str, Any] = {"retries": 3, "retry_delay": 3600}
        found = crawl(tmp_path, origin, "http://a.test/", private_addresses=False, **patience)
    assert found.stored == {"http://a.test/"}
    assert "/secret" not in origin.paths()
    assert found["hosts_closed"] >= len(FORBIDDEN) - 4  # some are spellings of one address
    # none was contacted, looked up or tried again
    assert found["failed_forbidden"] == found["hosts_closed"]
    assert (found["failed_connect"], found["failed_dns"], found["retries"]) == (0, 0, 0)
    assert (found["hosts"], found["hosts_unresolved"]) == (1, 0)
    assert {host.reason for host in read_given_up(found.snapshot.working_folder("crawl"))} == {"forbidden"}
    assert found.result is not None
    (cut,) = [cut for cut in found.result.cuts if cut.reason == "forbidden"]
    assert cut.number == found["failed_forbidden"]


def test_who_may_ask_private_networks_does(tmp_path: Path) -> None:
    with Origin() as origin:
        port = origin.at()[1]
        origin.say("/", reply(page("links", f"http://127.0.0.1:{port}/mine")))
        origin.say("/mine", reply(page("mine")))
        found = crawl(tmp_path, origin, "http://a.test/", private_addresses=True)
    assert f"http://127.0.0.1:{port}/mine" in found.stored


def test_delays_filters_and_blacklists_take_effect_within_a_second(tmp_path: Path) -> None:
    web = ws.invitro.Web("small", seed=7)
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    log = tmp_path / "requests.log"
    settings = ws.CrawlSettings(host_delay=0, ip_delay=0.02, resolve=False, max_crawl_delay=0)
    with web.serve(origins=True, log=log) as server:
        hosts = {name: (address, server.port) for name, address in server.addresses().items()}
        job = ws.Crawl(snapshot, settings, seeds=web.home_pages(), hosts=hosts)
        sizes = Counter(url.split("/")[2] for url in web.graph().urls)
        (largest, _), (refused, _) = sizes.most_common(2)

        def steer() -> None:
            while job.control is None or job.control.status()["counters"]["pages"] < 400:
                time.sleep(0.01)
            with pytest.raises(FilterError):
                job.control.set("fetch", "not HostEquals(")
            job.control.set("host_delay", "1s")
            job.control.set("fetch", f"not HostEquals({refused})")
            job.control.blacklist(largest)
            server.mark_restart()  # the moment by the clock of the log
            time.sleep(LATE + 1.5)  # so that there is more than one visit of a host to judge
            job.stop()

        thread = threading.Thread(target=steer)
        thread.start()
        job.run()
        thread.join()
    head, *rest = log.read_text().splitlines()
    (changed,) = [int(line.split()[2]) for line in rest if line.startswith("# restart ")]
    lines = [line.split("\t") for line in rest if not line.startswith("#")]
    before = Counter(line[2] for line in lines if int(line[3]) < changed)
    late = [line for line in lines if int(line[3]) > changed + LATE * 1e6]
    # both were under way, and far from their end
    assert 0 < before[largest] < sizes[largest] / 2
    assert 0 < before[refused] < sizes[refused] / 2
    assert late
    assert not {largest, refused} & {line[2] for line in late}
    text = "\n".join("\t".join(line) for line in late)
    part = tmp_path / "late.log"
    part.write_text(f"{head}\n{text}\n")
    verdict = ws.invitro.judge(part, JudgeSettings(host_delay=1.0, ip_delay=0.0, tolerance=0.1))
    assert verdict.counts["host_gap"] == 0


def test_a_shorter_delay_is_not_waited_for_and_a_resume_keeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Origin() as origin:
        tree(origin, size=7)
        hosts = {"a.test": origin.at()}
        job = prepare(tmp_path, ["http://a.test/"], {"hosts": hosts}, host_delay=600, obey_robots=False)
        steered: list[object] = []

        def steer() -> None:
            while job.control is None or not origin.requests:
                time.sleep(0.01)
            time.sleep(0.1)
            steered.append(len(origin.requests))
            job.control.set("schedule", "not PathEndsWithOneOf(5, 7)")
            job.control.set("max_pages", 5)
            job.control.set("host_delay", 0)

        thread = threading.Thread(target=steer)
        thread.start()
        result = job.run()
        thread.join()
        assert steered[0] == 1
        assert result.end == "max_pages"
        # the links of the first page came before the filter, those of the others behind it
        assert origin.paths() == ["/", "/2", "/3", "/4", "/6"]
        names = [path.name for path in sorted(job.folder.glob("*.warc.gz*"))]
        assert not any(name.endswith(".open") for name in names)
        monkeypatch.setenv("WEBSTRATA_CRAWL_RESOLVE", "false")
        monkeypatch.setenv("WEBSTRATA_CRAWL_HOST_DELAY", "9s")
        again = ws.Crawl(job.snapshot, hosts=hosts)
    assert (again.settings.host_delay, again.settings.max_pages) == (0, 5)
    assert again.settings.schedule == "not PathEndsWithOneOf(5, 7)"


def test_a_flush_closes_the_file_and_brings_the_index_up_to_date(tmp_path: Path) -> None:
    with Origin() as origin:
        tree(origin, size=3)
        job = prepare(tmp_path, ["http://a.test/"], {"hosts": {"a.test": origin.at()}, "waits": True})
        thread = threading.Thread(target=job.run)
        thread.start()
        while job.control is None or job.control.status()["counters"]["captures"] < 4:
            time.sleep(0.01)
        assert [path.suffix for path in job.folder.glob("*.warc*")] == [".open"]
        assert job.control.flush() == 4
        assert [path.suffix for path in job.folder.glob("*.warc*")] == [".gz"]
        assert len((job.folder / "captures.cdxj").read_text().splitlines()) == 4  # and robots.txt
        job.finish()
        thread.join()


def test_there_is_nothing_to_steer_before_it_runs(tmp_path: Path) -> None:
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    job = ws.Crawl(snapshot, ws.CrawlSettings(resolve=False), seeds=["http://a.test/"])
    assert job.control is None
    with pytest.raises(ValueError, match="not running"):
        job.add([("http://a.test/", 0)])
