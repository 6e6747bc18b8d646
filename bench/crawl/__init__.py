"""How fast the crawler is, what it stores and what it needs, beside Scrapy and BUbiNG, on one in-vitro web.

The web is the preset `clean` with seed 7: 10⁷ pages of 20 KB with some 50 links on 20 000 hosts, each with a
robots.txt; no delays, no latency. Its server has one core, the crawler the other, and everything is HTTP over
real sockets: ours finds each host at a loopback address of its own, the peers use the server as their proxy.
Everything is on: robots.txt, sieve, order, duplicates, digests, index, WARC.

The rate is pages per CPU-second of the crawler, all its threads, from the first request to the last; a busy
machine changes it little, while pages per second would be worth nothing there. Of ours, what the process took
from its start to its end, with the numbering of the pages, stands beside it as `cpu_of_process`.
Pages are counted in the server's log. `details` has the rest: bytes stored per page, the largest resident
size, and, of ours, where the microseconds of a page go. A crawl that begins asks for more robots.txt per page
than one that has seen most hosts: `robots` says how many.

`crawl-scrapy`: gzip 6 beside Scrapy with LinkExtractor and warcio (gzip 9), both from 200 seeds. The
only one in `--quick`.

`crawl-bubing-gzip6`, `-gzip1`, `-zstd1`: the three compressions beside BUbiNG (gzip 9; `bench.crawl.bubing`
says how), all from 20 000 seeds. The promise is 2 200, 3 000 and 4 500 pages per CPU-second.

`crawl-workers`: two workers beside one worker of ours; the promise is 1.8. The server runs on the same two
cores and its CPU time is taken off, half from each; idle time stays in. Pages per second: only a quiet
machine tells.

`crawl-memory`: the largest resident size with 3·10⁶ URLs discovered beside ours with 10⁵, the hosts being the
same 20 000; 10⁶ stands in `details`. The promise is a ratio above 0.9, and less than 500 MiB.

`crawl-delay`: pages per second with 0.8 s between requests to an address and 6.4 s to a host beside ours
without delays; the points between stand in `details`, each with the largest front. Figure 4 of BUBING with
its delays (0 to 4 s, the host's eight times as long) divided by five, since this web has 5 000 addresses. The
promise is a ratio near 1. Pages per second again.

`crawl-checkpoint`: pages per CPU-second with the journal and a checkpoint every second (the default is ten)
beside ours without any. The promise is a ratio of 0.97 or more; `details` has pages per second too, where
waiting for the disk shows, how many checkpoints there were, and in `profile` what frontier and flusher took:
on a busy machine their difference tells more than the ratio.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from bench.crawl.bubing import JavaPeer
from bench.crawl.field import PRESET, SEED
from bench.frame import Call, Figure, Peer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def prepare(seeds: int) -> Callable[[Path, bool], None]:
    """What fills a folder with how much is crawled, of which web."""

    def fill(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
        from webstrata.invitro.presets import digest
        from webstrata.invitro.web import Web

        sizes = {"seeds": seeds, "limit": 30_000, "scrapy": 700}
        if not quick:
            sizes |= {"limit": 100_000, "scrapy": 2_000}
        web = {"preset": PRESET, "seed": SEED, "digest": digest(Web(PRESET, seed=SEED))}
        (folder / "sizes.json").write_text(json.dumps(sizes | {"web": web}))

    return fill


def beside_ourselves(name: str, title: str, ours: str, theirs: str, unit: str) -> Figure:
    """A figure whose peer is ours too, under other circumstances."""
    return Figure(
        name=f"crawl-{name}",
        data="crawl-wide",
        prepare=prepare(20_000),
        ours=Call(f"bench.crawl.ours:{ours}"),
        theirs=Call(f"bench.crawl.ours:{theirs}"),
        peer=Peer(f"ours {title}", program=sys.executable),
        measure="answer",
        unit=unit,
        better="less" if unit == "bytes" else "more",
        rounds=1,
        quick_rounds=1,
        warm_up=False,
        in_quick=False,
    )


FIGURES = [
    Figure(
        name="crawl-scrapy",
        data="crawl",
        prepare=prepare(200),
        ours=Call("bench.crawl.ours:rate_gzip6"),
        theirs=Call("bench.crawl.scrapy:rate"),
        peer=Peer("scrapy"),
        measure="answer",
        unit="pages/CPU-s",
        better="more",
        rounds=3,
        quick_rounds=1,
        warm_up=False,
    ),
    *(
        Figure(
            name=f"crawl-bubing-{compression}",
            data="crawl-wide",
            prepare=prepare(20_000),
            ours=Call(f"bench.crawl.ours:rate_{compression}"),
            theirs=Call("bench.crawl.bubing:rate"),
            peer=JavaPeer("bubing"),
            measure="answer",
            unit="pages/CPU-s",
            better="more",
            rounds=1,
            quick_rounds=1,
            warm_up=False,
            in_quick=False,
        )
        for compression in ("gzip6", "gzip1", "zstd1")
    ),
    beside_ourselves("workers", "with one worker", "two_workers", "one_worker", "pages/s"),
    beside_ourselves("memory", "with 10⁵ URLs", "memory", "memory_few", "bytes"),
    beside_ourselves("delay", "without delays", "delayed", "undelayed", "pages/s"),
    replace(
        beside_ourselves("checkpoint", "without a journal", "journaled", "unjournaled", "pages/CPU-s"),
        rounds=5,
        quick_rounds=3,
    ),
]
