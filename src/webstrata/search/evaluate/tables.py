"""The tables of CHANGE's experiments, for the collection and the queries at hand.

Table 2 has a row for each way of ranking, with NDCG, recall, MRR and the sum beside it in the month of change
and in the other one, and how likely it is that the difference to no graph ranking means nothing. The figures
come from two sweeps, over α and over the size of the expansion, with every measure for each rank. Where
queries have kinds, a table has the NDCG@15 of each rank for each kind.

They are the paper's table 2 and figures 1 to 5 only with the paper's ranks (`PAPER_RANKS`) and settings, the
preset ``paper:change``; whoever calls with it says so by `preset`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from webstrata.collection.files import explained
from webstrata.collection.progress import Progress
from webstrata.collection.sentences import tell_count
from webstrata.collection.settings import to_text
from webstrata.collection.tables import Rows, Table
from webstrata.search.change.settings import ChangesSettings
from webstrata.search.evaluate.experiment import BM25
from webstrata.search.evaluate.judgements import write_qrels
from webstrata.search.evaluate.measures import GRAPH_MEASURES, LIST_MEASURES
from webstrata.search.evaluate.queries import write_topics
from webstrata.search.evaluate.runs import write_run
from webstrata.search.evaluate.significance import compare

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from webstrata.search.evaluate.experiment import RunOutcome, SearchExperiment

ALPHAS = (0.0, 0.5, 1.0)
EXPANSIONS = (0, 100, 1000, 2000)
ORDER = ("none", "pagerank", "hits-authority", "hits-hub", "combined", "hits", "new-text")
"""All ranks, in the paper's order, then ours."""
PAPER_RANKS = ORDER[:5]
"""None, PageRank, HitsAuth, HitsHubs and Combined."""


MEASURES = {"ndcg": "NDCG", "ndcg15": "NDCG@15", "recall": "recall@15", "mrr": "MRR", "sum": "Σ 1/rank"}
"""Measures of lists by what they are called for people."""
_FORMATS = {
    **dict.fromkeys((*MEASURES.values(), "other recall@15", "other MRR", "other Σ 1/rank"), ".3f"),
    **dict.fromkeys(("p to none", "p to BM25", "paths kept"), ".4f"),
    **dict.fromkeys(("links before", "links after"), ".1f"),
    "more": "+.1f",
    "α": "g",
    "expansion": "g",
}


@dataclass(frozen=True)
class EvaluationLine:
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
class SweepPoint:
    """One point of a figure: a rank at one value of what is swept."""

    rank: str
    value: float
    means: dict[str, float]


