"""A pipeline builds what is due and nothing else, goes on after a break, and says what it leaves out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import webstrata as ws
from tests.serve.conftest import CONFIG
from webstrata.archive.warc import Capture, WarcWriter
from webstrata.collection.progress import Progress
from webstrata.errors import Cancelled, DiskFullError, MissingExtraError, UsageError
from webstrata.pipeline import Pipeline, list_stages
from webstrata.pipeline import run as running
from webstrata.pipeline.context import Context
from webstrata.serve.report import write_report
from webstrata.store.ingest.run import ingest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from webstrata.pipeline.jobs import Job


def replace_stage(
    monkeypatch: pytest.MonkeyPatch, name: str, list_jobs: Callable[[Context], list[Job]]
) -> None:
    """Let a stage list other jobs."""
    stages = list_stages()
    stages[name] = replace(stages[name], list_jobs=list_jobs)
    monkeypatch.setattr(running, "list_stages", lambda: stages)


def make_context(collection: ws.Collection, config: dict[str, dict[str, object]], **more: Any) -> Context:  # noqa: ANN401
    return Context(collection, config, "uk.toml", write_report=write_report, **more)


def go(pipeline: Pipeline) -> dict[str, int]:
    """What was built, by stage, where something was."""
    for _ in pipeline.run():
        pass
    return {outcome.stage: outcome.built for outcome in pipeline.outcomes if outcome.built}


def test_what_is_fresh_is_left_alone(whole: Path) -> None:
    plan = Pipeline(make_context(ws.open(whole), {})).plan()
    assert {o.stage: len(o.due) for o in plan if o.due} == {}


def test_a_part_that_is_lost_is_built_again_and_what_depends_on_it_stays_if_it_has_the_same_bytes(
    copied: ws.Collection,
) -> None:
    copied["2026-02"].parts.remove("graph")
    planned = {o.stage: len(o.due) for o in Pipeline(make_context(copied, CONFIG)).plan() if o.due}
    # a plan cannot know the bytes of what is not built yet
    assert planned["graph"] == 1
    assert planned["temporal"] == 1
    assert "crawl" not in planned
    assert go(Pipeline(make_context(copied, CONFIG))) == {"graph": 1}


def test_a_setting_that_changed_renews_its_part_and_what_is_made_of_it(copied: ws.Collection) -> None:
    config = CONFIG | {"graph": {"self_loops": False}}
    pipeline = Pipeline(make_context(copied, config), "graph", "temporal")
    reasons = {d.job.name: d.why for outcome in pipeline.plan() for d in outcome.due}
    assert reasons["2026-01/graph"] == "self_loops was true, is false"
    assert reasons["/temporal"] == "2026-01/graph, 2026-02/graph changed since"
    built = go(pipeline)
    assert (built["graph"], built["temporal"], "summaries" in built) == (2, 1, False)
    assert go(Pipeline(make_context(copied, config), "graph", "temporal")) == {}


def test_after_an_interruption_the_same_pipeline_goes_on(copied: ws.Collection) -> None:
    for snapshot in copied:
        snapshot.parts.remove("summaries")

    class Impatient(Progress):
        """Presses Ctrl-C when the second snapshot is begun."""

        counted = 0

        def opened(self, task: object) -> None:
            self.counted += "summaries" in getattr(task, "title", "")
            if self.counted == 2:
                raise KeyboardInterrupt

    pipeline = Pipeline(make_context(copied, CONFIG), "summaries", "summaries", progress=Impatient())
    with pytest.raises(KeyboardInterrupt):
        go(pipeline)
    assert [outcome.is_over for outcome in pipeline.outcomes] == [False]
    done = ["summaries" in snapshot.parts for snapshot in copied]
    assert go(Pipeline(make_context(copied, CONFIG), "summaries", "summaries")) == {
        "summaries": done.count(False)
    }
    assert all("summaries" in snapshot.parts for snapshot in copied)


def test_a_stage_whose_extra_is_missing_says_so_and_the_others_go_on(
    copied: ws.Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lack(_context: Context) -> list[Job]:
        raise MissingExtraError(
            "pictures are made with altair, which is not installed; `pip install …` brings it"
        )

    replace_stage(monkeypatch, "rank", lack)
    pipeline = Pipeline(make_context(copied, CONFIG, options={"off": "classify"}), "rank", "report")
    assert go(pipeline) == {}
    assert pipeline.outcomes[0].notes == [
        "pictures are made with altair, which is not installed; `pip install …` brings it"
    ]
    assert pipeline.plan()[0].notes


def test_one_snapshot_alone_goes_through_and_the_stages_that_need_two_say_so(copied: ws.Collection) -> None:
    for part in ("temporal", "changes", *(r.name for r in copied.parts if r.name.startswith("sheet-"))):
        copied.parts.remove(part)
    copied["2026-01"].parts.remove("summaries")
    config = CONFIG | {
        "run": CONFIG["run"] | {"snapshots": ["2026-01"], "off": ["spectrum", "classify", "simulate"]}
    }
    pipeline = Pipeline(make_context(copied, config))
    built = go(pipeline)
    assert (built["summaries"], built["sheets"], "temporal" in built) == (1, 4, False)
    notes = [note for outcome in pipeline.outcomes for note in outcome.notes]
    assert notes == [
        "/temporal: needs 2 snapshots with graph, urls, there are 1",
        "/changes: needs 2 snapshots with summaries, there are 1",
        "/sheet-trajectories: needs 2 snapshots with rank-pagerank, rank-cheirank, rank-2drank, there are 1",
        "/sheet-footprint: needs 2 snapshots, there are 1",
        "/sheet-alignment: needs 2 snapshots with truth, there are 1",
        "/sheet-changes: /temporal is missing",
        "/sheet-evaluation: /temporal is missing",
    ]
    assert pipeline.off == ["classify", "spectrum", "simulate"]


@pytest.mark.parametrize(
    ("first", "last", "options", "sentence"),
    [
        ("grahp", "", {}, "first: grahp is not a stage .did you mean graph..; known are"),
        ("", "raport", {}, "last: raport is not a stage"),
        ("rank", "graph", {}, "first rank, last graph: rank comes after graph; swap them"),
        ("", "", {"off": "rnak"}, "off: rnak is not a stage .did you mean rank"),
        ("", "", {"snapshots": ""}, "uk: no snapshots; set `snapshots` and `seeds`"),
    ],
)
def test_what_cannot_be_run_is_refused_in_a_sentence(
    tmp_path: Path, first: str, last: str, options: dict[str, object], sentence: str
) -> None:
    context = Context(ws.create(tmp_path / "uk"), options={"snapshots": "2026-01"} | options)
    with pytest.raises(UsageError, match=sentence):
        Pipeline(context, first, last)


def break_summaries(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Let the summaries of 2026-01 fail."""
    stage = list_stages()["summaries"]

    def list_jobs(context: Context) -> list[Job]:
        def fail(_progress: Progress) -> None:
            raise error

        jobs = stage.list_jobs(context)
        return [replace(job, build=fail) if job.name == "2026-01/summaries" else job for job in jobs]

    replace_stage(monkeypatch, "summaries", list_jobs)


