"""webstrata invitro: a group of commands, one file each, loaded when used."""

from __future__ import annotations

import click

from webstrata.cli.group import LazyGroup

COMMANDS = {
    "describe": "Describe a synthetic web in numbers and plots.",
    "judge": "Report every impolite request in a server's log.",
    "serve": "Serve one month of a synthetic web over HTTP.",
    "truth": "Write the truth about a month as a part of COLLECTION's SNAPSHOT.",
}


@click.command(
    "invitro",
    cls=LazyGroup,
    package=__name__,
    summaries=COMMANDS,
    epilog="Example: webstrata invitro serve --preset small --seed 7",
)
def command() -> None:
    """Serve and describe a synthetic web, and judge its visitors."""
