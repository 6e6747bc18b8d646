"""webstrata crawl: a crawl, and the commands that watch and steer one that runs.

`webstrata crawl COLLECTION SNAPSHOT` crawls; where the first word is one of `COMMANDS` it is that command. A
collection of such a name is reached as ``./status`` or after ``--``.
"""

from __future__ import annotations

import difflib
import itertools
from pathlib import Path
from typing import Any

import click

from webstrata.cli.crawl import start
from webstrata.cli.group import LazyGroup, note_collection

COMMANDS = {
    "blacklist": ("steer", "Let a running crawl ask a host or an address for nothing any more."),
    "flush": ("steer", "Write everything a running crawl has fetched to its files."),
    "bot-page": ("bot_page", "Write a page for people who meet the crawler on their hosts."),
    "pause": ("steer", "Pause a running crawl: visits under way end, no others begin."),
    "report": ("report", "Write a report of a crawl as one HTML page, with plots."),
    "resume": ("steer", "Resume a paused crawl."),
    "retry": ("retry", "Retry hosts that a crawl has given up."),
    "set": ("steer", "Change a setting or a filter of a running crawl."),
    "status": ("status", "Show how a running crawl stands."),
    "stop": ("steer", "Stop a running crawl in order."),
    "watch": ("watch", "Show a running crawl until it ends."),
}
"""Each command with its module and the first line of its help."""


class Commands(LazyGroup):
    """The commands for a crawl that runs or has ended."""

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Commands, and collections to crawl into."""
        collection = next(one for one in start.command.params if one.name == "collection")
        return [*super().shell_complete(ctx, incomplete), *collection.shell_complete(ctx, incomplete)]


_start: click.Command = start.command
_commands = Commands(
    "crawl",
    package=__name__,
    summaries={name: about for name, (_, about) in COMMANDS.items()},
    modules={name: f"steer:{name}" for name, (module, _) in COMMANDS.items() if module == "steer"},
)


class Crawl(Commands):
    """The crawl itself, unless the first word is a command."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,  # noqa: ANN401
    ) -> click.Context:
        """Dispatch the arguments to a subcommand."""
        is_completed = bool(extra.get("resilient_parsing"))
        if is_completed:
            chosen = _commands if not args or args[0] in COMMANDS else _start
            return chosen.make_context(info_name, args, parent, **extra)
        _refuse_misspelt(args, parent)
        if found := _find_continuous(args):
            verb, words = found
            return verb.make_context(info_name, words, parent, **extra)
        if args and args[0] in COMMANDS:
            note_collection(args[0], "webstrata crawl")
            return _commands.make_context(info_name, args, parent, **extra)
        return _start.make_context(info_name, args, parent, **extra)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Its own options and arguments, none of which stand before a command."""
        return super().get_params(ctx) if ctx.command is self else []

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """How it is typed, without the word for a command."""
        return click.Command.collect_usage_pieces(self, ctx)


def _find_continuous(args: list[str]) -> tuple[click.Command, list[str]] | None:
    """The command for continuous crawls and its words, where the words are about one."""
    from webstrata.cli.crawl import continuous

    words = list(itertools.takewhile(lambda word: word != "--", args))
    if "--continuous" in words:
        return continuous.command, args
    # of a crawl of one snapshot, `set` has a name and a value
    if (
        words[:1] == ["set"]
        and len(words) > 2
        and words[2].startswith("--")
        and not words[2].startswith("--control")
    ):
        return continuous.change, args[1:]
    return None


def _refuse_misspelt(args: list[str], context: click.Context | None) -> None:
    """Say what is meant where three words begin with one that is nearly a command."""
    words = list(itertools.takewhile(lambda word: not word.startswith("-"), args))
    near = difflib.get_close_matches(words[0], COMMANDS, n=1) if len(words) > 2 else []
    if near and words[0] not in COMMANDS and not Path(words[0]).exists():
        sentence = f"{words[0]} is neither a command nor a collection; did you mean {near[0]}?"
        raise click.UsageError(sentence, context)


command = Crawl(
    "crawl",
    package=__name__,
    summaries=_commands.summaries,
    modules=_commands.modules,
    params=start.command.params,
    callback=start.command.callback,
    help=start.command.help,
    epilog=start.command.epilog,
)
