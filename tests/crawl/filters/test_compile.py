"""Programs: what trees become, and what is refused."""

from __future__ import annotations

import pytest

from webstrata.crawl.filters.compile import compile_tree
from webstrata.crawl.filters.language import parse
from webstrata.errors import FilterError


def compiled(text: str, place: str = "schedule") -> str:
    return compile_tree(parse(text), place, text=text).text


def test_parents_stand_before_their_children() -> None:
    assert compiled("true or not (HostEquals(a) and false)").split("\n") == [
        "or 2",
        "true",
        "not",
        "and 2",
        "host\ta",
        "false",
    ]


def test_tabs_and_line_ends_of_arguments_are_escaped() -> None:
    assert compiled('PathEndsWithOneOf("a\tb\nc\\d\r", "e")') == "path-suffix\ta\\tb\\nc\\\\d\\r\te"


def test_the_same_question_is_numbered_once() -> None:
    functions = {"A": lambda batch: batch}
    program = compile_tree(parse("A or A() or A(1) or true and A"), functions=functions)
    assert program.text == "or 4\nask 0\nask 0\nask 1\nand 2\ntrue\nask 0"
    assert [asked.text for asked in program.asked] == ["A()", "A(1)"]


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        (
            "true and HostEndWith(a)",
            "fetch",
            "column 10: HostEndWith is no predicate; did you mean HostEndsWith?",
        ),
        ("urlequals(a)", "fetch", "column 1: urlequals is no predicate; did you mean URLEquals?"),
        ("Qqqqqqqqq", "fetch", "column 1: Qqqqqqqqq is no predicate; known are AllowedHost, "),
        ("HostEquals", "fetch", "column 1: HostEquals takes 1 argument, HostEquals(host), and has 0"),
        ("HasNoQuery(a)", "fetch", "column 1: HasNoQuery takes no arguments, HasNoQuery(), and has 1"),
        (
            "HostOneOf()",
            "fetch",
            "column 1: HostOneOf takes 1 or more arguments, HostOneOf(host, …), and has 0",
        ),
        ("URLMatchesRegex(a, b)", "fetch", "column 20: URLMatchesRegex takes 1 argument, "),
        ("URLMatchesRegex(a(?=b))", "fetch", "column 17: `a(?=b)` is no regular expression (look-around"),
        (
            'ResponseMatches("[")',
            "store",
            "column 17: `[` is no regular expression (unclosed character class)",
        ),
        (
            "URLMatchesRegex((a{1000}){1000})",
            "fetch",
            "column 17: `(a{1000}){1000}` is no regular expression (",
        ),
        (
            "true and StatusIs(200)",
            "fetch",
            "column 10: StatusIs looks at a response, which the fetch filter",
        ),
        ("SameHost()", "store", "column 1: SameHost looks at the page of a link, which the store filter"),
        ("IsDuplicate()", "parse", "it may stand in follow and store"),
        ("SpamScoreBelow(1)", "store", "give it as predicates={'SpamScore': function}"),
        ("DustFree()", "fetch", "give it as predicates={'DustRules': function}"),
    ],
)
def test_what_does_not_fit_is_said_in_one_sentence(text: str, place: str, message: str) -> None:
    with pytest.raises(FilterError) as caught:
        compiled(text, place)
    assert message in str(caught.value)
    assert str(caught.value).startswith("filter, column ")
    assert "\n" not in str(caught.value)
    assert caught.value.excerpt.startswith(text)


def test_a_tree_without_a_text_is_shown_as_it_prints() -> None:
    with pytest.raises(FilterError) as caught:
        compile_tree(parse("true   and Nothing(1)"))
    assert caught.value.excerpt.startswith("true and Nothing(1)\n")


def test_mistakes_of_programs_are_no_mistakes_of_users() -> None:
    tree = parse("true")
    with pytest.raises(ValueError, match="place: expected one of schedule, fetch, parse, follow, store"):
        compile_tree(tree, "elsewhere")
    for name in ("HostEquals", "no word", ""):
        with pytest.raises(ValueError, match="predicates: expected names"):
            compile_tree(tree, functions={name: lambda batch: batch})
