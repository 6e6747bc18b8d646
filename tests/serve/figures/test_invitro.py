"""The pictures of a web show what its description says."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from webstrata.invitro import Web, WebDescription, describe
from webstrata.serve.figures import write_figures
from webstrata.serve.figures.invitro import count_from_above, draw_description

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def found() -> WebDescription:
    return describe(Web("small", seed=7))


def test_every_picture_can_be_drawn(found: WebDescription, tmp_path: Path) -> None:
    figures = draw_description(found)
    *pictures, page = write_figures(figures, tmp_path, page="describe", title="small")
    names = {
        "settings",
        "degrees",
        "fits",
        "host-sizes",
        "links",
        "months",
        "host-overlap",
        "url-overlap",
        "lags",
    }
    assert {path.stem for path in pictures} == names
    assert all("<svg" in path.read_text() for path in pictures)
    assert page.name == "describe.html"


def test_a_web_of_one_month_has_no_overlaps_to_draw(tmp_path: Path) -> None:
    figures = draw_description(describe(Web("tiny", months=1, events=0)))
    assert {"lags", "host-overlap"}.isdisjoint(figure.name for figure in figures)
    write_figures(figures, tmp_path, page="describe", title="tiny")


def test_the_exponents_stand_above_their_pictures(found: WebDescription) -> None:
    fits = next(figure for figure in draw_description(found) if figure.name == "fits")
    text = str(fits.chart.to_dict())
    for measure in found.measures:
        if measure.fit:
            assert f"{measure.fit.exponent:.2f} ± {measure.fit.standard_error:.2f}" in text


def test_a_setting_that_is_missed_is_shown_as_missed(found: WebDescription) -> None:
    wrong = replace(found.measures[0], found=found.measures[0].asked + 9)
    figures = draw_description(replace(found, measures=(wrong, *found.measures[1:])))
    rows = figures[0].chart.to_dict()["layer"][2]["data"]["values"]
    assert [row["result"] for row in rows].count("outside") == 1


def test_shares_from_above_fall_from_one() -> None:
    points = count_from_above(tuple((value, 1) for value in range(1, 10_001)))
    shares = [share for _, share in points]
    assert shares == sorted(shares, reverse=True)
    assert points[0] == (1, 1.0)
    assert points[-1][0] == 10_000
    assert len(points) < 200
