"""Hosts at the gate: asked about once, written down, and kept decided when a crawl goes on."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.crawl.origin import QUICK, Origin, prepare, tree
from webstrata.crawl.filters import Response
from webstrata.crawl.gate import FILE, GateKeeper, read_decisions
from webstrata.crawl.given_up import read_given_up
from webstrata.crawl.report import read_report
from webstrata.crawl.run import Crawl
from webstrata.crawl.settings import CrawlSettings
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from webstrata.crawl.judging import HostSample


@dataclass
class Said:
    """As a gate with scores says it."""

    score: float
    why: str = "because"

    def __bool__(self) -> bool:
        return self.score < 0.5


class Gate:
    """Refuses what is called b, and remembers whom it was asked about."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int]] = []
        self.remembered: dict[str, float] = {}

    def __call__(self, samples: list[HostSample]) -> list[Said]:
        self.asked += [(sample.origin, len(sample.pages)) for sample in samples]
        return [Said(0.9 if "//b" in sample.origin else 0.1) for sample in samples]

    def remember(self, scores: Mapping[str, float]) -> None:
        self.remembered.update(scores)


def test_what_a_gate_says_is_written_down_and_not_asked_again(tmp_path: Path) -> None:
    first = GateKeeper(Gate(), tmp_path)
    first.show("http://a.test", Response(url="http://a.test/"))
    assert dict(first.answer(["http://a.test", "http://b.test"])) == {
        "http://a.test": True,
        "http://b.test": False,
    }
    [one, other] = read_decisions(tmp_path)
    assert (one.pages, one.score, one.why, other.keeps) == (1, 0.1, "because", False)

    gate = Gate()
    second = GateKeeper(gate, tmp_path, given_up={"http://b.test"})
    assert gate.remembered == {"http://a.test": 0.1, "http://b.test": 0.9}
    said = dict(second.answer(["http://b.test", "http://a.test", "http://c.test"]))
    assert said == {"http://a.test": True, "http://b.test": False, "http://c.test": True}
    assert gate.asked == [("http://c.test", 0)]
    assert second.summary()["refused"] == 1


def test_a_host_that_was_taken_back_is_asked_about_again(tmp_path: Path) -> None:
    list(GateKeeper(Gate(), tmp_path).answer(["http://b.test"]))
    gate = Gate()
    list(GateKeeper(gate, tmp_path).answer(["http://b.test"]))
    assert gate.asked == [("http://b.test", 0)]


def test_a_torn_end_is_left_out_and_a_bad_line_is_told(tmp_path: Path) -> None:
    list(GateKeeper(Gate(), tmp_path).answer(["http://a.test", "http://b.test"]))
    path = tmp_path / FILE
    path.write_text(path.read_text()[:-5])
    assert [decision.origin for decision in read_decisions(tmp_path)] == ["http://a.test"]
    path.write_text('{"origin": 1, "odd": 2}\n')
    with pytest.raises(FormatError, match=r"gate\.jsonl, line 1: this is no decision of a gate"):
        read_decisions(tmp_path)


def test_many_hosts_are_asked_about_in_batches_all_of_them(tmp_path: Path) -> None:
    gate = Gate()
    origins = [f"http://h{number}.test" for number in range(150)]
    assert [origin for origin, _ in GateKeeper(gate, tmp_path).answer(origins)] == origins
    assert len(gate.asked) == 150


def test_a_gate_that_answers_for_too_few_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="shorter"):
        list(GateKeeper(lambda _samples: [], tmp_path).answer(["http://a.test"]))


def test_a_crawl_tells_what_the_gate_cut_and_goes_on_with_what_it_said(tmp_path: Path) -> None:
    gate = Gate()

    def stop_when_one_is_refused() -> None:
        while not read_given_up(job.folder):
            time.sleep(0.01)
        job.stop()

    with Origin() as origin:
        tree(origin, names=("a.test", "b.test"))
        hosts: dict[str, tuple[str, int | None]] = {name: origin.at() for name in ("a.test", "b.test")}
        how = {"hosts": hosts, "gate": gate}
        seeds = ("http://a.test/", "http://b.test/")
        # with so long a delay the other one is not at its end by then
        job = prepare(tmp_path, seeds, how, gate_after=2, keep_alive=0, host_delay=0.5)
        with ThreadPoolExecutor(1) as watcher:
            watching = watcher.submit(stop_when_one_is_refused)
            assert job.run().end == "stopped"
            watching.result()
        assert sorted(gate.asked) == [("http://a.test", 2), ("http://b.test", 2)]
        folder = job.folder
        report = json.loads((folder / "crawl.json").read_text())
        assert (report["gate"]["hosts"], report["gate"]["refused"]) == (2, 1)
        assert report["gate"]["examples"][0]["origin"] == "http://b.test"
        assert read_report(job.snapshot).result.gate == report["gate"]
        assert [(host.origin, host.reason) for host in read_given_up(folder)] == [("http://b.test", "gate")]

        again = Gate()
        settings = CrawlSettings(**(QUICK | {"gate_after": 2}))
        assert Crawl(job.snapshot, settings, hosts=hosts, gate=again).run().end == "exhausted"
        assert not again.asked
        assert again.remembered == {"http://a.test": 0.1, "http://b.test": 0.9}
        assert len(set(origin.paths("a.test"))) == 15
        assert origin.paths("b.test") == ["/", "/2"]
