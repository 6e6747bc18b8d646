"""Crawls of the in-vitro web, whose truth is known."""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict, deque
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np
import pytest

import webstrata as ws
from webstrata.archive.warc import check, read_records
from webstrata.crawl.run import Crawl
from webstrata.crawl.settings import CrawlSettings
from webstrata.errors import ExistsError, FilterError, SettingError, UsageError
from webstrata.invitro.given import GivenGraph
from webstrata.invitro.judge.settings import JudgeSettings
from webstrata.web import html

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Snapshot
    from webstrata.crawl.results import CrawlResult
    from webstrata.invitro import Web

QUICK = {
    "host_delay": 0.0,
    "ip_delay": 0.0,
    "resolve": False,
    "retry_delay": 0.02,
    "max_retry_after": 1.5,
    "max_crawl_delay": 0.0,
    # the truth has the pages of soft 404s for one page; test_traps looks at them
    "probe_after": 0,
}


class WatchedCrawl(Crawl):
    """A crawl that keeps the order of its captures, which the store step sorts."""

    captured: list[str]

    def _store(self, result: CrawlResult, renew: str) -> None:
        lines = (self.folder / "captures.cdxj").read_text().splitlines()
        captured = [json.loads(line.split(" ", 2)[2])["url"] for line in lines]
        self.captured = [url for url in captured if not url.endswith("/robots.txt")]
        super()._store(result, renew)


def crawl_web(
    folder: Path, web: Web, *, log: Path | None = None, **settings: object
) -> tuple[Snapshot, WatchedCrawl, CrawlResult]:
    snapshot = ws.create(folder / "uk").add("2026-06")
    with web.serve(origins=True, log=log) as server:
        hosts = {name: (address, server.port) for name, address in server.addresses().items()}
        chosen = CrawlSettings.read(options=QUICK | settings, environment={})
        crawl = WatchedCrawl(snapshot, chosen, seeds=web.home_pages(), hosts=hosts)
        return snapshot, crawl, crawl.run()


def read_arcs(snapshot: Snapshot) -> set[tuple[int, int]]:
    """The graph of a crawl: links of stored pages, through redirects and duplicates, between nodes."""
    payloads = {}
    with snapshot.open_part("warc") as part:
        for path in sorted(part.path.glob("*.warc.gz")):
            for record in read_records(path, kinds=["response"]):
                payloads[path.name, record.offset] = record
    arcs = set()
    for node, row in enumerate(
        snapshot.pages.table("url", "warc_filename", "warc_record_offset").to_pylist()
    ):
        record = payloads[row["warc_filename"], row["warc_record_offset"]]
        label = re.search(rb"(?i)charset=([\w-]+)", record.head)
        charset = label[1].decode() if label else None
        page = html.scan(record.payload, url=row["url"], charset=charset, anchors=False)
        followed = [link for link in page.links if link.kind != html.Kind.CANONICAL]
        targets = {snapshot.urls.get(link.url) for link in followed if link.url}
        arcs |= {(node, target) for target in targets if target is not None}
    return arcs


@pytest.mark.parametrize(
    ("preset", "seed"), [("tiny", 0), ("tiny", 7), pytest.param("small", 7, marks=pytest.mark.slow)]
)
def test_the_graph_of_a_finished_crawl_is_the_truth(tmp_path: Path, preset: str, seed: int) -> None:
    web = ws.invitro.Web(preset, seed=seed)
    snapshot, _, result = crawl_web(tmp_path, web)
    truth = web.graph(view="collection")
    assert result.end == "exhausted"
    assert list(snapshot.urls) == list(truth.urls)
    sources = np.repeat(np.arange(len(truth.urls)), np.diff(truth.offsets).astype(np.int64))
    assert read_arcs(snapshot) == set(zip(sources.tolist(), truth.targets.tolist(), strict=True))


def test_hosts_are_fetched_in_the_order_of_release_and_politely(tmp_path: Path) -> None:
    web = ws.invitro.Web("small", seed=3)
    log = tmp_path / "requests.log"
    delays = {"host_delay": web.settings.host_delay, "ip_delay": web.settings.ip_delay}
    # next to nothing fits into memory, so that most of the queues lie on the disk
    small = {"workbench": 20_000, "virtualizer": 10_000, "sieve": 500, "url_cache": 4_096, "workers": 2}
    _, crawl, result = crawl_web(tmp_path, web, log=log, log_releases=True, **delays, **small)
    released = group((crawl.folder / "releases.log").read_text().splitlines())
    assert len(set(crawl.captured)) == len(crawl.captured)
    for host, urls in group(crawl.captured).items():
        fetched = set(urls)
        assert [url for url in released[host] if url in fetched] == urls
    verdict = ws.invitro.judge(
        log, JudgeSettings(host_delay=delays["host_delay"], ip_delay=delays["ip_delay"])
    )
    assert verdict.is_polite, verdict.counts
    assert result.counters["flushes"] > 3


