"""`webstrata demo`, as typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.stories.conftest import assert_refused, picture

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stories.conftest import Command
    from webstrata.collection import Collection


def test_the_demo_runs_and_ends_by_saying_what_to_try_next(webstrata: Command, tmp_path: Path) -> None:
    done = webstrata("demo")
    assert (done.returncode, done.stderr) == (0, "")
    assert "$ webstrata new webstrata-demo" in done.stdout
    assert "Try next" in done.stdout
    tries = done.stdout.partition("Try next")[2].splitlines()[1:]
    for line in tries:
        assert webstrata(*line.split()[1:]).returncode == 0, line
    assert (tmp_path / "webstrata-demo" / "collection.toml").is_file()


def test_a_demo_that_is_there_is_made_again(webstrata: Command) -> None:
    assert webstrata("demo", "--into", "try").returncode == 0
    assert webstrata("demo", "--into", "try").returncode == 0


def test_anything_else_that_is_there_is_left_alone(
    webstrata: Command, uk: Collection, tmp_path: Path
) -> None:
    (tmp_path / "mine").mkdir()
    before = picture(tmp_path)
    for place in ("uk", "mine", "uk/collection.toml"):
        assert_refused(webstrata("demo", "--into", place), f"{place}: something else is here already")
    assert picture(tmp_path) == before
    assert len(uk) == 2


def test_a_step_that_fails_ends_the_demo_with_its_exit_code(webstrata: Command) -> None:
    done = webstrata("demo", faults="no-space")
    assert_refused(done, "no space left to write")
