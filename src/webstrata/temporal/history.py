"""When a page and each of its links existed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.temporal.union import StoredUnion


@dataclass(frozen=True)
class LinkHistory:
    """A link, and when it was there."""

    node: int
    url: str
    label: int


@dataclass(frozen=True)
class PageHistory:
    """A page, and when it and its links were there."""

    node: int
    url: str
    snapshots: tuple[str, ...]
    label: int
    addresses: dict[str, list[str]]
    """By snapshot: its URLs there, where they are others than `url`."""
    outlinks: list[LinkHistory]
    inlinks: list[LinkHistory]

    def to_dict(self) -> dict[str, Any]:
        """As plain data, with the snapshots of each label by name."""

        def tell(link: LinkHistory) -> dict[str, Any]:
            return {
                "node": link.node,
                "url": link.url,
                "snapshots": name_snapshots(link.label, self.snapshots),
            }

        return {
            "node": self.node,
            "url": self.url,
            "snapshots": name_snapshots(self.label, self.snapshots),
            "addresses": self.addresses,
            "outlinks": [tell(link) for link in self.outlinks],
            "inlinks": [tell(link) for link in self.inlinks],
        }


def page_history(union: StoredUnion, url: str, *, with_inlinks: bool = False) -> PageHistory:
    """When a page and its links were there, by the label of each.

    Examples
    --------
    >>> import webstrata as ws
    >>> page_history(ws.create(getfixture("tmp_path") / "uk").temporal, "http://a.org/")
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...uk: there is no union of snapshots; make it with `webstrata align ...uk`
    """
    node = union.node(url)
    label = int(union.forward.node_labels[node])
    shown = union.urls[node]
    addresses = {name: union.addresses(name, node) for name in name_snapshots(label, union.facts.snapshots)}
    directions = [union.forward, union.backward] if with_inlinks else [union.forward]
    links = []
    for graph in directions:
        assert graph is not None  # a stored union has both directions
        targets, labels = graph.successors(node), graph.labels(node)
        links.append(
            [
                LinkHistory(int(target), union.urls[int(target)], int(mask))
                for target, mask in zip(targets, labels, strict=True)
            ]
        )
    return PageHistory(
        node,
        shown,
        tuple(union.facts.snapshots),
        label,
        {name: urls for name, urls in addresses.items() if urls != [shown]},
        links[0],
        links[1] if with_inlinks else [],
    )


def name_snapshots(label: int, snapshots: Sequence[str]) -> list[str]:
    """The snapshots whose bits a label has.

    Examples
    --------
    >>> name_snapshots(0b101, ["2026-01", "2026-02", "2026-03"])
    ['2026-01', '2026-03']
    """
    return [name for number, name in enumerate(snapshots) if label >> number & 1]


def show_label(label: int, snapshots: Sequence[str]) -> str:
    """A label for people: ranges of snapshots.

    Examples
    --------
    >>> months = ["2026-01", "2026-02", "2026-03", "2026-04"]
    >>> show_label(0b1111, months), show_label(0b1011, months), show_label(0, months)
    ('always', '2026-01..2026-02, 2026-04', 'never')
    """
    present = [bool(label >> number & 1) for number in range(len(snapshots))]
    if all(present):
        return "always"
    ranges: list[list[int]] = []
    for number, is_there in enumerate(present):
        if not is_there:
            continue
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    names = [
        snapshots[first] if first == last else f"{snapshots[first]}..{snapshots[last]}"
        for first, last in ranges
    ]
    return ", ".join(names) or "never"


def draw_label(label: int, num_snapshots: int) -> str:
    """A label as a row of marks, the oldest snapshot to the left.

    Examples
    --------
    >>> draw_label(0b101, 4)
    '█·█·'
    """
    return "".join("█" if label >> number & 1 else "·" for number in range(num_snapshots))
