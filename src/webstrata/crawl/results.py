"""What a crawl did, in numbers."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from webstrata.collection.sentences import tell_count
from webstrata.collection.tables import FactsTable, Rows, Table
from webstrata.crawl.failures import FAILURES

if TYPE_CHECKING:
    from webstrata.crawl.skip_reasons import Cut
    from webstrata.web.dust import Rule

FILE = "crawl.json"
"""Where a crawl that has ended leaves its result."""

PROFILE = ("decode", "parse", "digest", "links", "encode")
"""What fetchers measure of a page's way; the rest of their time is requests and answers."""

REASONS = {
    "exhausted": "no URLs left to fetch",
    "max_pages": "page limit reached",
    "max_bytes": "size limit reached",
    "max_seconds": "time limit reached",
    "stopped": "stopped on request",
}
"""Why a crawl ended, in words."""

GATE = {"hosts": "judged", "refused": "refused"}
"""What a gate counts, by what it is called for people."""

ATTACKS = {
    "cut_length": "responses truncated at the size limit",
    "bombs": "small responses that exceeded it when decoded (bombs)",
    "cut_time": "responses truncated at the time limit",
    "cut_disconnect": "responses whose connection closed early",
    "undecoded": "responses with too many content codings, or damaged ones, stored as received",
    **{failure.counter: failure.requests for failure in reversed(FAILURES)},
    "hosts_unresolved": "hosts whose names never resolved",
    "status_5xx": "5xx responses",
    "retries": "retried requests",
    "hosts_closed": "hosts given up or full",
}
"""What hostile or broken servers do, by the counter that counts it."""


