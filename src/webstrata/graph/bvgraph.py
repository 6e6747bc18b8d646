"""BVGraph: a graph in a few bits per link (Boldi and Vigna, The WebGraph Framework I, 2004).

The coding is that of the crate ``webgraph``, which reads and writes what Java's WebGraph does:

- ``.graph``: the successor lists of the nodes in order, big-endian bits. A list is its outdegree (γ), a
  reference to one of the 7 lists before it (unary), the blocks copied from there (γ), intervals of at least 4
  successive nodes (γ) and the rest as gaps (ζ₃); a chain of references has at most 3 links.
- ``.offsets``: where each list begins, gaps in γ.
- ``.properties``: numbers of nodes and arcs and the codes, as text.

- ``.ef``: the same places as ``.offsets`` for random access, made by the crate; not needed.

The extensions are appended to the basename, which may have a dot in it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from webstrata._core import graph as core
from webstrata.collection.action import Action
from webstrata.collection.files import explained
from webstrata.collection.progress import Progress
from webstrata.errors import FormatError
from webstrata.graph.compress import CompressedSize, compress
from webstrata.graph.properties import find_contradiction, read_properties
from webstrata.graph.view import Graph, check_nodes, no_node

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray

    from webstrata.graph.view import Nodes, Rows

__all__ = ["BVGraph", "CompressedSize", "compress"]


class BVGraph(Graph):
    """A BVGraph that is open: its lists are decoded when they are asked for.

    Where the lists begin is read from ``.ef`` as the crate writes it, or from ``.offsets``, or found by going
    through the lists once; nothing is written beside the files. Safe to use from several threads, which are
    not held up by each other while the core decodes. Damage is said; no bits beyond the end are read. Unless
    `compared` is false, properties must tell of as many bits as there are.

    Examples
    --------
    >>> from webstrata import testing
    >>> basename = testing.scratch() / "uk"
    >>> _ = Graph.from_arcs([(0, 1), (0, 2)]).write(basename)
    >>> BVGraph(basename)
    <BVGraph of 3 nodes and 2 arcs>
    """

    def __init__(
        self,
        basename: str | PathLike[str],
        *,
        mapped: bool = True,
        compared: bool = True,
        progress: Progress | None = None,
    ) -> None:
        with (progress or Progress()).task("opening the graph", unit="nodes") as task:
            self._core = core.BvGraph(basename, mapped, progress=task.advance)
        if compared:
            self._compare(Path(basename))

    @property
    def files(self) -> core.BvGraph:
        """The graph as the core has it open."""
        return self._core

    def _compare(self, basename: Path) -> None:
        """Refuse properties that tell of other bits than there are: they belong to another graph."""
        path = basename.with_name(basename.name + ".properties")
        with explained(path, "read"):
            properties = read_properties(path)
        [end] = self.places(self.num_nodes, self.num_nodes).tolist()
        if wrong := find_contradiction(properties, self.num_nodes, self.num_arcs, end):
            raise FormatError(
                f"{path}: {wrong}; it belongs to another graph, {{fix}} for details",
                fix=Action("graph check", str(basename)),
            )

    @property
    def num_nodes(self) -> int:
        """How many nodes there are."""
        return self._core.num_nodes

    @property
    def num_arcs(self) -> int:
        """How many arcs there are."""
        return self._core.num_arcs

    @property
    def core(self) -> core.BvGraph:
        """What kernels of other rooms take."""
        return self._core

    @property
    def window(self) -> int:
        """How far back a list may refer to another."""
        return self._core.window

    def successors(self, node: int) -> NDArray[np.uint32]:
        """The targets of a node's arcs, in order.

        Examples
        --------
        >>> from webstrata import testing
        >>> basename = testing.scratch() / "uk"
        >>> Graph.from_arcs([(0, 1), (0, 2)]).write(basename).successors(0).tolist()
        [1, 2]
        """
        if not 0 <= node < self.num_nodes:
            raise no_node(node, self.num_nodes)
        return self._core.successors(node)

    def outdegree(self, node: int) -> int:
        """How many successors a node has.

        Examples
        --------
        >>> from webstrata import testing
        >>> basename = testing.scratch() / "uk"
        >>> Graph.from_arcs([(0, 1), (0, 2)]).write(basename).outdegree(0)
        2
        """
        if not 0 <= node < self.num_nodes:
            raise no_node(node, self.num_nodes)
        return self._core.outdegree(node)

    def outdegrees(self, nodes: Nodes | None = None) -> NDArray[np.uint32]:
        """How many successors each of the nodes has; of all nodes if none are given.

        Examples
        --------
        >>> from webstrata import testing
        >>> basename = testing.scratch() / "uk"
        >>> Graph.from_arcs([(0, 1), (0, 2)]).write(basename).outdegrees([0, 0, 1]).tolist()
        [2, 2, 0]
        """
        if nodes is None:
            nodes = np.arange(self.num_nodes, dtype=np.uint32)
        return self._core.outdegrees(check_nodes(nodes, self.num_nodes))

    def batch_successors(self, nodes: Nodes, *, progress: Progress | None = None) -> Rows:
        """Offsets and targets: the successors of each of the nodes, decoded on all cores.

        Examples
        --------
        >>> from webstrata import testing
        >>> basename = testing.scratch() / "uk"
        >>> Graph.from_arcs([(0, 1), (0, 2)]).write(basename).batch_successors([1, 0])[1].tolist()
        [1, 2]
        """
        numbers = check_nodes(nodes, self.num_nodes)
        with (progress or Progress()).task("successors", total=len(numbers), unit="nodes") as task:
            return self._core.batch_successors(numbers, progress=task.advance)

    def rows(self, start: int = 0, end: int | None = None, *, progress: Progress | None = None) -> Rows:
        """Offsets and targets of a range of nodes, read in order on all cores.

        Examples
        --------
        >>> from webstrata import testing
        >>> basename = testing.scratch() / "uk"
        >>> Graph.from_arcs([(0, 1), (2, 0)]).write(basename).rows()[0].tolist()
        [0, 1, 1, 2]
        """
        end = self.num_nodes if end is None else min(end, self.num_nodes)
        with (progress or Progress()).task("reading the graph", total=end - start, unit="nodes") as task:
            return self._core.rows(start, end, progress=task.advance)

    def places(self, start: int, end: int) -> NDArray[np.uint64]:
        """The bits at which the lists of a range of nodes begin, and at which the last of them ends.

        Examples
        --------
        >>> from webstrata import testing
        >>> basename = testing.scratch() / "uk"
        >>> Graph.from_arcs([(0, 1), (2, 0)]).write(basename).places(0, 1).tolist()
        [0, 9]
        """
        return self._core.places(start, min(end, self.num_nodes))
