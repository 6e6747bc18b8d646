"""The language of filters: what is read, what is printed, and where mistakes are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.crawl.filters.reference import trees
from webstrata.crawl.filters.language import MAX_DEPTH, And, Constant, Not, Or, Predicate, explain, parse
from webstrata.errors import FilterError

A, B, C = Predicate("A"), Predicate("B"), Predicate("C")
predicates = st.builds(
    Predicate,
    st.from_regex(r"[A-Z][A-Za-z0-9_]{0,8}", fullmatch=True).filter(
        lambda name: name.lower() not in ("and", "or", "not", "true", "false")
    ),
    st.lists(st.one_of(st.text(max_size=8), st.text('"\\()[]{}, a', max_size=8)), max_size=3).map(tuple),
)


def test_the_example_of_the_paper_is_read_as_printed() -> None:
    text = (
        "(HostEndsWith(foo.bar) and not ForbiddenHost(http://xxx.yyy/list-of-hosts)) or NoMoreSlashThan(10)"
    )
    forbidden = Predicate("ForbiddenHost", ("http://xxx.yyy/list-of-hosts",))
    assert parse(text) == Or(
        (
            And((Predicate("HostEndsWith", ("foo.bar",)), Not(forbidden))),
            Predicate("NoMoreSlashThan", ("10",)),
        )
    )


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("A or B and C", Or((A, And((B, C))))),
        ("A and B or C", Or((And((A, B)), C))),
        ("(A or B) and C", And((Or((A, B)), C))),
        ("not A and B", And((Not(A), B))),
        ("not (A and B)", Not(And((A, B)))),
        ("!A & ~B | C", Or((And((Not(A), Not(B))), C))),
        ("!A && ~B || C", Or((And((Not(A), Not(B))), C))),
        ("A ∧ B ∨ C", Or((And((A, B)), C))),
        ("not not A", Not(Not(A))),
        ("A and (B and C)", And((A, And((B, C))))),
        ("TRUE AND False", And((Constant(True), Constant(False)))),
        (" ( ( A( ) ) ) \n", A),
        ("!A()&B()", And((Not(A), B))),
    ],
)
def test_not_binds_before_and_and_and_before_or(text: str, tree: object) -> None:
    assert parse(text) == tree


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("A(a,b , c)", ("a", "b", "c")),
        ("A( a b )", ("a b",)),
        ('A("a(b|c),d")', ("a(b|c),d",)),
        (r'A("\"\\", "\d")', ('"\\', r"\d")),
        ('A("")', ("",)),
        ("A(a(b|c)d)", ("a(b|c)d",)),
        ("A(a((b)|c,d)e, f)", ("a((b)|c,d)e", "f")),
        (r"A(a\(b\,c)", (r"a\(b\,c",)),
        ("A(x{1,2}[,()]+)", ("x{1,2}[,()]+",)),
        ("A([::1])", ("[::1]",)),
        ('A(a"b)', ('a"b',)),
        ("A(http://x/?a=1&b=2|3)", ("http://x/?a=1&b=2|3",)),
    ],
)
def test_arguments_need_quotes_only_where_they_would_end(text: str, arguments: tuple[str, ...]) -> None:
    assert parse(text) == Predicate("A", arguments)


@given(trees(predicates))
def test_what_is_printed_is_read_as_the_same(tree: object) -> None:
    assert parse(str(tree)) == tree


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("", 0, "the filter ends"),
        ("A and", 5, "the filter ends where a predicate"),
        ("A B", 2, "`B` stands where `and`, `or` or the end was expected"),
        ("and A", 0, "`and` stands where a predicate"),
        ("(A B)", 3, "`and`, `or` or `)` was expected"),
        ("A and (B or C", 6, "this `(` is never closed"),
        ("A)", 1, "closes nothing"),
        ("()", 1, "`)` stands where a predicate"),
        ("A and 5", 6, "`5` has no meaning here"),
        ("A &&& B", 4, "`&` stands where"),
        ("A(b", 1, "this `(` is never closed"),
        ("A([b)", 1, "brackets that do not match"),
        ('A("b)', 2, 'this `"` is never closed'),
        ('A("b" c)', 6, "behind the quotes"),
        ("A(b,)", 4, "an argument was expected"),
        ("A(,b)", 2, "an argument was expected"),
        ('A("' + "\\\\" * 5000, 2, 'this `"` is never closed'),
    ],
)
def test_a_mistake_is_pointed_at(text: str, place: int, words: str) -> None:
    with pytest.raises(FilterError) as caught:
        parse(text)
    message, excerpt = str(caught.value), caught.value.excerpt
    assert message.startswith(f"filter, column {place + 1}: ")
    assert words in message
    assert "\n" not in message
    line, mark = excerpt.split("\n")
    assert mark == " " * place + "^"
    assert line == text[:100]


def test_in_a_long_filter_the_excerpt_stays_short() -> None:
    text = " and ".join(["true"] * 200 + ["nothing here"] + ["true"] * 200)
    with pytest.raises(FilterError) as caught:
        parse(text)
    line, mark = caught.value.excerpt.split("\n")
    assert len(line) == 100
    assert line[mark.index("^") :].startswith("here")


def test_in_a_filter_of_several_lines_the_line_is_named() -> None:
    with pytest.raises(FilterError, match=r"^filter, line 2, column 4: `oder`") as caught:
        parse("true and\n\tA oder\nB")
    assert caught.value.excerpt == " A oder\n   ^"
    assert explain(caught.value).endswith("\n   A oder\n     ^")


@pytest.mark.parametrize("opening", ["(", "not ", "!(", "~"])
def test_what_is_too_deep_is_refused(opening: str) -> None:
    closing = ")" if "(" in opening else ""
    times = MAX_DEPTH // len(opening.strip("not ") or "!")
    assert parse(opening * times + "A" + closing * times)
    with pytest.raises(FilterError, match="within each other"):
        parse(opening * 100_000 + "A" + closing * 100_000)


@given(st.one_of(st.text(max_size=30), st.text('AB()&|!",\\[{ ', max_size=30)))
def test_any_text_is_a_filter_or_a_mistake_with_a_place(text: str) -> None:
    try:
        tree = parse(text)
    except FilterError as error:
        marks = error.excerpt
    else:
        marks = "^" if parse(str(tree)) == tree else "printed, it is another filter"
    assert "^" in marks
