"""How snapshots are aligned and united."""

from __future__ import annotations

from dataclasses import dataclass

from webstrata.collection.settings import Settings, not_negative, one_of, setting, share

METHODS = ("static", "canonical", "learned")
"""Ways to tell which URLs of two snapshots are one page, each with all that the one before it does."""

_memory = ("at least 16MiB", lambda value: value >= 16 << 20)


@dataclass(frozen=True, kw_only=True)
class TemporalSettings(Settings):
    """Which URLs of two snapshots are one page, and in how much memory their union is built."""

    snapshots: tuple[str, ...] = setting(
        (), "Snapshots to unite, as dates and ranges (2026-01..2026-06,2026-09); default: all."
    )
    by: str = setting(
        "static",
        "Which pages are aligned, and by what: `static` takes URLs without ? as they are, `canonical` leaves "
        "https, www and a trailing index page out of them, `learned` takes dynamic URLs too, without "
        "parameters that make no difference.",
        check=one_of(*METHODS),
    )
    support: int = setting(
        5, "Pairs of equal pages that a learned rule needs; 0 learns nothing.", check=not_negative
    )
    precision: float = setting(0.98, "Share of pairs that must speak for a learned rule.", check=share)
    refused_rules: tuple[str, ...] = setting(
        (), "Learned rules that are not applied, as `example.org sid`; `order` for the order of parameters."
    )
    coding: str = setting(
        "runs",
        "How the union is coded: `runs`, smaller; or `huffman` as in TIME, with WebGraph's defaults for the "
        "graph and one Huffman code of labels per label of a source.",
        check=one_of("runs", "huffman"),
    )
    memory: int = setting(
        1 << 30,
        "Memory in which keys are sorted and lists united.",
        unit="bytes",
        check=_memory,
        resource=True,
    )
