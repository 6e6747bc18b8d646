"""WIKI: the Google matrix of sections 1 and 2, κ, 2DRank, and the first pages of a real graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from webstrata import testing
from webstrata.collection.progress import Progress
from webstrata.graph import Graph
from webstrata.pipeline.presets import preset_settings
from webstrata.pipeline.settings import RunSettings
from webstrata.rank import Walk, cheirank, describe_plane, pagerank, spectrum, two_d_rank
from webstrata.rank.settings import RankSettings
from webstrata.rank.spectra.matrix import CoreMatrix
from webstrata.rank.spectra.plan import make_plan
from webstrata.rank.spectra.settings import SpectrumSettings
from webstrata.rank.spectra.subspaces import find_subspaces
from webstrata.serve.report.trajectories import make_trajectories
from webstrata.store.wikipedia.settings import WikipediaSettings

if TYPE_CHECKING:
    from pathlib import Path

TOP, TOP_INVERSE = (
    [60595, 60597, 285152, 318525, 247028, 236401],
    [2132, 85777, 247011, 2134, 78337, 2130],
)
"""Of cnr-2000 by igraph 1.0.0: PageRank, and that of the transpose."""
KAPPA = 8.469371


def test_pagerank_is_the_eigenvector_of_the_google_matrix_at_1() -> None:
    """Section 1, equation 1: columns have the sum 1, those of dangling nodes are 1/N; G* inverts links."""
    arcs = [(0, 1), (0, 2), (1, 2), (2, 0), (3, 2), (3, 4)]
    for turned, found in ((False, pagerank), (True, cheirank)):
        adjacency = np.zeros((5, 5))
        for source, target in arcs:
            adjacency[(source, target) if turned else (target, source)] = 1
        degrees = adjacency.sum(axis=0)
        matrix = np.where(degrees > 0, adjacency / np.maximum(degrees, 1), 1 / 5)
        google = 0.85 * matrix + 0.15 / 5
        values, vectors = np.linalg.eig(google)
        leading = int(np.argmax(values.real))
        assert values[leading] == pytest.approx(1)
        assert sorted(abs(values))[-2] <= 0.85 + 1e-12
        wanted = vectors[:, leading].real / vectors[:, leading].real.sum()
        scores = found(Graph.from_arcs(arcs), tolerance=1e-13).scores
        np.testing.assert_allclose(scores, wanted, atol=1e-12)


def test_the_first_pages_of_cnr_2000_are_known(test_data: Path) -> None:
    """Nodes as igraph's prpack ranks them, and κ of its scores (section 2, equation 3)."""
    graph, turned = (Graph.open(test_data / "graph" / name) for name in ("cnr-2000", "cnr-2000-t"))
    walk = Walk(graph, transpose=turned)
    one, other = pagerank(walk, tolerance=1e-5), cheirank(walk, tolerance=1e-5)
    assert one.order[:6].tolist() == TOP
    assert other.order[:6].tolist() == TOP_INVERSE
    plane = describe_plane(one, other)
    assert plane.correlator == pytest.approx(KAPPA, abs=1e-2)
    assert plane.density.sum() == 325_557
    both = two_d_rank(one, other).order[:100]
    reached = np.maximum(one.ranks[both], other.ranks[both])
    assert (np.diff(reached.astype(int)) >= 0).all()
    assert reached[-1] >= 50  # a side of the square meets two nodes at most


def test_residuals_are_never_below_rounding_and_are_shown_so() -> None:
    """Section 5: eigenvalues of the core; what is less than ε ‖A‖ is zero as far as can be told."""
    rng = np.random.default_rng(3)
    graph = Graph.from_arcs(rng.integers(0, 400, size=(1500, 2)).tolist(), num_nodes=400)
    for found in (spectrum(graph), spectrum(graph, arnoldi=100)):
        assert 2.0**-52 < found.rounding < 1e-13
        assert (found.residuals >= found.rounding).all()
        assert all(vector.residual >= found.rounding for vector in found.vectors)
        assert found.show_residual(found.vectors[0].residual)
        assert found.show_residual(0.0).startswith("≤ ")
        assert {row["residual"] for row in found.to_rows() if row["of"] == "subspace"} <= {None}


