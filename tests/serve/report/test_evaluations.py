"""The experiments of CHANGE in the report: what `search evaluate` finds, on planted events or on files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import webstrata as ws
from webstrata.cli import run
from webstrata.collection.progress import Progress
from webstrata.serve.report.evaluations import make_evaluation
from webstrata.serve.report.kept import EVALUATION, read_sheets
from webstrata.serve.report.sheet import Sheet

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_the_table_and_the_figures_are_those_of_the_command_below_them(
    whole: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    uk = ws.open(whole)
    (sheet,) = read_sheets(uk, EVALUATION, uk.states())
    assert isinstance(sheet, Sheet)
    assert sheet.command == f"webstrata search evaluate {whole} --truth"
    assert run([*sheet.command.split()[1:], "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    table, by_alpha, by_expansion = sheet.tables
    for row, line in zip(table.rows, shown["table"], strict=True):
        assert row[:2] == [line["name"], round(line["month"]["ndcg"], 3)]
    assert [row[1] for row in by_alpha.rows[:3]] == [0.0, 0.5, 1.0]
    assert [row[1] for row in by_expansion.rows[:4]] == [0, 100, 1000, 2000]
    names = ["table-2", "figure-1", "figure-2", "figure-3", "figure-4", "figure-5"]
    assert [figure.name for figure in sheet.figures] == [f"evaluation-{name}" for name in names]


def test_files_of_queries_and_right_pages_are_taken_where_nothing_is_planted(
    copied: ws.Collection, tmp_path: Path
) -> None:
    url = copied["2026-02"].urls[0]
    word = copied["2026-02"].text[0].title.split()[0]
    topics, right = tmp_path / "q.tsv", tmp_path / "j.tsv"
    topics.write_text(f"1\t{word}\t2026-02\n")
    right.write_text(f"1\t{url}\n")
    sheet = make_evaluation(copied, Progress(), str(topics), str(right))
    assert sheet.text[0].startswith(f"Queries of {topics}: 1, with 1 right pages in all")
    assert sheet.command.endswith(f"--queries {topics} --judgements {right}")
