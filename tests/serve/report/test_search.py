"""The sheets of search: what the index holds, and how many pages of planted events change search finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from webstrata.collection.progress import Progress
from webstrata.errors import MissingError
from webstrata.serve.report.kept import KINDS, read_sheets
from webstrata.serve.report.search import list_change_inputs, make_changes, make_index
from webstrata.serve.report.sheet import Sheet

if TYPE_CHECKING:
    from pathlib import Path


def test_the_index_says_what_it_holds(whole: Path) -> None:
    uk = ws.open(whole)
    (sheet,) = make_index(uk)
    assert isinstance(sheet, Sheet)
    counts = dict(sheet.tables[0].rows)
    assert counts["pages"] == sum(len(snapshot.urls) for snapshot in uk)
    assert counts["documents"] <= counts["pages"]


def test_pages_of_planted_events_are_among_the_first_answers(whole: Path) -> None:
    uk = ws.open(whole)
    assert list_change_inputs(uk) == ("/temporal", "/changes")
    (sheet,) = read_sheets(uk, KINDS["changes"], uk.states())
    assert isinstance(sheet, Sheet)
    events, answers, parts = sheet.tables
    (figure,) = sheet.figures
    assert len(figure.spec["layer"][1]["data"]["values"]) == 30
    assert parts.columns[2:] == ["2026-01 – 2026-02"]
    first = ws.open(whole).changes(events.rows[0][0], "2026-01", "2026-02").top(1)[0]
    assert [row[2] for row in parts.rows[:3]] == [
        round(value, 2) for value in (first.content, first.inlinks, first.outlinks)
    ]
    planted = {
        event.name: {*event.born, *event.changed} for event in ws.invitro.Web("tiny", seed=7).events(1)
    }
    for name, label, pages, found, by_text in events.rows:
        assert label == "2026-02"
        assert 0 < pages <= len(planted[name])
        assert 0 <= by_text <= 10
        assert 0 < found <= 10
    assert {row[0] for row in answers.rows} <= set(planted)


def test_without_events_somebody_must_say_what_is_asked(copied: ws.Collection) -> None:
    word = copied["2026-02"].text[0].title.split()[0]
    sheet = make_changes(copied, Progress(), [word])
    assert sheet.tables[-2].rows[0][0] == word
    for snapshot in copied:
        snapshot.parts.remove("truth")
    with pytest.raises(MissingError, match=r"name `queries` in .run."):
        make_changes(copied, Progress())
