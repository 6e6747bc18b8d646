"""Hosts that a crawl has given up, and how they are taken back.

What fails is tried again with growing delays (`retries`). When a host cannot be reached, or so many of its
URLs in a row fail for good, it is left alone, and ``crawl/given-up.jsonl`` gets a line: ``time`` (seconds
since 1970), ``origin``, ``reason`` and ``urls``, the number of its URLs that were with it and not fetched:

===============  ==========================================================================================
``dns``          its name could not be resolved
``connect``      no connection came about
``tls``          four URLs in a row found no handshake
``timeout``      four URLs in a row got no answer in time
``protocol``     four URLs in a row got an answer that is no HTTP
``forbidden``    its address is private or otherwise not public; it was never contacted
``unavailable``  ten URLs in a row were answered 429 or 5xx each time, or its Retry-After is too long
``robots``       its robots.txt was to be had from another host, which failed
``gate``         the gate refused it
===============  ==========================================================================================

A crawl that goes on leaves these hosts alone. `take_back` removes lines, and the next run asks these hosts
again for everything that it knows of them. Hosts that are full or were shut out have no line: whether they
are left alone follows from the settings.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from webstrata.collection.action import Action
from webstrata.collection.files import explained, replace_file
from webstrata.collection.tables import TableList
from webstrata.crawl.failures import NAMES
from webstrata.errors import FormatError, LockedError, MissingError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from webstrata.collection import Snapshot

FILE = "given-up.jsonl"
REASONS = (*NAMES, "unavailable", "robots", "gate")
"""Why hosts are given up; the order of the table above."""


@dataclass(frozen=True)
class GivenUp:
    """A host that is left alone."""

    origin: str
    reason: str
    urls: int
    time: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {"time": self.time, "origin": self.origin, "reason": self.reason, "urls": self.urls}


class GivenUpList(TableList[GivenUp]):
    """Hosts that a crawl has given up."""

    headings: Mapping[str, str] = {"origin": "host", "reason": "why", "urls": "URLs"}


class GivenUpHosts:
    """The hosts that a crawl under way gives up, each written down when that happens.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> hosts = GivenUpHosts(folder)
    >>> hosts.add("http://a.example", "dns", 7)
    >>> hosts.add("http://b.example", "full", 0)
    >>> [host.origin for host in read_given_up(folder)], dict(hosts.counts)
    (['http://a.example'], {'dns': 1, 'full': 1})
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self.hosts = {host.origin: host for host in read_given_up(folder)}
        self.counts: Counter[str] = Counter(host.reason for host in self.hosts.values())

    def add(self, origin: str, reason: str, urls: int) -> None:
        """Take in a host that was closed."""
        if origin in self.hosts:
            return
        self.counts[reason] += 1
        if reason not in REASONS:
            return
        host = self.hosts[origin] = GivenUp(origin, reason, urls, round(time.time(), 3))
        with explained(self._path, "write"), self._path.open("a") as stream:
            stream.write(json.dumps(host.to_dict()) + "\n")


def read_given_up(folder: Path) -> list[GivenUp]:
    """The hosts that a crawl has given up, in the order in which it did.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> GivenUpHosts(folder).add("http://a.example", "dns", 7)
    >>> [host.origin for host in read_given_up(folder)]
    ['http://a.example']
    """
    path = folder / FILE
    if not path.exists():
        return []
    with explained(path, "read"):
        lines = path.read_bytes().splitlines(keepends=True)
    hosts: dict[str, GivenUp] = {}
    for number, line in enumerate(lines, 1):
        try:
            found = json.loads(line)
            host = GivenUp(found["origin"], found["reason"], int(found["urls"]), float(found["time"]))
        except (ValueError, TypeError, KeyError):
            if number == len(lines) and not line.endswith(b"\n"):
                break  # the end was torn off
            raise FormatError(
                f"{path}, line {number}: this is no host that was given up; restore the file from a copy, or "
                "remove it to have all hosts asked again"
            ) from None
        hosts.setdefault(host.origin, host)
    return list(hosts.values())


def take_back(folder: Path, names: Sequence[str] = (), classes: Iterable[str] = ()) -> list[GivenUp]:
    """Let the next run ask hosts again, by names or origins, by classes, or all; those that it will.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> hosts = GivenUpHosts(folder)
    >>> hosts.add("http://a.example", "dns", 7)
    >>> hosts.add("https://b.example", "timeout", 0)
    >>> [host.origin for host in take_back(folder, classes=["timeout"])]
    ['https://b.example']
    >>> [host.origin for host in read_given_up(folder)]
    ['http://a.example']
    """
    wanted = set(classes)
    if unknown := sorted(wanted.difference(REASONS)):
        raise UsageError(f"{unknown[0]} is no class of errors; known are {', '.join(REASONS)}")
    hosts = read_given_up(folder)
    known = {name for host in hosts for name in _names(host)}
    for name in names:
        if name.lower().rstrip("/") not in known:
            raise MissingError(
                f"{name}: this host was not given up; list those with the option --list of a retry"
            )
    chosen = {name.lower().rstrip("/") for name in names}

    def is_meant(host: GivenUp) -> bool:
        return (not chosen or not chosen.isdisjoint(_names(host))) and (not wanted or host.reason in wanted)

    rest = [host for host in hosts if not is_meant(host)]
    if len(rest) < len(hosts):
        lines = "".join(json.dumps(host.to_dict()) + "\n" for host in rest)
        replace_file(folder / FILE, lines.encode())
    return [host for host in hosts if is_meant(host)]


def _names(host: GivenUp) -> tuple[str, str]:
    """By what a user may call it."""
    return host.origin, host.origin.partition("://")[2]


def retry_hosts(
    snapshot: Snapshot, hosts: Sequence[str] = (), classes: Iterable[str] = (), *, only_list: bool = False
) -> list[GivenUp]:
    """Let the next run of a snapshot's crawl retry what it has given up; those hosts, or the list of all.

    Examples
    --------
    >>> from webstrata import testing
    >>> retry_hosts(testing.snapshot(), only_list=True)
    []
    """
    from webstrata.crawl.control.client import connect
    from webstrata.crawl.recovery import FINISHED, JOURNAL

    folder = snapshot.working_folder("crawl")
    if only_list:
        return read_given_up(folder)
    if (folder / "control.sock").exists():
        with suppress(MissingError):
            connect(snapshot).close()
            raise LockedError(
                f"{snapshot.path}: the crawl is running, and would not notice; stop it first",
                fix=Action.on(snapshot, "crawl stop"),
            )
    if not (folder / JOURNAL).exists():
        raise MissingError(
            f"{snapshot.path}: there is nothing to retry; its crawl has given up nothing, or never started"
        )
    found = take_back(folder, hosts, classes)
    if found or not (hosts or classes):
        (folder / FINISHED).unlink(missing_ok=True)
    return found
