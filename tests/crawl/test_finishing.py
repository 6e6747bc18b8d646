"""Crawls and ingests killed in their last step are finished by the same command."""

from __future__ import annotations

import json
import shutil
import signal
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from webstrata.crawl.ending import SETTLED, missing_parts
from webstrata.store.build import PARSED, UNPARSED

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stories.conftest import Command

CRAWL = ("crawl", "uk", "2026-06", "--invitro", "tiny", "--invitro-seed", "7", "--max-crawl-delay", "20ms")
KILLED = -signal.SIGKILL


def parts(folder: Path) -> set[str]:
    return {record.name for record in ws.open(folder / "uk")["2026-06"].parts}


@pytest.mark.parametrize(
    ("plan", "left"),
    [
        (f"crash at={SETTLED}", set()),
        # the parts before them pass this point four times
        pytest.param("crash at=build.named after=4", {"text"}, marks=pytest.mark.long),
    ],
)
def test_a_crawl_killed_while_it_parses_is_finished_by_the_same_command(
    webstrata: Command, tmp_path: Path, plan: str, left: set[str]
) -> None:
    webstrata("new", "uk")
    assert webstrata(*CRAWL, faults=plan).returncode == KILLED
    assert parts(tmp_path) >= set(UNPARSED)
    assert not set(PARSED) <= parts(tmp_path)
    snapshot = ws.open(tmp_path / "uk")["2026-06"]
    assert set(missing_parts(snapshot)) >= set(PARSED) - left - {"links"}
    again = webstrata(*CRAWL)
    assert again.returncode == 0, again.stderr
    assert "were missing or stale after the crawl and are built now" in again.stdout
    assert set(PARSED) <= parts(tmp_path)
    assert webstrata("check", "uk").returncode == 0
    done = json.loads(webstrata(*CRAWL, "--json").stdout)
    assert done == {"finished": True, "built": []}


def test_a_crawl_without_parsing_owes_no_parts(webstrata: Command, tmp_path: Path) -> None:
    webstrata("new", "uk")
    assert webstrata(*CRAWL, "--no-parse-pages").returncode == 0
    again = webstrata(*CRAWL, "--no-parse-pages")
    assert (again.returncode, again.stdout) == (0, "uk 2026-06 is finished; --again crawls it again.\n")
    assert not set(PARSED) & parts(tmp_path)
    # now it is asked for them
    assert webstrata(*CRAWL).returncode == 0
    assert set(PARSED) <= parts(tmp_path)


@pytest.mark.long
def test_a_run_killed_while_its_crawl_parses_builds_what_is_missing(
    webstrata: Command, tmp_path: Path
) -> None:
    webstrata("new", "uk")
    words = ("run", "uk", "--snapshots", "2026-06", "--invitro", "tiny", "--last", "graph")
    assert webstrata(*words, faults=f"crash at={SETTLED}").returncode == KILLED
    again = webstrata(*words)
    assert again.returncode == 0, again.stderr
    assert {*PARSED, "graph"} <= parts(tmp_path)


def test_an_ingest_killed_in_its_last_step_is_finished_by_the_same_command(
    webstrata: Command, tmp_path: Path
) -> None:
    (tmp_path / "site").mkdir()
    for number in range(5):
        (tmp_path / "site" / f"{number}.html").write_text(f"<title>{number}</title><a href='0.html'>home</a>")
    words = ("ingest", "uk", "2026-06", "site", "--base-url", "http://a.uk/")
    for passes in range(4, 7):
        shutil.rmtree(tmp_path / "uk", ignore_errors=True)
        webstrata("new", "uk")
        killed = webstrata(*words, faults=f"crash at=build.begun after={passes}")
        assert killed.returncode == KILLED, killed.stderr
        assert not set(PARSED) <= parts(tmp_path)
        left_out = webstrata("run", "uk", "--last", "graph")
        assert "an ingest into it was interrupted" in left_out.stdout + left_out.stderr
        again = webstrata(*words)
        assert again.returncode == 0, again.stderr
        assert set(PARSED) <= parts(tmp_path)
        assert webstrata("check", "uk").returncode == 0
