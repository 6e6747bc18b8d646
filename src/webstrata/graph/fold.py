"""Folding duplicates in the graph of a snapshot: which node stands for which (``[graph] fold``).

A URL is a node, whatever its content. Folding is a choice of the graph: nodes of one class are contracted
onto their **representative**, the one with the smallest row key, which gets the arcs of all of them. The
numbering stays as it is. A folded node has no arcs, and is listed in ``folded.arrow``: ``node`` and
``representative``.

===============  ==========================================================================================
``none``         every page for itself (default)
``exact``        pages with the same payload (digest) and the same links, after relative ones are resolved
``fingerprint``  pages with the same payload or the same fingerprint (TIME, section 3)
===============  ==========================================================================================

Links are compared by the sum of 64-bit hashes of their targets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from webstrata.collection.files import explained, open_writer
from webstrata.store.equivalence import join_classes, number_values
from webstrata.store.links import Links
from webstrata.store.pages import Pages

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.collection import Snapshot

    Numbers = npt.NDArray[np.uint64]

FOLDED = "folded.arrow"
_SCHEMA = pa.schema([("node", pa.uint32()), ("representative", pa.uint32())])


def find_representatives(
    snapshot: Snapshot, fold: str, *, advance: Callable[[int], object] = lambda _: None
) -> npt.NDArray[np.uint32]:
    """For each node of a snapshot the one that stands for it; `advance` receives the links that were read.

    Examples
    --------
    >>> from webstrata import testing
    >>> snapshot = testing.snapshot()
    >>> find_representatives(snapshot, "exact").tolist()[:6]  # kitchen.example/index.html is node 4
    [0, 1, 2, 3, 3, 5]
    """
    with snapshot.open_part("pages") as part:
        table = Pages(part.path).table("content_digest", "fingerprint")
    nodes = np.arange(len(table), dtype=np.uint32)
    if fold == "none":
        return nodes
    digests = number_values(table["content_digest"])
    if fold == "exact":
        with snapshot.open_part("links") as part:
            return join_classes([_mix(digests) + _hash_links(Links(part.path), len(table), advance)])
    return join_classes([digests, number_values(table["fingerprint"])])


def write_folded(folder: Path, representatives: npt.NDArray[np.uint32]) -> int:
    """Write the list of folded nodes; how many there are.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> write_folded(folder, np.array([0, 0, 2], np.uint32))
    1
    >>> read_folded(folder).to_pydict()
    {'node': [1], 'representative': [0]}
    """
    nodes = np.flatnonzero(representatives != np.arange(len(representatives), dtype=np.uint32))
    table = pa.table([nodes.astype(np.uint32), representatives[nodes]], schema=_SCHEMA)
    with open_writer(folder / FOLDED) as stream, pa.ipc.new_file(stream, _SCHEMA) as writer:
        writer.write_table(table)
    return len(nodes)


def read_folded(folder: Path) -> pa.Table:
    """The folded nodes of a graph and their representatives, by node; none where it was not folded.

    Examples
    --------
    >>> from webstrata import testing
    >>> len(read_folded(testing.scratch()))
    0
    """
    path = folder / FOLDED
    if not path.exists():
        return _SCHEMA.empty_table()
    with explained(path, "read"):
        return pa.ipc.open_file(pa.memory_map(str(path))).read_all()


def _hash_links(links: Links, num_nodes: int, advance: Callable[[int], object]) -> Numbers:
    """The sum of a hash of each link of a page, in whatever order they stand."""
    found = np.zeros(num_nodes, np.uint64)
    for group in range(links.rows.num_blocks):
        block = links.rows.block(group, "source", "target", "rel")
        sources, targets, rels = (block[name].to_numpy() for name in block.column_names)
        if len(sources):
            hashes = _mix(targets.astype(np.uint64) << np.uint64(8) | rels.astype(np.uint64))
            starts = np.flatnonzero(np.diff(sources, prepend=sources[0] + 1))  # links are sorted by source
            found[sources[starts]] += np.add.reduceat(hashes, starts)
        advance(len(sources))
    return found


def _mix(values: Numbers) -> Numbers:
    """A hash of 64 bits (the finalizer of SplitMix64)."""
    values = (values ^ values >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ values >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return values ^ values >> np.uint64(31)
