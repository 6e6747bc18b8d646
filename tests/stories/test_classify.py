"""`webstrata classify`, as typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.classify.web import make_web
from webstrata.cli import run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def place(tmp_path: Path) -> str:
    make_web(tmp_path / "uk")
    return str(tmp_path / "uk")


def test_what_is_wrong_is_said_in_a_sentence(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    def refused(*words: str) -> str:
        assert run(["classify", "features", place, *words]) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        return said

    assert "C is no feature set; known are" in refused("2026-06", "--sets", "C")
    assert "ngram is 1, and must be between 2 and 8" in refused("2026-06", "--ngram", "1")
    assert "2026-07" in refused("2026-07")
