"""When a page and each of its links existed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from webstrata.collection.sentences import tell_count
from webstrata.collection.tables import Rows, Table
from webstrata.store.takedowns import HIDDEN

_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)+")

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.temporal.union import StoredUnion


@dataclass(frozen=True)
class LinkHistory:
    """A link, and when it was there."""

    node: int
    url: str
    label: int


@dataclass(frozen=True, repr=False)
class PageHistory(Table):
    """A page, and when it and its links were there."""

    node: int
    url: str
    snapshots: tuple[str, ...]
    label: int
    addresses: dict[str, list[str]]
    """By snapshot: its URLs there, where they are others than `url`."""
    outlinks: list[LinkHistory]
    inlinks: list[LinkHistory]
    with_inlinks: bool = True
    """Whether they were asked for."""

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per link: its direction, the other page, and the snapshots that have it."""
        return [
            {"direction": way, "url": link.url, "snapshots": name_snapshots(link.label, self.snapshots)}
            for way, links in (("out", self.outlinks), ("in", self.inlinks))
            for link in links
        ]

    shown = 0  # of the links in both directions together

    @property
    def summary(self) -> str:
        """When it was there, and under which other URLs."""
        names = self.snapshots
        found = [f"{show_label(self.label, names)}, of {names[0]} to {names[-1]}."]
        found += [f"In {label} as {', '.join(urls)}." for label, urls in self.addresses.items()]
        return " ".join(found)

    def tables(self) -> dict[str, Table]:
        """The links to other pages and from them, with a mark for each snapshot that has them."""
        ways = {"Links to": self.outlinks, **({"Linked from": self.inlinks} if self.with_inlinks else {})}
        return {
            **{
                f"{way} {tell_count(len(links), 'page')}": Rows(
                    way.lower(), [self._describe_link(link) for link in links]
                )
                for way, links in ways.items()
            },
            "Links": self,
        }

    def _describe_link(self, link: LinkHistory) -> dict[str, Any]:
        return {
            "snapshots": draw_label(link.label, len(self.snapshots)),
            "URL": link.url,
            "when": show_label(link.label, self.snapshots),
        }

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
    >>> from webstrata import testing
    >>> union = testing.collection().temporal
    >>> history = page_history(union, "http://garden.example/pond")
    >>> history.url, bin(history.label)  # in the second and third snapshot
    ('http://garden.example/pond', '0b110')
    >>> [(link.url, bin(link.label)) for link in history.outlinks]
    [('http://garden.example/', '0b110'), ('http://reef.example/fish', '0b110')]
    """
    node = union.node(complete_url(url))
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
                if union.urls[int(target)] != HIDDEN
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
        with_inlinks,
    )


def complete_url(text: str) -> str:
    """A URL as it is; of the bare name of a host the URL of its home page.

    Examples
    --------
    >>> complete_url("commoncrawl.org"), complete_url("http://a.example/b")
    ('http://commoncrawl.org/', 'http://a.example/b')
    >>> complete_url("fish")
    'fish'
    """
    return f"http://{text.lower()}/" if _HOST.fullmatch(text) else text


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
