"""Tables 10 and 11: with every library, and the weights of the three link sets."""

from __future__ import annotations

import numpy as np

from webstrata.classify.experiments.link_tables import TREES, moving_links
from webstrata.classify.experiments.rows import with_parts
from webstrata.classify.experiments.trial import SetScores, Trial
from webstrata.classify.learning.matrix import HostMatrix
from webstrata.classify.settings import TrainSettings


def _trial(*, moving: bool, library: str = "small") -> Trial:
    random = np.random.default_rng(2)
    truth = np.arange(90) % 3 == 0
    values = random.normal(size=(90, 6)) + truth[:, None]
    sets = {"link": (["in", "out"], values[:, :2])}
    if moving:
        sets["temporal-link"] = (["idr", "igr", "xjaccard_1", "psimrank_1"], values[:, 2:])
    matrix = with_parts(HostMatrix([f"{n}.org" for n in range(90)], sets))
    return Trial(matrix, truth, np.arange(90), TrainSettings(library=library, folds=2))


def test_a_library_without_cost_sensitive_trees_has_table_11_and_says_how() -> None:
    tables = {table.key: table for table in moving_links(_trial(moving=True))}
    assert list(tables) == ["table 10", "link weights", "table 11"]
    assert len(tables["table 11"].rows) == len(tables["table 10"].rows) == 8
    assert "at cost 10 alone, since the library small has no such trees" in tables["table 11"].note
    assert all(0.4 < float(row[2]) <= 1 for row in tables["table 11"].rows)
    weights = [float(row[2].rstrip("%")) for row in tables["link weights"].rows]
    assert abs(sum(weights) - 100) < 0.2
    assert "60.8%" in tables["link weights"].note


def test_without_features_in_motion_the_reason_is_said() -> None:
    [table] = moving_links(_trial(moving=False))
    assert table.key == "table 11"
    assert [row[0] for row in table.rows] == ["Link"]
    assert "there are no temporal link features" in table.note


def test_a_library_with_such_trees_takes_the_cost_that_inner_folds_prefer() -> None:
    trial = _trial(moving=True, library="paper")
    random = np.random.default_rng(1)
    for name in trial.matrix.sets:
        inner = [random.random((int((trial.fold != number).sum()), 2)) for number in trial.outer]
        outer = [random.random((int((trial.fold == number).sum()), 2)) for number in trial.outer]
        trial.fitted[name] = SetScores([f"{TREES} 10", f"{TREES} 20"], inner, outer)
    rows = ("Link + growth/death rates", "Link + XJaccard + PSimRank", "All link-based")
    for name in rows:
        trial.fitted[name] = trial.fitted["link"]
    table = moving_links(trial)[-1]
    assert "in each fold at the cost that the inner folds prefer" in table.note
