"""BUBING, section by section: what the paper says of the crawler, tried on the crawler."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.crawl.origin import Origin, crawl, page, reply
from webstrata.crawl.agents import Ring
from webstrata.crawl.filters import Filter
from webstrata.crawl.settings import CrawlSettings
from webstrata.pipeline.presets import preset_settings

if TYPE_CHECKING:
    from pathlib import Path


def test_3_1_every_url_comes_out_of_the_sieve_once(tmp_path: Path) -> None:
    paths = [f"/{number}" for number in range(40)]
    with Origin() as origin:
        origin.say("/", reply(page("home", *paths, *paths)))
        for path in paths:
            origin.say(path, reply(page(path, "/", *paths)))
        crawl(tmp_path, origin, "http://a.test/", probe_after=0)
    asked = [path for path in origin.paths() if path != "/robots.txt"]
    assert sorted(asked) == sorted(["/", *paths])


def test_3_4_links_of_near_duplicates_are_followed_unless_the_paper_is(tmp_path: Path) -> None:
    text = "the same words on both pages, long enough to have a fingerprint " * 8
    asked: dict[bool, set[str]] = {}
    for follows in (True, False):
        with Origin() as origin:
            origin.say("/", reply(page("home", "/one")))
            # attributes are stripped, so these have one signature; only the second leads on
            origin.say("/one", reply(f"<p>{text}</p><a href='/two'>on</a>"))
            origin.say("/two", reply(f"<p>{text}</p><a href='/three'>on</a>"))
            origin.say("/three", reply(page("three")))
            crawl(tmp_path, origin, "http://a.test/", follow_duplicates=follows)
        asked[follows] = set(origin.paths())
    assert "/three" in asked[True]
    assert "/three" not in asked[False]


def test_3_6_order_within_a_host_is_that_of_the_sieve_whatever_is_on_disk(tmp_path: Path) -> None:
    paths = [f"/{number:04}-{'x' * 60}" for number in range(400)]
    with Origin() as origin:
        origin.say("/", reply(page("home", *paths)))
        # 400 URLs of 70 bytes are more than the 8 KiB that a host has in memory
        crawl(tmp_path, origin, "http://a.test/", workbench=1 << 12, virtualizer=1 << 12)
    assert [path for path in origin.paths() if path.startswith("/0")] == paths


def test_3_8_the_printed_filter_parses_and_means_what_it_says(tmp_path: Path) -> None:
    hosts = tmp_path / "list-of-hosts"
    hosts.write_text("bad.foo.bar\n")
    text = f"(HostEndsWith(foo.bar) and not ForbiddenHost({hosts})) or NoMoreSlashThan(10)"
    composed = Filter.parse(text)
    many = "http://{}/" + "a/" * 12
    assert composed.admits(many.format("www.foo.bar"))
    assert not composed.admits(many.format("bad.foo.bar"))
    assert composed.admits("http://bad.foo.bar/a")
    duplicates = Filter.parse("DuplicateSegmentsLessThan(3)")
    assert duplicates.admits("http://a.test/foo/bar/foo/bar/x")
    assert not duplicates.admits("http://a.test/foo/bar/foo/bar/foo/bar/x")


def test_3_9_a_new_agent_takes_hosts_from_all_others_and_moves_none_between_them() -> None:
    urls = [f"http://host{number}.test/" for number in range(3_000)]
    three, four = Ring(["a", "b", "c"]), Ring(["a", "b", "c", "d"])
    moved = [(three.owner(url), four.owner(url)) for url in urls if three.owner(url) != four.owner(url)]
    assert {new for _, new in moved} == {"d"}
    assert {old for old, _ in moved} == {"a", "b", "c"}
    assert 0.15 < len(moved) / len(urls) < 0.35


def test_4_1_the_preset_has_the_delays_and_sizes_of_the_experiment_on_raw_speed() -> None:
    settings = preset_settings("paper:bubing", CrawlSettings)
    assert (settings.host_delay, settings.ip_delay) == (4.0, 0.5)
    # in all experiments the host delay is eight times the IP delay
    assert settings.host_delay == 8 * settings.ip_delay
    assert (settings.fetchers, settings.workbench) == (1000, 2 << 30)
    assert not settings.follow_duplicates
    assert (settings.delay_factor, settings.dust_support, settings.probe_after) == (0, 0, 0)
