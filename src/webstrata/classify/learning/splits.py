"""Folds that never cut a domain or an address: hosts that share either stay on one side of a split.

Two hosts are in one group if they share their registered domain or an IP address, or if a chain of such pairs
joins them. A group is in one fold as a whole (SPAM, section 2.3: "no IP address and domain was allowed to be
split between training and testing"): a farm known from training would otherwise be told by its neighbours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata.collection.sentences import tell_count
from webstrata.errors import MissingError
from webstrata.web.host import registered_domain

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt


def group_hosts(
    hosts: Sequence[str], addresses: Sequence[str | None] | None = None, *, domains: bool = True
) -> npt.NDArray[np.int64]:
    """A number for each host, equal where hosts must stay together.

    Parameters
    ----------
    hosts
        Their names.
    addresses
        The IP address of each, or none where it is not known.
    domains
        Whether hosts of a registered domain stay together.

    Examples
    --------
    >>> hosts = ["a.example.org", "b.example.org", "example.com", "example.net"]
    >>> group_hosts(hosts).tolist()
    [0, 0, 1, 2]
    >>> group_hosts(hosts, ["10.0.0.1", "10.0.0.2", "10.0.0.2", None]).tolist()
    [0, 0, 0, 1]
    """
    parents: dict[tuple[str, str], tuple[str, str]] = {}

    def find(key: tuple[str, str]) -> tuple[str, str]:
        parents.setdefault(key, key)
        while parents[key] != key:
            parents[key] = parents[parents[key]]
            key = parents[key]
        return key

    keys = [("domain", (registered_domain(host) or host) if domains else host) for host in hosts]
    for key, address in zip(keys, addresses or [None] * len(keys), strict=True):
        if address:
            parents[find(("address", address))] = find(key)
    numbers: dict[tuple[str, str], int] = {}
    return np.array([numbers.setdefault(find(key), len(numbers)) for key in keys], np.int64)


def split_folds(
    truth: npt.NDArray[Any], folds: int, groups: npt.NDArray[Any] | None = None, seed: int | None = None
) -> npt.NDArray[np.int64]:
    """The fold of each host, with about the same number of hosts and positives in all, groups uncut.

    The largest groups are dealt out first, each to the fold that is left nearest to its share of both
    classes; equal groups are in random order.

    Examples
    --------
    >>> truth, groups = np.array([1, 1, 0, 0, 1, 0, 0, 0]), np.array([0, 0, 1, 1, 2, 3, 4, 5])
    >>> fold = split_folds(truth, 2, groups, seed=1)
    >>> [bool(fold[0] == fold[1]), bool(fold[0] == fold[4])]
    [True, False]
    >>> split_folds(truth, 4, groups)
    Traceback (most recent call last):
    webstrata.errors.MissingError: positives are in 2 groups of hosts that no split parts, too few for
    4 folds; label hosts of more domains, take fewer folds (`--folds`), or keep less together (`--together
    domain`)
    """
    is_positive = np.asarray(truth, bool)
    groups = np.arange(len(is_positive)) if groups is None else np.asarray(groups)
    _, member = np.unique(groups, return_inverse=True)
    sizes = np.stack(  # a row a group: negatives, positives
        [np.bincount(member, weights=side.astype(np.float64)) for side in (~is_positive, is_positive)],
        axis=1,
    ).astype(np.float64)
    for name, column in (("positives", sizes[:, 1]), ("negatives", sizes[:, 0])):
        if (number := int((column > 0).sum())) < folds:
            raise MissingError(
                f"{name} are in {tell_count(number, 'group')} of hosts that no split parts, too few for "
                f"{folds} folds; label hosts of more domains, take fewer folds (`--folds`), or keep less "
                "together (`--together domain`)"
            )
    generator = np.random.default_rng(seed)
    shuffled = generator.permutation(len(sizes))
    wanted = np.maximum(sizes.sum(axis=0) / folds, 1e-9)
    weight = (sizes / wanted).sum(axis=1)
    filled = np.zeros((folds, 2))
    chosen = np.zeros(len(sizes), np.int64)
    for group in shuffled[np.argsort(-weight[shuffled], kind="stable")]:
        after = (filled + sizes[group]) / wanted
        # how much further over its share the fold would be than it is, in squares
        cost = (after**2 - (filled / wanted) ** 2).sum(axis=1)
        fold = int(np.argmin(cost))
        chosen[group] = fold
        filled[fold] += sizes[group]
    _mend(chosen, sizes, filled)
    return chosen[member]


def _mend(
    chosen: npt.NDArray[np.int64], sizes: npt.NDArray[np.float64], filled: npt.NDArray[np.float64]
) -> None:
    """Give a fold without one of the classes the smallest group with it, of a fold that keeps another."""
    for side in (1, 0):
        for fold in np.flatnonzero(filled[:, side] == 0):
            having = [
                group
                for group in np.argsort(sizes.sum(axis=1), kind="stable")
                if sizes[group, side]
                and filled[chosen[group], side] > sizes[group, side]
                and (not sizes[group, 1 - side] or filled[chosen[group], 1 - side] > sizes[group, 1 - side])
            ]
            if having:
                filled[chosen[having[0]]] -= sizes[having[0]]
                chosen[having[0]] = fold
                filled[fold] += sizes[having[0]]
