"""The crawl page: a crawl that runs, live, and the results of those that have ended."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from webstrata.collection.action import Action
from webstrata.errors import WebstrataError
from webstrata.serve.page.view import PageView

if TYPE_CHECKING:
    from webstrata.api import Snapshot
    from webstrata.serve.page.site import Site

NUMBERS = ("pages", "requests", "discovered", "hosts", "front", "required_front", "in_flight", "waiting")
"""Counters of a running crawl that are shown first."""


def show_crawl(site: Site, *, snapshot: str | None = None) -> PageView:
    """The crawl that runs, with rate, front and errors, and one row per crawl that has ended.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> show_crawl(Site(testing.collection(), "uk")).rows
    []
    """
    collection = site.collection
    running = None
    rows = []
    for one in reversed(list(collection)):
        if snapshot and one.date != snapshot:
            continue
        status = _ask(one)
        if status is not None and running is None:
            running = _tell_running(one.date, status)
            continue
        ended = _read_result(one)
        if ended is not None:
            rows.append(ended)
    label = running["snapshot"] if running else (rows[0]["snapshot"] if rows else "")
    verb = "crawl status" if running else "crawl report"
    action = (
        Action(verb, str(collection.path), label)
        if label
        else Action("crawl", str(collection.path), "SNAPSHOT")
    )
    return PageView("crawl", "Crawl", action, rows, facts={"running": running}, is_live=True)


def find_crawl(site: Site) -> dict[str, Any] | None:
    """The crawl that runs, or the newest that has ended, in a few numbers; none where there was none.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> find_crawl(Site(testing.collection(), "uk")) is None
    True
    """
    for one in reversed(list(site.collection)):
        status = _ask(one)
        if status is not None:
            return _tell_running(one.date, status)
        ended = _read_result(one)
        if ended is not None:
            return ended
    return None


def _ask(snapshot: Snapshot) -> dict[str, Any] | None:
    from webstrata.crawl.control import SOCKET, connect

    if not (snapshot.working_folder("crawl") / SOCKET).exists():
        return None
    with suppress(WebstrataError), connect(snapshot) as client:
        return client.status()
    return None


def _tell_running(date: str, status: dict[str, Any]) -> dict[str, Any]:
    counters = status["counters"]
    return {
        "snapshot": date,
        "state": str(status["state"]),
        "seconds": float(status["seconds"]),
        "pages": int(counters.get("pages", 0)),
        "rate": float(status["rates"].get("pages", 0.0)),
        "bytes_rate": float(status["rates"].get("bytes", 0.0)),
        "mean_rate": float(status["means"].get("pages", 0.0)),
        "counters": {name: int(counters[name]) for name in NUMBERS if name in counters},
        "statuses": _nonzero(counters, "status_"),
        "failures": _nonzero(counters, "failed_"),
        "given_up": {str(name): int(number) for name, number in status.get("given_up", {}).items()},
        "shortage": status.get("shortage"),
    }


def _nonzero(counters: dict[str, int], prefix: str) -> dict[str, int]:
    return {
        name.removeprefix(prefix): int(value)
        for name, value in counters.items()
        if name.startswith(prefix) and value
    }


def _read_result(snapshot: Snapshot) -> dict[str, Any] | None:
    from webstrata.crawl.report import read_report
    from webstrata.crawl.results import FILE, REASONS

    if not (snapshot.working_folder("crawl") / FILE).exists():
        return None
    try:
        report = read_report(snapshot)
    except WebstrataError:
        return None
    result = report.result
    return {
        "snapshot": snapshot.date,
        "state": "ended",
        "end": REASONS.get(result.end, result.end),
        "seconds": result.seconds,
        "pages": result.pages,
        "rate": result.pages / result.seconds if result.seconds else 0.0,
        "requests": int(result.counters.get("requests", 0)),
        "hosts": int(result.counters.get("hosts", 0)),
        "failed": sum(_nonzero(result.counters, "failed_").values()),
    }
