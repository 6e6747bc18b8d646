"""The table of stages: every room has its entry, and each entry names what it reads and gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import webstrata as ws
from tests.serve.conftest import CONFIG
from webstrata.serve.pipeline.context import Context
from webstrata.serve.pipeline.stages import STAGES

if TYPE_CHECKING:
    from pathlib import Path


def test_stages_come_after_those_that_give_what_they_read(whole: Path) -> None:
    context = Context(ws.open(whole), CONFIG)
    given: set[str] = set()
    for stage in STAGES.values():
        for job in stage.list_jobs(context):
            lacking = [name for name in job.inputs if name not in given]
            assert not lacking, f"{stage.name} needs {lacking} before any stage gives it"
            given |= set(job.parts)
            assert job.command.startswith("webstrata ")
    # there are no labels to learn from
    assert given - set(context.collection.states()) == {"2026-02/sheet-experiment"}


def test_crawls_are_simulated_only_if_something_is_looked_for(whole: Path) -> None:
    context = Context(ws.open(whole))
    (job,) = STAGES["simulate"].list_jobs(context)
    assert job.refusal.startswith("nothing says what is looked for; name `relevant`")


def test_a_spectrum_of_a_large_graph_must_be_asked_for(copied: ws.Collection) -> None:
    with copied["2026-02"].build("graph") as build:
        (build.path / "a").touch()
        build.count(nodes=50_000_000)
    *small, last, inverse = STAGES["spectrum"].list_jobs(Context(copied))
    assert "50,000,000 nodes take long" in last.refusal
    assert inverse.command.endswith("2026-02 --inverse")
    assert [job.refusal for job in small] == ["", ""]
    jobs = STAGES["spectrum"].list_jobs(Context(copied, {"spectrum": {"arnoldi": 100}}))
    assert {job.refusal for job in jobs} == {""}
