"""Chunks per host and BUBING's virtual queues: reads of the disk on a recorded trace.

A crawl of an in-vitro web is recorded: the URLs in the order in which the sieve released them, and the order
and times of the requests. Both structures are then simulated on that trace with the same memory for URLs. A
URL counts with its bytes and 8 more. What is counted: reads and writes of the disk, their bytes, and the
largest memory.

*Chunks per host* (ours, ``rust/src/crawl/virtualizer.rs``): 8 KiB per host in memory (less where half of the
memory has no room for it), the rest staged by host; when the stage is full, the largest batches are written
as chunks until half of it is free. A host without URLs reads at most 8 KiB of its first chunk, at a place of
its own: each read is a random one.

*Virtual queues* (BUBING, 3.6): a URL that does not fit is appended to the queue of the time at which it will
be needed, now plus its place in its host's queue times the mean time between two requests to the host so far;
the last queue is the overflow. A host without URLs reads the first queue that is not empty, in order and in
blocks, until one of its own comes; what was read on the way is in memory too. When the queues before the
overflow are exhausted, their number is doubled and the overflow distributed again. Blocks are 64 KiB, each
read is sequential.

The simulation is generous to the paper: a block costs one read whatever its size, and its memory may exceed
the budget.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from abc import ABC, abstractmethod
from collections import defaultdict, deque
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import NamedTuple

from bench.frame import DATA, find_commit

PER_HOST = 8 << 10
BLOCK = 64 << 10
HOST, ENDED, TARGET = 2, 4, 9
"""Fields of the log of requests."""
PAGES, QUICK_PAGES = 60_000, 5_000
PER_HOST_PAGES = 60


class Fetch(NamedTuple):
    """A request: its time in seconds, its host, and how many URLs had been released by then."""

    time: float
    host: str
    released: int


@dataclass
class Cost:
    """What a structure took."""

    reads: int = 0
    writes: int = 0
    bytes_read: int = 0
    bytes_written: int = 0
    largest_memory: int = 0


class Structure(ABC):
    """A per-host FIFO of URLs, partly on disk; `push` and `pop` are the trace."""

    def __init__(self, memory: int) -> None:
        self.memory, self.cost, self.held = memory, Cost(), 0

    def hold(self, size: int) -> None:
        """Count bytes in memory."""
        self.held += size
        self.cost.largest_memory = max(self.cost.largest_memory, self.held)

    @abstractmethod
    def push(self, host: str, size: int, now: float) -> None:
        """A URL of a host comes out of the sieve."""

    @abstractmethod
    def pop(self, host: str, now: float) -> None:
        """The next URL of a host is fetched."""


@dataclass
class _Own:
    near: deque[int] = field(default_factory=deque)
    near_bytes: int = 0
    chunks: deque[deque[int]] = field(default_factory=deque)
    staged: deque[int] = field(default_factory=deque)
    staged_bytes: int = 0


class Chunks(Structure):
    """Ours."""

    def __init__(self, memory: int, hosts: int) -> None:
        super().__init__(memory // 2)  # the other half is what hosts have in memory
        self._per_host = min(PER_HOST, memory // 2 // hosts)
        self._hosts: dict[str, _Own] = defaultdict(_Own)
        self._staged = 0

    def push(self, host: str, size: int, now: float) -> None:  # noqa: D102
        own = self._hosts[host]
        self.hold(size)
        if own.near_bytes <= self._per_host and not own.chunks and not own.staged:
            own.near.append(size)
            own.near_bytes += size
            return
        own.staged.append(size)
        own.staged_bytes += size
        self._staged += size
        if self._staged > self.memory:
            self._write()

    def _write(self) -> None:
        """Write the largest batches until half of the stage is free, all of them at once."""
        self.cost.writes += 1
        for own in sorted(self._hosts.values(), key=lambda each: -each.staged_bytes):
            if self._staged <= self.memory // 2:
                break
            self.cost.bytes_written += own.staged_bytes
            self._staged -= own.staged_bytes
            self.hold(-own.staged_bytes)
            own.chunks.append(own.staged)
            own.staged, own.staged_bytes = deque(), 0

    def pop(self, host: str, now: float) -> None:  # noqa: D102
        own = self._hosts[host]
        if not own.near and own.chunks:
            self.cost.reads += 1
            first = own.chunks[0]
            while first and own.near_bytes <= self._per_host:
                self._take(own, first.popleft())
                self.hold(own.near[-1])
                self.cost.bytes_read += own.near[-1]
            if not first:
                own.chunks.popleft()
        elif not own.near:
            while own.staged and own.near_bytes <= self._per_host:
                size = own.staged.popleft()
                own.staged_bytes -= size
                self._staged -= size
                self._take(own, size)
        if own.near:
            size = own.near.popleft()
            own.near_bytes -= size
            self.hold(-size)

    def _take(self, own: _Own, size: int) -> None:
        own.near.append(size)
        own.near_bytes += size


class VirtualQueues(Structure):
    """The paper's, by the estimated time of need."""

    def __init__(self, memory: int, interval: float = 1.0) -> None:
        super().__init__(memory)
        self._near: dict[str, deque[int]] = defaultdict(deque)
        self._on_disk: dict[str, int] = defaultdict(int)
        self._queues: list[deque[tuple[str, int]]] = [deque()]
        self._start, self._interval = 0.0, interval
        self._last: dict[str, int] = {}
        self._visits: dict[str, tuple[float, int]] = {}
        self._unread = self._unwritten = 0

    def _need(self, host: str, now: float) -> float:
        first, number = self._visits.get(host, (now, 0))
        gap = (now - first) / number if number else self._interval
        return now + gap * (len(self._near[host]) + self._on_disk[host])

    def push(self, host: str, size: int, now: float) -> None:  # noqa: D102
        if not self._on_disk[host] and self.held + size <= self.memory:
            self._near[host].append(size)
            self.hold(size)
            return
        self._append(host, size, self._need(host, now))

    def _append(self, host: str, size: int, need: float) -> None:
        number = int(max(need - self._start, 0.0) / self._interval)
        # within a host the order of the sieve is kept
        number = min(max(number, self._last.get(host, 0)), len(self._queues) - 1)
        self._last[host] = number
        self._queues[number].append((host, size))
        self._on_disk[host] += 1
        self.cost.bytes_written += size
        self._unwritten += size
        self.cost.writes += self._unwritten // BLOCK
        self._unwritten %= BLOCK

    def pop(self, host: str, now: float) -> None:  # noqa: D102
        first, number = self._visits.get(host, (now, 0))
        self._visits[host] = first, number + 1
        while not self._near[host] and self._on_disk[host]:
            name, size = self._read(now)
            self._near[name].append(size)
            self.hold(size)
        if self._near[host]:
            self.hold(-self._near[host].popleft())

    def _read(self, now: float) -> tuple[str, int]:
        """The first URL of the first queue that is not empty."""
        place = next((p for p, queue in enumerate(self._queues[:-1]) if queue), None)
        if place is None:
            self._distribute(now)
            place = next(p for p, queue in enumerate(self._queues) if queue)
        name, size = self._queues[place].popleft()
        self._on_disk[name] -= 1
        if not self._on_disk[name]:
            self._last.pop(name, None)
        self._count(size)
        return name, size

    def _count(self, size: int) -> None:
        if self._unread < size:
            self.cost.reads += 1
            self._unread += BLOCK
        self._unread -= size
        self.cost.bytes_read += size

    def _distribute(self, now: float) -> None:
        """Double the queues, and append the overflow again."""
        overflow = self._queues[-1]
        self._queues = [deque() for _ in range(2 * len(self._queues))]
        self._start, self._last, self._unread = now, {}, 0
        for name in {name for name, _ in overflow}:
            self._on_disk[name] = 0
        for name, size in overflow:
            self._count(size)
            self._append(name, size, self._need(name, now))
        self._unread = 0


