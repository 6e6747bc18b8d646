"""A list followed through snapshots (WIKI, figures 3 to 8): ranks of members, categories, overlap, stability.

The list is given, or it is the top of one snapshot. Each of its members has in each snapshot that has it a
global and a local rank by every method. From them follow its **trajectory**, the share of each category among
the first members, how many of the first are among the first of an **outside ranking**, and how much the order
of a snapshot agrees with that of the one before (see `stability`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from webstrata.rank.lists import Member, category_shares, overlap, rank_members, refuse_unknown
from webstrata.rank.stability import Agreement, compare_orders

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from webstrata.rank.ranking import Ranking


@dataclass(frozen=True)
class Moment:
    """A list in one snapshot."""

    label: str
    num_nodes: int
    members: list[Member]
    """Those that the snapshot has."""
    top: Mapping[str, list[str]]
    """By method: the names of the first nodes of the snapshot, whether of the list or not."""

    def order(self, method: str) -> list[str]:
        """The names of the members by a method, the first first."""
        return [member.name for member in sorted(self.members, key=lambda one: one.local[method])]


@dataclass
class Trajectories:
    """A list through time.

    Examples
    --------
    >>> import numpy as np
    >>> from webstrata.rank.ranking import Ranking
    >>> months = {
    ...     "2026-01": Ranking("pagerank", np.array([3.0, 2.0, 1.0]), names=["a", "b", "c"]),
    ...     "2026-02": Ranking("pagerank", np.array([1.0, 2.0, 3.0]), names=["a", "b", "c"]),
    ... }
    >>> found = Trajectories(["a", "c"], {"a": "art"})
    >>> for label, ranking in months.items():
    ...     found.add(label, [ranking], ranking.names.index)
    >>> found.trajectory("c", "pagerank"), found.trajectory("c", "pagerank", local=True)
    ([3, 1], [2, 1])
    >>> found.shares("pagerank", 1)
    [{'art': 1.0}, {'other': 1.0}]
    """

    names: list[str]
    categories: Mapping[str, str] = field(default_factory=dict)
    number: int = 100
    """How many of the top of a snapshot are compared."""
    moments: list[Moment] = field(default_factory=list)

    def add(self, label: str, rankings: Sequence[Ranking], find: Callable[[str], int | None]) -> None:
        """Take in a snapshot; `find` gives the node of a name there."""
        nodes = {name: node for name in self.names if (node := find(name)) is not None}
        # of names that stand for the same node the first counts
        once = {node: name for name, node in reversed(nodes.items())}
        nodes = {name: node for name, node in nodes.items() if once[node] == name}
        top = {
            ranking.method: [place.name or str(place.node) for place in ranking.top(self.number)]
            for ranking in rankings
        }
        members = rank_members(nodes, rankings, self.categories)
        self.moments.append(Moment(label, rankings[0].num_ranked, members, top))

    @property
    def labels(self) -> list[str]:
        """The snapshots."""
        return [moment.label for moment in self.moments]

    def refuse_unknown(self, *, where: str, skip: bool = False) -> list[str]:
        """Refuse names that no snapshot has, or leave them out; which they are."""
        known = {member.name for moment in self.moments for member in moment.members}
        unknown = [name for name in self.names if name not in known]
        refuse_unknown(unknown, len(self.names), where=where, skip=skip)
        return unknown

    def trajectory(self, name: str, method: str, *, local: bool = False) -> list[int | None]:
        """The rank of a member in each snapshot, none where it is not there."""
        found: list[int | None] = []
        for moment in self.moments:
            ranks = [
                (member.local if local else member.ranks)[method]
                for member in moment.members
                if member.name == name
            ]
            found.append(ranks[0] if ranks else None)
        return found

    def shares(self, method: str, number: int) -> list[dict[str, float]]:
        """For each snapshot the share of each category among the first members."""
        return [category_shares(moment.members, method, number) for moment in self.moments]

    def overlaps(self, outside: Sequence[str], method: str, number: int) -> list[int]:
        """For each snapshot how many of the first members are among the first of an outside ranking."""
        return [overlap(moment.order(method), outside, number) for moment in self.moments]

    def agreements(self, method: str, *, persistence: float = 0.9) -> list[Agreement]:
        """How much the top of each snapshot agrees with that of the one before it, from the second on."""
        return [
            compare_orders(before.top[method], after.top[method], persistence=persistence)
            for before, after in zip(self.moments, self.moments[1:], strict=False)
        ]

    def to_json(self, methods: Iterable[str], *, persistence: float = 0.9) -> dict[str, Any]:
        """As plain data."""
        methods = list(methods)
        return {
            "snapshots": [
                {
                    "label": moment.label,
                    "nodes": moment.num_nodes,
                    "members": [member.to_json() for member in moment.members],
                }
                for moment in self.moments
            ],
            "trajectories": {
                name: {method: self.trajectory(name, method) for method in methods} for name in self.names
            },
            "stability": {
                method: [found.to_json() for found in self.agreements(method, persistence=persistence)]
                for method in methods
            },
        }
