"""What the text index is made of, and how its answers are scored."""

from __future__ import annotations

from dataclasses import dataclass

from webstrata.collection.settings import Settings, not_negative, positive, setting

_stemmer = (
    "porter, snowball:LANGUAGE or none",
    lambda value: value in ("porter", "none") or value.startswith("snowball:"),
)
_memory = ("at least 16MiB", lambda value: value >= 16 << 20)
_servers = ("between 1 and 1024", lambda value: 1 <= value <= 1024)
_bits = ("between -1 and 16", lambda value: -1 <= value <= 16)

PARTITIONS = ("documents", "terms", "tiers")
BUILDING = ("stemmer", "memory", "snapshots", "servers")
"""Settings that an index is made with; the others can change from query to query."""


@dataclass(frozen=True, kw_only=True)
class SearchSettings(Settings):
    """What the text index is made of, and how its answers are scored."""

    stemmer: str = setting(
        "porter", "What words are stemmed by: porter, snowball:LANGUAGE or none.", check=_stemmer
    )
    memory: int = setting(
        512 << 20,
        "Memory in which segments are made, all at work together.",
        unit="bytes",
        check=_memory,
        resource=True,
    )
    snapshots: tuple[str, ...] = setting(
        (), "Snapshots to index, as dates and ranges (2026-01..2026-06,2026-09); default: all that have text."
    )
    servers: int = setting(4, "Number of servers a partition of the index is divided for.", check=_servers)
    title_weight: float = setting(8.0, "Weight of a word in the title (BM25F).", check=not_negative)
    text_weight: float = setting(1.0, "Weight of a word in main content.", check=not_negative)
    other_weight: float = setting(
        0.7, "Weight of a word in text that is not main content.", check=not_negative
    )
    anchor_weight: float = setting(2.0, "Weight of a word in the text of a link.", check=not_negative)
    host_weight: float = setting(0.5, "Weight of a word in the name of the host.", check=not_negative)
    url_weight: float = setting(2.0, "Weight of a word in the path of the URL.", check=not_negative)
    link_weight: float = setting(
        0.005, "Upper limit of what links to a page add to its score, as a share of it.", check=not_negative
    )
    limit: int = setting(10, "Answers that are given.", check=positive)
    per_host: int = setting(0, "Answers of a host at most; 0 for any number.", check=not_negative)
    fold: int = setting(
        -1,
        "Fold an answer if its simhash differs in at most so many bits from that of a better one; "
        "0 for equal texts alone, -1 for none.",
        check=_bits,
    )
