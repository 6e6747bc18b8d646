"""A verb: a command with the options, sections, old spellings and error messages that all verbs share.

Every verb has -q/--quiet and -v/--verbose. Old spellings of options work for one release, with a note on
stderr. Settings errors name the option that was typed.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import click

from webstrata.cli.output import QUIET, say
from webstrata.errors import SettingError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Verb(click.Command):
    """A command of webstrata.

    Parameters
    ----------
    renamed
        Old spellings of options, each with the one that replaces it.
    sections
        Headings of the help, each with the names of its options; the others are listed under `Options`.
    named
        Settings whose option has another name than the setting: ``{"preset": "--invitro"}``.
    """

    def __init__(
        self,
        *args: Any,  # noqa: ANN401
        renamed: Mapping[str, str] | None = None,
        sections: Mapping[str, Sequence[str]] | None = None,
        named: Mapping[str, str] | None = None,
        **rest: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(*args, **rest)
        self.renamed = dict(renamed or {})
        self.sections = dict(sections or {})
        self.named = dict(named or {})
        self.params += [
            click.Option(
                ["-q", "--quiet"],
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=_set_quiet,
                help="Print no progress and no notes.",
            ),
            click.Option(
                ["-v", "--verbose"],
                count=True,
                expose_value=False,
                callback=_set_verbose,
                help="Print log messages on stderr; -vv prints more.",
            ),
        ]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Replace old spellings of options, with a note."""
        is_quiet = ctx.resilient_parsing or bool({"-q", "--quiet"} & set(args))
        return super().parse_args(ctx, replace_old(args, self.renamed, is_quiet=is_quiet))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the options by section, those that every verb has at the end."""
        homes = {name: heading for heading, names in self.sections.items() for name in names}
        found: dict[str, list[tuple[str, str]]] = {heading: [] for heading in ("Options", *self.sections)}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                found[homes.get(parameter.name or "", "Options")].append(record)
        for heading in (*self.sections, "Options"):
            if found[heading]:
                with formatter.section(heading):
                    formatter.write_dl(found[heading])

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401
        """Run it; an error about a setting names the option as it was typed."""
        try:
            return super().invoke(ctx)
        except (SettingError, UsageError) as error:
            error.args = (self.name_option(ctx, str(error.args[0])), *error.args[1:])
            raise

    def name_option(self, ctx: click.Context, sentence: str) -> str:
        """A sentence about a setting that came from an option, with the option's name."""
        spelled = {
            option.name: option.opts[-1]
            for option in self.get_params(ctx)
            if isinstance(option, click.Option)
        } | self.named
        source, colon, rest = sentence.partition(": ")
        if not colon:
            return sentence
        if source == "option":
            name, _, about = rest.partition(" ")
            return f"{spelled.get(name, name)} {about}"
        return f"{self.named[source]}: {rest}" if source in self.named else sentence


class VerbGroup(click.Group):
    """A verb with commands in its own module."""

    command_class = Verb


def replace_old(args: list[str], renamed: Mapping[str, str], *, is_quiet: bool = False) -> list[str]:
    """Words of a command with old spellings of options replaced, up to ``--``.

    Examples
    --------
    >>> replace_old(["uk", "--top=5", "--", "--top"], {"--top": "--limit"}, is_quiet=True)
    ['uk', '--limit=5', '--', '--top']
    """
    words: list[str] = []
    for place, word in enumerate(args):
        if word == "--":
            return words + args[place:]
        option, equals, value = word.partition("=")
        if option in renamed:
            if not is_quiet:
                click.echo(f"note: {option} is deprecated; use {renamed[option]}", err=True)
            word = f"{renamed[option]}{equals}{value}"
        words.append(word)
    return words


verb = functools.partial(click.command, cls=Verb)
"""Decorate a function as a verb, or as a command of one."""


def _set_quiet(ctx: click.Context, _parameter: click.Parameter, is_quiet: bool) -> None:  # noqa: FBT001
    if is_quiet:
        ctx.meta[QUIET] = True


def _set_verbose(ctx: click.Context, _parameter: click.Parameter, number: int) -> None:
    if not number or ctx.resilient_parsing:
        return
    import logging

    log = logging.getLogger("webstrata")
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    level = log.level
    log.addHandler(handler)
    log.setLevel(logging.DEBUG if number > 1 else logging.INFO)

    @ctx.call_on_close
    def stop() -> None:
        log.removeHandler(handler)
        log.setLevel(level)


def note_order(command: str) -> None:
    """Say that the words were in the order of the last release."""
    say(f"note: this order of arguments is deprecated; use `{command}`")
