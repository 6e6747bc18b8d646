"""All tables and figures of one collection: what is fitted, what is combined, and how it is laid out."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata.classify.addresses import crowded, find_addresses
from webstrata.classify.experiments import rows as named
from webstrata.classify.experiments.sensitivity import DRAWS, SHARES, Sensitivity, measure_sensitivity
from webstrata.classify.experiments.trial import Outcome, Trial
from webstrata.classify.feature_sets import describe_made
from webstrata.classify.labels import tell_unknown
from webstrata.classify.matrix import HostMatrix, load_matrix
from webstrata.classify.settings import TrainSettings
from webstrata.classify.sites import open_sites
from webstrata.classify.splits import group_hosts
from webstrata.classify.training import warn_labels
from webstrata.collection.progress import Progress
from webstrata.errors import MissingError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from webstrata.classify.labels import Labels
    from webstrata.collection import Collection, Snapshot

TREES = "trees at cost"
MOST_TASKS = 8
LEAST_SHARE = 0.01
"""Tasks with fewer positives are left out of tables 8 and 9, as in SPAM."""


@dataclass(frozen=True)
class Table:
    """A table as it is printed, with what it is called in SPAM."""

    key: str
    title: str
    columns: list[str]
    rows: list[list[Any]]
    note: str = ""


@dataclass
class Experiment:
    """What an experiment found."""

    task: str
    snapshot: str
    tables: list[Table] = field(default_factory=list)
    sensitivity: list[Sensitivity] = field(default_factory=list)
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    """The ensembles of the main task by the names of their rows."""
    warnings: list[str] = field(default_factory=list)
    """Why the tables should not be relied on, where there are few labels."""

    def table(self, key: str) -> Table:
        """The table of that name."""
        return next(table for table in self.tables if table.key == key)

    def to_json(self) -> dict[str, Any]:
        """Everything but the scores of hosts."""
        return {
            "task": self.task,
            "snapshot": self.snapshot,
            "tables": [asdict(table) for table in self.tables],
            "figure 2": [asdict(one) for one in self.sensitivity],
            "warnings": self.warnings,
        }


def run_experiment(
    snapshot: Snapshot,
    labels: Labels,
    task: str = "spam",
    *,
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
    >>> import webstrata as ws
    >>> from webstrata.classify.labels import Labels
    >>> run_experiment(ws.create(getfixture("tmp_path") / "uk").add("2026-06"), Labels("x.csv", {"news": {}}))
    Traceback (most recent call last):
    webstrata.errors.UsageError: x.csv: spam is no task of these labels; known are news
    """
    settings = settings or TrainSettings()
    progress = progress or Progress()
    labels.find(task)
    matrix = named.with_parts(load_matrix(snapshot, sets))
    rows, truth, unknown = labels.match(task, matrix.hosts, folds=settings.folds)
    if unknown:
        progress.note(tell_unknown(unknown))
    addresses = find_addresses(snapshot, matrix.hosts, progress=progress)

    def group(places: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        # of the labelled hosts alone: one without a label is in no split, and joins no others
        hosts = [matrix.hosts[place] for place in places]
        shared = None if settings.together == "domain" else [addresses[place] for place in places]
        return group_hosts(hosts, shared, domains=settings.together != "address")

    found = Experiment(task, snapshot.label, warnings=warn_labels(truth, group(rows)))
    found.tables += [
        _snapshots(snapshot.collection, labels, task),
        _addresses(matrix.hosts, addresses, labels.find(task)),
        _distribution(labels, matrix.hosts),
    ]
    trial = Trial(matrix.rows(rows), truth, group(rows), settings, progress)
    _feature_sets(found, trial)
    if tasks is None:
        tasks = _largest(labels, matrix.hosts, task)[:most_tasks]
    _tasks(found, labels, tasks, matrix, group, trial, progress)
    _moving_links(found, trial)
    _moving_content(found, trial)
    _weights(found, trial)
    _models(found, trial)
    _costs(found, snapshot, matrix)
    small = [
        name
        for name in ("A", "B", "link", named.RATES, named.XJACCARD, named.PSIMRANK, "bm25")
        if name in trial.matrix.sets
    ]
    found.sensitivity = measure_sensitivity(
        trial.matrix,
        truth,
        trial.groups,
        small,
        shares=shares,
        draws=draws,
        seed=settings.seed,
        progress=progress,
    )
    found.tables = [table for table in found.tables if table.rows]
    return found


def _snapshots(collection: Collection, labels: Labels, task: str) -> Table:
    labelled = labels.find(task)
    rows = []
    for snapshot in collection:
        if "urls" not in snapshot.parts:
            continue
        hosts = open_sites(snapshot).names
        there = [labelled[host] for host in hosts if host in labelled]
        rows.append([snapshot.label, len(hosts), len(there), sum(there), len(there) - sum(there)])
    return Table(
        "table 1",
        "Hosts and labels of each snapshot (table 1, figure 1)",
        ["snapshot", "hosts", "labelled", task, f"not {task}"],
        rows,
    )


def _addresses(hosts: list[str], addresses: Sequence[str | None], labelled: dict[str, bool]) -> Table:
    rows: list[list[Any]] = []
    for address, count in crowded(addresses):
        if count < 2:
            continue
        here = [host for host, one in zip(hosts, addresses, strict=True) if one == address]
        known = [labelled[host] for host in here if host in labelled]
        rows.append([count, address, sum(known), len(known) - sum(known), ", ".join(here[:3])])
    return Table(
        "table 4",
        "Addresses that serve most hosts (table 4)",
        ["hosts", "address", "positive", "negative", "some of them"],
        rows,
    )


def _distribution(labels: Labels, hosts: list[str]) -> Table:
    rows = [
        [task, yes, no, f"{100 * yes / (yes + no):.1f}%"]
        for task, yes, no in labels.distribution(hosts)
        if yes + no
    ]
    return Table("table 5", "Labels (tables 2, 3 and 5)", ["task", "yes", "no", "share"], rows)


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
            cells: list[Any] = [row.name, outcome.features, _three(outcome.auc), _three(outcome.deviation)]
            if base is not None:
                compared = trial.compare(base, outcome)
                cells += [f"{compared.difference:+.3f}", f"{compared.p_value:.3f}"]
            else:
                cells += ["", ""]
            rows.append(cells)
        found.tables.append(Table(key, title, columns, rows))
    everything, static = found.outcomes.get(named.EVERYTHING), found.outcomes.get(named.STATIC)
    if everything and static and everything.sets != static.sets:
        compared = trial.compare(static, everything)
        note = (
            f"Features in motion add {compared.difference:+.3f} ± {compared.deviation:.3f} to everything "
            f"static (p = {compared.p_value:.3f})."
        )
        found.tables[-1] = Table("table 7", found.tables[-1].title, columns, found.tables[-1].rows, note)
    elif everything:  # nothing moves
        found.tables[-1].rows.pop()


def _tasks(
    found: Experiment,
    labels: Labels,
    tasks: Sequence[str],
    matrix: HostMatrix,
    group: Callable[[npt.NDArray[np.int64]], npt.NDArray[np.int64]],
    main: Trial,
    progress: Progress,
) -> None:
    rows = named.choose(named.TASKS, matrix)
    columns: dict[str, list[float]] = {}
    for task in dict.fromkeys([found.task, *tasks]):
        trial = main
        if task != found.task:
            places, truth, _ = labels.match(task, matrix.hosts)
            settings = main.settings
            try:
                trial = Trial(matrix.rows(places), truth, group(places), settings, progress)
            except MissingError as error:
                progress.note(f"task {task} is left out: {error}")
                continue
        columns[task] = [trial.combine(row.sets).auc for row in rows]
    if len(columns) < 2:
        return
    table = [
        [
            row.name,
            *(_three(values[place]) for values in columns.values()),
            _three(float(np.mean([values[place] for values in columns.values()]))),
        ]
        for place, row in enumerate(rows)
    ]
    found.tables.append(
        Table("table 8", "Several tasks (tables 8 and 9)", ["feature set", *columns, "average"], table)
    )


def _largest(labels: Labels, hosts: list[str], main: str) -> list[str]:
    """The tasks with most positives, as long as they are no tiny share."""
    counts = [
        (yes, task)
        for task, yes, no in labels.distribution(hosts)
        if task != main and min(yes, no) >= max(LEAST_SHARE * (yes + no), 10)
    ]
    return [task for _, task in sorted(counts, key=lambda pair: (-pair[0], pair[1]))]


def _moving_links(found: Experiment, trial: Trial) -> None:
    if named.RATES not in trial.matrix.sets:
        return
    together, alone = [], []
    for row in named.choose(named.MOVING_LINKS, trial.matrix):
        # SPAM learns from the columns of all sets at once here; beside it stands the combination
        joined = row.name
        if len(row.sets) > 1:
            names = [name for some in row.sets for name in trial.matrix.sets[some][0]]
            values = np.hstack([trial.matrix.sets[some][1] for some in row.sets])
            trial.matrix.sets[joined] = (names, values)
        else:
            joined = row.sets[0]
        whole = trial.combine([joined])
        apart = trial.combine(row.sets)
        together.append(
            [row.name, whole.features, _three(whole.auc), _three(apart.auc), _three(apart.deviation)]
        )
        if any(member.startswith(TREES) for member in trial.fit(joined).names):
            alone.append([row.name, whole.features, _three(trial.family_auc(joined, TREES))])
    found.tables += [
        Table(
            "table 10",
            "Links in motion (table 10)",
            ["feature set", "features", "learned together", "apart, combined", "±"],
            together,
        ),
        Table(
            "table 11",
            "Links in motion, by bagged cost-sensitive trees alone (table 11)",
            ["feature set", "features", "AUC"],
            alone,
        ),
    ]


def _moving_content(found: Experiment, trial: Trial) -> None:
    if "Ave" not in trial.matrix.sets:
        return
    rows = []
    for row in named.choose(named.MOVING_CONTENT, trial.matrix):
        outcome = trial.combine(row.sets)
        rows.append([row.name, outcome.features, _three(outcome.auc), _three(outcome.deviation)])
    found.tables.append(
        Table("table 12", "Content in motion (table 12)", ["feature set", "features", "AUC", "±"], rows)
    )


def _weights(found: Experiment, trial: Trial) -> None:
    outcome = found.outcomes.get(named.EVERYTHING) or found.outcomes.get(named.STATIC)
    if outcome is None:
        return
    rows = [
        [name, len(trial.matrix.sets[name][0]), f"{100 * weight:.1f}%"]
        for name, weight in sorted(outcome.set_weights.items(), key=lambda pair: -pair[1])
    ]
    found.tables.append(
        Table(
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
            _three(outcome.auc),
            outcome.best_member,
            _three(outcome.best_member_auc),
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
    found.tables.append(
        Table(
            "models",
            "Ensembles, and the single model that turned out best",
            ["feature set", "AUC", "best model", "its AUC", "ahead", "p"],
            rows,
            note,
        )
    )


def _costs(found: Experiment, snapshot: Snapshot, matrix: HostMatrix) -> None:
    made = {}
    for name in matrix.sets:
        if name in named.PARTS or name not in matrix.made:
            continue
        made[name] = describe_made(snapshot, name, kept=True)
    found.tables.append(
        Table(
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
        outcome = next((one for one in found.outcomes.values() if set(one.sets) == set(row.sets)), None)
        seconds = sum(made[name].cost.cpu_seconds for name in row.sets if name in made)
        peak = max(made[name].cost.peak_bytes for name in row.sets) >> 20
        value = _three(outcome.auc) if outcome else ""
        rows.append([row.name, len(matrix.hosts), " + ".join(row.sets), value, f"{seconds:.1f}", peak])
    found.tables.append(
        Table(
            "table 14",
            "Configurations (table 14)",
            ["configuration", "hosts", "feature sets", "AUC", "CPU seconds", "MiB"],
            rows,
        )
    )


def _three(value: float) -> str:
    return f"{value:.3f}"
