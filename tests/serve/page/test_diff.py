"""What changed between two captures, word by word."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from webstrata.serve.page.diff import mark_words
from webstrata.store.differences import compare_lines

LINES = st.lists(st.text("ab c.", max_size=12), max_size=8)


@given(LINES, LINES)
def test_pieces_of_a_line_are_the_line_and_no_line_is_lost(before: list[str], after: list[str]) -> None:
    changes = compare_lines(before, after)
    found = mark_words(changes)
    for mark in "-+ @":
        lines = ["".join(piece for piece, _ in row["pieces"]) for row in found if row["mark"] == mark]
        assert lines == [change.text for change in changes if change.mark == mark]


def test_only_the_words_that_differ_are_marked() -> None:
    found = mark_words(compare_lines(["the old fish soup is good"], ["the new fish soup is very good"]))
    marked = {row["mark"]: [piece for piece, is_marked in row["pieces"] if is_marked] for row in found}
    assert marked["-"] == ["old"]
    assert [piece.strip() for piece in marked["+"]] == ["new", "very"]
