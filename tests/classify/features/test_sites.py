"""Hosts that are one site, and their home pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from webstrata.classify.features.sites import NO_SITE, group_sites, site_key
from webstrata.store.urls import Urls, write_urls
from webstrata.web.row_key import row_key

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.classify.features.sites import Sites


def group(folder: Path, urls: list[str], others: dict[str, int] | None = None) -> Sites:
    keys = sorted((row_key(url) for url in urls), key=str.encode)
    pairs = sorted((row_key(url), node) for url, node in (others or {}).items())
    table = pa.table(
        {
            "row_key": pa.array([key for key, _ in pairs], pa.string()),
            "node": pa.array([node for _, node in pairs], pa.uint32()),
        }
    )
    write_urls(folder, pa.array(keys), table)
    return group_sites(Urls(folder))


def test_www_and_the_bare_host_are_one_site_in_row_key_order(tmp_path: Path) -> None:
    hosts = ["www.a.org", "a.org", "b.a.org", "www.b-a.org", "www.com", "192.0.2.1", "x.www.a.org"]
    sites = group(tmp_path, [f"http://{host}/p" for host in hosts])
    assert sites.names == sorted(sites.names, key=site_key)
    assert set(sites.names) == {"a.org", "b.a.org", "b-a.org", "www.com", "192.0.2.1", "x.www.a.org"}
    assert sites.pages.sum() == 7
    assert sites.pages[sites.names.index("a.org")] == 2
    assert sites.of_hosts(["www.a.org", "b-a.org", "gone.org"]).tolist() == [
        sites.names.index("a.org"),
        sites.names.index("b-a.org"),
        NO_SITE,
    ]


def test_the_home_page_is_the_root_or_what_it_stands_for_or_the_shortest(tmp_path: Path) -> None:
    urls = [
        "http://www.a.org/",
        "https://a.org/",
        "http://a.org/b",
        "http://www.b.org/long/path",
        "http://b.org/longer/path",
        "http://c.org/index.html",
        "http://c.org/a",
        "http://d.org/zz",
        "http://d.org/aa",
        "http://e.org:8080/",
        "http://e.org/longer",
    ]
    order = sorted(urls, key=lambda url: row_key(url).encode())
    others = {"http://c.org/": order.index("http://c.org/index.html"), "http://d.org/": order.index(urls[0])}
    sites = group(tmp_path, urls, others)
    homes = dict(zip(sites.names, [order[node] for node in sites.home], strict=True))
    assert homes == {
        "a.org": "https://a.org/",
        "b.org": "http://b.org/longer/path",
        "c.org": "http://c.org/index.html",
        "d.org": "http://d.org/aa",
        "e.org": "http://e.org:8080/",
    }


def test_no_pages_are_no_sites(tmp_path: Path) -> None:
    sites = group(tmp_path, [])
    assert (sites.names, len(sites.of_node), len(sites.home)) == ([], 0, 0)
