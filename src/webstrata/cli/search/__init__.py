"""webstrata search: pages by their words, at any time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata.cli.group import Group

if TYPE_CHECKING:
    from collections.abc import Mapping

    import click

COMMANDS: Mapping[str, str] = {
    "pages": "Find pages of COLLECTION by their words (what is done if no command is named).",
}


class SearchGroup(Group):
    """Commands, of which `pages` is meant where the first word names none."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the name of the usual command before what is no command's."""
        if args and args[0] not in COMMANDS and args[0] not in self.get_help_option_names(ctx):
            args = ["pages", *args]
        return super().parse_args(ctx, args)


command = SearchGroup(
    name="search",
    help="Find pages by their words, at any time.",
    epilog='Example: webstrata search uk "tropical fish" --at 2026-06',
    package=__name__,
    summaries=COMMANDS,
)
