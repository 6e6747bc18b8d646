"""What the core is told of a crawl: settings as numbers, texts and compiled filters."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webstrata._core import __version__
from webstrata._core.crawl import LIMITS
from webstrata.collection.files import explained
from webstrata.collection.settings import ResourcesSettings, parse_seconds
from webstrata.collection.snapshot_dates import parse_snapshot_date
from webstrata.crawl.document_links import FOLLOWED, OTHERS
from webstrata.crawl.filters import Filter
from webstrata.crawl.hosts import parse_address, read_hosts_table
from webstrata.crawl.priorities import selection_weights
from webstrata.crawl.recovery import SCRATCH, Past
from webstrata.crawl.retries import retry_delays
from webstrata.crawl.stores import PREDICATE
from webstrata.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from webstrata.collection import Snapshot
    from webstrata.crawl.settings import CrawlSettings

PLACES = ("schedule", "fetch", "parse", "follow", "store")
"""Where filters stand, in the order of the core."""
OWN = ("agent", "log", "scheduled", "basis")
"""Numbers of the core that are no settings of their own."""
LOGS = ("none", "heritrix", "json")
"""What a crawl writes down of each URL, in the order of the core."""


def configure(
    settings: CrawlSettings, snapshot: Snapshot, filters: Mapping[str, Filter | None]
) -> dict[str, Any]:
    """Everything that follows from the settings; functions of the user's are added by `Crawl`.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata import testing
    >>> snapshot = testing.empty().add("2026-06")
    >>> settings = ws.CrawlSettings(user_agent="me/1.0", host_delays=("example.org=10s",))
    >>> told = configure(settings, snapshot, make_filters(settings))
    >>> told["agents"], told["live"]["host_delays"], told["prefix"]
    (['me'], {'example.org': 10.0}, 'uk-2026-06')
    """
    folder = snapshot.working_folder("crawl")
    user_agent = settings.user_agent or f"webstrata/{__version__} (in vitro)"
    table = read_hosts_table(Path(settings.hosts_table)) if settings.hosts_table else {}
    return {
        "live": configure_live(settings, filters),
        "folder": folder,
        "scratch": folder / SCRATCH,
        **Past().to_core(),
        "earlier": None,
        "user_agent": user_agent,
        "agents": [product_token(user_agent)],
        "headers": [("Accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.5")],
        "hosts": table,
        "name_servers": list(settings.name_servers),
        "authority": _read(settings.authority).decode() if settings.authority else None,
        "compression": settings.compression,
        "level": settings.compression_level,
        "dictionary": _read(settings.dictionary) if settings.dictionary else None,
        "prefix": f"{snapshot.collection.path.name}-{snapshot.date}",
        "clock": _clock(settings.dated),
        "speed": (1.0, 0),
        "contents": None,
        "warcinfo": [
            ("software", f"webstrata/{__version__}"),
            ("format", "WARC File Format 1.1"),
            ("isPartOf", f"{snapshot.collection.title} {snapshot.date}"),
            ("robots", "obey" if settings.obey_robots else "ignore"),
            ("http-header-user-agent", user_agent),
        ],
        "weights": list(selection_weights(settings.levels or 1, settings.level_bias)),
        "prioritizer": None,
        "ring": [],
    }


def _clock(dated: str) -> int:
    """Nanoseconds by which the clock of the web is ahead of ours, if it is `dated` now."""
    return int(parse_snapshot_date(dated).timestamp()) * 10**9 - time.time_ns() if dated else 0


def configure_live(settings: CrawlSettings, filters: Mapping[str, Filter | None]) -> dict[str, Any]:
    """The part of it that can change while the crawl runs.

    Examples
    --------
    >>> from webstrata.crawl.settings import CrawlSettings
    >>> settings = CrawlSettings(schedule="HostEndsWith(uk)")
    >>> live = configure_live(settings, make_filters(settings))
    >>> dict(live["numbers"])["host_delay"], [program is None for program in live["filters"]]
    (4.0, [False, True, True, True, True])
    """
    numbers = {name: float(getattr(settings, name)) for name in LIMITS if name not in OWN}
    numbers |= dict.fromkeys(OWN, 0.0)  # `Crawl` knows its number on the ring, and whether it has a schedule
    numbers["workers"] = float(settings.workers or ResourcesSettings().num_workers)
    numbers["log"] = float(LOGS.index(settings.crawl_log))
    return {
        "numbers": list(numbers.items()),
        "retries": retry_delays(settings),
        "host_delays": parse_delays("host_delays", settings.host_delays),
        "ip_delays": parse_delays("ip_delays", settings.ip_delays),
        "filters": [chosen.program if chosen else None for chosen in filters.values()],
        "judge": None,
    }


def check_settings(settings: CrawlSettings) -> None:
    """Raise `SettingError` where settings that are right one by one contradict each other.

    Examples
    --------
    >>> from webstrata.crawl.settings import CrawlSettings
    >>> check_settings(CrawlSettings(sitemaps=True))
    >>> check_settings(CrawlSettings(sitemaps=True, obey_robots=False))
    Traceback (most recent call last):
    webstrata.errors.SettingError: sitemaps is true and obey_robots is false, but sitemaps are named by the
    robots.txt that is not asked for then; leave one of them out
    """
    if settings.sitemaps and not settings.obey_robots:
        raise SettingError(
            "sitemaps is true and obey_robots is false, but sitemaps are named by the robots.txt that is not "
            "asked for then; leave one of them out"
        )
    if settings.name_servers and not settings.resolve:
        raise SettingError(
            "name_servers are given and resolve is false, so nobody would ask them; leave one of them out"
        )
    if settings.dictionary and settings.compression != "zstd":
        raise SettingError(
            f"dictionary is given and compression is {settings.compression}, which has none; "
            "take zstd, or leave it out"
        )
    if settings.compression == "gzip" and settings.compression_level > 12:
        raise SettingError(f"compression_level is {settings.compression_level}, and gzip has 1 to 12")
    parse_delays("host_delays", settings.host_delays)
    for address in parse_delays("ip_delays", settings.ip_delays):
        if parse_address(address) != (address, None):
            raise SettingError(f"ip_delays: {address!r} is no address; write it as 192.0.2.1=10s")
    for server in settings.name_servers:
        if parse_address(server) is None:
            raise SettingError(f"name_servers: {server!r} is no address; write it as 192.0.2.1:53")


def make_filters(
    settings: CrawlSettings, predicates: Mapping[str, Any] | None = None, *, folder: Path | None = None
) -> dict[str, Filter | None]:
    """The five filters of a crawl; None for one that lets everything through.

    Examples
    --------
    >>> from webstrata.crawl.settings import CrawlSettings
    >>> filters = make_filters(CrawlSettings(schedule="HostEndsWith(uk)", max_repeats=2))
    >>> filters["schedule"].text
    '(HostEndsWith(uk)) and DuplicateSegmentsLessThan(3)'
    >>> filters["store"] is None
    True
    """

    def make(text: str, place: str) -> Filter:
        return Filter.parse(text, place, predicates=dict(predicates or {}), folder=folder)

    texts = {place: getattr(settings, place).strip() or "true" for place in PLACES}
    filters: dict[str, Filter | None]
    filters = {place: None if text == "true" else make(text, place) for place, text in texts.items()}
    if settings.max_repeats:
        guard = f"DuplicateSegmentsLessThan({settings.max_repeats + 1})"
        own = filters["schedule"]
        # made of a filter that is sound, so that a mistake was told in the user's own words
        filters["schedule"] = make(f"({own.text}) and {guard}" if own else guard, "schedule")
    for place, name, text in (("store", PREDICATE, PREDICATE), ("follow", FOLLOWED, OTHERS)):
        if name in (predicates or {}):
            own = filters[place]
            filters[place] = make(f"({own.text}) and ({text})" if own else text, place)
    return filters


def product_token(user_agent: str) -> str:
    """The name by which robots.txt calls a crawler: the letters before the first slash or blank.

    Examples
    --------
    >>> product_token("example-crawler/1.0 (+https://example.org/)")
    'example-crawler'
    """
    match = re.match(r"[A-Za-z_-]+", user_agent)
    return match[0] if match else "webstrata"


def parse_delays(name: str, entries: Sequence[str]) -> dict[str, float]:
    """Seconds by host or address, from entries such as ``example.org=10s``.

    Examples
    --------
    >>> parse_delays("host_delays", ["Example.org=500ms"])
    {'example.org': 0.5}
    """
    delays = {}
    for entry in entries:
        key, _, text = entry.partition("=")
        try:
            delay = parse_seconds(text)
        except ValueError:
            delay = -1
        if delay < 0 or not key.strip():
            raise SettingError(f"{name}: {entry!r} is no delay; write it as name=10s")
        delays[key.strip().lower()] = delay
    return delays


def _read(name: str) -> bytes:
    path = Path(name)
    with explained(path, "read"):
        return path.read_bytes()
