"""The sheets of classification: every feature set has its row, and the AUC of the truth its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import webstrata as ws
from webstrata.classify.features.sets import SETS
from webstrata.serve.report.classify import list_feature_parts, make_features
from webstrata.serve.report.kept import KINDS, read_sheets
from webstrata.serve.report.sheet import Missing, Sheet

if TYPE_CHECKING:
    from pathlib import Path


def test_every_feature_set_has_a_row(whole: Path) -> None:
    uk = ws.open(whole)
    (sheet,) = make_features(uk)
    assert isinstance(sheet, Sheet)
    made = [name for name in SETS if name != "Aa"]  # which counts words of queries, and there are none
    assert [row[1] for row in sheet.tables[0].rows] == made
    assert {row[0] for row in sheet.tables[0].rows} == {"2026-02"}
    assert len(list_feature_parts(uk["2026-02"])) == len(made)


def test_labels_that_nobody_gave_are_asked_for(whole: Path) -> None:
    uk = ws.open(whole)
    (missing,) = read_sheets(uk, KINDS["experiment"], uk.states())
    assert isinstance(missing, Missing)
    assert missing.command.endswith("--labels FILE")
