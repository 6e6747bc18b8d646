"""Results of long checks in the page about trust."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.endurance import kill
from tests.endurance.page import PAGE, to_table, write_section

if TYPE_CHECKING:
    from pathlib import Path


def test_a_check_replaces_what_stands_between_its_marks_and_nothing_else(tmp_path: Path) -> None:
    page = tmp_path / "trust.md"
    page.write_text(
        "# Trust\n<!-- a: begin -->\nold\n<!-- a: end -->\n<!-- b: begin -->\nb\n<!-- b: end -->\n"
    )
    table = to_table(("kind", "tried"), [("deleted", 1200)], numbers=[1])
    write_section("a", table, page)
    write_section("a", table, page)
    assert page.read_text() == (
        "# Trust\n<!-- a: begin -->\n| kind | tried |\n|---|--:|\n| deleted | 1,200 |\n<!-- a: end -->\n"
        "<!-- b: begin -->\nb\n<!-- b: end -->\n"
    )
    with pytest.raises(ValueError, match="not enough values"):
        write_section("c", table, page)


def test_the_page_has_a_section_with_results_for_each_check() -> None:
    text = PAGE.read_text()
    for name in ("kill", "hostile", "fuzz", "files", "server", "filters", "damage"):
        [found] = re.findall(f"<!-- {name}: begin -->\n(.*?)<!-- {name}: end -->", text, re.DOTALL)
        assert re.search(r"\d", found), name


def test_the_table_of_killed_crawls_has_a_row_per_kind() -> None:
    results = [{"kind": kind, "ends": 50, "crawls": 2} for kind in kill.KINDS]
    assert kill.to_section(results).count("| 50 | 2 | 0 |") == len(kill.KINDS)
