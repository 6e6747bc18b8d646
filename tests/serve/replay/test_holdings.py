"""Which capture a URL and a time stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.serve.replay.conftest import HTML, respond, store
from webstrata.serve.replay.holdings import Holdings

if TYPE_CHECKING:
    from pathlib import Path

DAY = 86_400


def find(holdings: Holdings, url: str, timestamp: str = "") -> tuple[str, str] | None:
    found = holdings.find(url, timestamp)
    return (found.entry.url, found.entry.timestamp) if found else None


def test_the_nearest_capture_is_found_in_any_snapshot(tmp_path: Path) -> None:
    snapshots = {
        "2026-06": [respond("http://a.uk/", b"1", HTML), respond("http://a.uk/", b"2", HTML, at=10 * DAY)],
        "2026-07": [respond("http://a.uk/", b"3", HTML, at=40 * DAY)],
    }
    holdings = Holdings("uk", store(tmp_path, snapshots))
    wanted = {
        "20260102": "20260601",
        "20260606": "20260601",
        "20260607": "20260611",
        "2027": "20260711",
        "": "20260711",
    }
    for asked, found in wanted.items():
        assert find(holdings, "http://a.uk/", asked) == ("http://a.uk/", f"{found}000000"), asked
    assert find(holdings, "http://a.uk/other") is None


def test_the_url_itself_comes_before_others_with_its_key(tmp_path: Path) -> None:
    captures = [
        respond("http://a.uk/", b"", "Location: https://www.a.uk/", status="301 Moved", at=5),
        respond("https://www.a.uk/", b"page", HTML, at=9),
        respond("http://b.uk/", b"", "Location: https://b.uk/", status="301 Moved"),
    ]
    holdings = Holdings("uk", store(tmp_path, {"2026-06": captures}))
    assert find(holdings, "https://www.a.uk/", "20260601000005") == ("https://www.a.uk/", "20260601000009")
    assert find(holdings, "http://a.uk/", "20260601000009") == ("http://a.uk/", "20260601000005")
    # of the others, a redirect to the same key would lead in a circle
    assert find(holdings, "https://a.uk/", "20260601000005") == ("https://www.a.uk/", "20260601000009")
    assert find(holdings, "https://b.uk/") is None


def test_a_redirect_to_itself_is_passed_over(tmp_path: Path) -> None:
    captures = [
        respond("http://a.uk/", b"", "Location: http://a.uk/", "Set-Cookie: a=b", status="302 Found"),
        respond("http://a.uk/", b"page", HTML, at=DAY),
    ]
    holdings = Holdings("uk", store(tmp_path, {"2026-06": captures}))
    assert find(holdings, "http://a.uk/", "20260601") == ("http://a.uk/", "20260602000000")


def test_neighbours_of_a_missing_url_are_captured_ones(tmp_path: Path) -> None:
    captures = [respond(f"http://a.uk/{letter}", b"x", HTML) for letter in "abcxyz"]
    holdings = Holdings("uk", store(tmp_path, {"2026-06": captures}))
    assert holdings.neighbours("http://a.uk/m", 2) == [f"http://a.uk/{letter}" for letter in "bcxy"]
