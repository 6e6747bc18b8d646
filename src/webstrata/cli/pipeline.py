"""webstrata run; `webstrata.cli.run` is the function that runs any command."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from webstrata.cli.crawl.dashboard import CrawlProgress
from webstrata.cli.options import collection_argument, json_option, options
from webstrata.cli.output import show_json, show_table
from webstrata.cli.verb import verb
from webstrata.collection.settings import to_text
from webstrata.errors import WebstrataError
from webstrata.pipeline.presets import parse_presets, preset_names, tell_other_crawls
from webstrata.pipeline.settings import RunSettings

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from webstrata.api import Collection
    from webstrata.pipeline import Outcome, Pipeline
    from webstrata.pipeline.context import SettingChange


def _complete_presets(_ctx: click.Context, _parameter: click.Parameter, start: str) -> list[str]:
    return [name for name in preset_names() if name.startswith(start)]


@verb(
    "run",
    renamed={"--from": "--first", "--to": "--last"},
    named={"first": "--first", "last": "--last", "preset": "--preset"},
    epilog="Example: webstrata run uk --first graph --last report --config uk.toml",
)
@collection_argument
@click.option("--first", default="", metavar="STAGE", help="The stage to begin with. [crawl]")
@click.option("--last", default="", metavar="STAGE", help="The stage to end with. [report]")
@click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Settings of all stages, in the form of collection.toml; they are stored there.",
)
@click.option(
    "--preset",
    multiple=True,
    metavar="NAME",
    shell_complete=_complete_presets,
    help="Settings of a paper, which are stored too; several as a list or with several options. One of "
    f"{', '.join(preset_names())}.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be done and why, and do nothing.")
@options(RunSettings)
@json_option
def command(
    collection: Collection,
    first: str,
    last: str,
    config: Path | None,
    preset: tuple[str, ...],
    run_options: Mapping[str, object],
    *,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Run all stages on COLLECTION: build what is missing or stale.

    Stages: crawl, store, graph, summaries, classify, rank, spectrum, simulate, temporal, search, sheets,
    report. Parts that are up to date are left as they are; after Ctrl-C or a crash, run the same command to
    resume. Pages that were ingested need no crawl.

    Of two sources of a setting the first in this list applies: option, environment, --config, --preset, the
    files of COLLECTION.

    A stage that fails is reported; what depends on it is skipped, everything else is run. The exit code is
    then 1, or 2 if the cause of every failure is something that you can correct.
    """
    from webstrata.pipeline import Pipeline
    from webstrata.pipeline.context import Context, read_config
    from webstrata.serve.report import write_report

    progress = CrawlProgress()
    context = Context(
        collection,
        read_config(config) if config else {},
        str(config or ""),
        run_options,
        parse_presets(preset),
        watch=progress.watch,
        explain=WebstrataError.explain,
        write_report=write_report,
    )
    pipeline = Pipeline(context, first, last, progress=progress)
    for sentence in tell_other_crawls(context.presets, collection):
        progress.note(sentence)
    if dry_run:
        _show_plan(pipeline.plan(), context.find_changes(), as_json=as_json)
        return 0
    context.remember()
    try:
        _follow(pipeline)
    finally:
        _show_outcomes(pipeline, as_json=as_json)
    return pipeline.exit_code


def _follow(pipeline: Pipeline) -> None:
    """Go through the stages, with a line on stderr for each as it begins and as it ends."""
    total = len(pipeline.stages)
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


def _show_plan(plan: list[Outcome], changes: list[SettingChange], *, as_json: bool) -> None:
    rows = [
        [outcome.stage, decision.job.name, decision.state, decision.why, decision.job.action.command]
        for outcome in plan
        for decision in outcome.decisions
    ]
    if as_json:
        keys = ("stage", "what", "state", "why", "command")
        document = {"plan": [dict(zip(keys, row, strict=True)) for row in rows]}
        show_json(document | {"settings": [asdict(change) for change in changes]})
        return
    if changes:
        show_table(
            ["setting", "now", "would be"],
            [
                [f"[{each.table}] {each.name}", to_text(each.now, each.unit), to_text(each.then, each.unit)]
                for each in changes
            ],
        )
        click.echo()
    shown = [row for row in rows if row[2] != "fresh"]
    if shown:
        show_table(["stage", "what", "state", "why", "command"], shown)
        click.echo()
    due = sum(row[2] == "due" for row in rows)
    click.echo(
        f"{due} of {len(rows)} jobs would be done; {sum(row[2] == 'fresh' for row in rows)} are fresh."
    )


def _show_outcomes(pipeline: Pipeline, *, as_json: bool) -> None:
    rows: list[list[Any]] = []
    for outcome in pipeline.outcomes:
        failed = len(outcome.failures)
        left = len(outcome.decisions) - outcome.fresh - outcome.built - failed
        state = "interrupted" if not outcome.is_over else "failed" if failed else "done"
        row = [outcome.stage, outcome.built, outcome.fresh, max(left, 0), failed, outcome.seconds, state]
        rows.append(row)
    if as_json:
        keys = ("stage", "built", "fresh", "left_out", "failed", "seconds", "state")
        stages = [
            dict(zip(keys, row, strict=True))
            | {"notes": outcome.notes, "failures": [asdict(failure) for failure in outcome.failures]}
            for row, outcome in zip(rows, pipeline.outcomes, strict=True)
        ]
        show_json(
            {"collection": str(pipeline.context.collection.path), "stages": stages, "off": pipeline.off}
        )
        return
    shown = [[*row[:5], f"{row[5]:.1f} s", row[6]] for row in rows]
    show_table(["stage", "built", "fresh", "left out", "failed", "time", "state"], shown)
    total = sum(row[5] for row in rows)
    click.echo(f"\n{sum(row[1] for row in rows)} built in {total:.1f} s.")
    for outcome in pipeline.outcomes:
        for note in outcome.notes:
            click.echo(f"{outcome.stage}, left out: {note}")
    if pipeline.off:
        click.echo(f"Switched off: {', '.join(pipeline.off)}.")
    for failure in pipeline.failures:
        click.echo(f"webstrata: stage failed: {failure}", err=True)
