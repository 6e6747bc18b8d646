"""Simulated time: what a fetch takes, and how long hosts and addresses are left alone after it.

Of a host, and of an address, one page at a time is fetched; the next fetch begins when the delays since the
end of the last have passed, of host and address both. Of the pages that may be fetched now the best by the
policy is, as long as a fetcher is free; the links of a page are known at its end. A page takes

    t(v) = T exp(σ z − σ²/2),   z normal,

drawn for each page and run, so that the mean is T; so does what is no page, and a robots.txt takes T itself.
Who asks for a ``Crawl-delay`` that is longer gets it. After `max_seconds` nothing is begun.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.parquet as pq

from webstrata.collection.action import Action
from webstrata.collection.settings import parse_seconds
from webstrata.errors import MissingError, SettingError
from webstrata.simulate.answers import read_rules
from webstrata.simulate.relevance import read_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from webstrata.simulate.settings import SimulateSettings
    from webstrata.simulate.web import StoredWeb

    Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Clock:
    """Who shares an address, and all delays in seconds."""

    addresses: npt.NDArray[np.uint32]
    """Of each host."""
    host_delays: Numbers
    address_delays: Numbers
    fetchers: int
    fetch_time: float
    fetch_spread: float

    def draw(
        self, num_pages: int, random: np.random.Generator
    ) -> tuple[npt.NDArray[np.uint32], Numbers, Numbers, Numbers, int]:
        """What the core takes, with the time that each page takes in a run.

        Examples
        --------
        >>> clock = Clock(np.zeros(1, np.uint32), np.ones(1), np.ones(1), 2, 0.5, 0.0)
        >>> clock.draw(2, np.random.default_rng(0))[3].tolist()
        [0.5, 0.5]
        """
        spread = self.fetch_spread
        noise = spread * random.standard_normal(num_pages) - spread**2 / 2 if spread else np.zeros(num_pages)
        durations = self.fetch_time * np.exp(noise)
        return self.addresses, self.host_delays, self.address_delays, durations, self.fetchers


def make_clock(web: StoredWeb, settings: SimulateSettings) -> Clock:
    """The clock that settings describe.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.simulate.settings import SimulateSettings
    >>> from webstrata.simulate.web import StoredWeb
    >>> pages = {url: "<p>Fish" for url in ("http://a.org/", "http://www.a.org/", "http://b.org/")}
    >>> web = StoredWeb(testing.snapshot_of(pages))
    >>> clock = make_clock(web, SimulateSettings(host_delays=("b.org=10s",)))
    >>> clock.addresses.tolist(), clock.host_delays.tolist()
    ([0, 0, 1], [4.0, 4.0, 10.0])
    """
    names = web.visited_hosts.names
    addresses = _share_addresses(web, settings.addresses)
    delays = np.full(len(names), settings.host_delay)
    places = {name: place for place, name in enumerate(names)}
    if settings.robots and settings.obey_robots:
        for name, rules in read_rules(web, settings.robots).items():
            asked = min(rules.crawl_delay, settings.max_crawl_delay)
            delays[places[name]] = max(delays[places[name]], asked)
    for line in settings.host_delays:
        name, equals, delay = line.partition("=")
        if not equals or name not in places:
            what = "is no host of this snapshot" if equals else "has no `=`"
            raise SettingError(f"host_delays: {line!r} {what}; write it as `www.example.org=10s`")
        try:
            delays[places[name]] = parse_seconds(delay)
        except ValueError:
            raise SettingError(f"host_delays: {delay!r} is no time such as 10s") from None
    if (delays < 0).any():
        raise SettingError("host_delays: a delay is below 0")
    return Clock(
        addresses=addresses,
        host_delays=delays,
        address_delays=np.full(len(np.unique(addresses)), settings.ip_delay),
        fetchers=settings.fetchers,
        fetch_time=settings.fetch_time,
        fetch_spread=settings.fetch_spread,
    )


def _share_addresses(web: StoredWeb, told: str) -> npt.NDArray[np.uint32]:
    """A number for the address of each host."""
    names = web.visited_hosts.names
    if told == "host":
        return np.arange(len(names), dtype=np.uint32)
    if told == "domain":
        groups = np.zeros(len(names), np.uint32)
        groups[web.visited_hosts.of_node] = web.domains.of_node
        return groups
    if told == "truth":
        if "truth" not in web.snapshot.parts:
            raise MissingError(
                f"{web.snapshot.path}: no truth with addresses; for a synthetic web, {{fix}}",
                fix=Action.on(web.snapshot, "invitro truth", preset="PRESET"),
            )
        web.used.append("truth")
        with web.snapshot.open_part("truth") as part:
            columns = ["name", "mirror", "address"]
            table = pq.read_table(part.path / "hosts.parquet", columns=columns).to_pylist()
        pairs = [(row[name], row["address"]) for row in table for name in ("name", "mirror") if row[name]]
        return number_addresses(names, pairs)
    return number_addresses(names, read_lines(Path(told)))


def number_addresses(names: Sequence[str], pairs: Sequence[tuple[str, object]]) -> npt.NDArray[np.uint32]:
    """Numbers for the addresses of hosts; a host of which nobody says has one of its own.

    Examples
    --------
    >>> pairs = [("c.org", "192.0.2.1"), ("a.org", "192.0.2.1")]
    >>> number_addresses(["a.org", "b.org", "c.org"], pairs).tolist()
    [0, 1, 0]
    """
    known = {host: ("address", str(address)) for host, address in pairs}
    numbers: dict[tuple[str, str], int] = {}
    found = [numbers.setdefault(known.get(name, ("host", name)), len(numbers)) for name in names]
    return np.array(found, np.uint32)
