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

`open_priority` makes one from the setting ``priority``: ``depth``, a file of scores, or ``module:function``.
``pagerank`` needs the ranks of an earlier snapshot, so `webstrata.pipeline.crawl_priority` makes that one.
Scores become levels by their order and not by their size, since scores of pages are very unequal:

    level(s) = ⌊K · (share of the known scores that are larger than s)⌋.

So each level gets about as many of the known scores as the others, the best score has level 0, and a URL
without a score is on the last level.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from webstrata.collection.files import explained
from webstrata.crawl.functions import import_function, is_function_name
from webstrata.errors import FormatError, SettingError, UrlError
from webstrata.web.url import normalize, split

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from webstrata.crawl.settings import CrawlSettings

    Priority = Callable[[Sequence[str], Sequence[int]], ArrayLike]

MAX_LEVELS = 256
"""Levels are bytes in the core."""

MAX_BIAS = 1e6
"""A larger bias differs in nothing that can be seen."""

DEFAULT_LEVELS = 8
"""With a priority, where the settings do not name a number."""

DEPTH, PAGERANK = "depth", "pagerank"


@dataclass(frozen=True)
class Prioritizer:
    """A function from URLs and depths to levels, with the number of levels it has.

    Examples
    --------
    >>> prioritizer = Prioritizer(lambda urls, depths: ["/news/" not in url for url in urls], 2)
    >>> prioritizer(["http://a/news/1", "http://a/2"], [3, 1])
    array([0, 1], dtype=uint8)
    """

    function: Priority
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


