"""The pictures of a graph show what its description says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webstrata.graph import Graph
from webstrata.graph.structure import describe_structure
from webstrata.serve.figures import write_figures
from webstrata.serve.figures.structure import draw_structure

if TYPE_CHECKING:
    from pathlib import Path


def test_every_picture_of_a_graph_can_be_drawn(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    arcs = np.c_[rng.integers(500, size=3000), (500 * rng.random(3000) ** 3).astype(int)]
    found = describe_structure(Graph.from_arcs(arcs), registers=16, runs=2, sample=100)
    figures = draw_structure(found, "few hubs")
    *pictures, page = write_figures(figures, tmp_path, page="stats", title="few hubs")
    assert [path.stem for path in pictures] == ["degrees", "components", "bow-tie", "distances"]
    assert page.name == "stats.html"
    assert found.indegrees.law is not None
    assert f"{found.indegrees.law.exponent:.3f}" in str(figures[0].chart.to_dict())


def test_a_graph_without_arcs_can_be_drawn_too() -> None:
    found = describe_structure(Graph.from_arcs([], num_nodes=2), with_distances=False)
    figures = draw_structure(found, "empty")
    assert [figure.name for figure in figures if figure.chart.to_dict()] == [
        "degrees",
        "components",
        "bow-tie",
    ]
