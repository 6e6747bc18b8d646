"""A crawl in a process of its own, sampled from outside: memory, descriptors, threads and pages over time."""

from __future__ import annotations

import csv
import json
import signal
import statistics
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import webstrata as ws
from webstrata.crawl.control import connect
from webstrata.errors import WebstrataError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

WEBSTRATA = Path(sys.executable).with_name("webstrata")
_BARS = "▁▂▃▄▅▆▇█"
_MIB = 1 << 20


@dataclass(frozen=True)
class Sample:
    """A moment of a crawl."""

    seconds: float
    pages: int
    requests: int
    discovered: int
    resident: int
    """Bytes in memory, files that are mapped included."""

    anonymous: int
    """Bytes in memory that no file backs."""

    descriptors: int
    threads: int


@dataclass(frozen=True)
class Check:
    """A promise, and whether it was kept."""

    name: str
    is_kept: bool
    found: str


def watch(
    words: Sequence[str],
    folder: Path,
    *,
    limit: float,
    period: float = 1.0,
    meanwhile: Callable[[], None] = lambda: None,
) -> tuple[dict[str, Any], list[Sample]]:
    """Run ``webstrata crawl`` to its end; its report and its samples.

    Parameters
    ----------
    words
        What stands behind ``webstrata crawl COLLECTION SNAPSHOT``.
    folder
        Where the collection is made.
    limit
        Seconds after which it is ended, and has failed.
    period
        Seconds between two samples.
    meanwhile
        Called with every sample.
    """
    collection = ws.create(folder / "collection")
    snapshot = collection.add("2026-06")
    command = [str(WEBSTRATA), "crawl", str(collection.path), "2026-06", "--json", *words]
    samples: list[Sample] = []
    with (folder / "said.json").open("wb") as out, (folder / "said.txt").open("wb") as err:
        process = subprocess.Popen(command, stdout=out, stderr=err)
        begun = time.monotonic()
        try:
            while process.poll() is None:
                with suppress(OSError, WebstrataError, ValueError):
                    with connect(snapshot) as client:
                        counters = client.status()["counters"]
                    samples.append(_sample(process.pid, time.monotonic() - begun, counters))
                meanwhile()
                if time.monotonic() - begun > limit:
                    raise SystemExit(f"the crawl did not end within {limit:.0f} s")
                time.sleep(period)
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                process.wait()
    if process.returncode:
        last = (folder / "said.txt").read_text(errors="replace").strip()[-500:]
        raise SystemExit(f"the crawl ended with {process.returncode}: {last}")
    return json.loads((folder / "said.json").read_text()), cut_end(samples)


def cut_end(samples: Sequence[Sample]) -> list[Sample]:
    """The samples up to the last request: behind it pages are numbered, which is no crawling."""
    if not samples:
        raise SystemExit("the crawl could not be asked while it ran")
    last = samples[-1].requests
    end = next(place for place, sample in enumerate(samples) if sample.requests == last)
    return list(samples[: end + 1])


def _sample(pid: int, seconds: float, counters: dict[str, int]) -> Sample:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    facts = dict(line.split(":", 1) for line in lines if ":" in line)
    return Sample(
        seconds=round(seconds, 2),
        pages=counters["pages"],
        requests=counters["requests"],
        discovered=counters["discovered"],
        resident=int(facts["VmRSS"].split()[0]) * 1024,
        anonymous=int(facts["RssAnon"].split()[0]) * 1024,
        descriptors=sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir()),
        threads=int(facts["Threads"]),
    )


def write_samples(path: Path, samples: Sequence[Sample]) -> None:
    """Write the samples as CSV."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(asdict(samples[0])))
        writer.writeheader()
        writer.writerows(asdict(sample) for sample in samples)


def settled(samples: Sequence[Sample], since: float = 120.0) -> list[Sample]:
    """The samples from minute 2 on; of a crawl of less than six minutes, those of its last two thirds."""
    since = min(since, samples[-1].seconds / 3)
    return [sample for sample in samples if sample.seconds >= since]


def check_flat(name: str, values: Sequence[float], *, slack: float = 0.1, few: float = 0.0) -> Check:
    """Whether the last fifth of the values lies no more than `slack`, or `few`, above the first one."""
    share = max(1, len(values) // 5)
    first, last = statistics.median(values[:share]), statistics.median(values[-share:])
    unit, scale = (" MiB", _MIB) if max(values) > 100 * _MIB or few > _MIB else ("", 1)
    found = f"{first / scale:,.0f}{unit} → {last / scale:,.0f}{unit}, most {max(values) / scale:,.0f}{unit}"
    return Check(name, last <= max(first * (1 + slack), first + few), f"{found}  {draw(values)}")


def check_steady(name: str, values: Sequence[float], *, slack: float = 0.1) -> Check:
    """Whether the last fifth of the values lies no more than `slack` below the first one."""
    share = max(1, len(values) // 5)
    first, last = statistics.mean(values[:share]), statistics.mean(values[-share:])
    return Check(name, last >= first * (1 - slack), f"{first:,.0f} → {last:,.0f}  {draw(values)}")


def rates(samples: Sequence[Sample]) -> list[float]:
    """Pages per second between the samples."""
    pairs = pairwise(samples)
    return [(b.pages - a.pages) / max(b.seconds - a.seconds, 1e-3) for a, b in pairs]


def draw(values: Sequence[float], width: int = 40) -> str:
    """The values as a line of bars, from nothing up to the largest."""
    if len(values) > width:
        edges = [round(place * len(values) / width) for place in range(width + 1)]
        values = [statistics.mean(values[begin:end]) for begin, end in pairwise(edges)]
    top = max([*values, 1e-9])
    return "".join(_BARS[min(7, int(8 * max(value, 0) / top))] for value in values)


def conclude(checks: Sequence[Check]) -> None:
    """Print the verdict; exit code 1 if a promise was broken."""
    width = max(len(check.name) for check in checks)
    for check in checks:
        print(f"{'kept' if check.is_kept else 'BROKEN':<8}{check.name:<{width}}  {check.found}")
    broken = [check.name for check in checks if not check.is_kept]
    if broken:
        raise SystemExit(f"broken: {', '.join(broken)}")
    print("Everything held.")
