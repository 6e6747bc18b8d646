"""Numbers in sentences, and that commands say them with it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from webstrata.collection.sentences import tell_count, tell_plural

CLI = Path(__file__).parents[2] / "src" / "webstrata" / "cli"


@pytest.mark.parametrize(
    ("number", "told"), [(0, "0 pages"), (1, "1 page"), (2, "2 pages"), (1_000_000, "1,000,000 pages")]
)
def test_only_one_thing_is_told_in_the_singular(number: int, told: str) -> None:
    assert tell_count(number, "page") == told


def test_a_plural_of_its_own_stands_for_all_but_one() -> None:
    assert [tell_count(number, "query", "queries") for number in range(3)] == [
        "0 queries",
        "1 query",
        "2 queries",
    ]


def test_commands_count_hosts_pages_and_snapshots_with_it() -> None:
    # a rate is no count
    pattern = re.compile(
        r'"[^"\n]*\{[^{}]*\} (?:hosts|pages|snapshots|captures|segments|files|links)\b(?!/s)'
    )
    plain = [
        f"{path.relative_to(CLI)}: {match[0]}"
        for path in sorted(CLI.rglob("*.py"))
        for match in pattern.finditer(path.read_text())
    ]
    assert not plain, f"write {{tell_count(number, 'host')}} in place of {{number}} hosts: {plain}"


@pytest.mark.parametrize(
    ("number", "plural", "told"),
    [(1, "policies", "1 policy"), (2, "policies", "2 policies"), (1, "link_instances", "1 link_instance")],
)
def test_the_singular_is_found_in_the_plural(number: int, plural: str, told: str) -> None:
    assert tell_plural(number, plural) == told
