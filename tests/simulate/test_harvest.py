"""Curves and bands, and how they are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata import errors
from webstrata.simulate.harvest import (
    SHOWN_MEASURES,
    Ground,
    Harvest,
    Trace,
    half_band,
    measure,
    read_configuration,
)

if TYPE_CHECKING:
    from pathlib import Path

NODES = 30


def make_trace(order: list[int], run: int = 0) -> Trace:
    nodes = np.array(order, np.uint32)
    return Trace("random", run, nodes[:1], nodes, np.arange(1.0, 1 + len(order)) / 2)


@given(
    order=st.permutations(range(NODES)),
    length=st.integers(1, NODES),
    relevant=st.lists(st.booleans(), min_size=NODES, max_size=NODES),
    hosts=st.lists(st.integers(0, 6), min_size=NODES, max_size=NODES),
    points=st.integers(2, 50),
)
def test_a_curve_counts_what_was_fetched_up_to_each_point(
    order: list[int], length: int, relevant: list[bool], hosts: list[int], points: int
) -> None:
    ground = Ground(np.array(relevant), np.array(hosts, np.uint32), 7, most=NODES)
    curve = measure(make_trace(order[:length]), ground, points)
    counts = curve.counts
    assert counts["pages"][-1] == length
    for place, pages in enumerate(counts["pages"].astype(int).tolist()):
        fetched = order[:pages]
        hits = [node for node in fetched if relevant[node]]
        assert counts["seconds"][place] == pages / 2
        assert counts["relevant"][place] == len(hits)
        assert counts["hosts"][place] == len({hosts[node] for node in fetched})
        assert counts["relevant_hosts"][place] == len({hosts[node] for node in hits})
    recalls = [
        sum(relevant[node] for node in order[: min(pages, length)]) / max(sum(relevant), 1)
        for pages in range(1, NODES + 1)
    ]
    assert curve.area == pytest.approx(np.mean(recalls))


def test_a_harvest_is_read_as_it_was_written(tmp_path: Path) -> None:
    ground = Ground(np.array([True, False, True]), np.array([0, 0, 1], np.uint32), 2, most=3)
    curves = [measure(make_trace(order, run), ground) for run, order in enumerate([[0, 1, 2], [0, 2], [2]])]
    written = Harvest(ground.facts, {"simulate": {"runs": 3}}, curves)
    written.write(tmp_path)
    read = Harvest.read(tmp_path)
    assert read.to_dict() == written.to_dict()
    [row] = read.rows()
    assert row.values["recall"][0] == pytest.approx((1 + 1 + 0.5) / 3)
    band = read.band("random", "harvest", "seconds")
    assert (band.low <= band.mean).all()
    assert (band.mean <= band.high).all()
    (tmp_path / "simulation.toml").write_text("= 1")
    with pytest.raises(errors.FormatError, match="this is no TOML"):
        read_configuration(tmp_path / "simulation.toml")


def test_a_band_is_that_of_student() -> None:
    # 2.776 is the 97.5% point of Student's t with 4 degrees of freedom, as tables have it
    numbers = np.array([[1.0], [2.0], [3.0], [4.0], [5.0]])
    assert half_band(numbers)[0] == pytest.approx(2.776 * np.sqrt(2.5) / np.sqrt(5), rel=1e-3)
    assert half_band(numbers[:1]).tolist() == [0.0]


def test_few_pages_runs_and_hosts_are_warned_of() -> None:
    ground = Ground(np.arange(90) < 3, np.zeros(90, np.uint32), 1, most=90)
    trace = Trace("random", 0, np.array([0], np.uint32), np.array([0], np.uint32), np.array([1.0]))
    harvest = Harvest(ground.facts, {}, [measure(trace, ground)])
    sentences = harvest.warnings
    assert sentences[0].startswith("random: fetched 1 of 90 pages, since no more can be reached")
    assert "3 relevant pages, fewer than 10" in sentences[1]
    assert "one run of each policy" in sentences[2]
    assert "one host" in sentences[3]
    assert harvest.to_dict()["warnings"] == sentences


def test_a_harvest_of_many_pages_hosts_and_runs_is_not_warned_of() -> None:
    ground = Ground(np.arange(90) < 30, (np.arange(90) // 3).astype(np.uint32), 30, most=90)
    traces = [
        Trace("random", run, np.array([0], np.uint32), np.arange(90, dtype=np.uint32), np.arange(90.0))
        for run in range(2)
    ]
    assert Harvest(ground.facts, {}, [measure(trace, ground) for trace in traces]).warnings == []


def test_a_table_says_how_far_runs_lie_apart_and_how_long_they_took() -> None:
    ground = Ground(np.array([True, False, True]), np.array([0, 0, 1], np.uint32), 2, most=3)
    curves = [measure(make_trace(order, run), ground) for run, order in enumerate([[0, 1, 2], [0, 2]])]
    timed = {"simulate": {"clock": True, "relevant": "query:fish"}}
    several, one = Harvest(ground.facts, timed, curves), Harvest(ground.facts, {}, curves[:1])
    [row] = several.tables()["What each policy brought in"].rows
    assert row["time"] == "1 s"
    assert row["runs"] == 2
    assert all(" ± " in row[title] for title in SHOWN_MEASURES.values())
    assert several.summary.startswith(
        "2 runs of up to 3 pages; 2 of 3 pages on 2 hosts are relevant (query:fish)"
    )
    assert several.summary.endswith("± is half of a band of 95%.")
    [row] = one.tables()["What each policy brought in"].rows
    assert "time" not in row
    assert not any("±" in str(cell) for cell in row.values())
    assert one.summary == "A run of up to 3 pages; 2 of 3 pages on 2 hosts are relevant."
    [plain] = several.to_rows()
    assert plain["recall"] == pytest.approx(1.0)
    assert plain["recall_band"] == 0.0


def test_a_policy_without_runs_has_an_empty_band() -> None:
    ground = Ground(np.array([True]), np.array([0], np.uint32), 1, most=1)
    band = Harvest(ground.facts, {}, [measure(make_trace([0]), ground)]).band("oracle", "recall")
    assert [len(column) for column in (band.places, band.mean, band.low, band.high)] == [0, 0, 0, 0]
