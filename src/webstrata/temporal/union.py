"""The part `temporal` of a collection: one graph of all snapshots, with a label for every node and arc.

Its nodes are the keys that pages are aligned by (see `align`), in the order of row keys. A node has the label
of the snapshots that have a page with this key; an arc is in a snapshot if a page of its source links to a
page of its target there. Files (``docs/formats/temporal.md``):

===========================  ============================================================================
``union.json``               snapshots, method, rules, overlap tables
``nodes.arrow``              the keys: the row is the node (as in `webstrata.store.urls`)
``forward.*``                a BVGraph of the successors; ``forward.labels`` the labels (see `labels`)
``transpose.*``              the same with all arcs turned round, and ``transpose.labels``
``maps/LABEL.union``         for each node of a snapshot the node of the union, or `NONE`; 4 bytes each
``maps/LABEL.order``         the nodes of a snapshot that have one, in the order of the union; 4 bytes each
===========================  ============================================================================

It is built by `build`, from the graphs and URLs of the snapshots alone.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from webstrata.collection.action import Action, rebuild
from webstrata.collection.files import explained
from webstrata.errors import FormatError, MissingError, NewerFormatError, UrlError
from webstrata.graph.build import FORWARD, TRANSPOSE
from webstrata.store.takedowns import find_takedowns, make_hide
from webstrata.store.urls import Urls
from webstrata.temporal.align import Aligner
from webstrata.temporal.labels import LabelledGraph
from webstrata.temporal.overlap import Overlap
from webstrata.temporal.rules import AlignmentRule
from webstrata.temporal.survival import describe_survival
from webstrata.temporal.views import TemporalGraph
from webstrata.web.row_key import row_key
from webstrata.web.url import normalize

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.collection import Collection, Snapshot
    from webstrata.collection.parts import Part
    from webstrata.graph.view import Nodes
    from webstrata.temporal.survival import Survival

PART = "temporal"
FACTS = "union.json"
FORMAT = 1
NONE = np.uint32(0xFFFFFFFF)
"""In a map: no node of the union."""
NEAR = 3
"""URLs that are suggested for one that is not there."""


@dataclass
class UnionFacts:
    """What a union was made of, and the tables that are made on the way."""

    snapshots: list[str]
    by: str
    rules: list[dict[str, Any]] = field(default_factory=list)
    pages: list[int] = field(default_factory=list)
    """Of each snapshot."""
    aligned: list[int] = field(default_factory=list)
    """Of these, those that have a node."""
    hosts: list[list[int]] = field(default_factory=list)
    """Hosts of all pages that two snapshots have in common (TIME, table 2)."""
    urls: list[list[int]] = field(default_factory=list)
    """Nodes that two snapshots have in common (TIME, table 3)."""
    arc_ages: list[int] = field(default_factory=list)
    """Arcs that are in 1, 2, … snapshots."""
    arcs: list[list[int]] = field(default_factory=list)
    """Arcs that two snapshots have in common."""
    num_instances: int = 0
    lives: dict[str, list[list[int]]] = field(default_factory=dict)
    """For ``hosts``, ``urls`` and ``arcs``: how many are seen first in one snapshot (row) and last in another
    (column); empty in unions of version 0.1.0."""
    format: int = FORMAT


class StoredUnion(TemporalGraph):
    """The union of a collection, mapped: `collection.temporal`; as it was when it was opened.

    Examples
    --------
    >>> from webstrata import testing
    >>> union = testing.collection().temporal
    >>> union
    <StoredUnion of 3 snapshots: 16 nodes, 43 arcs>
    >>> union.at("2026-06")
    <View of 15 of 16 nodes and 36 of 43 arcs: at 2026-06>
    >>> node = union.node("http://garden.example/pond")
    >>> union.urls[node], bin(union.forward.node_label(node))
    ('http://garden.example/pond', '0b110')
    """

    def __init__(self, collection: Collection) -> None:
        if PART not in collection.parts:
            if (number := len(collection)) < 2:
                raise MissingError(
                    f"{collection.path}: no union of snapshots: it takes two, and there "
                    f"{'is one' if number else 'are none'}; crawl or ingest another first"
                )
            raise MissingError(
                f"{collection.path}: no union of snapshots", fix=Action.on(collection, "build", PART)
            )
        part = collection.open_part(PART)
        self.collection, self.folder = collection, part.path
        self._part: Part = part  # held, so that the files stay
        self.facts = read_facts(part.path / FACTS)
        labels = self.facts.snapshots
        super().__init__(
            LabelledGraph.open(part.path / FORWARD, part.path / FORWARD, snapshots=labels),
            LabelledGraph.open(part.path / TRANSPOSE, part.path / TRANSPOSE, snapshots=labels),
        )
        self.urls = Urls(part.path, part, hide=make_hide(collection))
        if len(self.urls) != self.forward.num_nodes:
            raise FormatError(
                f"{part.path}: there are {len(self.urls)} keys for {self.forward.num_nodes} nodes",
                fix=Action.on(collection, "build", PART),
            )
        self.aligner = Aligner(self.facts.by, [AlignmentRule(**rule) for rule in self.facts.rules])

    @property
    def checksum(self) -> str:
        """What identifies it to parts that are made from it."""
        return self._part.record.checksum

    # ---- tables

    def overlap(self, what: str) -> Overlap:
        """What every two snapshots have in common: ``hosts``, ``urls`` or ``arcs``."""
        return Overlap(what, tuple(tuple(row) for row in getattr(self.facts, what)))

    def survival(self) -> list[Survival]:
        """How long hosts, pages and links live; nothing for a union of version 0.1.0."""
        return describe_survival(self.facts)

    # ---- maps

    def to_union(self, label: str) -> npt.NDArray[np.uint32]:
        """For each node of a snapshot the node of the union, or `NONE`; mapped."""
        number = self.place(label)
        found = map_file(self.folder / "maps" / f"{label}.union", "<u4")
        self._check_length(f"{label}.union", len(found), self.facts.pages[number])
        return found

    def order(self, label: str) -> npt.NDArray[np.uint32]:
        """The nodes of a snapshot that are in the union, in the order of its nodes; mapped."""
        number = self.place(label)
        found = map_file(self.folder / "maps" / f"{label}.order", "<u4")
        self._check_length(f"{label}.order", len(found), self.facts.aligned[number])
        return found

    def pages(self, label: str, nodes: Nodes) -> list[npt.NDArray[np.uint32]]:
        """For each node of the union the nodes of a snapshot that it stands for; by bisection."""
        to_union, order = self.to_union(label), self.order(label)
        wanted = np.asarray(nodes, np.int64)
        try:
            bounds = [_bisect(to_union, order, wanted + more) for more in (0, 1)]
        except IndexError:
            raise FormatError(
                f"{self.folder / 'maps' / label}.order: it has a node that {label} does not have",
                fix=Action.on(self.collection, "build", PART),
            ) from None
        return [np.array(order[low:high]) for low, high in zip(*bounds, strict=True)]

    def _check_length(self, name: str, found: int, expected: int) -> None:
        if found != expected:
            raise FormatError(
                f"{self.folder / 'maps' / name}: it has {found} nodes, and the union was made of {expected}",
                fix=Action.on(self.collection, "build", PART),
            )

    # ---- URLs

    def node(self, url: str) -> int:
        """The node that a URL is aligned with or stands for, or `MissingError` with those nearest to it."""
        find_takedowns(self.collection).check(url, str(self.collection.path))
        key = row_key(normalize(url))
        aligned = self.aligner.keys(pa.array([key], pa.large_string()))
        found = int(self.urls.find(aligned)[0]) if aligned.null_count == 0 else -1
        if found < 0:
            found = self._stands_for(url)
        if found >= 0:
            return found
        if aligned.null_count:
            raise MissingError(
                f"{url}: a dynamic URL (with a question mark), and the union has static pages only; {{fix}} "
                "to include the others",
                fix=Action.on(self.collection, "build", PART, by="learned"),
            )
        near = self.nearest(url)
        if not near:
            raise MissingError(f"{url}: no snapshot has this page, or any other page of its host")
        raise MissingError(f"{url}: no snapshot has this page; the nearest are {', '.join(near)}")

    def get(self, url: str) -> int | None:
        """The node that a URL is aligned with or stands for; None if there is none."""
        try:
            return self.node(url)
        except (MissingError, UrlError):
            return None

    def nearest(self, url: str) -> list[str]:
        """URLs of the same host that stand next to where this one would; `UrlError` if it is no URL."""
        key = self.aligner.keys(pa.array([row_key(normalize(url))], pa.large_string()))[0].as_py()
        place = self.urls.prefix(key or row_key(normalize(url)).partition("?")[0]).start
        host = row_key(normalize(url)).partition(")")[0]
        around = self.urls[max(place - 1, 0) : max(place - 1, 0) + NEAR]
        return [each for each in around if row_key(each).partition(")")[0] == host]

    def _stands_for(self, url: str) -> int:
        """The node of the page that a URL stood for, in the newest snapshot that knows it; -1 for none."""
        for label in reversed(self.facts.snapshots):
            if label not in self.collection or "urls" not in self.collection[label].parts:
                continue
            page = self.urls_at(label).get(url)
            to_union = self.to_union(label)
            if page is not None and page < len(to_union) and to_union[page] != NONE:
                return int(to_union[page])
        return -1

    def addresses(self, label: str, node: int) -> list[str]:
        """The URLs that a node of the union has in a snapshot; several where they were put together."""
        urls = self.urls_at(label)
        return [urls[int(page)] for page in self.pages(label, [node])[0]]

    @cached_property
    def _opened(self) -> dict[str, Urls]:
        return {}

    def urls_at(self, label: str) -> Urls:
        """The URLs of the pages of a snapshot, as they were when the union was made, or `MissingError`."""
        if label not in self._opened:
            snapshot: Snapshot = self.collection[label]
            made_from = self._part.record.inputs.get(f"{label}/urls")
            if snapshot.parts.record("urls").checksum != made_from:
                raise MissingError(
                    f"{snapshot.path}: its URLs are others than when the union was made",
                    fix=Action.on(self.collection, "build", PART),
                )
            part = snapshot.open_part("urls")
            self._opened[label] = Urls(part.path, part, hide=make_hide(self.collection))
        return self._opened[label]

    def __repr__(self) -> str:
        return (
            f"<StoredUnion of {len(self.facts.snapshots)} snapshots: {self.forward.num_nodes:,} nodes, "
            f"{self.forward.num_arcs:,} arcs>"
        )


def read_facts(path: Path) -> UnionFacts:
    """What the file of a union says, or `FormatError`.

    Examples
    --------
    >>> from webstrata import testing
    >>> with testing.collection().open_part("temporal") as part:
    ...     facts = read_facts(part.path / "union.json")
    >>> facts.snapshots, facts.pages, facts.num_instances
    (['2026-04', '2026-05', '2026-06'], [13, 13, 15], 100)
    """
    with explained(path, "read"):
        text = path.read_bytes()
    try:
        found = json.loads(text)
        if isinstance(found, dict) and int(found.get("format", 0)) > FORMAT:
            raise NewerFormatError(
                f"{path}: its format is {found['format']}, and this webstrata knows {FORMAT}; upgrade it"
            )
        known = {one.name for one in fields(UnionFacts)}
        facts = UnionFacts(**{name: value for name, value in found.items() if name in known})
        _check_facts(facts)
        return facts
    except (ValueError, TypeError, AttributeError) as error:
        raise FormatError(
            f"{path}: this does not describe a union ({error})", fix=rebuild(path, PART)
        ) from None


def _check_facts(facts: UnionFacts) -> None:
    """Raise ``ValueError`` or ``TypeError`` where something is not what a build writes."""
    number = len(facts.snapshots)
    if not 2 <= number <= 64 or not all(isinstance(label, str) for label in facts.snapshots):
        raise ValueError(f"it names {number} snapshots")
    Aligner(facts.by, [AlignmentRule(**rule) for rule in facts.rules])
    tables = {
        name: getattr(facts, name) for name in ("pages", "aligned", "hosts", "urls", "arcs", "arc_ages")
    }
    tables |= {f"lives of {what}": table for what, table in facts.lives.items()}
    for name, found in tables.items():
        rows = found if name in ("hosts", "urls", "arcs") or name.startswith("lives") else [found]
        if len(found) != number or any(len(row) != number for row in rows):
            raise ValueError(f"its {name} are not those of {number} snapshots")
        if not all(isinstance(count, int) for row in rows for count in row):
            raise ValueError(f"its {name} are no numbers")


def map_file(path: Path, kind: str) -> npt.NDArray[Any]:
    """A file of numbers, mapped.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "numbers"
    >>> _ = path.write_bytes(bytes([7, 0, 0, 0]))
    >>> map_file(path, "<u4").tolist()
    [7]
    """
    with explained(path, "read"):
        size = path.stat().st_size
        if size % np.dtype(kind).itemsize:
            raise FormatError(f"{path}: it ends in the middle of a number; make the union again")
        return np.memmap(path, kind, "r") if size else np.zeros(0, kind)


def _bisect(
    to_union: npt.NDArray[np.uint32], order: npt.NDArray[np.uint32], wanted: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """The places in the order of the first page whose node is not below each of those wanted."""
    low, high = np.zeros(len(wanted), np.int64), np.full(len(wanted), len(order), np.int64)
    while (low < high).any():
        middle = np.minimum((low + high) // 2, max(len(order) - 1, 0))
        below = (to_union[order[middle]] < wanted) & (low < high)
        low, high = np.where(below, middle + 1, low), np.where(below, high, np.minimum(middle, high))
    return low