def record(folder: Path, pages: int, hosts: int) -> tuple[list[tuple[str, int]], list[Fetch]]:
    """Crawl an in-vitro web; what the sieve released (host and bytes), and the requests in their order."""
    import webstrata as ws
    from webstrata.crawl.run import Crawl
    from webstrata.crawl.settings import CrawlSettings

    web = ws.invitro.Web("clean", seed=7, hosts=hosts, pages=pages)
    snapshot = ws.create(folder / "uk").add("2026-06")
    settings = CrawlSettings(
        host_delay=0.05, ip_delay=0, resolve=False, max_crawl_delay=0, log_releases=True,
        store="false", delay_factor=0,
    )  # fmt: skip
    log = folder / "requests.log"
    with web.serve(origins=True, log=log) as server:
        places = {name: (address, server.port) for name, address in server.addresses().items()}
        Crawl(snapshot, settings, seeds=web.home_pages(), hosts=places, parses=False).run()
    released, positions = [], {}
    lines = (snapshot.working_folder("crawl") / "releases.log").read_text().split("\n")
    for number, line in enumerate(line for line in lines if line):
        url = line.split("\t")[-1].split(" ")[-1]
        positions[url] = number
        released.append((url.split("/")[2], len(url) + 8))
    requests = []
    for line in log.read_text().splitlines():
        words = line.split("\t")
        if line.startswith("#") or len(words) != 10:
            continue
        url = f"http://{words[HOST]}{words[TARGET]}"
        if url in positions:
            requests.append((int(words[ENDED]) / 1e6, url))
    requests.sort()
    fetches, reached = [], 0
    for number, (moment, url) in enumerate(requests, 1):
        # a URL is released before it is asked for; between, releases keep pace with requests
        reached = max(reached, positions[url] + 1, len(released) * number // len(requests))
        fetches.append(Fetch(moment - requests[0][0], url.split("/")[2], reached))
    return released, fetches


def replay(structure: Structure, released: list[tuple[str, int]], fetches: list[Fetch]) -> Cost:
    """Let a structure live through a trace."""
    place = 0
    for fetch in fetches:
        for host, size in released[place : fetch.released]:
            structure.push(host, size, fetch.time)
        place = fetch.released
        structure.pop(fetch.host, fetch.time)
    return structure.cost


def main() -> None:
    """Record, simulate, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a small web")
    parser.add_argument("--pages", type=int, help=f"of the web; default: {PAGES:,}")
    chosen = parser.parse_args()
    pages = chosen.pages or (QUICK_PAGES if chosen.quick else PAGES)
    DATA.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="queues-", dir=DATA) as name:
        released, fetches = record(Path(name), pages, pages // PER_HOST_PAGES)
    size = sum(each for _, each in released)
    hosts = len({host for host, _ in released})
    for share in (4, 16, 64):
        memory = size // share
        rows = {
            "chunks": asdict(replay(Chunks(memory, hosts), released, fetches)),
            "virtual queues": asdict(replay(VirtualQueues(memory), released, fetches)),
        }
        told = {
            "released": len(released),
            "bytes": size,
            "hosts": hosts,
            "fetched": len(fetches),
            "memory": memory,
        }
        print(json.dumps({**told, **rows, "commit": find_commit()}), flush=True)


if __name__ == "__main__":
    main()
