"""Pictures of experiments on labels."""

from __future__ import annotations

import numpy as np

from webstrata.classify.experiments import Experiment, Sensitivity, TrialOutcome
from webstrata.classify.experiments.sheet import PaperTable
from webstrata.serve.figures.classify import draw_experiment
from webstrata.serve.figures.results import lay_out_tables


def test_every_feature_set_is_in_the_pictures_and_text_is_escaped() -> None:
    outcome = TrialOutcome(("B",), 96, 0.88, 0.02, np.zeros(3), {"B": 1.0}, "B: tree", 0.8, 1.0)
    found = Experiment(
        "spam",
        "2026-06",
        [
            PaperTable(
                "table 1",
                "",
                ["snapshot", "hosts", "labelled", "spam", "not spam"],
                [["2026-06", 9, 5, 2, 3]],
            ),
            PaperTable(
                "weights", "Weights", ["set", "features", "weight"], [["B <i>", 96, "62.5%"]], "a & b"
            ),
        ],
        [Sensitivity("B", share / 10, share * 10, 0.8, 0.01) for share in (1, 2)],
        {"Content (B)": outcome},
    )
    figures = {figure.name: figure.chart.to_dict() for figure in draw_experiment(found)}
    assert set(figures) == {"hosts", "auc", "weights", "sensitivity-mean", "sensitivity-deviation"}
    assert figures["weights"]["data"]["values"] == [{"set": "B <i>", "weight": 62.5}]
    hosts = {row["kind"]: row["hosts"] for row in figures["hosts"]["data"]["values"]}
    assert hosts == {"hosts": 9, "spam": 2, "not spam": 3}
    assert [row["share"] for row in figures["sensitivity-mean"]["data"]["values"]] == [10, 20]
    assert "B &lt;i&gt;" in lay_out_tables(found)
    assert "a &amp; b" in lay_out_tables(found)
