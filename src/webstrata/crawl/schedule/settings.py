"""How a continuous crawl spends its visits."""

from __future__ import annotations

from dataclasses import dataclass

from webstrata.collection.settings import Settings, one_of, positive, setting, share
from webstrata.crawl.schedule.budget import parse_budget
from webstrata.crawl.schedule.calendar import CUTS
from webstrata.crawl.schedule.thinning import parse_keep
from webstrata.errors import SettingError

BASES = ("main", "fingerprint", "links", "bytes")
"""What can count as a change, in the order of the core."""
IMPORTANCE = ("equal", "depth")


def _is_budget(text: str) -> bool:
    try:
        return parse_budget(text) > 0
    except SettingError:
        return False


def _is_keep(text: str) -> bool:
    try:
        return parse_keep(text) is not None
    except SettingError:
        return False


keep = ("written as monthly:24,yearly:12", _is_keep)
budget = ("written as 20/s, 1000/h, 5000/day or 0.2/page/day, and above 0", _is_budget)


@dataclass(frozen=True, kw_only=True)
class ContinuousSettings(Settings):
    """How a continuous crawl spends its visits, and when it cuts snapshots."""

    budget: str = setting(
        "1/s", "Visits, as 20/s, 1000/h, 5000/day or 0.2/page/day.", check=budget, live=True
    )
    cut: str = setting(
        "monthly", f"When a snapshot ends and the next one begins: {', '.join(CUTS)}.", check=one_of(*CUTS)
    )
    keep: str = setting(
        "",
        "Which snapshots to keep, as monthly:24,yearly:12: the newest of each of the last months and years. "
        "Others that a continuous crawl has cut are removed at the next cut. Empty for all.",
        check=keep,
    )
    then: str = setting(
        "", "What to do after each cut: `run` builds all parts and the report.", check=one_of("", "run")
    )
    basis: str = setting(
        "main",
        "What counts as a change: main content, fingerprint of the text, links, or bytes.",
        check=one_of(*BASES),
    )
    importance: str = setting(
        "equal",
        "How much a fresh copy of a page counts: equal for all, or less for each link from a seed (depth).",
        check=one_of(*IMPORTANCE),
    )
    new_share: float = setting(
        0.8, "Share of the visits that pages never seen may take while others wait.", check=share
    )
    max_interval: float = setting(
        90 * 86_400.0,
        "Longest time between two visits of a page, so that wrong estimates heal and dead pages are noticed.",
        unit="seconds",
        check=positive,
    )
    max_pending: int = setting(
        64, "Visits of a host that wait for its politeness delay at once; others go first.", check=positive
    )