def test_a_job_that_fails_is_reported_its_dependents_are_skipped_and_all_others_are_run(
    copied: ws.Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    for snapshot in copied:
        snapshot.parts.remove("summaries")
    copied.parts.remove("changes")
    copied["2026-02"].parts.remove("rank-pagerank")
    break_summaries(monkeypatch, ZeroDivisionError("no such number"))
    pipeline = Pipeline(make_context(copied, CONFIG), "summaries")
    built = go(pipeline)
    assert (built["summaries"], built["rank"], built["report"]) == (1, 1, 1)
    (failure,) = pipeline.failures
    assert str(failure).startswith(
        "summaries, 2026-01/summaries: unexpected ZeroDivisionError: no such number (see "
    )
    notes = [note for outcome in pipeline.outcomes for note in outcome.notes]
    assert "/changes: skipped, it needs 2026-01/summaries and 2026-01/summaries failed" in notes
    assert "/sheet-changes: skipped, it needs /changes and 2026-01/summaries failed" in notes
    assert pipeline.exit_code == 1
    log = (copied.path / "reports" / "failures.log").read_text()
    assert "ZeroDivisionError: no such number" in log
    assert "Traceback" in log
    # what is mended is built by the same command
    monkeypatch.undo()
    again = Pipeline(make_context(copied, CONFIG), "summaries")
    assert go(again)["summaries"] == 1
    assert again.exit_code == 0


def test_failures_that_the_user_can_correct_have_exit_code_2(
    copied: ws.Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied["2026-01"].parts.remove("summaries")
    break_summaries(monkeypatch, UsageError("2026-01: choose another language"))
    pipeline = Pipeline(make_context(copied, CONFIG), "summaries", "rank")
    go(pipeline)
    assert [str(failure) for failure in pipeline.failures] == [
        "summaries, 2026-01/summaries: 2026-01: choose another language"
    ]
    assert pipeline.exit_code == 2


@pytest.mark.parametrize("error", [KeyboardInterrupt(), Cancelled(), DiskFullError("no space left")])
def test_ctrl_c_and_a_full_disk_stop_the_run(
    copied: ws.Collection, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    copied["2026-01"].parts.remove("summaries")
    break_summaries(monkeypatch, error)
    pipeline = Pipeline(make_context(copied, CONFIG), "summaries", "rank")
    with pytest.raises(type(error)):
        go(pipeline)
    assert [outcome.stage for outcome in pipeline.outcomes] == ["summaries"]


def test_a_stage_whose_jobs_cannot_be_listed_fails_alone(
    copied: ws.Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_context: Context) -> list[Job]:
        raise ValueError("no jobs")

    replace_stage(monkeypatch, "rank", fail)
    pipeline = Pipeline(make_context(copied, CONFIG), "rank")
    copied["2026-02"].parts.remove("spectrum")
    assert go(pipeline)["spectrum"] == 1
    assert pipeline.failures[0].error.startswith("unexpected ValueError: no jobs")


@pytest.mark.parametrize(("pages", "code"), [(1, 0), (3, 0), (0, 2)])
def test_collections_of_few_pages_or_none_go_through_without_unexpected_errors(
    tmp_path: Path, pages: int, code: int
) -> None:
    web = ws.create(tmp_path / "web")
    for date, label in ((1_778_000_000, "2026-05"), (1_781_000_000, "2026-06")):
        status = "200 OK" if pages else "404 Not Found"
        head = f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\n".encode()
        with WarcWriter(tmp_path, label) as writer:
            for page in range(max(pages, 1)):
                body = f"<title>{page}</title><p>Hello <a href=/{page + 1}>next</a> {label}".encode()
                url = f"http://a.example/{page}"
                writer.write(Capture(url=url, date=date * 10**9, head=head, body=body))
        ingest(web.add(label), [tmp_path / f"{label}-00000.warc.gz"])
    pipeline = Pipeline(make_context(web, {}))
    go(pipeline)
    assert not [str(failure) for failure in pipeline.failures if "unexpected" in failure.error]
    assert pipeline.exit_code == code
    assert (web.path / "reports" / "report.html").is_file()
