"""The figures of results: what `figures()` of a ranking, a simulation, a crawl and other results draws.

A page of a result (`write_result`) has a sentence about it, its tables and its figures.
"""

from __future__ import annotations

import html
from functools import singledispatch
from typing import TYPE_CHECKING, Any

from webstrata.classify.experiments import Experiment
from webstrata.collection.cells import lay_out_cells
from webstrata.crawl.report import CrawlReport
from webstrata.crawl.schedule.freshness import Freshness
from webstrata.errors import UsageError
from webstrata.graph.structure import Structure
from webstrata.invitro.describe import WebDescription
from webstrata.rank.plane import Plane
from webstrata.rank.ranking import Ranking
from webstrata.rank.spectra.result import Spectrum
from webstrata.rank.trajectories import Trajectories
from webstrata.search.change.answer import ChangeAnswer
from webstrata.search.evaluate.tables import Report
from webstrata.serve.figures import classify, crawl, evaluation, invitro
from webstrata.serve.figures.changes import draw_subgraph
from webstrata.serve.figures.freshness import draw_freshness
from webstrata.serve.figures.ranks import draw_plane, draw_trajectories
from webstrata.serve.figures.simulate import draw_harvest
from webstrata.serve.figures.spectrum import draw_spectrum
from webstrata.serve.figures.structure import draw_structure
from webstrata.serve.figures.style import COLOURS, Figure, load_altair, write_figures
from webstrata.serve.figures.summaries import draw_archive
from webstrata.serve.figures.temporal import draw_bias, draw_union
from webstrata.simulate.harvest import Harvest
from webstrata.store.duplicates.report import Duplicates
from webstrata.summaries.statistics import Statistics
from webstrata.temporal.bias import BiasReport
from webstrata.temporal.tables import UnionStatistics

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from webstrata.collection.tables import Result, Table

MAX_TABLE = 100
"""Rows of a table on the page of a result."""
POINTS = 400
"""Ranks that the curve of a ranking has at most."""


@singledispatch
def draw_result(result: object, title: str = "") -> list[Figure]:
    """The figures of a result, with `title` as what they are about; none for a result that is not drawn.

    Examples
    --------
    >>> from webstrata import testing
    >>> [figure.name for figure in draw_result(testing.snapshot().rank())]
    ['scores']
    >>> draw_result(testing.snapshot().urls)
    []
    """
    return []


_ALONE: dict[type, Callable[[Any], list[Figure]]] = {
    Experiment: classify.draw_experiment,
    CrawlReport: crawl.draw_crawl,
    WebDescription: invitro.draw_description,
    Report: evaluation.draw_report,
}
"""Results that know themselves what they are about."""
for _kind, _function in _ALONE.items():
    draw_result.register(_kind)(lambda result, title="", draws=_function: draws(result))


@draw_result.register
def _(result: Structure, title: str = "") -> list[Figure]:
    return draw_structure(result, title or "graph")


@draw_result.register
def _(result: Plane, title: str = "") -> list[Figure]:
    return draw_plane(result, title or "PageRank and CheiRank")


@draw_result.register
def _(result: Spectrum, title: str = "") -> list[Figure]:
    return draw_spectrum(result, title or "spectrum")


@draw_result.register
def _(result: Trajectories, title: str = "") -> list[Figure]:
    return (
        draw_trajectories(
            result, result.method, title or "trajectories", number=result.number, outside=result.outside
        )
        if result.methods
        else []
    )


@draw_result.register
def _(result: Freshness, title: str = "") -> list[Figure]:
    return draw_freshness(result, title or "freshness")


@draw_result.register
def _(result: Harvest, title: str = "") -> list[Figure]:
    return draw_harvest(result, title or "simulation")


@draw_result.register
def _(result: Statistics, title: str = "") -> list[Figure]:
    return draw_archive(result, title or "summaries")


@draw_result.register
def _(result: BiasReport, title: str = "") -> list[Figure]:
    return draw_bias(result, title or "temporal bias")


