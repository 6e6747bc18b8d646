"""webstrata invitro: a group of commands, one file each, loaded when used."""

from __future__ import annotations

import importlib

import click

from webstrata.collection.settings import unknown_name

COMMANDS = {
    "describe": "Tell what an in-vitro web looks like, in numbers and plots.",
    "judge": "Report every impolite request in a server's log.",
    "serve": "Serve one month of an in-vitro web over HTTP.",
    "truth": "Write the truth about a month as a part of COLLECTION's SNAPSHOT.",
}


class Commands(click.Group):
    """The commands of `invitro`, each in a module of its own name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in alphabetical order."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load the module of a command."""
        if cmd_name not in COMMANDS:
            raise click.UsageError(unknown_name("webstrata invitro", cmd_name, "command", COMMANDS), ctx)
        command: click.Command = importlib.import_module(f"webstrata.cli.invitro.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))


@click.command("invitro", cls=Commands, epilog="Example: webstrata invitro serve --preset small --seed 7")
def command() -> None:
    """A web that does not exist: serve it, describe it, judge its visitors."""
