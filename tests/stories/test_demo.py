"""`webstrata demo`, as typed."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import pytest

from tests.stories.conftest import assert_refused, picture
from webstrata.cli.demo import _compare
from webstrata.collection import Collection

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stories.conftest import Command


@pytest.mark.parametrize("preset", ["tiny", pytest.param("small", marks=pytest.mark.slow)])
def test_the_demo_is_made_again_and_ends_by_saying_what_to_try_next(
    webstrata: Command, tmp_path: Path, preset: str
) -> None:
    webstrata("new", "webstrata-demo/web", "2025-12", "--title", "webstrata demo")
    done = webstrata("demo", "--preset", preset)
    assert done.returncode == 0, done.stderr
    assert "$ webstrata new webstrata-demo/web" in done.stdout
    assert done.stdout.count("\nPolite.\n") == 2
    nodes = {"tiny": "244", "small": "2,505"}[preset]
    assert f"2026-02: the crawl found the {nodes} nodes of the truth, and no other." in done.stdout
    assert (
        len(
            re.findall(
                r"2026-0.: the [\d,]+ arcs of its graph are those of the truth, and no other.", done.stdout
            )
        )
        == 2
    )
    plots = {path.name for path in (tmp_path / "webstrata-demo" / "plots").iterdir()}
    assert {"describe.html", "stats.html"} <= plots
    tries = done.stdout.partition("try next")[2].splitlines()[1:]
    assert "the union of 2 snapshots has " in done.stdout
    assert len(tries) == 8
    for line in tries:
        # the crawler was polite by the delays of this web, and not by those of the open one
        assert webstrata(*shlex.split(line)[1:]).returncode == ("--host-delay" in line), line
    labels = [snapshot.label for snapshot in Collection.open(tmp_path / "webstrata-demo" / "web")]
    assert labels == ["2026-01", "2026-02", "2026-03", "2026-04"]


def test_pages_that_the_crawl_missed_or_made_up_are_counted(
    webstrata: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    webstrata("new", "web")
    words = ["--invitro", "tiny", "--invitro-seed", "7", "--limit", "20", "--month", "1"]
    done = webstrata("crawl", "web", "2026-01", *words)
    assert done.returncode == 0, done.stderr
    assert not _compare(tmp_path / "web", "2026-01", "tiny")
    assert re.search(r"missed \d+ nodes of the truth, and \d+ of its own are none", capsys.readouterr().out)


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
