"""What a crawl did not fetch or not keep: for each reason how much, and a few examples.

The core counts and keeps examples by chance, each as likely as any other; here they get their words.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from webstrata.crawl.failures import FAILURES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

REASONS = {
    "rejected": "links that are no URL of a page",
    "schedule": "links that the filter schedule refused",
    "depth": "links deeper than max_depth",
    "nofollow": "links marked nofollow",
    "canonical": "canonical addresses, which show the same page",
    "redirects": "targets of redirects beyond max_redirects, or refused by the filter follow",
    "fetch": "URLs that the filter fetch refused",
    "max_urls": "URLs beyond max_urls",
    "disallowed": "URLs that robots.txt forbids",
    "dropped": "URLs of hosts given up or full",
    "trap": "URLs of a pattern whose pages repeat each other",
    "pattern": "URLs of a pattern that has its max_pages_per_pattern",
    "repeat": "links of a repeated page to more pages like itself",
    "sitemap": "sitemaps beyond max_sitemap_depth, max_sitemaps or max_sitemap_bytes",
    "dust": "URLs written without parameters that make no difference",
    "soft_404": "pages that say with status 200 that nothing is there; stored and marked",
    "noarchive": "pages that ask not to be archived; not stored",
    "reserved": "pages whose rights of text and data mining are reserved; not stored",
    **{failure.name: failure.urls for failure in FAILURES},
    "unavailable": "URLs given up: 429 or 5xx",
}
"""Reasons by the names of the core, in words."""


@dataclass(frozen=True)
class Cut:
    """What was cut for one reason."""

    reason: str
    """A name of `REASONS`."""
    number: int
    examples: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The reason in words."""
        return REASONS.get(self.reason, self.reason)

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self) | {"examples": list(self.examples)}


def read_cuts(found: Iterable[tuple[str, int, Iterable[str]] | Mapping[str, Any]]) -> list[Cut]:
    """Cuts as the core or a file has them, the largest first.

    Examples
    --------
    >>> cuts = read_cuts([("depth", 1, ["http://a/1"]), ("disallowed", 7, ["http://a/2"])])
    >>> [(cut.reason, cut.number, cut.examples) for cut in cuts]
    [('disallowed', 7, ('http://a/2',)), ('depth', 1, ('http://a/1',))]
    >>> read_cuts([cuts[0].to_dict()])[0].text
    'URLs that robots.txt forbids'
    """
    cuts = []
    for entry in found:
        reason, number, examples = (
            entry if isinstance(entry, tuple) else (entry["reason"], entry["number"], entry["examples"])
        )
        cuts.append(Cut(str(reason), int(number), tuple(sorted(str(example) for example in examples))))
    return sorted(cuts, key=lambda cut: (-cut.number, cut.reason))
