"""The parts page as data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata import testing
from webstrata.serve.page.parts import show_parts
from webstrata.serve.page.site import Site

if TYPE_CHECKING:
    import webstrata as ws


def test_every_part_is_listed_with_its_size(site: Site, ready: ws.Collection) -> None:
    view = show_parts(site)
    assert len(view.rows) == len(ready.states())
    assert view.facts["bytes"] == sum(state.record.bytes for state in ready.states().values())


def test_a_stale_part_comes_first_with_its_reason_and_command() -> None:
    collection = testing.collection()
    collection["2026-06"].graph_build(nofollow=False)
    view = show_parts(Site(collection, "uk"))
    assert view.rows[0]["state"] == "stale"
    assert view.rows[0]["why"]
    assert view.rows[0]["command"].startswith("webstrata build ")
    assert view.facts["stale"] == len(show_parts(Site(collection, "uk"), stale=True).rows) > 0
