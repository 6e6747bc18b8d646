"""What the store step is told."""

from __future__ import annotations

import pytest

from webstrata.errors import SettingError
from webstrata.store.main_content import METHODS
from webstrata.store.settings import StoreSettings


def test_main_content_is_found_by_a_method_that_gives_places() -> None:
    assert StoreSettings().main in METHODS
    assert StoreSettings.read(options={"main": "low-slope"}, environment={}).main == "low-slope"
    with pytest.raises(SettingError, match="one of dom, visual, low-slope"):
        StoreSettings.read(options={"main": "trafilatura"}, environment={})
