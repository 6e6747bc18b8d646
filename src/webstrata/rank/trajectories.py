"""A list followed through snapshots (WIKI, figures 3 to 8): ranks of members, categories, overlap, stability.

The list is given, or it is the top of one snapshot. Each of its members has in each snapshot that has it a
global and a local rank by every method. From them follow its **trajectory**, the share of each category among
the first members, how many of the first are among the first of an **outside ranking**, and how much the order
of a snapshot agrees with that of the one before (see `stability`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from webstrata.collection.tables import Rows, Table
from webstrata.rank.lists import (
    ListMember,
    category_shares,
    choose_sizes,
    local_square,
    overlap,
    rank_members,
    refuse_unknown,
)
from webstrata.rank.stability import Agreement, compare_orders

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from webstrata.rank.ranking import Ranking

LISTED = 30
"""Members that are listed for people."""


@dataclass(frozen=True)
class Moment:
    """A list in one snapshot."""

    label: str
    num_nodes: int
    members: list[ListMember]
    """Those that the snapshot has."""
    top: Mapping[str, list[str]]
    """By method: the names of the first nodes of the snapshot, whether of the list or not."""

    def order(self, method: str) -> list[str]:
        """The names of the members by a method, the first first."""
        return [member.name for member in sorted(self.members, key=lambda one: one.local[method])]


@dataclass(repr=False)
class Trajectories(Table):
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
    level: str = "page"
    """What nodes are: page, host or domain."""
    persistence: float = 0.9
    """Of rank-biased overlap."""
    outside: Sequence[str] = ()
    """An outside ranking of the same names to compare with, the first first."""

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

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per snapshot, member and method: its rank among all nodes, and among the members."""
        return [
            {
                "snapshot": moment.label,
                "name": member.name,
                "method": method,
                "rank": rank,
                "local": member.local[method],
            }
            for moment in self.moments
            for member in moment.members
            for method, rank in member.ranks.items()
        ]

    @property
    def method(self) -> str:
        """The method that was asked for; others only place members in the plane."""
        return self.methods[0] if self.moments else ""

    @property
    def methods(self) -> list[str]:
        """The methods that the snapshots were ranked by."""
        return list(self.moments[0].top) if self.moments else []

    shown = 0  # of the plain ranks, which `tables` has by snapshot

    def tables(self) -> dict[str, Table]:
        """Ranks by snapshot, shares of categories, overlap with an outside ranking, and stability."""
        if not self.moments:
            return {"Trajectories": self}
        found = self._tabulate_members() if self.names else self._tabulate_top()
        if any(self.categories.values()):
            found |= self._tabulate_shares()
        if self.outside:
            found |= self._tabulate_overlaps()
        if len(self.labels) > 1:
            found |= self._tabulate_stability()
        return {**found, "Trajectories": self}

    def _tabulate_top(self) -> dict[str, Table]:
        """The top of the last snapshot, with the place of each in the top of the others."""
        tops = [moment.top[self.method][: self.number] for moment in self.moments]
        rows = [
            {self.level: name}
            | {
                label: top.index(name) + 1 if name in top else None
                for label, top in zip(self.labels, tops, strict=True)
            }
            for name in tops[-1]
        ]
        title = f"The top {self.number} of {self.labels[-1]} by {self.method}, with ranks in all snapshots"
        return {title: Rows("ranks", rows)}

    def _tabulate_members(self) -> dict[str, Table]:
        """The members in the order of the last snapshot: ranks of all nodes, and of the list."""
        first = self.moments[-1].order(self.method)
        names = [*first, *(name for name in self.names if name not in first)]
        found: dict[str, Table] = {}
        for among, local in (("all nodes", False), ("the list", True)):
            rows = []
            for name in names:
                ranks = self.trajectory(name, self.method, local=local)
                rows.append({"name": name} | dict(zip(self.labels, ranks, strict=True)))
            found[f"Ranks by {self.method} among {among}"] = Rows(f"ranks among {among}", rows, shown=LISTED)
        if len(self.labels) == 1:
            square = local_square(self.moments[0].members, self.number)
            title = f"Members within the local square of {self.number}"
            found[title] = Rows("local square", [{"members": len(square)}])
        return found

    def _tabulate_shares(self) -> dict[str, Table]:
        shares = self.shares(self.method, self.number)
        names = list(dict.fromkeys(name for row in shares for name in row))
        rows = [
            {"category": name}
            | {label: row.get(name, 0.0) for label, row in zip(self.labels, shares, strict=True)}
            for name in names
        ]
        title = f"Shares of categories among the first {self.number} of the list by {self.method}"
        return {title: Rows("shares of categories", rows, formats=dict.fromkeys(self.labels, ".1%"))}

    def _tabulate_overlaps(self) -> dict[str, Table]:
        rows = [
            {"method": method, "first": number} | dict(zip(self.labels, counts, strict=True))
            for method, found in self.outside_overlaps().items()
            for number, counts in found.items()
        ]
        return {"Of the first, how many are among the first of the outside ranking": Rows("overlap", rows)}

    def _tabulate_stability(self) -> dict[str, Table]:
        rows = [
            {
                "snapshot": label,
                "common": found.common,
                "Jaccard": found.jaccard,
                "Kendall τ": found.kendall_tau,
                "rank-biased overlap": found.rank_biased_overlap,
            }
            for label, found in zip(
                self.labels[1:], self.agreements(self.method, persistence=self.persistence), strict=True
            )
        ]
        title = f"The top {self.number} by {self.method}, compared with that of the snapshot before"
        formats = dict.fromkeys(("Jaccard", "Kendall τ", "rank-biased overlap"), ".3f")
        return {title: Rows("stability", rows, formats=formats)}

    def list_overlaps(self, outside: Sequence[str] | None = None) -> list[dict[str, Any]]:
        """One row per method, size and snapshot: how many of the first members are among the first outside.

        Examples
        --------
        >>> import numpy as np
        >>> from webstrata.rank.ranking import Ranking
        >>> found = Trajectories(["a", "b"], outside=["b", "a"])
        >>> found.add("2026-01", [Ranking("pagerank", np.array([2.0, 1.0]))], {"a": 0, "b": 1}.get)
        >>> found.list_overlaps()
        [{'method': 'pagerank', 'first': 2, 'snapshot': '2026-01', 'common': 2}]
        """
        names = self.outside if outside is None else outside
        return [
            {"method": method, "first": size, "snapshot": label, "common": common}
            for method in self.methods
            for size in choose_sizes(names)
            for label, common in zip(self.labels, self.overlaps(names, method, size), strict=True)
        ]

    def outside_overlaps(self, methods: Iterable[str] | None = None) -> dict[str, dict[int, list[int]]]:
        """By method and number: of the first members, how many are among the first of the outside ranking."""
        return {
            method: {
                number: self.overlaps(self.outside, method, number) for number in choose_sizes(self.outside)
            }
            for method in (self.methods if methods is None else methods)
        }

    def to_dict(self, methods: Iterable[str] | None = None) -> dict[str, Any]:
        """As plain data; of some methods, or all."""
        methods = self.methods if methods is None else list(methods)
        return {
            "snapshots": [
                {
                    "label": moment.label,
                    "nodes": moment.num_nodes,
                    "members": [member.to_dict() for member in moment.members],
                }
                for moment in self.moments
            ],
            "trajectories": {
                name: {method: self.trajectory(name, method) for method in methods} for name in self.names
            },
            "stability": {
                method: [found.to_dict() for found in self.agreements(method, persistence=self.persistence)]
                for method in methods
            },
            **(
                {"shares": {method: self.shares(method, self.number) for method in methods}}
                if self.names
                else {}
            ),
            **(
                {
                    "overlap": {
                        method: {str(number): counts for number, counts in found.items()}
                        for method, found in self.outside_overlaps(methods).items()
                    }
                }
                if self.outside
                else {}
            ),
        }
