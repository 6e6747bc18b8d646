"""The pictures of ranks show what was found."""

from __future__ import annotations

import numpy as np

from webstrata.graph import Graph
from webstrata.rank import Ranking, Trajectories, cheirank, describe_plane, pagerank
from webstrata.serve.figures.ranks import DENSITY, draw_plane, draw_trajectories


def test_the_plane_is_black_where_there_is_no_node_and_white_where_there_are_most() -> None:
    graph = Graph.from_arcs(np.random.default_rng(4).integers(300, size=(900, 2)), num_nodes=400)
    plane = describe_plane(pagerank(graph), cheirank(graph))
    figures = draw_plane(plane, "uk")
    chart = figures[0].chart.to_dict()
    back, marks = chart["layer"]
    assert back["mark"]["color"] == "black"
    assert marks["encoding"]["color"]["scale"]["range"] == DENSITY
    assert DENSITY[-1] == "#ffffff"
    cells = marks["data"]["values"]
    assert len(cells) == np.count_nonzero(plane.density)
    assert sum(cell["nodes"] for cell in cells) == 400
    assert f"{plane.correlator:.3f}" in chart["title"]["subtitle"]
    assert figures[1].chart.to_dict()["data"]["values"][0]["score"] == plane.pagerank[0][1]


def test_a_list_without_categories_in_one_month_has_its_square_alone() -> None:
    followed = Trajectories(["a", "b"])
    rankings = [Ranking(name, np.array([2.0, 1.0])) for name in ("pagerank", "cheirank")]
    followed.add("2026-01", rankings, {"a": 0, "b": 1}.get)
    [figure] = draw_trajectories(followed, "pagerank", "uk")
    assert figure.name == "square"
    points = figure.chart.to_dict()["data"]["values"]
    assert [(point["name"], point["k"], point["inverse"]) for point in points] == [("a", 1, 1), ("b", 2, 2)]
    assert draw_trajectories(Trajectories([]), "pagerank", "uk") == []
