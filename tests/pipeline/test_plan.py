"""Stages and jobs follow from the declarations of parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import webstrata as ws
from tests.serve.conftest import CONFIG
from webstrata.pipeline.context import Context
from webstrata.pipeline.jobs import decide
from webstrata.pipeline.plan import list_stages

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.pipeline.jobs import Job


def list_sheets(context: Context) -> list[Job]:
    return list_stages()["sheets"].list_jobs(context)


def test_stages_come_after_those_that_build_what_they_read(whole: Path) -> None:
    context = Context(ws.open(whole), CONFIG)
    given: set[str] = set()
    for stage in list_stages().values():
        for job in stage.list_jobs(context):
            lacking = [name for name in job.inputs if name not in given]
            assert not lacking, f"{stage.name} needs {lacking} before any stage builds it"
            given |= set(job.parts)
            assert job.action.command.startswith("webstrata ")
    # there are no labels to learn from
    assert given - set(context.states()) == {"2026-02/sheet-experiment"}


def test_crawls_are_simulated_only_if_relevant_pages_are_named(copied: ws.Collection) -> None:
    settings = copied.path / "collection.toml"
    settings.write_text(settings.read_text().replace('relevant = "topic:1"', ""))
    (job,) = list_stages()["simulate"].list_jobs(Context(ws.open(copied.path)))
    assert job.refusal.startswith("no relevant pages are named; set `relevant`")


def test_a_spectrum_of_a_large_graph_must_be_asked_for(copied: ws.Collection) -> None:
    with copied["2026-02"].write_part("graph") as build:
        (build.path / "a").touch()
        build.count(nodes=50_000_000)
    jobs = {job.name: job for job in list_stages()["spectrum"].list_jobs(Context(copied))}
    assert "50,000,000 nodes take long" in jobs["2026-02/spectrum"].refusal
    assert jobs["2026-02/spectrum-inverse"].action.command.endswith("2026-02 spectrum-inverse")
    assert jobs["2026-01/spectrum"].refusal == ""
    copied.remember(type(Context(copied).settings(_spectrum())), {"arnoldi": 100})
    assert {job.refusal for job in list_stages()["spectrum"].list_jobs(Context(copied))} == {""}


def _spectrum() -> type:
    from webstrata.rank.spectra.settings import SpectrumSettings

    return SpectrumSettings


def test_other_queries_make_the_sheet_of_answers_due_and_no_other(whole: Path) -> None:
    uk = ws.open(whole)
    context = Context(uk, CONFIG)
    assert [decide(job, context.states()).state for job in list_sheets(context)].count("due") == 0
    asked = Context(uk, CONFIG, options={"queries": "flood"})
    due = [
        found for found in (decide(job, asked.states()) for job in list_sheets(asked)) if found.state == "due"
    ]
    assert [(found.job.name, found.why) for found in due] == [
        ("/sheet-changes", "queries was not set, is flood")
    ]


def test_where_nothing_is_planted_somebody_must_say_what_is_right(copied: ws.Collection) -> None:
    for snapshot in copied:
        snapshot.parts.remove("truth")
    for part in ("sheet-changes", "sheet-evaluation"):
        copied.parts.remove(part)
    jobs = {job.name: job for job in list_sheets(Context(copied))}
    assert jobs["/sheet-changes"].refusal == "set `queries` in [run]"
    assert jobs["/sheet-evaluation"].refusal == "set `topics` and `judgements` in [run]"
    assert "/sheet-alignment" not in jobs
