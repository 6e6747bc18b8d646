"""What the snapshots and their union take: table 1 and section 5 of TIME, for a collection.

Sizes are those of the files. Per link instance (an arc in one snapshot) the whole representation is the
graph, the labels and the pointers into both, of one direction, as in the paper; the pointers are told apart
too, since the paper leaves them out of its 1.9 bits.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from webstrata.graph.build import FORWARD, TRANSPOSE
from webstrata.store.record_sizes import measure_records

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.temporal.union import StoredUnion


@dataclass(frozen=True)
class SnapshotSize:
    """A row of table 1."""

    snapshot: str
    captures: int | None
    """Records in its index."""
    warc_bytes: int | None
    """Of its WARC files, as they are compressed."""
    pages: int
    aligned: int
    arcs: int
    graph_bits: int
    uncompressed_bytes: int | None = None
    """Of the records of its pages, without compression; where it was asked for and is known."""

    @property
    def graph_bytes(self) -> int:
        """Of its own graph."""
        return (self.graph_bits + 7) // 8

    @property
    def bits_per_arc(self) -> float:
        """Bits of its own graph per arc."""
        return self.graph_bits / self.arcs if self.arcs else 0.0


@dataclass(frozen=True)
class Footprint:
    """What a union takes, in one direction (section 5)."""

    direction: str
    num_nodes: int
    num_arcs: int
    num_instances: int
    graph_bytes: int
    pointer_bytes: int
    """Into the lists of the graph."""
    label_bytes: int
    """Of nodes and arcs, with codes and pointers."""

    @property
    def bits_per_arc(self) -> float:
        """Bits of the graph per arc."""
        return 8 * self.graph_bytes / self.num_arcs if self.num_arcs else 0.0

    @property
    def bits_per_label(self) -> float:
        """Bits of everything about labels per arc."""
        return 8 * self.label_bytes / self.num_arcs if self.num_arcs else 0.0

    @property
    def bits_per_pointer(self) -> float:
        """Bits per node to find its list."""
        return 8 * self.pointer_bytes / self.num_nodes if self.num_nodes else 0.0

    @property
    def bits_per_instance(self) -> float:
        """Bits of the whole representation, pointers counted, per link instance."""
        total = self.graph_bytes + self.pointer_bytes + self.label_bytes
        return 8 * total / self.num_instances if self.num_instances else 0.0

    def to_dict(self) -> dict[str, Any]:
        """As plain data, with what follows from it."""
        names = ("bits_per_arc", "bits_per_label", "bits_per_pointer", "bits_per_instance")
        return asdict(self) | {name: round(getattr(self, name), 4) for name in names}


def describe_snapshots(union: StoredUnion, *, with_records: bool = False) -> list[SnapshotSize]:
    """The rows of table 1, from the manifests of the snapshots; those that are gone are left out.

    With `with_records`, a few bytes of each page's record are read to know their size without compression.

    Examples
    --------
    >>> from webstrata import testing
    >>> sizes = describe_snapshots(testing.collection().temporal)
    >>> [(size.snapshot, size.captures, size.pages, size.arcs) for size in sizes]
    [('2026-04', 14, 13, 32), ('2026-05', 14, 13, 32), ('2026-06', 16, 15, 36)]
    """
    rows = []
    for number, label in enumerate(union.facts.snapshots):
        if label not in union.collection:
            continue
        records = {record.name: record for record in union.collection[label].parts}
        if "graph" not in records:
            continue
        counts = records["graph"].counts
        rows.append(
            SnapshotSize(
                label,
                records["captures"].counts.get("captures") if "captures" in records else None,
                records["warc"].bytes if "warc" in records else None,
                union.facts.pages[number],
                union.facts.aligned[number],
                counts.get("arcs", 0),
                counts.get("bits", 0),
                measure_records(union.collection[label]) if with_records else None,
            )
        )
    return rows


def describe_footprint(union: StoredUnion) -> list[Footprint]:
    """What the files of the union take, forward and transposed.

    Examples
    --------
    >>> from webstrata import testing
    >>> forward, transpose = describe_footprint(testing.collection().temporal)
    >>> forward.num_nodes, forward.num_arcs, forward.num_instances, transpose.num_arcs
    (16, 43, 100, 43)
    """
    graph = union.forward
    return [
        Footprint(
            direction,
            graph.num_nodes,
            graph.num_arcs,
            union.facts.num_instances,
            _sum_sizes(union.folder, f"{direction}.graph"),
            _sum_sizes(union.folder, f"{direction}.ef"),
            _sum_sizes(union.folder, f"{direction}.labels*"),
        )
        for direction in (FORWARD, TRANSPOSE)
    ]


def _sum_sizes(folder: Path, pattern: str) -> int:
    return sum(path.stat().st_size for path in folder.glob(pattern))
