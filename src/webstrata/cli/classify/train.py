"""webstrata classify train: a model of hosts from labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from webstrata.classify.settings import TrainSettings
from webstrata.cli.options import (
    collection_argument,
    json_option,
    old_snapshot_option,
    optional_snapshot_argument,
    options,
)
from webstrata.cli.output import (
    TerminalProgress,
    beginning_anew,
    show_bytes,
    show_json,
    show_table,
    show_warnings,
)
from webstrata.cli.verb import verb
from webstrata.collection.sentences import tell_count

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webstrata.api import Collection
    from webstrata.classify.learning.model_file import HostModel

TOGETHER = {"both": "domain and address", "domain": "domain", "address": "address"}
"""What the setting `together` keeps on one side, in words."""
_LABELS = (
    "Labels of hosts: CSV with the columns host and label, or host and one column per task; a file of "
    "WEBSPAM-UK2006, WEBSPAM-UK2007 or DC2010; `table` for those given on the pages of `serve`, `truth` for "
    "those of an in-vitro web."
)
labels_option = click.option("--labels", required=True, metavar="FILE", help=_LABELS)
optional_labels_option = click.option("--labels", metavar="FILE", help=_LABELS)
webspam_option = click.option(
    "--webspam",
    metavar="DIR",
    help="Folder with the files of WEBSPAM-UK2006, WEBSPAM-UK2007 or DC2010 as published: store their "
    "features in SNAPSHOT, which is created if it does not exist.",
)
test_option = click.option(
    "--test",
    metavar="FILE",
    help="Labels of other hosts, the official test set: measure on these alone. Formats as for --labels.",
)
sets_option = click.option(
    "--sets", metavar="SETS", help="Feature sets to learn from, as A,link; all that are there, if not given."
)


def split_sets(sets: str | None) -> list[str]:
    """The names in an option of sets."""
    return [name.strip() for name in (sets or "").split(",") if name.strip()]


@verb("train", epilog="Example: webstrata classify train uk --labels labels.csv --task spam")
@collection_argument
@optional_snapshot_argument
@labels_option
@click.option("--task", default="spam", metavar="NAME", help="What is learned, a task of the labels. [spam]")
@test_option
@old_snapshot_option
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
    test: str | None,
    label: str | None,
    old_label: str | None,
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
    from webstrata.classify.learning.lessons import choose_snapshot, train_model

    snapshot = choose_snapshot(collection, label or old_label)
    path = output or Path(f"{task.replace('/', '-').replace(' ', '-')}.model")
    model = train_model(
        snapshot,
        labels,
        task=task,
        test=test,
        sets=split_sets(sets),
        output=path,
        settings=snapshot.settings(TrainSettings, train_options),
        progress=TerminalProgress(),
    )
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
    if test := training.get("test"):
        click.echo(
            f"AUC on the test set {test['labels']}: {test['auc']:.3f} ± {test['deviation']:.3f} "
            f"({test['positives']:,} positive, {test['negatives']:,} negative)"
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
