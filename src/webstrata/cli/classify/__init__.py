"""webstrata classify: a group of commands, one file each, loaded when used."""

from __future__ import annotations

import click

from webstrata.cli.group import LazyGroup

COMMANDS = {
    "experiment": "Compare feature sets and models by labels, as the tables of SPAM do.",
    "features": "Measure the hosts of SNAPSHOT: what their pages say, and who links to them.",
    "gate": "Learn a gate from labels: what stops a crawl at the first pages of a spam host.",
    "label": "Label hosts of SNAPSHOT, their pages shown one after the other.",
    "predict": "Score the hosts of SNAPSHOT by a model, and say why.",
    "train": "Learn from labels what tells hosts apart, and keep it as a model file.",
}


@click.command(
    "classify",
    cls=LazyGroup,
    package=__name__,
    summaries=COMMANDS,
    epilog="Example: webstrata classify features uk 2026-06 --sets A,B,link",
)
def command() -> None:
    """Classify hosts: measure features, learn from labels, score other hosts."""
