"""What the core is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from webstrata._core.crawl import LIMITS, Engine
from webstrata.crawl import configuration
from webstrata.crawl.configuration import configure, configure_live, make_filters, product_token
from webstrata.crawl.settings import CrawlSettings
from webstrata.errors import AccessError, MissingError, SettingError, UserError, WebstrataError

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


def test_a_limit_of_the_core_that_no_setting_has_is_not_silently_zero(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = CrawlSettings()
    monkeypatch.setattr(configuration, "LIMITS", [*LIMITS, "host_dealy"])
    with pytest.raises(AttributeError, match="host_dealy"):
        configure_live(settings, make_filters(settings))


def test_flags_reach_the_core_as_numbers() -> None:
    settings = CrawlSettings(obey_robots=False, sitemaps=False, follow_nofollow=True)
    numbers = dict(configure_live(settings, make_filters(settings))["numbers"])
    assert (numbers["obey_robots"], numbers["sitemaps"], numbers["follow_nofollow"]) == (0.0, 0.0, 1.0)


def test_a_number_that_the_core_does_not_know_is_a_defect_and_no_mistake_of_the_user(tmp_path: Path) -> None:
    settings = CrawlSettings()
    given = configure(settings, ws.create(tmp_path / "uk").add("2026-06"), make_filters(settings))
    given["live"]["numbers"][0] = ("host_dealy", 4.0)
    with pytest.raises(WebstrataError, match="unknown number: host_dealy") as raised:
        Engine(given)
    assert not isinstance(raised.value, UserError)
    assert raised.value.exit_code == 1


def test_an_authority_that_is_no_certificate_is_a_mistake_of_the_user(tmp_path: Path) -> None:
    settings = CrawlSettings(accept_all_certificates=False)
    given = configure(settings, ws.create(tmp_path / "uk").add("2026-06"), make_filters(settings))
    damaged = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
    with pytest.raises(SettingError, match=r"authority: .* expected certificates in PEM format"):
        Engine(given | {"authority": damaged})
