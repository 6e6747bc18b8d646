"""CHANGE ("Temporal Wikipedia search by edits and linkage"), section by section."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.search.change.events import make_events
from webstrata.graph.rows import RowsGraph
from webstrata.pipeline.presets import preset_settings
from webstrata.search.change import ChangeSearch
from webstrata.search.change.combine import combine
from webstrata.search.change.counts import WordCounts
from webstrata.search.change.settings import RANKS, ChangesSettings
from webstrata.search.change.walks import rank_candidates
from webstrata.search.change.weigh import weigh_candidates
from webstrata.search.evaluate.tables import PAPER_RANKS

if TYPE_CHECKING:
    import numpy.typing as npt

    Matrix = npt.NDArray[np.float64]

PAPER = preset_settings("paper:change", ChangesSettings)
EXACT = replace(PAPER, tolerance=1e-14)


def make_graph(weights: Matrix) -> RowsGraph:
    """The graph of a matrix, an arc for each entry above 0."""
    pairs = np.argwhere(weights > 0)
    graph = RowsGraph.from_arcs(pairs, num_nodes=len(weights))
    graph.weights = weights[pairs[:, 0], pairs[:, 1]]
    return graph


def personalized(weights: Matrix, preference: Matrix, restart: float) -> Matrix:
    """PPR by the program."""
    settings = replace(EXACT, rank="pagerank", restart=restart)
    return rank_candidates(make_graph(weights), preference, settings)


def draw_weights(seed: int, size: int, *, symmetric: bool) -> Matrix:
    """A random graph in which every node has an arc out, and with `symmetric` the same weight both ways."""
    draw = np.random.default_rng(seed)
    weights = np.where(draw.random((size, size)) < 0.4, draw.uniform(0.1, 2.0, (size, size)), 0.0)
    weights[np.arange(size), (np.arange(size) + 1) % size] += (
        0.5  # a ring: nothing is cut off, nothing dangles
    )
    return (weights + weights.T) / 2 if symmetric else weights


graphs = st.tuples(st.integers(0, 10**6), st.integers(3, 9))
restarts = st.sampled_from([0.1, 0.5, 0.9])


# ---- 2.1 Measure of change in time


def test_section_2_1_table_1_follows_from_whole_counts_to_a_hundredth() -> None:
    lines = Path(__file__).with_name("change_table_1.tsv").read_text().splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    months = ("2011-09", "2011-10", "2011-11")
    intervals = ((0, 1), (1, 2), (0, 2))
    articles = list(dict.fromkeys(row[0] for row in rows))
    assert len(rows) == 9
    off = []
    for article in articles:
        own = {row[1]: row for row in rows if row[0] == article}
        inlinks, outlinks, words = (
            np.array([[int(count)] for count in own[part][5:]], np.uint32)
            for part in ("inlink", "outlink", "content")
        )
        stored = WordCounts(months, inlinks, outlinks, words)
        for place, (one, other) in enumerate(intervals):
            change = stored.change([0], months[one], months[other])
            found = {"content": change.content, "inlink": change.inlinks, "outlink": change.outlinks}
            for part, value in found.items():
                printed = float(own[part][2 + place])
                assert float(value[0]) == pytest.approx(printed, abs=0.0105)
                if abs(float(value[0]) - printed) > 0.005:
                    off.append((article, part, printed))
            assert change.total[0] == pytest.approx(sum(float(value[0]) for value in found.values()))
    # 4.21 is the logarithm of no whole number, and 4.9 + 0.14 is not 5.06
    assert ("Death of Muammar Gaddafi", "inlink", 4.21) in off
    assert not any(round(math.log(count), 2) == 4.21 for count in range(1, 200))
    assert {article for article, part, _ in off if part == "content"} == set()


# ---- 2.3 Scores for change and relevance


@given(st.lists(st.tuples(st.floats(0.1, 30), st.floats(0, 30)), min_size=1, max_size=6), st.floats(0, 1))
def test_section_2_3_p_is_equation_2_up_to_one_factor(pages: list[tuple[float, float]], alpha: float) -> None:
    texts, changes = (np.array(column) for column in zip(*pages, strict=True))
    found = combine(texts, changes, alpha=alpha, saturation=PAPER.saturation)
    wanted = alpha * texts / texts.max() + (1 - alpha) * changes / (changes + 10)
    if wanted.sum() > 0:
        assert found == pytest.approx(wanted / wanted.sum())


# ---- 2.4 Personalized PageRank, random walks and electric networks


@given(graphs, restarts)
def test_section_2_4_equation_4_sums_walks_of_geometric_length(
    shape: tuple[int, int], restart: float
) -> None:
    weights = draw_weights(*shape, symmetric=False)
    steps = weights / weights.sum(axis=1, keepdims=True)
    preference = np.random.default_rng(shape[0] + 1).dirichlet(np.ones(shape[1]))
    summed, term = np.zeros(shape[1]), restart * preference
    while term.sum() > 1e-15:
        summed += term
        term = (1 - restart) * term @ steps
    assert personalized(weights, preference, restart) == pytest.approx(summed, abs=1e-11)


@given(graphs, restarts)
def test_section_2_4_equation_5_holds_for_walks_that_start_at_one_node(
    shape: tuple[int, int], restart: float
) -> None:
    # PPR_u(x) as a function of where the walk starts: (1 − c) Σ w(uv) PPR_v(x), and c at x itself
    weights = draw_weights(*shape, symmetric=False)
    steps = weights / weights.sum(axis=1, keepdims=True)
    walked = np.array([personalized(weights, start, restart) for start in np.eye(shape[1])])
    assert walked == pytest.approx((1 - restart) * steps @ walked + restart * np.eye(shape[1]), abs=1e-11)
    # and personalization to several nodes is the mean of those to one
    preference = np.random.default_rng(shape[0] + 2).dirichlet(np.ones(shape[1]))
    assert personalized(weights, preference, restart) == pytest.approx(preference @ walked, abs=1e-11)


def find_potentials(conductances: Matrix, sink: Matrix, source: int) -> Matrix:
    """Potentials of a network of resistors: 1 at the source, 0 at a sink that every node is connected to.

    The Laplacian with the sink's conductances on its diagonal, solved for all nodes but the source.
    """
    laplacian = np.diag(conductances.sum(axis=1) + sink) - conductances
    others = np.arange(len(conductances)) != source
    potentials = np.ones(len(conductances))
    potentials[others] = np.linalg.solve(laplacian[np.ix_(others, others)], conductances[others, source])
    return potentials


@given(graphs, restarts)
def test_section_2_4_potentials_of_equation_6_with_a_universal_sink_are_personalized_pagerank(
    shape: tuple[int, int], restart: float
) -> None:
    # every node leads to the sink S with weight c of all its weight; V(x) = 1, V(S) = 0
    conductances = draw_weights(*shape, symmetric=True)
    total = conductances.sum(axis=1)
    sink = total * restart / (1 - restart)
    walked = np.array([personalized(conductances, start, restart) for start in np.eye(shape[1])])
    for node in range(shape[1]):
        potentials = find_potentials(conductances, sink, node)
        # equation 6 in the network with the sink, away from source and sink
        weights = conductances / (total + sink)[:, None]
        inner = np.arange(shape[1]) != node
        assert potentials[inner] == pytest.approx((weights @ potentials)[inner], abs=1e-12)
        # V_u corresponds to PPR_u, up to what the source itself has
        assert walked[:, node] == pytest.approx(walked[node, node] * potentials, abs=1e-11)
        # which is c times the conductance of the source over the current that flows from it to the sink
        current = conductances[node] @ (1 - potentials) + sink[node]
        assert walked[node, node] == pytest.approx(restart * (total + sink)[node] / current, abs=1e-11)
        # all of that current arrives in the sink: Kirchhoff's law
        assert current == pytest.approx(sink @ potentials)


@given(graphs, restarts)
def test_section_2_4_a_sink_that_taxes_all_nodes_alike_is_another_network(
    shape: tuple[int, int], restart: float
) -> None:
    # the check can fail: conductances to the sink must be proportional to those of the node
    conductances = draw_weights(*shape, symmetric=True)
    total = conductances.sum(axis=1)
    walked = np.array([personalized(conductances, start, restart) for start in np.eye(shape[1])])
    alike = find_potentials(conductances, np.full(shape[1], total.mean() * restart / (1 - restart)), 0)
    if total.std() > 0.05 * total.mean():
        assert walked[:, 0] != pytest.approx(walked[0, 0] * alike, abs=1e-11)


# ---- 2.5 Personalized HITS


@given(graphs, st.sampled_from([20.0, 200.0]))
def test_section_2_5_equations_7_and_8_with_the_supersource(
    shape: tuple[int, int], supersource: float
) -> None:
    links = (draw_weights(*shape, symmetric=False) > 0).astype(float)
    preference = np.random.default_rng(shape[0] + 3).dirichlet(np.ones(shape[1]))
    authorities, hubs = np.ones(shape[1]), np.ones(shape[1])
    for _ in range(500):
        authorities = links.T @ hubs + supersource * preference
        authorities /= authorities.max()
        hubs = links @ authorities + supersource * preference
        hubs /= hubs.max()
    settings = replace(EXACT, supersource=supersource)
    for rank, wanted in (("hits-authority", authorities), ("hits-hub", hubs)):
        found = rank_candidates(make_graph(links), preference, replace(settings, rank=rank))
        assert found == pytest.approx(wanted, abs=1e-9)


# ---- 3 Experiments


def test_section_3_2_the_preset_has_the_best_parameters_and_the_ranks_of_table_2() -> None:
    assert PAPER_RANKS == ("none", "pagerank", "hits-authority", "hits-hub", "combined")
    assert set(PAPER_RANKS) < set(RANKS)
    assert (PAPER.seeds, PAPER.expansion, PAPER.alpha, PAPER.saturation) == (100, 100, 0.5, 10.0)
    assert (PAPER.restart, PAPER.supersource, PAPER.link_weights, PAPER.top) == (0.9, 200.0, "equal", 15)


@pytest.mark.parametrize("weights", ["equal", "hosts", "new"])
def test_alpha_has_no_part_in_the_weights_of_links(weights: str, tmp_path: Path) -> None:
    search = ChangeSearch(make_events(tmp_path / "uk"))
    found = search.gather("flood", "2026-01", "2026-02", PAPER)
    by_alpha = [
        weigh_candidates(found, replace(PAPER, alpha=alpha, link_weights=weights)).tolist()
        for alpha in (0.0, 0.5, 1.0)
    ]
    assert by_alpha[0] == by_alpha[1] == by_alpha[2]
    assert len(by_alpha[0]) == len(found.arcs_after) > 0
    if weights == "equal":
        assert set(by_alpha[0]) == {1.0}
