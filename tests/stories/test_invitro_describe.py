"""`webstrata invitro describe`, as users meet it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.stories.conftest import assert_refused

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stories.conftest import Command


def test_a_web_is_described_in_tables(webstrata: Command) -> None:
    # without a corpus to compare with, the figures of one that was are shown
    nothing = {"WEBSTRATA_CORPUS": "", "WEBSTRATA_TEST_DATA": ""}
    done = webstrata("invitro", "describe", "--preset", "small", "--seed", "7", **nothing)
    assert done.returncode == 0, done.stderr
    for text in (
        "Settings, and what was found",
        "out_exponent",
        "bits per link",
        "Overlap of static URLs",
        "cnr-2000",
        "91 real articles",
        "Events",
        "robots.txt",
    ):
        assert text in done.stdout, text
    assert "OUTSIDE" not in done.stdout
    assert "nan" not in done.stdout.split()


def test_a_web_is_described_as_one_document_with_pictures(webstrata: Command, tmp_path: Path) -> None:
    done = webstrata(
        "invitro",
        "describe",
        "--preset",
        "tiny",
        "--seed",
        "7",
        "--month",
        "2",
        "--json",
        "--plots",
        "pictures",
    )
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["month"] == 2
    assert len(document["months"]) == 3
    assert document["plots"][-1] == "pictures/describe.html"
    for path in document["plots"]:
        assert (tmp_path / path).stat().st_size > 1000


def test_the_paper_stands_beside_a_web_that_imitates_it(webstrata: Command) -> None:
    done = webstrata("invitro", "describe", "--preset", "uk-2007", "--sample", "5000")
    assert done.returncode == 0, done.stderr
    assert "that of TIME, table 2" in done.stdout
    assert "Mean deviation" in done.stdout
    assert "A web of the same kind as one of 250,000 pages" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--preset", "clean"], "--sample 200000"),
        (["--preset", "tiny", "--month", "9"], "month 9 is out of range"),
        (["--preset", "tiny", "--sample", "0"], "--sample"),
        (["--preset", "tiny", "--corpus", "nowhere"], "nowhere"),
        (["--preset", "tiny", "--corpus", "."], "no .html"),
        (["--preset", "tiny", "--plots", "file"], "file"),
    ],
)
def test_what_cannot_be_described_is_refused(
    webstrata: Command, tmp_path: Path, words: list[str], message: str
) -> None:
    (tmp_path / "file").write_text("")
    assert_refused(webstrata("invitro", "describe", *words), message)
