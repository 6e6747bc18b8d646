"""Queries: what they mean, and where they are wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata._core.search import Analyzer
from webstrata.errors import QueryError
from webstrata.search.query import Compiler, Group, Phrase, Word, parse
from webstrata.web.words import load_core


def show(node: object) -> str:
    """A tree in one line: what must be there has a +, what must not a -."""
    if isinstance(node, Group):
        signed = [("+", node.must), ("", node.should), ("-", node.without)]
        return "(" + " ".join(sign + show(one) for sign, some in signed for one in some) + ")"
    assert isinstance(node, Word | Phrase)
    field = f"{node.field}:" if node.field else ""
    text = f'"{node.text}"' if isinstance(node, Phrase) else node.text + "*" * node.is_prefix
    return field + text


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("fish", "fish"),
        ("tropical fish", "(tropical fish)"),
        ('+fish "warm water" -shop', '(+fish "warm water" -shop)'),
        ("fish AND chips", "(+fish +chips)"),
        ("a AND b OR c", "((+a +b) c)"),
        ("a AND (b OR c) AND NOT d", "(+a +(b c) -d)"),
        ("trop* title:fish site:a.org", "(trop* title:fish site:a.org)"),
        ("host:a.org lang:en fish", "(site:a.org language:en fish)"),
        ("http://a.org/ rock'n'roll", "(http://a.org/ rock'n'roll)"),
        ("a-b * x", "(a-b * x)"),
        ("fish and chips or not", "(fish and chips or not)"),
    ],
)  # fmt: skip
def test_a_query_means_what_its_words_and_signs_say(text: str, tree: str) -> None:
    assert show(parse(text)) == tree


@pytest.mark.parametrize(
    ("text", "column", "says"),
    [
        ("", 1, "nothing to look for"),
        ('fish "and', 6, "no end"),
        ('fish ""', 6, "empty"),
        ("(fish", 1, "not closed"),
        ("fish)", 5, "never opened"),
        ("fish AND", 9, "a word was expected"),
        ("AND fish", 1, "a word before it"),
        ("fish OR OR x", 9, "a word was expected"),
        ("()", 2, "a word was expected"),
        ("-fish", 1, "only says what must not be there"),
        ("fish (-chips)", 7, "only says what must not be there"),
        ("titel:fish", 1, "no field titel; known are title"),
        ("title:(a b)", 1, "one word or one quotation"),
        ("(" * 60 + "a" + ")" * 60, 51, "use fewer"),
    ],
)  # fmt: skip
def test_the_place_of_a_mistake_is_marked(text: str, column: int, says: str) -> None:
    with pytest.raises(QueryError, match=says) as caught:
        parse(text)
    assert f"column {column}:" in str(caught.value)
    shown, mark = caught.value.excerpt.split("\n")
    assert len(mark) <= 78
    assert text == "" or shown[len(mark) - 1 :] == text[column - 1 :][: len(shown) - len(mark) + 1]


@given(st.text(alphabet='ab"()+-*: ANDOR\t', max_size=30))
def test_any_text_is_a_query_or_an_error_with_its_place(text: str) -> None:
    compiler = Compiler(Analyzer(load_core(), None), {"title": 1.0, "url": 1.0}, lambda _, start: [start])
    try:
        clause = compiler.compile(text)
    except QueryError as error:
        clause = ("error", error.excerpt)
    assert clause[0] in ("boolean", "filter") or "\n" in clause[1]


def test_words_that_are_joined_are_one_union_and_what_must_not_be_is_not_marked() -> None:
    compiler = Compiler(Analyzer(load_core(), "porter"), {"title": 3.0, "text": 1.0}, lambda *_: [])
    kind, pairs = compiler.compile("tropical fishes -shops")
    assert kind == "boolean"
    assert [occur for occur, _ in pairs] == ["should"] * 4 + ["not"]
    assert compiler.terms == ["tropic", "fish"]
    with pytest.raises(QueryError, match="keeps no order"):
        compiler.compile('url:"a b"')
    with pytest.raises(QueryError, match="no letter or digit"):
        compiler.compile("fish !!")
