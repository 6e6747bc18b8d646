"""webstrata search: pages by their words, at any time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata.cli.group import LazyGroup

if TYPE_CHECKING:
    from collections.abc import Mapping

COMMANDS: Mapping[str, str] = {
    "compare": "Measure partitions of the index by documents and by terms, side by side.",
    "evaluate": "Measure how good a change search is, as the paper does.",
    "pages": "Find pages of COLLECTION by their words (what is done if no command is named).",
}


command = LazyGroup(
    name="search",
    help="Find pages by their words, at any time.",
    epilog='Example: webstrata search uk "tropical fish" --at 2026-06',
    package=__name__,
    summaries=COMMANDS,
    default="pages",
)
