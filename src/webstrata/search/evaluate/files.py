"""Evaluates the search for changes by files of queries and judgements, or by planted events."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from webstrata.errors import UsageError
from webstrata.search.change.run import ChangeSearch
from webstrata.search.evaluate.experiment import SearchExperiment
from webstrata.search.evaluate.judgements import check_judgements, page_finder, read_judgements
from webstrata.search.evaluate.measures import load_ir_measures
from webstrata.search.evaluate.planted import read_planted
from webstrata.search.evaluate.queries import read_queries
from webstrata.search.evaluate.runs import check_run, read_run
from webstrata.search.evaluate.tables import ORDER, evaluate

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from webstrata.api import Collection
    from webstrata.collection.progress import Progress
    from webstrata.search.change.settings import ChangesSettings
    from webstrata.search.evaluate.tables import Report


def evaluate_files(
    collection: Collection,
    settings: ChangesSettings,
    *,
    queries: str | PathLike[str] | None = None,
    judgements: str | PathLike[str] | None = None,
    truth: bool = False,
    at: str | None = None,
    runs: Sequence[str | PathLike[str]] = (),
    ranks: Sequence[str] = ORDER,
    sweeps: bool = True,
    preset: str = "",
    progress: Progress | None = None,
) -> tuple[SearchExperiment, Report]:
    r"""Evaluate the search for changes: the experiment, and its tables.

    Parameters
    ----------
    collection
        What is searched.
    settings
        How it is searched.
    queries, judgements
        Files of what is asked and of what is right.
    truth
        In place of both, the events of a synthetic web.
    at
        The snapshot of change, for queries that name none.
    runs
        Files of other systems' results, to compare with.
    ranks
        Ways to rank that are compared.
    sweeps
        Vary α and the expansion too.
    preset
        The preset that the settings are of, for titles.
    progress
        Where progress is shown.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.search.change.settings import ChangesSettings
    >>> folder = testing.scratch()
    >>> _ = (folder / "queries.tsv").write_text("1\tstorm\t2026-06")
    >>> _ = (folder / "right.tsv").write_text("1\thttp://news.example/storm")
    >>> files = {"queries": folder / "queries.tsv", "judgements": folder / "right.tsv"}
    >>> _, report = evaluate_files(testing.collection(), ChangesSettings(), **files, sweeps=False)
    >>> report.queries, [line.name for line in report.table][:2]
    (1, ['bm25', 'none'])
    """
    if truth == bool(queries or judgements) or (not queries) != (not judgements):
        raise UsageError(
            "it takes what is asked and what is right; name --queries FILE and --judgements FILE both, or "
            "--truth alone for the events of an in-vitro web"
        )
    load_ir_measures()
    asked = read_queries(Path(queries), at) if queries else []
    judged = read_judgements(Path(judgements)) if judgements else {}
    others = {Path(path).stem: read_run(Path(path)) for path in runs}
    search = ChangeSearch(collection, progress=progress)
    if judgements:
        right = check_judgements(Path(judgements), judged, asked, page_finder(search))
    else:
        asked, right = read_planted(search)
    experiment = SearchExperiment(search, asked, right)
    experiment.check_queries()
    for path in runs:
        check_run(Path(path), others[Path(path).stem], asked)
    report = evaluate(
        experiment, settings, ranks=ranks, sweeps=sweeps, preset=preset, others=others, progress=progress
    )
    return experiment, report
