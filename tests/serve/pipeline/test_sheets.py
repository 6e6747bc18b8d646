"""The stage of sheets: one of each kind where there is what it is made of, again when it is asked else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import webstrata as ws
from tests.serve.conftest import CONFIG
from webstrata.serve.pipeline.context import Context
from webstrata.serve.pipeline.jobs import decide
from webstrata.serve.pipeline.sheets import list_sheets

if TYPE_CHECKING:
    from pathlib import Path


def test_other_queries_make_the_sheet_of_answers_due_and_no_other(whole: Path) -> None:
    uk = ws.open(whole)
    states = uk.states()
    assert [decide(job, states).state for job in list_sheets(Context(uk, CONFIG))].count("due") == 0
    asked = list_sheets(Context(uk, CONFIG, options={"queries": "flood"}))
    due = [found for found in (decide(job, states) for job in asked) if found.state == "due"]
    assert [(found.job.name, found.why) for found in due] == [("/sheet-changes", "made with another queries")]


def test_where_nothing_is_planted_somebody_must_say_what_is_right(copied: ws.Collection) -> None:
    for snapshot in copied:
        snapshot.parts.remove("truth")
    for part in ("sheet-changes", "sheet-evaluation"):
        copied.parts.remove(part)
    jobs = {job.name: job for job in list_sheets(Context(copied))}
    assert jobs["/sheet-changes"].refusal == "nothing is asked; name `queries` in [run]"
    assert "name files of `topics` and `judgements`" in jobs["/sheet-evaluation"].refusal
    assert "/sheet-alignment" not in jobs
