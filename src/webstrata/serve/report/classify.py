"""Sheets of classification: what feature sets cost, and the tables of SPAM where labels are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstrata.classify.features.feature_sets import describe_made
from webstrata.classify.features.sets import SETS, part_name
from webstrata.collection.action import Action
from webstrata.serve.report.sheet import Missing, Sheet, SheetTable, to_drawings, to_tables

if TYPE_CHECKING:
    from webstrata.api import Collection, Snapshot
    from webstrata.classify.settings import TrainSettings
    from webstrata.collection.progress import Progress

DRAWS = 3
"""Draws for each share of labels in figure 2, which the sheet says; SPAM makes ten."""
TASKS = 3
"""Tasks of tables 8 and 9 in addition to the main one; a full experiment has eight."""


def make_features(collection: Collection) -> list[Sheet | Missing]:
    """Hosts, features and cost of every feature set that is there.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.classify.features.feature_sets import build_set
    >>> snapshot = testing.snapshot()
    >>> _ = build_set(snapshot, "A")
    >>> [sheet] = make_features(snapshot.collection)
    >>> sheet.tables[0].columns[:5], sheet.tables[0].rows[0][:5]
    (['snapshot', 'set', 'hosts', 'features', 'pages'], ['2026-06', 'A', 5, 48, 15])
    """
    rows: list[list[Any]] = []
    for snapshot in collection:
        for name in SETS:
            if part_name(name) in snapshot.parts:
                made = describe_made(snapshot, name, kept=True)
                rows.append(
                    [
                        snapshot.date,
                        name,
                        made.hosts,
                        made.features,
                        made.pages,
                        round(made.cost.cpu_seconds, 2),
                    ]
                )
    label = rows[-1][0] if rows else (collection.dates or ["SNAPSHOT"])[-1]
    command = Action("classify features", str(collection.path), label).command
    if not rows:
        return [Missing("features of hosts", command)]
    table = SheetTable("Feature sets", ["snapshot", "set", "hosts", "features", "pages", "CPU seconds"], rows)
    return [Sheet("features", "Features of hosts", tables=[table], command=command)]


def list_feature_parts(snapshot: Snapshot) -> tuple[str, ...]:
    """The feature sets that a snapshot has, as names of parts.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.classify.features.feature_sets import build_set
    >>> snapshot = testing.snapshot()
    >>> _ = build_set(snapshot, "A")
    >>> list_feature_parts(snapshot)
    ('features-a',)
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
    >>> from webstrata import testing
    >>> from webstrata.classify.features.feature_sets import build_set
    >>> from webstrata.classify.settings import TrainSettings
    >>> from webstrata.collection.progress import Progress
    >>> pages = {f"http://h{n}.example/": "<p>cheap pills " * (n + 1) for n in range(12)}
    >>> snapshot, path = testing.snapshot_of(pages), testing.scratch() / "labels.csv"
    >>> _ = build_set(snapshot, "A")
    >>> spam = ["host,spam", *(f"h{n}.example,{'yes' if n >= 6 else 'no'}" for n in range(12))]
    >>> _ = path.write_text(chr(10).join(spam))
    >>> settings = TrainSettings(library="small", folds=2)
    >>> sheet = make_experiment(snapshot, Progress(), str(path), settings=settings)
    >>> sheet.title, len(sheet.tables)
    ('Telling spam apart in 2026-06', 5)
    """
    # learning takes the extra `classify`, which telling of features does not
    from webstrata.classify.experiments import run_experiment
    from webstrata.classify.learning.labels import load_labels
    from webstrata.classify.settings import TrainSettings

    settings = settings or snapshot.settings(TrainSettings)
    known = load_labels(labels, snapshot, task=task)
    found = run_experiment(
        snapshot, known, task, most_tasks=TASKS, settings=settings, draws=DRAWS, progress=progress
    )
    return Sheet(
        "experiment",
        f"Telling {task} apart in {snapshot.date}",
        [
            f"{found.measured} ± is its standard deviation.",
            f"Figure 2 has {DRAWS} draws for each share of labels, and tables 8 and 9 have {TASKS + 1} tasks "
            "at most; SPAM has ten draws and nine tasks, as `classify experiment` has.",
        ],
        to_tables(found),
        to_drawings(found.figures(), "classify"),
        Action.on(snapshot.collection, "classify experiment", labels=labels, task=task).command,
        [f"Warning: {sentence}." for sentence in found.warnings],
    )