@dataclass(repr=False)
class Report(Table):
    """All tables of an evaluation."""

    queries: int
    settings: dict[str, Any]
    table: list[EvaluationLine] = field(default_factory=list)
    by_alpha: list[SweepPoint] = field(default_factory=list)
    by_expansion: list[SweepPoint] = field(default_factory=list)
    alpha_tests: dict[str, dict[str, float]] = field(default_factory=dict)
    """For the rank of the settings: the default α against the others."""
    runs: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    per_query: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)
    """For each row of the table the measures of each query."""
    kinds: dict[str, str] = field(default_factory=dict)
    """The kind of each query that has one."""
    preset: str = ""
    """The preset with whose settings it was made; empty for the settings of the collection."""

    def show_name(self, rank: str) -> str:
        """A rank as the paper names it, where the paper's settings were used."""
        if not self.preset:
            return rank
        names = {
            "none": "None",
            "pagerank": f"PageRank-{self.settings['restart']:g}",
            "hits-authority": f"HitsAuth-{self.settings['supersource']:g}",
            "hits-hub": f"HitsHubs-{self.settings['supersource']:g}",
            "combined": "Combined",
            BM25: "BM25",
        }
        return names.get(rank, rank)

    def by_kind(self, measure: str = "ndcg15") -> list[dict[str, Any]]:
        """For each kind of queries their number, the mean of a measure for each rank, and the best rank."""
        rows = []
        for kind in dict.fromkeys(self.kinds.values()):
            own = [query for query, each in self.kinds.items() if each == kind]
            means = {
                name: sum(figures[query][measure] for query in own) / len(own)
                for name, figures in self.per_query.items()
                if all(query in figures for query in own)
            }
            rows.append(
                {"kind": kind, "queries": len(own), **means, "best": max(means, key=means.__getitem__)}
            )
        return rows

    def to_dict(self) -> dict[str, Any]:
        """As plain data, without the runs."""
        found = asdict(self)
        del found["runs"]
        found["figures"] = found.pop("per_query")
        return found

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per way to rank: its measures in the month of change."""
        return [{"name": line.name} | line.month for line in self.table]

    @property
    def summary(self) -> str:
        """How many queries there are, and by whose settings."""
        number = tell_count(self.queries, "query", "queries")
        of = f" (CHANGE, table 2: settings {self.preset})" if self.preset else ""
        return f"{number}, in the month of change and in another one{of}"

    @property
    def lines(self) -> list[str]:
        """What tests say about α, then the settings."""
        rank = self.show_name(self.settings["rank"])
        found = [
            f"{rank} with α = {self.settings['alpha']:g} against α = {alpha}: p = {tests['ndcg15']:.4g} in "
            f"NDCG@15, {tests['ndcg']:.4g} in NDCG"
            for alpha, tests in self.alpha_tests.items()
        ]
        shown = ", ".join(
            f"{name} = {to_text(value)}" for name, value in self.settings.items() if name != "rank"
        )
        return [*found, f"Settings: {shown}"]

    def tables(self) -> dict[str, Table]:
        """The measures of each rank, by kind of event, by α and by the size of the expansion."""
        found: dict[str, Table] = {"Measures": self._tabulate_lines()}
        if self.kinds:
            kinds = self.by_kind()
            names = [line.name for line in self.table if line.name in kinds[0]]
            headings = {name: self.show_name(name) for name in names}
            found["NDCG@15 by kind of event"] = Rows(
                "NDCG@15 by kind of event",
                kinds,
                headings={"kind": "kind", "queries": "queries", **headings, "best": "best"},
                formats=dict.fromkeys(names, ".3f"),
            )
        for title, figures, points, name in (
            ("By α", "figures 1, 3 and 5", self.by_alpha, "α"),
            ("By size of the expansion", "figures 2 and 4", self.by_expansion, "expansion"),
        ):
            if points:
                title += f" (CHANGE, {figures})" if self.preset else ""
                found[title] = Rows(
                    title, [self._tabulate_point(point, name) for point in points], formats=_FORMATS
                )
        return found

    def _tabulate_lines(self) -> Rows:
        has_other = any(line.other for line in self.table)
        rows = []
        for line in self.table:
            row: dict[str, Any] = {"rank": self.show_name(line.name)}
            row |= {text: line.month[name] for name, text in MEASURES.items()}
            if has_other:
                other = line.other or {}
                row |= {f"other {MEASURES[name]}": other.get(name) for name in ("recall", "mrr", "sum")}
            for text, test in (("p to none", line.against_none), ("p to BM25", line.against_bm25)):
                row[text] = test["ndcg15"] if test else None
            rows.append(row)
        note = "p: randomization test of NDCG@15, two-sided; Σ 1/rank of the right pages among the first 15"
        return Rows("measures", rows, formats=_FORMATS, note=note)

    def _tabulate_point(self, point: SweepPoint, name: str) -> dict[str, Any]:
        before, after = point.means["edges_before"], point.means["edges_after"]
        return {
            "rank": self.show_name(point.rank),
            name: point.value,
            "NDCG": point.means["ndcg"],
            "NDCG@15": point.means["ndcg15"],
            "links before": before,
            "links after": after,
            "more": after - before,
            "paths kept": point.means["kept"],
        }

    def write_runs(self, experiment: SearchExperiment, folder: Path) -> list[Path]:
        """Write topics, qrels and the run of each rank in the formats of TREC; the files."""
        with explained(folder, "make the folder"):
            folder.mkdir(parents=True, exist_ok=True)
        write_topics(folder / "topics.txt", experiment.queries)
        write_qrels(folder / "qrels.txt", experiment.judgements)
        paths = [folder / "topics.txt", folder / "qrels.txt"]
        for name, run in self.runs.items():
            paths.append(folder / f"{name}.run")
            write_run(paths[-1], run, name)
        return paths


def evaluate(
    experiment: SearchExperiment,
    settings: ChangesSettings | None = None,
    *,
    ranks: Sequence[str] = ORDER,
    sweeps: bool | Sequence[str] = True,
    preset: str = "",
    others: Mapping[str, Mapping[str, Sequence[str]]] | None = None,
    progress: Progress | None = None,
) -> Report:
    """The tables of an experiment.

    Parameters
    ----------
    experiment
        Queries and judgements.
    settings
        Those of all ranks; sweeps vary α and the expansion.
    ranks
        What is compared; `none`, the baseline, is always among them.
    sweeps
        Whether α and the expansion are varied too, for all ranks or for those that are named.
    preset
        The preset that the settings are of, for titles.
    others
        Runs of others by name, as rows of the table.
    progress
        Where it reports.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.search.change import ChangeSearch
    >>> from webstrata.search.evaluate.experiment import SearchExperiment
    >>> from webstrata.search.evaluate.queries import TimedQuery
    >>> search = ChangeSearch(testing.collection())
    >>> right = {"1": {"http://news.example/storm": 1, "http://reef.example/storm": 1}}
    >>> experiment = SearchExperiment(search, [TimedQuery("1", "storm", "2026-06")], right)
    >>> report = evaluate(experiment, sweeps=False)
    >>> [line.name for line in report.table]
    ['bm25', 'none', 'pagerank', 'hits-authority', 'hits-hub', 'combined', 'hits', 'new-text']
    """
    settings = settings or ChangesSettings()
    progress = progress or Progress()
    ranks = tuple(dict.fromkeys(("none", *ranks)))
    swept = () if sweeps is False else ranks if sweeps is True else tuple(dict.fromkeys(("none", *sweeps)))
    total = 2 * len(ranks) + len(swept) * (len(ALPHAS) + len(EXPANSIONS))
    kinds = {query.id: query.kind for query in experiment.queries if query.kind}
    report = Report(len(experiment.queries), settings.to_dict(), kinds=kinds, preset=preset)
    with progress.task("evaluating", total=total, unit="ways") as task:

        def ask(changed: ChangesSettings, *, is_other: bool = False) -> RunOutcome:
            task.advance()
            return experiment.ask(changed, is_other=is_other)

        months = {rank: ask(replace(settings, rank=rank)) for rank in ranks}
        text = experiment.ask_bm25(settings)
        pairs: list[tuple[RunOutcome, RunOutcome | None]] = []
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
        report.per_query |= {found.name: found.figures for found, _ in pairs}
        if swept:
            outcomes = {
                (rank, alpha): ask(replace(settings, rank=rank, alpha=alpha))
                for rank in swept
                for alpha in ALPHAS
            }
            report.by_alpha += [SweepPoint(*key, _means(found)) for key, found in outcomes.items()]
            for alpha in ALPHAS:
                if alpha != settings.alpha and settings.rank in swept:
                    found = outcomes[settings.rank, alpha]
                    report.alpha_tests[f"{alpha:g}"] = _test(months[settings.rank], found)
            report.by_expansion += [
                SweepPoint(rank, float(size), _means(ask(replace(settings, rank=rank, expansion=size))))
                for rank in swept
                for size in EXPANSIONS
            ]
    return report


def _means(found: RunOutcome) -> dict[str, float]:
    names = [*LIST_MEASURES, *GRAPH_MEASURES] if found.name != BM25 else LIST_MEASURES
    means = {name: found.mean(name) for name in names}
    # not a number: what a run of somebody else's has no subgraph for
    return {name: value for name, value in means.items() if value == value}


def _test(ours: RunOutcome, theirs: RunOutcome) -> dict[str, float]:
    return {
        name: compare(ours.series(name), theirs.series(name)).randomization
        for name in ("ndcg", "ndcg15", "recall", "mrr")
    }


def _line(found: RunOutcome, other: RunOutcome | None, none: RunOutcome, text: RunOutcome) -> EvaluationLine:
    return EvaluationLine(
        found.name,
        _means(found),
        _means(other) if other else None,
        _test(found, none) if found is not none else None,
        _test(found, text) if found is not text else None,
    )
