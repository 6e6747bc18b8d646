"""The counters of a crawl as Prometheus reads them (its text format, version 0.0.4).

Names are ``webstrata_crawl_<what>_total`` for what only grows, with ``_seconds`` or ``_bytes`` before it
where it has a unit, and ``webstrata_crawl_<what>`` for what goes up and down. Answers have a label
``status``, failures a ``kind``, URLs that were not fetched a ``reason``, processor time a ``thread``
or a ``step``; no label has a URL or a host in it, so their number is fixed. A counter that is not named here
appears under its own name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from prometheus_client.core import Metric

PREFIX = "webstrata_crawl_"
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
STATES = ("running", "paused", "out of space", "stopping", "storing")
"""What a crawl can be doing."""

GAUGES = {
    "hosts": "Hosts contacted.",
    "hosts_known": "Hosts of which URLs are known, contacted or not.",
    "addresses": "Addresses that hosts live at.",
    "front": "Hosts ready to be visited.",
    "required_front": "Hosts that should be ready for the fetchers to be busy.",
    "in_flight": "Visits under way.",
    "waiting": "URLs out of the sieve and not yet on the workbench.",
    "virtualized": "URLs on the disk, by host.",
    "virtualized_hosts": "Hosts with URLs on the disk.",
    "limbo": "Hosts with URLs on the disk and few in memory.",
    "workbench_bytes": "Memory of the URLs on the workbench.",
    "idle": "1 if there is nothing to do.",
    "held": "Hosts that wait for the gate.",
}
"""Counters of the core that go up and down, and what they say."""

_BYTES = {
    "bytes": ("received_bytes", "Bytes received."),
    "payload": ("payload_bytes", "Bytes of bodies, decoded."),
    "stored": ("stored_bytes", "Bytes of WARC files."),
}
_SKIPPED = ("rejected", "filtered", "disallowed", "dropped", "trapped", "foreign")
_COUNTERS = {
    "pages": "Pages with status 200, duplicates and soft 404s included.",
    "duplicates": "Pages that repeat another one.",
    "captures": "Captures stored.",
    "requests": "Requests sent, robots.txt included.",
    "robots": "Answers to robots.txt.",
    "retries": "Requests that were put off after a failure.",
    "truncated": "Answers that were cut off.",
    "links": "Links met on pages.",
    "enqueued": "URLs that came to the sieve.",
    "discovered": "URLs that came out of the sieve, each once.",
    "received": "URLs from outside: seeds, and those that other agents sent.",
    "flushes": "Times that the sieve was flushed.",
    "hosts_unresolved": "Hosts given up because their names never resolved.",
    "undecoded": "Responses stored as received because of their content codings.",
    "sitemaps": "Sitemaps read.",
    "hosts_closed": "Hosts given up or full.",
    "torn": "Captures that an earlier run had not wholly written, to be fetched again.",
    "disk_waits": "Times that a write had to wait because the disk was full.",
    "checkpoints": "Times that everything so far was made to survive a power cut.",
    "unreached": "URLs that failed each time, or whose host was given up before their turn.",
    "rewritten": "URLs written without parameters that make no difference.",
    "soft_404": "Pages that say with status 200 that nothing is there.",
    "slowed": "Visits after which a host rested longer than was asked for.",
}


def write_metrics(status: Mapping[str, Any]) -> str:
    """The text for a status as `webstrata.crawl.control` gives it.

    Examples
    --------
    >>> counters = {"pages": 7, "front": 2, "status_2xx": 9, "parse_ns": 1_500_000}
    >>> text = write_metrics({"state": "running", "seconds": 2.0, "counters": counters})
    >>> [line for line in text.splitlines() if line.startswith("webstrata_crawl_pages")]
    ['webstrata_crawl_pages_total 7.0']
    >>> print(text.partition("# HELP webstrata_crawl_work")[2])
    _seconds_total Time of fetchers by what they did.
    # TYPE webstrata_crawl_work_seconds_total counter
    webstrata_crawl_work_seconds_total{step="parse"} 0.0015
    <BLANKLINE>
    """
    from prometheus_client import CollectorRegistry, generate_latest

    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Status(status))
    return generate_latest(registry).decode()


class _Status:
    """A status as a collector of prometheus_client, which writes the text."""

    def __init__(self, status: Mapping[str, Any]) -> None:
        self._status = status

    def collect(self) -> Iterator[Metric]:
        """The families of metrics, in the order of the counters."""
        status = self._status
        about = {
            name: str(status[name]) for name in ("webstrata", "collection", "snapshot") if name in status
        }
        yield _family("info", "gauge", "Which crawl this is.", [(about, 1)])
        states = [({"state": state}, int(state == status["state"])) for state in STATES]
        yield _family("state", "gauge", "What the crawl is doing.", states)
        yield _family("running_seconds", "gauge", "Time since it began.", [({}, status["seconds"])])
        grouped: dict[str, list[tuple[dict[str, str], float]]] = {name: [] for name in _GROUPS}
        for name, value in status["counters"].items():
            if name in GAUGES:
                yield _family(name, "gauge", GAUGES[name], [({}, value)])
            elif name in _BYTES:
                what, text = _BYTES[name]
                yield _family(f"{what}_total", "counter", text, [({}, value)])
            elif group := _group(name):
                grouped[group[0]].append((group[1], value / 1e9 if name.endswith("_ns") else value))
            else:
                text = _COUNTERS.get(name, f"{name.replace('_', ' ').capitalize()}.")
                yield _family(f"{name}_total", "counter", text, [({}, value)])
        for reason, value in status.get("given_up", {}).items():
            grouped["given_up_hosts_total"].append(({"reason": reason}, value))
        for name, samples in grouped.items():
            if samples:
                yield _family(name, "counter", _GROUPS[name], samples)


_GROUPS = {
    "responses_total": "Answers by hundreds of their status.",
    "failures_total": "Requests without an answer, by kind of failure.",
    "given_up_hosts_total": "Hosts that are left alone, by reason.",
    "depth_pages_total": "Pages by how deep they lie below where their host was entered.",
    "skipped_total": "URLs that were not fetched, by reason.",
    "cpu_seconds_total": "Processor time by kind of thread.",
    "work_seconds_total": "Time of fetchers by what they did.",
}


def _group(name: str) -> tuple[str, dict[str, str]] | None:
    """The family and the labels of a counter that is one of several."""
    if name.startswith("status_"):
        return "responses_total", {"status": name.removeprefix("status_")}
    if name.startswith("failed_"):
        return "failures_total", {"kind": name.removeprefix("failed_")}
    if name.startswith("depth_"):
        return "depth_pages_total", {"depth": name.removeprefix("depth_")}
    if name in _SKIPPED:
        return "skipped_total", {"reason": name}
    if name.endswith("_cpu_ns"):
        return "cpu_seconds_total", {"thread": name.removesuffix("_cpu_ns")}
    if name.endswith("_ns"):
        return "work_seconds_total", {"step": name.removesuffix("_ns")}
    return None


def _family(name: str, kind: str, text: str, samples: Iterable[tuple[Mapping[str, str], float]]) -> Metric:
    from prometheus_client.core import Metric

    family = Metric(PREFIX + name.removesuffix("_total"), text, kind)
    for labels, value in samples:
        family.add_sample(PREFIX + name, dict(labels), value)
    return family