def group(urls: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for url in urls:
        found[urlsplit(url).netloc].append(url)
    return found


def test_with_cross_links_to_home_pages_alone_each_host_is_searched_breadth_first(tmp_path: Path) -> None:
    draw = random.Random(5)
    sizes = [draw.randrange(1, 60) for _ in range(12)]
    first = np.cumsum([0, *sizes])
    urls = [f"http://h{host}.test/{page or ''}" for host, size in enumerate(sizes) for page in range(size)]
    arcs = []
    for host, size in enumerate(sizes):
        for page in range(size):
            local = [(first[host] + page, first[host] + draw.randrange(size)) for _ in range(4)]
            cross = [(first[host] + page, first[draw.randrange(len(sizes))])]
            arcs += [(int(source), int(target)) for source, target in local + cross if source != target]
    links: dict[str, list[str]] = defaultdict(list)
    for source, target in sorted(set(arcs)):  # the server writes the links of a page in the order of nodes
        links[urls[source]].append(urls[target])
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    with ws.invitro.Web("tiny", seed=7).serve(
        given=GivenGraph(urls, ws.Graph.from_arcs(arcs, num_nodes=len(urls)))
    ) as server:
        hosts = {f"h{host}.test": ("127.0.0.1", server.port) for host in range(len(sizes))}
        settings = CrawlSettings(**QUICK, max_depth=200, obey_robots=False)  # type: ignore[arg-type]
        crawl = WatchedCrawl(snapshot, settings, seeds=[urls[0]], hosts=hosts)
        crawl.run()
    fetched = group(crawl.captured)
    assert len(fetched) > 6
    for name, order in fetched.items():
        assert order == search(f"http://{name}/", links)


def search(home: str, links: dict[str, list[str]]) -> list[str]:
    """The textbook's breadth-first search of one host."""
    queue, known, order = deque([home]), {home}, []
    while queue:
        url = queue.popleft()
        order.append(url)
        for link in links[url]:
            if link.startswith(home) and link not in known:
                known.add(link)
                queue.append(link)
    return order


@pytest.mark.parametrize(("compression", "level"), [("gzip", 1), ("gzip", 6), ("zstd", 3), ("none", 1)])
def test_every_record_of_a_crawl_is_sound(tmp_path: Path, compression: str, level: int) -> None:
    web = ws.invitro.Web("tiny", seed=7)
    snapshot, _, result = crawl_web(
        tmp_path, web, compression=compression, compression_level=level, file_size=200_000
    )
    with snapshot.open_part("warc") as part:
        files = sorted(path for path in part.path.iterdir() if ".warc" in path.name)
        assert len(files) > 1
        kinds: dict[str, int] = defaultdict(int)
        for path in files:
            assert not list(check(path))
            for record in read_records(path):
                kinds[record.kind] += 1
    assert kinds["warcinfo"] == len(files)
    assert kinds["request"] == kinds["metadata"] == kinds["response"] + kinds["revisit"]
    assert kinds["request"] == result.counters["captures"]


def test_a_snapshot_is_crawled_once_unless_asked_for_again(tmp_path: Path) -> None:
    web = ws.invitro.Web("tiny", seed=7)
    _, crawl, result = crawl_web(tmp_path, web)
    with pytest.raises(ExistsError, match="--again"):
        crawl.run()
    with web.serve(origins=True) as server:
        crawl.hosts = {name: (address, server.port) for name, address in server.addresses().items()}
        assert crawl.run(again=True).pages == result.pages


def test_without_a_name_nobody_crawls_the_web(tmp_path: Path) -> None:
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    with pytest.raises(SettingError, match="user_agent"):
        Crawl(snapshot, CrawlSettings(), seeds=["http://example.org/"])
    with pytest.raises(UsageError, match="no URL to begin with"):
        Crawl(snapshot, CrawlSettings(user_agent="a"), seeds=["mailto:a@b"]).run()
    with pytest.raises(FilterError, match="HostEndWith"):
        Crawl(snapshot, CrawlSettings(user_agent="a", schedule="HostEndWith(uk)"))
