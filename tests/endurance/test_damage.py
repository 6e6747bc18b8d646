"""A sample of damaged parts, read by real commands; `python -m tests.endurance.damage` has all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.endurance.damage import Damage, make, sample, try_all
from tests.once import make_once

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def damage(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Damage:
    return Damage(make_once(tmp_path_factory, "damage", make), tmp_path / "copies")


def assert_answered(damage: Damage, number: int, seed: int) -> None:
    """No defects; what is not noticed is damage in files that are too large to be compared when opened."""
    damage.learn()
    outcomes = try_all(damage, sample(damage.cases(), number, seed))
    assert len(outcomes) == number
    assert [f"{each.case}: {each.said}" for each in outcomes if each.kind == "defect"] == []
    unnoticed = [each.case for each in outcomes if each.kind == "unnoticed"]
    assert [str(case) for case in unnoticed if not case.large] == []
    sizes = ("truncated", "missing", "grown", "deleted", "directory")
    assert [str(case) for case in unnoticed if any(word in case.damage for word in sizes)] == []


@pytest.mark.long
def test_sixty_damaged_parts_are_refused_in_one_sentence_or_do_not_matter(damage: Damage) -> None:
    quick = (
        "get ",
        "ls ",
        "diff ",
        "history ",
        "graph links",
        "graph stats",
        "rank ",
        "plane ",
        "table ",
        "summaries s",
    )
    damage.verbs = {verb: words for verb, words in damage.verbs.items() if verb.startswith(quick)}
    assert_answered(damage, 60, seed=1)


@pytest.mark.slow
def test_six_hundred_damaged_parts_are_refused_in_one_sentence_or_do_not_matter(damage: Damage) -> None:
    assert_answered(damage, 600, seed=2)
