"""webstrata temporal: a group of commands, one file each, loaded when used."""

from __future__ import annotations

import click

from webstrata.cli.group import LazyGroup

COMMANDS = {
    "bias": "Estimate how the limits of the crawls bias the sample.",
    "stats": "Report what the snapshots have in common, and the size of their union.",
}


@click.command(
    "temporal",
    cls=LazyGroup,
    package=__name__,
    summaries=COMMANDS,
    epilog="Example: webstrata temporal stats uk",
)
def command() -> None:
    """Report what snapshots have in common, and the bias of crawl limits."""
