"""Simulated crawls beside real ones, what policies are worth, and that a run can be done again."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import webstrata as ws
from tests.simulate.conftest import crawl, make_web
from tests.temporal.months import add_month
from webstrata import errors
from webstrata.collection.progress import Progress, Task
from webstrata.simulate.configuration import differences
from webstrata.simulate.harvest import Harvest, Trace
from webstrata.simulate.policies import POLICIES, SimulatedPage
from webstrata.simulate.run import Simulation, Start
from webstrata.simulate.settings import SimulateSettings

if TYPE_CHECKING:
    from pathlib import Path

POLITE = SimulateSettings(
    policy=("breadth-first",), relevant="all", start="homes", link_order="page", clock=True, host_delay=0.25,
    ip_delay=0.05, fetch_time=0.1, max_depth=255,
)  # fmt: skip


def by_host(snapshot: ws.Snapshot, nodes: list[int]) -> dict[str, list[str]]:
    """URLs in their order, by host."""
    found: dict[str, list[str]] = {}
    for node in nodes:
        url = snapshot.urls[node]
        found.setdefault(url.split("/")[2], []).append(url)
    return found


def real_order(snapshot: ws.Snapshot) -> list[int]:
    """The nodes as they were stored."""
    table = snapshot.pages.table("warc_filename", "warc_record_offset")
    places = list(zip(*(table[name].to_pylist() for name in table.column_names), strict=True))
    return sorted(range(len(places)), key=places.__getitem__)


def simulate_apart(snapshot: ws.Snapshot, settings: SimulateSettings) -> list[int]:
    """Breadth-first by links within hosts alone, as a crawl with the filter `SameHost` follows them."""
    simulation = Simulation(snapshot, settings)
    offsets, targets = simulation.web.lists  # type: ignore[misc]
    hosts = simulation.web.hosts.of_node
    sources = np.repeat(np.arange(len(hosts)), np.diff(offsets).astype(np.int64))
    kept = hosts[sources] == hosts[targets]
    ends = np.append(
        np.uint64(0), np.cumsum(np.bincount(sources[kept], minlength=len(hosts)), dtype=np.uint64)
    )
    simulation.web.lists = (ends, targets[kept])
    [trace] = simulation.traces()
    nodes: list[int] = trace.nodes.tolist()
    return nodes


def test_breadth_first_fetches_what_the_crawler_did_and_each_host_in_its_order(tmp_path: Path) -> None:
    # no link to another host is followed, so nothing depends on which of them is faster
    web = make_web(pages=250)
    real = crawl(tmp_path / "all", web, schedule="SameHost")
    nodes = simulate_apart(real, POLITE)
    assert len(nodes) == len(real.urls) > 200
    assert by_host(real, nodes) == by_host(real, real_order(real))
    # and within limits, of which the graph of all pages knows nothing
    limits: dict[str, Any] = {"max_pages_per_host": 12, "max_depth": 2}
    limited = crawl(tmp_path / "some", web, schedule="SameHost", **limits)
    assert len(limited.urls) < len(real.urls)
    expected = by_host(limited, real_order(limited))
    assert by_host(real, simulate_apart(real, replace(POLITE, **limits))) == expected


def test_breadth_first_fetches_the_same_pages_where_hosts_lead_to_each_other(months: ws.Collection) -> None:
    snapshot = months["2026-06"]
    [trace] = Simulation(snapshot, replace(POLITE, link_order="node", fetchers=2)).traces()
    assert sorted(trace.nodes.tolist()) == list(range(len(snapshot.urls)))
    hosts = Simulation(snapshot, POLITE).web.hosts.of_node[trace.nodes]
    ends: dict[int, float] = {}
    for host, time in zip(hosts.tolist(), trace.times.tolist(), strict=True):
        # a page takes some time, so from end to end it is more than the delay
        assert time > ends.get(host, -1.0) + POLITE.host_delay
        ends[host] = time


def test_who_knows_more_brings_in_more(months: ws.Collection) -> None:
    settings = SimulateSettings(
        policy=("oracle", "best-first", "shark", "learned", "random"),
        relevant="topic:1",
        runs=10,
        max_pages=150,
    )
    rows = {row.policy: row.values for row in Simulation(months["2026-06"], settings).run().rows()}
    for name in ("harvest", "area"):
        assert rows["oracle"][name][0] >= rows["best-first"][name][0] > rows["random"][name][0]
        assert rows["oracle"][name][0] >= rows["learned"][name][0] > rows["random"][name][0]
        assert rows["shark"][name][0] > rows["random"][name][0]
        # further apart than chance explains
        worse = rows["random"][name]
        assert rows["shark"][name][0] - rows["shark"][name][1] > worse[0] + worse[1]


def test_who_knows_the_month_before_brings_in_more(months: ws.Collection) -> None:
    settings = SimulateSettings(policy=("learned", "past"), relevant="topic:1", runs=10, max_pages=100)
    with pytest.raises(errors.SettingError, match="past needs an earlier snapshot"):
        Simulation(months["2026-06"], settings)
    told = replace(settings, knowing="2026-05")
    with pytest.raises(errors.SettingError, match="2026-05 is not before 2026-05"):
        Simulation(months["2026-05"], told).run()
    knows = {row.policy: row.values["area"][0] for row in Simulation(months["2026-06"], told).run().rows()}
    [without] = Simulation(months["2026-06"], replace(settings, policy=("learned",))).run().rows()
    assert knows["learned"] > without.values["area"][0]
    assert knows["past"] > without.values["area"][0] * 0.9
    harvest = Simulation(months["2026-06"], replace(told, policy=("pagerank",))).run()
    assert "2026-05/graph" in harvest.configuration["inputs"]


def test_every_policy_fetches_what_can_be_reached(months: ws.Collection) -> None:
    names = tuple(name for name in POLICIES if name != "past")
    settings = SimulateSettings(policy=names, relevant="topic:0", start="homes", max_depth=1000)
    for trace in Simulation(months["2026-06"], settings).traces():
        assert sorted(trace.nodes.tolist()) == list(range(len(months["2026-06"].urls))), trace.policy


def test_a_run_is_done_again_from_what_was_kept(months: ws.Collection) -> None:
    snapshot = months["2026-06"]
    settings = SimulateSettings(
        policy=("random", "learned"), relevant="topic:1", runs=3, max_pages=80, clock=True, seed=5
    )
    first = Simulation(snapshot, settings).build("again")
    kept = snapshot.simulation("again")
    assert kept.to_dict() == first.to_dict()
    with snapshot.open_part("simulation-again") as part:
        told = tomllib.loads((part.path / "simulation.toml").read_text())
    assert differences(told, snapshot) == []
    again = Simulation(snapshot, SimulateSettings.read(options=told["simulate"], environment={})).run()
    assert [curve.digest for curve in again.curves] == [curve.digest for curve in first.curves]
    assert len({curve.digest for curve in again.curves}) == 6
    other = Simulation(snapshot, replace(settings, seed=6)).run()
    assert {curve.digest for curve in other.curves}.isdisjoint(curve.digest for curve in again.curves)


def test_a_policy_of_the_users_is_a_short_class(months: ws.Collection) -> None:
    class BestParent(ws.Policy):
        def begin(self, web: Any, random: np.random.Generator) -> None:  # noqa: ANN401
            self.known: dict[int, float] = {}

        def prioritize(self, page: SimulatedPage) -> list[float]:
            for link in page.links.tolist():
                self.known[link] = max(self.known.get(link, 0.0), page.score)
            return [self.known[link] for link in page.links.tolist()]

    settings = SimulateSettings(policy=("best-first",), relevant="topic:2", clock=True, obey_robots=False)
    ours = Simulation(months["2026-06"], settings).trace("best-first", 0)
    mine = Simulation(months["2026-06"], settings, policies={"mine": BestParent}).trace("mine", 0)
    # in ours a seed has the priority of a relevant page; here all seeds are relevant, and come first anyhow
    assert sorted(mine.nodes.tolist()) == sorted(ours.nodes.tolist())
    assert mine.nodes.tolist()[:10] == ours.nodes.tolist()[:10]


def test_nothing_is_kept_of_a_simulation_that_fails_or_is_cancelled(months: ws.Collection) -> None:
    class Impatient(Progress):
        def opened(self, task: Task) -> None:
            if task.title == "crawling":
                self.cancel()

    class Bad(ws.Policy):
        def prioritize(self, page: SimulatedPage) -> list[float]:
            return [float("nan")] * len(page.links)

    snapshot = months["2026-06"]
    with pytest.raises(errors.UsageError, match=r"policy Bad, at http.*: it gave nan"):
        Simulation(snapshot, SimulateSettings(relevant="topic:1"), policies={"bad": Bad}).build("bad")
    settings = SimulateSettings(policy=("random", "oracle"), relevant="topic:1", runs=3)
    with pytest.raises(errors.Cancelled):
        Simulation(snapshot, settings, progress=Impatient()).build("cancelled")
    assert not {"simulation-bad", "simulation-cancelled"} & {record.name for record in snapshot.parts}


def test_runs_of_a_simulation_that_was_interrupted_are_not_done_again(
    months: ws.Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot = months["2026-06"]
    settings = SimulateSettings(policy=("random", "oracle"), relevant="topic:1", runs=3, max_pages=50)
    whole = Simulation(snapshot, settings).run()
    done: list[tuple[str, int]] = []
    real = Simulation.trace

    def trace(self: Simulation, policy: str, run: int, task: Task | None = None) -> Trace:
        if len(done) == 4:
            raise KeyboardInterrupt
        done.append((policy, run))
        return real(self, policy, run, task)

    monkeypatch.setattr(Simulation, "trace", trace)
    monkeypatch.setenv("WEBSTRATA_RESOURCES_WORKERS", "1")
    with pytest.raises(KeyboardInterrupt):
        Simulation(snapshot, settings).build("long")
    assert "simulation-long" not in snapshot.parts
    first, done[:] = list(done), []
    harvest = Simulation(snapshot, settings).build("long")
    assert sorted(first + done) == [(name, run) for name in ("oracle", "random") for run in range(3)]
    assert harvest.to_dict() == whole.to_dict()


def test_a_crawl_begins_where_it_is_told(tmp_path: Path) -> None:
    keys = ["org,a)/", "org,a)/x", "org,b)/"]
    snapshot = add_month(ws.create(tmp_path / "uk"), "2026-06", keys, [(0, 1)])
    file = tmp_path / "start.txt"
    file.write_text("http://a.org/x\n")

    def begun(told: str, **more: Any) -> list[int]:  # noqa: ANN401
        simulation = Simulation(snapshot, SimulateSettings(start=told, **more))
        found: list[int] = simulation.start.draw(np.random.default_rng(0)).tolist()
        return found

    assert begun("homes") == [0, 2]
    assert begun("any:5") == [0, 1, 2]
    assert begun(str(file)) == [1]
    labels = tmp_path / "labels.txt"
    labels.write_text("http://b.org/\n")
    assert begun("relevant:3", relevant=f"labels:{labels}") == [2]
    with pytest.raises(errors.SettingError, match="'many' is no number of pages"):
        begun("any:many")
    with pytest.raises(errors.MissingError, match=r"gone\.txt: this file is not there"):
        begun(str(tmp_path / "gone.txt"))
    assert Start(None, np.array([4], np.uint32)).draw(np.random.default_rng(0)).tolist() == [4]


def test_a_bundle_is_enough(months: ws.Collection, tmp_path: Path) -> None:
    from webstrata.store.export import export

    snapshot = months["2026-06"]
    export(snapshot, "bundle", tmp_path / "bundle")
    bundle = ws.open(tmp_path / "bundle")["2026-06"]
    assert {record.name for record in bundle.parts} == {"urls", "graph", "summaries"}
    term = snapshot.summaries.terms[int(np.argsort(-snapshot.summaries.terms.df.astype(int))[40])]
    settings = SimulateSettings(policy=("best-first",), relevant=f"query:{term}", share=0.1, max_pages=100)
    ours = Simulation(snapshot, settings).run()
    theirs = Simulation(bundle, settings).build()
    assert [curve.digest for curve in theirs.curves] == [curve.digest for curve in ours.curves]
    assert isinstance(bundle.simulation(), Harvest)


def test_a_crawl_without_relevant_pages_or_with_an_odd_name_is_refused(tmp_path: Path) -> None:
    snapshot = add_month(ws.create(tmp_path / "uk"), "2026-06", ["org,a)/", "org,b)/"], [(0, 1)])
    scores = tmp_path / "scores"
    scores.write_text("http://a.org/ 0\n")
    settings = SimulateSettings(start="relevant:3", relevant=f"scores:{scores}", threshold=0.5)
    with pytest.raises(errors.MissingError, match="no page is relevant by 'scores:"):
        _ = Simulation(snapshot, settings).start
    with pytest.raises(errors.SettingError, match="'A/b' has other characters than a to z, digits and '-'"):
        Simulation(snapshot, SimulateSettings()).build("A/b")
    assert "simulation" not in snapshot.parts
