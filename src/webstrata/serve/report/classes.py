"""Sheets of classification: what feature sets cost, and the tables of SPAM where labels are known."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from webstrata.classify.feature_sets import SETS, describe_made, part_name
from webstrata.serve.report.sheet import Missing, Sheet, Table, to_drawings

if TYPE_CHECKING:
    from webstrata.api import Collection, Snapshot
    from webstrata.classify.settings import TrainSettings
    from webstrata.collection.progress import Progress

DRAWS = 3
"""Draws for each share of labels in figure 2; `webstrata classify experiment` makes ten."""
TASKS = 3
"""Tasks of tables 8 and 9 beside the main one; `webstrata classify experiment` has eight."""


def make_features(collection: Collection) -> list[Sheet | Missing]:
    """Hosts, features and cost of every feature set that is there.

    Examples
    --------
    >>> import webstrata as ws
    >>> make_features(ws.create(getfixture("tmp_path") / "uk"))[0].command
    'webstrata classify features ...uk SNAPSHOT'
    """
    rows: list[list[Any]] = []
    for snapshot in collection:
        for name in SETS:
            if part_name(name) in snapshot.parts:
                made = describe_made(snapshot, name, kept=True)
                rows.append(
                    [
                        snapshot.label,
                        name,
                        made.hosts,
                        made.features,
                        made.pages,
                        round(made.cost.cpu_seconds, 2),
                    ]
                )
    label = rows[-1][0] if rows else (collection.labels or ["SNAPSHOT"])[-1]
    command = f"webstrata classify features {collection.word} {label}"
    if not rows:
        return [Missing("features of hosts", command)]
    table = Table("Feature sets", ["snapshot", "set", "hosts", "features", "pages", "CPU seconds"], rows)
    return [Sheet("features", "Features of hosts", tables=[table], command=command)]


def list_feature_parts(snapshot: Snapshot) -> tuple[str, ...]:
    """The feature sets that a snapshot has, as names of parts.

    Examples
    --------
    >>> import webstrata as ws
    >>> list_feature_parts(ws.create(getfixture("tmp_path") / "uk").add("2026-06"))
    ()
    """
    return tuple(part_name(name) for name in SETS if part_name(name) in snapshot.parts)


def make_experiment(
    snapshot: Snapshot,
    progress: Progress,
    labels: str = "truth",
    task: str = "spam",
    settings: TrainSettings | None = None,
) -> Sheet:
    """The tables of SPAM on the hosts of a snapshot, by labels.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata.collection.progress import Progress
    >>> make_experiment(ws.create(getfixture("tmp_path") / "uk").add("2026-06"), Progress())
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...
    """
    # learning takes the extra `classify`, which telling of features does not
    from webstrata.classify.experiments import run_experiment
    from webstrata.classify.labels import load_labels
    from webstrata.classify.settings import TrainSettings
    from webstrata.serve.figures.classify import draw_experiment

    settings = settings or snapshot.settings(TrainSettings)
    together = "domain or address" if settings.together == "both" else settings.together
    known = load_labels(labels, snapshot, task=task)
    found = run_experiment(
        snapshot, known, task, most_tasks=TASKS, settings=settings, draws=DRAWS, progress=progress
    )
    tables = [Table(table.title, table.columns, table.rows, table.note) for table in found.tables]
    return Sheet(
        "experiment",
        f"Telling {task} apart in {snapshot.label}",
        [
            "Every AUC is that of hosts that neither a model nor the choice of models has seen, hosts of one "
            f"{together} on one side of every split; ± is its standard deviation."
        ],
        tables,
        to_drawings(draw_experiment(found), "classify"),
        f"webstrata classify experiment {snapshot.collection.word} --labels {shlex.quote(labels)} "
        f"--task {task}",
        [f"Warning: {sentence}." for sentence in found.warnings],
    )
