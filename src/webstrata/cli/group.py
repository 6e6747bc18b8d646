"""A verb with commands of its own, one module each, loaded when used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import click

from webstrata.collection.settings import unknown_name

if TYPE_CHECKING:
    from collections.abc import Mapping


class Group(click.Group):
    """The commands of a verb: each the `command` of the module of its name in the verb's package.

    Parameters
    ----------
    package
        The package of the modules.
    summaries
        Each command with the line of help that stands beside it in the list.
    """

    def __init__(self, *, package: str, summaries: Mapping[str, str], **rest: Any) -> None:  # noqa: ANN401
        super().__init__(**rest)
        self._package, self._summaries = package, summaries

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in alphabetical order."""
        return sorted(self._summaries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load the module of a command."""
        if cmd_name not in self._summaries:
            raise click.UsageError(
                unknown_name(f"webstrata {self.name}", cmd_name, "command", self._summaries), ctx
            )
        command: click.Command = importlib.import_module(f"{self._package}.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(self._summaries.items()))
