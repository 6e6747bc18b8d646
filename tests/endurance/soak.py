"""A long crawl that must not grow: `python -m tests.endurance.soak --pages 3000000`.

The in-vitro web `clean` is crawled with everything on: sieve, virtualizer, duplicates, checkpoints, WARC.
It is served by a process of its own, so that what is measured is the crawler alone. From minute 2 to the end
memory, descriptors and rate must be flat. So that the disk is bounded, WARC files are emptied as soon as the
next ones have begun: each was written whole, and nobody reads them again here.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tests.endurance.watch import (
    WEBSTRATA,
    Check,
    check_flat,
    check_steady,
    conclude,
    rates,
    settled,
    watch,
    write_samples,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FILE_SIZE = 256 << 20
MAX_RESIDENT = 1 << 30


@contextmanager
def serving(folder: Path, seed: int) -> Iterator[list[str]]:
    """Serve the web from another process; the options of a crawl that begins with its home pages."""
    seeds, hosts = folder / "seeds.txt", folder / "hosts.txt"
    words = [str(WEBSTRATA), "invitro", "serve", "--preset", "clean", "--seed", str(seed), "--origins"]
    words += ["--seeds", str(seeds), "--hosts-table", str(hosts), "--json"]
    said = folder / "server.json"
    with said.open("wb") as out:
        server = subprocess.Popen(words, stdout=out, stderr=subprocess.DEVNULL)
    try:
        while not said.read_text().endswith("}\n"):
            if server.poll() is not None:
                raise SystemExit("the server did not start")
            time.sleep(0.1)
        yield ["--seeds", str(seeds), "--hosts-table", str(hosts)]
    finally:
        # a shell that runs us in the background has our children ignore Ctrl-C
        server.terminate()
        server.wait()


def emptier(folder: Path) -> Callable[[], None]:
    """A function that empties all WARC files but the newest two."""
    emptied: set[Path] = set()

    def empty() -> None:
        files = {path for path in folder.rglob("*.warc*") if path.is_file()} - emptied
        for path in sorted(files, key=lambda path: path.stat().st_mtime)[:-2]:
            if path.stat().st_size > FILE_SIZE // 2:
                os.truncate(path, 0)
                emptied.add(path)

    return empty


def main() -> None:
    """Crawl, sample, judge."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pages", type=int, default=3_000_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--samples", type=Path, default=Path("soak.csv"), help="where they are written")
    parser.add_argument("--limit", type=float, default=0, help="seconds after which it has failed")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="soak-") as name:
        folder = Path(name)
        with serving(folder, chosen.seed) as web:
            words = [*web, "--max-pages", str(chosen.pages), "--no-resolve", "--no-parse-pages"]
            words += ["--host-delay", "0s", "--ip-delay", "0s", "--keep-alive", "1s"]
            words += ["--file-size", str(FILE_SIZE), "--max-crawl-delay", "0s"]
            limit = chosen.limit or 300 + chosen.pages / 200
            report, samples = watch(words, folder, limit=limit, meanwhile=emptier(folder))
    write_samples(chosen.samples, samples)
    counters, steady = report["counters"], settled(samples)
    print(
        f"{report['pages']:,} pages, {counters['requests']:,} requests, {report['discovered']:,} URLs in "
        f"{report['seconds']:.0f} s; judged from second {steady[0].seconds:.0f} on; see {chosen.samples}"
    )
    resident = [sample.resident for sample in steady]
    conclude(
        [
            Check("it reached its limit", report["pages"] >= chosen.pages, f"end: {report['end']}"),
            check_flat("resident memory", resident),
            check_flat("anonymous memory", [sample.anonymous for sample in steady]),
            Check("below 1 GiB", max(resident) < MAX_RESIDENT, f"{max(resident) >> 20} MiB"),
            check_flat("descriptors", [sample.descriptors for sample in steady], few=64),
            check_flat("threads", [sample.threads for sample in steady], few=2),
            check_steady("pages per second", rates(steady)),
        ]
    )


if __name__ == "__main__":
    main()
