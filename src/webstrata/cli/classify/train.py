"""webstrata classify train: a model of hosts from labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from webstrata.classify.settings import TrainSettings
from webstrata.cli.options import collection_argument, json_option, options
from webstrata.cli.output import (
    TerminalProgress,
    beginning_anew,
    show_bytes,
    show_json,
    show_table,
    show_warnings,
)
from webstrata.collection.sentences import tell_count

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webstrata.api import Collection, Snapshot
    from webstrata.classify.model_file import HostModel

TOGETHER = {"both": "domain and address", "domain": "domain", "address": "address"}
"""What the setting `together` keeps on one side, in words."""
labels_option = click.option(
    "--labels",
    required=True,
    metavar="FILE",
    help="Labels of hosts: CSV with the columns host and label, or host and a column a task; `truth` for "
    "those of an in-vitro web.",
)
snapshot_option = click.option(
    "--snapshot", "label", metavar="SNAPSHOT", help="Whose hosts; the last that has features, if not given."
)
sets_option = click.option(
    "--sets", metavar="SETS", help="Feature sets to learn from, as A,link; all that are there, if not given."
)


def choose_snapshot(collection: Collection, label: str | None) -> Snapshot:
    """The snapshot of that label, or the last that has features."""
    from webstrata.classify.feature_sets import SETS, part_name
    from webstrata.errors import MissingError

    if label:
        return collection[label]
    having = [snapshot for snapshot in collection if any(part_name(name) in snapshot.parts for name in SETS)]
    if not having:
        raise MissingError(
            f"{collection.path}: no snapshot has features; `webstrata classify features {collection.word} "
            "SNAPSHOT` makes them"
        )
    return having[-1]


def split_sets(sets: str | None) -> list[str]:
    """The names in an option of sets."""
    return [name.strip() for name in (sets or "").split(",") if name.strip()]


@click.command("train", epilog="Example: webstrata classify train uk --labels labels.csv --task spam")
@collection_argument
@labels_option
@click.option("--task", default="spam", metavar="NAME", help="What is learned, a task of the labels. [spam]")
@snapshot_option
@sets_option
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Where the model goes; TASK.model in this folder, if not given.",
)
@options(TrainSettings)
@json_option
@beginning_anew()
def command(
    collection: Collection,
    labels: str,
    task: str,
    label: str | None,
    sets: str | None,
    output: Path | None,
    train_options: Mapping[str, object],
    *,
    as_json: bool,
) -> None:
    """Learn from labels what tells hosts apart, and keep it as a model file.

    Ensemble selection over a library of models for each feature set; hosts of one domain or address are never
    on both sides of a split. The AUC told is that of hosts that a model was not trained on, by which the
    models were chosen; `webstrata classify experiment` measures on others.
    """
    from webstrata.classify.labels import load_labels
    from webstrata.classify.matrix import load_matrix
    from webstrata.classify.model_file import save_model
    from webstrata.classify.training import train

    snapshot = choose_snapshot(collection, label)
    settings = snapshot.settings(TrainSettings, train_options)
    progress = TerminalProgress()
    known = load_labels(labels, snapshot, task=task)
    known.find(task)
    matrix = load_matrix(snapshot, split_sets(sets))
    model = train(snapshot, matrix, known, task, settings, progress=progress)
    path = output or Path(f"{task.replace('/', '-').replace(' ', '-')}.model")
    save_model(model, path)
    if as_json:
        show_json({"model": str(path), **describe(model)})
        return
    _show(model, path)
    show_warnings(model.training["warnings"])


def describe(model: HostModel) -> dict[str, object]:
    """The card of a model without its models."""
    estimator = model.estimator
    members = sorted(
        zip(estimator.members_, estimator.weights_.tolist(), estimator.member_scores_.tolist(), strict=True),
        key=lambda entry: -entry[1],
    )
    return {
        "task": model.task,
        "training": model.training,
        "warnings": model.training["warnings"],
        "sets": {name: len(columns) for name, columns in model.columns.items()},
        "set_weights": estimator.set_weights_,
        "family_weights": estimator.family_weights_,
        "hill_climbing_score": estimator.score_,
        "members": [
            {"set": name, "model": member, "weight": weight, "score": score}
            for (name, member), weight, score in members
        ],
    }


def _show(model: HostModel, path: Path) -> None:
    training, estimator = model.training, model.estimator
    click.echo(
        f"{model.task}: {tell_count(training['positives'], 'host')} are, {training['negatives']} are not, in "
        f"{tell_count(training['groups'], 'group')} by {TOGETHER[training['together']]}"
    )
    click.echo(
        f"AUC on hosts not trained on: {training['auc']:.3f} ± {training['deviation']:.3f} "
        f"(best single model: {estimator.member_scores_.max():.3f}); models were chosen by these hosts, and "
        "`webstrata classify experiment` measures on others"
    )
    threshold = training["threshold"]
    click.echo(
        f"Threshold {threshold['value']:.3f}: the best F1 on these hosts, {threshold['f1']:.3f} (precision "
        f"{threshold['precision']:.3f}, recall {threshold['recall']:.3f})"
    )
    if len(model.columns) > 1:
        show_table(
            ["set", "features", "weight"],
            [
                [name, len(model.columns[name]), f"{100 * weight:.1f}%"]
                for name, weight in estimator.set_weights_.items()
            ],
        )
        click.echo()
    show_table(
        ["family", "weight"],
        [[name, f"{100 * weight:.1f}%"] for name, weight in estimator.family_weights_.items()],
    )
    if training["skipped"]:
        click.echo(f"The time budget left out {len(training['skipped'])} models.")
    click.echo(f"Model: {path} ({show_bytes(path.stat().st_size)})")