@draw_result.register
def _(result: UnionStatistics, title: str = "") -> list[Figure]:
    return draw_union(result.facts, title or "union")


@draw_result.register
def _(result: ChangeAnswer, title: str = "") -> list[Figure]:
    return [Figure("subgraph", draw_subgraph(result))] if len(result) else []


@draw_result.register
def _(result: Ranking, title: str = "") -> list[Figure]:
    import numpy as np

    if not result.num_ranked:
        return []
    ranks = np.unique(np.geomspace(1, result.num_ranked, POINTS).astype(np.int64))
    scores = result.scores[result.order[ranks - 1]]
    rows = [
        {"rank": rank, "score": score}
        for rank, score in zip(ranks.tolist(), scores.tolist(), strict=True)
        if score > 0
    ]
    name = f"{result.method}: score by rank" + (f", {title}" if title else "")
    return [Figure("scores", _draw_points(rows, "rank", "score", name))]


@draw_result.register
def _(result: Duplicates, title: str = "") -> list[Figure]:
    if not result.rows:
        return []
    sizes = sorted((_count_pages(row) for row in result.rows), reverse=True)
    rows = [{"class": place, "pages": pages} for place, pages in enumerate(sizes, 1)]
    return [Figure("classes", _draw_points(rows, "class", "pages", "Classes of duplicates by size"))]


def _count_pages(row: dict[str, Any]) -> int:
    return int(row["pages"] if "pages" in row else len(row["urls"]))


def _draw_points(rows: Sequence[dict[str, Any]], x: str, y: str, title: str) -> Any:  # noqa: ANN401
    alt = load_altair()
    log = alt.Scale(type="log", nice=False)
    return (
        alt.Chart(alt.Data(values=list(rows)))
        .mark_point(size=14, color=COLOURS[0])
        .encode(x=alt.X(f"{x}:Q", scale=log, title=x), y=alt.Y(f"{y}:Q", scale=log, title=y))
        .properties(title=title)
    )


def write_result(result: Result, folder: Path, *, page: str, title: str) -> list[Path]:
    """Write the figures of a result as SVG, and a page with its tables; the paths, the page last.

    Examples
    --------
    >>> from webstrata import testing
    >>> ranking = testing.snapshot().rank()
    >>> [path.name for path in write_result(ranking, testing.scratch(), page="ranks", title="uk")]
    ['scores.svg', 'ranks.html']
    """
    figures = result.figures(title)
    if not figures:
        raise UsageError(f"{title}: there is nothing to draw")
    warnings = [f"Warning: {sentence}." for sentence in getattr(result, "warnings", [])]
    text = " ".join([getattr(result, "summary", ""), *warnings]).strip()
    return write_figures(figures, folder, page=page, title=title, text=text, above=lay_out_tables(result))


def lay_out_tables(result: Result) -> str:
    """The tables of a result that people look at, as HTML.

    Examples
    --------
    >>> from webstrata.collection.tables import Rows
    >>> lay_out_tables(Rows("hosts", [{"host": "a&b", "pages": 7}])).count("<td")
    2
    """
    return "".join(
        _lay_out_table(title, table) for title, table in result.tables().items() if table.shown != 0
    )


def _lay_out_table(title: str, table: Table) -> str:
    cells = lay_out_cells(table, MAX_TABLE if table.shown is None else table.shown)
    if not cells.rows:
        return ""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in cells.columns)
    body = "".join(
        "<tr>"
        + "".join(
            f'<td style="text-align: {"right" if is_number else "left"}">{html.escape(text)}</td>'
            for text, is_number in zip(row, cells.is_number, strict=True)
        )
        + "</tr>\n"
        for row in cells.rows
    )
    note = f"<p>{html.escape(table.note)}</p>\n" if table.note else ""
    return (
        f'<h2>{html.escape(title)}</h2>\n<table cellpadding="6" style="border-collapse: collapse">\n'
        f"<tr>{head}</tr>\n{body}</table>\n{note}"
    )
