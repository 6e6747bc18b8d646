"""Sitemaps are read within limits of depth, number and size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawl.origin import Origin, crawl, page, redirect, reply

if TYPE_CHECKING:
    from pathlib import Path

ROBOTS = reply("User-agent: *\nSitemap: http://a.test/s1.xml\n", kind="text/plain")


def index(*targets: str) -> bytes:
    entries = "".join(f"<sitemap><loc>http://a.test{target}</loc></sitemap>" for target in targets)
    return reply(f"<sitemapindex>{entries}</sitemapindex>", kind="application/xml")


def urls(*targets: str, padding: int = 0) -> bytes:
    entries = "".join(f"<url><loc>http://a.test{target}</loc></url>" for target in targets)
    return reply(f"<urlset>{entries}{' ' * padding}</urlset>", kind="application/xml")


@pytest.mark.parametrize("log", ["none", "heritrix"])
@pytest.mark.parametrize(("depth", "reached"), [(1, 2), (2, 3), (5, 6)])
def test_indexes_of_indexes_are_read_up_to_a_depth(
    tmp_path: Path, log: str, depth: int, reached: int
) -> None:
    with Origin() as origin:
        origin.say("/robots.txt", ROBOTS)
        # each index names the next index, and one of them is elsewhere
        for place in range(1, 12):
            origin.say(f"/s{place}.xml", index(f"/s{place + 1}.xml", f"/leaf{place}.xml"))
            origin.say(f"/leaf{place}.xml", urls(f"/page{place}"))
            origin.say(f"/page{place}", reply(page(f"page {place}")))
        origin.say("/s2.xml", redirect("/moved.xml"))
        origin.say("/moved.xml", index("/s3.xml", "/leaf2.xml"))
        found = crawl(
            tmp_path, origin, "http://a.test/", sitemaps=True, max_sitemap_depth=depth, crawl_log=log
        )
    asked = [int(path[2:-4]) for path in origin.paths() if path.startswith("/s")]
    assert max(asked) == reached
    # what the last index on an allowed level lists is read, if it is no index itself
    assert f"/page{reached - 1}" in origin.paths()
    assert f"/page{reached}" not in origin.paths()
    assert found.result is not None
    (cut,) = [cut for cut in found.result.cuts if cut.reason == "sitemap"]
    assert cut.examples == (f"http://a.test/{'moved' if reached == 2 else f's{reached}'}.xml",)


def test_a_host_may_send_so_many_sitemaps(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("/robots.txt", ROBOTS)
        origin.say("/s1.xml", index(*(f"/leaf{place}.xml" for place in range(20))))
        for place in range(20):
            origin.say(f"/leaf{place}.xml", urls(f"/page{place}"))
        found = crawl(tmp_path, origin, "http://a.test/", sitemaps=True, max_sitemaps=5)
    paths = origin.paths()
    assert len([path for path in paths if path.endswith(".xml")]) == found["sitemaps"] == 5
    assert len([path for path in paths if path.startswith("/page")]) == 4
    assert found.result is not None
    (cut,) = [cut for cut in found.result.cuts if cut.reason == "sitemap"]
    assert cut.number == 16


def test_a_host_may_send_so_many_bytes_of_sitemaps(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("/robots.txt", ROBOTS)
        origin.say("/s1.xml", index(*(f"/leaf{place}.xml" for place in range(20))))
        for place in range(20):
            origin.say(f"/leaf{place}.xml", urls(f"/page{place}", padding=10_000))
        found = crawl(tmp_path, origin, "http://a.test/", sitemaps=True, max_sitemap_bytes=35_000)
    # an index of 1 kB, and the one that went beyond
    assert found["sitemaps"] == 5


def test_sitemaps_that_were_found_on_pages_count_too(tmp_path: Path) -> None:
    names = [f"/found{place}.xml" for place in range(6)]
    with Origin() as origin:
        origin.say("/", reply(page("home", *names)))
        for place, name in enumerate(names):
            origin.say(name, urls(f"/page{place}"))
        crawl(tmp_path, origin, "http://a.test/", sitemaps=True, max_sitemaps=2)
    assert len([path for path in origin.paths() if path.startswith("/page")]) == 2