def by_quantile(score: Callable[[Sequence[str]], ArrayLike], known: ArrayLike, levels: int) -> Prioritizer:
    """The higher a score among the `known` ones, the sooner; URLs without a score (NaN) come last.

    level(s) = ⌊K · (number of known scores above s) / (number of known scores)⌋, at most K − 1.

    Examples
    --------
    >>> found = {"http://a/": 0.9, "http://b/": 0.2}
    >>> prioritizer = by_quantile(lambda urls: [found.get(u, np.nan) for u in urls], [0.9, 0.3, 0.2, 0.1], 4)
    >>> prioritizer(["http://a/", "http://b/", "http://c/"], [0, 0, 0])
    array([0, 2, 3], dtype=uint8)
    """
    _check_levels(levels)
    ordered = np.sort(np.asarray(known, np.float64))
    if not np.isfinite(ordered).all():
        raise ValueError("known: expected finite numbers only")

    def choose(urls: Sequence[str], _depths: Sequence[int]) -> NDArray[np.int64]:
        scores = np.asarray(score(urls), np.float64)
        above = len(ordered) - np.searchsorted(ordered, scores, "right")
        chosen = np.minimum(above * levels // max(len(ordered), 1), levels - 1)
        return np.where(np.isnan(scores), levels - 1, chosen)

    return Prioritizer(choose, levels)


def by_prefix(scores: Mapping[str, float], levels: int) -> Prioritizer:
    """The better the longest prefix of a URL, the sooner; see `by_quantile`.

    Parameters
    ----------
    scores
        By prefix: the beginning of a URL (``http://a.uk/news/``), or a host (``a.uk``) for all of its URLs,
        whatever their scheme and port. A URL that has no prefix here is on the last level.
    levels
        How many levels there are.

    Examples
    --------
    >>> prioritizer = by_prefix({"a.uk": 1.0, "http://a.uk/news/": 9.0, "b.uk": 5.0}, 3)
    >>> prioritizer(["http://a.uk/news/1", "https://b.uk/", "http://a.uk/x", "http://c.uk/"], [0] * 4)
    array([0, 1, 2, 2], dtype=uint8)
    """
    hosts = {name: score for name, score in scores.items() if "://" not in name}
    prefixes = sorted(name for name in scores if "://" in name)

    def find(url: str) -> float:
        # prefixes of a URL are smaller than the URL, and the longest of them is the largest
        place = bisect_right(prefixes, url)
        while place:
            near = prefixes[place - 1]
            if url.startswith(near):
                return scores[near]
            # nothing between what both begin with and this one is a prefix of the URL
            shared = next((k for k, (a, b) in enumerate(zip(near, url, strict=False)) if a != b), len(near))
            place = bisect_right(prefixes, url[:shared], 0, place - 1)
        return hosts.get(_host(url), math.nan)

    return by_quantile(lambda urls: [find(url) for url in urls], list(scores.values()), levels)


def read_scores(path: Path) -> dict[str, float]:
    r"""Prefixes with scores, from a file with one ``prefix⟨TAB⟩score`` per line.

    Empty lines and lines that begin with # do not count.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "scores.tsv"
    >>> _ = path.write_text("a.uk\t2\nhttp://B.uk/news\t0.5\n")
    >>> read_scores(path)
    {'a.uk': 2.0, 'http://b.uk/news': 0.5}
    """
    found: dict[str, float] = {}
    with explained(path, "read"):
        lines = path.read_text(errors="replace").splitlines()
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        prefix, _, text = line.rpartition("\t")
        try:
            score = float(text)
            if not prefix.strip() or not math.isfinite(score):
                raise ValueError
            name = prefix.strip()
            found[normalize(name) if "://" in name else name.lower()] = score
        except (ValueError, UrlError):
            raise FormatError(
                f"{path}, line {number}: expected a URL or host prefix, a tab and a finite score, "
                f"got {line[:80]!r}"
            ) from None
    if not found:
        raise FormatError(
            f"{path}: it has no scores; expected lines of a URL or host prefix, a tab and a score"
        )
    return found


def open_priority(priority: str, levels: int) -> Prioritizer:
    """The prioritizer that the setting ``priority`` names, all but ``pagerank``.

    Examples
    --------
    >>> open_priority("depth", 4)(["http://a/", "http://a/b"], [0, 9])
    array([0, 3], dtype=uint8)
    """
    if priority == DEPTH:
        return by_depth(levels)
    if priority == PAGERANK:
        raise SettingError("priority is pagerank, and no function that knows the ranks was given")
    if is_function_name(priority):
        return Prioritizer(import_function(priority, "priority"), levels)
    if not Path(priority).exists():
        raise SettingError(
            f"priority: {priority} is not a file; expected {DEPTH}, {PAGERANK}, a file of scores or "
            f"module:function"
        )
    return by_prefix(read_scores(Path(priority)), levels)


def choose_levels(
    settings: CrawlSettings, priority: Priority | None
) -> tuple[CrawlSettings, Priority | None]:
    """The settings with the number of levels, and the priority: `priority`, or the one that they name.

    Examples
    --------
    >>> from webstrata.crawl.settings import CrawlSettings
    >>> settings, priority = choose_levels(CrawlSettings(priority="depth"), None)
    >>> settings.levels, choose_levels(CrawlSettings(), None)[0].levels
    (8, 1)
    >>> choose_levels(CrawlSettings(levels=4), None)
    Traceback (most recent call last):
    webstrata.errors.SettingError: levels is 4, and there is no priority to choose among them; set priority...
    """
    if priority is None and not settings.priority:
        for name, is_set in (("levels", settings.levels > 1), ("level_bias", settings.level_bias != 2)):
            if is_set:
                raise SettingError(
                    f"{name} is {getattr(settings, name):g}, and there is no priority to choose among them; "
                    f"set priority (depth, pagerank, a file or a function), or leave {name} out"
                )
        return replace(settings, levels=1), None
    if settings.levels == 1:
        raise SettingError(
            "levels is 1, and a priority chooses among several; set more levels, or leave the priority out"
        )
    settings = replace(settings, levels=settings.levels or DEFAULT_LEVELS)
    return settings, priority or open_priority(settings.priority, settings.levels)


def as_core(priority: Priority, levels: int) -> Callable[[list[str], list[int]], list[int]]:
    """A priority as the core calls it: with lists, and never about nothing.

    Examples
    --------
    >>> as_core(by_depth(4), 4)(["http://a/"], [2])
    [2]
    """
    checked = Prioritizer(priority, levels)

    def choose(urls: list[str], depths: list[int]) -> list[int]:
        found: list[int] = checked(urls, depths).tolist() if urls else []
        return found

    return choose


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
