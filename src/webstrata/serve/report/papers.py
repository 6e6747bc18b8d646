"""Names of papers in the titles of tables: a table has its paper's name only if its preset made it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata.pipeline.presets import is_made_with

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webstrata.api import Collection


def cite(collection: Collection, parts: Iterable[str], preset: str, place: str) -> str:
    """A place of a paper, as ``WIKI, table 2``, for a table that is made of stored parts.

    Where a part was made with other settings than those of the preset, it says so.

    Examples
    --------
    >>> from webstrata import testing
    >>> uk = testing.collection()
    >>> cite(uk, ["2026-06/graph"], "paper:time", "TIME, table 1")
    'our settings; TIME, table 1 with the preset paper:time'
    >>> _ = uk.build("graph", snapshots=["2026-06"], fold="fingerprint")
    >>> cite(uk, ["2026-06/graph"], "paper:time", "TIME, table 1")
    'TIME, table 1'
    """
    named = list(parts)
    if named and all(is_made_with(preset, collection, part) for part in named):
        return place
    return f"our settings; {place} with the preset {preset}"
