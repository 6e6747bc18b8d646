"""Crawls that die on order: killed, out of power, on a full disk, with a sync that fails.

Run as a program, it reads one JSON object per line, an order for a crawl, lets a child that it forks carry it
out, and answers how that ended, ``{"status", "said"}``: a status below 0 is the number of the signal. Forking
saves what importing costs. `tests.endurance.kill` is `make kill`.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import webstrata as ws
from webstrata._core import crawl as _core
from webstrata._core.collection import set_faults
from webstrata.archive.warc import Problem, check, read_records
from webstrata.collection.progress import Progress
from webstrata.errors import WebstrataError
from webstrata.invitro.judge.settings import JudgeSettings

if TYPE_CHECKING:
    import random

    from webstrata.api import Snapshot
    from webstrata.collection.progress import Task
    from webstrata.invitro import InvitroServer, Web

KILLED = -signal.SIGKILL
LABEL = "2026-06"
HELD = ("01", "03", "08")
"""ESTABLISHED, SYN_RECV, CLOSE_WAIT, as the kernel has them: such connections may still bring something."""
SETTINGS: dict[str, Any] = {
    "host_delay": 0.002,
    "ip_delay": 0.001,
    "resolve": False,
    "max_crawl_delay": 0.005,
    "retry_delay": 0.1,
    "max_retry_after": 2.0,
    "file_size": 200_000,
    "checkpoint": 0.1,
    "disk_check": 0.02,
    "sieve": 100,
    "user_agent": "webstrata (killed)",
}
"""Small files, many checkpoints, merges of the sieve: every place at which one can die is passed often."""


# ---- the child


class _Saying(Progress):
    def note(self, sentence: str) -> None:
        print(sentence, flush=True)

    def opened(self, task: Task) -> None:
        print(task.title, flush=True)


def _crawl(order: dict[str, Any]) -> int:
    set_faults(order["plan"])
    try:
        snapshot = ws.open(order["collection"]).add(order["label"])
        hosts = {name: (address, port) for name, (address, port) in order["hosts"].items()}
        settings = ws.CrawlSettings(**(SETTINGS | order["settings"]))
        crawl = ws.Crawl(
            snapshot, settings, seeds=order["seeds"], hosts=hosts, parses=False, progress=_Saying()
        )
        crawl.run()
        return 0
    except WebstrataError as error:
        print(error)
        return error.exit_code
    except BaseException:
        print(f"bug: {traceback.format_exc()}")
        return 99


def _serve() -> None:
    gc.freeze()  # or every child would copy all of it when it looks for what is not needed
    for line in sys.stdin:
        order = json.loads(line)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            os.dup2(writing, 1)
            status = _crawl(order)
            sys.stdout.flush()
            os._exit(status)
        os.close(writing)
        killer = threading.Timer(abs(order["kill_after"] or 3600), os.kill, (child, signal.SIGKILL))
        said = ""
        if (order["kill_after"] or 0) < 0:
            killer.start()
        with os.fdopen(reading) as stream:
            for words in stream:
                said += words
                if words == "crawling\n" and killer.ident is None:
                    killer.start()
        killer.cancel()
        _, status = os.waitpid(child, 0)
        print(json.dumps({"status": os.waitstatus_to_exitcode(status), "said": said}), flush=True)


# ---- the parent's end


class Field:
    """A served web, a collection, and a process that crawls one into the other as often as it is told.

    Parameters
    ----------
    folder
        An empty folder for everything.
    web
        What is crawled.
    """

    def __init__(self, folder: Path, web: Web) -> None:
        self.folder, self.web = folder, web
        self.trace = folder / "trace"
        self.log = folder / "requests.log"
        self.label = LABEL
        """The snapshot that is crawled."""
        ws.create(folder / "uk")

    def __enter__(self) -> Self:
        self._serving = self.web.serve(origins=True, log=self.log)
        self.server: InvitroServer = self._serving.__enter__()
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(self, *ends: object) -> None:
        self._process.communicate()
        self._serving.__exit__(None, None, None)

    @property
    def crawl(self) -> Path:
        """Where the crawl keeps what it needs to go on."""
        return self.folder / "uk" / "snapshots" / self.label / "crawl"

    @property
    def tracing(self) -> str:
        """The rule of a plan that `lose_power` needs."""
        return f"trace to={self.trace} path={self.crawl}*"

    def run(self, plan: str = "", kill_after: float | None = None, **settings: object) -> tuple[int, str]:
        """Crawl, or go on, in a child that fails by plan or is killed; how it ended and what it said.

        Seconds below 0 are counted from its start, others from the first request.
        """
        hosts = {name: (address, self.server.port) for name, address in self.server.addresses().items()}
        order = {
            "collection": str(self.folder / "uk"),
            "label": self.label,
            "hosts": hosts,
            "seeds": self.web.home_pages(),
            "settings": settings,
            "plan": plan,
            "kill_after": kill_after,
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        assert answer["status"] != 99, answer["said"]
        if answer["status"] != 0:
            self._await_silence()
            self.server.mark_restart()
        return answer["status"], answer["said"]

    def _await_silence(self) -> None:
        """Wait until the server has read all that the dead had sent: it would count as sent later."""
        table, port = Path("/proc/net/tcp"), f":{self.server.port:04X}"
        deadline = time.monotonic() + 30
        while table.exists():
            rows = [line.split()[1:4] for line in table.read_text().splitlines()[1:]]
            # connections that the server has not accepted are in the table too
            if not any(local.endswith(port) and state in HELD for local, _, state in rows):
                return
            assert time.monotonic() < deadline, "the server keeps connections of a client that is dead"
            time.sleep(0.005)

    def known(self, *, at_checkpoint: bool = False) -> set[str]:
        """The URLs that the journal has, or had when the last checkpoint was over."""
        journal = self.crawl / "journal"
        if not journal.exists():
            return set()
        good, _, _, mark = _core.read_journal(journal)
        return set(read_urls(journal, mark[0] if at_checkpoint else good))

    def assert_whole(self) -> None:
        """The crawl is finished: all pages are there, each stored once in files that are sound."""
        snapshot: Snapshot = ws.open(self.folder / "uk")[self.label]
        assert list(snapshot.urls) == list(self.web.graph(view="collection").urls)
        assert set(count_captures(snapshot).values()) == {1}

    def find_rudeness(self) -> dict[str, int]:
        """What the judge, who knows of the restarts, holds against the crawl."""
        verdict = ws.invitro.judge(
            self.log, JudgeSettings(host_delay=0.002, ip_delay=0.001, restart_grace=10.0)
        )
        counts = {name: number for name, number in verdict.counts.items() if number}
        return {} if verdict.is_polite else counts


def count_captures(snapshot: Snapshot) -> Counter[str]:
    """How often each URL is stored, robots.txt aside, which each run asks for; the files must be sound."""
    found: Counter[str] = Counter()
    problems: list[Problem] = []
    with snapshot.open_part("warc") as part:
        for path in sorted(part.path.glob("*.warc.gz")):
            problems += check(path)
            records = read_records(path, kinds=["response", "revisit"], report=problems.append)
            found.update(record.url or "" for record in records)
        assert found.total() == part.counts["captures"]
    assert not problems
    return Counter({url: count for url, count in found.items() if not url.endswith("/robots.txt")})


def read_urls(journal: Path, end: int) -> list[str]:
    """The URLs in the first bytes of a journal, as `docs/formats/frontier.md` describes it."""
    data, urls, place = journal.read_bytes()[:end], [], 0
    while place + 8 < len(data):
        length = int.from_bytes(data[place : place + 4], "little")
        frame = data[place + 8 : place + 8 + length]
        place += 8 + length
        at = 1
        while frame[0] == 0 and at < len(frame):
            size = int.from_bytes(frame[at + 8 : at + 12], "little")
            record = frame[at + 12 : at + 12 + size]
            skip = 4 + int.from_bytes(record[2:4], "little") if record[1] & 0x80 else 2
            urls.append(record[skip:].decode())
            at += 12 + size
    return urls


# ---- a power cut


def lose_power(trace: Path, draw: random.Random, *, worst: bool = False) -> int:
    """Leave of the traced files what a power cut could have left; how many bytes are gone.

    What was synced stays. Of the rest of one file, or of each, a part stays, or none, or its length with
    zeros in it. Names that were given since their folder was synced are gone from some moment on. The `worst`
    is that nothing stays of all that.
    """
    lengths: dict[Path, int] = {}
    names: list[tuple[Path, Path | None]] = []
    for line in trace.read_text().splitlines() if trace.exists() else []:
        what, first, second = line.split("\t")
        path = Path(first)
        if what == "created":
            lengths[path] = 0
            names.append((path, None))
        elif what == "renamed":
            lengths[Path(second)] = lengths.pop(path, 0)
            names.append((Path(second), path))
        elif path.is_dir():
            names = [pair for pair in names if pair[0].parent != path]
        else:
            lengths[path] = int(second)
    for path, before in reversed(names[0 if worst else draw.randrange(len(names) + 1) :]):
        if not path.exists():
            continue
        if before is None:
            path.unlink()
        elif not before.exists():
            path.rename(before)
            lengths[before] = lengths.pop(path, 0)
    sizes = {path: path.stat().st_size for path in lengths if path.exists()}
    at_risk = [path for path, size in sizes.items() if size > lengths[path]]
    # a disk that writes all but one file is what an order of steps fails for
    if at_risk and not worst and draw.random() < 0.7:
        at_risk = [draw.choice(at_risk)]
    lost = 0
    for path in at_risk:
        synced, size = lengths[path], sizes[path]
        begin = draw.choice([synced, draw.randint(synced, size)])
        if worst or draw.random() < 0.5:
            os.truncate(path, synced if worst else begin)
            lost += size - path.stat().st_size
            continue
        with path.open("r+b") as stream:
            stream.seek(begin)
            lost += stream.write(bytes(draw.randint(0, size - begin)))
    # what is there now is what the disk has: later cuts take nothing of it
    trace.write_text("".join(f"synced\t{path}\t{path.stat().st_size}\n" for path in lengths if path.exists()))
    return lost


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        _serve()
