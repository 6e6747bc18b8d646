"""webstrata temporal: a group of commands, one file each, loaded when used."""

from __future__ import annotations

import click

from webstrata.cli.group import LazyGroup

COMMANDS = {
    "bias": "Tell what the limits of the crawls did to the sample.",
    "stats": "Tell what the snapshots have in common, and what their union takes.",
}


@click.command(
    "temporal",
    cls=LazyGroup,
    package=__name__,
    summaries=COMMANDS,
    epilog="Example: webstrata temporal stats uk",
)
def command() -> None:
    """Tell what snapshots have in common, and what limits did to them."""
