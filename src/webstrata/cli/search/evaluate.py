"""webstrata search evaluate: how good a change search is, by queries whose answers are known."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from webstrata.cli.options import at_option, collection_argument, json_option, options, plots_option
from webstrata.cli.output import TerminalProgress, beginning_anew, show_json, show_table
from webstrata.cli.verb import verb
from webstrata.collection.sentences import tell_count
from webstrata.collection.settings import to_text
from webstrata.search.change.settings import ChangesSettings

if TYPE_CHECKING:
    from webstrata.api import Collection
    from webstrata.search.evaluate.experiment import SearchExperiment
    from webstrata.search.evaluate.tables import EvaluationLine, Report, SweepPoint

_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
_COLUMNS = {"ndcg": "NDCG", "ndcg15": "NDCG@15", "recall": "recall@15", "mrr": "MRR", "sum": "Σ 1/rank"}


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
    "--truth", "from_truth", is_flag=True, help="In place of both files, the events of an in-vitro web."
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

    if plots:
        from webstrata.serve.figures.style import load_altair

        load_altair()
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
    written = _write_runs(experiment, report, runs) if runs else []
    paths = _draw(report, collection.title, plots) if plots else []
    if as_json:
        files = {"runs": [str(path) for path in written], "plots": [str(path) for path in paths]}
        show_json({"collection": str(collection.path), **report.to_dict(), **files})
        return
    show_report(report)
    if written:
        click.echo(f"\nTREC files: {len(written)} in {runs}.")
    if paths:
        click.echo(f"\nPictures: {paths[-1]} shows all {len(paths) - 1} of them.")


def _write_runs(experiment: SearchExperiment, report: Report, folder: Path) -> list[Path]:
    from webstrata.collection.files import explained
    from webstrata.search.evaluate.judgements import write_qrels
    from webstrata.search.evaluate.queries import write_topics
    from webstrata.search.evaluate.runs import write_run

    with explained(folder, "make the folder"):
        folder.mkdir(parents=True, exist_ok=True)
    write_topics(folder / "topics.txt", experiment.queries)
    write_qrels(folder / "qrels.txt", experiment.judgements)
    paths = [folder / "topics.txt", folder / "qrels.txt"]
    for name, run in report.runs.items():
        paths.append(folder / f"{name}.run")
        write_run(paths[-1], run, name)
    return paths


def _draw(report: Report, title: str, folder: Path) -> list[Path]:
    from webstrata.serve.figures.evaluation import draw_report
    from webstrata.serve.figures.style import write_figures

    text = f"{tell_count(report.queries, 'query', 'queries')}; means over all of them."
    return write_figures(
        draw_report(report), folder, page="evaluation", title=f"{title}: change search", text=text
    )


def show_report(report: Report) -> None:
    """Print the tables of an evaluation."""
    number = tell_count(report.queries, "query", "queries")
    of = f" (CHANGE, table 2: settings {report.preset})" if report.preset else ""
    click.echo(f"{number}, in the month of change and in another one{of}\n")
    has_other = any(line.other for line in report.table)
    others = [f"other {_COLUMNS[name]}" for name in ("recall", "mrr", "sum")] if has_other else []
    show_table(
        ["rank", *_COLUMNS.values(), *others, "p to none", "p to BM25"],
        [_cells(report, line, has_other=has_other) for line in report.table],
    )
    click.echo(
        "\np: randomization test of NDCG@15, two-sided; Σ 1/rank of the right pages among the first 15"
    )
    if report.kinds:
        names = [line.name for line in report.table if line.name in report.by_kind()[0]]
        click.echo("\nNDCG@15 by kind of event\n")
        show_table(
            ["kind", "queries", *map(report.show_name, names), "best"],
            [
                [row["kind"], row["queries"], *(f"{row[name]:.3f}" for name in names), row["best"]]
                for row in report.by_kind()
            ],
        )
    for title, figures, points, name in (
        ("By α", "figures 1, 3 and 5", report.by_alpha, "α"),
        ("By size of the expansion", "figures 2 and 4", report.by_expansion, "expansion"),
    ):
        if points:
            click.echo(f"\n{title}{f' (CHANGE, {figures})' if report.preset else ''}\n")
            show_table(
                ["rank", name, "NDCG", "NDCG@15", "links before", "links after", "more", "paths kept"],
                [_point(report, point) for point in points],
            )
    rank = report.show_name(report.settings["rank"])
    for alpha, tests in report.alpha_tests.items():
        click.echo(
            f"\n{rank} with α = {report.settings['alpha']:g} against α = {alpha}: "
            f"p = {tests['ndcg15']:.4g} in NDCG@15, {tests['ndcg']:.4g} in NDCG",
            nl=False,
        )
    if report.alpha_tests:
        click.echo()
    shown = ", ".join(
        f"{name} = {to_text(value)}" for name, value in report.settings.items() if name != "rank"
    )
    click.echo(f"\nSettings: {shown}")


def _cells(report: Report, line: EvaluationLine, *, has_other: bool) -> list[str]:
    cells = [report.show_name(line.name), *(f"{line.month[name]:.3f}" for name in _COLUMNS)]
    if has_other:
        cells += [f"{line.other[name]:.3f}" if line.other else "–" for name in ("recall", "mrr", "sum")]
    tests = (line.against_none, line.against_bm25)
    return cells + [f"{test['ndcg15']:.4f}" if test else "–" for test in tests]


def _point(report: Report, point: SweepPoint) -> list[str]:
    before, after = point.means["edges_before"], point.means["edges_after"]
    return [
        report.show_name(point.rank),
        f"{point.value:g}",
        f"{point.means['ndcg']:.3f}",
        f"{point.means['ndcg15']:.3f}",
        f"{before:.1f}",
        f"{after:.1f}",
        f"{after - before:+.1f}",
        f"{point.means['kept']:.4f}",
    ]
