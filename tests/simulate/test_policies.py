"""The policies of the core against plain Python, and what is said of a policy that is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.simulate import reference
from webstrata import errors
from webstrata._core import simulate as core
from webstrata.graph import Graph
from webstrata.graph.bvgraph import BVGraph
from webstrata.rank import pagerank
from webstrata.simulate.policies import (
    POLICIES,
    Policy,
    SimulatedPage,
    ask,
    find_policy,
    known_pagerank,
    nearest_first,
)

if TYPE_CHECKING:
    from pathlib import Path

NODES = 14
LIMITS = (1 << 40, 1 << 31, 99, 1.0, (1 << 32) - 1)
IN_CORE = [
    "breadth-first",
    "depth-first",
    "random",
    "fixed",
    "best-first",
    "shark",
    "opic",
    "in-degree",
    "learned",
]
# halves and quarters, so that equal priorities come about and sums are exact
EIGHTHS = st.integers(0, 8).map(lambda eighth: eighth / 8)


@st.composite
def drawn_crawls(draw: st.DrawFn) -> dict[str, Any]:
    """A small web with hosts, scores, limits and, now and then, a clock."""
    arcs = draw(
        st.lists(st.lists(st.integers(0, NODES - 1), max_size=4, unique=True), min_size=NODES, max_size=NODES)
    )
    hosts = draw(st.lists(st.integers(0, 4), min_size=NODES, max_size=NODES))
    numbers = draw(st.lists(EIGHTHS, min_size=NODES, max_size=NODES))
    times = None
    if draw(st.booleans()):
        times = reference.Times(
            addresses=draw(st.lists(st.integers(0, 2), min_size=5, max_size=5)),
            host_delays=draw(st.lists(EIGHTHS, min_size=5, max_size=5)),
            address_delays=draw(st.lists(EIGHTHS, min_size=3, max_size=3)),
            durations=draw(st.lists(EIGHTHS, min_size=NODES, max_size=NODES)),
            fetchers=draw(st.integers(1, 4)),
        )
    limits = reference.Limits(
        pages=draw(st.sampled_from([5, 1 << 40])),
        pages_per_host=draw(st.sampled_from([2, 1 << 31])),
        depth=draw(st.sampled_from([1, 65_535])),
        seconds=draw(st.sampled_from([1.5, float("inf")])) if times else float("inf"),
        urls=draw(st.sampled_from([4, (1 << 32) - 1])),
    )
    few = st.sampled_from([0, 0, 0, 1, 2, 3])
    answers = reference.Answers(
        kinds=draw(st.none() | st.lists(few, min_size=NODES, max_size=NODES)),
        failures=draw(st.none() | st.lists(few, min_size=NODES, max_size=NODES)),
        retry_delays=draw(st.lists(EIGHTHS, max_size=2)),
        robots=draw(st.none() | st.tuples(EIGHTHS, st.sampled_from([1.0, 100.0]))),
    )
    said = [[draw(EIGHTHS) for _ in row] for row in arcs] if draw(st.booleans()) else None
    return {
        "answers": answers,
        "said": said,
        "arcs": arcs,
        "hosts": hosts,
        "seeds": draw(st.lists(st.integers(0, NODES - 1), min_size=1, max_size=4)),
        "scores": draw(st.lists(EIGHTHS, min_size=NODES, max_size=NODES)),
        "limits": limits,
        "times": times,
        "numbers": numbers,
    }


def crawl_in_core(policy: str, drawn: dict[str, Any], extra: dict[str, Any]) -> list[tuple[int, float]]:
    limits, times = drawn["limits"], drawn["times"]
    clock = None
    if times:
        arrays = (times.host_delays, times.address_delays, times.durations)
        clock = (
            np.array(times.addresses, np.uint32),
            *(np.array(column, np.float64) for column in arrays),
            times.fetchers,
        )
    numbers, said = extra.pop("numbers", None), extra.pop("said", None)
    told = extra.pop("answers", None) or reference.Answers()
    kinds, failures = (
        None if column is None else np.array(column, np.uint8) for column in (told.kinds, told.failures)
    )
    crawl = core.SimulatedCrawl(
        policy,
        np.array(drawn["hosts"], np.uint32),
        5,
        (limits.pages, limits.pages_per_host, limits.depth, limits.seconds, limits.urls),
        numbers=None if numbers is None else np.array(numbers),
        clock=clock,
        answers=(kinds, failures, told.retry_delays, told.robots),
        **extra,
    )
    crawl.begin(np.array(drawn["seeds"], np.uint32))
    offsets = np.cumsum([0, *map(len, drawn["arcs"])], dtype=np.uint64)
    targets = np.array([target for row in drawn["arcs"] for target in row], np.uint32)
    scores = np.array(drawn["scores"])
    # in two goes, since a crawl can be gone on with
    arcs = None if said is None else np.array([score for row in said for score in row], np.float32)
    pieces = [crawl.run((offsets, targets), scores, until, None, arcs) for until in (3, 1 << 62)]
    return [pair for nodes, times in pieces for pair in zip(nodes.tolist(), times.tolist(), strict=True)]


@given(drawn=drawn_crawls())
def test_a_policy_of_the_core_does_what_plain_python_does(drawn: dict[str, Any]) -> None:
    names = ("arcs", "hosts", "seeds", "scores", "limits", "times")
    for policy in IN_CORE:
        extra: dict[str, Any] = {"answers": drawn["answers"]}
        if policy == "shark":
            extra |= {"said": drawn["said"], "share": 0.25}
        if policy in ("random", "fixed", "learned"):
            extra["numbers"] = drawn["numbers"]
        if policy in ("shark", "learned"):
            extra["parameter"] = 0.5
        if policy == "learned":
            extra["weights"] = [0.0, 0.5, 0.25, 0.25, 0.0, 0.5]
        expected = reference.crawl(policy, *(drawn[name] for name in names), **extra)
        assert crawl_in_core(policy, drawn, dict(extra)) == expected, policy


def test_the_learned_policy_judges_all_pages_again_now_and_then() -> None:
    random = np.random.default_rng(7)
    nodes = 300
    arcs = [sorted(set(random.integers(0, nodes, 4).tolist())) for _ in range(nodes)]
    drawn = {
        "arcs": arcs,
        "hosts": random.integers(0, 5, nodes).tolist(),
        "seeds": [0, 1],
        "scores": (random.random(nodes) < 0.2).astype(float).tolist(),
        "limits": reference.Limits(),
        "times": None,
    }
    extra: dict[str, Any] = {"parameter": 0.25, "weights": [0.0, 0.5, 0.25, 0.25, 0.0, 0.0]}
    expected = reference.crawl("learned", *drawn.values(), **extra)
    assert len(expected) > 200
    assert crawl_in_core("learned", drawn, dict(extra)) == expected


def test_a_graph_too_large_for_rows_is_read_from_its_files(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    graph = Graph.from_arcs(random.integers(0, 200, (900, 2)), num_nodes=200).write(tmp_path / "g")
    assert isinstance(graph, BVGraph)
    orders = []
    for lists in (graph.rows(), graph.files):
        crawl = core.SimulatedCrawl("in-degree", np.zeros(200, np.uint32), 1, LIMITS)
        crawl.begin(np.array([5], np.uint32))
        orders.append(crawl.run(lists, np.zeros(200), 1 << 40)[0].tolist())
    assert orders[0] == orders[1]
    assert len(orders[0]) > 150


def test_random_takes_every_page_that_waits_equally_often() -> None:
    # a star of four pages, one of which leads to a fifth: at the step after it, four wait and are alike
    offsets, targets = np.array([0, 4, 5, 5, 5, 5, 5], np.uint64), np.array([1, 2, 3, 4, 5], np.uint32)
    seconds: dict[int, int] = {}
    for seed in range(1500):
        numbers = np.random.default_rng(seed).standard_exponential(6)
        crawl = core.SimulatedCrawl("random", np.zeros(6, np.uint32), 1, LIMITS, numbers=numbers)
        crawl.begin(np.array([0], np.uint32))
        nodes = crawl.run((offsets, targets), np.zeros(6), 3)[0].tolist()
        if nodes[1] == 1:
            seconds[nodes[2]] = seconds.get(nodes[2], 0) + 1
    shares = [count / sum(seconds.values()) for count in seconds.values()]
    assert sorted(seconds) == [2, 3, 4, 5]
    assert max(abs(share - 0.25) for share in shares) < 0.07


def test_pagerank_of_all_pages_is_pagerank() -> None:
    graph = Graph.from_arcs([(0, 1), (0, 2), (1, 2), (2, 0), (3, 2)])
    found = known_pagerank(graph, np.arange(4, dtype=np.uint32))
    assert np.abs(found - pagerank(graph).scores).sum() < 0.01


def test_an_oracle_goes_to_the_nearest_page_that_matters() -> None:
    graph = Graph.from_arcs([(0, 1), (1, 2), (3, 0), (2, 2)], num_nodes=5)
    assert nearest_first(graph, np.array([0, 0, 1, 0, 0], bool)).tolist() == [-2, -1, 0, -3, -4]


def test_policies_are_found_by_name_or_file(tmp_path: Path) -> None:
    assert [find_policy(name) for name in POLICIES] == list(POLICIES)
    file = tmp_path / "mine.py"
    file.write_text(
        "import webstrata as ws\n"
        "class Mine(ws.Policy):\n    def prioritize(self, page):\n        return page.links\n"
    )
    found = find_policy(f"{file}:Mine")
    assert isinstance(found, type)
    assert issubclass(found, Policy)
    with pytest.raises(errors.UsageError, match=r"no class Yours that is a webstrata\.Policy"):
        find_policy(f"{file}:Yours")
    with pytest.raises(errors.MissingError, match=r"gone\.py: this file is not there"):
        find_policy(f"{tmp_path / 'gone.py'}:Mine")
    file.write_text("1 / 0")
    with pytest.raises(errors.UsageError, match="cannot be read, ZeroDivisionError"):
        find_policy(f"{file}:Mine")


def test_a_policy_that_raises_or_gives_too_few_is_said() -> None:
    class Raises(Policy):
        def prioritize(self, page: SimulatedPage) -> list[float]:
            return [1 / page.score]

    class Few(Policy):
        def prioritize(self, page: SimulatedPage) -> list[float]:
            return [1.0]

    page = SimulatedPage(3, np.array([1, 2], np.uint32), 0.0, 0.0, 1.0)
    with pytest.raises(errors.UsageError, match=r"policy Raises, at http://a/: it raised ZeroDivisionError"):
        ask(Raises(), page, "http://a/")
    with pytest.raises(errors.UsageError, match=r"shape \(1,\) for 2 links"):
        ask(Few(), page, "http://a/")
