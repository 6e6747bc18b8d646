"""Places in sequences of pages: negative indices count from the end, and unknown URLs raise one error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata.errors import MissingError

if TYPE_CHECKING:
    from collections.abc import Iterable

NEAR = 3
"""URLs that an error names."""


def find_place(place: int, length: int) -> int:
    """The place that an index means in a sequence of a length, or `IndexError`.

    Examples
    --------
    >>> find_place(-1, 3), find_place(2, 3)
    (2, 2)
    """
    if not -length <= place < length:
        raise IndexError(f"node: expected 0 to {length - 1}, got {place}")
    return int(place) % length


def check_node(node: int) -> int:
    """A node that is not negative, or `IndexError`: of links by node, the number of nodes is not known.

    Examples
    --------
    >>> check_node(3)
    3
    """
    if node < 0:
        raise IndexError(f"node: expected 0 or more, got {node}")
    return node


def missing_page(url: str, nearest: Iterable[str] = (), *, where: str = "") -> MissingError:
    """What is raised everywhere for a URL that is not a page; it names those nearest to it.

    Examples
    --------
    >>> missing_page("http://a.example/x", ["http://a.example/"], where="2026-06")
    MissingError('http://a.example/x: no such page in 2026-06; the nearest are http://a.example/')
    """
    near = ", ".join(nearest)
    inside = f" in {where}" if where else ""
    return MissingError(
        f"{url}: no such page{inside}; the nearest are {near}" if near else f"{url}: no such page{inside}"
    )
