"""What the core is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from webstrata.crawl.configuration import configure, make_filters, product_token
from webstrata.crawl.settings import CrawlSettings
from webstrata.errors import AccessError, MissingError, SettingError

if TYPE_CHECKING:
    from pathlib import Path


def test_a_filter_that_lets_all_through_costs_nothing() -> None:
    filters = make_filters(CrawlSettings(max_repeats=0))
    assert set(filters.values()) == {None}
    assert product_token("Mozilla/5.0 (compatible)") == "Mozilla"
    assert product_token("(nameless)") == "webstrata"


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (CrawlSettings(host_delays=("a.test",)), "host_delays: 'a.test' is no delay"),
        (CrawlSettings(ip_delays=("127.0.0.1=soon",)), "is no delay; write it as name=10s"),
        (CrawlSettings(authority="/no/such/file.pem"), "/no/such/file.pem"),
        (CrawlSettings(dictionary="/no/such/dictionary"), "/no/such/dictionary"),
    ],
)
def test_what_cannot_be_told_is_refused_in_a_sentence(
    tmp_path: Path, settings: CrawlSettings, sentence: str
) -> None:
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    with pytest.raises((SettingError, MissingError, AccessError)) as told:
        configure(settings, snapshot, make_filters(settings))
    assert sentence in str(told.value)
