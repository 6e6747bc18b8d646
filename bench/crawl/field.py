"""Where crawlers are measured: the in-vitro web on one core, a crawler on the other, watched from outside.

The server is a process of its own, `webstrata invitro serve --origins`, and logs every request; pages are
counted in that log, the same way for everybody, so that no crawler is believed by its word. What a crawler
took comes from the kernel: CPU seconds and the largest resident size from `wait4`, or from /proc in the
middle of a run.

Standard library only, like all that the frame imports.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.frame import DATA, OURS, BenchError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

PRESET = "clean"
SEED = 7
AGENT = "webstrata-bench (+http://example.org/bench)"
TICKS = os.sysconf("SC_CLK_TCK")
NO_PAGES = ("/robots.txt", "/sitemap.xml")


# ---- processes


@dataclass(frozen=True)
class Cost:
    """What a process took from its start to its end."""

    wall: float
    cpu: float
    peak: int
    """The largest resident size of any one process of it, in bytes."""


def choose_cores() -> tuple[int, int]:
    """A core for the server and one for the crawler; the same where there is only one."""
    cores = sorted(os.sched_getaffinity(0))
    return cores[0], cores[-1]


def start(
    words: Sequence[str],
    cores: set[int],
    *,
    out: Path,
    err: Path | None,
    env: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    """Start a program on some cores, its output in files."""

    def prepare() -> None:
        os.sched_setaffinity(0, cores)
        # a shell that runs us in the background has us ignore it, and our children too: the server ends by it
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    with out.open("wb") as stdout, Path(err or os.devnull).open("wb") as stderr:
        return subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            env=os.environ | env if env else None,
            preexec_fn=prepare,
        )


def wait(process: subprocess.Popen[bytes], seconds: float) -> tuple[int, Cost]:
    """The exit code of a process and what it took; `BenchError` where it does not end in time."""
    started = time.monotonic()
    while True:
        found, status, used = os.wait4(process.pid, os.WNOHANG)
        wall = time.monotonic() - started
        if found:
            process.returncode = os.waitstatus_to_exitcode(status)
            cpu = used.ru_utime + used.ru_stime
            return process.returncode, Cost(wall=wall, cpu=cpu, peak=used.ru_maxrss * 1024)
        if wall > seconds:
            process.kill()
            process.wait()
            raise BenchError(f"{process.args!r} was not done after {seconds:.0f} seconds")
        time.sleep(0.005)


def run(
    words: Sequence[str],
    cores: set[int],
    folder: Path,
    seconds: float,
    *,
    env: Mapping[str, str] | None = None,
) -> tuple[str, Cost]:
    """Run a program to its end; what it printed and what it took."""
    out, err = folder / "out.txt", folder / "err.txt"
    code, cost = wait(start(words, cores, out=out, err=err, env=env), seconds)
    if code != 0:
        last = (err.read_text(errors="replace").strip() or "no message").splitlines()[-1]
        raise BenchError(f"`{' '.join(words)}` ended with {code}: {last}")
    return out.read_text(errors="replace"), cost


def read_cpu(pid: int) -> float:
    """CPU seconds that a running process has used so far, all its threads together."""
    # the name stands in parentheses and may hold anything
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / TICKS


def read_peak(pid: int) -> int:
    """The largest resident size of a running process so far, in bytes."""
    words = Path(f"/proc/{pid}/status").read_text().split()
    return int(words[words.index("VmHWM:") + 1]) * 1024


# ---- the log


@dataclass(frozen=True)
class Tally:
    """What a server's log says about a stretch of time."""

    pages: int
    """Complete answers 200 that are neither robots.txt nor a sitemap."""

    robots: int
    answers: int
    page_bytes: int
    first: float
    last: float
    """When the first and the last answer ended, in seconds since 1970."""

    @property
    def seconds(self) -> float:
        """From the first answer to the last."""
        return self.last - self.first


def count(log: Path, since: float = 0.0, until: float = float("inf")) -> Tally:
    """Count the answers that a server ended between two moments (seconds since 1970).

    The lines are described in docs/formats/requests-log.md.
    """
    pages = robots = answers = size = 0
    first, last = float("inf"), 0.0
    with log.open() as lines:
        for line in lines:
            words = line.rstrip("\n").split("\t")
            if line.startswith("#") or len(words) != 10:
                continue
            ended = int(words[4]) / 1e6
            if not since <= ended < until:
                continue
            answers += 1
            first, last = min(first, ended), max(last, ended)
            path = words[9].partition("?")[0]
            if path.endswith("/robots.txt"):
                robots += 1
            elif words[5] == "200" and words[7] == "1" and not path.endswith(NO_PAGES):
                pages += 1
                size += int(words[6])
    return Tally(pages, robots, answers, size, min(first, last), last)


# ---- the web


@dataclass
class Field:
    """A served web, and a folder for whoever crawls it."""

    folder: Path
    port: int
    seeds: Path
    hosts: Path
    """A line ``address:port name`` for every host."""

    log: Path
    server: subprocess.Popen[bytes]

    @property
    def proxy(self) -> str:
        """The server as an HTTP proxy."""
        return f"http://127.0.0.1:{self.port}"

    def finish(self) -> Cost:
        """End the server and tell what it took; the log is complete then."""
        self.server.send_signal(signal.SIGINT)
        return wait(self.server, 30)[1]


@contextlib.contextmanager
def serving(
    seeds: int,
    *,
    cores: set[int],
    preset: str = PRESET,
    hosts: int | None = None,
    options: Sequence[str] = (),
) -> Iterator[Field]:
    """Serve the web, with the first `seeds` home pages as seeds; nothing is left after the block.

    With `hosts` it has so many, and as many pages as before; `options` are those of the server.
    """
    DATA.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="crawl-", dir=DATA))
    names = {name: folder / f"{name}.txt" for name in ("homes", "seeds", "hosts", "log")}
    words = [str(OURS / "webstrata"), "invitro", "serve", "--preset", preset, "--seed", str(SEED)]
    words += ["--origins", "--log", str(names["log"]), "--seeds", str(names["homes"])]
    words += ["--hosts-table", str(names["hosts"]), "--json"]
    words += [] if hosts is None else ["--hosts", str(hosts)]
    words += options
    ready = folder / "server.json"
    server = start(words, cores, out=ready, err=folder / "server.err")
    try:
        port = _wait_for_port(server, ready)
        homes = names["homes"].read_text().split()
        names["seeds"].write_text("\n".join(homes[:seeds]) + "\n")
        yield Field(folder, port, names["seeds"], names["hosts"], names["log"], server)
    finally:
        if server.returncode is None:
            server.kill()
            server.wait()
        shutil.rmtree(folder)


def _wait_for_port(server: subprocess.Popen[bytes], ready: Path) -> int:
    """The port, once the server has written it."""
    for _ in range(600):
        with contextlib.suppress(json.JSONDecodeError):
            said: dict[str, Any] = json.loads(ready.read_text() or "-")
            return int(said["port"])
        if server.poll() is not None:
            break
        time.sleep(0.05)
    raise BenchError(f"the server did not start: {ready.with_suffix('.err').read_text().strip()}")
