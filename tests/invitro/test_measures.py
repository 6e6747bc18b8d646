"""A measure says that a web is what it was asked to be, and that another is not."""

from __future__ import annotations

import numpy as np
import pytest

from webstrata.invitro import InvitroSettings, Web
from webstrata.invitro.measures import (
    lost_links,
    measure_changes,
    measure_exponents,
    measure_hosts,
    measure_survival,
)


@pytest.mark.parametrize("exponent", [1.8, 2.1, 2.6])
def test_the_sizes_of_hosts_have_the_exponent_they_were_asked_for(exponent: float) -> None:
    web = Web("clean", hosts=5000, pages=1_000_000, size_exponent=exponent)
    sizes = np.array(web.hosts()["size"]) - 1
    none = np.array([], dtype=np.uint64)
    [found] = measure_exponents(web.settings, 0, sizes=sizes, in_links=none, degrees=none.astype(np.uint32))
    assert found.is_within, found
    other = InvitroSettings(size_exponent=exponent + 0.3)
    [found] = measure_exponents(other, 0, sizes=sizes, in_links=none, degrees=none.astype(np.uint32))
    assert not found.is_within, found


@pytest.mark.parametrize(("in_exponent", "out_exponent"), [(1.9, 2.4), (2.1, 2.7), (2.5, 3.0)])
def test_links_have_the_exponents_they_were_asked_for(in_exponent: float, out_exponent: float) -> None:
    web = Web("realistic", seed=3, pages=60_000, in_exponent=in_exponent, out_exponent=out_exponent)
    survey = web._core.survey(0)
    found = measure_exponents(
        web.settings,
        0,
        sizes=np.array([], dtype=np.int64),
        in_links=survey["text_in_links"],
        degrees=survey["text_degrees"],
    )
    assert [measure.setting for measure in found] == ["in_exponent", "out_exponent", "content_links"]
    assert all(measure.is_within for measure in found), found


def test_hosts_that_are_away_more_often_than_asked_for_are_noticed() -> None:
    web = Web("small", hosts=2000, pages=20_000, host_absence=0.2)
    months = [web.hosts(month) for month in range(4)]
    found = {measure.setting: measure for measure in measure_hosts(web.settings, months)}
    assert all(measure.is_within for measure in found.values()), found
    other = {measure.setting: measure for measure in measure_hosts(Web("small").settings, months)}
    assert not other["host_absence"].is_within


def test_too_little_to_measure_gives_no_measure() -> None:
    settings = InvitroSettings()
    assert measure_survival(settings, [(5, 6)]) == []
    assert measure_survival(settings, [(5, 6), (0, 0)]) == []
    assert measure_changes(settings, 0, 0) == []


def test_links_are_lost_to_hosts_that_are_away_and_to_time() -> None:
    assert lost_links(InvitroSettings(host_absence=0.0), 0) == 0
    assert (
        lost_links(InvitroSettings(), 3) > lost_links(InvitroSettings(), 1) > lost_links(InvitroSettings(), 0)
    )
