"""A job is due for a reason that can be told, or it is fresh, or it says why it cannot be done."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from webstrata.graph.settings import GraphSettings
from webstrata.serve.pipeline.jobs import Job, decide, decide_all

if TYPE_CHECKING:
    from pathlib import Path

NAMES = {"parts": ("2026-06/graph",), "inputs": ("2026-06/links",)}


@pytest.fixture
def uk(tmp_path: Path) -> ws.Collection:
    collection = ws.create(tmp_path / "uk")
    write(collection, "links", "one")
    with collection["2026-06"].build("graph", settings=GraphSettings(), inputs=("links",)) as build:
        (build.path / "a").touch()
    return collection


def write(collection: ws.Collection, part: str, text: str) -> None:
    with collection.add("2026-06").build(part) as build:
        (build.path / "a").write_text(text)


def why(job: Job, collection: ws.Collection, *coming: str) -> tuple[str, str]:
    found = decide(job, collection.states(), coming)
    return found.state, found.why


def make(**values: object) -> Job:
    return Job("2026-06/graph", print, "webstrata graph build uk 2026-06", **(NAMES | values))  # type: ignore[arg-type]


def test_a_part_is_fresh_stale_or_made_with_other_settings(uk: ws.Collection) -> None:
    assert why(make(), uk) == ("fresh", "")
    assert why(make(settings=GraphSettings()), uk) == ("fresh", "")
    assert why(make(settings=GraphSettings(window=3)), uk) == ("due", "made with another window")
    assert why(make(settings=GraphSettings(window=3), heeded=("frontier",)), uk) == ("fresh", "")
    assert why(make(), uk, "2026-06/links") == ("due", "2026-06/links is renewed")
    write(uk, "links", "one")  # the same bytes
    assert why(make(), uk) == ("fresh", "")
    write(uk, "links", "two")
    assert why(make(), uk) == ("due", "older than 2026-06/links")


def test_what_lacks_an_input_is_left_out_unless_it_is_done_already(uk: ws.Collection) -> None:
    uk["2026-06"].parts.remove("links")
    assert why(make(), uk) == ("left out", "2026-06/links is not there")
    assert why(make(), uk, "2026-06/links") == ("due", "older than 2026-06/links")
    assert why(make(fresh=True), uk) == ("fresh", "")
    assert why(make(parts=("2026-06/other",), refusal="there is no time"), uk) == (
        "left out",
        "there is no time",
    )
    assert why(make(inputs=(), always="it is written each time"), uk) == ("due", "it is written each time")


def test_what_is_made_of_all_snapshots_is_due_when_there_is_another(uk: ws.Collection) -> None:
    inputs = ("2026-06/links", "2026-07/links")
    assert why(make(inputs=inputs, covers=True), uk, "2026-07/links") == ("due", "made without 2026-07/links")


def test_what_an_earlier_job_gives_is_neither_missing_nor_built_twice(uk: ws.Collection) -> None:
    jobs = [
        Job("crawl", print, "", ("2026-07/links", "2026-07/text")),
        Job("store", print, "", ("2026-07/links",), ("2026-07/text",)),
        Job("graph", print, "", ("2026-07/graph",), ("2026-07/links",)),
    ]
    assert [found.state for found in decide_all(jobs, uk.states(), set())] == ["due", "fresh", "due"]
