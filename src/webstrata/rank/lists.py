"""Lists of nodes (WIKI, sections 3 and 4): universities, persons, hosts of a sector.

A list is a text file: one URL, host or domain per line, and after a tab its **category**; lines that begin
with ``#`` are comments. The order of the lines matters for an **outside ranking** alone, whose first line is
its first rank. A file of categories has the same form, with a category on every line; a host or domain there
gives its category to all its pages that have none of their own. The **local ranks** of the members are 1 … n
in the order of their global ranks K, K* or K₂. The **local square** of size m are those with a local rank of
at most m by PageRank and by CheiRank both.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from webstrata.collection.files import explained
from webstrata.errors import FormatError, MissingError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.rank.ranking import Ranking

NAMED = 5
"""Unknown names that are told."""


class ListEntry(NamedTuple):
    """A line of a list."""

    name: str
    note: str = ""
    """What stands behind the tab: a category, or a weight."""


def read_list(path: Path) -> list[ListEntry]:
    r"""The entries of a file in order, each name once.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "list.txt"
    >>> _ = path.write_text("# remarks\nhttp://a.org/\tscience\n\nhttp://b.org/\nhttp://a.org/\n")
    >>> read_list(path)
    [ListEntry(name='http://a.org/', note='science'), ListEntry(name='http://b.org/', note='')]
    """
    with explained(path, "read"):
        content = path.read_bytes()
    try:
        lines = content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}, byte {error.start}: this is not UTF-8; convert the file") from None
    found: dict[str, ListEntry] = {}
    for line in lines:
        name, _, note = line.partition("\t")
        name = name.strip()
        if name and not name.startswith("#"):
            found.setdefault(name, ListEntry(name, note.strip()))
    if not found:
        raise FormatError(f"{path}: there is no name in this list; write a URL or host a line")
    return list(found.values())


def read_categories(path: Path) -> dict[str, str]:
    r"""Categories by page, host or domain; every line has one.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "categories.txt"
    >>> _ = path.write_text("http://a.org/\tscience\nb.org\tart\n")
    >>> read_categories(path)
    {'http://a.org/': 'science', 'b.org': 'art'}
    >>> _ = path.write_text("http://a.org/\n")
    >>> read_categories(path)
    Traceback (most recent call last):
    webstrata.errors.FormatError: ...categories.txt: http://a.org/ has no category; write it after a tab
    """
    found = {}
    for entry in read_list(path):
        if not entry.note:
            raise FormatError(f"{path}: {entry.name} has no category; write it after a tab")
        found[entry.name] = entry.note
    return found


def find_category(name: str, categories: Mapping[str, str]) -> str:
    """The category of a page or host: its own, or that of its host, or of the domain around; else nothing.

    Examples
    --------
    >>> categories = {"http://www.a.org/x": "art", "a.org": "science"}
    >>> [find_category(f"http://{name}", categories) for name in ("www.a.org/x", "www.a.org/y", "b.org/")]
    ['art', 'science', '']
    """
    if name in categories:
        return categories[name]
    host = name.partition("://")[2].partition("/")[0].partition(":")[0] if "://" in name else name
    while host:
        if host in categories:
            return categories[host]
        host = host.partition(".")[2]
    return ""


def read_weights(path: Path) -> dict[str, float]:
    r"""Names with their weights, 1 where none stands behind the tab; for a preference.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "trusted.txt"
    >>> _ = path.write_text("http://a.org/\nhttp://b.org/\t0.5\n")
    >>> read_weights(path)
    {'http://a.org/': 1.0, 'http://b.org/': 0.5}
    >>> _ = path.write_text("http://a.org/\tnan\n")
    >>> read_weights(path)
    Traceback (most recent call last):
    webstrata.errors.FormatError: ...trusted.txt: the weight of http://a.org/ is 'nan', and a number of at
    least 0 was expected; correct the line
    """
    found = {}
    for entry in read_list(path):
        try:
            weight = float(entry.note or "1")
        except ValueError:
            weight = math.nan
        if not 0 <= weight < math.inf:
            raise FormatError(
                f"{path}: the weight of {entry.name} is {entry.note!r}, and a number of at least 0 was "
                "expected; correct the line"
            )
        found[entry.name] = weight
    if not any(found.values()):
        raise FormatError(f"{path}: all weights are 0; give some name a weight above 0")
    return found


def find_nodes(
    names: Sequence[str], find: Callable[[str], int | None], *, where: str, skip: bool = False
) -> dict[str, int]:
    """The node of each name; names that are no nodes are refused, or left out where `skip` says so.

    Examples
    --------
    >>> find_nodes(["a", "b"], {"a": 7}.get, where="list.txt")
    Traceback (most recent call last):
    webstrata.errors.MissingError: list.txt: 1 of 2 names is not there (b); correct the list, or leave them
    out with --skip-unknown
    >>> find_nodes(["a", "b"], {"a": 7}.get, where="list.txt", skip=True)
    {'a': 7}
    """
    found = {name: node for name in names if (node := find(name)) is not None}
    refuse_unknown([name for name in names if name not in found], len(names), where=where, skip=skip)
    return found


def refuse_unknown(unknown: Sequence[str], number: int, *, where: str, skip: bool = False) -> None:
    """Refuse names that are nowhere, counted and named; all of them even where `skip` says not to.

    Examples
    --------
    >>> refuse_unknown([], 3, where="list.txt")
    >>> refuse_unknown(["b"], 3, where="list.txt", skip=True)
    >>> refuse_unknown(["b"], 3, where="list.txt")
    Traceback (most recent call last):
    webstrata.errors.MissingError: list.txt: 1 of 3 names is not there (b); correct the list, or leave them
    out with --skip-unknown
    """
    if not unknown or (skip and len(unknown) < number):
        return
    shown = ", ".join(unknown[:NAMED]) + (", …" if len(unknown) > NAMED else "")
    is_are = "is" if len(unknown) == 1 else "are"
    do = "name others" if skip else "correct the list, or leave them out with --skip-unknown"
    raise MissingError(f"{where}: {len(unknown)} of {number} names {is_are} not there ({shown}); {do}")


@dataclass(frozen=True)
class ListMember:
    """A member of a list, ranked."""

    name: str
    node: int
    category: str
    ranks: Mapping[str, int]
    """By method: among all nodes, from 1 on."""
    local: Mapping[str, int]
    """By method: among the members."""

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "name": self.name,
            "node": self.node,
            "category": self.category,
            "ranks": dict(self.ranks),
            "local": dict(self.local),
        }


def rank_members(
    nodes: Mapping[str, int], rankings: Sequence[Ranking], categories: Mapping[str, str] | None = None
) -> list[ListMember]:
    """The members with their global and local ranks, in the order of the first ranking.

    Examples
    --------
    >>> from webstrata.rank.ranking import Ranking
    >>> ranking = Ranking("pagerank", np.array([0.1, 0.4, 0.2, 0.3]))
    >>> [(one.name, one.ranks, one.local) for one in rank_members({"a": 0, "d": 3}, [ranking])]
    [('d', {'pagerank': 2}, {'pagerank': 1}), ('a', {'pagerank': 4}, {'pagerank': 2})]
    """
    names = list(nodes)
    places = np.array([nodes[name] for name in names], np.int64)
    ranks = {one.method: one.ranks[places] for one in rankings}
    local = {method: _local(found) for method, found in ranks.items()}
    members = [
        ListMember(
            name,
            nodes[name],
            (categories or {}).get(name, ""),
            {method: int(found[place]) for method, found in ranks.items()},
            {method: int(found[place]) for method, found in local.items()},
        )
        for place, name in enumerate(names)
    ]
    return sorted(members, key=lambda member: next(iter(member.local.values()), 0))


def local_square(members: Sequence[ListMember], size: int) -> list[ListMember]:
    """The members within a square of this size by PageRank and CheiRank (WIKI, figures 6 and 7).

    Examples
    --------
    >>> one = ListMember("a", 0, "", {}, {"pagerank": 1, "cheirank": 9})
    >>> [member.name for member in local_square([one], 9)], local_square([one], 8)
    (['a'], [])
    """
    return [member for member in members if max(member.local["pagerank"], member.local["cheirank"]) <= size]


def category_shares(members: Sequence[ListMember], method: str, number: int) -> dict[str, float]:
    """The share of each category among the first members by a method (WIKI, figure 5); largest first.

    Examples
    --------
    >>> some = [ListMember(str(n), n, "art" if n else "", {}, {"2drank": n + 1}) for n in range(4)]
    >>> category_shares(some, "2drank", 3)
    {'art': 0.6666666666666666, 'other': 0.3333333333333333}
    """
    first = [member.category or "other" for member in members if member.local[method] <= number]
    return {name: count / len(first) for name, count in Counter(first).most_common()}


def choose_sizes(outside: Sequence[str]) -> list[int]:
    """How many of the first of an outside ranking are compared: 10, 20, 50, 100, and all of them.

    Examples
    --------
    >>> choose_sizes(["a"] * 30), choose_sizes(["a"] * 3), choose_sizes(["a"] * 500)
    ([10, 20, 30], [3], [10, 20, 50, 100, 500])
    """
    return sorted({size for size in (10, 20, 50, 100, len(outside)) if size <= len(outside)})


def overlap(one: Sequence[str], other: Sequence[str], number: int) -> int:
    """How many of the first of a ranking are among the first of an outside one (WIKI, section 4).

    Examples
    --------
    >>> overlap(["a", "b", "c"], ["c", "b", "a"], 2)
    1
    """
    return len(set(one[:number]) & set(other[:number]))


def _local(ranks: npt.NDArray[np.uint32]) -> npt.NDArray[np.int64]:
    found = np.empty(len(ranks), np.int64)
    found[np.argsort(ranks, kind="stable")] = np.arange(1, len(ranks) + 1)
    return found
