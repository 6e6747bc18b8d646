"""The gate: whether a new host is crawled on, told from a few of its pages in milliseconds (SPAM, section 1).

A crawler that has fetched k pages of a new host shows them to the gate (`samples`), which answers with a
score from 0 (honest) to 1 (spam); a host above the threshold is left alone. Three models follow each other:

- **terms**: a logistic regression on the BM25 vector of the words of all k pages, hashed into buckets:
  t_b = idf_b · tf_b (k₁ + 1) / (tf_b + k₁ (1 − b + b · length / mean length)), with
  idf_b = ln((N − n_b + ½) / (n_b + ½)) and at least 0, N, n_b and the mean length being those of the hosts
  it was learned from;
- **content**: boosted trees on the features of the pages and the terms' score;
- **links**, if wanted: boosted trees on all of that and on what the neighbours are. Of the hosts that the
  pages link to, and of those that were seen linking to it, the ones judged before count: how many, and the
  mean and the maximum of their content scores. So the first host of a farm is judged by its words, and the
  later ones by the company they keep.

**The threshold** is set where honest hosts were scored by models that had not seen them, their domains or
their addresses. With the setting α, n honest hosts and s the sorted scores, it is s at ⌈(n + 1)(1 − α)⌉ at
least: a new honest host that is like those is refused with probability α at most, whatever the models are
worth (split conformal prediction). And it is so high that the honest hosts above it have at most the share
α of the pages of all, and ½ at least. A bound below 1 / (n + 1) refuses nobody.

Everything a new host needs is in the model: nothing is learned or counted while a crawl runs, scores of
neighbours aside.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Protocol

import numpy as np

from webstrata.classify.gate.samples import (
    COMPRESSION,
    FEATURES,
    SiteSample,
    host_name,
    measure_pages,
    measure_site,
    prepare,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    from webstrata.classify.learning.models.flat import FlatTrees

    Numbers = npt.NDArray[np.float64]

K1, B = 1.2, 0.75
LINK_FEATURES = tuple(
    f"{side}_{what}" for side in ("out", "in") for what in ("hosts", "judged", "mean", "maximum")
)
"""What the neighbours of a host tell: those it links to, and those that link to it."""
ROW = (*FEATURES, "terms")
"""What the model of content looks at."""
UNSEEN = "no page was seen"


class ShownPage(Protocol):
    """A page as a crawler shows it."""

    @property
    def url(self) -> str:
        """Its address."""
        ...

    @property
    def body(self) -> bytes:
        """As it came."""
        ...


class ShownHost(Protocol):
    """A host as a crawler shows it: `webstrata.crawl.judging.HostSample`."""

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        ...

    @property
    def pages(self) -> Sequence[ShownPage]:
        """Those that were fetched first."""
        ...


@dataclass(frozen=True)
class GateVerdict:
    """What the gate says of a host; true if it is crawled on.

    Examples
    --------
    >>> bool(GateVerdict(keeps=False, score=0.9)), bool(GateVerdict(keeps=True, score=0.1))
    (False, True)
    """

    keeps: bool
    score: float | None = None
    why: str = ""

    def __bool__(self) -> bool:
        return self.keeps


@dataclass(frozen=True)
class GateModel:
    """What a gate has learned; `gate.training` makes it."""

    idf: npt.NDArray[np.float32]
    """Of each bucket."""
    mean_length: float
    term_weights: npt.NDArray[np.float32]
    term_bias: float
    content: FlatTrees
    """On rows of `ROW`."""
    links: FlatTrees
    """On the same and `LINK_FEATURES`."""
    content_threshold: float
    links_threshold: float
    pages: int
    """How many of a host it was learned with, and wants to see."""
    compression: int = COMPRESSION
    """The level of DEFLATE by which the pages that it was learned from were measured."""

    def weigh_terms(self, counts: npt.NDArray[np.float32]) -> Numbers:
        """The terms' score of each row of words by bucket, as log-odds."""
        weights = weigh(counts, self.idf, self.mean_length)
        # not by BLAS, whose threads would spin beside those of the crawl
        return np.asarray(np.einsum("ij,j->i", weights, self.term_weights) + self.term_bias, np.float64)

    def read_content(self, sites: Sequence[SiteSample]) -> Numbers:
        """Rows for the model `content`."""
        terms = self.weigh_terms(np.stack([site.counts for site in sites]))
        return np.column_stack([np.stack([site.features for site in sites]), terms])


def weigh(
    counts: npt.NDArray[np.float32], idf: npt.NDArray[np.float32], mean_length: float
) -> npt.NDArray[np.float32]:
    """BM25 weights of rows of counts, each row brought to length 1.

    Examples
    --------
    >>> weigh(np.array([[3, 0, 4]], np.float32), np.ones(3, np.float32), 7.0).round(2)
    array([[0.68, 0.  , 0.73]], dtype=float32)
    """
    length = counts.sum(axis=1, keepdims=True)
    weights = idf * counts * (K1 + 1) / (counts + K1 * (1 - B + B * length / max(mean_length, 1.0)) + 1e-9)
    norms = np.linalg.norm(weights, axis=1, keepdims=True)
    return np.asarray(weights / np.maximum(norms, 1e-9), np.float32)


