"""The page about one URL as data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from webstrata.errors import DateError
from webstrata.serve.page.page import find_nearest, show_page
from webstrata.web.server.answers import Refusal

if TYPE_CHECKING:
    from webstrata.serve.page.site import Site

TOMATOES = "http://garden.example/tomatoes"


def test_captures_say_whether_they_changed(site: Site) -> None:
    assert [one["state"] for one in show_page(site, TOMATOES).facts["captures"]] == [
        "first",
        "changed",
        "changed",
    ]
    corals = show_page(site, "http://reef.example/corals").facts["captures"]
    assert [one["state"] for one in corals] == ["first", "same", "same"]


@pytest.mark.parametrize(
    ("at", "snapshot"), [(None, "2026-06"), ("2026-05", "2026-05"), ("2026-05-20", "2026-05")]
)
def test_a_date_chooses_the_last_capture_until_then(site: Site, at: str | None, snapshot: str) -> None:
    assert show_page(site, TOMATOES, at=at).facts["capture"]["snapshot"] == snapshot


def test_a_date_before_the_first_capture_says_when_that_was(site: Site) -> None:
    with pytest.raises(DateError, match="first captured at 2026-05-01"):
        show_page(site, "http://garden.example/pond", at="2026-04")


def test_text_is_that_of_the_capture_at_the_date(site: Site) -> None:
    texts = [
        " ".join(row["text"] for row in show_page(site, TOMATOES, view="text", at=date).rows)
        for date in site.dates
    ]
    assert ["April" in texts[0], "May" in texts[1], "June" in texts[2]] == [True] * 3


def test_a_diff_is_of_the_last_change_unless_captures_are_named(site: Site) -> None:
    facts = show_page(site, TOMATOES, view="diff").facts
    assert (facts["before"]["snapshot"], facts["after"]["snapshot"]) == ("2026-05", "2026-06")
    chosen = show_page(site, TOMATOES, view="diff", before="2026-04", after="2026-06").facts
    assert chosen["before"]["snapshot"] == "2026-04"
    source = show_page(site, TOMATOES, view="diff", source=True)
    assert any("<p>" in piece for line in source.rows for piece, _ in line["pieces"])


def test_links_are_those_of_the_date_with_what_came_and_went(site: Site) -> None:
    rows = show_page(site, TOMATOES, view="links").rows
    out = {row["url"]: row for row in rows if row["direction"] == "out"}
    assert out["http://news.example/storm"]["state"] == "added"
    assert out["http://kitchen.example/soup"]["state"] == "removed"
    assert (out["http://garden.example/"]["state"], out["http://garden.example/"]["anchor"]) == (
        "",
        "the garden",
    )
    assert {row["url"] for row in rows if row["direction"] == "in"} >= {"http://kitchen.example/soup"}
    then = show_page(site, TOMATOES, view="links", at="2026-05").rows
    assert {row["url"] for row in then if row["state"]} == set()


def test_ranks_are_those_of_the_stored_rankings(site: Site) -> None:
    view = show_page(site, TOMATOES, view="ranks")
    assert view.facts["methods"] == ["pagerank", "cheirank", "2drank"]
    for row in view.rows:
        ranking = site.collection[row["date"]].rank(row["method"])
        node = site.collection[row["date"]].urls.node(TOMATOES)
        assert row["rank"] == ranking.ranks[node]


def test_records_have_the_head_and_the_fields_of_the_warc_record(site: Site) -> None:
    facts = show_page(site, TOMATOES, view="records").facts
    assert facts["http_head"].startswith("HTTP/1.1 200")
    assert ["WARC-Target-URI", TOMATOES] in facts["record_headers"]


def test_similar_pages_are_listed_with_their_similarity(site: Site) -> None:
    rows = show_page(site, "http://kitchen.example/", view="similar").rows
    assert (rows[0]["url"], rows[0]["similarity"]) == ("http://kitchen.example/index.html", 1.0)


def test_replay_addresses_name_the_capture(site: Site) -> None:
    facts = show_page(site, TOMATOES, at="2026-05").facts
    assert facts["view"] == "replay"
    assert facts["replay"] == f"http://127.0.0.1:8081/uk/{facts['capture']['timestamp']}/{TOMATOES}"


def test_a_url_never_captured_is_refused_with_the_nearest(site: Site) -> None:
    with pytest.raises(Refusal, match="never captured") as refused:
        show_page(site, "http://garden.example/tomato")
    assert refused.value.status == 404
    assert refused.value.more["nearest"] == find_nearest(site, "http://garden.example/tomato")
