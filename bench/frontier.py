"""How fast and how small the frontier is: URLs through cache and sieve, per-host queues, fingerprints.

Rates are by the clock, so that waiting for the disk is in them; so is waiting for others on this machine.

`frontier-seen`: URLs per second through the URL cache (64 MiB) and the sieve (2²² hashes) until 10⁸
distinct ones have come out (`--quick`: 10⁷), each once. Of 32 URLs offered 23 are new; of the others,
most were met within the last million, the rest are old. A URL is 48 bytes, hashed here too. The promise is a
million per second. The peer is what crawlers in Python do, a `set` in memory: it gets hashes as integers,
without cost, and keeps no URLs. `frontier-memory` is the peak memory of the same, with what makes
the input (`--quick`: 2·10⁶). Ours does not grow with URLs; the promise is 1 GiB.

`frontier-workbench`: distinct URLs per CPU-second of the frontier's thread, from the sieve over the queue of
its level to the hosts on the workbench or the disk, as the crawler does it; 10⁷ URLs of 10 000 hosts
(`--quick`: 10⁶). The engine runs, but makes no visits. The URL cache, which stands before it in the threads
of fetchers, is in `frontier-seen`. The peer is a set and a dictionary of deques in Python.

`frontier-hosts`: records per second that go through the virtualizer with a stage of 4 MiB: pushed in an
order that mixes 20 000 hosts of very different sizes, then pulled 64 KiB at a time, 3·10⁷ of them (`--quick`:
5·10⁵). The peer is a table of SQLite with the host and a running number as its key, in one transaction; what
was pulled stays in it.

`frontier-duplicates`: fingerprints per second looked up and entered in the map on disk, a quarter of them
known, 2·10⁶ (`--quick`: 3·10⁵) with a cache of 4 MiB. The peer is a table of SQLite with the same cache.

What makes the input is not in the times. Files are written below the folder for temporary files (`TMPDIR`).
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.frame import Call, Figure, Peer, main

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.uint64]

BATCH = 1 << 18
RECENT = 1 << 20
NEW, OFFERED = 23, 32
NUM_HOSTS = 20_000
SIZES = {"urls": (10**8, 10**7), "records": (3 * 10**7, 5 * 10**5), "fingerprints": (2 * 10**6, 3 * 10**5)}


def prepare(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Write how many of each there are: the rest is computed from a seed."""
    write_sizes(folder, {name: small if quick else large for name, (large, small) in SIZES.items()})


def prepare_few(folder: Path, quick: bool) -> None:  # noqa: FBT001
    """The same, with fewer URLs where it has to be quick."""
    write_sizes(folder, {"urls": 2 * 10**6 if quick else SIZES["urls"][0]})


def write_sizes(folder: Path, sizes: dict[str, int]) -> None:
    """Write the only file of an input."""
    (folder / "sizes.json").write_text(json.dumps(sizes, sort_keys=True))


def read_size(place: str, name: str) -> int:
    """How many of a kind this run has."""
    size: int = json.loads((Path(place) / "sizes.json").read_text())[name]
    return size


# ---- URLs


