"""When something is tried again: growing delays by kind of failure, then the host is given up.

A name that is not found, a connection that does not come about or breaks, a server that is silent, and one
that says "not now" (429, 500, 502, 503, 504) may all be passing: each is tried `retries` times, after
`retry_delay`, twice that, four times that … A handshake that fails is tried once more. An answer that came
and is no HTTP will hardly be another one tomorrow, and an address that is not public stays forbidden: neither
is tried again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata.crawl.failures import FAILURES, NAMES

if TYPE_CHECKING:
    from webstrata.crawl.settings import CrawlSettings

KINDS = (*NAMES, "unavailable")
"""What can fail, in the order of the core."""
_MOST = {failure.name: failure.max_retries for failure in FAILURES}


def retry_delays(settings: CrawlSettings) -> list[list[float]]:
    """Seconds to wait before each further attempt, for each of `KINDS`.

    Examples
    --------
    >>> from webstrata.crawl.settings import CrawlSettings
    >>> dict(zip(KINDS, retry_delays(CrawlSettings(retries=3, retry_delay=10)), strict=True))["timeout"]
    [10, 20, 40]
    """
    growing = [settings.retry_delay * 2**attempt for attempt in range(settings.retries)]
    return [growing[: _MOST.get(kind)] for kind in KINDS]
