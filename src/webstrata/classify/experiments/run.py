"""All tables and figures of one collection: what is fitted, what is combined, and how it is laid out."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata.classify.experiments import rows as named
from webstrata.classify.experiments.link_tables import moving_links
from webstrata.classify.experiments.sensitivity import DRAWS, SHARES, Sensitivity, measure_sensitivity
from webstrata.classify.experiments.sheet import PaperTable, three
from webstrata.classify.experiments.trial import Trial, TrialOutcome
from webstrata.classify.features.addresses import crowded, find_addresses
from webstrata.classify.features.feature_sets import describe_made
from webstrata.classify.features.sites import open_sites
from webstrata.classify.learning.holdout import match_test, warn_shared
from webstrata.classify.learning.labels import tell_unknown
from webstrata.classify.learning.matrix import HostMatrix, load_matrix
from webstrata.classify.learning.splits import group_hosts
from webstrata.classify.learning.training import warn_labels
from webstrata.classify.settings import TrainSettings
from webstrata.collection.progress import Progress
from webstrata.collection.tables import Rows, Table
from webstrata.errors import MissingError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from webstrata.classify.learning.labels import Labels
    from webstrata.collection import Snapshot

MOST_TASKS = 8
LEAST_SHARE = 0.01
"""Tasks with fewer positives are left out of tables 8 and 9, as in SPAM."""


@dataclass(repr=False)
class Experiment(Table):
    """What an experiment found."""

    task: str
    snapshot: str
    sheets: list[PaperTable] = field(default_factory=list)
    sensitivity: list[Sensitivity] = field(default_factory=list)
    outcomes: dict[str, TrialOutcome] = field(default_factory=dict)
    """The ensembles of the main task by the names of their rows."""
    warnings: list[str] = field(default_factory=list)
    """Why the tables should not be relied on, where there are few labels."""
    measured: str = ""
    """On which hosts an AUC is measured, a sentence."""

    @property
    def summary(self) -> str:
        """What the tables are of, and how an AUC is measured."""
        return (
            f"The tables and figures of SPAM here. {self.measured} ± is its standard deviation; "
            "p is the probability of so large a difference by chance."
        )

    def table(self, key: str) -> PaperTable:
        """The table of that name."""
        return next(table for table in self.sheets if table.key == key)

    def to_rows(self) -> list[dict[str, Any]]:
        """The rows of all tables: the table, the row, the column and its value."""
        return [
            {"table": sheet.key, "row": number, "column": name, "value": value}
            for sheet in self.sheets
            for number, row in enumerate(sheet.rows)
            for name, value in zip(sheet.columns, row, strict=False)
        ]

    def tables(self) -> dict[str, Table]:
        """The tables of SPAM by their titles."""
        return {
            sheet.title: Rows(
                sheet.key,
                [dict(zip(sheet.columns, row, strict=False)) for row in sheet.rows],
                note=sheet.note,
            )
            for sheet in self.sheets
        }

    def to_dict(self) -> dict[str, Any]:
        """Everything but the scores of hosts."""
        return {
            "task": self.task,
            "snapshot": self.snapshot,
            "tables": [asdict(table) for table in self.sheets],
            "figure 2": [asdict(one) for one in self.sensitivity],
            "measured": self.measured,
            "warnings": self.warnings,
        }


def run_experiment(
    snapshot: Snapshot,
    labels: Labels,
    task: str = "spam",
    *,
    test: Labels | None = None,
    tasks: Sequence[str] | None = None,
    most_tasks: int = MOST_TASKS,
    sets: Sequence[str] = (),
    settings: TrainSettings | None = None,
    shares: Sequence[float] = SHARES,
    draws: int = DRAWS,
    progress: Progress | None = None,
) -> Experiment:
    """The tables and figures of SPAM for a snapshot with features, and labels of its hosts.

    Parameters
    ----------
    snapshot
        Whose hosts and features.
    labels
        Of some of them.
    task
        The task of all tables but 8 and 9.
    test
        Of other hosts: the official test set, which every AUC is measured on; default: outer folds.
    tasks
        Those of tables 8 and 9; without, the largest ones that have labels enough.
    most_tasks
        How many of these beside the main one.
    sets
        Feature sets; without, all that are there.
    settings
        The library, the metric, the outer folds and the seed.
    shares
        Of labels, for figure 2.
    draws
        For each share.
    progress
        Told how far it is.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.classify.features.feature_sets import build_set
    >>> from webstrata.classify.learning.labels import Labels
    >>> pages = {f"http://h{n}.example/": "<p>cheap pills " * (n + 1) for n in range(12)}
    >>> snapshot = testing.snapshot_of(pages, parts=())
    >>> _ = build_set(snapshot, "A")
    >>> labels = Labels("labels.csv", {"spam": {f"h{n}.example": n >= 6 for n in range(12)}})
    >>> settings = TrainSettings(library="small", folds=2)
    >>> found = run_experiment(snapshot, labels, settings=settings, shares=())
    >>> [table.key for table in found.sheets]
    ['table 1', 'table 5', 'table 6', 'models', 'table 13']
    """
    settings = settings or TrainSettings()
    progress = progress or Progress()
    labels.find(task)
    matrix = named.with_parts(load_matrix(snapshot, sets))
    addresses = find_addresses(snapshot, matrix.hosts, progress=progress)
    split = Split(labels, test, matrix, addresses, settings, progress)
    trial = split.trial(task)
    if split.unknown:
        progress.note(tell_unknown(split.unknown))
    warnings = warn_labels(trial.truth, trial.groups)
    if trial.test is not None:
        warnings += warn_shared(trial.groups, trial.test)
    found = Experiment(task, snapshot.date, warnings=warnings, measured=split.describe(trial))
    found.sheets += [
        _snapshots(snapshot, labels, task, matrix.hosts),
        _addresses(matrix.hosts, addresses, labels.find(task)),
        _distribution(labels, matrix.hosts, test),
    ]
    _feature_sets(found, trial)
    if tasks is None:
        tasks = _largest(labels, matrix.hosts, task)[:most_tasks]
    _tasks(found, tasks, split, trial)
    found.sheets += moving_links(trial)
    _moving_content(found, trial)
    _weights(found, trial)
    _models(found, trial)
    _costs(found, snapshot, matrix, trial)
    small = [
        name
        for name in ("A", "B", "link", named.RATES, named.XJACCARD, named.PSIMRANK, "bm25")
        if name in trial.matrix.sets
    ]
    found.sensitivity = measure_sensitivity(
        trial.matrix,
        trial.truth,
        trial.groups,
        small,
        shares=shares,
        draws=draws,
        seed=settings.seed,
        costly=settings.costly,
        test=trial.test,
        progress=progress,
    )
    found.sheets = [table for table in found.sheets if table.rows]
    return found


@dataclass
class Split:
    """How the labelled hosts of each task are trained on and measured."""

    labels: Labels
    test: Labels | None
    matrix: HostMatrix
    addresses: Sequence[str | None]
    settings: TrainSettings
    progress: Progress
    unknown: list[str] = field(default_factory=list)

    def trial(self, task: str) -> Trial:
        """The trial of a task, or `MissingError` where it has too few labels."""
        hosts = self.matrix.hosts
        measured = None
        if self.test is None:
            rows, truth, self.unknown = self.labels.match(task, hosts, folds=self.settings.folds)
        else:
            rows, truth, measured, self.unknown = match_test(self.labels, self.test, task, hosts)
        return Trial(self.matrix.rows(rows), truth, self._group(rows), self.settings, self.progress, measured)

    def _group(self, places: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        # of the labelled hosts alone: one without a label is in no split, and joins no others
        hosts = [self.matrix.hosts[place] for place in places]
        together = self.settings.together
        shared = None if together == "domain" else [self.addresses[place] for place in places]
        return group_hosts(hosts, shared, domains=together != "address")

    def describe(self, trial: Trial) -> str:
        """On which hosts an AUC is measured, a sentence."""
        if self.test is None or trial.test is None:
            together = self.settings.together
            kept = "domain or address" if together == "both" else together
            return (
                "Every AUC is that of hosts that neither a model nor the choice of models has seen, hosts of "
                f"one {kept} on one side of every split."
            )
        return (
            f"Every AUC is that of the {int(trial.test.sum())} hosts of the test set {self.test.source}, "
            "which neither a model nor the choice of models has seen; "
            f"{int((~trial.test).sum())} hosts are trained on."
        )


def _snapshots(measured: Snapshot, labels: Labels, task: str, known: list[str]) -> PaperTable:
    labelled = labels.find(task)
    rows = []
    for snapshot in measured.collection:
        if "urls" in snapshot.parts:
            hosts = open_sites(snapshot).names
        elif snapshot.date == measured.date:  # published features, without pages
            hosts = known
        else:
            continue
        there = [labelled[host] for host in hosts if host in labelled]
        rows.append([snapshot.date, len(hosts), len(there), sum(there), len(there) - sum(there)])
    return PaperTable(
        "table 1",
        "Hosts and labels of each snapshot (table 1, figure 1)",
        ["snapshot", "hosts", "labelled", task, f"not {task}"],
        rows,
    )


def _addresses(hosts: list[str], addresses: Sequence[str | None], labelled: dict[str, bool]) -> PaperTable:
    rows: list[list[Any]] = []
    for address, count in crowded(addresses):
        if count < 2:
            continue
        here = [host for host, one in zip(hosts, addresses, strict=True) if one == address]
        known = [labelled[host] for host in here if host in labelled]
        rows.append([count, address, sum(known), len(known) - sum(known), ", ".join(here[:3])])
    return PaperTable(
        "table 4",
        "Addresses that serve most hosts (table 4)",
        ["hosts", "address", "positive", "negative", "some of them"],
        rows,
    )


def _distribution(labels: Labels, hosts: list[str], test: Labels | None = None) -> PaperTable:
    rows = [
        [task + told, yes, no, f"{100 * yes / (yes + no):.1f}%"]
        for some, told in ((labels, ""), (test, ", test set"))
        if some is not None
        for task, yes, no in some.distribution(hosts)
        if yes + no
    ]
    return PaperTable("table 5", "Labels (tables 2, 3 and 5)", ["task", "yes", "no", "share"], rows)


def _feature_sets(found: Experiment, trial: Trial) -> None:
    base = trial.combine(["B"]) if trial.has(["B"]) else None
    columns = ["feature set", "features", "AUC", "±", "less (B)", "p"]
    for key, title, wanted in (
        ("table 6", "Content (table 6)", named.CONTENT),
        ("table 7", "Links, and everything (table 7)", (*named.LINK, named.ALL)),
    ):
        rows = []
        for row in named.choose(wanted, trial.matrix):
            outcome = trial.combine(row.sets)
            found.outcomes[row.name] = outcome
            cells: list[Any] = [row.name, outcome.features, three(outcome.auc), three(outcome.deviation)]
            if base is not None:
                compared = trial.compare(base, outcome)
                cells += [f"{compared.difference:+.3f}", f"{compared.p_value:.3f}"]
            else:
                cells += ["", ""]
            rows.append(cells)
        found.sheets.append(PaperTable(key, title, columns, rows))
    everything, static = found.outcomes.get(named.EVERYTHING), found.outcomes.get(named.STATIC)
    if everything and static and everything.sets != static.sets:
        compared = trial.compare(static, everything)
        note = (
            f"Features in motion add {compared.difference:+.3f} ± {compared.deviation:.3f} to everything "
            f"static (p = {compared.p_value:.3f})."
        )
        found.sheets[-1] = PaperTable("table 7", found.sheets[-1].title, columns, found.sheets[-1].rows, note)
    elif everything:  # nothing moves
        found.sheets[-1].rows.pop()


def _tasks(found: Experiment, tasks: Sequence[str], split: Split, main: Trial) -> None:
    rows = named.choose(named.TASKS, split.matrix)
    columns: dict[str, list[float]] = {}
    for task in dict.fromkeys([found.task, *tasks]):
        split.labels.find(task)
        try:
            trial = main if task == found.task else split.trial(task)
        except (MissingError, UsageError) as error:
            split.progress.note(f"task {task} is left out: {error}")
            continue
        columns[task] = [trial.combine(row.sets).auc for row in rows]
    if len(columns) < 2:
        return
    table = [
        [
            row.name,
            *(three(values[place]) for values in columns.values()),
            three(float(np.mean([values[place] for values in columns.values()]))),
        ]
        for place, row in enumerate(rows)
    ]
    found.sheets.append(
        PaperTable("table 8", "Several tasks (tables 8 and 9)", ["feature set", *columns, "average"], table)
    )


def _largest(labels: Labels, hosts: list[str], main: str) -> list[str]:
    """The tasks with most positives, as long as they are no tiny share."""
    counts = [
        (yes, task)
        for task, yes, no in labels.distribution(hosts)
        if task != main and min(yes, no) >= max(LEAST_SHARE * (yes + no), 10)
    ]
    return [task for _, task in sorted(counts, key=lambda pair: (-pair[0], pair[1]))]


def _moving_content(found: Experiment, trial: Trial) -> None:
    if "Ave" not in trial.matrix.sets:
        return
    rows = []
    for row in named.choose(named.MOVING_CONTENT, trial.matrix):
        outcome = trial.combine(row.sets)
        rows.append([row.name, outcome.features, three(outcome.auc), three(outcome.deviation)])
    found.sheets.append(
        PaperTable("table 12", "Content in motion (table 12)", ["feature set", "features", "AUC", "±"], rows)
    )


def _weights(found: Experiment, trial: Trial) -> None:
    outcome = found.outcomes.get(named.EVERYTHING) or found.outcomes.get(named.STATIC)
    if outcome is None:
        return
    rows = [
        [name, len(trial.matrix.sets[name][0]), f"{100 * weight:.1f}%"]
        for name, weight in sorted(outcome.set_weights.items(), key=lambda pair: -pair[1])
    ]
    found.sheets.append(
        PaperTable(
            "weights",
            "Weight of each feature set in the ensemble",
            ["feature set", "features", "weight"],
            rows,
        )
    )


def _models(found: Experiment, trial: Trial) -> None:
    rows: list[list[Any]] = [
        [
            name,
            three(outcome.auc),
            outcome.best_member,
            three(outcome.best_member_auc),
            f"{outcome.best_member_auc - outcome.auc:+.3f}",
            f"{outcome.best_member_p:.3f}",
        ]
        for name, outcome in found.outcomes.items()
    ]
    first = next(iter(found.outcomes.values()), None)
    note = ""
    if first is not None:
        dealt = trial.shuffled(first.sets[0])
        better = [name for name, outcome in found.outcomes.items() if outcome.best_member_p < 0.05]
        told = f"better for {', '.join(better)}" if better else "better than its ensemble"
        note = (
            f"{'A' if better else 'No'} single model is significantly {told} (p < 0.05: DeLong, one-sided, "
            "corrected by Holm's method for all models of a row, since the best is known only afterwards). "
            f"With labels dealt out at random among groups, set {first.sets[0]} has an AUC of "
            f"{dealt.auc:.3f} ± {dealt.deviation:.3f}."
        )
    found.sheets.append(
        PaperTable(
            "models",
            "Ensembles, and the single model that turned out best",
            ["feature set", "AUC", "best model", "its AUC", "ahead", "p"],
            rows,
            note,
        )
    )


def _costs(found: Experiment, snapshot: Snapshot, matrix: HostMatrix, trial: Trial) -> None:
    made = {}
    for name in matrix.sets:
        if name in named.PARTS or name not in matrix.made:
            continue
        made[name] = describe_made(snapshot, name, kept=True)
    found.sheets.append(
        PaperTable(
            "table 13",
            "What feature sets cost (table 13)",
            ["feature set", "hosts", "features", "pages", "CPU seconds", "seconds", "MiB", "pages/s a core"],
            [
                [
                    one.name,
                    one.hosts,
                    one.features,
                    one.pages,
                    f"{one.cost.cpu_seconds:.1f}",
                    f"{one.cost.wall_seconds:.1f}",
                    one.cost.peak_bytes >> 20,
                    round(one.pages_per_second),
                ]
                for one in made.values()
            ],
        )
    )
    rows: list[list[Any]] = []
    for row in named.choose(named.CONFIGURATIONS, matrix):
        outcome = trial.combine(row.sets)
        seconds = sum(made[name].cost.cpu_seconds for name in row.sets if name in made)
        peak = max((made[name].cost.peak_bytes for name in row.sets if name in made), default=0) >> 20
        rows.append(
            [
                row.name,
                len(matrix.hosts),
                " + ".join(row.sets),
                three(outcome.auc),
                three(outcome.deviation),
                f"{seconds:.1f}",
                peak,
            ]
        )
    found.sheets.append(
        PaperTable(
            "table 14",
            "Configurations (table 14)",
            ["configuration", "hosts", "feature sets", "AUC", "±", "CPU seconds", "MiB"],
            rows,
        )
    )