@dataclass(frozen=True, repr=False)
class CrawlResult(FactsTable):
    """How a crawl ended, and what was counted.

    Attributes
    ----------
    end
        One of `REASONS`.
    seconds
        From the first request to the last.
    counters
        Everything that was counted; the names are those of the core.
    cpu_seconds
        Processor time of the whole process meanwhile.
    pages_before
        Those of earlier runs, where it went on.
    cuts
        What was not fetched or not kept, by reason, with examples.
    rules
        What was learned about parameters without meaning.
    gate
        Hosts that a gate judged and refused, and the seconds that took; empty where there was none.
    """

    end: str
    seconds: float
    counters: dict[str, int] = field(default_factory=dict)
    cpu_seconds: float = 0.0
    pages_before: int = 0
    cuts: list[Cut] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    gate: dict[str, Any] = field(default_factory=dict)

    @property
    def pages(self) -> int:
        """Pages: status 200 and text; duplicates and soft 404s are among them."""
        return self.counters.get("pages", 0)

    @property
    def hosts(self) -> int:
        """Hosts that were contacted; names that never resolved are `unresolved_hosts`."""
        return self.counters.get("hosts", 0)

    @property
    def unresolved_hosts(self) -> int:
        """Hosts whose names never resolved."""
        return self.counters.get("hosts_unresolved", 0)

    @property
    def rate(self) -> float:
        """Pages per second."""
        return (self.pages - self.pages_before) / self.seconds if self.seconds else 0.0

    def profile(self) -> dict[str, float]:
        """Where the time of an answer goes: microseconds by what is done, `fetch` being all that is no other.

        Examples
        --------
        >>> counters = {"requests": 10, "fetcher_cpu_ns": 9_000_000, "parse_ns": 1_000_000}
        >>> profile = CrawlResult("exhausted", 1.0, counters).profile()
        >>> profile["fetch"], profile["parse"]
        (800.0, 100.0)
        """
        answers = max(self.counters.get("requests", 0), 1)

        def per_answer(name: str) -> float:
            return round(self.counters.get(f"{name}_ns", 0) / 1e3 / answers, 2)

        found = {name: per_answer(name) for name in PROFILE}
        fetch = per_answer("fetcher_cpu") - sum(found.values())
        return {
            "fetch": round(fetch, 2),
            **found,
            "frontier": per_answer("frontier_cpu"),
            "flusher": per_answer("flusher_cpu"),
        }

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            "end": self.end,
            "seconds": round(self.seconds, 3),
            "pages": self.pages,
            "hosts": self.hosts,
            "unresolved_hosts": self.unresolved_hosts,
            "discovered": self.counters.get("discovered", 0),
            "front": self.counters.get("required_front", 0),
            "pages_per_second": round(self.rate, 1),
            "cpu_seconds": round(self.cpu_seconds, 3),
            "pages_per_cpu_second": round((self.pages - self.pages_before) / self.cpu_seconds, 1)
            if self.cpu_seconds
            else 0.0,
            "counters": self.counters,
            "profile": self.profile(),
            "cuts": [cut.to_dict() for cut in self.cuts],
            "rules": [asdict(rule) for rule in self.rules],
            "gate": self.gate,
        }

    def tables(self) -> dict[str, Table]:
        """Its numbers, pages by depth, and what was not fetched, by reason."""
        depths = [{"depth": depth, "pages": pages} for depth, pages in enumerate(self.depths())]
        skipped = [{"reason": reason, "urls": number} for reason, number in self.skipped().items()]
        title = "This run" if self.pages_before else "Crawl"
        return {
            title: Rows("crawl", [{"what": what, "number": count} for what, count in self.counts().items()]),
            "All numbers": self,
            "Depths": Rows("depths", depths, shown=0),
            "Skipped": Rows("skipped", skipped, shown=0),
        }

    shown = 0  # of all numbers

    @property
    def summary(self) -> str:
        """How many pages of how many hosts in what time, and why it ended."""
        names = tell_count(self.unresolved_hosts, "name")
        unresolved = f" ({names} could not be resolved)" if self.unresolved_hosts else ""
        duplicates = tell_count(self.counters.get("duplicates", 0), "duplicate")
        here = self.pages - self.pages_before
        run = f" in all; {here:,} of them in this run," if self.pages_before else ""
        return (
            f"{tell_count(self.pages, 'page')} ({duplicates}) "
            f"of {tell_count(self.hosts, 'host')}{unresolved}{run} in {self.seconds:.1f} s, "
            f"{self.rate:,.0f} pages/s; {REASONS.get(self.end, self.end)}."
        )

    def counts(self) -> dict[str, int]:
        """What is counted of a crawl, by what it is called for people; failures only where there were some.

        Examples
        --------
        >>> CrawlResult("exhausted", 1.0, {"requests": 9, "captures": 7}).counts()["requests"]
        9
        """
        known = self.counters
        stored = "captures stored, in all runs" if self.pages_before else "captures stored"
        return {
            "requests": known.get("requests", 0),
            "robots.txt": known.get("robots", 0),
            stored: known.get("captures", 0),
            "URLs discovered": known.get("discovered", 0),
            **{f"responses {n}xx": known.get(f"status_{n}xx", 0) for n in range(2, 6)},
            **{
                f"failed: {failure.name}": known[failure.counter]
                for failure in FAILURES
                if known.get(failure.counter)
            },
            **{f"not fetched: {reason}": count for reason, count in self.skipped().items()},
            **{f"at the gate: hosts {what}": self.gate[name] for name, what in GATE.items() if self.gate},
        }

    def depths(self) -> list[int]:
        """Pages by how deep they lie; the last number is of all that lie as deep or deeper.

        Examples
        --------
        >>> CrawlResult("exhausted", 1.0, {"depth_0": 2, "depth_1": 7, "depth_2": 0}).depths()
        [2, 7]
        """
        found = [self.counters.get(f"depth_{depth}", 0) for depth in range(17)]
        while found and not found[-1]:
            found.pop()
        return found

    def skipped(self) -> dict[str, int]:
        """What was not fetched, and why: counts by reason, those of 0 left out."""
        names = {
            "rejected": "links that are no URL of a page",
            "filtered": "links that a filter or a limit refused",
            "disallowed": "URLs that robots.txt forbids",
            "dropped": "URLs of hosts given up or full",
            "trapped": "URLs of patterns that lead to nothing new",
            "soft_404": "pages that say that nothing is there",
            "foreign": "URLs of other agents",
        }
        return {text: self.counters[name] for name, text in names.items() if self.counters.get(name)}

    def attacks(self) -> dict[str, int]:
        """What was done against the crawl and how it was borne: counts by kind, those of 0 left out.

        Examples
        --------
        >>> CrawlResult("exhausted", 1.0, {"bombs": 2, "cut_time": 0}).attacks()
        {'small responses that exceeded it when decoded (bombs)': 2}
        """
        return {text: self.counters[name] for name, text in ATTACKS.items() if self.counters.get(name)}
