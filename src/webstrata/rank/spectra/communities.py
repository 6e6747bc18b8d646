"""Where an eigenvector lives: the nodes, hosts and words that make it out.

Eigenvectors of the core other than the first are large on few nodes, often on pages about one thing or of one
site: communities, which WIKI leaves for later. Of ψ with Σ |ψ|² = 1, the **weight** of a node is |ψ|², and
ξ = 1 / Σ |ψ|⁴ is about the number of nodes that ψ lives on (the inverse participation ratio).

A word of URLs is telling if it is in the URLs of much weight and in few URLs of the whole graph: words are
ordered by w log(w / b), where w is the share of the weight, of the nodes looked at, whose URL has the word,
and b the share among all URLs, or among some that are evenly chosen. Nodes of weight 0 (an eigenvector may be
exactly 0 outside a few nodes) contribute no host and no word.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_HOSTS = 5
MAX_WORDS = 8
_SAMPLE = 2000
_WORD = re.compile(r"[^\W\d_]{3,}")
_COMMON = frozenset(["http", "https", "www", "html", "htm", "index", "php", "asp", "com", "org", "net"])


@dataclass(frozen=True)
class Community:
    """Hosts and words of an eigenvector, each with its share of the weight."""

    hosts: tuple[tuple[str, float], ...]
    words: tuple[tuple[str, float], ...]


def describe_community(names: Sequence[str], nodes: Sequence[int], weights: Sequence[float]) -> Community:
    """The hosts and words of some nodes.

    Parameters
    ----------
    names
        The URL of every node of the graph, or its host; nodes behind the last one have none.
    nodes, weights
        Some nodes, and how much each counts.

    Examples
    --------
    >>> names = [f"http://{host}/{page}.html" for host in ("a.example", "b.example") for page in range(9)]
    >>> names += ["http://b.example/roses/red.html", "http://b.example/roses/white.html"]
    >>> found = describe_community(names, [18, 19, 0], [0.6, 0.3, 0.1])
    >>> found.hosts
    (('b.example', 0.9), ('a.example', 0.1))
    >>> found.words[0]
    ('roses', 0.9)
    """
    known = [
        (names[node], weight)
        for node, weight in zip(nodes, weights, strict=True)
        if node < len(names) and weight > 0
    ]
    total = sum(weight for _, weight in known)
    if not total:
        return Community((), ())
    hosts: Counter[str] = Counter()
    words: Counter[str] = Counter()
    for name, weight in known:
        hosts[_host(name)] += weight / total  # type: ignore[assignment]
        for word in _words(name):
            words[word] += weight / total  # type: ignore[assignment]
    step = max(1, len(names) // _SAMPLE)
    places = range(0, len(names), step)
    common = Counter(word for place in places for word in _words(names[place]))
    scores = {
        word: share * math.log(share * (len(places) + 1) / (common[word] + 1))
        for word, share in words.items()
        if share > 0  # a weight may vanish next to the largest one
    }
    told = sorted((word for word in scores if scores[word] > 0), key=lambda word: (-scores[word], word))
    return Community(
        tuple((host, round(share, 6)) for host, share in hosts.most_common(MAX_HOSTS) if share > 5e-7),
        tuple((word, round(words[word], 6)) for word in told[:MAX_WORDS]),
    )


def _host(name: str) -> str:
    try:
        return urlsplit(name).hostname or name
    except ValueError:
        return name


def _words(name: str) -> set[str]:
    return set(_WORD.findall(name.lower())) - _COMMON
