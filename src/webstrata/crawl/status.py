"""How a running crawl stands, as a result: its counters with what they mean, and one sentence about it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from webstrata.collection.cells import show_bytes, show_time
from webstrata.collection.sentences import tell_count
from webstrata.collection.tables import FactsTable, Rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webstrata.collection.tables import Table

ROWS = {
    "pages": "pages",
    "duplicates": "duplicates",
    "requests": "requests",
    "discovered": "URLs discovered",
    "hosts": "hosts contacted",
    "hosts_unresolved": "hosts whose names never resolved",
    "hosts_closed": "hosts given up or full",
    "front": "hosts ready to be visited",
    "required_front": "hosts that should be ready",
    "in_flight": "visits under way",
    "waiting": "URLs out of the sieve",
    "virtualized": "URLs on the disk",
    "limbo": "hosts with URLs on the disk alone",
    "checkpoints": "checkpoints",
}
"""Counters of a status by what they are called for people."""


class CrawlStatus(FactsTable):
    """State, counters, rates and settings of a running crawl.

    Examples
    --------
    >>> counters = {"pages": 7, "requests": 9, "status_200": 7, "failed_dns": 2}
    >>> rates = {"pages": 1.5, "bytes": 2048.0}
    >>> status = CrawlStatus(
    ...     {"collection": "/data/uk", "snapshot": "2026-06", "state": "running", "seconds": 75.0,
    ...      "counters": counters, "rates": rates, "means": rates, "live": {}})
    >>> status.summary
    'uk 2026-06: running for 1:15, 7 pages; 1.5 pages/s and 2.0 KiB/s now, 1.5 and 2.0 KiB/s on average.'
    >>> status.tables()["Counters"].to_dict()["what"]
    ['pages', 'requests', 'responses 200', 'failed: dns']
    """

    name = "crawl"

    def __init__(self, facts: Mapping[str, Any]) -> None:
        self.facts = dict(facts)

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401
        return self.facts[name]

    def to_dict(self) -> dict[str, Any]:
        """All of it by name, as the crawl reports it."""
        return self.facts

    @property
    def summary(self) -> str:
        """How long it has been running, and how fast."""
        facts = self.facts
        rates, means = facts["rates"], facts["means"]
        shortage = f"\n{facts['shortage']}." if facts.get("shortage") else ""
        return (
            f"{name_crawl(facts)}: {facts['state']} for {show_time(facts['seconds'])}, "
            f"{tell_count(facts['counters']['pages'], 'page')}; {rates['pages']:,.1f} pages/s and "
            f"{show_bytes(int(rates['bytes']))}/s now, {means['pages']:,.1f} and "
            f"{show_bytes(int(means['bytes']))}/s on average.{shortage}"
        )

    def tables(self) -> dict[str, Table]:
        """The counters that counted something."""
        counters = self.facts["counters"]
        rows = [(text, counters[name]) for name, text in ROWS.items() if name in counters]
        for prefix, text in (("status_", "responses "), ("failed_", "failed: ")):
            rows += [(text + name.removeprefix(prefix), counters[name]) for name in nonzero(counters, prefix)]
        rows += [
            (f"hosts left alone: {reason}", count) for reason, count in self.facts.get("given_up", {}).items()
        ]
        return {"Counters": Rows("counters", [{"what": what, "number": number} for what, number in rows])}


def name_crawl(status: Mapping[str, Any]) -> str:
    """Which crawl a status is of, in two words.

    Examples
    --------
    >>> name_crawl({"collection": "/data/uk", "snapshot": "2026-06"})
    'uk 2026-06'
    """
    return f"{Path(status['collection']).name} {status['snapshot']}"


def nonzero(counters: Mapping[str, int], prefix: str) -> list[str]:
    """The counters of a kind that counted something.

    Examples
    --------
    >>> nonzero({"status_200": 7, "status_404": 0, "pages": 7}, "status_")
    ['status_200']
    """
    return [name for name, value in counters.items() if name.startswith(prefix) and value]


def find_progress(status: Mapping[str, Any]) -> tuple[float, float] | None:
    """How much is done of the limit that will be met first, and in how many seconds it will; or nothing.

    Examples
    --------
    >>> status = {"seconds": 10.0, "settings": {"max_pages": 400, "max_seconds": 50.0},
    ...           "counters": {"pages": 100}, "means": {"pages": 10.0}}
    >>> find_progress(status)
    (0.25, 30.0)
    """
    settings, counters, means = status["settings"], status["counters"], status["means"]
    limits = [(settings.get("max_seconds"), status["seconds"], 1.0)]
    for name, counter in (("max_pages", "pages"), ("max_bytes", "payload")):
        limits.append((settings.get(name), counters.get(counter, 0), means.get(counter, 0.0)))
    found = [
        (max(limit - done, 0) / rate, min(done / limit, 1.0))
        for limit, done, rate in limits
        if limit and rate
    ]
    if not found:
        return None
    left, share = min(found)
    return share, left


def find_rest(status: Mapping[str, Any]) -> tuple[int, float] | None:
    """How many URLs are known and not fetched, and how many seconds they take at the rate of now; or nothing.

    Examples
    --------
    >>> counters = {"discovered": 900, "status_2xx": 250, "robots": 50, "dropped": 100}
    >>> find_rest({"counters": counters, "rates": {"requests": 20.0}})
    (600, 30.0)
    """
    counters, rate = status["counters"], status["rates"].get("requests", 0.0)
    answers = sum(counters[name] for name in nonzero(counters, "status_")) - counters.get("robots", 0)
    done = answers + counters.get("disallowed", 0) + counters.get("dropped", 0)
    rest = max(counters.get("discovered", 0) - done, 0)
    return (rest, rest / rate) if rest and rate else None
