"""How much a link counts in the walks: w(uv) of CHANGE, equations (3), (7) and (8).

=============  ===========================================================================================
``new``        ω(uv) / k, where k pages of u's host link to v; ω is 1 for a link that came between the two
               snapshots and the setting `old_links` for one that was there before; then all are multiplied
               by one number, so that their sum is the number of links. A page's link to itself counts nothing
``hosts``      1 / k: all links of a host to a page count as one
``equal``      1, as in the paper
=============  ===========================================================================================

Wikipedia has no menus. On the web every page of a site links to its front page, and with equal weights these
are the authorities of everything (Kleinberg left links within a host out; Bharat and Henzinger 1998 gave them
these weights, so that one host has one voice). Menus are also what does not change: who tells of something
that happened adds a link to it. With `old_links` = 1 all links count alike, with 0 only those that came; α
has no part in it. The sum keeps the supersource's amount what it is in the paper, where each link counts 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from webstrata.search.change.answer import Candidates
    from webstrata.search.change.settings import ChangesSettings

    Arcs = npt.NDArray[np.int64]
    Weights = npt.NDArray[np.float64]


def weigh_candidates(found: Candidates, settings: ChangesSettings) -> Weights:
    """The weight of each later arc among candidates, in their order.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.search.change import ChangeSearch
    >>> from webstrata.search.change.settings import ChangesSettings
    >>> search, settings = ChangeSearch(testing.collection()), ChangesSettings()
    >>> found = search.gather("storm", "2026-05", "2026-06", settings)
    >>> found.arcs_after[:3].tolist(), weigh_candidates(found, settings)[:3].round(2).tolist()
    ([[0, 1], [0, 4], [1, 0]], [3.05, 3.05, 1.52])
    """
    if settings.link_weights == "new":
        return weigh_new(found.arcs_before, found.arcs_after, found.hosts, settings.old_links)
    return weigh_links(found.arcs_after, found.hosts, settings.link_weights)


def weigh_new(before: Arcs, after: Arcs, hosts: npt.NDArray[np.int64], old: float) -> Weights:
    """The weight of each later arc, given those of before and the weight `old` of those that were among them.

    Examples
    --------
    >>> before, after = np.array([[0, 2]]), np.array([[0, 2], [1, 2], [3, 2], [3, 3]])
    >>> weigh_new(before, after, np.array([0, 0, 0, 1]), 0.0).round(3).tolist()
    [0.0, 1.333, 2.667, 0.0]
    """
    is_there = np.isin(_keys(after[:, 0], after[:, 1]), _keys(before[:, 0], before[:, 1]))
    found: Weights = np.where(is_there, old, 1.0) * weigh_links(after, hosts, "hosts")
    found[after[:, 0] == after[:, 1]] = 0.0
    total = found.sum()
    return found * (len(found) / total) if total > 0 else found


def weigh_links(arcs: Arcs, hosts: npt.NDArray[np.int64], how: str) -> Weights:
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
    _, place, counts = np.unique(
        _keys(hosts[arcs[:, 0]], arcs[:, 1]), return_inverse=True, return_counts=True
    )
    found: Weights = 1.0 / counts[place.ravel()]
    return found


def _keys(one: npt.NDArray[np.int64], other: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """One number for each pair."""
    found: npt.NDArray[np.int64] = one << 32 | other
    return found
