"""Filters in the core: the same answers as plain Python, few questions to Python, any text survived."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.crawl.filters.reference import (
    ARGUMENTS,
    RESPONSE_ARGUMENTS,
    Subject,
    admits,
    filters,
    has_repeat,
    holds,
    responses,
    subjects,
)
from webstrata._core import crawl as core
from webstrata.crawl.filters import Filter, Response
from webstrata.crawl.filters.language import Predicate
from webstrata.errors import FilterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.crawl.filters.language import Node


def admits_subjects(filter: Filter, some: Sequence[Subject]) -> list[bool]:
    answers = filter.admits_many(
        [subject.url for subject in some],
        [subject.source for subject in some],
        [subject.depth for subject in some],
        [subject.response for subject in some],
    )
    return [bool(answer) for answer in answers]


@given(filters(ARGUMENTS), st.lists(subjects, max_size=8))
def test_links_are_judged_as_in_plain_python(tree: Node, some: list[Subject]) -> None:
    filter = Filter.parse(str(tree), "schedule")
    assert admits_subjects(filter, some) == [admits(tree, subject) for subject in some]


_on_responses = {
    name: arguments
    for name, arguments in (ARGUMENTS | RESPONSE_ARGUMENTS).items()
    if name not in ("SameHost", "SameDomain")
}


@given(filters(_on_responses), st.lists(subjects, max_size=8))
def test_responses_are_judged_as_in_plain_python(tree: Node, some: list[Subject]) -> None:
    filter = Filter.parse(str(tree), "store")
    assert admits_subjects(filter, some) == [admits(tree, subject) for subject in some]


@pytest.mark.parametrize("name", sorted(ARGUMENTS))
def test_each_predicate_has_both_answers_and_those_of_plain_python(name: str) -> None:
    seen = set()

    @settings(max_examples=30)
    @given(ARGUMENTS[name], st.lists(subjects, min_size=4, max_size=8))
    def compare(arguments: tuple[str, ...], some: list[Subject]) -> None:
        filter = Filter.parse(_write(name, arguments), "schedule")
        expected = [holds(subject, name, *arguments) for subject in some]
        assert admits_subjects(filter, some) == expected
        seen.update(expected)

    compare()
    assert seen == {True, False}


@pytest.mark.parametrize("name", sorted(RESPONSE_ARGUMENTS))
def test_each_predicate_on_responses_has_both_answers_and_those_of_plain_python(name: str) -> None:
    seen = set()

    @settings(max_examples=30)
    @given(RESPONSE_ARGUMENTS[name], st.lists(st.none() | responses, min_size=4, max_size=8))
    def compare(arguments: tuple[str, ...], some: list[Response | None]) -> None:
        targets = [Subject("http://a.uk/", response=response) for response in some]
        expected = [holds(subject, name, *arguments) for subject in targets]
        assert admits_subjects(Filter.parse(_write(name, arguments), "store"), targets) == expected
        seen.update(expected)

    compare()
    assert seen == {True, False}


def _write(name: str, arguments: tuple[str, ...]) -> str:
    return str(Predicate(name, arguments))


# ---- repeated segments


@given(st.lists(st.sampled_from("aab"), max_size=40), st.integers(2, 5))
def test_repeated_segments_are_found_as_by_trying_all(segments: list[str], times: int) -> None:
    filter = Filter.parse(f"DuplicateSegmentsLessThan({times})")
    for url in (f"http://h/{'/'.join(segments)}", f"http://h/{'/'.join([*segments, ''])}"):
        assert filter.admits(url) == (not has_repeat(segments, times))


@given(
    st.lists(st.sampled_from("abc"), max_size=12),
    st.lists(st.sampled_from("abc"), min_size=1, max_size=9),
    st.integers(2, 5),
    st.lists(st.sampled_from("abc"), max_size=12),
)
def test_a_planted_repetition_is_found_wherever_it_is(
    before: list[str], piece: list[str], times: int, after: list[str]
) -> None:
    segments = before + piece * times + after
    url = f"http://h/{'/'.join(segments)}"
    assert not Filter.parse(f"DuplicateSegmentsLessThan({times})").admits(url)
    more = times + 1
    assert Filter.parse(f"DuplicateSegmentsLessThan({more})").admits(url) != has_repeat(segments, more)


@pytest.mark.parametrize(
    ("path", "times"),
    [
        ("/", 0),
        ("/foo/bar/foo/bar/", 2),
        ("/foo/bar/foo/bar", 2),
        ("/foo/bar/foo/bar/foo", 2),
        ("/x/foo/bar/foo/bar/foo/bar/y", 3),
        ("/a/b/a/c/a/d", 1),
        ("/a/ab/a", 1),
        ("//a", 1),
        ("///a", 2),
        ("/a/a?/a/a/a/a", 2),
    ],
)
def test_segments_count_as_wholes_and_queries_not_at_all(path: str, times: int) -> None:
    url = f"http://h{path}"
    for limit in range(2, 5):
        assert Filter.parse(f"DuplicateSegmentsLessThan({limit})").admits(url) == (times < limit)


def test_a_long_path_costs_little_more_for_a_segment_than_a_short_one() -> None:
    # Thue's sequence over three letters has no square, and is the worst case for what tries all periods
    word = "a"
    while len(word) < 128_000:
        word = "".join({"a": "abc", "b": "ac", "c": "b"}[letter] for letter in word)
    filter = Filter.parse("DuplicateSegmentsLessThan(2)")

    def seconds(length: int) -> float:
        url = f"http://h/{'/'.join(word[:length])}"
        times = []
        for _ in range(5):
            start = time.thread_time()
            assert filter.admits(url)
            times.append(time.thread_time() - start)
        return min(times)

    # n log n gives 46, what tries all periods 1024
    assert seconds(128_000) < 250 * seconds(4_000)


# ---- functions of Python's


@given(
    st.lists(st.lists(st.integers(0, 3), max_size=4), min_size=1, max_size=4),
    st.lists(st.sets(st.integers(0, 3)), max_size=6),
)
def test_functions_are_asked_once_and_only_about_what_they_decide(
    clauses: list[list[int]], worlds: list[set[int]]
) -> None:
    # predicate N holds for URLs with N in their path; even ones are known to the core
    asked: list[tuple[str, list[str]]] = []

    def has(urls: list[str], number: str) -> list[bool]:
        asked.append((number, list(urls)))
        return [number in url for url in urls]

    def term(number: int) -> str:
        return f'URLMatchesRegex(".*{number}.*")' if number % 2 == 0 else f"Has({number})"

    text = " or ".join(
        f"({' and '.join(map(term, [*clause, clause[0]])) if clause else 'false'})" for clause in clauses
    )
    urls = [f"http://h/{place + 4}-{''.join(map(str, sorted(world)))}" for place, world in enumerate(worlds)]
    filter = Filter.parse(text, predicates={"Has": has})
    expected = [any(clause and set(clause) <= world for clause in clauses) for world in worlds]
    assert filter.admits_many(urls).tolist() == expected
    questions = [(number, url) for number, some in asked for url in some]
    assert len(questions) == len(set(questions)), "nobody is asked twice about the same"
    assert all(some for _, some in asked), "nobody is asked about nothing"
    for url, world in zip(urls, worlds, strict=True):
        if any(clause and set(clause) <= {0, 2} & world for clause in clauses):
            assert all(url != other for _, other in questions), "what the core can tell is not asked"


def test_a_function_sees_responses_where_there_are_some() -> None:
    def is_long(batch: list[Response], length: str) -> list[bool]:
        return [len(response.body) > int(length) for response in batch]

    filter = Filter.parse("StatusIs(200) and IsLong(2)", "store", predicates={"IsLong": is_long})
    long, short = Response(url="http://a/", body=b"abc"), Response(url="http://a/", body=b"a")
    assert filter.admits("http://a/", response=long)
    assert not filter.admits("http://a/", response=short)


def test_a_function_that_fails_or_answers_too_little_is_heard_of() -> None:
    def fail(batch: list[str]) -> list[bool]:
        raise RuntimeError("no idea")

    with pytest.raises(RuntimeError, match="no idea"):
        Filter.parse("Fail()", predicates={"Fail": fail}).admits("http://a/")
    silent = Filter.parse("Silent(1)", predicates={"Silent": lambda batch, _: batch[1:]})
    with pytest.raises(ValueError, match=r"Silent\(1\) gave 0 answers for a batch of 1"):
        silent.admits("http://a/")


def test_a_score_of_spam_is_compared_with_the_limit() -> None:
    def score(batch: list[Response]) -> list[float]:
        return [len(response.body) / 10 for response in batch]

    filter = Filter.parse("SpamScoreBelow(0.5)", "store", predicates={"SpamScore": score})
    bodies = [b"a" * length for length in (4, 5, 6)]
    batch = [Response(url="http://a/", body=body) for body in bodies]
    assert filter.admits_many(["http://a/"] * 3, responses=batch).tolist() == [True, False, False]


def test_rules_of_dust_come_as_a_list_or_as_a_function() -> None:
    urls = ["http://a/index.html", "http://a/", "http://a/?sid=1f"]
    rules = [("/index[.]html$", "/"), ("[?]sid=[0-9a-f]+", "")]

    def rewrite(batch: list[str]) -> list[str]:
        return [url.replace("index.html", "").partition("?sid=")[0] for url in batch]

    for given_rules in (rules, rewrite):
        filter = Filter.parse("DustFree()", predicates={"DustRules": given_rules})
        assert filter.admits_many(urls).tolist() == [False, True, False]
    assert Filter.parse("DustFree", predicates={"DustRules": rules}).asked == ()
    assert Filter.parse("DustFree", predicates={"DustRules": []}).admits(urls[0])


# ---- odd input


@given(st.text(max_size=30), st.none() | st.text(max_size=30))
def test_any_text_for_a_url_gets_an_answer(url: str, source: str | None) -> None:
    leaves = ["SameHost", "SameDomain", "HostEndsWithOneOf(a, .b, c, d, e)", "DuplicateSegmentsLessThan(2)"]
    leaves += ["NoMoreSlashThan(1)", "PathEndsWithOneOf(a, ü)", "HasNoQuery", "DomainEquals(a.b)"]
    for text in leaves:
        assert Filter.parse(text).admits(url, source) in (True, False)


def test_hosts_are_read_without_ports_and_addresses_with_brackets() -> None:
    filter = Filter.parse('HostOneOf("[2001:db8::1]", 192.0.2.1, a.example)')
    urls = [
        "http://[2001:db8::1]:8080/",
        "http://[2001:db8::1]/",
        "http://192.0.2.1:81/",
        "http://a.example?b",
    ]
    assert filter.admits_many(urls).tolist() == [True] * 4
    assert not filter.admits("http://[2001:db8::2]:1/")


def test_a_program_that_makes_no_sense_is_refused() -> None:
    for program in ("", "and 2\ntrue", "true\nfalse", "what", "size\tx", "not\n" * 5000):
        with pytest.raises(ValueError):  # noqa: PT011 (whatever it says, users never see it)
            core.Filter(program)


def test_lists_of_unequal_length_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="depths: expected one for each of 1 URLs, got 2"):
        Filter.parse("true").admits_many(["http://a/"], depths=[1, 2])


def test_half_a_surrogate_pair_is_pointed_at() -> None:
    with pytest.raises(FilterError, match="column 12: half a surrogate pair"):
        Filter.parse("HostEquals(\ud800)")
