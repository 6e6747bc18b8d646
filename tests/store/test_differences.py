"""What changed between two captures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

import webstrata as ws
from tests.store.test_captures import make, store
from webstrata.store.differences import compare, compare_lines

if TYPE_CHECKING:
    from pathlib import Path

LINES = st.lists(st.sampled_from(["a", "b", "-c", "@@ d", ""]), max_size=12)


@given(LINES, LINES)
def test_the_changes_make_one_text_out_of_the_other(before: list[str], after: list[str]) -> None:
    changes = compare_lines(before, after, context=100)
    if before == after:
        assert changes == []
    else:
        assert [change.text for change in changes if change.mark in " -"] == before
        assert [change.text for change in changes if change.mark in " +"] == after


def test_text_and_source_are_compared(tmp_path: Path) -> None:
    uk = ws.create(tmp_path / "uk")
    store(uk.add("2026-06"), tmp_path / "june", make("http://a.uk/", "<p>One<p>Two<!-- 1 -->"))
    store(uk.add("2026-07"), tmp_path / "july", make("http://a.uk/", "<p>One<p>Three<!-- 1 -->"))
    store(uk.add("2026-08"), tmp_path / "august", make("http://a.uk/", "<p>One<p>Three<!-- 2 -->"))
    june, july, august = (snapshot.capture("http://a.uk/") for snapshot in uk)
    difference = compare(june, july)
    assert (difference.added, difference.removed, difference.is_same_payload) == (1, 1, False)
    difference = compare(july, august)
    assert (difference.changes, difference.is_same_payload) == ([], False)
    assert compare(july, august, source=True).added == 1
    assert compare(july, july).is_same_payload
