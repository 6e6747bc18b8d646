"""When pages and links existed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.temporal.months import make_months
from webstrata.temporal.align import choose_snapshots
from webstrata.temporal.build import build_union
from webstrata.temporal.history import LinkHistory, page_history

if TYPE_CHECKING:
    from pathlib import Path


def test_a_page_and_its_links_have_their_times(tmp_path: Path) -> None:
    months = {
        "2026-01": (["org,a)/", "org,a)/x"], [(0, 1), (1, 0)]),
        "2026-02": (["org,a)/", "org,a)/y"], [(0, 1)]),
        "2026-03": (["org,a)/", "org,a)/x", "org,a)/y"], [(0, 1), (0, 2), (2, 0)]),
    }
    uk = make_months(tmp_path / "uk", months)
    build_union(uk, choose_snapshots(uk))
    found = page_history(uk.temporal, "http://a.org/", with_inlinks=True)
    assert (found.label, found.addresses) == (0b111, {})
    x, y = (LinkHistory(1, "http://a.org/x", 0b101), LinkHistory(2, "http://a.org/y", 0b110))
    assert found.outlinks == [x, y]
    assert [(link.url, link.label) for link in found.inlinks] == [
        ("http://a.org/x", 1),
        ("http://a.org/y", 4),
    ]
    told = page_history(uk.temporal, "http://a.org/x").to_dict()
    assert told["snapshots"] == ["2026-01", "2026-03"]
    assert told["outlinks"] == [{"node": 0, "url": "http://a.org/", "snapshots": ["2026-01"]}]
    assert told["inlinks"] == []