def test_n_a_grows_until_the_leading_residuals_reach_the_target() -> None:
    """Section 5 has n_A = 6000 for all networks; here the residuals say what is enough."""
    rng = np.random.default_rng(5)
    arcs = np.c_[np.arange(3000), (np.arange(3000) + 1) % 3000].tolist()
    arcs += rng.integers(0, 3000, size=(9000, 2)).tolist()
    graph = Graph.from_arcs(arcs, num_nodes=3000)
    easy = spectrum(graph, converge=1, target=1e-9, arnoldi_limit=1000)
    assert easy.dimension == 250
    assert easy.residuals[0] <= 1e-9
    hard = spectrum(graph, converge=50, target=1e-9, arnoldi_limit=600)
    assert hard.dimension == 600, "it ends at the limit"
    fixed = spectrum(graph, converge=0, arnoldi_limit=300)
    assert fixed.dimension == 300


def test_the_preset_has_the_papers_n_a_also_where_the_core_is_smaller() -> None:
    """Section 5 and table 1: n_A = 6000; figures 9 and 10: every slot."""
    settings = preset_settings("paper:wiki", SpectrumSettings)
    assert settings.arnoldi_limit == 6000
    assert settings.converge == settings.arnoldi == 0
    assert preset_settings("paper:wiki", RunSettings).spectra == "all"
    graph = Graph.from_arcs([(0, 1), (1, 2), (2, 0), (2, 3)])
    core = CoreMatrix(graph, find_subspaces(graph))
    assert make_plan(core, settings.arnoldi, limit=settings.arnoldi_limit).dimension == core.size
    assert spectrum(graph, settings).dimension == core.size
    ranks = preset_settings("paper:wiki", RankSettings)
    assert (ranks.alpha, ranks.dangling, ranks.solver) == (0.85, "uniform", "power")
    assert preset_settings("paper:wiki", WikipediaSettings).redirects == "eliminate"


def test_spectra_of_every_snapshot_are_computed_on_request() -> None:
    """Figures 9 and 10."""
    uk = testing.collection()

    def planned() -> set[str]:
        plan = uk.run(first="spectrum", last="spectrum", dry_run=True)
        return {row["what"] for row in plan.rows if not row["what"].endswith("inverse")}

    assert planned() == {"2026-04/spectrum", "2026-06/spectrum"}
    uk.remember(RunSettings, {"spectra": "all"})
    assert planned() == {"2026-04/spectrum", "2026-05/spectrum", "2026-06/spectrum"}


def test_a_list_is_followed_with_categories_and_compared_with_an_outside_ranking() -> None:
    """Sections 3 and 4: local ranks, figure 5, and the overlap with the first ten of an outside ranking."""
    uk = testing.collection()
    pages = [place.name or "" for place in uk["2026-06"].rank("pagerank").top(12)]
    outside = [*pages[:8], "http://x.example/1", "http://x.example/2", *pages[8:]]
    found = uk.rank(list=pages, categories={"reef.example": "sea"}, against=outside)
    assert found.overlaps(found.outside, "pagerank", 10)[-1] == 8
    tables = found.tables()
    overlap = (
        tables["Of the first, how many are among the first of the outside ranking"].to_arrow().to_pylist()
    )
    assert {"method": "pagerank", "first": 10, "2026-06": 8}.items() <= next(
        row.items() for row in overlap if (row["method"], row["first"]) == ("pagerank", 10)
    )
    (title,) = [title for title in tables if title.startswith("Shares of categories")]
    (sea,) = [row for row in tables[title].to_arrow().to_pylist() if row["category"] == "sea"]
    assert all(0 < share <= 1 for name, share in sea.items() if name != "category")
    assert [figure.name for figure in found.figures()][-2:] == ["categories", "overlap"]


def test_panels_of_the_plane_have_a_hundred_by_a_hundred_cells() -> None:
    """Figure 2."""
    uk = testing.collection()
    for snapshot in uk:
        snapshot.rank("2drank")
    sheet = make_trajectories(uk, Progress())
    [densities] = [figure for figure in sheet.figures if figure.name.endswith("densities")]
    for value in densities.spec["data"]["values"]:
        nodes = len(uk[value["snapshot"].partition(",")[0]].urls)
        assert value["x2"] - value["x"] == pytest.approx(np.log(nodes) / 100, abs=2e-4)
