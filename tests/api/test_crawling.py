"""A running crawl is steered by methods of its snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawl.control.core import LiveCore
from webstrata import testing
from webstrata.crawl.control import Control, Listener
from webstrata.crawl.settings import CrawlSettings
from webstrata.errors import MissingError, SettingError

if TYPE_CHECKING:
    from pathlib import Path


def test_each_method_reaches_the_crawl_and_returns_what_it_says() -> None:
    june, core = testing.empty().add("2026-06"), LiveCore()
    june.working_folder("crawl").mkdir()
    with Listener() as listener:
        listener.serve(Control(core, CrawlSettings(), apply=core.change), june.working_folder("crawl"))
        assert june.crawl_status()["state"] == "running"
        assert june.crawl_pause() == "paused"
        assert june.crawl_resume() == "running"
        assert june.crawl_set("host_delay", "2s") == 2.0
        assert june.crawl_blacklist("Example.org") == "example.org"
        assert june.crawl_flush() == 0
        with pytest.raises(SettingError, match="cannot change while the crawl runs"):
            june.crawl_set("compression", "none")
        assert june.crawl_stop(now=True) == "stopping"
    assert [order for order, *_ in core.told] == ["pause", "pause", "change", "blacklist", "flush", "stop"]
    assert core.told[-1] == ("stop", True)
    with pytest.raises(MissingError, match="no crawl is running here"):
        june.crawl_pause()


def test_a_crawl_is_reported_as_one_page(tmp_path: Path) -> None:
    june = testing.empty().add("2026-06")
    with pytest.raises(MissingError):
        june.crawl_report(tmp_path / "early.html")
    assert not (tmp_path / "early.html").exists()
    june.crawl(invitro="tiny", limit=20, user_agent="me/1.0 (+https://example.org/me)")
    assert june.crawl_report() == june.working_folder("crawl") / "report.html"
    page = june.crawl_report(tmp_path / "crawl.html").read_text()
    assert page.startswith("<!")
    assert "2026-06" in page
    assert list(june.crawl_retry(list=True)) == []


def test_the_page_for_hosts_names_the_crawler_and_escapes_it() -> None:
    page = testing.empty().crawl_bot_page(user_agent="me/1.0 (+https://example.org/me) <b>")
    assert "https://example.org/me" in page
    assert "<b>" not in page
