"""The paper's table 2 and figures 1 to 5, for the collection and the queries at hand.

Table 2 has a row for each way of ranking, with NDCG, recall, MRR and the sum beside it in the month of change
and in the other one, and how likely it is that the difference to no graph ranking means nothing. The figures
come from two sweeps, over α and over the size of the expansion, with every measure for each rank.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from webstrata.collection.progress import Progress
from webstrata.search.change.settings import ChangesSettings
from webstrata.search.evaluate.experiment import BM25
from webstrata.search.evaluate.measures import GRAPH_MEASURES, LIST_MEASURES
from webstrata.search.evaluate.significance import compare

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from webstrata.search.evaluate.experiment import Experiment, Outcome

ALPHAS = (0.0, 0.5, 1.0)
EXPANSIONS = (0, 100, 1000, 2000)
ORDER = ("none", "pagerank", "hits-authority", "hits-hub", "combined", "hits", "new-text")
"""The rows of table 2, in the paper's order, then ours."""


@dataclass(frozen=True)
class Line:
    """A row of table 2."""

    name: str
    month: dict[str, float]
    """Means in the month of change."""
    other: dict[str, float] | None
    """Means in the other month, where there is one."""
    against_none: dict[str, float] | None = None
    """For NDCG and recall: p by the randomization test, against ranking without links."""
    against_bm25: dict[str, float] | None = None


@dataclass(frozen=True)
class Point:
    """One point of a figure: a rank at one value of what is swept."""

    rank: str
    value: float
    means: dict[str, float]


@dataclass
class Report:
    """All tables of an evaluation."""

    queries: int
    settings: dict[str, Any]
    table: list[Line] = field(default_factory=list)
    by_alpha: list[Point] = field(default_factory=list)
    by_expansion: list[Point] = field(default_factory=list)
    alpha_tests: dict[str, dict[str, float]] = field(default_factory=dict)
    """For the rank of the settings: the default α against the others."""
    runs: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    figures: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)
    """For each row of the table the measures of each query."""

    def to_dict(self) -> dict[str, Any]:
        """As plain data, without the runs."""
        found = asdict(self)
        del found["runs"]
        return found


def evaluate(
    experiment: Experiment,
    settings: ChangesSettings | None = None,
    *,
    sweeps: bool = True,
    others: Mapping[str, Mapping[str, Sequence[str]]] | None = None,
    progress: Progress | None = None,
) -> Report:
    """The tables of an experiment.

    Parameters
    ----------
    experiment
        Queries and judgements.
    settings
        Those of table 2; sweeps vary α and the expansion.
    sweeps
        Whether the figures are made too.
    others
        Runs of others by name, as rows of the table.
    progress
        Where it reports.

    Examples
    --------
    >>> from tests.search.change.events import make_events
    >>> from webstrata.search.change import ChangeSearch
    >>> from webstrata.search.evaluate.experiment import Experiment
    >>> from webstrata.search.evaluate.queries import TimedQuery
    >>> search = ChangeSearch(make_events(getfixture("tmp_path") / "uk"))
    >>> right = {"1": {"http://city.org/flood": 1, "http://paper.com/flood": 1}}
    >>> report = evaluate(Experiment(search, [TimedQuery("1", "flood", "2026-02")], right), sweeps=False)
    >>> [line.name for line in report.table]
    ['bm25', 'none', 'pagerank', 'hits-authority', 'hits-hub', 'combined', 'hits', 'new-text']
    """
    settings = settings or ChangesSettings()
    progress = progress or Progress()
    total = len(ORDER) * (2 + (len(ALPHAS) + len(EXPANSIONS) if sweeps else 0))
    report = Report(len(experiment.queries), settings.to_dict())
    with progress.task("evaluating", total=total, unit="ways") as task:

        def ask(changed: ChangesSettings, *, is_other: bool = False) -> Outcome:
            task.advance()
            return experiment.ask(changed, is_other=is_other)

        months = {rank: ask(replace(settings, rank=rank)) for rank in ORDER}
        text = experiment.ask_bm25(settings)
        pairs: list[tuple[Outcome, Outcome | None]] = []
        if experiment.has_other_month:
            pairs.append((text, experiment.ask_bm25(settings, is_other=True)))
            pairs += [
                (found, ask(replace(settings, rank=rank), is_other=True)) for rank, found in months.items()
            ]
        else:
            pairs += [(found, None) for found in (text, *months.values())]
        pairs += [(experiment.measure(name, run), None) for name, run in (others or {}).items()]
        report.table += [_line(found, other, months["none"], text) for found, other in pairs]
        report.runs |= {found.name: found.run for found, _ in pairs}
        report.figures |= {found.name: found.figures for found, _ in pairs}
        if sweeps:
            outcomes = {
                (rank, alpha): ask(replace(settings, rank=rank, alpha=alpha))
                for rank in ORDER
                for alpha in ALPHAS
            }
            report.by_alpha += [Point(*key, _means(found)) for key, found in outcomes.items()]
            ours = months[settings.rank]
            for alpha in ALPHAS:
                if alpha != settings.alpha:
                    report.alpha_tests[f"{alpha:g}"] = _test(ours, outcomes[settings.rank, alpha])
            report.by_expansion += [
                Point(rank, float(size), _means(ask(replace(settings, rank=rank, expansion=size))))
                for rank in ORDER
                for size in EXPANSIONS
            ]
    return report


def _means(found: Outcome) -> dict[str, float]:
    names = [*LIST_MEASURES, *GRAPH_MEASURES] if found.name != BM25 else LIST_MEASURES
    means = {name: found.mean(name) for name in names}
    # not a number: what a run of somebody else's has no subgraph for
    return {name: value for name, value in means.items() if value == value}


def _test(ours: Outcome, theirs: Outcome) -> dict[str, float]:
    return {
        name: compare(ours.series(name), theirs.series(name)).randomization
        for name in ("ndcg", "ndcg15", "recall", "mrr")
    }


def _line(found: Outcome, other: Outcome | None, none: Outcome, text: Outcome) -> Line:
    return Line(
        found.name,
        _means(found),
        _means(other) if other else None,
        _test(found, none) if found is not none else None,
        _test(found, text) if found is not text else None,
    )
