"""The picture of a spectrum has its points in the colours of WIKI."""

from __future__ import annotations

from webstrata.graph import Graph
from webstrata.rank import spectrum
from webstrata.serve.figures.spectrum import draw_spectrum


def test_points_are_drawn_by_where_they_belong() -> None:
    ring = [(node, (node + 1) % 4) for node in range(4)]
    found = spectrum(Graph.from_arcs([*ring, (4, 5), (5, 4), (5, 6)]), bound=0.7)
    figures = draw_spectrum(found, "a ring")
    _, points = figures[0].chart.to_dict()["layer"]
    rows = points["data"]["values"]
    blue = {(row["re"], row["im"]) for row in rows if row["part"] == "subspaces"}
    assert blue == {(1, 0), (-1, 0), (0, 1), (0, -1)}
    assert sum(row["part"] == "core" for row in rows) == 3
    assert points["encoding"]["color"]["scale"]["range"] == ["#d62728", "#1f4fd8", "#2ca02c", "#b0b0b0"]


def test_a_spectrum_without_core_or_subspaces_can_be_drawn() -> None:
    for found in (spectrum(Graph.from_arcs([(0, 0), (1, 1)]), bound=1), spectrum(Graph.from_arcs([(0, 1)]))):
        assert [bool(figure.chart.to_dict()) for figure in draw_spectrum(found, "half")] == [True, True]
