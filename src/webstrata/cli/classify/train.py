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
    show,
    show_bytes,
    show_json,
)
from webstrata.cli.verb import verb

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webstrata.api import Collection

_LABELS = (
    "Labels of hosts: CSV with the columns host and label, or host and one column per task; a file of "
    "WEBSPAM-UK2006, WEBSPAM-UK2007 or DC2010; `table` for those given on the pages of `serve`, `truth` for "
    "those of a synthetic web."
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
    on both sides of a split. The AUC is that of hosts that a model was not trained on, by which the
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
    card = model.card()
    if as_json:
        show_json({"model": str(path), **card.to_dict()})
        return
    click.echo(card.summary)
    show(card)
    click.echo(f"Model: {path} ({show_bytes(path.stat().st_size)})")
