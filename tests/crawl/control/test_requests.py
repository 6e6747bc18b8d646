"""A status tells the truth about the core, and what the operator wants reaches it, or is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawl.control.core import Clock, Core, LiveCore
from webstrata.crawl.changes import SettingChanges, read_changes
from webstrata.crawl.control import Control
from webstrata.crawl.control.requests import WINDOW, parse_target
from webstrata.crawl.settings import CrawlSettings
from webstrata.errors import SettingError, UsageError

if TYPE_CHECKING:
    from pathlib import Path


def test_rates_are_those_of_the_last_seconds_and_means_those_of_all() -> None:
    core, clock = Core(), Clock()
    control = Control(core, CrawlSettings(), clock=clock)
    for second in range(1, 21):
        clock.now = 100.0 + second
        # a hundred pages a second for ten seconds, then ten
        core.numbers["pages"] += 100 if second <= 10 else 10
        control.sample()
    status = control.status()
    assert status["seconds"] == 20
    assert status["rates"]["pages"] == pytest.approx(10)
    assert status["means"]["pages"] == pytest.approx(1100 / 20)
    assert status["counters"]["pages"] == 1100


def test_what_rates_look_back_on_is_bounded_and_spans_the_window() -> None:
    core, clock = Core(), Clock()
    control = Control(core, CrawlSettings(), clock=clock)
    for step in range(10_000):
        clock.now = 100 + step / 10
        control.sample()
    assert len(control._samples) < 20
    assert WINDOW <= control._samples[-1][0] - control._samples[0][0] < WINDOW + 1


def test_a_status_does_not_touch_the_core() -> None:
    core = Core()
    control = Control(core, CrawlSettings())
    core.numbers["pages"] = 5
    assert control.status()["counters"]["pages"] == 0
    control.sample()
    assert control.status()["counters"]["pages"] == 5


def test_pause_and_resume_and_stop_reach_the_core_and_change_the_state() -> None:
    core = Core()
    control = Control(core, CrawlSettings())
    assert control.state == "running"
    assert control.answer({"do": "pause"}) == {"ok": True, "state": "paused"}
    assert control.answer({"do": "resume"}) == {"ok": True, "state": "running"}
    assert control.answer({"do": "stop"}) == {"ok": True, "state": "stopping"}
    assert core.told == [("pause", True), ("pause", False), ("stop", False)]
    assert "stopping" in control.answer({"do": "pause"})["error"]
    assert control.state == "stopping"
    assert len(core.told) == 3


def test_a_paused_crawl_can_be_stopped_and_one_that_stops_can_be_hurried() -> None:
    core = Core()
    control = Control(core, CrawlSettings())
    control.pause()
    assert control.stop() == "stopping"
    assert control.answer({"do": "stop", "now": True})["state"] == "stopping"
    assert core.told == [("pause", True), ("stop", False), ("stop", True)]


def test_a_core_that_was_let_go_is_told_nothing_and_its_last_numbers_stay() -> None:
    core = LiveCore()
    control = Control(core, CrawlSettings())
    core.numbers["pages"] = 7
    control.let_go()
    core.numbers["pages"] = 8
    assert control.sample()["pages"] == 7
    status = control.status()
    assert (status["state"], status["counters"]["pages"]) == ("storing", 7)
    for request in (
        {"do": "pause"},
        {"do": "resume"},
        {"do": "set", "name": "host_delay", "value": "1s"},
        {"do": "blacklist", "what": "example.org"},
    ):
        assert control.answer(request)["ok"] is False
    assert control.answer({"do": "stop"}) == {"ok": True, "state": "storing"}
    assert core.told == []


def test_a_setting_that_is_live_changes_in_the_core_and_in_the_status() -> None:
    core, clock = LiveCore(), Clock()
    control = Control(core, CrawlSettings(max_pages=10), clock=clock, apply=core.change)
    clock.now += 3
    assert control.answer({"do": "set", "name": "host_delay", "value": "500ms"}) == {
        "ok": True,
        "name": "host_delay",
        "value": 0.5,
    }
    assert core.told == [("change", CrawlSettings(max_pages=10, host_delay=0.5))]
    assert control.settings == CrawlSettings(max_pages=10, host_delay=0.5)
    status = control.status()
    assert status["settings"]["host_delay"] == 0.5
    assert status["changes"] == [{"seconds": 3.0, "name": "host_delay", "value": 0.5}]


def test_a_setting_keeps_its_value_whatever_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    core = LiveCore()
    control = Control(core, CrawlSettings(ip_delay=2), apply=core.change)
    monkeypatch.setenv("WEBSTRATA_CRAWL_IP_DELAY", "7s")
    control.set("host_delay", 1)
    assert control.settings.ip_delay == 2


@pytest.mark.parametrize(
    ("name", "value", "pattern"),
    [
        ("host_delayy", "1s", r"not a setting of a crawl \(did you mean host_delay\?\)"),
        (
            "compression",
            "zstd",
            r"cannot change .* since the file under way was begun with it; stop it, and go",
        ),
        ("host_delay", "soon", r"a time such as 4s or 500ms was expected"),
        ("host_delay", "-1s", r"must be 0 or more"),
        ("host_delay", [1], r"a time such as"),
    ],
)
def test_a_setting_that_cannot_be_so_is_refused_in_a_sentence(name: str, value: object, pattern: str) -> None:
    core = LiveCore()
    control = Control(core, CrawlSettings(), apply=core.change)
    with pytest.raises(SettingError, match=pattern):
        control.set(name, value)
    assert core.told == []
    assert control.settings == CrawlSettings()
    assert control.changes == []


def test_what_is_refused_by_the_crawl_itself_changes_nothing(tmp_path: Path) -> None:
    def refuse(settings: CrawlSettings) -> None:
        raise SettingError(f"fetch: {settings.fetch} is no filter")

    control = Control(LiveCore(), CrawlSettings(), apply=refuse, folder=tmp_path)
    with pytest.raises(SettingError, match="no filter"):
        control.set("fetch", "HostEquals(")
    assert control.settings == CrawlSettings()
    assert list(tmp_path.iterdir()) == []


def test_what_was_changed_is_kept_for_the_next_run(tmp_path: Path) -> None:
    core = LiveCore()
    kept = SettingChanges({"max_pages": 7}, ["a.example"])
    control = Control(core, CrawlSettings(), apply=core.change, changes=kept, folder=tmp_path)
    control.set("schedule", "HostEndsWith(uk)")
    control.set("host_delays", "a.example=10s")
    control.blacklist("b.example")
    control.blacklist("a.example")
    assert read_changes(tmp_path) == SettingChanges(
        {"max_pages": 7, "schedule": "HostEndsWith(uk)", "host_delays": ["a.example=10s"]},
        ["a.example", "b.example"],
    )


def test_a_flush_that_takes_too_long_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webstrata.crawl.control.requests.FLUSH_TIMEOUT", 1.0)
    answer = Control(LiveCore(), CrawlSettings()).answer({"do": "flush"})
    assert answer["error"] == "flush: the files were not written within 1 s; look at the disk, and ask again"
    assert "cannot close its files" in Control(Core(), CrawlSettings()).answer({"do": "flush"})["error"]


def test_a_core_that_cannot_change_says_what_to_do_instead() -> None:
    control = Control(Core(), CrawlSettings())
    with pytest.raises(SettingError, match=r"crawl again with --host-delay 500ms"):
        control.set("host_delay", 0.5)
    with pytest.raises(UsageError, match=r"--schedule 'not HostEquals\(example.org\)'"):
        control.blacklist("Example.org")
    assert control.changes == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Example.ORG", "example.org"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("0x7f.1", "127.0.0.1"),
        ("::ffff:192.0.2.1", "::ffff:c000:201"),
    ],
)
def test_what_is_shut_out_is_named_in_normal_form(text: str, name: str) -> None:
    core = LiveCore()
    assert Control(core, CrawlSettings()).blacklist(text) == name
    assert core.told == [("blacklist", name)]


@pytest.mark.parametrize(
    "text", ["", " ", "a b", "http://example.org/", "example.org:80", "a@b", "a/b", "1.2.3.4.5"]
)
def test_what_is_no_host_is_not_shut_out(text: str) -> None:
    with pytest.raises(UsageError, match="no host and no address"):
        parse_target(text)


@pytest.mark.parametrize(
    "request_",
    [
        {},
        {"do": None},
        {"do": ["status"]},
        {"do": "set"},
        {"do": "set", "name": "host_delay"},
        {"do": "blacklist", "what": 7},
    ],
)
def test_a_request_that_is_not_whole_is_answered_with_a_sentence(request_: dict[str, object]) -> None:
    answer = Control(LiveCore(), CrawlSettings()).answer(request_)
    assert answer["ok"] is False
    assert answer["kind"] == "UsageError"
    assert answer["error"]
