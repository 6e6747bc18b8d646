"""The crawl page: a crawl that runs, live, and the results of those that have ended."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Query

from webstrata.collection.action import Action
from webstrata.collection.settings import to_text
from webstrata.errors import MissingError, WebstrataError
from webstrata.serve.page.curves import HOUR, read_curves
from webstrata.serve.page.view import PageView

if TYPE_CHECKING:
    from webstrata.api import Snapshot
    from webstrata.serve.page.site import Site

NUMBERS = ("pages", "requests", "discovered", "hosts", "front", "required_front", "in_flight", "waiting")
"""Counters of a running crawl that are shown first."""
HOSTS = {
    "hosts": "contacted",
    "front": "ready to be visited",
    "virtualized_hosts": "with URLs on the disk",
    "limbo": "with URLs on the disk alone",
    "hosts_unresolved": "never resolved",
    "hosts_closed": "given up or full",
}
"""Counters of hosts by what they are called for people."""


def show_crawl(
    site: Site,
    *,
    snapshot: Annotated[str | None, Query(max_length=20, description="One crawl, with its curves.")] = None,
) -> PageView:
    """The crawl that runs, with rate, front and errors, and one row per crawl that has ended.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> show_crawl(Site(testing.collection(), "uk")).rows
    []
    """
    collection = site.collection
    if snapshot and snapshot not in site.collection.dates:
        raise MissingError(f"there is no snapshot {snapshot}; there are {', '.join(site.collection.dates)}")
    running, ended_one = None, None
    rows = []
    for one in reversed(list(collection)):
        if snapshot and one.date != snapshot:
            continue
        status = _ask(one)
        if status is not None and running is None:
            running = _tell_running(one.date, status) | {
                "curves": _read_curves(one),
                "examples": _list_given_up(one),
            }
            continue
        ended = _read_result(one)
        if ended is not None:
            rows.append(ended)
            if snapshot:
                ended_one = ended | {"curves": _read_curves(one, None), "examples": _list_given_up(one)}
    label = running["snapshot"] if running else (rows[0]["snapshot"] if rows else "")
    verb = "crawl status" if running else "crawl report"
    action = Action(verb, str(collection.path), label) if label else Action("show", str(collection.path))
    return PageView(
        "crawl",
        "Crawl",
        action,
        rows,
        facts={"running": running, "ended": ended_one, "snapshot": snapshot},
        is_live=True,
    )


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


def _read_curves(snapshot: Snapshot, seconds: float | None = HOUR) -> list[dict[str, Any]]:
    from webstrata.crawl.series import FILE

    return read_curves(snapshot.working_folder("crawl") / FILE, seconds)


def _list_given_up(snapshot: Snapshot) -> list[dict[str, Any]]:
    """Hosts that were given up, by reason, with the last of them as examples."""
    from webstrata.crawl.given_up import read_given_up

    try:
        hosts = read_given_up(snapshot.working_folder("crawl"))
    except WebstrataError:
        return []
    found: dict[str, list[str]] = {}
    for host in hosts:
        found.setdefault(host.reason, []).append(host.origin)
    return [
        {"reason": reason, "hosts": len(origins), "examples": origins[-3:]}
        for reason, origins in sorted(found.items(), key=lambda pair: -len(pair[1]))
    ]


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
        "hosts": {shown: int(counters[name]) for name, shown in HOSTS.items() if name in counters},
        "settings": {
            name: to_text(status["settings"][name])
            for name in status.get("live", [])
            if name in status["settings"]
        },
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
        "statuses": _nonzero(result.counters, "status_"),
        "failures": _nonzero(result.counters, "failed_"),
    }
