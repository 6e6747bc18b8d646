"""webstrata summaries: a group of commands, one file each, loaded when used."""

from __future__ import annotations

import click

from webstrata.cli.group import LazyGroup

COMMANDS = {
    "build": "Count the terms of SNAPSHOT's pages, and compress the counts.",
    "show": "Show the summary of URL: its length, and its terms with their counts.",
    "stats": "Report the size of the archive of SNAPSHOT, and which codes would take less.",
}


@click.command(
    "summaries",
    cls=LazyGroup,
    package=__name__,
    summaries=COMMANDS,
    epilog="Example: webstrata summaries build uk 2026-06",
)
def command() -> None:
    """Build and read the archive of SNAPSHOT's summaries."""
