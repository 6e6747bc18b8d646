"""The judge of long runs is itself judged: what grows is found, what is flat is not."""

from __future__ import annotations

import pytest

from tests.endurance import hostile, watch


def sample(seconds: float, pages: int = 0, resident: int = 0) -> watch.Sample:
    return watch.Sample(seconds, pages, pages, pages, resident, resident, 10, 5)


def test_growth_is_found() -> None:
    values = [200.0 + place for place in range(100)]
    assert not watch.check_flat("memory", values).is_kept
    assert watch.check_flat("memory", values, few=100).is_kept
    assert watch.check_flat("memory", [200.0 + place % 7 for place in range(100)]).is_kept
    # one peak is no growth
    assert watch.check_flat("memory", [200.0] * 50 + [900.0] + [200.0] * 50).is_kept


def test_a_rate_that_falls_is_found() -> None:
    samples = [sample(float(place), pages=int(100 * place**0.5)) for place in range(100)]
    assert not watch.check_steady("rate", watch.rates(samples)).is_kept
    samples = [sample(float(place), pages=100 * place) for place in range(100)]
    assert watch.check_steady("rate", watch.rates(samples)).is_kept


def test_what_comes_behind_the_last_request_is_not_judged() -> None:
    samples = [sample(float(second), pages=min(second, 50)) for second in range(80)]
    assert [one.pages for one in watch.cut_end(samples)] == list(range(51))


@pytest.mark.parametrize(("last", "first_judged"), [(90, 30), (360, 120), (6000, 120)])
def test_a_run_is_judged_from_minute_two(last: int, first_judged: float) -> None:
    samples = [sample(float(second)) for second in range(last + 1)]
    assert watch.settled(samples)[0].seconds == first_judged


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("http://a.test/hazard/0/5", "bomb of gzip"),
        ("http://a.test/calendar/2026/01/", "calendar without end"),
        ("http://a.test/deeper/deeper/", "folder in itself"),
        ("http://a.test/view?id=1&sid=5b5eab5bd3002efc", "session in the address"),
        ("http://a.test/news/deeper-1.html", None),
    ],
)
def test_an_attack_is_known_by_its_address(url: str, kind: str | None) -> None:
    assert hostile.find_kind(url) == kind


def test_a_broken_promise_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="broken: memory"):
        watch.conclude(
            [watch.Check("rate", is_kept=True, found=""), watch.Check("memory", is_kept=False, found="")]
        )
    assert "BROKEN  memory" in capsys.readouterr().out