class GateNeighbours:
    """Hosts that link to each other, as far as it was seen, and the scores of those that were judged.

    Examples
    --------
    >>> known = GateNeighbours()
    >>> known.add("a.org", {"b.org", "c.org"})
    >>> known.scores["b.org"] = 0.9
    >>> known.read("a.org").tolist()[:4], known.read("c.org").tolist()[4:6]
    ([2.0, 1.0, 0.9, 0.9], [1.0, 0.0])
    """

    def __init__(self) -> None:
        self.scores: dict[str, float] = {}
        self._out: dict[str, frozenset[str]] = {}
        self._in: dict[str, set[str]] = {}

    def add(self, host: str, targets: Iterable[str]) -> None:
        """Take in whom a host links to."""
        self._out[host] = frozenset(targets)
        for target in self._out[host]:
            self._in.setdefault(target, set()).add(host)

    def read(self, host: str) -> Numbers:
        """`LINK_FEATURES` of a host; scores are missing where no neighbour was judged."""
        found: list[float] = []
        for side in (self._out.get(host, ()), self._in.get(host, ())):
            scores = [self.scores[name] for name in side if name in self.scores]
            found += [len(side), len(scores)]
            found += [sum(scores) / len(scores), max(scores)] if scores else [np.nan, np.nan]
        return np.array(found, np.float64)


class Gate:
    """Judges hosts by a few pages each: what `Crawl(gate=…)` takes.

    Parameters
    ----------
    model
        What was learned.
    uses_links
        Whether what the neighbours are counts too.

    Attributes
    ----------
    seconds
        Processor time spent on judging so far.
    """

    def __init__(self, model: GateModel, *, uses_links: bool = True) -> None:
        prepare(model.compression)  # the first hosts of a crawl need not wait for it
        self.model = model
        self.uses_links = uses_links
        self.known = GateNeighbours()
        self.seconds = 0.0

    @property
    def threshold(self) -> float:
        """The score from which on a host is refused."""
        return self.model.links_threshold if self.uses_links else self.model.content_threshold

    def remember(self, scores: Mapping[str, float]) -> None:
        """Take in what was said of hosts before, by origin."""
        for origin, score in scores.items():
            self.known.scores.setdefault(host_name(origin), score)

    def __call__(self, hosts: Sequence[ShownHost]) -> list[GateVerdict]:
        """What is said of each; a host of which nothing was seen is let in."""
        started = time.thread_time()
        shown = [host.pages[: self.model.pages] for host in hosts]
        pages = [(page.url, page.body) for some in shown for page in some]
        found = iter(measure_pages(pages, compression=self.model.compression))
        sites = [
            measure_site(host_name(host.origin), list(islice(found, len(some))))
            for host, some in zip(hosts, shown, strict=True)
        ]
        scores = self.score(sites)
        self.seconds += time.thread_time() - started
        return [
            self._say(score) if site.num_pages else GateVerdict(keeps=True, why=UNSEEN)
            for site, score in zip(sites, scores, strict=True)
        ]

    def _say(self, score: float) -> GateVerdict:
        keeps = score < self.threshold
        why = f"{'below' if keeps else 'at or above'} {self.threshold:.4f}"
        return GateVerdict(keeps=keeps, score=float(score), why=why)

    def score(self, sites: Sequence[SiteSample]) -> list[float]:
        """A score for each site, 1 for spam; those judged later see those judged before."""
        if not sites:
            return []
        rows = self.model.read_content(sites)
        content = self.model.content.scores(rows)[:, 0]
        if not self.uses_links:
            return [float(score) for score in content]
        # all of a batch are known to each other by their words, as if each had come last
        for site, score in zip(sites, content, strict=True):
            if site.num_pages:
                self.known.add(site.host, site.hosts)
                self.known.scores[site.host] = float(score)
        linked = np.stack([self.known.read(site.host) for site in sites])
        scores = self.model.links.scores(np.column_stack([rows, linked]))[:, 0]
        return [float(score) for score in scores]


def bound_threshold(scores: Numbers, pages: Numbers, bound: float) -> float:
    """The lowest threshold that refuses honest hosts seldom enough (see the head of this module).

    Parameters
    ----------
    scores
        Of honest hosts, by models that have not seen them.
    pages
        How many pages each has.
    bound
        The share of honest hosts, and of their pages, that may be lost.

    Examples
    --------
    >>> scores = np.linspace(0, 0.99, 100)
    >>> bound_threshold(scores, np.ones(100), 0.02) > 0.97
    True
    >>> bound_threshold(scores, np.ones(100), 0.001)
    inf
    """
    order = np.argsort(-scores, kind="stable")
    allowed = int(np.floor(bound * (len(scores) + 1))) - 1
    lost = np.cumsum(pages[order]) / max(pages.sum(), 1.0)
    # the first that must be let in: too many would be refused, or too many pages lost
    limit = min(allowed, int(np.searchsorted(lost, bound, side="right")))
    if limit < 0:
        return float("inf")
    # who is more likely honest than not is let in, however much might be lost
    return max(float(np.nextafter(scores[order[limit]], np.inf)), 0.5)
