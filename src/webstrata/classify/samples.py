"""What a few pages of a host say, measured from the pages alone: the eyes of the gate.

A page gives eight numbers, those of set A (SPAM, section 4: no corpus, no links), and its words as hashed
counts:

=================  =========================================================================================
``words``          words of the visible text
``title_words``    words of the title
``word_length``    mean length of a word, in characters
``anchor_share``   words of anchors over all words
``visible_share``  bytes of the visible text over those of the page
``compression``    bytes of the visible text over those that zlib leaves of it
``ngram_…``        ``likelihood``: mean of −ln p over the different runs of three words, p being the share of
                   the run among all; ``entropy``: −Σ p ln p over the same
=================  =========================================================================================

A host gives 25: each for the first page, its mean and its variance over the pages, and how many there were.
The words of all its pages together are one virtual document, whose word w goes to bucket hash(w) mod 2^13.
Everything is a few hundred microseconds a page, and needs nothing but the page: what is learned from stored
pages is what a crawler sees of new ones.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webstrata.web.html import Kind, scan
from webstrata.web.url import split
from webstrata.web.words import load_core

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Numbers = npt.NDArray[np.float64]

PAGE_FEATURES = (
    "words",
    "title_words",
    "word_length",
    "anchor_share",
    "visible_share",
    "compression",
    "ngram_likelihood",
    "ngram_entropy",
)
FEATURES = tuple(f"{name}_{of}" for of in ("first", "mean", "variance") for name in PAGE_FEATURES) + (
    "pages",
)
"""What is measured of a host, in order."""
BUCKETS = 1 << 13
"""Of hashed words."""
MAX_TEXT = 1 << 18
"""Characters of a page that are looked at."""
_CHARSET = re.compile(r"charset=[\"' ]*([\w.:-]+)", re.IGNORECASE)
_MIX = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))


@dataclass(frozen=True)
class PageSample:
    """What one page says."""

    features: Numbers
    buckets: npt.NDArray[np.int64]
    """Of its words, one each."""
    hosts: frozenset[str]
    """Other hosts that it links to."""


@dataclass(frozen=True)
class SiteSample:
    """What a few pages of a host say together."""

    host: str
    features: Numbers
    counts: npt.NDArray[np.float32]
    """Words by bucket."""
    hosts: frozenset[str]
    num_pages: int


def host_name(url: str) -> str:
    """The host of a URL in normal form or of an origin, without its port and ``www.``.

    Examples
    --------
    >>> host_name("http://www.example.org:8080/a"), host_name("http://example.org")
    ('example.org', 'example.org')
    """
    authority = split(url)[0].partition("://")[2]
    return authority.rpartition("@")[2].split(":")[0].removeprefix("www.")


def measure_page(body: bytes, *, url: str, content_type: str = "") -> PageSample:
    """What a page says, whatever its bytes are.

    Examples
    --------
    >>> page = measure_page(b"<title>Big sale</title><p>cheap cheap <a href=//b.org/>pills</a>", url="http://a.org/")
    >>> dict(zip(PAGE_FEATURES, page.features.round(3).tolist()))["anchor_share"], sorted(page.hosts)
    (0.333, ['b.org'])
    """
    label = _CHARSET.search(content_type)
    page = scan(body, url=url, charset=label[1] if label else None, text=True)
    text = page.text[:MAX_TEXT]
    core = load_core()
    hashes = np.array(core.hashes(text), np.uint64)
    number = len(hashes)
    raw = text.encode("utf-8", "replace")
    anchors = " ".join(link.anchor for link in page.links if link.kind is Kind.ANCHOR)
    likelihood, entropy = _measure_runs(hashes)
    letters = len(text) - text.count(" ") - text.count("\n")
    hosts = {host_name(link.url) for link in page.links if link.kind is Kind.ANCHOR and link.url is not None}
    features = [
        number,
        len(core.split(page.title)),
        letters / max(number, 1),
        min(len(core.split(anchors)) / max(number, 1), 1.0),
        len(raw) / max(len(body), 1),
        len(raw) / len(zlib.compress(raw)) if raw else np.nan,
        likelihood,
        entropy,
    ]
    return PageSample(
        np.array(features, np.float64),
        (hashes % np.uint64(BUCKETS)).astype(np.int64),
        frozenset(hosts - {host_name(url), ""}),
    )


def _measure_runs(hashes: npt.NDArray[np.uint64]) -> tuple[float, float]:
    """Likelihood and entropy of the runs of three words; 0 where there is none."""
    if len(hashes) < 3:
        return 0.0, 0.0
    runs = hashes[:-2] + hashes[1:-1] * _MIX[0] + hashes[2:] * _MIX[1]
    _, counts = np.unique(runs, return_counts=True)
    shares = counts / counts.sum()
    return float(-np.log(shares).mean()), float(-(shares * np.log(shares)).sum())


def measure_site(host: str, pages: Sequence[PageSample]) -> SiteSample:
    """What the pages of a host say together; the first is the one that stands out.

    Examples
    --------
    >>> page = measure_page(b"<p>cheap pills", url="http://a.org/")
    >>> site = measure_site("a.org", [page, page])
    >>> site.features[[0, 8, 16, 24]].tolist(), site.counts.sum()
    ([2.0, 2.0, 0.0, 2.0], np.float32(4.0))
    >>> measure_site("a.org", []).features[0]
    np.float64(nan)
    """
    if not pages:
        missing = np.full(len(FEATURES), np.nan)
        missing[-1] = 0
        return SiteSample(host, missing, np.zeros(BUCKETS, np.float32), frozenset(), 0)
    table = np.stack([page.features for page in pages])
    features = np.concatenate([table[0], table.mean(axis=0), table.var(axis=0), [len(pages)]])
    buckets = np.concatenate([page.buckets for page in pages])
    counts = np.bincount(buckets, minlength=BUCKETS).astype(np.float32)
    hosts = frozenset().union(*(page.hosts for page in pages)) - {host}
    return SiteSample(host, features, counts, hosts, len(pages))
