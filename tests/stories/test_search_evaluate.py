"""`webstrata search evaluate`, as typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.search.change.events import make_events
from webstrata.cli import run

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_the_tables_of_the_paper_are_shown_and_runs_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = str(make_events(tmp_path / "uk").path)
    queries, judgements = tmp_path / "q.tsv", tmp_path / "j.tsv"
    queries.write_text("1\tflood\t2026-02\n2\tfire\n")
    judgements.write_text(
        "1\thttp://city.org/flood\t2\n1\thttp://paper.com/flood\t2\n2\thttp://city.org/fire\n"
    )
    words = ["search", "evaluate", place, "--queries", str(queries), "--judgements", str(judgements)]
    assert (
        run([*words, "--at", "2026-03", "--runs", str(tmp_path / "runs"), "--plots", str(tmp_path / "p")])
        == 0
    )
    shown = capsys.readouterr().out
    assert shown.startswith("2 queries, in the month of change and in another one\n")
    for line in (
        "hits-authority  ",
        "By α\n",
        "link_weights = new, old_links = 0.0625",
        "against α = 0: p = ",
        "TREC files: 10 in ",
    ):
        assert line in shown
    assert "CHANGE" not in shown
    assert (tmp_path / "p" / "evaluation.html").is_file()
    assert run([*words, "--at", "2026-03", "--preset", "paper:change"]) == 0
    papers = capsys.readouterr().out
    for line in (
        "(CHANGE, table 2: settings paper:change)",
        "HitsAuth-200  ",
        "By α (CHANGE, figures 1, 3 and 5)",
        "link_weights = equal",
    ):
        assert line in papers
    assert "new-text" not in papers
    # a setting that is not the paper's, and it is not the paper's table
    assert run([*words, "--at", "2026-03", "--preset", "paper:change", "--alpha", "0.3", "--no-sweeps"]) == 0
    assert "CHANGE" not in capsys.readouterr().out
    assert run([*words, "--at", "2026-03", "--preset", "paper:chance"]) == 2
    assert "did you mean paper:change?" in capsys.readouterr().err
    # what was written is read again: the same tables, with one of the runs as somebody else's
    trec = tmp_path / "runs"
    (trec / "hits-authority.run").rename(trec / "theirs.run")
    again = ["search", "evaluate", place, "--queries", str(trec / "topics.txt"), "--judgements",
             str(trec / "qrels.txt"), "--run", str(trec / "theirs.run"), "--no-sweeps", "--json"]  # fmt: skip
    assert run(again) == 0
    table = {line["name"]: line for line in json.loads(capsys.readouterr().out)["table"]}
    assert table["theirs"]["month"].items() <= table["hits-authority"]["month"].items()
    judgements.write_text("7\thttp://city.org/flood\n")
    assert run([*words, "--at", "2026-03"]) == 2
    assert (
        "it judges pages for 7, which is no query that is asked; queries are 1, 2" in capsys.readouterr().err
    )
    judgements.write_text("1\thttp://nowhere.org/\n")
    assert run([*words, "--at", "2026-03"]) == 2
    assert "http://nowhere.org/ for 1, which is no page of any snapshot" in capsys.readouterr().err
    assert run(words) == 2
    assert "query 2: it does not say when" in capsys.readouterr().err


def test_what_cannot_be_asked_or_compared_is_said_with_the_query(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = str(make_events(tmp_path / "uk").path)
    queries, judgements, theirs = (tmp_path / name for name in ("q.tsv", "j.tsv", "x.run"))
    judgements.write_text("1\thttp://city.org/flood\n7\thttp://city.org/flood\n")
    words = ["search", "evaluate", place, "--queries", str(queries), "--judgements", str(judgements)]
    queries.write_text("1\tflood\t2026-02\n7\tflood\t2025-01\n")
    assert run(words) == 2
    assert "query 7: 2025-01 is before the first snapshot" in capsys.readouterr().err
    queries.write_text("1\tflood\t2026-02\n7\tflood\t2026-02\n")
    theirs.write_text("9 Q0 http://city.org/flood 1 1.0 x\n")
    assert run([*words, "--run", str(theirs)]) == 2
    assert "it answers 9, and no query that is asked; queries are 1, 7" in capsys.readouterr().err
