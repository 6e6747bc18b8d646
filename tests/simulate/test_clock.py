"""Who shares an address, delays, and what pages take."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import webstrata as ws
from tests.temporal.months import add_month
from webstrata import errors
from webstrata.simulate.clock import make_clock
from webstrata.simulate.settings import SimulateSettings
from webstrata.simulate.web import StoredWeb

if TYPE_CHECKING:
    from pathlib import Path

KEYS = ["org,a)/", "org,a,www)/", "org,b)/"]


@pytest.fixture
def web(tmp_path: Path) -> StoredWeb:
    return StoredWeb(add_month(ws.create(tmp_path / "uk"), "2026-06", KEYS, [(0, 1)]))


def test_addresses_are_those_of_domains_hosts_or_a_file(web: StoredWeb, tmp_path: Path) -> None:
    file = tmp_path / "addresses"
    file.write_text("b.org 192.0.2.1\na.org 192.0.2.1\n")

    def shared(told: str) -> list[int]:
        found: list[int] = make_clock(web, SimulateSettings(addresses=told)).addresses.tolist()
        return found

    assert shared("domain") == [0, 0, 1]
    assert shared("host") == [0, 1, 2]
    assert shared(str(file)) == [0, 1, 0]
    with pytest.raises(errors.MissingError, match="no truth with addresses"):
        shared("truth")


def test_pages_take_the_mean_time_on_the_mean(web: StoredWeb) -> None:
    clock = make_clock(web, SimulateSettings(fetch_time=2.0, fetch_spread=1.0))
    durations = clock.draw(200_000, np.random.default_rng(1))[3]
    assert durations.mean() == pytest.approx(2.0, rel=0.02)
    assert np.log(durations).std() == pytest.approx(1.0, rel=0.02)


@pytest.mark.parametrize("line", ["c.org=4s", "a.org", "a.org=soon"])
def test_a_delay_of_nobody_is_refused(web: StoredWeb, line: str) -> None:
    with pytest.raises(errors.SettingError, match="host_delays"):
        make_clock(web, SimulateSettings(host_delays=(line,)))


def test_the_truth_says_which_hosts_share_an_address(months: ws.Collection) -> None:
    web = StoredWeb(months["2026-06"])
    truth = make_clock(web, SimulateSettings(addresses="truth")).addresses
    hosts = make_clock(web, SimulateSettings(addresses="host")).addresses
    assert len(truth) == len(hosts)
    assert len(np.unique(truth)) < len(np.unique(hosts))
    assert "truth" in web.used
