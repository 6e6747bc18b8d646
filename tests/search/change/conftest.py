"""The collection of events, made once for all tests that only ask it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.search.change.events import make_events

if TYPE_CHECKING:
    import webstrata as ws


@pytest.fixture(scope="session")
def uk(tmp_path_factory: pytest.TempPathFactory) -> ws.Collection:
    """Three months; see `events`."""
    return make_events(tmp_path_factory.mktemp("events") / "uk")
