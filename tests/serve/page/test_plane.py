"""The plane, spectra and their figures."""

from __future__ import annotations

import pytest

import webstrata as ws
from webstrata import testing
from webstrata.serve.page.plane import draw_figure, show_plane, show_spectrum
from webstrata.serve.page.site import Site
from webstrata.web.server.answers import Refusal


def test_the_plane_counts_every_page_once(site: Site, ready: ws.Collection) -> None:
    view = show_plane(site)
    assert sum(row["nodes"] for row in view.rows) == ready["2026-06"].graph.num_nodes
    assert view.facts["correlator"] == pytest.approx(ready["2026-06"].plane().correlator)


def test_figures_differ_in_light_and_dark(site: Site) -> None:
    light, dark = (draw_figure(site, "plane", "2026-06", is_dark=is_dark) for is_dark in (False, True))
    assert light.startswith(b"<svg")
    assert light != dark


def test_a_spectrum_is_shown_where_it_was_computed() -> None:
    snapshot = testing.snapshot()
    snapshot.spectrum(bound=0.6)
    site = Site(ws.open(snapshot.collection.path), "uk")
    view = show_spectrum(site)
    assert view.facts["table"]
    assert not view.missing
    assert draw_figure(site, "moduli", "2026-06").startswith(b"<svg")


@pytest.mark.parametrize(
    ("name", "date"), [("nothing", "2026-06"), ("plane", "1999-01"), ("spectrum", "2026-06")]
)
def test_a_figure_that_is_not_there_is_refused(site: Site, name: str, date: str) -> None:
    with pytest.raises(Refusal, match="no figure"):
        draw_figure(site, name, date)
