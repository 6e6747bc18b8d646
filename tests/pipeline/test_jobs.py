"""A job is due for a reason that can be named, or it is fresh, or it says why it cannot be done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import webstrata as ws
from webstrata.graph.settings import GraphSettings
from webstrata.pipeline.jobs import Job, decide, decide_all

if TYPE_CHECKING:
    from pathlib import Path

NAMES: dict[str, Any] = {"parts": ("2026-06/graph",), "inputs": ("2026-06/links",)}


@pytest.fixture
def uk(tmp_path: Path) -> ws.Collection:
    collection = ws.create(tmp_path / "uk")
    write(collection, "links", "one")
    with collection["2026-06"].write_part("graph", settings=GraphSettings(), inputs=("links",)) as build:
        (build.path / "a").touch()
    return collection


def write(collection: ws.Collection, part: str, text: str) -> None:
    with collection.add("2026-06").write_part(part) as build:
        (build.path / "a").write_text(text)


def why(job: Job, collection: ws.Collection, *coming: str) -> tuple[str, str]:
    found = decide(job, collection.states(), coming)
    return found.state, found.why


def make(**values: Any) -> Job:  # noqa: ANN401
    return Job("2026-06/graph", print, **(NAMES | values))


def test_a_part_is_fresh_stale_or_made_with_other_settings(uk: ws.Collection) -> None:
    assert why(make(), uk) == ("fresh", "")
    assert why(make(), uk, "2026-06/links") == ("due", "2026-06/links is built again")
    uk.remember(GraphSettings, {"memory": "64MiB"})  # a resource
    assert why(make(), uk) == ("fresh", "")
    uk.remember(GraphSettings, {"window": 3})
    assert why(make(), uk) == ("due", "window was 7, is 3")
    uk.remember(GraphSettings, {"window": 7})
    write(uk, "links", "one")  # the same bytes
    assert why(make(), uk) == ("fresh", "")
    write(uk, "links", "two")
    assert why(make(), uk) == ("due", "2026-06/links changed since")


def test_what_lacks_an_input_is_left_out_unless_it_is_done_already(uk: ws.Collection) -> None:
    uk["2026-06"].parts.remove("links")
    assert why(make(), uk) == ("left out", "2026-06/links is missing")
    assert why(make(), uk, "2026-06/links") == ("due", "2026-06/links changed since")
    assert why(make(fresh=True), uk) == ("fresh", "")
    assert why(make(parts=("2026-06/other",), refusal="no time"), uk) == ("left out", "no time")
    assert why(make(inputs=(), due="parts changed"), uk) == ("due", "parts changed")


def test_what_an_earlier_job_builds_is_neither_missing_nor_built_twice(uk: ws.Collection) -> None:
    jobs = [
        Job("crawl", print, parts=("2026-07/links", "2026-07/text")),
        Job("store", print, parts=("2026-07/links",), inputs=("2026-07/text",)),
        Job("graph", print, parts=("2026-07/graph",), inputs=("2026-07/links",)),
    ]
    assert [found.state for found in decide_all(jobs, uk.states(), set())] == ["due", "fresh", "due"]
