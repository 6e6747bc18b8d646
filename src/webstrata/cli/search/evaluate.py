"""webstrata search evaluate: how good a change search is, by queries whose answers are known."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option, options, plots_option
from webstrata.cli.output import TerminalProgress, beginning_anew, show_json, show_table
from webstrata.collection.sentences import tell_count
from webstrata.errors import UsageError
from webstrata.search.change.settings import ChangesSettings

if TYPE_CHECKING:
    from webstrata.api import Collection
    from webstrata.search.evaluate.experiment import Experiment
    from webstrata.search.evaluate.tables import Line, Point, Report

_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
_COLUMNS = {"ndcg": "NDCG", "ndcg15": "NDCG@15", "recall": "recall@15", "mrr": "MRR", "sum": "Σ 1/rank"}


@click.command("evaluate", epilog="Example: webstrata search evaluate uk --queries q.tsv --judgements j.tsv")
@collection_argument
@click.option("--queries", "queries_file", type=_FILE, help="Queries, or TREC topics.")
@click.option("--judgements", "judgements_file", type=_FILE, help="Right pages, or TREC qrels.")
@click.option(
    "--truth", "from_truth", is_flag=True, help="In place of both files, the events of an in-vitro web."
)
@click.option("--at", metavar="SNAPSHOT", help="When, for queries that do not say it.")
@click.option("--run", "run_files", type=_FILE, multiple=True, help="A TREC run to compare; may be repeated.")
@click.option(
    "--runs",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Write topics, qrels and the run of each rank there, as TREC has them.",
)
@click.option("--sweeps/--no-sweeps", default=True, help="Vary α and the expansion too: figures 1 to 5.")
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
    changes_options: dict[str, object],
    *,
    from_truth: bool,
    sweeps: bool,
    plots: Path | None,
    as_json: bool,
) -> None:
    """Measure how good a change search is, as the paper does.

    Shows NDCG, recall, MRR and links among the answers for each rank, in the month of change and in another
    one, with tests of significance; then how they depend on α and on the size of the expansion.
    """
    from webstrata.search.change.run import ChangeSearch
    from webstrata.search.evaluate.experiment import Experiment
    from webstrata.search.evaluate.judgements import check_judgements, page_finder, read_judgements
    from webstrata.search.evaluate.measures import load_ir_measures
    from webstrata.search.evaluate.planted import read_planted
    from webstrata.search.evaluate.queries import read_queries
    from webstrata.search.evaluate.runs import check_run, read_run
    from webstrata.search.evaluate.tables import evaluate

    if from_truth == bool(queries_file or judgements_file) or (not queries_file) != (not judgements_file):
        raise UsageError(
            "it takes what is asked and what is right; name --queries FILE and --judgements FILE both, or "
            "--truth alone for the events of an in-vitro web"
        )
    load_ir_measures()
    if plots:
        from webstrata.serve.figures.style import load_altair

        load_altair()
    settings = collection.settings(ChangesSettings, changes_options)
    queries = read_queries(queries_file, at) if queries_file else []
    judged = read_judgements(judgements_file) if judgements_file else {}
    others = {path.stem: read_run(path) for path in run_files}
    progress = TerminalProgress()
    search = ChangeSearch(collection, progress=progress)
    if judgements_file:
        judgements = check_judgements(judgements_file, judged, queries, page_finder(search))
    else:
        queries, judgements = read_planted(search)
    experiment = Experiment(search, queries, judgements)
    experiment.check_queries()
    for path in run_files:
        check_run(path, others[path.stem], queries)
    report = evaluate(experiment, settings, sweeps=sweeps, others=others, progress=progress)
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


def _write_runs(experiment: Experiment, report: Report, folder: Path) -> list[Path]:
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
    click.echo(f"{number}, in the month of change and in another one\n")
    has_other = any(line.other for line in report.table)
    others = [f"other {_COLUMNS[name]}" for name in ("recall", "mrr", "sum")] if has_other else []
    show_table(
        ["rank", *_COLUMNS.values(), *others, "p to none", "p to BM25"],
        [_cells(line, has_other=has_other) for line in report.table],
    )
    click.echo(
        "\np: randomization test of NDCG@15, two-sided; Σ 1/rank of the right pages among the first 15"
    )
    for title, points, name in (
        ("By α (figures 1, 3 and 5)", report.by_alpha, "α"),
        ("By size of the expansion (figures 2 and 4)", report.by_expansion, "expansion"),
    ):
        if points:
            click.echo(f"\n{title}\n")
            show_table(
                ["rank", name, "NDCG", "NDCG@15", "links before", "links after", "more", "paths kept"],
                [_point(point) for point in points],
            )
    for alpha, tests in report.alpha_tests.items():
        click.echo(
            f"\n{report.settings['rank']} with α = {report.settings['alpha']:g} against α = {alpha}: "
            f"p = {tests['ndcg15']:.4g} in NDCG@15, {tests['ndcg']:.4g} in NDCG",
            nl=False,
        )
    if report.alpha_tests:
        click.echo()


def _cells(line: Line, *, has_other: bool) -> list[str]:
    cells = [line.name, *(f"{line.month[name]:.3f}" for name in _COLUMNS)]
    if has_other:
        cells += [f"{line.other[name]:.3f}" if line.other else "–" for name in ("recall", "mrr", "sum")]
    tests = (line.against_none, line.against_bm25)
    return cells + [f"{test['ndcg15']:.4f}" if test else "–" for test in tests]


def _point(point: Point) -> list[str]:
    before, after = point.means["edges_before"], point.means["edges_after"]
    return [
        point.rank,
        f"{point.value:g}",
        f"{point.means['ndcg']:.3f}",
        f"{point.means['ndcg15']:.3f}",
        f"{before:.1f}",
        f"{after:.1f}",
        f"{after - before:+.1f}",
        f"{point.means['kept']:.4f}",
    ]
