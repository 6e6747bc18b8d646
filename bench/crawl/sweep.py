"""Figures 3 and 4 and table 1 of BUBING, from real crawls over loopback: ``python -m bench.crawl.sweep``.

*Figure 3*: pages per second by fetchers (visits in flight), without delays, on a web whose servers take 100
ms to the first byte: without latency one fetcher would do. *Figure 4*: pages per second, the largest front
and the CPU load by the delay between requests to an address, the host's being eight times as long. *Table 1*:
crawlers side by side on the same web without delays: pages and megabytes per second, and CPU load.

Everything is HTTP over real sockets; pages and their bytes are counted in the log of the server. The CPU load
is CPU seconds of the crawler per second, so 1 is one core busy; the server has a core of its own. Of ours the
second half of each crawl counts, of BUbiNG 30 s after it has warmed up (`bench.crawl.bubing`). Crawlers that
are not installed are listed with the reason. ``machine`` says what else went on: on a busy machine rates are
too low.

The results are one JSON document, which a report shows when it is in the collection as
``reports/crawl-sweep.json`` (``--output``).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.crawl import bubing, ours, scrapy
from bench.frame import BenchError, Peer, find_commit

if TYPE_CHECKING:
    from collections.abc import Callable

FETCHERS = (1, 4, 16, 64, 256, 1024)
DELAYS = (0.0, 0.1, 0.2, 0.4, 0.8)
LATENCY = "100ms"
SEEDS = 20_000
FORMAT = 1
NOT_MEASURED = {
    "Heritrix": "not measured: it needs com.sleepycat:je 7.5.11, which Maven Central does not have",
    "Nutch": "not measured: Maven Central has it without plugins, so without HTTP and parsers",
}
"""Crawlers of table 1 that are not run, and why (docs/decisions/crawl.md)."""


def sweep(*, quick: bool, peers: bool = True) -> dict[str, Any]:
    """The results of all crawls; with `quick` in under 50 seconds, of ours alone."""
    seconds = 3.0 if quick else 12.0
    seeds = 2_000 if quick else SEEDS
    found: dict[str, Any] = {
        "format": FORMAT,
        "quick": quick,
        "commit": find_commit(),
        "machine": {"cores": os.cpu_count(), "load_before": round(os.getloadavg()[0], 1)},
        "latency": LATENCY,
        "figure_3": [],
        "figure_4": [],
        "table_1": [],
        "absent": {},
    }
    for fetchers in FETCHERS[::2] if quick else FETCHERS:
        settings: dict[str, str | int] = {
            "fetchers": fetchers,
            "max_seconds": f"{seconds}s",
            "keep_alive": "0s",
        }
        point = measure(seeds, settings, ("--latency", LATENCY))
        found["figure_3"].append({"fetchers": fetchers, **point})
        _say(f"{fetchers} fetchers", point)
    for delay in DELAYS[::2] if quick else DELAYS:
        settings = {
            "ip_delay": f"{delay}s",
            "host_delay": f"{8 * delay:g}s",
            "keep_alive": "0s",
            "max_seconds": f"{seconds + 10 * delay}s",
        }
        point = measure(seeds, settings)
        found["figure_4"].append({"ip_delay": delay, "host_delay": 8 * delay, **point})
        _say(f"delay {delay} s", point)
    # the others are measured when they are warm, with most robots.txt behind them; so is our second half
    point = measure(seeds, {"max_seconds": f"{seconds if quick else 60.0}s"})
    found["table_1"].append({"crawler": "webstrata", **point})
    _say("webstrata", point)
    if peers and not quick:
        _measure_peers(found)
    if quick or not peers:
        found["absent"] |= dict.fromkeys(("BUbiNG", "Scrapy"), "left out by --quick or --no-peers")
    found["absent"] |= NOT_MEASURED
    found["machine"]["load_after"] = round(os.getloadavg()[0], 1)
    return found


def measure(
    seeds: int, settings: dict[str, str | int], options: tuple[str, ...] = ()
) -> dict[str, float | int | None]:
    """A crawl of ours."""
    made = ours.crawl(0, seeds=seeds, settings=settings, options=options)
    late = made.late
    return {
        "pages": made.pages,
        "pages_per_second": round(late.pages / max(late.seconds, 1e-6), 1),
        "megabytes_per_second": round(late.page_bytes / max(late.seconds, 1e-6) / 1e6, 2),
        "cpu_load": round(made.read("cpu_seconds") / made.read("seconds"), 2),
        "pages_per_cpu_second": round(made.pages / made.read("cpu_seconds"), 1),
        "front": made.report.get("front"),
    }


def _measure_peers(found: dict[str, Any]) -> None:
    """Add the rows of other crawlers to table 1, or why they have none."""
    calls: dict[str, tuple[Peer, Callable[[], dict[str, Any]]]] = {
        "Scrapy": (Peer("scrapy"), lambda: scrapy.measure(2_000, 200)),
        "BUbiNG": (bubing.JavaPeer("bubing"), lambda: bubing.measure(SEEDS)),
    }
    for name, (peer, call) in calls.items():
        absence = peer.find_absence()
        try:
            report = {} if absence else call()
        except BenchError as error:
            absence = str(error)
            report = {}
        if absence:
            found["absent"][name] = absence
            continue
        names = ("pages", "pages_per_second", "megabytes_per_second", "cpu_load")
        row = {key: report[key] for key in names}
        found["table_1"].append(
            {"crawler": str(peer), **row, "pages_per_cpu_second": round(report["value"], 1), "front": None}
        )
        _say(name, row)


def _say(what: str, point: dict[str, Any]) -> None:
    rate, load = point["pages_per_second"], point["cpu_load"]
    print(f"{time.strftime('%H:%M:%S')} {what}: {rate} pages/s, {load} cores", file=sys.stderr, flush=True)


def main() -> None:
    """Measure, and write or print the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer points, short crawls, no other crawlers")
    parser.add_argument("--no-peers", action="store_true", help="no other crawlers")
    parser.add_argument("--output", type=Path, help="write the results there; default: print them")
    chosen = parser.parse_args()
    text = json.dumps(sweep(quick=chosen.quick, peers=not chosen.no_peers), indent=1)
    if chosen.output is None:
        print(text)
    else:
        chosen.output.parent.mkdir(parents=True, exist_ok=True)
        chosen.output.write_text(text + "\n")


if __name__ == "__main__":
    main()
