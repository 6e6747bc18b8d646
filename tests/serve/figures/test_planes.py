"""Planes of several snapshots beside each other: a panel and a curve each."""

from __future__ import annotations

import pytest

from webstrata.graph import Graph
from webstrata.rank import Trajectories, cheirank, describe_plane, pagerank
from webstrata.serve.figures.planes import draw_members, draw_planes


def test_every_snapshot_has_its_curve_and_its_panel_with_the_correlator() -> None:
    graphs = {
        "2026-01": Graph.from_arcs([(0, 1), (2, 1), (1, 0)]),
        "2026-02": Graph.from_arcs([(0, 1), (2, 1), (1, 2), (3, 1)]),
    }
    planes = {label: describe_plane(pagerank(graph), cheirank(graph)) for label, graph in graphs.items()}
    scores, _, densities = (figure.chart.to_dict()["data"]["values"] for figure in draw_planes(planes, "uk"))
    for label, plane in planes.items():
        curve = [(row["rank"], row["score"]) for row in scores if row["snapshot"] == label]
        assert curve == plane.pagerank
        panel = [
            row["nodes"] for row in densities if row["snapshot"] == f"{label}, κ = {plane.correlator:.2f}"
        ]
        assert sum(panel) == plane.num_nodes


@pytest.mark.parametrize("lists", [{}, {"PageRank": Trajectories([])}])
def test_nothing_is_drawn_of_nobody(lists: dict[str, Trajectories]) -> None:
    assert draw_members(lists, "uk") == []
