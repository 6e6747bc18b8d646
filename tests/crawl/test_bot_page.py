"""The page about a crawler."""

from __future__ import annotations

import re

import pytest

from webstrata.crawl.bot_page import describe_manners, find_contact, write_bot_page
from webstrata.crawl.settings import CrawlSettings
from webstrata.errors import SettingError
from webstrata.web.robots import parse_robots

AGENT = 'example-crawler/1.0 (+https://example.org/?a=1&b="2")'


def test_what_the_page_tells_to_write_keeps_the_crawler_out() -> None:
    text = write_bot_page(CrawlSettings(user_agent=AGENT), title="<uk>")
    rules = re.findall(r"<pre>(User-agent.*?)</pre>", text, re.DOTALL)
    assert len(rules) == 3
    allowed = [parse_robots(rule.encode(), "example-crawler").allows("/private/a") for rule in rules]
    assert allowed == [False, False, True]
    assert "&lt;uk&gt;" in text
    assert 'b="2"' not in text


def test_it_tells_the_settings_in_force() -> None:
    told = " ".join(
        describe_manners(CrawlSettings(host_delay=9.0, keep_alive=1.0, host_delays=("a.test=30s",)))
    )
    for piece in ("9s between two requests to a host", "For a.test the delay is 30s", "during 1s"):
        assert piece in told
    quiet = " ".join(describe_manners(CrawlSettings(delay_factor=0, probe_after=0, store_reserved=False)))
    assert "random letters" not in quiet
    assert "not stored." in quiet


@pytest.mark.parametrize(
    ("agent", "contact"),
    [("a/1 (mailto:b@c.test; d)", "mailto:b@c.test"), ("a/1 b@c.test", "mailto:b@c.test"), ("a/1", None)],
)
def test_a_contact_is_found_in_any_form(agent: str, contact: str | None) -> None:
    assert find_contact(agent) == contact


def test_there_is_no_page_about_nobody() -> None:
    with pytest.raises(SettingError, match="user_agent"):
        write_bot_page(CrawlSettings(), title="uk")