def iter_numbers(num_distinct: int) -> Iterator[Numbers]:
    """Batches of numbers of URLs; all below `num_distinct` occur."""
    import numpy as np

    random, made = np.random.default_rng(7), 0
    while made < num_distinct:
        count = min(BATCH, num_distinct - made)
        fresh = np.arange(made, made + count, dtype=np.uint64)
        made += count
        again = count * (OFFERED - NEW) // NEW
        recent = random.integers(max(0, made - RECENT), made, again * 3 // 4, dtype=np.uint64)
        old = random.integers(0, made, again - len(recent), dtype=np.uint64)
        yield random.permutation(np.concatenate([fresh, recent, old]))


def write_urls(numbers: Numbers) -> NDArray[np.uint8]:
    """A line of 48 bytes for each number."""
    import numpy as np

    text = np.empty((len(numbers), 48), np.uint8)
    text[:] = np.frombuffer(b"http://www.h0000.example.org/a/page-000000000000", np.uint8)
    digits = np.frombuffer(b"".join(b"%04d" % number for number in range(10_000)), np.uint8).reshape(-1, 4)
    low, high = numbers % np.uint64(10_000), numbers // np.uint64(10_000)
    text[:, 44:48] = digits[low]
    text[:, 40:44] = digits[high % np.uint64(10_000)]
    text[:, 12:16] = digits[low]
    text[:, 36:40] = digits[high // np.uint64(10_000)]
    return text


def sieve_ours(place: str) -> float:
    """URLs per second through hash, cache and sieve."""
    import numpy as np

    from webstrata._core.crawl import hash_records
    from webstrata._core.testing import Sieve, UrlCache

    num_distinct, offered, seconds, released = read_size(place, "urls"), 0, 0.0, 0

    def release(text: bytes, ends: Numbers) -> None:
        nonlocal released
        released += len(ends)

    with tempfile.TemporaryDirectory() as folder:
        cache, sieve = UrlCache(64 << 20), Sieve(Path(folder), 1 << 22)
        for numbers in iter_numbers(num_distinct):
            lines = write_urls(numbers)
            text, ends = lines.tobytes(), np.arange(1, len(lines) + 1, dtype=np.uint64) * np.uint64(48)
            started = time.perf_counter()
            hashes = hash_records(text, ends)
            is_new = cache.insert_many(hashes)
            # the engine is asked URL by URL; here those that are left are put together
            kept = np.flatnonzero(is_new)
            left = lines[kept].tobytes()
            sieve.enqueue_many(hashes[kept], left, ends[: len(kept)])
            if sieve.is_full:
                sieve.flush(release)
            seconds += time.perf_counter() - started
            offered += len(numbers)
        started = time.perf_counter()
        sieve.flush(release)
        seconds += time.perf_counter() - started
    if released != num_distinct:
        raise RuntimeError(f"{released} URLs came out of {num_distinct}")
    return offered / seconds


def sieve_theirs(place: str) -> float:
    """URLs per second through a set of their hashes."""
    import numpy as np

    num_distinct, offered, seconds, released = read_size(place, "urls"), 0, 0.0, 0
    seen: set[int] = set()
    for numbers in iter_numbers(num_distinct):
        # an odd multiple of the number is as good as a hash here, and different for each
        hashes: list[int] = (numbers * np.uint64(0x9E3779B97F4A7C15)).tolist()
        started = time.perf_counter()
        for hash in hashes:
            if hash not in seen:
                seen.add(hash)
                released += 1
        seconds += time.perf_counter() - started
        offered += len(hashes)
    if released != num_distinct:
        raise RuntimeError(f"{released} URLs came out of {num_distinct}")
    return offered / seconds


def release_ours(place: str) -> float:
    """URLs per CPU-second through the frontier of a crawl that makes no visits."""
    import numpy as np

    import webstrata as ws
    from webstrata._core.crawl import Engine
    from webstrata.crawl.run import Crawl
    from webstrata.crawl.settings import CrawlSettings

    count = read_size(place, "urls") // 10
    hosts = {f"www.h{number:04}.example.org": ("127.0.0.1", 1) for number in range(10_000)}
    # fetchers that never come make the front as large as it can be
    settings = CrawlSettings(resolve=False, fetchers=10**6, workbench=1 << 30, obey_robots=False)
    with tempfile.TemporaryDirectory() as folder:
        snapshot = ws.create(Path(folder) / "frontier").add("2026-06")
        crawl = Crawl(snapshot, settings, hosts=hosts)
        crawl.folder.mkdir()
        engine = Engine(crawl.configuration())
        engine.pause(True)
        for start in range(0, count, BATCH):
            lines = write_urls(np.arange(start, min(start + BATCH, count), dtype=np.uint64))
            engine.add([(line.tobytes().decode(), 0, None) for line in lines])
        while True:
            time.sleep(0.2)
            counters = engine.counters()
            if counters["discovered"] == count and counters["waiting"] == 0:
                break
        engine.stop(True)
        engine.join()
    return count / (counters["frontier_cpu_ns"] / 1e9)


def release_theirs(place: str) -> float:
    """URLs per CPU-second through a set, into queues by host."""
    from collections import defaultdict, deque
    from urllib.parse import urlsplit

    import numpy as np

    count, seconds = read_size(place, "urls") // 10, 0.0
    seen: set[str] = set()
    queues: dict[str, deque[str]] = defaultdict(deque)
    for start in range(0, count, BATCH):
        numbers = np.arange(start, min(start + BATCH, count), dtype=np.uint64)
        urls = [line.tobytes().decode() for line in write_urls(numbers)]
        started = time.process_time()
        for url in urls:
            if url not in seen:
                seen.add(url)
                queues[urlsplit(url).netloc].append(url)
        seconds += time.process_time() - started
    return count / seconds


# ---- hosts


def iter_hosts(num_records: int) -> Iterator[tuple[NDArray[np.uint32], bytes, Numbers]]:
    """Batches of hosts, and paths of 40 bytes; a host's share falls with the square of its rank."""
    import numpy as np

    random = np.random.default_rng(7)
    text = random.integers(97, 123, (1 << 17) * 40, dtype=np.uint8).tobytes()
    for start in range(0, num_records, 1 << 17):
        count = min(1 << 17, num_records - start)
        hosts = (NUM_HOSTS * random.random(count) ** 3).astype(np.uint32)
        yield hosts, text[: count * 40], np.arange(1, count + 1, dtype=np.uint64) * np.uint64(40)


def queue_ours(place: str) -> float:
    """Records per second pushed and pulled."""
    from webstrata._core.testing import Virtualizer

    num_records, seconds, pulled = read_size(place, "records"), 0.0, 0
    with tempfile.TemporaryDirectory() as folder:
        virtualizer = Virtualizer(Path(folder), 4 << 20)
        for hosts, text, ends in iter_hosts(num_records):
            started = time.perf_counter()
            virtualizer.push_many(hosts, text, ends)
            seconds += time.perf_counter() - started
        started = time.perf_counter()
        while virtualizer.num_hosts:
            # round and round, as hosts become ready
            for host in range(NUM_HOSTS):
                pulled += len(virtualizer.pull(host, 1 << 16)[1])
        seconds += time.perf_counter() - started
    if pulled != num_records:
        raise RuntimeError(f"{pulled} records came out of {num_records}")
    return num_records / seconds


def queue_theirs(place: str) -> float:
    """The same with a table."""
    num_records, seconds, pulled, number = read_size(place, "records"), 0.0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        base = open_table(folder, "host INTEGER, number INTEGER, record BLOB, PRIMARY KEY (host, number)")
        for hosts, text, _ in iter_hosts(num_records):
            rows = [
                (host, number + place, text[place * 40 : place * 40 + 40])
                for place, host in enumerate(hosts.tolist())
            ]
            number += len(rows)
            started = time.perf_counter()
            base.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
            seconds += time.perf_counter() - started
        started = time.perf_counter()
        places = dict.fromkeys(range(NUM_HOSTS), -1)
        query = "SELECT number, record FROM t WHERE host = ? AND number > ? ORDER BY number LIMIT 1638"
        while places:
            for host, last in list(places.items()):
                found = base.execute(query, (host, last)).fetchall()
                pulled += len(found)
                if found:
                    places[host] = found[-1][0]
                else:
                    del places[host]
        seconds += time.perf_counter() - started
        base.close()
    if pulled != num_records:
        raise RuntimeError(f"{pulled} records came out of {num_records}")
    return num_records / seconds


def open_table(folder: str, columns: str) -> sqlite3.Connection:
    """A table `t` in a file, with 4 MiB of cache, without a journal, and nothing synced."""
    base = sqlite3.connect(Path(folder) / "base", isolation_level=None)
    base.executescript(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -4096;"
        f"CREATE TABLE t ({columns}) WITHOUT ROWID; BEGIN"
    )
    return base


# ---- fingerprints


def iter_fingerprints(count: int) -> Iterator[tuple[Numbers, Numbers]]:
    """Batches of fingerprints and numbers; a quarter of the fingerprints was there before."""
    import numpy as np

    random = np.random.default_rng(7)
    for start in range(0, count, BATCH):
        numbers = np.arange(start, min(start + BATCH, count), dtype=np.uint64)
        keys = np.where(numbers % np.uint64(4) == 3, random.integers(0, numbers + np.uint64(1)), numbers)
        yield keys.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15), numbers


def look_up_ours(place: str) -> float:
    """Fingerprints per second."""
    from webstrata._core.testing import DiskMap

    count, seconds = read_size(place, "fingerprints"), 0.0
    with tempfile.TemporaryDirectory() as folder:
        pages = DiskMap(Path(folder) / "map", 4 << 20)
        for keys, numbers in iter_fingerprints(count):
            started = time.perf_counter()
            pages.get_or_insert_many(mix(keys), numbers)
            seconds += time.perf_counter() - started
    return count / seconds


def look_up_theirs(place: str) -> float:
    """The same with a table."""
    count, seconds = read_size(place, "fingerprints"), 0.0
    query = "INSERT INTO t VALUES (?, ?) ON CONFLICT DO UPDATE SET value = value RETURNING value"
    with tempfile.TemporaryDirectory() as folder:
        base = open_table(folder, "key INTEGER PRIMARY KEY, value INTEGER")
        for keys, numbers in iter_fingerprints(count):
            rows = zip(mix(keys).view("int64").tolist(), numbers.tolist(), strict=True)
            started = time.perf_counter()
            for row in rows:
                base.execute(query, row).fetchone()
            seconds += time.perf_counter() - started
        base.close()
    return count / seconds


def mix(keys: Numbers) -> Numbers:
    """Numbers that look like fingerprints, different for different ones (splitmix64)."""
    import numpy as np

    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Numbers = keys ^ (keys >> np.uint64(31))
    return mixed


def _figure(name: str, ours: str, theirs: str, peer: str, unit: str) -> Figure:
    is_memory = unit == "B"
    return Figure(
        name=name,
        data=name if is_memory else "frontier",
        prepare=prepare_few if is_memory else prepare,
        ours=Call(f"bench.frontier:{ours}"),
        theirs=Call(f"bench.frontier:{theirs}"),
        peer=Peer(peer, program="python3"),
        measure="peak" if is_memory else "answer",
        unit=unit,
        better="less" if is_memory else "more",
        rounds=1,
        quick_rounds=1,
    )


FIGURES = [
    _figure("frontier-seen", "sieve_ours", "sieve_theirs", "set of Python", "URLs/s"),
    _figure("frontier-memory", "sieve_ours", "sieve_theirs", "set of Python", "B"),
    _figure("frontier-workbench", "release_ours", "release_theirs", "set and deques of Python", "URLs/CPU-s"),
    _figure("frontier-hosts", "queue_ours", "queue_theirs", "SQLite", "records/s"),
    _figure("frontier-duplicates", "look_up_ours", "look_up_theirs", "SQLite", "fingerprints/s"),
]

if __name__ == "__main__":
    main(FIGURES)
