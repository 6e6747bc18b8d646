"""webstrata classify gate: learn what stops a crawl at the first pages of a host."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import click

from webstrata.classify.settings import GateSettings
from webstrata.cli.options import collection_argument, json_option, options
from webstrata.cli.output import TerminalProgress, beginning_anew, show_bytes, show_json, show_table
from webstrata.collection.sentences import tell_count

if TYPE_CHECKING:
    from webstrata.api import Collection
    from webstrata.classify.gate_training import TrainedGate

LOSSES = (0.0, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1)
"""Shares of honest pages lost for which the trade-off is shown."""


@click.command(
    "gate", epilog="Example: webstrata classify gate uk 2026-06 --labels labels.csv --output spam.gate"
)
@collection_argument
@click.argument("label", metavar="SNAPSHOT")
@click.option(
    "--labels",
    required=True,
    metavar="FILE",
    help="Labels of hosts: CSV with the columns host and label, or host and a column a task; `truth` for "
    "those of an in-vitro web.",
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

    It looks at the first pages of each host alone. What is told is of hosts that its models had not seen.
    """
    from webstrata.classify.addresses import find_addresses
    from webstrata.classify.gate_file import save_gate
    from webstrata.classify.gate_training import sample_snapshot, train_gate
    from webstrata.classify.labels import load_labels, tell_unknown

    snapshot = collection[label]
    settings = snapshot.settings(GateSettings, gate_options)
    progress = TerminalProgress()
    known = load_labels(labels, snapshot, task=task)
    sites, totals = sample_snapshot(snapshot, settings.pages, progress=progress)
    names = [site.host for site in sites]
    _, _, unknown = known.match(task, names, folds=settings.folds)
    if unknown:
        progress.note(tell_unknown(unknown))
    addresses: dict[str, str | None] = {}
    if settings.together == "both":
        addresses = dict(zip(names, find_addresses(snapshot, names, progress=progress), strict=True))
    with progress.task("learning the gate", total=None, unit=""):
        trained = train_gate(
            sites,
            totals,
            known.find(task),
            pages=settings.pages,
            bound=settings.max_loss,
            addresses={name: address for name, address in addresses.items() if address},
            folds=settings.folds,
            seed=settings.seed,
        )
    path = output or Path(f"{task.replace('/', '-').replace(' ', '-')}.gate")
    save_gate(trained, path)
    if as_json:
        show_json({"gate": str(path), **_describe(trained)})
        return
    click.echo(
        f"{trained.spam} of {trained.hosts} labelled hosts are {task}; AUC on hosts not trained on: "
        f"{trained.auc['content']:.3f} by {tell_count(settings.pages, 'page')}, "
        f"{trained.auc['links']:.3f} with their "
        "neighbours."
    )
    click.echo()
    show_table(
        ["honest lost", "cut by content", "hosts", "cut with links", "hosts"],
        [
            [
                f"{100 * loss:g}%",
                *(f"{100 * share:.1f}%" for name in trained.curves for share in _cut(trained, name, loss)),
            ]
            for loss in LOSSES
        ],
    )
    click.echo()
    click.echo(
        "Cut are pages of such hosts behind the first, and the hosts; lost are honest hosts and their pages, "
        "each up to that share."
    )
    size = show_bytes(path.stat().st_size)
    thresholds = _find_thresholds(trained)
    if not thresholds:
        honest = trained.hosts - trained.spam
        click.echo(
            f"Gate: {path} ({size}), refuses nobody: with {tell_count(honest, 'honest host')} no loss below "
            f"{100 / (honest + 1):.2g}% can be promised; label more, or take a larger `--max-loss`."
        )
        return
    told = ", ".join(f"{value:.3f} ({name})" for name, value in thresholds.items())
    click.echo(f"Gate: {path} ({size}), refuses from {told} on.")


def _cut(trained: TrainedGate, name: str, loss: float) -> tuple[float, float]:
    from webstrata.classify.gate_training import at_most

    point = at_most(trained.curves[name], loss)
    return point.spam_pages, point.spam_hosts


def _find_thresholds(trained: TrainedGate) -> dict[str, float]:
    """From which scores on hosts are refused; nothing where nobody is."""
    found = {"content": trained.model.content_threshold, "links": trained.model.links_threshold}
    return {name: value for name, value in found.items() if math.isfinite(value)}


def _describe(trained: TrainedGate) -> dict[str, object]:
    from dataclasses import asdict

    return {
        "hosts": trained.hosts,
        "spam": trained.spam,
        "auc": trained.auc,
        "pages": trained.model.pages,
        "thresholds": {"content": None, "links": None} | _find_thresholds(trained),
        "curves": {name: [asdict(point) for point in points[1:]] for name, points in trained.curves.items()},
    }
