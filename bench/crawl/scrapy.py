"""Scrapy with LinkExtractor and warcio, in the environment of the peers, with the server as its HTTP proxy.

Its CPU seconds count from the first request on, ours from the start of the interpreter: the imports would
weigh on a run of seconds.
"""

from __future__ import annotations

import json
from typing import Any

from bench.crawl.field import AGENT, choose_cores, count, run, serving
from bench.crawl.ours import read_sizes
from bench.frame import PEERS, ROOT, BenchError

SECONDS = 60.0


def rate(place: str) -> dict[str, Any]:
    """Pages per CPU-second of Scrapy, robots.txt obeyed, pages stored."""
    sizes = read_sizes(place)
    return measure(sizes["scrapy"], sizes["seeds"])


def measure(pages: int, seeds: int) -> dict[str, Any]:
    """Let it crawl so many pages."""
    server_core, crawler_core = choose_cores()
    with serving(seeds, cores={server_core}) as field:
        words = [str(PEERS / "python"), str(ROOT / "bench" / "peers" / "scrapy_crawl.py"), str(field.seeds)]
        words += [str(field.folder / "out.warc.gz"), "--pages", str(pages)]
        words += ["--seconds", str(SECONDS), "--agent", AGENT]
        # robots.txt is asked for without the proxy of the requests: only the environment reaches it
        env = {"http_proxy": field.proxy}
        said, cost = run(words, {crawler_core}, field.folder, 2 * SECONDS, env=env)
        field.finish()
        tally = count(field.log)
    report: dict[str, Any] = json.loads(said.splitlines()[-1])
    pages = int(report["pages"])
    # what was in flight at the end is sent by the server and not stored
    if not 0.8 * tally.pages <= pages <= tally.pages:
        raise BenchError(f"Scrapy counts {pages} pages, the server has sent {tally.pages}")
    cpu = cost.cpu - report["cpu_at_start"]
    return {
        "value": pages / cpu,
        "pages": pages,
        "robots": tally.robots,
        "answers_per_cpu_second": round(tally.answers / cpu, 1),
        "microseconds_per_page": round(cpu / pages * 1e6, 1),
        "stored_bytes_per_page": round(report["stored"] / pages),
        "peak": cost.peak,
        "pages_per_second": round(tally.pages / tally.seconds, 1),
        "megabytes_per_second": round(tally.page_bytes / tally.seconds / 1e6, 2),
        "cpu_load": round(cpu / max(tally.seconds, 1e-6), 2),
    }
