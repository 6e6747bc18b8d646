"""The sheet of CHANGE's experiments: its table 2 and figures 1 to 5, by queries whose answers are known.

These are the paper's ranks with the paper's settings (the preset ``paper:change``), whatever the settings of
the collection are. Next to them stand all ranks with the settings of the collection, under a name of our own.

In vitro the queries are the events that were planted, and right is what each brought or changed. Elsewhere a
file of queries and one of right pages say it (``topics`` and ``judgements`` in ``[run]``).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from webstrata.collection.action import Action
from webstrata.collection.settings import to_text
from webstrata.pipeline.presets import preset_settings
from webstrata.pipeline.steps import PAPER_CHANGE
from webstrata.serve.report.sheet import Sheet, SheetTable, to_drawings

if TYPE_CHECKING:
    from webstrata.api import Collection
    from webstrata.collection.progress import Progress
    from webstrata.search.change.settings import ChangesSettings
    from webstrata.search.evaluate.tables import EvaluationLine, Report, SweepPoint

_MEASURES = {"ndcg": "NDCG", "ndcg15": "NDCG@15", "recall": "recall@15", "mrr": "MRR", "sum": "Σ 1/rank"}
_OTHER = ("recall", "mrr", "sum")
_NOTE = (
    "p is of a two-sided randomization test of NDCG@15. The paper's MRR passes 1, which a mean of reciprocal "
    "ranks cannot; the sum over all right pages among the first 15 stands beside it."
)
_KINDS = (
    "linked: new pages that link to each other, and pages that link to them; edits: text of old pages alone; "
    "links: links to old pages alone; burst: linked, while many unrelated pages come on the same hosts; "
    "mixed: several of these."
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
    >>> from webstrata import testing
    >>> from webstrata.collection.progress import Progress
    >>> folder = testing.scratch()
    >>> _ = (folder / "topics.tsv").write_text(chr(9).join(["1", "storm", "2026-06"]))
    >>> _ = (folder / "right.tsv").write_text(chr(9).join(["1", "http://news.example/storm", "2"]))
    >>> sheet = make_evaluation(
    ...     testing.collection(), Progress(), str(folder / "topics.tsv"), str(folder / "right.tsv"))
    >>> [table.title for table in sheet.tables][:2]
    ['Change search (CHANGE, table 2)', 'Change search, settings of this collection']
    """
    from webstrata.search.change.run import ChangeSearch
    from webstrata.search.change.settings import ChangesSettings
    from webstrata.search.evaluate.experiment import SearchExperiment
    from webstrata.search.evaluate.judgements import check_judgements, page_finder, read_judgements
    from webstrata.search.evaluate.measures import load_ir_measures
    from webstrata.search.evaluate.planted import read_planted
    from webstrata.search.evaluate.queries import read_queries
    from webstrata.search.evaluate.tables import PAPER_RANKS, evaluate
    from webstrata.serve.figures.evaluation import draw_report

    load_ir_measures()
    search = ChangeSearch(collection, progress=progress)
    if topics and judgements:
        queries, file = read_queries(Path(topics)), Path(judgements)
        right = check_judgements(file, read_judgements(file), queries, page_finder(search))
        action = Action.on(
            collection, "search evaluate", queries=topics, judgements=judgements, preset=PAPER_CHANGE
        )
        asked = f"Queries of {topics}: {len(queries)}"
    else:
        queries, right = read_planted(search)
        action = Action.on(collection, "search evaluate", truth=True, preset=PAPER_CHANGE)
        asked = f"Queries by the words of planted events: {len(queries)}"
    experiment = SearchExperiment(search, queries, right)
    own = settings or collection.settings(ChangesSettings)
    paper = preset_settings(PAPER_CHANGE, ChangesSettings)
    theirs = evaluate(experiment, paper, ranks=PAPER_RANKS, preset=PAPER_CHANGE, progress=progress)
    ours = evaluate(experiment, own, sweeps=("none", "hits", "new-text", own.rank), progress=progress)
    pages = sum(sum(grade > 0 for grade in grades.values()) for grades in right.values())
    text = [
        f"{asked}, with {pages:,} right pages in all, asked for in the month of change and in another one.",
        "Tables and figures that name CHANGE are the ranks of the paper with its settings (preset "
        "paper:change). The others are all ranks with the settings of this collection; the same command "
        "without --preset computes them. The baseline is `none`, text and change without links.",
    ]
    tables = [_table(theirs), _table(ours)]
    for report in (theirs, ours):
        tables += [_kinds(report)] if report.kinds else []
        tables.append(_sweep(report, "By α", "figures 1, 3 and 5", "α", report.by_alpha))
        title = "By size of the expansion"
        tables.append(_sweep(report, title, "figures 2 and 4", "expansion", report.by_expansion))
    tables.append(_settings(paper, own))
    figures = [
        *to_drawings(draw_report(theirs), "evaluation"),
        *to_drawings(draw_report(ours), "evaluation"),
    ]
    title = "How well change search finds what happened"
    return Sheet("evaluation", title, text, tables, figures, action.command)


def _name(report: Report, title: str, number: str) -> str:
    return f"{title} (CHANGE, {number})" if report.preset else f"{title}, settings of this collection"


def _table(report: Report) -> SheetTable:
    others = [f"{_MEASURES[name]}, other month" for name in _OTHER]
    columns = ["rank", *_MEASURES.values(), *others, "p to none", "p to BM25"]
    rows = [_row(report, line) for line in report.table]
    return SheetTable(_name(report, "Change search", "table 2"), columns, rows, _NOTE)


def _kinds(report: Report) -> SheetTable:
    """NDCG@15 of each rank by kind of event."""
    found = report.by_kind()
    names = [line.name for line in report.table if line.name in found[0]]
    rows = [
        [row["kind"], row["queries"], *(round(row[name], 3) for name in names), report.show_name(row["best"])]
        for row in found
    ]
    by = "ranks and settings of CHANGE" if report.preset else "settings of this collection"
    columns = ["kind", "queries", *map(report.show_name, names), "best"]
    return SheetTable(f"NDCG@15 by kind of event, {by}", columns, rows, _KINDS)


def _settings(paper: ChangesSettings, own: ChangesSettings) -> SheetTable:
    """All settings of both evaluations."""
    theirs, ours = paper.to_dict(), own.to_dict()
    rows = [[name, to_text(theirs[name]), to_text(ours[name])] for name in theirs if name != "rank"]
    return SheetTable("Settings of [changes]", ["setting", PAPER_CHANGE, "this collection"], rows)


def _row(report: Report, line: EvaluationLine) -> list[Any]:
    other = line.other or {}
    tests = (line.against_none, line.against_bm25)
    return [
        report.show_name(line.name),
        *(round(line.month[name], 3) for name in _MEASURES),
        *(round(other[name], 3) if name in other else None for name in _OTHER),
        *(round(test["ndcg15"], 4) if test else None for test in tests),
    ]


def _sweep(report: Report, title: str, number: str, name: str, points: list[SweepPoint]) -> SheetTable:
    rows: list[list[Any]] = []
    for point in points:
        before, after = point.means["edges_before"], point.means["edges_after"]
        rows.append(
            [
                report.show_name(point.rank),
                point.value,
                *(round(point.means[measure], 3) for measure in ("ndcg", "ndcg15")),
                *(round(value, 2) for value in (before, after, after - before)),
                round(point.means["kept"], 4),
            ]
        )
    columns = ["rank", name, "NDCG", "NDCG@15", "links before", "links after", "more", "paths kept"]
    return SheetTable(_name(report, title, number), columns, rows)
