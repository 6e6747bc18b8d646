"""The sheet of CHANGE's experiments: its table 2 and figures 1 to 5, by queries whose answers are known.

In vitro the queries are the events that were planted, and right is what each brought or changed. Elsewhere a
file of queries and one of right pages say it (``topics`` and ``judgements`` in ``[run]``).
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webstrata.serve.report.sheet import Sheet, Table, to_drawings

if TYPE_CHECKING:
    from webstrata.api import Collection
    from webstrata.collection.progress import Progress
    from webstrata.search.change.settings import ChangesSettings
    from webstrata.search.evaluate.tables import Line, Point, Report

_MEASURES = {"ndcg": "NDCG", "ndcg15": "NDCG@15", "recall": "recall@15", "mrr": "MRR", "sum": "Σ 1/rank"}
_OTHER = ("recall", "mrr", "sum")
_NOTE = (
    "p is of a two-sided randomization test of NDCG@15. The paper's MRR passes 1, which a mean of reciprocal "
    "ranks cannot; the sum over all right pages among the first 15 stands beside it."
)


def make_evaluation(
    collection: Collection,
    progress: Progress,
    topics: str = "",
    judgements: str = "",
    settings: ChangesSettings | None = None,
) -> Sheet:
    """Table 2 and figures 1 to 5 of CHANGE, on planted events or on files of queries and right pages.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata.collection.progress import Progress
    >>> make_evaluation(ws.create(getfixture("tmp_path") / "uk"), Progress())
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...uk: it has 0 snapshots, and what changed takes two; add another one
    """
    from webstrata.search.change.run import ChangeSearch
    from webstrata.search.change.settings import ChangesSettings
    from webstrata.search.evaluate.experiment import Experiment
    from webstrata.search.evaluate.judgements import check_judgements, page_finder, read_judgements
    from webstrata.search.evaluate.measures import load_ir_measures
    from webstrata.search.evaluate.planted import read_planted
    from webstrata.search.evaluate.queries import read_queries
    from webstrata.search.evaluate.tables import evaluate
    from webstrata.serve.figures.evaluation import draw_report

    load_ir_measures()
    search = ChangeSearch(collection, progress=progress)
    place = collection.word
    if topics and judgements:
        queries, file = read_queries(Path(topics)), Path(judgements)
        right = check_judgements(file, read_judgements(file), queries, page_finder(search))
        words = f"--queries {shlex.quote(topics)} --judgements {shlex.quote(judgements)}"
        asked = f"Queries of {topics}: {len(queries)}"
    else:
        queries, right = read_planted(search)
        words, asked = "--truth", f"Queries by the words of planted events: {len(queries)}"
    chosen = settings or collection.settings(ChangesSettings)
    report = evaluate(Experiment(search, queries, right), chosen, progress=progress)
    pages = sum(sum(grade > 0 for grade in grades.values()) for grades in right.values())
    text = (
        f"{asked}, with {pages:,} right pages in all, asked for in the month of change and in another one. "
        f"Expansion {chosen.expansion}, α = {chosen.alpha:g}, T = {chosen.saturation:g}."
    )
    return Sheet(
        "evaluation",
        "How well change search finds what happened",
        [text],
        [
            _table(report),
            _sweep("By α (CHANGE, figures 1, 3 and 5)", "α", report.by_alpha),
            _sweep("By size of the expansion (CHANGE, figures 2 and 4)", "expansion", report.by_expansion),
        ],
        to_drawings(draw_report(report), "evaluation"),
        f"webstrata search evaluate {place} {words}",
    )


def _table(report: Report) -> Table:
    others = [f"{_MEASURES[name]}, other month" for name in _OTHER]
    columns = ["rank", *_MEASURES.values(), *others, "p to none", "p to BM25"]
    return Table("Change search (CHANGE, table 2)", columns, [_row(line) for line in report.table], _NOTE)


def _row(line: Line) -> list[Any]:
    other = line.other or {}
    tests = (line.against_none, line.against_bm25)
    return [
        line.name,
        *(round(line.month[name], 3) for name in _MEASURES),
        *(round(other[name], 3) if name in other else None for name in _OTHER),
        *(round(test["ndcg15"], 4) if test else None for test in tests),
    ]


def _sweep(title: str, name: str, points: list[Point]) -> Table:
    rows: list[list[Any]] = []
    for point in points:
        before, after = point.means["edges_before"], point.means["edges_after"]
        rows.append(
            [
                point.rank,
                point.value,
                *(round(point.means[measure], 3) for measure in ("ndcg", "ndcg15")),
                *(round(value, 2) for value in (before, after, after - before)),
                round(point.means["kept"], 4),
            ]
        )
    columns = ["rank", name, "NDCG", "NDCG@15", "links before", "links after", "more", "paths kept"]
    return Table(title, columns, rows)
