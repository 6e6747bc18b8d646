"""A small collection in which something happens: three months, a flood in the second, a fire in the third."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import webstrata as ws
from tests.temporal.months import add_month
from webstrata.summaries import make_rows, write_archive
from webstrata.temporal.align import choose_snapshots
from webstrata.temporal.build import build_union
from webstrata.web.row_key import row_key

if TYPE_CHECKING:
    from pathlib import Path

Page = tuple[str, list[str]]
"""The words of a page, and what it links to."""

CALM: dict[str, Page] = {
    "http://city.org/": ("city news river bridge weather", ["http://city.org/river", "http://city.org/old"]),
    "http://city.org/river": ("river water bridge boats fish flood", ["http://city.org/"]),
    "http://city.org/old": ("flood of 1910 long ago river water flood", ["http://city.org/"]),
    "http://city.org/q?id=1": ("flood page that is dynamic", ["http://city.org/"]),
    "http://paper.com/": ("paper news sports", ["http://city.org/", "http://paper.com/sports"]),
    "http://paper.com/sports": ("sports ball game news", ["http://paper.com/"]),
}
FLOOD: dict[str, Page] = CALM | {
    "http://city.org/": (
        "city news river bridge weather flood flood",
        ["http://city.org/river", "http://city.org/old", "http://city.org/flood"],
    ),
    "http://city.org/flood": (
        "flood water rises river flood bridge closed",
        ["http://city.org/", "http://paper.com/flood"],
    ),
    "http://paper.com/": (
        "paper news sports flood",
        ["http://city.org/", "http://paper.com/sports", "http://paper.com/flood"],
    ),
    "http://paper.com/flood": ("flood in the city river water bridge closed", ["http://city.org/flood"]),
    "http://paper.com/cup": ("cup game sports winner ball", ["http://paper.com/sports"]),
}
FIRE: dict[str, Page] = FLOOD | {
    "http://city.org/fire": ("fire in the city old town", ["http://city.org/"]),
    "http://paper.com/": ("paper news sports fire", ["http://city.org/", "http://city.org/fire"]),
}
MONTHS = {"2026-01": CALM, "2026-02": FLOOD, "2026-03": FIRE}


def make_events(folder: Path, months: dict[str, dict[str, Page]] | None = None) -> ws.Collection:
    """A collection of the months, with graphs, summaries and the union of static pages."""
    collection = ws.create(folder)
    for label, pages in (months or MONTHS).items():
        add_pages(collection, label, pages)
    if len(months or MONTHS) > 1:
        build_union(collection, choose_snapshots(collection))
    return collection


def add_pages(collection: ws.Collection, label: str, pages: dict[str, Page]) -> None:
    """A month of pages, as it would be stored: URLs, graph and summaries."""
    urls = sorted(pages, key=lambda url: row_key(url).encode())
    numbers = {url: node for node, url in enumerate(urls)}
    arcs = [(numbers[url], numbers[target]) for url in urls for target in pages[url][1] if target in numbers]
    snapshot = add_month(collection, label, [row_key(url) for url in urls], arcs)
    counted = [Counter(pages[url][0].split()) for url in urls]
    texts = sorted({word for counts in counted for word in counts})
    terms = {word: number for number, word in enumerate(texts)}
    rows = make_rows(
        [(counts.total(), {terms[word]: number for word, number in counts.items()}) for counts in counted]
    )
    with snapshot.write_part("summaries", inputs=("urls",)) as build:
        write_archive(build.path, rows, texts=texts)
