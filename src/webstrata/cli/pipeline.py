"""webstrata run; `webstrata.cli.run` is the function that runs any command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from webstrata.cli.crawl.dashboard import CrawlProgress
from webstrata.cli.options import collection_argument, json_option, options
from webstrata.cli.output import show, show_json
from webstrata.cli.verb import verb
from webstrata.errors import WebstrataError
from webstrata.pipeline.presets import preset_names
from webstrata.pipeline.settings import RunSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webstrata.api import Collection
    from webstrata.collection.tables import Result


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
    from webstrata.pipeline.results import describe_plan, describe_run, follow, prepare_run
    from webstrata.serve.report import write_report

    progress = CrawlProgress()
    pipeline = prepare_run(
        collection,
        run_options,
        config=config,
        preset=preset,
        first=first,
        last=last,
        watch=progress.watch,
        explain=WebstrataError.explain,
        write_report=write_report,
        progress=progress,
    )
    if dry_run:
        plan = describe_plan(pipeline)
        if as_json:
            show_json(plan)
        else:
            _show(plan)
            click.echo(plan.summary)
        return 0
    try:
        follow(pipeline)
    finally:
        result = describe_run(pipeline)
        if as_json:
            show_json(result)
        else:
            _show(result)
            click.echo(result.summary)
            for failure in result.failures:
                click.echo(f"webstrata: stage failed: {failure}", err=True)
    return pipeline.exit_code


def _show(result: Result) -> None:
    show(result)
    if any(table.preview(1)[1] for table in result.tables().values()):
        click.echo()
