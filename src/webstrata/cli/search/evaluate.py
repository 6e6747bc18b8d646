"""webstrata search evaluate: how good a change search is, by queries whose answers are known."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from webstrata.cli.options import at_option, collection_argument, json_option, options, plots_option
from webstrata.cli.output import (
    TerminalProgress,
    beginning_anew,
    draw,
    show,
    show_json,
    show_lines,
    show_plots,
)
from webstrata.cli.verb import verb
from webstrata.search.change.settings import ChangesSettings

if TYPE_CHECKING:
    from webstrata.api import Collection

_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


@verb(
    "evaluate",
    renamed={"--top": "--limit"},
    named={"preset": "--preset"},
    epilog="Example: webstrata search evaluate uk --queries q.tsv --judgements j.tsv",
)
@collection_argument
@click.option("--queries", "queries_file", type=_FILE, help="Queries, or TREC topics.")
@click.option("--judgements", "judgements_file", type=_FILE, help="Right pages, or TREC qrels.")
@click.option(
    "--truth", "from_truth", is_flag=True, help="Instead of both files, the events of a synthetic web."
)
@at_option("The date of queries that have none.")
@click.option("--run", "run_files", type=_FILE, multiple=True, help="A TREC run to compare; may be repeated.")
@click.option(
    "--runs",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Write topics, qrels and the run of each rank there, as TREC has them.",
)
@click.option("--sweeps/--no-sweeps", default=True, help="Vary α and the expansion too.")
@click.option(
    "--preset",
    default="",
    metavar="NAME",
    help="Settings of a preset instead of the collection's: paper:change for table 2 and figures 1 to 5 of "
    "the paper.",
)
@options(ChangesSettings)
@plots_option("evaluation.html")
@json_option
@beginning_anew()
def command(
    collection: Collection,
    queries_file: Path | None,
    judgements_file: Path | None,
    at: str | None,
    run_files: tuple[Path, ...],
    runs: Path | None,
    preset: str,
    changes_options: dict[str, object],
    *,
    from_truth: bool,
    sweeps: bool,
    plots: Path | None,
    as_json: bool,
) -> None:
    """Measure how good a change search is.

    Shows NDCG, recall, MRR and links among the answers for each rank, in the month of change and in another
    one, with tests of significance; then how they depend on α and on the size of the expansion. Ranks use the
    settings of COLLECTION; with --preset paper:change they are those of "Temporal Wikipedia search by edits
    and linkage".
    """
    from webstrata.pipeline.steps import evaluate_changes

    experiment, report = evaluate_changes(
        collection,
        changes_options,
        preset=preset,
        queries=queries_file,
        judgements=judgements_file,
        truth=from_truth,
        at=at,
        runs=run_files,
        sweeps=sweeps,
        progress=TerminalProgress(),
    )
    written = report.write_runs(experiment, runs) if runs else []
    paths = draw(report, plots, page="evaluation", title=f"{collection.title}: change search")
    if as_json:
        files = {"runs": [str(path) for path in written], "plots": [str(path) for path in paths]}
        show_json({"collection": str(collection.path), **report.to_dict(), **files})
        return
    click.echo(f"{report.summary}\n")
    show(report)
    click.echo()
    show_lines(report.lines)
    if written:
        click.echo(f"\nTREC files: {len(written)} in {runs}.")
    show_plots(paths)
