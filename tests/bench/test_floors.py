"""Floors are read as their format says, and a quality that falls below one is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bench.floors import read_floors, require
from bench.frame import BenchError

if TYPE_CHECKING:
    from pathlib import Path

DIGEST = "sha256:" + "ab" * 32
SAMPLE = f"""
[graph-bits-per-link]
what = "Bits per link"
floor = 2
better = "less"
unit = "bits"
input = "{DIGEST}"

[spam-auc]
what = "AUC of the spam ensemble"
floor = 0.9
better = "more"
unit = ""
input = "{DIGEST}"
"""


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    file = tmp_path / "floors.toml"
    file.write_text(SAMPLE)
    return file


def test_the_floors_of_the_project_are_as_their_format_says() -> None:
    for name, floor in read_floors().items():
        assert floor.what, f"bench/floors.toml, [{name}]: say in `what` what the number is"


def test_floors_are_read(sample: Path) -> None:
    floors = read_floors(sample)
    assert floors["graph-bits-per-link"].floor == 2.0
    assert floors["spam-auc"].better == "more"


def test_a_quality_at_its_floor_is_good_enough(sample: Path) -> None:
    assert require("graph-bits-per-link", 2.0, DIGEST, file=sample).unit == "bits"
    assert require("spam-auc", 0.95, DIGEST, file=sample).unit == ""


@pytest.mark.parametrize(
    ("name", "measured", "digest", "sentence"),
    [
        ("graph-bits-per-link", 2.1, DIGEST, "Bits per link: 2.1 bits is above the floor of 2"),
        ("spam-auc", 0.8, DIGEST, "AUC of the spam ensemble: 0.8 .* is below the floor of 0.9"),
        ("spam-auc", 0.95, "sha256:" + "00" * 32, "the floor belongs to sha256:abab"),
        ("spam-f1", 0.95, DIGEST, "no floor spam-f1 .floors: graph-bits-per-link, spam-auc."),
    ],
)
def test_what_misses_a_floor_is_said(
    sample: Path, name: str, measured: float, digest: str, sentence: str
) -> None:
    with pytest.raises(BenchError, match=sentence):
        require(name, measured, digest, file=sample)


@pytest.mark.parametrize(
    ("line", "damaged", "sentence"),
    [
        ("floor = 2", 'floor = "two"', "`floor` is 'two', and a number was expected"),
        ('better = "less"', 'better = "up"', "less or more was expected"),
        ('unit = "bits"', "", "expected are exactly better, floor, input, unit, what"),
        (f'input = "{DIGEST}"', 'input = "sha256:12"', "`input` is no digest"),
        ("[graph-bits-per-link]", "[Graph]", "lower-case words joined by `-`"),
        ("floor = 2", "floor = ", "this is not TOML"),
    ],
)
def test_a_damaged_floor_is_refused_with_one_sentence(
    sample: Path, line: str, damaged: str, sentence: str
) -> None:
    sample.write_text(SAMPLE.replace(line, damaged, 1))
    with pytest.raises(BenchError, match=sentence):
        read_floors(sample)
