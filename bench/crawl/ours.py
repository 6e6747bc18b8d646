"""Our side: the real command, `webstrata crawl`, started as anybody would start it.

Of what the command prints with `--json` these are read: `pages` (stored, duplicates apart), `discovered`
(distinct URLs), `front` (hosts ready to be fetched, the largest) and `profile` (where the microseconds of a
page go), which is shown as it is. Pages are compared with the server's log, and a crawler that claims more
than it was given, or much less, gives no figure.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.crawl.field import AGENT, Cost, Field, Tally, choose_cores, count, run, serving
from bench.frame import OURS, BenchError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SETTINGS: dict[str, str | int] = {
    "compression": "gzip",
    "compression_level": 6,
    "workers": 1,
    "host_delay": "0s",
    "ip_delay": "0s",
    "keep_alive": "1s",  # how long a visit to a host lasts; BUbiNG gets the same
    "user_agent": AGENT,
}

DELAYS = (0.0, 0.1, 0.2, 0.4, 0.8)
"""Seconds between requests to an address: a fifth of the paper's, since this web has 5 000 addresses."""

HOSTS = 2_000
"""Hosts of the web on which memory is measured."""

DISCOVERED = {100_000: 4_000, 1_000_000: 90_000, 3_000_000: 450_000}
"""URLs known after so many pages, from the home pages of `HOSTS` hosts; the report has the true number."""


@dataclass(frozen=True)
class Crawl:
    """What a crawl of ours said, what the server saw of it, and what both took."""

    report: dict[str, Any]
    tally: Tally
    late: Tally
    """The second half of the time alone: the rate without the start."""

    cost: Cost
    server: Cost
    stored: int
    """Bytes of the WARC files."""

    @property
    def pages(self) -> int:
        """Pages by the crawler's own count."""
        return int(self.read("pages"))

    def read(self, name: str) -> float:
        """A number of the report."""
        if not isinstance(self.report.get(name), int | float):
            raise BenchError(f"`webstrata crawl --json` says no number `{name}`: {sorted(self.report)}")
        return float(self.report[name])

    def describe(self) -> dict[str, Any]:
        """What belongs beside the figure."""
        return {
            "pages": self.pages,
            "robots": self.tally.robots,
            "pages_per_second": round(self.pages / self.cost.wall, 1),
            "answers_per_cpu_second": round(self.tally.answers / self.cost.cpu, 1),
            "microseconds_per_page": round(self.read("cpu_seconds") / self.pages * 1e6, 1),
            "cpu_of_crawl": self.read("cpu_seconds"),
            "cpu_of_process": round(self.cost.cpu, 2),
            "stored_bytes_per_page": round(self.stored / self.pages),
            "peak": self.cost.peak,
            "server_cpu": round(self.server.cpu, 2),
            "profile": self.report.get("profile"),
        }


def crawl(
    limit: int,
    *,
    seeds: int,
    hosts: int | None = None,
    settings: Mapping[str, str | int] | None = None,
    server_cores: set[int] | None = None,
    crawler_cores: set[int] | None = None,
    options: Sequence[str] = (),
    seconds: float = 600.0,
) -> Crawl:
    """Crawl `limit` pages of the in-vitro web with a collection of its own; it is gone afterwards."""
    ends = choose_cores()
    with serving(seeds, cores=server_cores or {ends[0]}, hosts=hosts, options=options) as field:
        words = make_words(field, limit, SETTINGS | dict(settings or {}))
        run(make_new(field), {ends[1]}, field.folder, seconds)
        said, cost = run(words, crawler_cores or {ends[1]}, field.folder, seconds)
        stored = measure_store(field.folder / "collection")
        server = field.finish()
        tally = count(field.log)
        late = count(field.log, since=(tally.first + tally.last) / 2)
    found = Crawl(read_report(said), tally, late, cost, server, stored)
    compare(found)
    return found


def make_words(field: Field, limit: int, settings: Mapping[str, str | int]) -> list[str]:
    """The command: an option for each setting."""
    words = [str(OURS / "webstrata"), "crawl", str(field.folder / "collection"), "2026-06", "--json"]
    words += [
        "--no-parse-pages",
        "--seeds",
        str(field.seeds),
        "--hosts-table",
        str(field.hosts),
        "--max-pages",
        str(limit),
    ]
    for name, value in settings.items():
        words += [f"--{name.replace('_', '-')}", str(value)]
    return words


def make_new(field: Field) -> list[str]:
    """The command that makes the collection."""
    return [str(OURS / "webstrata"), "new", str(field.folder / "collection")]


def read_report(said: str) -> dict[str, Any]:
    """What the command printed, as a table.

    Examples
    --------
    >>> read_report('{"pages": 3}')
    {'pages': 3}
    """
    try:
        report = json.loads(said)
    except json.JSONDecodeError as error:
        raise BenchError(f"`webstrata crawl --json` printed no JSON document: {said[:200]!r}") from error
    if not isinstance(report, dict):
        raise BenchError(f"`webstrata crawl --json` printed {type(report).__name__}; expected an object")
    return report


def compare(found: Crawl) -> None:
    """Refuse a crawl whose pages are not those that the server has sent."""
    # pages in flight when the limit was reached are thrown away, and duplicates are no pages
    if not 0.9 * found.tally.pages - 1_000 <= found.pages <= found.tally.pages:
        raise BenchError(f"the crawler counts {found.pages} pages, the server has sent {found.tally.pages}")


