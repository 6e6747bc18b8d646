"""What a judge asks of a client."""

from __future__ import annotations

from dataclasses import dataclass

from webstrata.collection.settings import Settings, not_negative, setting


@dataclass(frozen=True, kw_only=True)
class JudgeSettings(Settings):
    """What a judge of requests asks of a client."""

    host_delay: float = setting(
        4.0,
        "Time from the end of a visit to a host to the start of the next.",
        unit="seconds",
        check=not_negative,
    )
    ip_delay: float = setting(
        0.5,
        "Time from the end of a visit to an address to the start of the next.",
        unit="seconds",
        check=not_negative,
    )
    slice: float = setting(
        0.0,
        "Time from the start of a visit during which requests on its connection belong to it.",
        unit="seconds",
        check=not_negative,
    )
    tolerance: float = setting(
        0.0,
        "Time by which a gap may be too short, or two visits overlap, as the server's clock tells it.",
        unit="seconds",
        check=not_negative,
    )
    robots_expiry: float = setting(
        86_400.0,
        "Time after which robots.txt may be fetched again.",
        unit="seconds",
        check=not_negative,
    )
    revisit_after: float = setting(
        0.0,
        "Time after which any other URL may be fetched again; 0 for never.",
        unit="seconds",
        check=not_negative,
    )
    restart_grace: float = setting(
        2.0,
        "Time before a restart in which an answer may still have been lost.",
        unit="seconds",
        check=not_negative,
    )
    crawl_delay: bool = setting(False, "Ask for the Crawl-delay of a host's robots.txt where it is longer.")
