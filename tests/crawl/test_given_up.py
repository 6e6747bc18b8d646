"""Hosts that a crawl gives up, and how they are taken back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest

from tests.crawl.origin import RESET, Origin, page, prepare, read, reply
from webstrata.crawl.given_up import GivenUpHosts, read_given_up, take_back
from webstrata.crawl.recovery import can_go_on, is_finished
from webstrata.crawl.run import Crawl
from webstrata.errors import FormatError, MissingError, UsageError

if TYPE_CHECKING:
    from pathlib import Path


def test_a_host_is_given_up_for_a_reason_and_asked_again_when_it_was_taken_back(tmp_path: Path) -> None:
    with Origin() as origin, patch("webstrata.crawl.run._PERIOD", 0.01):
        origin.say("a.test/", reply(page("first", "http://b.test/x", "http://c.test/y", "/bad")))
        # what breaks off once for each of the two attempts is there when it is asked for again
        origin.say("a.test/bad", (RESET,), (RESET,), reply(page("good")))
        origin.say("b.test/x", reply(page("second")))
        hosts = {"a.test": origin.at(), "b.test": origin.at()}
        job = prepare(tmp_path, ["http://a.test/"], {"hosts": hosts}, retries=1, crawl_log="heritrix")
        result = job.run()
        folder = job.folder
        assert result.end == "exhausted"
        # a name that leads nowhere, and a host whose connections break
        assert {host.origin: host.reason for host in read_given_up(folder)} == {
            "http://c.test": "dns",
            "http://a.test": "connect",
        }
        told = json.loads((folder / "crawl.json").read_text())
        assert told["given_up"] == {"dns": 1, "connect": 1}
        assert told["counters"]["unreached"] >= 1
        assert is_finished(job.snapshot)

        assert [host.origin for host in take_back(folder, ["a.test"])] == ["http://a.test"]
        (folder / "finished").unlink()
        assert can_go_on(job.snapshot)
        again = Crawl(job.snapshot, job.settings, hosts=hosts).run()
        assert again.end == "exhausted"
        assert origin.paths("a.test").count("/bad") == 3
        assert origin.paths("a.test").count("/") == 1
        # what was not taken back is left alone
        assert [host.origin for host in read_given_up(folder)] == ["http://c.test"]
        assert set(read(job.snapshot, again).lines) == {
            "http://a.test/",
            "http://a.test/bad",
            "http://b.test/x",
        }
    lines = [line.split() for line in (folder / "crawl.log").read_text().splitlines()]
    assert {len(line) for line in lines} == {12}
    bad = [line for line in lines if line[3] == "http://a.test/bad"]
    assert [(line[1], line[4], line[5], line[11]) for line in bad] == [
        ("-2", "L", "http://a.test/", "2t,connect"),
        ("200", "L", "http://a.test/", "-"),
    ]


def test_a_host_that_never_is_available_is_given_up_in_the_end(tmp_path: Path) -> None:
    with Origin() as origin, patch("webstrata.crawl.run._PERIOD", 0.01):
        origin.say("/", reply(page("first", *(f"/{number}" for number in range(30)))))
        for number in range(30):
            origin.say(f"/{number}", reply(page(f"no {number}"), status="503 Service Unavailable"))
        job = prepare(tmp_path, ["http://a.test/"], {"hosts": {"a.test": origin.at()}}, retries=0)
        job.run()
    assert len(origin.paths()) == 11
    assert [(host.reason, host.urls) for host in read_given_up(job.folder)] == [("unavailable", 20)]


def test_what_is_no_host_no_class_or_no_file_is_refused(tmp_path: Path) -> None:
    GivenUpHosts(tmp_path).add("http://a.test", "dns", 1)
    with pytest.raises(MissingError, match=r"b\.test: this host was not given up"):
        take_back(tmp_path, ["b.test"])
    with pytest.raises(UsageError, match="weather is no class of errors; known are dns, connect"):
        take_back(tmp_path, classes=["weather"])
    path = tmp_path / "given-up.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:9])
    assert len(read_given_up(tmp_path)) == 1
    path.write_bytes(whole[:9] + b"\n" + whole)
    with pytest.raises(FormatError, match=r"given-up\.jsonl, line 1: this is no host that was given up"):
        read_given_up(tmp_path)
