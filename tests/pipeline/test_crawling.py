"""Crawls of a pipeline: of seeds or in vitro, gone on with, and never of what has its pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from webstrata.collection.progress import Progress
from webstrata.errors import MissingError
from webstrata.pipeline.context import Context
from webstrata.pipeline.crawling import list_crawls
from webstrata.pipeline.jobs import decide_all

if TYPE_CHECKING:
    from pathlib import Path


def states(context: Context) -> list[tuple[str, str, str]]:
    decisions = decide_all(list_crawls(context), context.collection.states(), set())
    return [(found.job.name, found.state, found.why) for found in decisions]


def test_what_to_crawl_is_said_or_asked_for(tmp_path: Path) -> None:
    uk = ws.create(tmp_path / "uk")
    why = "no seeds to crawl from; set `seeds` in [run], or ingest pages"
    assert states(Context(uk, options={"snapshots": "2026-01"})) == [("2026-01/pages", "left out", why)]
    with uk.add("2026-02").write_part("graph") as build:  # of a dump, say
        (build.path / "a").touch()
    context = Context(uk, options={"snapshots": "2026-01,2026-02", "seeds": "seeds.txt"})
    assert states(context) == [("2026-01/pages", "due", "missing"), ("2026-02/pages", "fresh", "")]
    assert list_crawls(context)[0].action.command.endswith("2026-01 --seeds seeds.txt")


def test_a_crawl_that_cannot_begin_leaves_nothing_behind(tmp_path: Path) -> None:
    uk = ws.create(tmp_path / "uk")
    context = Context(uk, options={"snapshots": "2026-01", "seeds": str(tmp_path / "none.txt")})
    with pytest.raises(MissingError, match=r"none.txt: nothing there to read"):
        list_crawls(context)[0].build(Progress())
    assert uk.dates == []


def test_months_of_a_web_are_crawled_with_delays_that_fit_and_logged_for_the_judge(whole: Path) -> None:
    uk = ws.open(whole)
    context = Context(uk, options={"snapshots": "2026-01,2026-02", "invitro": "tiny", "invitro_seed": 7})
    assert [state for _, state, _ in states(context)] == ["fresh"] * 4
    for snapshot in uk:
        assert snapshot.working_folder("requests.log").is_file()
        assert "truth" in snapshot.parts
