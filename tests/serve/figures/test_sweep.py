"""Pictures of measured crawls."""

from __future__ import annotations

from webstrata.serve.figures.sweep import draw_sweep


def test_figures_of_measured_crawls_say_that_they_are_measured() -> None:
    point = {"fetchers": 4, "ip_delay": 0.5, "pages_per_second": 90.0, "cpu_load": 0.4, "front": 12}
    drawn = draw_sweep([point, point | {"fetchers": 16}], [point])
    titles = [figure.chart.to_dict()["title"]["text"] for figure in drawn]
    assert all(title.endswith("measured") for title in titles)
    assert drawn[0].chart.to_dict()["data"]["values"] == [{"x": 4, "y": 90.0}, {"x": 16, "y": 90.0}]
