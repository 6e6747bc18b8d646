"""Random graphs with labels, whose lists resemble those before them as pages of a site do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st

from webstrata.graph.rows import RowsGraph
from webstrata.temporal.labels import write_labels

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from webstrata.graph.settings import GraphSettings


@dataclass(frozen=True)
class Labelled:
    """A union as plain arrays."""

    num_snapshots: int
    node_labels: NDArray[np.uint64]
    offsets: NDArray[np.uint64]
    targets: NDArray[np.uint32]
    labels: NDArray[np.uint64]

    @property
    def snapshots(self) -> list[str]:
        return [f"{2000 + month // 12}-{month % 12 + 1:02}" for month in range(self.num_snapshots)]

    def row(self, node: int) -> tuple[list[int], list[int]]:
        begin, end = int(self.offsets[node]), int(self.offsets[node + 1])
        return self.targets[begin:end].tolist(), self.labels[begin:end].tolist()

    def arcs(self) -> list[tuple[int, int, int]]:
        rows = (self.row(node) for node in range(len(self.node_labels)))
        return [
            (node, target, label) for node, row in enumerate(rows) for target, label in zip(*row, strict=True)
        ]

    def write(self, path: Path, *, coding: str = "runs", parameters: GraphSettings | None = None) -> Path:
        RowsGraph(self.offsets, self.targets).write(path, parameters=parameters)
        write_labels(
            path,
            path,
            node_labels=self.node_labels,
            arc_labels=self.labels,
            num_snapshots=self.num_snapshots,
            coding=coding,
        )
        return path


def make(seed: int, num_nodes: int, num_snapshots: int, *, bounded: bool, churn: float) -> Labelled:
    """The same graph for the same numbers."""
    random = np.random.default_rng(seed)
    full = 2**num_snapshots - 1

    def mask() -> int:
        if random.random() < 0.5:
            return int(full)
        return int(int.from_bytes(random.bytes(8)) & full)

    nodes = [mask() for _ in range(num_nodes)]
    lists: list[dict[int, int]] = []
    for node in range(num_nodes):
        links: dict[int, int] = {}
        if lists and random.random() < 0.8:
            before = lists[max(node - 1 - int(random.integers(4)), 0)]
            links = {target: label for target, label in before.items() if random.random() > churn}
        for target in random.integers(num_nodes, size=int(random.integers(6))).tolist():
            links[target] = mask()
        for target, label in links.items():
            if random.random() < churn:
                links[target] = mask()
            if bounded:
                links[target] &= nodes[node] & nodes[target]
            else:
                links[target] = links[target] or label
        lists.append(links)
    offsets = np.cumsum([0, *(len(links) for links in lists)]).astype(np.uint64)
    arcs = [(target, links[target]) for links in lists for target in sorted(links)]
    return Labelled(
        num_snapshots,
        np.array(nodes, np.uint64),
        offsets,
        np.array([target for target, _ in arcs], np.uint32),
        np.array([label for _, label in arcs], np.uint64),
    )


labelled = st.builds(
    make,
    st.integers(0, 2**32),
    st.integers(0, 60),
    st.sampled_from([1, 2, 12, 64]),
    bounded=st.booleans(),
    churn=st.sampled_from([0.0, 0.1, 0.6]),
)
