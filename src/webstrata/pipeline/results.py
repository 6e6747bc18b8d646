"""What a run did or would do, as tables; and how a run is set up and followed."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webstrata.collection.settings import to_text
from webstrata.collection.tables import Rows
from webstrata.pipeline.context import Context, read_config
from webstrata.pipeline.presets import parse_presets, tell_other_crawls
from webstrata.pipeline.run import Pipeline

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from os import PathLike

    from webstrata.api import Collection
    from webstrata.collection.progress import Progress
    from webstrata.collection.tables import Table
    from webstrata.crawl.run import Crawl
    from webstrata.errors import WebstrataError


class RunPlan(Rows):
    """What a run would do: one row per job, and the settings that it would store."""

    @property
    def summary(self) -> str:
        """How many jobs are due."""
        due, fresh = (sum(row["state"] == state for row in self.rows) for state in ("due", "fresh"))
        return f"{due} of {len(self.rows)} jobs would be done; {fresh} are fresh."

    def tables(self) -> dict[str, Table]:
        """The settings that change, then the jobs that are not fresh."""
        changes = [
            {
                "setting": f"[{change['table']}] {change['name']}",
                "now": to_text(change["now"], change["unit"]),
                "would be": to_text(change["then"], change["unit"]),
            }
            for change in self.facts["settings"]
        ]
        shown = [row for row in self.rows if row["state"] != "fresh"]
        headings = {name: name for name in ("stage", "what", "state", "why", "command")}
        return {"Settings": Rows("settings", changes), "Plan": Rows("plan", shown, headings=headings)}


class RunResult(Rows):
    """What a run did: one row per stage."""

    @property
    def failures(self) -> list[str]:
        """The errors that jobs ended with, one sentence each; the other jobs were done."""
        return [
            f"{each['stage']}{', ' * bool(each['job'])}{each['job']}: {each['error']}"
            for row in self.rows
            for each in row["failures"]
        ]

    @property
    def summary(self) -> str:
        """How much was built, how long it took, and what was left out."""
        built, seconds = (sum(row[name] for row in self.rows) for name in ("built", "seconds"))
        lines = [f"{built} built in {seconds:.1f} s."]
        lines += [f"{row['stage']}, left out: {note}" for row in self.rows for note in row["notes"]]
        if self.facts["off"]:
            lines.append(f"Switched off: {', '.join(self.facts['off'])}.")
        return "\n".join(lines)

    def tables(self) -> dict[str, Table]:
        """The stages with the number of their jobs by outcome."""
        headings = {"stage": "stage", "built": "built", "fresh": "fresh", "left_out": "left out"}
        headings |= {"failed": "failed", "seconds": "time", "state": "state"}
        return {"Stages": Rows("stages", self.rows, headings=headings, formats={"seconds": "s"})}


def prepare_run(
    collection: Collection,
    options: Mapping[str, object],
    *,
    config: str | PathLike[str] | None = None,
    preset: str | Iterable[str] = (),
    first: str = "",
    last: str = "",
    watch: Callable[[Crawl], None] | None = None,
    explain: Callable[[WebstrataError], str] = str,
    write_report: Callable[[Collection], object] | None = None,
    progress: Progress | None = None,
) -> Pipeline:
    """The pipeline of a run; see `webstrata.pipeline.steps.run_stages`.

    Examples
    --------
    >>> from webstrata import testing
    >>> [stage.name for stage in prepare_run(testing.collection(), {}, first="graph", last="graph").stages]
    ['graph']
    """
    context = Context(
        collection,
        read_config(Path(config)) if config else {},
        str(config or ""),
        options,
        presets=parse_presets(preset),
        watch=watch,
        explain=explain,
        write_report=write_report,
    )
    pipeline = Pipeline(context, first, last, progress=progress)
    for sentence in tell_other_crawls(context.presets, collection):
        pipeline.progress.note(sentence)
    return pipeline


def describe_plan(pipeline: Pipeline) -> RunPlan:
    """What a run would do; nothing is built or stored.

    Examples
    --------
    >>> from webstrata import testing
    >>> describe_plan(prepare_run(testing.collection(), {}, first="graph", last="graph")).summary
    '0 of 3 jobs would be done; 3 are fresh.'
    """
    rows = [
        {
            "stage": outcome.stage,
            "what": decision.job.name,
            "state": decision.state,
            "why": decision.why,
            "call": decision.job.action.call,
            "command": decision.job.action.command,
        }
        for outcome in pipeline.plan()
        for decision in outcome.decisions
    ]
    changes = [asdict(change) for change in pipeline.context.find_changes()]
    return RunPlan("plan", rows, {"settings": changes})


def describe_run(pipeline: Pipeline) -> RunResult:
    """What a run did so far.

    Examples
    --------
    >>> from webstrata import testing
    >>> pipeline = prepare_run(testing.collection(), {}, first="graph", last="graph")
    >>> follow(pipeline)
    >>> [(row["stage"], row["fresh"], row["state"]) for row in describe_run(pipeline)]
    [('graph', 3, 'done')]
    """
    rows: list[dict[str, Any]] = []
    for outcome in pipeline.outcomes:
        failed = len(outcome.failures)
        left = len(outcome.decisions) - outcome.fresh - outcome.built - failed
        rows.append(
            {
                "stage": outcome.stage,
                "built": outcome.built,
                "fresh": outcome.fresh,
                "left_out": max(left, 0),
                "failed": failed,
                "seconds": outcome.seconds,
                "state": "interrupted" if not outcome.is_over else "failed" if failed else "done",
                "notes": outcome.notes,
                "failures": [asdict(failure) for failure in outcome.failures],
            }
        )
    facts = {"collection": str(pipeline.context.collection.path), "off": pipeline.off}
    return RunResult("stages", rows, facts)


def follow(pipeline: Pipeline) -> None:
    """Run the stages, with a note for each when it begins and when it is over.

    Examples
    --------
    >>> from webstrata import testing
    >>> pipeline = prepare_run(testing.collection(), {}, first="graph", last="graph")
    >>> follow(pipeline)
    >>> pipeline.exit_code
    0
    """
    total = len(pipeline.stages)
    pipeline.context.remember()
    for outcome in pipeline.run():
        place = f"[{len(pipeline.outcomes):>{len(str(total))}}/{total}] {outcome.stage}"
        if not outcome.is_over:
            due = len(outcome.due)
            if due:
                pipeline.progress.note(f"{place}: {due} of {len(outcome.decisions)} to be built")
        elif outcome.built or outcome.notes or outcome.failures:
            failed = f", {len(outcome.failures)} failed" if outcome.failures else ""
            pipeline.progress.note(f"{place}: {outcome.built} built in {outcome.seconds:.1f} s{failed}")
        else:
            pipeline.progress.note(f"{place}: nothing to do")
