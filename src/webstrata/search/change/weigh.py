"""How much a link counts in the walks: w(uv) of CHANGE, equations (3), (7) and (8).

=============  ===========================================================================================
``hosts``      1 / k, where k pages of u's host link to v: all links of a host to a page count as one
``equal``      1, as in the paper
=============  ===========================================================================================

Wikipedia has no menus. On the web every page of a site links to its front page, and with equal weights these
are the authorities of everything (Kleinberg left links within a host out; Bharat and Henzinger 1998 gave them
these weights, so that one host has one voice).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Arcs = npt.NDArray[np.int64]


def weigh_links(arcs: Arcs, hosts: npt.NDArray[np.int64], how: str) -> npt.NDArray[np.float64]:
    """The weight of each arc, given the host of each node.

    Examples
    --------
    >>> arcs = np.array([[0, 2], [1, 2], [3, 2], [3, 0]])
    >>> weigh_links(arcs, np.array([0, 0, 0, 1]), "hosts").tolist()
    [0.5, 0.5, 1.0, 1.0]
    >>> weigh_links(arcs, np.array([0, 0, 0, 1]), "equal").tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    if how == "equal" or not len(arcs):
        return np.ones(len(arcs))
    pairs = hosts[arcs[:, 0]] << 32 | arcs[:, 1]
    _, place, counts = np.unique(pairs, return_inverse=True, return_counts=True)
    found: npt.NDArray[np.float64] = 1.0 / counts[place.ravel()]
    return found
