"""What a crawler that knows an earlier snapshot knows about the pages of this one.

A page of the same row key had a score then; another page of a host that was there is thought to be like the
pages of its host were on the mean; of a new host the mean of all pages is what is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webstrata.rank.pagerank import pagerank
from webstrata.store.key_columns import find_keys

if TYPE_CHECKING:
    import numpy.typing as npt

    from webstrata.simulate.web import StoredWeb

    Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class SimulatedPast:
    """An earlier snapshot, and where the pages of this one are in it."""

    web: StoredWeb
    nodes: npt.NDArray[np.int64]
    """For each page of this snapshot its node there, -1 for a new one."""
    hosts: npt.NDArray[np.int64]
    """For each page of this snapshot the number of its host there, -1 for a new one."""

    def carry(self, numbers: Numbers) -> Numbers:
        """What is known of each page of this snapshot, from a number for each page of the earlier one.

        Examples
        --------
        >>> from webstrata import testing
        >>> from webstrata.simulate.web import StoredWeb
        >>> may = {"http://a.org/": "A", "http://a.org/x": "X", "http://b.org/": "B"}
        >>> june = {"http://a.org/": "A", "http://a.org/y": "Y"}
        >>> uk = testing.collection_of({"2026-05": may, "2026-06": june})
        >>> past = find_past(StoredWeb(uk["2026-05"]), StoredWeb(uk["2026-06"]))
        >>> past.carry(np.array([1.0, 0.0, 0.0])).tolist()  # /y is new, and its host had 1 and 0
        [1.0, 0.5]
        """
        groups = self.web.hosts
        sums = np.bincount(groups.of_node, numbers, minlength=len(groups.names))
        means = np.append(sums / np.maximum(groups.sizes, 1), numbers.mean() if len(numbers) else 0.0)
        own = np.append(numbers, 0.0)[self.nodes]
        found: Numbers = np.where(self.nodes >= 0, own, means[self.hosts])
        return found

    def pagerank(self) -> Numbers:
        """The PageRank of then, of each page of now."""
        return self.carry(pagerank(self.web.graph, progress=self.web.progress).scores)


def find_past(then: StoredWeb, now: StoredWeb) -> SimulatedPast:
    """Where the pages and hosts of a snapshot are in an earlier one.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.simulate.web import StoredWeb
    >>> collection = testing.collection()
    >>> past = find_past(StoredWeb(collection["2026-05"]), StoredWeb(collection["2026-06"]))
    >>> past.nodes.tolist(), past.hosts.tolist()
    ([0, 1, 2, 3, 4, 5, 6, -1, 7, 8, 9, 10, 11, 12, -1], [0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 4, 4, 4, 4])
    """
    nodes = find_keys(then.urls.key_column, now.urls.key_column.combine_chunks())
    places = {name: place for place, name in enumerate(then.hosts.names)}
    hosts = np.array([places.get(name, -1) for name in now.hosts.names] or [-1], np.int64)
    return SimulatedPast(then, nodes, hosts[now.hosts.of_node])
