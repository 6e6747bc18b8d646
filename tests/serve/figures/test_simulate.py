"""Pictures of simulated crawls."""

from __future__ import annotations

import numpy as np

from webstrata.serve.figures.simulate import draw_harvest
from webstrata.simulate.harvest import Ground, Harvest, Trace, measure


def test_curves_have_a_line_and_a_band_for_every_policy() -> None:
    ground = Ground(np.array([True, False, True]), np.array([0, 0, 1], np.uint32), 2, most=3)
    names = [f"policy-{number}" for number in range(9)]
    orders = [np.array(order, np.uint32) for order in ([0, 2, 1], [1, 2, 0])]
    curves = [
        measure(Trace(name, run, order[:1], order, np.arange(1.0, 4.0)), ground)
        for name in names
        for run, order in enumerate(orders)
    ]
    figures = draw_harvest(Harvest(ground.facts, {"simulate": {"clock": True}}, curves), "uk")
    assert [figure.name for figure in figures][3:] == ["harvest-time", "recall-time", "coverage-time"]
    spec = figures[0].chart.to_dict()
    rows = spec["layer"][0]["data"]["values"] if "data" in spec["layer"][0] else spec["data"]["values"]
    assert {row["policy"] for row in rows} == set(names)
    [at_two] = [row for row in rows if row["policy"] == names[0] and row["x"] == 2]
    assert (at_two["mean"], at_two["low"], at_two["high"]) == (0.75, 0, 1)
    # nine policies and seven colours: no two lines look alike
    scales = {
        channel: spec["layer"][1]["encoding"][channel]["scale"]["range"]
        for channel in ("color", "strokeDash")
    }
    looks = list(zip(scales["color"], map(tuple, scales["strokeDash"]), strict=True))
    assert len(set(looks)) == 9
