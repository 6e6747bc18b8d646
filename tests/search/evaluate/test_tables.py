"""Table 2 and the sweeps: every rank, every α, every size."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.search.evaluate.test_experiment import QUERIES, RIGHT
from webstrata.search.change import ChangeSearch
from webstrata.search.evaluate.experiment import Experiment
from webstrata.search.evaluate.tables import ALPHAS, EXPANSIONS, ORDER, evaluate
from webstrata.serve.figures.evaluation import draw_report

if TYPE_CHECKING:
    import webstrata as ws


def test_the_tables_have_every_rank_and_every_sweep(uk: ws.Collection) -> None:
    experiment = Experiment(ChangeSearch(uk), QUERIES, RIGHT)
    perfect = {name: list(grades) for name, grades in RIGHT.items()}
    report = evaluate(experiment, others={"perfect": perfect})
    assert [line.name for line in report.table] == ["bm25", *ORDER, "perfect"]
    assert report.table[-1].month["ndcg"] == 1.0
    assert {(point.rank, point.value) for point in report.by_alpha} == {(r, a) for r in ORDER for a in ALPHAS}
    assert {(point.rank, point.value) for point in report.by_expansion} == {
        (rank, float(size)) for rank in ORDER for size in EXPANSIONS
    }
    same = next(point for point in report.by_alpha if (point.rank, point.value) == ("hits", 0.5))
    line = next(line for line in report.table if line.name == "hits")
    assert line.month == same.means
    assert line.other is not None
    assert set(report.alpha_tests) == {"0", "1"}
    assert all(0 < test["ndcg"] <= 1 for test in report.alpha_tests.values())
    assert "runs" not in json.loads(json.dumps(report.to_dict()))
    assert [figure.name for figure in draw_report(report)][1:] == [
        f"figure-{number}" for number in range(1, 6)
    ]
