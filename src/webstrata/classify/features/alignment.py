"""Sites of several snapshots found again by name, and the graphs of their hosts drawn between them.

Sites (a host and its ``www.`` are one) of all snapshots are numbered together: those of the first one given
in their order, then those that others have beside them. In the graph of a snapshot there is an arc where a
host of the one site links to a host of the other. Arcs of a site to itself are left out, for they say nothing
about who links to whom; so are hosts that were linked to and never captured.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webstrata.classify.features.sites import NO_SITE, site_name
from webstrata.graph.rows import RowsGraph

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from webstrata.graph.view import Graph


@dataclass(frozen=True)
class Alignment:
    """The sites of several snapshots, numbered together.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> found = align_sites(["a.org", "b.org"], ["b.org", "c.org"])
    >>> found.names, [numbers.tolist() for numbers in found.numbers], found.present(1).tolist()
    (['a.org', 'b.org', 'c.org'], [[0, 1], [1, 2]], [False, True, True])
    >>> graph = Graph.from_arcs([(0, 1), (1, 2), (0, 2), (3, 0)])
    >>> drawn = found.draw(
    ...     graph, ["a.org", "www.a.org", "b.org", "never-captured.org"], 0)
    >>> drawn.num_arcs, drawn.successors(0).tolist()
    (1, [1])
    """

    names: list[str]
    numbers: list[npt.NDArray[np.int64]]
    """For each snapshot the number of each of its sites."""

    def __len__(self) -> int:
        return len(self.names)

    def present(self, snapshot: int) -> npt.NDArray[np.bool_]:
        """For each site whether the snapshot at this place has it."""
        found = np.zeros(len(self.names), np.bool_)
        found[self.numbers[snapshot]] = True
        return found

    def draw(self, graph: Graph, hosts: Sequence[str], snapshot: int) -> RowsGraph:
        """The graph between sites, from that between the hosts of the snapshot at this place."""
        if graph.num_nodes != len(hosts):
            raise ValueError(f"hosts: expected {graph.num_nodes} names, a node each, got {len(hosts)}")
        places = {self.names[number]: int(number) for number in self.numbers[snapshot]}
        of_host = np.array([places.get(site_name(host), NO_SITE) for host in hosts], np.int64)
        _, targets = graph.rows()
        sources = np.repeat(of_host, graph.outdegrees())
        ends = of_host[targets]
        kept = (sources != ends) & (sources != NO_SITE) & (ends != NO_SITE)
        arcs = np.stack([sources[kept], ends[kept]], axis=1)
        drawn = RowsGraph.from_arcs(arcs, num_nodes=len(self.names))
        drawn.present = self.present(snapshot)
        return drawn


def align_sites(*sites: Sequence[str]) -> Alignment:
    """The sites of several snapshots, numbered together; of each the names of its sites are given.

    Examples
    --------
    >>> [numbers.tolist() for numbers in align_sites(["b.org"], ["a.org", "b.org"]).numbers]
    [[0], [1, 0]]
    """
    names = list(dict.fromkeys(itertools.chain.from_iterable(sites)))
    places = {name: number for number, name in enumerate(names)}
    return Alignment(names, [np.array([places[name] for name in some], np.int64) for some in sites])
