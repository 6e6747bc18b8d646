"""What changes while a crawl runs, and whom it never asks."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.crawl.origin import Origin, crawl, page, reply
from webstrata.simulate.invitro.judge.settings import JudgeSettings

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
]


def test_no_page_leads_to_an_address_of_a_private_network(tmp_path: Path) -> None:
    with Origin() as origin:
        # the same port, so that the origin itself would answer on loopback
        port = origin.at()[1]
        targets = [f"http://{url.split('/')[2]}:{port}/secret" for url in FORBIDDEN]
        origin.say("/", reply(page("links", *targets)))
        origin.say("/secret", reply(page("secret")))
        found = crawl(tmp_path, origin, "http://a.test/", private_addresses=False, retries=0)
    assert found.stored == {"http://a.test/"}
    assert "/secret" not in origin.paths()
    assert found.result is not None
    assert found.result.counters["hosts_closed"] >= len(FORBIDDEN) - 4  # some are spellings of one address


def test_who_may_ask_private_networks_does(tmp_path: Path) -> None:
    with Origin() as origin:
        port = origin.at()[1]
        origin.say("/", reply(page("links", f"http://127.0.0.1:{port}/mine")))
        origin.say("/mine", reply(page("mine")))
        found = crawl(tmp_path, origin, "http://a.test/", private_addresses=True)
    assert f"http://127.0.0.1:{port}/mine" in found.stored


def test_a_delay_and_a_blacklist_take_effect_while_the_crawl_runs(tmp_path: Path) -> None:
    web = ws.invitro.Web("small", seed=7)
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    log = tmp_path / "requests.log"
    settings = ws.CrawlSettings(host_delay=0, ip_delay=0.001, resolve=False, max_crawl_delay=0, max_seconds=4)
    with web.serve(origins=True, log=log) as server:
        hosts = {name: (address, server.port) for name, address in server.addresses().items()}
        job = ws.Crawl(snapshot, settings, seeds=web.home_pages(), hosts=hosts)
        largest = max(web.graph().urls, key=len).split("/")[2]

        def steer() -> None:
            while job.control is None:
                time.sleep(0.01)
            time.sleep(0.6)
            job.control.set("host_delay", "1s")
            job.control.blacklist(largest)

        thread = threading.Thread(target=steer)
        thread.start()
        job.run()
        thread.join()
    lines = [line.split("\t") for line in log.read_text().splitlines()[1:]]
    began = min(int(line[3]) for line in lines if len(line) > 9)
    late = [line for line in lines if len(line) > 9 and int(line[3]) > began + 1_800_000]
    assert late
    assert largest not in {line[2] for line in late}
    text = "\n".join(["\t".join(line) for line in late])
    part = tmp_path / "late.log"
    part.write_text(log.read_text().splitlines()[0] + "\n" + text + "\n")
    verdict = ws.invitro.judge(part, JudgeSettings(host_delay=1.0, ip_delay=0.0, tolerance=0.01))
    assert verdict.counts["host_gap"] == 0


def test_there_is_nothing_to_steer_before_it_runs(tmp_path: Path) -> None:
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    job = ws.Crawl(snapshot, ws.CrawlSettings(resolve=False), seeds=["http://a.test/"])
    assert job.control is None
    with pytest.raises(ValueError, match="not running"):
        job.add([("http://a.test/", 0)])
