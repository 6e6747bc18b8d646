"""Runs of TREC: out and in again, in the order of scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from webstrata.errors import FormatError
from webstrata.search.evaluate.queries import TimedQuery
from webstrata.search.evaluate.runs import check_run, read_run, to_scores, write_run

if TYPE_CHECKING:
    from pathlib import Path


def test_a_run_comes_back_in_its_order(tmp_path: Path) -> None:
    run = {"1": ["http://b/", "http://a/", "http://c/"], "2": ["http://a/"]}
    write_run(tmp_path / "run", run, "ours")
    assert read_run(tmp_path / "run") == run
    assert [sorted(rows, key=lambda url: -rows[url]) for rows in to_scores(run).values()] == list(
        run.values()
    )


def test_a_file_that_is_no_run_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run"
    for content, why in (
        ("", "there is no answer"),
        ("1 Q0 http://a/ first 2 x\n", "line 1: this is no line"),
    ):
        path.write_text(content)
        with pytest.raises(FormatError, match=why):
            read_run(path)


def test_a_run_may_answer_more_or_fewer_queries_but_not_none_of_them(tmp_path: Path) -> None:
    asked = [TimedQuery("1", "flood", "2026-02"), TimedQuery("2", "fire", "2026-02")]
    check_run(tmp_path, {"2": ["http://a/"], "3": ["http://a/"]}, asked)
    with pytest.raises(FormatError, match="it answers 3, and no query that is asked; queries are 1, 2"):
        check_run(tmp_path, {"3": ["http://a/"]}, asked)
