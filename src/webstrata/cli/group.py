"""A group of commands, one module each, loaded when used: `webstrata` itself, and verbs with commands."""

from __future__ import annotations

import difflib
import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webstrata.cli.output import say
from webstrata.cli.verb import Verb

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class LazyGroup(click.Group):
    """Commands that are loaded when they are used.

    Parameters
    ----------
    package
        The package of the modules.
    summaries
        Each command with the first line of its help, so that a list of them loads none.
    modules
        The modules of commands that are not in the module of their own name, and do not call it `command`:
        ``"steer:pause"``, or ``"pipeline"``.
    sections
        Headings of the help, each with its commands.
    default
        The command that is meant if the first word is not a command. After ``--`` it is always meant.
    aliases
        Other words for commands.
    """

    command_class = Verb

    def __init__(
        self,
        *args: Any,  # noqa: ANN401
        package: str,
        summaries: Mapping[str, str],
        modules: Mapping[str, str] | None = None,
        sections: Mapping[str, Sequence[str]] | None = None,
        default: str | None = None,
        aliases: Mapping[str, str] | None = None,
        **rest: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(*args, **rest)
        self._package, self.summaries = package, summaries
        self.modules, self._sections = modules or {}, sections or {"Commands": sorted(summaries)}
        self.default, self._aliases = default, aliases or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in alphabetical order."""
        return sorted(self.summaries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load the module of a command."""
        cmd_name = self._aliases.get(cmd_name, cmd_name)
        if cmd_name not in self.summaries:
            return None
        module, _, name = self.modules.get(cmd_name, cmd_name.replace("-", "_")).partition(":")
        command: click.Command = getattr(
            importlib.import_module(f"{self._package}.{module}"), name or "command"
        )
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the name of the usual command before what is not a command's."""
        if self.default is not None and args and args[0] not in self.get_help_option_names(ctx):
            if args[0] not in self.summaries:
                args = [self.default, *args]
            elif not ctx.resilient_parsing:
                note_collection(args[0], ctx.command_path)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or refuse with the nearest one."""
        word = self._aliases.get(args[0], args[0])
        if word not in self.summaries and not word.startswith("-") and not ctx.resilient_parsing:
            near = difflib.get_close_matches(word, list(self.summaries), n=1)
            hint = (
                f"; did you mean {near[0]}?"
                if near
                else f"; choose one of {', '.join(sorted(self.summaries))}"
            )
            raise click.UsageError(f"unknown command {word!r}{hint}", ctx)
        return super().resolve_command(ctx, [word, *args[1:]])

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by section, without loading them."""
        width = max(map(len, self.summaries))
        for heading, names in self._sections.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), self.summaries[name]) for name in names])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Commands and options; for a usual command also what that takes."""
        from click.shell_completion import CompletionItem

        found = [
            CompletionItem(name, help=text)
            for name, text in sorted(self.summaries.items())
            if name.startswith(incomplete)
        ]
        found += click.Command.shell_complete(self, ctx, incomplete)
        usual = self.get_command(ctx, self.default) if self.default else None
        if usual is not None:
            arguments = [one for one in usual.params if isinstance(one, click.Argument)]
            found += arguments[0].shell_complete(ctx, incomplete) if arguments else []
        return found


def note_collection(word: str, command: str) -> None:
    """Say that a word is the command and not the collection of that name in this folder."""
    if Path(word, "collection.toml").is_file():
        say(f"note: {word} is taken as a command; for the collection write `{command} ./{word} …`")
