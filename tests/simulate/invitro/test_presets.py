"""Presets are frozen, and have what their names promise."""

from __future__ import annotations

import pytest

from webstrata.simulate.invitro.presets import DIGESTS, digest
from webstrata.simulate.invitro.settings import PRESETS
from webstrata.simulate.invitro.web import Web


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
