"""Queries: what they mean, and where they are wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata._core.search import Analyzer
from webstrata.errors import QueryError
from webstrata.search.query import Compiler, Group, Phrase, Understood, Word, escape, parse
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
        ("std::vector main() f(x,y) note:", "(std::vector main() f(x,y) note:)"),
        ("see (main() OR fish)", "(see (main() fish))"),
        ('Error:"no space"', '(Error "no space")'),
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
        ("titel:fish", 1, "no field titel; write title:"),
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
    compiler = Compiler(Analyzer(load_core(), None), ["title", "url"], lambda _, start: [start])
    try:
        clause = compiler.compile(text)
    except QueryError as error:
        clause = ("error", error.excerpt)
    assert clause[0] in ("boolean", "filter", "word", "phrase") or "\n" in clause[1]
    # the words of any text are a query, unless it has none
    if plain := escape(text):
        compiler.compile(plain)


def test_words_that_are_joined_are_one_union_and_what_must_not_be_is_not_marked() -> None:
    compiler = Compiler(Analyzer(load_core(), "porter"), ["title", "text"], lambda *_: [])
    kind, pairs = compiler.compile("tropical fishes -shops")
    assert kind == "boolean"
    assert pairs == [
        ("should", ("word", "tropic", [0, 1])),
        ("should", ("word", "fish", [0, 1])),
        ("not", ("word", "shop", [0, 1])),
    ]
    assert compiler.terms == ["tropic", "fish"]
    assert compiler.understood == [Understood("tropical", ["tropic"]), Understood("fishes", ["fish"])]
    # what has no letters is passed over, unless there is nothing else
    assert compiler.compile("fish & chips !!") == compiler.compile("fish chips")
    with pytest.raises(QueryError, match="no letter or digit"):
        compiler.compile("&& !!")


@pytest.mark.parametrize(
    ("typed", "terms"),
    [
        ("CVE-2023-25194", ["cve", "2023", "25194"]),
        ("C++", ["c++"]),
        ("C++11", ["c++", "11"]),
        ("C#", ["c#"]),
        ("node.js", ["node", "js"]),
        ("don't", ["don", "t"]),
        ("don’t", ["don", "t"]),
        ("foo_bar", ["foo", "bar"]),
        ("v1.2.3", ["v1", "2", "3"]),
        ("jane.doe@example.org", ["jane", "doe", "exampl", "org"]),
        ("Donaudampfschifffahrt", ["donaudampfschifffahrt"]),
        ("über_größe", ["über", "größe".casefold()]),
    ],
)  # fmt: skip
def test_what_is_typed_as_one_word_is_a_word_or_a_phrase(typed: str, terms: list[str]) -> None:
    compiler = Compiler(Analyzer(load_core(), "porter"), ["text"], lambda *_: [])
    whole = ("word", terms[0], [1]) if len(terms) == 1 else ("phrase", terms, [1])
    assert compiler.compile(f"+{typed}") == ("boolean", [("must", whole)])
    found = compiler.compile(typed)
    if len(terms) > 1:
        # the parts count too
        assert found[1] == [("should", whole), *(("should", ("word", term, [1])) for term in terms)]
    else:
        assert found == whole


def test_a_run_of_characters_without_blanks_is_any_of_its_pairs() -> None:
    compiler = Compiler(Analyzer(load_core(), None), ["text"], lambda *_: [])
    assert compiler.compile("東京") == ("boolean", [("should", ("phrase", ["東", "京"], [1]))])
    kind, pairs = compiler.compile("東京都")
    assert kind == "boolean"
    assert [clause[1] for _, clause in pairs] == [["東", "京"], ["京", "都"]]
    assert compiler.compile('"東京都"') == ("phrase", ["東", "京", "都"], [1])
