"""What a few pages of a host say, measured from the pages alone: the eyes of the gate.

A page gives eight numbers, those of set A that count no words of queries (`pages`): ``words``,
``title_words``, ``word_length``, ``anchor_share``, ``visible_share``, ``compression``,
``ngram_likelihood`` and ``ngram_entropy``; and its words as hashed counts.

A host gives 25: each for the first page, its mean and its variance over the pages, and how many there were.
The words of all its pages together are one virtual document, whose word w goes to bucket hash(w) mod 2^13.
Nothing is needed but the pages, so that what is learned from stored ones is what a crawler sees of new ones.

``compression`` is by DEFLATE at level 1 here, in place of 6: a gate is in the way of a crawl, and no other
number takes as much of the time of looking at a page.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from webstrata.classify.features.pages import NAMES, PageMeter
from webstrata.classify.features.sites import site_name
from webstrata.classify.features.word_lists import WordLists
from webstrata.web.url import split

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
FEATURES = (
    *(f"{name}_{of}" for of in ("first", "mean", "variance") for name in PAGE_FEATURES),
    "pages",
)
"""What is measured of a host, in order."""
BUCKETS = 1 << 13
"""Of hashed words."""
MAX_TEXT = 1 << 18
"""Characters of a page that are looked at."""
COMPRESSION = 1
"""The level of DEFLATE by which pages are measured; gates of format 1 were learned with 6."""
_COLUMNS = [NAMES.index(name) for name in PAGE_FEATURES]


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
    return _site_of(split(url)[0].partition("://")[2])


@lru_cache(1 << 16)  # hosts are linked to again and again
def _site_of(authority: str) -> str:
    return site_name(authority.rpartition("@")[2].split(":")[0])


def measure_pages(pages: Sequence[tuple[str, bytes]], *, compression: int = COMPRESSION) -> list[PageSample]:
    """What pages say, each given as URL and body, whatever its bytes are.

    Their charset is found in the pages: what a server said of it does not reach the gate.

    Parameters
    ----------
    pages
        Those of one host or of several.
    compression
        The level of DEFLATE.

    Examples
    --------
    >>> body = b"<title>Big sale</title><p>cheap cheap <a href=//b.org/>pills</a>"
    >>> [page] = measure_pages([("http://a.org/", body)])
    >>> dict(zip(PAGE_FEATURES, page.features.round(3).tolist()))["anchor_share"], sorted(page.hosts)
    (0.333, ['b.org'])
    """
    if not pages:
        return []
    seen = _meter(compression).look(pages, max_text=MAX_TEXT)
    features = seen.values[:, _COLUMNS].astype(np.float64)
    buckets = (seen.hashes % np.uint64(BUCKETS)).astype(np.int64)
    return [
        PageSample(
            features[place],
            buckets[seen.ends[place] : seen.ends[place + 1]],
            frozenset(map(_site_of, seen.authorities[place])) - {host_name(url), ""},
        )
        for place, (url, _) in enumerate(pages)
    ]


def prepare(compression: int = COMPRESSION) -> None:
    """Make what looks at pages, a tenth of a second before the first of them comes.

    Examples
    --------
    >>> prepare()
    >>> len(measure_pages([("http://a.org/", b"<p>Fish swim in the sea")]))
    1
    """
    _meter(compression)


@cache
def _meter(compression: int) -> PageMeter:
    """Without lists of popular words: those are of a corpus, and a new host has none yet."""
    return PageMeter(WordLists(), compression=compression)


def measure_site(host: str, pages: Sequence[PageSample]) -> SiteSample:
    """What the pages of a host say together; the first is the one that stands out.

    Examples
    --------
    >>> [page] = measure_pages([("http://a.org/", b"<p>cheap pills")])
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
