"""Priorities: front queues in the manner of Mercator (LECT), between the sieve and the workbench.

What the sieve releases gets one of K levels from a prioritizer, 0 being the most urgent, and waits in the
front queue of its level, in the order of release. Whoever refills the workbench chooses a level at random,
biased towards the urgent ones. With bias b ≥ 1, level k of K is chosen with probability

    p(k) = b^(K−1−k) / (b^0 + b^1 + … + b^(K−1)),

so each level is b times as likely as the next one; b = 1 is a fair choice, and b = 2 the default. Levels
whose queue is empty take no part: the others keep their proportions. No level starves, since every p(k) > 0,
and a level's own order is never changed: breadth-first crawls have one level.

A prioritizer is called on batches, with the URLs and their depths (links from the first URL of the host), and
returns their levels. `Prioritizer` holds one with its number of levels, and takes care that what it returns
is in range.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webstrata.web.url import split

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

MAX_LEVELS = 256
"""Levels are bytes in the core."""

MAX_BIAS = 1e6
"""A larger bias differs in nothing that can be seen."""


@dataclass(frozen=True)
class Prioritizer:
    """A function from URLs and depths to levels, with the number of levels it has.

    Examples
    --------
    >>> prioritizer = Prioritizer(lambda urls, depths: ["/news/" not in url for url in urls], 2)
    >>> prioritizer(["http://a/news/1", "http://a/2"], [3, 1])
    array([0, 1], dtype=uint8)
    """

    function: Callable[[Sequence[str], Sequence[int]], ArrayLike]
    levels: int

    def __post_init__(self) -> None:
        _check_levels(self.levels)

    def __call__(self, urls: Sequence[str], depths: Sequence[int]) -> NDArray[np.uint8]:
        """One level for each URL."""
        levels = np.asarray(self.function(urls, depths))
        if levels.shape != (len(urls),):
            raise ValueError(f"the prioritizer gave {levels.size} levels for a batch of {len(urls)} URLs")
        if len(urls) and levels.dtype.kind not in "biu":
            raise ValueError(f"the prioritizer gave levels of type {levels.dtype}; expected whole numbers")
        if len(urls) and not (levels.min() >= 0 and levels.max() < self.levels):
            raise ValueError(
                f"the prioritizer gave levels from {levels.min()} to {levels.max()}; "
                f"expected 0 to {self.levels - 1}"
            )
        return levels.astype(np.uint8)


def breadth_first() -> Prioritizer:
    """All URLs alike: one level, so that the order is that in which the sieve released them.

    Examples
    --------
    >>> breadth_first()(["http://a/", "http://a/b"], [0, 1])
    array([0, 0], dtype=uint8)
    """
    return Prioritizer(lambda urls, _depths: np.zeros(len(urls), np.uint8), 1)


def by_depth(levels: int) -> Prioritizer:
    """The nearer to the first URL of the host, the sooner: level min(depth, `levels` − 1).

    Examples
    --------
    >>> by_depth(3)(["http://a/", "http://a/b", "http://a/c"], [0, 1, 9])
    array([0, 1, 2], dtype=uint8)
    """
    _check_levels(levels)
    return Prioritizer(lambda _urls, depths: np.minimum(np.asarray(depths, np.int64), levels - 1), levels)


def by_score(
    score: Callable[[Sequence[str]], ArrayLike],
    levels: int,
    *,
    lowest: float = 0.0,
    highest: float = 1.0,
) -> Prioritizer:
    """The higher a score, the sooner: what lies between `lowest` and `highest` in `levels` equal steps.

    level(s) = K − 1 − ⌊K · (s − lowest) / (highest − lowest)⌋, at least 0 and at most K − 1. What has no
    score (NaN) comes last. For scores that are very unequal, as PageRank, give their logarithm.

    Examples
    --------
    >>> prioritizer = by_score(lambda urls: [len(url) / 20 for url in urls], 4)
    >>> prioritizer(["http://a/", "http://a/long/way/down", "http://abcdef/"], [0, 0, 0])
    array([2, 0, 1], dtype=uint8)
    """
    _check_levels(levels)
    if not -np.inf < lowest < highest < np.inf:
        raise ValueError(f"lowest, highest: expected two growing numbers, got {lowest} and {highest}")

    def choose(urls: Sequence[str], _depths: Sequence[int]) -> NDArray[np.int64]:
        scores = np.asarray(score(urls), np.float64)
        shares = (np.clip(scores, lowest, highest) - lowest) / (highest - lowest)
        steps = np.floor(np.nan_to_num(shares, nan=0.0) * levels).astype(np.int64)
        return levels - 1 - np.minimum(steps, levels - 1)

    return Prioritizer(choose, levels)


def by_host(scores: Mapping[str, float], levels: int, *, default: float | None = None) -> Prioritizer:
    """The better a host, the sooner: scores of hosts in `levels` equal steps between the lowest and highest.

    Parameters
    ----------
    scores
        By host, without port.
    levels
        How many levels there are.
    default
        The score of hosts that have none; by default, the lowest.

    Examples
    --------
    >>> prioritizer = by_host({"a.uk": 10.0, "b.uk": 1.0, "c.uk": 4.0}, 3)
    >>> prioritizer(["http://a.uk/", "http://b.uk/", "http://c.uk:8080/x", "http://d.uk/"], [0] * 4)
    array([0, 2, 1, 2], dtype=uint8)
    """
    known = np.fromiter(scores.values(), np.float64, len(scores))
    if not np.isfinite(known).all():
        raise ValueError("scores: expected finite numbers only")
    lowest, highest = (known.min(), known.max()) if len(known) else (0.0, 0.0)
    missing = float(lowest) if default is None else default

    def score(urls: Sequence[str]) -> list[float]:
        return [scores.get(_host(url), missing) for url in urls]

    # if all scores are the same, so are all levels
    return by_score(
        score, levels, lowest=float(lowest), highest=float(max(highest, np.nextafter(lowest, np.inf)))
    )


def selection_weights(levels: int, bias: float = 2.0) -> NDArray[np.float64]:
    """The probability with which each level is chosen, the most urgent first.

    Examples
    --------
    >>> selection_weights(3)
    array([0.57142857, 0.28571429, 0.14285714])
    >>> selection_weights(2, bias=1)
    array([0.5, 0.5])
    >>> selection_weights(1)
    array([1.])
    """
    _check_levels(levels)
    if not 1 <= bias <= MAX_BIAS:
        raise ValueError(f"bias: expected a number from 1 to {MAX_BIAS:g}, got {bias}")
    # from the most urgent down, or large powers would overflow; none may vanish, or its level would starve
    weights = np.maximum(np.float64(bias) ** -np.arange(levels), np.finfo(np.float64).tiny)
    return np.asarray(weights / weights.sum())


def _check_levels(levels: int) -> None:
    if not 1 <= levels <= MAX_LEVELS:
        raise ValueError(f"levels: expected 1 to {MAX_LEVELS}, got {levels}")


def _host(url: str) -> str:
    authority = split(url)[0].partition("://")[2]
    host, colon, port = authority.rpartition(":")
    return host if colon and port.isdigit() else authority
