"""The table of predicates: complete, in order, with examples that work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawl.filters.reference import ARGUMENTS, RESPONSE_ARGUMENTS
from webstrata.crawl.filters import PLACES, PREDICATES, Filter
from webstrata.crawl.filters.predicates import describe_predicates
from webstrata.errors import FilterError

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.crawl.filters.compile import Functions

BUBING = [
    "ContentTypeStartsWith",
    "DigestEquals",
    "DuplicateSegmentsLessThan",
    "HostEndsWith",
    "HostEndsWithOneOf",
    "HostEquals",
    "IsHttpResponse",
    "IsProbablyBinary",
    "PathEndsWithOneOf",
    "ResponseMatches",
    "SameHost",
    "SchemeEquals",
    "StatusCategory",
    "URLEquals",
    "URLMatchesRegex",
    "URLShorterThan",
]
GIVEN: Functions = {"SpamScore": lambda batch: [0.0] * len(batch), "DustRules": []}


def test_all_of_bubing_and_of_the_paper_are_there() -> None:
    assert sorted(name for name, row in PREDICATES.items() if row.origin == "BUbiNG") == BUBING
    assert [name for name, row in PREDICATES.items() if row.origin == "paper"] == [
        "ForbiddenHost",
        "NoMoreSlashThan",
    ]


def test_they_are_sorted_and_each_has_a_sentence() -> None:
    assert list(PREDICATES) == sorted(PREDICATES)
    for name, row in PREDICATES.items():
        assert row.name == name
        assert row.meaning.endswith("."), name
        assert name in row.example


def test_each_is_compared_with_plain_python_or_tested_by_itself() -> None:
    by_itself = {"AllowedHost", "ForbiddenHost", "DustFree", "SpamScoreBelow"}
    assert set(PREDICATES) == {*ARGUMENTS, *RESPONSE_ARGUMENTS, *by_itself}


@pytest.mark.parametrize("name", PREDICATES)
def test_its_example_is_read_where_it_may_stand_and_refused_elsewhere(name: str, tmp_path: Path) -> None:
    (tmp_path / "hosts.txt").write_text("a.example\n")
    (tmp_path / "more-hosts.txt").write_text("b.example\n")
    (tmp_path / "rules.txt").write_text("/index[.]html$ -> /\n")
    row = PREDICATES[name]
    assert row.places
    for place in PLACES:
        if place in row.places:
            assert Filter.parse(row.example, place, predicates=GIVEN, folder=tmp_path).program
        else:
            with pytest.raises(FilterError, match=f"{name} looks at .*the {place} filter"):
                Filter.parse(row.example, place, predicates=GIVEN, folder=tmp_path)


def test_predicates_over_responses_may_not_stand_before_there_is_one() -> None:
    assert {name for name, row in PREDICATES.items() if "fetch" not in row.places} == {
        *RESPONSE_ARGUMENTS,
        "SameHost",
        "SameDomain",
        "SpamScoreBelow",
    }


def test_the_description_names_all_with_their_places() -> None:
    rows = describe_predicates()
    assert len(rows) == len(PREDICATES)
    assert ("IsDuplicate()", "follow, store", PREDICATES["IsDuplicate"].meaning) in rows
