"""webstrata classify experiment: the tables and figures of SPAM on a collection with labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from webstrata.classify.settings import TrainSettings
from webstrata.cli.classify.train import (
    choose_snapshot,
    labels_option,
    sets_option,
    snapshot_option,
    split_sets,
)
from webstrata.cli.options import collection_argument, json_option, options
from webstrata.cli.output import TerminalProgress, beginning_anew, show_json, show_table, show_warnings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webstrata.api import Collection


@click.command("experiment", epilog="Example: webstrata classify experiment uk --labels labels.csv")
@collection_argument
@labels_option
@click.option("--task", default="spam", metavar="NAME", help="The task of most tables. [spam]")
@click.option(
    "--tasks",
    metavar="NAMES",
    help="Tasks of tables 8 and 9, as news,personal; the largest ones, if not given, and `none` for none.",
)
@snapshot_option
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
    labels: str,
    task: str,
    tasks: str | None,
    label: str | None,
    sets: str | None,
    draws: int,
    output: Path,
    train_options: Mapping[str, object],
    *,
    as_json: bool,
) -> None:
    """Compare feature sets and models by labels, as the tables of SPAM do.

    Every AUC is that of hosts that neither a model nor the choice of models has seen, hosts of one domain or
    address on one side of every split. Features are made first, with `webstrata classify features`.
    """
    import json

    from webstrata.classify.experiments import run_experiment
    from webstrata.classify.labels import load_labels
    from webstrata.collection.files import replace_file
    from webstrata.serve.figures.classify import draw_experiment, lay_out_tables
    from webstrata.serve.figures.style import load_altair, write_figures

    load_altair()  # a missing extra is better said before a long computation than after it
    snapshot = choose_snapshot(collection, label)
    settings = snapshot.settings(TrainSettings, train_options)
    known = load_labels(labels, snapshot, task=task)
    found = run_experiment(
        snapshot,
        known,
        task,
        tasks=None if tasks is None else [name for name in split_sets(tasks) if name != "none"],
        sets=split_sets(sets),
        settings=settings,
        draws=draws,
        progress=TerminalProgress(),
    )
    name = f"{collection.path.name} {snapshot.label}: {task}"
    text = (
        "The tables and figures of SPAM on this collection. Every AUC is that of hosts that neither a model "
        "nor the choice of models has seen; ± is its standard deviation, p how likely so large a difference "
        "is by chance."
    )
    text = " ".join([text, *(f"Warning: {sentence}." for sentence in found.warnings)])
    paths = write_figures(
        draw_experiment(found), output, page="experiment", title=name, text=text, above=lay_out_tables(found)
    )
    replace_file(
        output / "experiment.json", json.dumps(found.to_json(), indent=1, ensure_ascii=False).encode()
    )
    if as_json:
        show_json(found.to_json() | {"page": str(paths[-1])})
        return
    for table in found.tables:
        click.echo(table.title)
        show_table(table.columns, table.rows)
        click.echo(f"{table.note}\n" if table.note else "")
    show_warnings(found.warnings)
    click.echo(f"Page: {paths[-1]}")
