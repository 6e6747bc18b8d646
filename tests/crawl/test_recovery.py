"""Crawls that end before their time, in every way, and go on."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from webstrata.crawl.recovery import recover
from webstrata.errors import ExistsError
from webstrata.simulate.invitro.judge.settings import JudgeSettings
from webstrata.store.warc import check, read_records

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Snapshot
    from webstrata.simulate.invitro import Server, Web

QUICK = {"host_delay": 0, "ip_delay": 0, "resolve": False, "max_crawl_delay": 0, "file_size": 300_000}
COMMAND = [sys.executable, "-c", "import sys; from webstrata.cli import main; sys.exit(main())", "crawl"]
DELAYS = {"host_delay": 0.002, "ip_delay": 0.001}


@pytest.fixture(scope="module")
def web() -> Web:
    return ws.invitro.Web("tiny", seed=7)


def crawl(snapshot: Snapshot, web: Web, **settings: object) -> str:
    with web.serve(origins=True) as server:
        hosts = {name: (address, server.port) for name, address in server.addresses().items()}
        chosen = ws.CrawlSettings.read(options=QUICK | settings, environment={})
        return ws.Crawl(snapshot, chosen, seeds=web.home_pages(), hosts=hosts).run().end


def count_captures(snapshot: Snapshot) -> Counter[str]:
    """How often each URL is stored; the files must be sound."""
    found: Counter[str] = Counter()
    with snapshot.open_part("warc") as part:
        for path in sorted(part.path.glob("*.warc.gz")):
            assert not list(check(path))
            found.update(record.url or "" for record in read_records(path, kinds=["response", "revisit"]))
    return found


def begin(folder: Path, web: Web) -> Snapshot:
    """A crawl that ended after 60 pages, with its files as they are."""
    snapshot = ws.create(folder / "uk").add("2026-06")
    assert crawl(snapshot, web, max_pages=60) == "max_pages"
    return snapshot


def finish(snapshot: Snapshot, web: Web) -> None:
    """Let it go on, and compare it with the truth."""
    assert crawl(snapshot, web) == "exhausted"
    fresh = ws.open(snapshot.collection.path)[snapshot.label]
    assert list(fresh.urls) == list(web.graph(view="collection").urls)
    assert set(count_captures(fresh).values()) == {1}


def test_a_crawl_with_a_larger_limit_goes_on_and_stores_nothing_twice(tmp_path: Path, web: Web) -> None:
    snapshot = begin(tmp_path, web)
    first = count_captures(snapshot)
    assert crawl(snapshot, web, max_pages=61) == "max_pages"
    second = count_captures(ws.open(snapshot.collection.path)[snapshot.label])
    assert first.keys() < second.keys()
    finish(snapshot, web)
    with pytest.raises(ExistsError, match="--again"):
        crawl(snapshot, web)


@pytest.mark.parametrize("place", ["journal", "captures.cdxj"])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.9999])
def test_wherever_a_file_was_cut_off_the_crawl_goes_on(
    tmp_path: Path, web: Web, place: str, share: float
) -> None:
    snapshot = begin(tmp_path, web)
    path = snapshot.working_folder("crawl") / place
    os.truncate(path, int(path.stat().st_size * share))
    finish(snapshot, web)


@pytest.mark.parametrize("rubbish", [b"", b"\0" * 5000, b"half a record"])
def test_what_an_open_file_holds_beyond_its_lines_is_cut_off(
    tmp_path: Path, web: Web, rubbish: bytes
) -> None:
    snapshot = begin(tmp_path, web)
    folder = snapshot.working_folder("crawl")
    last = sorted(folder.glob("*.warc.gz"))[-1]
    data = last.read_bytes() + rubbish  # not in place: the part has the same file
    last.unlink()
    last.with_name(f"{last.name}.open").write_bytes(data)
    with (folder / "captures.cdxj").open("ab") as stream:
        stream.write(rubbish)
    finish(snapshot, web)


def test_an_open_file_without_a_capture_is_removed(tmp_path: Path, web: Web) -> None:
    snapshot = begin(tmp_path, web)
    folder = snapshot.working_folder("crawl")
    (folder / "uk-2026-06-00099.warc.gz.open").write_bytes(b"begun")
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    past = recover(copy)
    assert past.cut == 0
    assert len(past.stored) == len((folder / "captures.cdxj").read_text().splitlines())
    assert not list(copy.glob("*.open"))
    finish(snapshot, web)


# ---- kill -9


def kill_and_go_on(folder: Path, web: Web, kills: int, seed: int) -> tuple[Snapshot, int]:
    """Crawl with the real command, killed at random moments; the snapshot, and how often it was killed."""
    draw = random.Random(seed)
    ws.create(folder / "uk")
    log, done = folder / "requests.log", 0
    with web.serve(origins=True, log=log) as server:
        words = make_words(folder, server, web)
        while True:
            child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
            try:
                out, err = child.communicate(timeout=draw.uniform(0.6, 2.0) if done < kills else 300)
                assert child.returncode == 0, out + err
                break
            except subprocess.TimeoutExpired:
                child.kill()
                child.communicate()
                server.mark_restart()
                done += 1
    verdict = ws.invitro.judge(log, JudgeSettings(host_delay=0.002, ip_delay=0.001, restart_grace=3.0))
    assert verdict.is_polite, verdict.counts
    return ws.open(folder / "uk")["2026-06"], done


def make_words(folder: Path, server: Server, web: Web) -> list[str]:
    lines = [f"{address}:{server.port} {name}\n" for name, address in server.addresses().items()]
    (folder / "hosts").write_text("".join(lines))
    (folder / "seeds").write_text("\n".join(web.home_pages()))
    settings = {
        "seeds": folder / "seeds",
        "hosts-table": folder / "hosts",
        "host-delay": "2ms",
        "ip-delay": "1ms",
        "retry-delay": "100ms",
        "max-retry-after": "2s",
        "max-crawl-delay": "5ms",
        "file-size": "1MiB",
        "checkpoint": "300ms",
    }
    options = [word for name, value in settings.items() for word in (f"--{name}", str(value))]
    return [*COMMAND, str(folder / "uk"), "2026-06", "--no-resolve", *options]


def test_kill_9_costs_nothing(tmp_path: Path) -> None:
    web = ws.invitro.Web("small", seed=7, pages=1_500)
    snapshot, _ = kill_and_go_on(tmp_path, web, kills=2, seed=1)
    assert list(snapshot.urls) == list(web.graph(view="collection").urls)
    assert set(count_captures(snapshot).values()) == {1}


@pytest.mark.slow
def test_fifty_kills_cost_nothing(tmp_path: Path) -> None:
    web = ws.invitro.Web("small", seed=7)
    killed = 0
    for run in range(8):
        folder = tmp_path / str(run)
        folder.mkdir()
        snapshot, kills = kill_and_go_on(folder, web, kills=8, seed=run)
        killed += kills
        assert list(snapshot.urls) == list(web.graph(view="collection").urls)
        assert set(count_captures(snapshot).values()) == {1}
    assert killed >= 50
