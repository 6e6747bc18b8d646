"""Other people's clients before the in-vitro web: curl, Scrapy, Chromium, and their decoders and parsers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.invitro.clients import Client
from tests.peers.installed import find, find_peer, run
from webstrata.invitro import InvitroServer, Web

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.peer


@pytest.fixture(scope="module")
def server() -> Iterator[InvitroServer]:
    with Web("tiny", seed=7).serve(origins=True) as server:
        yield server


# ---- curl


def test_curl_reads_a_page_through_the_proxy(server: InvitroServer) -> None:
    curl = find("curl")
    for url in list(server.web.graph(0).urls)[::25]:
        told = run(curl, "-sS", "--proxy", server.proxy, "--write-out", "%{http_code}", "--output", "-", url)
        with Client(server) as client:
            charset = client.get(url).headers["content-type"].partition("charset=")[2]
        if charset == "utf-8":
            assert told.endswith("</html>\n200")


def test_curl_reads_a_page_from_the_address_of_its_host(server: InvitroServer) -> None:
    curl = find("curl")
    hosts = server.web.hosts(0)
    for name, address in list(zip(hosts["name"], hosts["address"], strict=True))[:4]:
        resolved = f"{name}:{server.port}:{address}"
        told = run(
            curl, "-sS", "--resolve", resolved, "--compressed", f"http://{name}:{server.port}/robots.txt",
            "--write-out", "%{http_code} %{remote_ip}", "--output", "/dev/null",
        )  # fmt: skip
        assert told in (f"200 {address}", f"404 {address}", f"503 {address}")


# ---- decoders and parsers

UNPACK = """
import json, sys, brotli
from backports import zstd
unpack = {"br": brotli.decompress, "zstd": zstd.decompress}
packed, plain = (bytes.fromhex(text) for text in sys.argv[2:])
print(json.dumps(unpack[sys.argv[1]](packed) == plain))
"""


def test_brotli_and_zstd_unpack_to_the_plain_page() -> None:
    python = find_peer("python", "brotli", "backports.zstd")
    seen = set()
    web = Web("small", seed=3, compressed_share=1, failing_share=0, flaky_share=0)
    with web.serve() as server, Client(server) as client:
        for url in web.home_pages():
            plain = client.get(url).body
            for coding in ("br", "zstd"):
                answer = client.get(url, accept_encoding=coding)
                if coding not in seen and answer.headers.get("content-encoding") == coding:
                    seen.add(coding)
                    assert len(answer.body) < len(plain)
                    assert json.loads(run(python, "-c", UNPACK, coding, answer.body.hex(), plain.hex()))
    assert seen == {"br", "zstd"}


ROBOTS = """
import json, sys
from protego import Protego
asked = json.load(open(sys.argv[1]))
print(json.dumps([[Protego.parse(text).can_fetch(url, "webstrata") for url in urls] for text, urls in asked]))
"""


def test_protego_reads_robots_as_the_truth_does(tmp_path: Path) -> None:
    python = find_peer("python", "protego")
    web = Web("small", seed=5, robots_share=1, trap_share=0.5, traps_disallowed=0.5, failing_share=0)
    asked = []
    with web.serve() as server, Client(server) as client:
        for home in web.home_pages():
            answer = client.get(home + "robots.txt")
            if answer.status == 200:
                urls = [link.url for link in web.links(home) if link.url.startswith(home)]
                asked.append((answer.body.decode("utf-8-sig"), [home, home + "deeper/", *urls]))
    (tmp_path / "asked.json").write_text(json.dumps(asked))
    told = json.loads(run(python, "-c", ROBOTS, str(tmp_path / "asked.json")))
    expected = [[web.allowed(url) for url in urls] for _, urls in asked]
    assert told == expected
    assert any(not allowed for answers in expected for allowed in answers)


# ---- crawlers and browsers

SPIDER = """
import json, os
import scrapy
from scrapy.linkextractors import LinkExtractor


class Spider(scrapy.Spider):
    name = "invitro"
    custom_settings = {
        "ROBOTSTXT_OBEY": True, "DOWNLOAD_DELAY": 0, "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
        "LOG_LEVEL": "ERROR", "TELNETCONSOLE_ENABLED": False, "USER_AGENT": "spider",
        # two packages of .peers share the name brotli, and the older one does not do what Scrapy wants
        "DEFAULT_REQUEST_HEADERS": {"Accept-Encoding": "gzip, zstd"},
    }
    seen = set()
    extractor = LinkExtractor(deny_extensions=[])

    async def start(self):
        for url in json.loads(os.environ["SEEDS"]):
            yield self.ask(url)

    def ask(self, url):
        # its own filter takes addresses with parameters in another order for one
        self.seen.add(url)
        return scrapy.Request(url, dont_filter=True)

    def parse(self, response):
        yield {"url": response.url}
        for link in self.extractor.extract_links(response):
            if link.url not in self.seen:
                yield self.ask(link.url)
"""


def test_scrapy_finds_exactly_the_pages_that_are_served(server: InvitroServer, tmp_path: Path) -> None:
    scrapy = find_peer("scrapy")
    (tmp_path / "spider.py").write_text(SPIDER)
    found = tmp_path / "found.jsonl"
    web = server.web
    run(
        scrapy, "runspider", str(tmp_path / "spider.py"), "-o", str(found),
        http_proxy=server.proxy, SEEDS=json.dumps(web.home_pages()),
    )  # fmt: skip
    urls = {json.loads(line)["url"] for line in found.read_text().splitlines()}
    assert urls == set(web.graph(0).urls)


def browse(chromium: str, server: InvitroServer, profile: Path, *words: str) -> str:
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
    flags += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    flags += [f"--user-data-dir={profile}", f"--proxy-server={server.proxy}"]
    return run(chromium, *flags, *words)


def test_chromium_shows_pages_of_every_language(tmp_path: Path) -> None:
    chromium = find("chromium")
    web = Web("small", seed=3, foreign_share=0.6, legacy_charset_share=0.5, flaky_share=0)
    with web.serve() as server:
        with Client(server) as client:
            seen = set()
            for url in web.home_pages():
                facts = web.facts(url) or {}
                if facts["status"] != 200 or not facts["text"] or facts["language"] in seen:
                    continue
                charset = client.get(url).headers["content-type"].partition("charset=")[2]
                if facts["language"] == "ru" and charset == "utf-8":
                    continue  # rather one in the old charset
                seen.add(facts["language"])
                tree = browse(chromium, server, tmp_path / "profile", "--dump-dom", url)
                assert f"<title>{facts['title']}</title>" in tree
                assert web.text(url).splitlines()[0] in tree
                assert f'lang="{facts["language"]}"' in tree
        assert seen == {"en", "de", "fr", "ru"}
        requested = server.counters()["requests"]
    assert requested > len(seen)
