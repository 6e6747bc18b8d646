"""Presets are frozen, and have what their names promise."""

from __future__ import annotations

import random

import pytest

from webstrata.invitro.presets import DIGESTS, digest
from webstrata.invitro.settings import PRESETS
from webstrata.invitro.web import Web


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_a_preset_serves_what_it_always_served(preset: str) -> None:
    assert digest(Web(preset)) == DIGESTS[preset], (
        f"preset {preset} serves something else now: figures measured on it can no longer be compared; "
        "undo the change, or enter the new digest in presets.py and say so in the changelog"
    )


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_a_preset_has_two_months_and_delays(preset: str) -> None:
    settings = Web(preset).settings
    assert settings.months >= 2
    assert settings.ip_delay <= settings.host_delay


@pytest.mark.parametrize("preset", ["tiny", "small"])
def test_no_trap_or_hazard_makes_a_small_web_depend_on_the_order_of_fetching(preset: str) -> None:
    settings = Web(preset).settings
    assert settings.hazard_share == 0
    assert settings.traps_disallowed == 1
    # with several, which addresses are found would depend on which of two duplicates comes first
    assert settings.sessions == 1


def crawl_in_random_order(web: Web, order: random.Random) -> set[str]:
    """What a crawler fetches that follows the links of the first of several duplicates only."""
    graph = web.graph(1)
    page_of = dict(zip(graph.urls, graph.pages.tolist(), strict=True))
    frontier = list(web.home_pages(1))
    seen, pages = set(frontier), set()
    fetched = set()
    while frontier:
        place = order.randrange(len(frontier))
        frontier[place], frontier[-1] = frontier[-1], frontier[place]
        url = frontier.pop()
        links: list[str] = []
        if url in page_of:
            fetched.add(url)
            if page_of[url] not in pages:
                pages.add(page_of[url])
                links = [link.url for link in web.links(url, 1)]
        elif web.allowed(url, 1):
            answer = web.fetch(url, 1)
            if answer.status in (301, 302):
                location = answer.head.decode().split("Location: ")[1].split("\r\n")[0]
                links = [location if "://" in location else "/".join(url.split("/")[:3]) + location]
        for link in links:
            if link not in seen:
                seen.add(link)
                frontier.append(link)
    return fetched


@pytest.mark.parametrize("preset", ["tiny", "small"])
def test_the_pages_found_do_not_depend_on_the_order_of_fetching(preset: str) -> None:
    web = Web(preset, seed=7)
    expected = set(web.graph(1).urls)
    for seed in range(3):
        found = crawl_in_random_order(web, random.Random(seed))
        assert found == expected, sorted(found ^ expected)[:5]
