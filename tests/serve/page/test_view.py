"""Views as JSON, and cursors."""

from __future__ import annotations

import contextlib
import datetime as dt
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.collection.action import Action
from webstrata.errors import UsageError
from webstrata.serve.page.view import MissingPart, PageView, paginate, read_cursor, to_json, write_cursor


@given(st.integers(0, 1_000_000))
def test_a_cursor_gives_back_its_offset(offset: int) -> None:
    assert read_cursor(write_cursor(offset)) == offset


@given(st.text(max_size=30))
def test_any_other_text_is_a_cursor_or_refused(text: str) -> None:
    found = -1
    with contextlib.suppress(UsageError):
        found = read_cursor(text)
    assert -1 <= found <= 1_000_000


def test_pages_of_rows_follow_each_other_without_gaps() -> None:
    rows = [{"n": number} for number in range(25)]
    seen, cursor = [], None
    while True:
        shown, cursor = paginate(rows, cursor, 10)
        seen += shown
        if cursor is None:
            break
    assert seen == rows


def test_a_document_has_only_what_json_knows() -> None:
    moment = dt.datetime(2026, 6, 1, 12, tzinfo=dt.UTC)
    values = {
        "t": moment,
        "n": np.float64(1.5),
        "a": np.arange(2),
        "x": float("inf"),
        "s": "\ud800",
        "b": b"a\xff",
    }
    assert json.loads(to_json(values)) == {
        "t": "2026-06-01T12:00:00Z", "n": 1.5, "a": [0, 1], "x": None, "s": "?", "b": "a\ufffd",
    }  # fmt: skip


def test_a_view_names_the_command_and_what_is_missing() -> None:
    view = PageView(
        "home", "Home", Action("show", "uk"), missing=[MissingPart("Search", "webstrata build uk text_index")]
    )
    found = view.to_dict()
    assert (found["made_by"], found["python"], found["next"]) == (
        "webstrata show uk",
        "webstrata.open('uk').show()",
        None,
    )
    assert found["missing"] == [{"what": "Search", "command": "webstrata build uk text_index"}]


def test_a_wrong_cursor_names_itself_shortly() -> None:
    with pytest.raises(UsageError, match=r"cursor: 'x{40}' is not a cursor"):
        read_cursor("x" * 500)
