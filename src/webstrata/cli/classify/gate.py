"""webstrata classify gate: learn what stops a crawl at the first pages of a host."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from webstrata.classify.settings import GateSettings
from webstrata.cli.options import collection_argument, json_option, options, snapshot_argument
from webstrata.cli.output import TerminalProgress, beginning_anew, show, show_bytes, show_json
from webstrata.cli.verb import verb
from webstrata.collection.sentences import tell_count

if TYPE_CHECKING:
    from webstrata.api import Collection


@verb("gate", epilog="Example: webstrata classify gate uk 2026-06 --labels labels.csv --output spam.gate")
@collection_argument
@snapshot_argument
@click.option(
    "--labels",
    required=True,
    metavar="FILE",
    help="Labels of hosts: CSV with the columns host and label, or host and one column per task; `truth` for "
    "those of a synthetic web.",
)
@click.option("--task", default="spam", metavar="NAME", help="What is refused, a task of the labels. [spam]")
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Where the gate goes; TASK.gate in this folder, if not given.",
)
@options(GateSettings)
@json_option
@beginning_anew()
def command(
    collection: Collection,
    label: str,
    labels: str,
    task: str,
    output: Path | None,
    gate_options: dict[str, object],
    *,
    as_json: bool,
) -> None:
    """Learn a gate from the hosts of SNAPSHOT that are labelled: what `webstrata crawl --gate` takes.

    A gate sees only the first pages of each host. Quality is measured on hosts that its models had not seen.
    """
    from webstrata.classify.learning.lessons import learn_gate

    snapshot = collection[label]
    settings = snapshot.settings(GateSettings, gate_options)
    path = output or Path(f"{task.replace('/', '-').replace(' ', '-')}.gate")
    trained = learn_gate(
        snapshot,
        labels,
        task=task,
        output=path,
        settings=settings,
        progress=TerminalProgress(),
    )
    if as_json:
        show_json({"gate": str(path), **trained.to_dict()})
        return
    click.echo(f"{collection.path} {label}, {task}: {trained.summary}\n")
    show(trained)
    click.echo()
    size = show_bytes(path.stat().st_size)
    thresholds = trained.thresholds
    if not thresholds:
        honest = trained.hosts - trained.spam
        click.echo(
            f"Gate: {path} ({size}), refuses nobody: with {tell_count(honest, 'honest host')} no loss below "
            f"{100 / (honest + 1):.2g}% can be promised; label more, or take a larger `--max-loss`."
        )
        return
    told = ", ".join(f"{value:.3f} ({name})" for name, value in thresholds.items())
    click.echo(f"Gate: {path} ({size}), refuses from {told} on.")
