"""What a union must be, in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Month = tuple[Sequence[str], Sequence[tuple[int, int]]]


def unite(
    months: Sequence[Month], align: Callable[[str], str | None]
) -> tuple[dict[str, int], dict[tuple[str, str], int]]:
    """By aligned key the label of each node, and by two keys the label of each arc."""
    nodes: dict[str, int] = {}
    arcs: dict[tuple[str, str], int] = {}
    for number, (keys, pairs) in enumerate(months):
        aligned = [align(key) for key in keys]
        for key in aligned:
            if key is not None:
                nodes[key] = nodes.get(key, 0) | 1 << number
        for source, target in pairs:
            one, other = aligned[source], aligned[target]
            if one is not None and other is not None:
                arcs[one, other] = arcs.get((one, other), 0) | 1 << number
    return nodes, arcs
