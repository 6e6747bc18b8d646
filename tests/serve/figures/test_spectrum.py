"""The picture of a spectrum has its points in the colours of WIKI."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata.graph import Graph
from webstrata.rank import spectrum
from webstrata.serve.figures import write_figures
from webstrata.serve.figures.spectrum import draw_spectrum

if TYPE_CHECKING:
    from pathlib import Path


def test_points_are_drawn_by_where_they_belong(tmp_path: Path) -> None:
    ring = [(node, (node + 1) % 4) for node in range(4)]
    found = spectrum(Graph.from_arcs([*ring, (4, 5), (5, 4), (5, 6)]), bound=0.7)
    figures = draw_spectrum(found, "a ring")
    _, points = figures[0].chart.to_dict()["layer"]
    rows = points["data"]["values"]
    blue = {(row["re"], row["im"]) for row in rows if row["part"] == "subspaces"}
    assert blue == {(1, 0), (-1, 0), (0, 1), (0, -1)}
    assert sum(row["part"] == "core" for row in rows) == 3
    *pictures, page = write_figures(figures, tmp_path, page="spectrum", title="a ring")
    assert [path.name for path in pictures] == ["spectrum.svg", "moduli.svg"]
    assert "#d62728" in pictures[0].read_text()
    assert page.is_file()


def test_a_spectrum_without_core_or_subspaces_can_be_drawn() -> None:
    for found in (spectrum(Graph.from_arcs([(0, 0), (1, 1)]), bound=1), spectrum(Graph.from_arcs([(0, 1)]))):
        assert [bool(figure.chart.to_dict()) for figure in draw_spectrum(found, "half")] == [True, True]
