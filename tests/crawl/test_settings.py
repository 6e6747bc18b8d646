"""What a crawl may be told, setting by setting."""

from __future__ import annotations

from dataclasses import fields

import pytest

from webstrata.crawl.priorities import MAX_BIAS, MAX_LEVELS, selection_weights
from webstrata.crawl.settings import CrawlSettings
from webstrata.errors import SettingError

BAD: list[tuple[str, float | str]] = [
    ("host_delay", -1.0),
    ("ip_delay", -0.1),
    ("keep_alive", -1.0),
    ("robots_expiry", 0.0),
    ("max_crawl_delay", -1.0),
    ("max_pages", -1),
    ("max_bytes", -1),
    ("max_seconds", -1.0),
    ("max_urls", -1),
    ("max_pages_per_host", 0),
    ("max_depth", 256),
    ("max_depth", -1),
    ("max_url_length", 0),
    ("max_redirects", 101),
    ("max_repeats", -1),
    ("max_duplicate_share", 1.1),
    ("max_pages_per_pattern", -1),
    ("probe_after", -1),
    ("dust_support", -1),
    ("delay_factor", -0.5),
    ("max_adaptive_delay", -1.0),
    ("levels", -1),
    ("levels", 257),
    ("level_bias", 0.5),
    ("level_bias", 1e7),
    ("gate_after", -1),
    ("connect_timeout", 0.0),
    ("response_timeout", 0.0),
    ("fetch_timeout", 0.0),
    ("min_rate", -1.0),
    ("max_response", 0),
    ("max_header", 0),
    ("retries", 21),
    ("retry_delay", -1.0),
    ("max_retry_after", -1.0),
    ("compression", "rar"),
    ("compression_level", 0),
    ("compression_level", 20),
    ("file_size", 0),
    ("log_size", 0),
    ("checkpoint", -1.0),
    ("disk_check", 0.0),
    ("fetchers", 0),
    ("workers", -1),
    ("url_cache", 0),
    ("sieve", 0),
    ("workbench", 0),
    ("virtualizer", 0),
    ("duplicates_cache", 0),
    ("head_timeout", 0),
    ("max_sitemap_depth", 256),
    ("max_sitemaps", -1),
    ("max_sitemap_bytes", -1),
]


@pytest.mark.parametrize(("name", "value"), BAD)
def test_a_value_out_of_range_is_told_in_one_sentence(name: str, value: float | str) -> None:
    with pytest.raises(SettingError) as told:
        CrawlSettings(**{name: value})  # type: ignore[arg-type]
    message = str(told.value)
    assert message.startswith(f"{name} is ")
    assert "\n" not in message


def test_every_number_is_checked() -> None:
    numbers = {field.name for field in fields(CrawlSettings) if field.type in ("int", "float")}
    assert {name for name, _ in BAD} >= numbers


def test_levels_and_their_bias_go_as_far_as_priorities_do() -> None:
    settings = CrawlSettings(levels=MAX_LEVELS, level_bias=MAX_BIAS)
    assert len(selection_weights(settings.levels, settings.level_bias)) == MAX_LEVELS
