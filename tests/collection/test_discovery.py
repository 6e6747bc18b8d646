"""Rooms are found by the names of their files."""

from __future__ import annotations

from webstrata.collection.discovery import load_modules


def test_every_part_and_settings_module_of_the_package_is_found() -> None:
    parts = [module.__name__ for module in load_modules("part")]
    assert "webstrata.graph.part" in parts
    assert "webstrata.rank.spectra.part" in parts
    assert parts == sorted(parts)
    assert load_modules("no_such_module") == ()
