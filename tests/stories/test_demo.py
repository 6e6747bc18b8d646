"""`webstrata demo`, as typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.stories.conftest import assert_refused, picture
from webstrata.collection import Collection

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stories.conftest import Command


def test_the_demo_runs_twice_and_ends_by_saying_what_to_try_next(webstrata: Command, tmp_path: Path) -> None:
    webstrata("demo")
    done = webstrata("demo")  # a demo that is there already is made again
    assert done.returncode == 0, done.stderr
    assert "$ webstrata new webstrata-demo/web" in done.stdout
    tries = done.stdout.partition("try next")[2].splitlines()[1:]
    assert len(tries) == 5
    for line in tries:
        # the visitor was polite by the demo's delays, and not by those of the open web
        assert webstrata(*line.split()[1:]).returncode == ("--host-delay" in line), line
    assert [snapshot.label for snapshot in Collection.open(tmp_path / "webstrata-demo" / "web")][
        -1
    ] == "2026-04"
    assert (tmp_path / "webstrata-demo" / "plots" / "describe.html").is_file()


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
