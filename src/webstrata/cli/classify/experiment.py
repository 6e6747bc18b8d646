"""webstrata classify experiment: the tables and figures of SPAM on a collection with labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from webstrata.classify.settings import TrainSettings
from webstrata.cli.classify.train import (
    optional_labels_option,
    sets_option,
    split_sets,
    test_option,
    webspam_option,
)
from webstrata.cli.options import (
    collection_argument,
    json_option,
    old_snapshot_option,
    optional_snapshot_argument,
    options,
)
from webstrata.cli.output import TerminalProgress, beginning_anew, show, show_json
from webstrata.cli.verb import verb

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webstrata.api import Collection


@verb(
    "experiment",
    epilog="Example: webstrata classify experiment uk 2007-05 --webspam WEBSPAM-UK2007",
)
@collection_argument
@optional_snapshot_argument
@optional_labels_option
@webspam_option
@test_option
@click.option("--task", default="spam", metavar="NAME", help="The task of most tables. [spam]")
@click.option(
    "--tasks",
    metavar="NAMES",
    help="Tasks of tables 8 and 9, as news,personal; the largest ones, if not given, and `none` for none.",
)
@old_snapshot_option
@sets_option
@click.option(
    "--draws",
    default=10,
    show_default=True,
    metavar="NUMBER",
    help="Draws for each share of labels in figure 2.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    default=Path("experiment"),
    show_default=True,
    help="Where the page experiment.html goes, with its pictures as SVG and all numbers as JSON.",
)
@options(TrainSettings)
@json_option
@beginning_anew()
def command(
    collection: Collection,
    labels: str | None,
    webspam: str | None,
    test: str | None,
    task: str,
    tasks: str | None,
    label: str | None,
    old_label: str | None,
    sets: str | None,
    draws: int,
    output: Path,
    train_options: Mapping[str, object],
    *,
    as_json: bool,
) -> None:
    """Compare feature sets and models by labels, as the tables of SPAM do.

    Every AUC is that of hosts that neither a model nor the choice of models has seen: those of the test set,
    or of outer folds, hosts of one domain or address on one side of every split. Features are made first,
    with `webstrata classify features`. With --webspam, features, labels and test set are those of a published
    data set, and one command gives its tables.
    """
    import json

    from webstrata.classify.experiments import run_experiment
    from webstrata.classify.learning.lessons import choose_published, choose_snapshot, find_labels
    from webstrata.collection.files import replace_file
    from webstrata.serve.figures.results import write_result
    from webstrata.serve.figures.style import load_altair

    load_altair()  # a missing extra is better said before a long computation than after it
    if webspam is not None:
        snapshot = choose_published(collection, webspam, label or old_label)
    else:
        snapshot = choose_snapshot(collection, label or old_label)
    settings = snapshot.settings(TrainSettings, train_options)
    progress = TerminalProgress()
    known, measured = find_labels(snapshot, labels, test=test, webspam=webspam, task=task, progress=progress)
    found = run_experiment(
        snapshot,
        known,
        task,
        test=measured,
        tasks=None if tasks is None else [name for name in split_sets(tasks) if name != "none"],
        sets=split_sets(sets),
        settings=settings,
        draws=draws,
        progress=progress,
    )
    name = f"{collection.path.name} {snapshot.date}: {task}"
    paths = write_result(found, output, page="experiment", title=name)
    replace_file(
        output / "experiment.json", json.dumps(found.to_dict(), indent=1, ensure_ascii=False).encode()
    )
    if as_json:
        show_json(found.to_dict() | {"page": str(paths[-1])})
        return
    show(found)
    click.echo(f"\n{found.measured}\nPage: {paths[-1]}")