def measure_store(collection: Path) -> int:
    """Bytes of all WARC files of a collection."""
    names = (".warc", ".warc.gz", ".warc.zst")
    files = [path for path in collection.rglob("*.warc*") if path.name.removesuffix(".open").endswith(names)]
    # a crawl that may go on has its files twice, under two names
    return sum({path.stat().st_ino: path.stat().st_size for path in files}.values())


# ---- what the frame calls


def rate(place: str, compression: str, level: int) -> dict[str, Any]:
    """Pages per CPU-second of the crawler, everything on."""
    sizes = read_sizes(place)
    found = crawl(
        sizes["limit"],
        seeds=sizes["seeds"],
        settings={"compression": compression, "compression_level": level},
    )
    return {"value": found.pages / found.read("cpu_seconds"), **found.describe()}


def rate_gzip6(place: str) -> dict[str, Any]:
    """Pages per CPU-second at gzip level 6."""
    return rate(place, "gzip", 6)


def rate_gzip1(place: str) -> dict[str, Any]:
    """Pages per CPU-second at gzip level 1."""
    return rate(place, "gzip", 1)


def rate_zstd1(place: str) -> dict[str, Any]:
    """Pages per CPU-second with zstd at level 1."""
    return rate(place, "zstd", 1)


def one_worker(place: str) -> dict[str, Any]:
    """Pages per second of one worker on a core of its own."""
    sizes = read_sizes(place)
    found = crawl(sizes["limit"], seeds=sizes["seeds"])
    return {"value": found.pages / found.cost.wall, **found.describe()}


def two_workers(place: str) -> dict[str, Any]:
    """Pages per second of two workers, as if the server were elsewhere.

    Crawler and server share two cores: what the server used is taken off, and what stood idle is not.
    """
    sizes = read_sizes(place)
    both = set(choose_cores())
    found = crawl(
        sizes["limit"],
        seeds=sizes["seeds"],
        settings={"workers": 2},
        server_cores=both,
        crawler_cores=both,
    )
    left = found.cost.wall - found.server.cpu / len(both)
    return {"value": found.pages / left, **found.describe()}


def memory(place: str) -> dict[str, Any]:
    """Peak bytes with 3·10⁶ URLs discovered; those with 10⁶ beside it."""
    many, most = sorted(DISCOVERED)[1:]
    beside = _measure_memory(place, many)
    return _measure_memory(place, most) | {"beside": beside}


def memory_few(place: str) -> dict[str, Any]:
    """Peak bytes with 10⁵ URLs discovered."""
    return _measure_memory(place, min(DISCOVERED))


def _measure_memory(place: str, urls: int) -> dict[str, Any]:
    # all hosts are known before the first point, so that only URLs are added from one to the next
    hosts = min(read_sizes(place)["seeds"], HOSTS)
    found = crawl(DISCOVERED[urls], seeds=hosts, hosts=hosts)
    discovered = found.read("discovered")
    if not 0.5 * urls < discovered < 2 * urls:
        raise BenchError(f"{discovered:.0f} URLs were discovered; {urls} were expected: change DISCOVERED")
    return {"value": found.cost.peak, "discovered": discovered, "pages": found.pages, "hosts": hosts}


def delayed(place: str) -> dict[str, Any]:
    """Pages per second with the longest delay, and every delay beside it (BUBING, figure 4)."""
    points = [_measure_delay(place, delay) for delay in DELAYS]
    return {"value": points[-1]["pages_per_second"], "points": points}


def undelayed(place: str) -> dict[str, Any]:
    """Pages per second without any delay."""
    point = _measure_delay(place, 0.0)
    return {"value": point["pages_per_second"], **point}


def _measure_delay(place: str, delay: float) -> dict[str, Any]:
    sizes = read_sizes(place)
    settings = {"ip_delay": f"{delay}s", "host_delay": f"{8 * delay:g}s", "keep_alive": "0s"}
    found = crawl(sizes["limit"], seeds=sizes["seeds"], settings=settings)
    return {
        "ip_delay": delay,
        "pages_per_second": round(found.late.pages / max(found.late.seconds, 1e-6), 1),
        "front": found.report.get("front"),
    }


def journaled(place: str) -> dict[str, Any]:
    """Pages per CPU-second with a checkpoint every second."""
    return _measure_checkpoint(place, "1s")


def unjournaled(place: str) -> dict[str, Any]:
    """Pages per CPU-second of a crawl that could not go on."""
    return _measure_checkpoint(place, "0s")


def _measure_checkpoint(place: str, period: str) -> dict[str, Any]:
    sizes = read_sizes(place)
    found = crawl(sizes["limit"], seeds=sizes["seeds"], settings={"checkpoint": period})
    counters = found.report.get("counters") or {}
    details = {"checkpoints": counters.get("checkpoints"), **found.describe()}
    return {"value": found.pages / found.read("cpu_seconds"), **details}


def read_sizes(place: str) -> dict[str, int]:
    """How much is crawled, from the input's folder."""
    sizes: dict[str, int] = json.loads((Path(place) / "sizes.json").read_text())
    return sizes
