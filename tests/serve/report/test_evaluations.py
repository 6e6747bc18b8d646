"""The experiments of CHANGE in the report: what `search evaluate` finds, on planted events or on files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import webstrata as ws
from webstrata.cli import run
from webstrata.collection.progress import Progress
from webstrata.serve.report.evaluations import make_evaluation
from webstrata.serve.report.kept import KINDS, read_sheets
from webstrata.serve.report.sheet import Sheet

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_the_table_and_the_figures_are_those_of_the_command_below_them(
    whole: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    uk = ws.open(whole)
    (sheet,) = read_sheets(uk, KINDS["evaluation"], uk.states())
    assert isinstance(sheet, Sheet)
    assert sheet.command == f"webstrata search evaluate {whole} --truth --preset paper:change"
    assert run([*sheet.command.split()[1:], "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    titles = {table.title: table for table in sheet.tables}
    table = titles["Change search (CHANGE, table 2)"]
    by_alpha = titles["By α (CHANGE, figures 1, 3 and 5)"]
    by_expansion = titles["By size of the expansion (CHANGE, figures 2 and 4)"]
    assert [row[0] for row in table.rows] == [
        "BM25", "None", "PageRank-0.9", "HitsAuth-200", "HitsHubs-200", "Combined"
    ]  # fmt: skip
    for row, line in zip(table.rows, shown["table"], strict=True):
        assert row[1] == round(line["month"]["ndcg"], 3)
    assert shown["settings"]["link_weights"] == "equal"
    assert [row[1] for row in by_alpha.rows[:3]] == [0.0, 0.5, 1.0]
    assert [row[1] for row in by_expansion.rows[:4]] == [0, 100, 1000, 2000]
    names = ["table-2", "figure-1", "figure-2", "figure-3", "figure-4", "figure-5"]
    assert [figure.name for figure in sheet.figures][:6] == [f"evaluation-{name}" for name in names]


def test_our_own_ranks_stand_next_to_the_papers_under_another_name(whole: Path) -> None:
    uk = ws.open(whole)
    (sheet,) = read_sheets(uk, KINDS["evaluation"], uk.states())
    assert isinstance(sheet, Sheet)
    titles = [table.title for table in sheet.tables]
    assert titles[:2] == ["Change search (CHANGE, table 2)", "Change search, settings of this collection"]
    ours = sheet.tables[1]
    assert "none" in [row[0] for row in ours.rows]
    assert {"hits", "new-text"} <= {row[0] for row in ours.rows}
    # the same ranks with other weights are other figures, and all weights are stated
    settings = {row[0]: row[1:] for row in sheet.tables[-1].rows}
    assert settings["link_weights"] == ["equal", "new"]
    assert settings["alpha"] == ["0.5", "0.5"]
    assert {"old_links", "restart", "supersource", "matches_first"} <= set(settings)
    for table in sheet.tables[:-1]:
        names = {row[0] for row in table.rows} if table.columns[0] == "rank" else set(table.columns)
        assert names & {"none", "None"}, f"{table.title} lacks the baseline"


def test_a_sheet_of_an_earlier_version_is_stale(copied: ws.Collection) -> None:
    name = "sheet-evaluation"
    with copied.open_part(name) as part:
        sheet = json.loads((part.path / "sheet.json").read_bytes())
    assert not copied.states()[f"/{name}"].is_stale
    del sheet["format"]
    record = copied.find_record(f"/{name}")
    with copied.write_part(name, inputs=tuple(record.inputs)) as build:
        (build.path / "sheet.json").write_text(json.dumps(sheet))
    assert copied.states()[f"/{name}"].why == "written by an earlier version (format 1, now 2)"


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
    assert sheet.command.endswith(f"--queries {topics} --judgements {right} --preset paper:change")
