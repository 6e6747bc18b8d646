"""`webstrata run`, as typed."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

from tests.stories.conftest import assert_refused, picture

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stories.conftest import Command
    from webstrata.collection import Collection


def test_what_was_crawled_goes_through_the_rest_and_the_second_time_there_is_nothing_to_do(
    webstrata: Command, crawled_months: Path, tmp_path: Path
) -> None:
    shutil.copytree(crawled_months, tmp_path / "uk", symlinks=True)
    planned = webstrata("run", "uk", "--first", "rank", "--last", "time", "--dry-run")
    assert planned.returncode == 0, planned.stderr
    (line,) = [line for line in planned.stdout.splitlines() if " 2026-01/rank-pagerank " in line]
    assert line.split() == [
        "rank", "2026-01/rank-pagerank", "due", "missing", "webstrata", "build", "uk", "2026-01",
        "rank-pagerank", "rank-cheirank", "rank-2drank",
    ]  # fmt: skip
    done = webstrata("run", "uk", "--first", "rank", "--last", "time", "--off", "spectrum,simulate")
    assert done.returncode == 0, done.stderr
    assert "[1/2] rank: 2 built in " in done.stderr
    assert "Switched off: spectrum, simulate." in done.stdout
    again = webstrata(
        "run", "uk", "--first", "rank", "--last", "time", "--off", "spectrum,simulate", "--json"
    )
    assert again.returncode == 0, again.stderr
    found = json.loads(again.stdout)
    assert {stage["stage"]: (stage["built"], stage["fresh"]) for stage in found["stages"]} == {
        "rank": (0, 2),
        "temporal": (0, 1),
    }


def test_a_dry_run_touches_nothing(webstrata: Command, uk: Collection, tmp_path: Path) -> None:
    before = picture(tmp_path)
    done = webstrata("run", "uk", "--dry-run", "--json")
    assert done.returncode == 0, done.stderr
    states = {step["what"]: (step["state"], step["why"]) for step in json.loads(done.stdout)["plan"]}
    assert states["2026-05/pages"][0] == "left out"
    assert states["2026-06/graph"] == ("fresh", "")
    assert states["2026-05/graph"] == ("left out", "2026-05/links is missing")
    assert picture(tmp_path) == before


def test_mistakes_are_told_in_a_sentence(webstrata: Command, uk: Collection, tmp_path: Path) -> None:
    assert_refused(
        webstrata("run", "uk", "--first", "grahp"), r"--first: grahp is not a stage \(did you mean graph\?\)"
    )
    assert_refused(webstrata("run", "uk", "--config", "none.toml"), r"none.toml: nothing there to read")
    (tmp_path / "uk.toml").write_text("[run]\nseed = 'a'\n")
    assert_refused(
        webstrata("run", "uk", "--config", "uk.toml"), r"uk.toml, \[run\]: seed is not a setting of \[run\]"
    )
    assert_refused(webstrata("run", "uk", "--snapshots", "soon"), "snapshot 'soon': not a date")


def test_an_untouched_collection_has_nothing_to_do_without_the_file_of_its_run(
    webstrata: Command, crawled_months: Path, tmp_path: Path
) -> None:
    shutil.copytree(crawled_months, tmp_path / "uk", symlinks=True)
    (tmp_path / "demo.toml").write_text("[temporal]\nby = 'canonical'\n")
    stages = ["--first", "graph", "--last", "temporal", "--off", "rank,spectrum,simulate,classify,summaries"]
    done = webstrata("run", "uk", "--config", "demo.toml", *stages, "-q")
    assert done.returncode == 0, done.stderr
    assert webstrata("run", "uk", "--dry-run", *stages).stdout.startswith("0 of ")
    # a plain command keeps the settings, and another one says what it replaces before it starts
    assert "replacing" not in webstrata("align", "uk").stderr
    replaced = webstrata("align", "uk", "--by", "static").stderr.splitlines()
    assert replaced[0] == "replacing the stored temporal: by was canonical, is static"
    assert webstrata("run", "uk", "--dry-run", *stages).stdout.startswith("0 of ")
