"""Settings of `webstrata serve`."""

from __future__ import annotations

from webstrata.collection.settings import load_tables
from webstrata.serve.settings import ServeSettings


def test_the_settings_are_a_table_of_the_collection() -> None:
    assert load_tables()["serve"] is ServeSettings
    assert ServeSettings().replay_origin == ""
