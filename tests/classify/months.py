"""Three months of a small web, for what looks back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.classify.web import make_web
from webstrata.summaries.build import build_summaries
from webstrata.summaries.settings import SummariesSettings

if TYPE_CHECKING:
    from pathlib import Path

    import webstrata as ws

# who links to whom, and what is said, month by month; c.org comes late, b.org turns to pills
_MONTHS = {
    "2026-04": {
        "http://a.org/": ("fish swim in the reef", ["http://b.org/", "http://d.org/"]),
        "http://b.org/": ("fish and ships of wood", ["http://d.org/", "http://a.org/"]),
        "http://d.org/": ("a reef of wood", ["http://a.org/"]),
        "http://e.org/": ("nothing else", []),
    },
    "2026-05": {
        "http://www.a.org/": ("fish swim in the reef", ["http://b.org/", "http://d.org/"]),
        "http://b.org/": ("fish and pills", ["http://d.org/", "http://c.org/"]),
        "http://c.org/": ("pills pills", ["http://b.org/"]),
        "http://d.org/": ("a reef of wood", ["http://www.a.org/"]),
        "http://e.org/": ("nothing else", []),
    },
    "2026-06": {
        "http://a.org/": ("fish swim in the reef", ["http://www.a.org/deep", "http://d.org/"]),
        "http://www.a.org/deep": ("deep fish", ["http://d.org/", "http://b.org/"]),
        "http://b.org/": ("cheap pills", ["http://c.org/"]),
        "http://c.org/": ("pills pills and ships", ["http://b.org/", "http://a.org/"]),
        "http://d.org/": ("a reef of wood", ["http://a.org/"]),
    },
}


def make_months(folder: Path) -> list[ws.Snapshot]:
    """Snapshots of April, May and June in a new collection, with graphs and summaries."""
    snapshots = []
    for label, pages in _MONTHS.items():
        texts = {
            url: f"<p>{text}{''.join(f' <a href={target}>x</a>' for target in targets)}"
            for url, (text, targets) in pages.items()
        }
        snapshot = make_web(folder, texts, label)
        build_summaries(snapshot, SummariesSettings(min_df=1), workers=1)
        snapshots.append(snapshot)
    return snapshots
