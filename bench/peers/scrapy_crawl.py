"""Scrapy as a crawler of the whole web: LinkExtractor on every page, every link followed, WARC by warcio.

Run by the interpreter of .peers::

    http_proxy=http://127.0.0.1:8080 python bench/peers/scrapy_crawl.py seeds.txt out.warc.gz \
        --pages 1000 --seconds 60 --agent "me (+http://example.org/)"

robots.txt is obeyed, there are no delays, several requests to a host may run at once, and the other settings
are those that Scrapy's documentation gives for broad crawls: breadth-first, no cookies, no retries. A page is
one `response` record at gzip level 9, which warcio does not let one change (no request, no metadata, no
index: less than ours). The last line of the output is one JSON object: pages stored, their bytes, the bytes
written, and the CPU seconds that the process had used when the first request went out.

Scrapy is imported where it is used, since the tests of this project import every module of this folder.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

SETTINGS: dict[str, Any] = {
    "ROBOTSTXT_OBEY": True,
    "CONCURRENT_REQUESTS": 64,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "DOWNLOAD_DELAY": 0,
    "DEPTH_PRIORITY": 1,
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
    # the documentation advises DownloaderAwarePriorityQueue, which was a quarter slower here
    "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue",
    "COOKIES_ENABLED": False,
    "RETRY_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "LOG_LEVEL": "ERROR",
}


def read_arguments() -> argparse.Namespace:
    """What to crawl and when to stop."""
    parser = argparse.ArgumentParser()
    parser.add_argument("seeds", type=Path)
    parser.add_argument("warc", type=Path)
    parser.add_argument("--pages", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--agent", required=True)
    return parser.parse_args()


def make_spider(seeds: list[str], pages: int, warc: Any, counts: dict[str, float]) -> type[Any]:  # noqa: ANN401
    """The spider's class; it stores pages with `warc` and counts them in `counts`."""
    import scrapy  # type: ignore[import-not-found]
    from scrapy.linkextractors import LinkExtractor  # type: ignore[import-not-found]
    from warcio.statusandheaders import StatusAndHeaders  # type: ignore[import-untyped]

    class Spider(scrapy.Spider):  # type: ignore[misc]
        name = "bench"
        links = LinkExtractor()

        async def start(self) -> AsyncIterator[Any]:
            counts["cpu_at_start"] = time.process_time()
            for url in seeds:
                yield scrapy.Request(url)

        def parse(self, response: Any) -> Iterator[Any]:  # noqa: ANN401
            headers = [
                (name.decode("latin-1"), value.decode("latin-1"))
                for name, values in response.headers.items()
                for value in values
            ]
            record = warc.create_warc_record(
                response.url,
                "response",
                payload=BytesIO(response.body),
                http_headers=StatusAndHeaders(f"{response.status} OK", headers, protocol="HTTP/1.1"),
            )
            warc.write_record(record)
            counts["pages"] += 1
            counts["page_bytes"] += len(response.body)
            if counts["pages"] >= pages:
                raise scrapy.exceptions.CloseSpider("enough pages")
            if isinstance(response, scrapy.http.HtmlResponse):
                for link in self.links.extract_links(response):
                    yield scrapy.Request(link.url)

    return Spider


def main() -> None:
    """Crawl, and say what was stored."""
    from scrapy.crawler import CrawlerProcess  # type: ignore[import-not-found]
    from warcio.warcwriter import WARCWriter  # type: ignore[import-untyped]

    chosen = read_arguments()
    counts: dict[str, float] = {"pages": 0, "page_bytes": 0}
    settings = SETTINGS | {
        "USER_AGENT": chosen.agent,
        "CLOSESPIDER_TIMEOUT": chosen.seconds,
    }
    with chosen.warc.open("wb") as file:
        warc = WARCWriter(file, gzip=True)
        warc.write_record(warc.create_warcinfo_record(chosen.warc.name, {"software": "scrapy + warcio"}))
        process = CrawlerProcess(settings)
        process.crawl(make_spider(chosen.seeds.read_text().split(), chosen.pages, warc, counts))
        process.start()
    print(json.dumps(counts | {"stored": chosen.warc.stat().st_size}))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
