"""What a robots.txt asks of everybody, and that the served ones say what the web knows."""

from __future__ import annotations

import pytest

from webstrata.simulate.invitro import Web
from webstrata.simulate.invitro.judge.robots import parse_robots


@pytest.mark.parametrize(
    ("text", "target", "is_allowed"),
    [
        ("", "/a", True),
        ("User-agent: *\nDisallow:\n", "/a", True),
        ("User-agent: *\nDisallow: /\n", "/a", False),
        ("User-agent: *\nDisallow: /\n", "/robots.txt", True),
        ("User-agent: other\nDisallow: /\n", "/a", True),
        ("User-agent: *\nUser-agent: other\nDisallow: /\n", "/a", False),
        ("User-agent: other\nUser-agent: *\nDisallow: /\n", "/a", False),
        ("User-agent: other\nDisallow: /\nUser-agent: *\nDisallow: /b", "/a", True),
        ("User-agent: *\nDisallow: /a\nUser-agent: other\nDisallow: /b", "/b", True),
        ("\ufeffuser-AGENT :* # all\r\ndisallow :  /a # this\r\n", "/a/b", False),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("User-agent: *\nDisallow: /a\nAllow: /a", "/a", True),
        ("User-agent: *\nDisallow: /*?", "/a?b", False),
        ("User-agent: *\nDisallow: /*?", "/a", True),
        ("User-agent: *\nDisallow: /a$", "/a", False),
        ("User-agent: *\nDisallow: /a$", "/a/b", True),
        ("User-agent: *\nDisallow: /a.b", "/axb", True),
        ("User-agent: *\nnonsense\nDisallow: /a", "/a", False),
    ],
)
def test_the_longest_rule_for_everybody_counts(text: str, target: str, *, is_allowed: bool) -> None:
    assert parse_robots(text.encode()).allows(target) is is_allowed


@pytest.mark.parametrize(
    ("text", "delay"),
    [
        ("User-agent: *\nCrawl-delay: 1.5\n", 1.5),
        ("User-agent: other\nCrawl-delay: 9\n\nUser-agent: *\nCrawl-delay: 2\n", 2),
        ("User-agent: *\nCrawl-delay: soon\n", 0),
        ("User-agent: *\nCrawl-delay: -1\n", 0),
    ],
)
def test_the_delay_for_everybody_counts(text: str, delay: float) -> None:
    assert parse_robots(text.encode()).crawl_delay == delay


@pytest.mark.parametrize("preset", ["tiny", "small", "hostile"])
def test_what_is_served_says_what_the_web_knows(preset: str) -> None:
    web = Web(preset, seed=3, hosts=60, pages=900, robots_share=1.0, trap_share=0.3)
    seen = set()
    for home in web.home_pages():
        status, _, body = web._core.fetch(f"{home}robots.txt", 0) or (0, b"", b"")
        if status != 200:
            continue
        robots = parse_robots(body)
        links = {link.url for link in web.links(home) if link.url.startswith(home)}
        for url in sorted(links | {home + path for path in ("calendar/1", "deeper/", "a?b=1", "x/y")}):
            inner = {link.url for link in web.links(url) if link.url.startswith(home)}
            for found in (url, *sorted(inner)[:20]):
                is_allowed = robots.allows(found[len(home) - 1 :])
                assert is_allowed == web.allowed(found), found
                seen.add(is_allowed)
    assert seen == {True, False}
