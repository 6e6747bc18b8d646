"""webstrata graph: a group of commands, one file each, loaded when used."""

from __future__ import annotations

import click

from webstrata.cli.group import LazyGroup

COMMANDS = {
    "build": "Compress the links of SNAPSHOT to a graph, forward and transposed.",
    "check": "Decode a whole graph, and say what of its files is damaged.",
    "convert": "Write a graph in another format.",
    "links": "List the pages that URL links to, or that link to it.",
    "stats": "Describe a graph: degrees, components, bow tie, distances.",
}


@click.command(
    "graph",
    cls=LazyGroup,
    package=__name__,
    summaries=COMMANDS,
    epilog="Example: webstrata graph build uk 2026-06",
)
def command() -> None:
    """Build and query SNAPSHOT's link graph."""
