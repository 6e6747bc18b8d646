"""A disk that is full, and one that fails to sync."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

import webstrata as ws
from tests.crawl.killing import count_captures
from tests.crawl.origin import core_threads
from tests.crawl.test_ending import interrupt_when
from webstrata._core.collection import set_faults
from webstrata.crawl.control import Control, connect
from webstrata.crawl.metrics import write_metrics
from webstrata.crawl.status import CrawlStatus
from webstrata.errors import DiskFullError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from webstrata.api import Snapshot
    from webstrata.invitro import Web

QUICK = {
    "host_delay": 0,
    "ip_delay": 0,
    "resolve": False,
    "max_crawl_delay": 0,
    "retry_delay": 0.01,
    "file_size": 300_000,
    "checkpoint": 0.02,
    "sieve": 50,
}


@pytest.fixture(scope="module")
def web() -> Web:
    return ws.invitro.Web("tiny", seed=7)


@pytest.fixture
def snapshot(tmp_path: Path) -> Snapshot:
    return ws.create(tmp_path / "uk").add("2026-06")


@pytest.fixture(autouse=True)
def _no_faults() -> Iterator[None]:
    yield
    set_faults("")


@contextmanager
def prepared(snapshot: Snapshot, web: Web, disk_check: float = 600) -> Iterator[ws.Crawl]:
    with web.serve(origins=True) as server:
        hosts = {name: (address, server.port) for name, address in server.addresses().items()}
        chosen = ws.CrawlSettings.read(options=QUICK | {"disk_check": disk_check}, environment={})
        yield ws.Crawl(snapshot, chosen, seeds=web.home_pages(), hosts=hosts, parses=False)


def wait_for_shortage(crawl: ws.Crawl) -> Control:
    """The desk of a crawl that has found its disk full."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        control = crawl.control
        if control is not None and control.shortage:
            return control
        time.sleep(0.01)
    raise AssertionError("the disk was never full")


def assert_whole(snapshot: Snapshot, web: Web) -> None:
    fresh = ws.open(snapshot.collection.path)[snapshot.date]
    assert list(fresh.urls) == list(web.graph(view="collection").urls)
    assert set(count_captures(fresh).values()) == {1}


@pytest.mark.parametrize(
    ("plan", "name"),
    [
        ("no-space path=*.open after=70000", "uk-2026-06-00000.warc.gz.open"),
        ("over-quota path=*captures.cdxj after=5000", "captures.cdxj"),
        ("no-space path=*journal after=9000", "journal"),
        ("no-space path=*known-* after=600", "known-"),
    ],
)
def test_a_full_disk_pauses_the_crawl_until_there_is_room(
    snapshot: Snapshot, web: Web, plan: str, name: str
) -> None:
    seen: dict[str, Any] = {}

    def steer(crawl: ws.Crawl) -> None:
        control = wait_for_shortage(crawl)
        with connect(snapshot) as client:
            seen["still"] = client.resume()
            seen["status"] = client.status()
            set_faults("")
            seen["after"] = client.resume()
        del control

    with prepared(snapshot, web) as crawl:
        set_faults(plan)
        thread = threading.Thread(target=steer, args=(crawl,))
        thread.start()
        result = crawl.run()
        thread.join()
    assert seen["still"] == seen["status"]["state"] == "out of space"
    assert seen["after"] == "running"
    sentence = seen["status"]["shortage"]
    assert name in sentence
    assert "no space left" in sentence
    assert f"webstrata crawl resume {snapshot.collection.path} 2026-06" in sentence
    assert sentence in CrawlStatus(seen["status"]).summary
    assert 'webstrata_crawl_state{state="out of space"} 1' in write_metrics(seen["status"])
    assert result.end == "exhausted"
    assert result.counters["disk_waits"] > 0
    assert_whole(snapshot, web)


def test_a_crawl_looks_by_itself_whether_there_is_room(snapshot: Snapshot, web: Web) -> None:
    with prepared(snapshot, web, disk_check=0.01) as crawl:
        set_faults("no-space path=*/crawl/* after=60000 times=9")
        assert crawl.run().counters["disk_waits"] > 0
    assert_whole(snapshot, web)


def crawl_on_a_small_disk(disk: str) -> None:
    """Crawl into a tmpfs that is too small, make it larger, and see that nothing is missing."""
    web = ws.invitro.Web("tiny", seed=7)
    snapshot = ws.create(f"{disk}/uk").add("2026-06")
    said: list[str] = []

    def enlarge(crawl: ws.Crawl) -> None:
        control = wait_for_shortage(crawl)
        said.append(control.shortage)
        subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
        control.resume()

    with prepared(snapshot, web) as crawl:
        thread = threading.Thread(target=enlarge, args=(crawl,))
        thread.start()
        assert crawl.run().end == "exhausted"
        thread.join()
    assert_whole(snapshot, web)
    print(said[0])


def test_a_crawl_outlasts_a_real_disk_that_is_full(tmp_path: Path) -> None:
    mount = f"mount -t tmpfs -o size=300k tmpfs {tmp_path}"
    own = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
    if shutil.which("unshare") is None or subprocess.run([*own, mount], capture_output=True).returncode:
        pytest.skip("this machine lets nobody mount a disk of his own")
    code = f"from tests.crawl.test_disk import *; crawl_on_a_small_disk({str(tmp_path)!r})"
    words = [*own, f'{mount} && exec "$0" -c "$1"', sys.executable, code]
    done = subprocess.run(words, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert "no space left for" in done.stdout
    assert "(0 are free)" in done.stdout


@pytest.mark.parametrize("how", ["stop", "Ctrl-C"])
def test_a_crawl_that_is_stopped_while_the_disk_is_full_can_go_on(
    snapshot: Snapshot, web: Web, how: str
) -> None:
    with prepared(snapshot, web) as crawl:
        set_faults("no-space path=*.open after=70000")
        if how == "stop":
            thread = threading.Thread(target=lambda: wait_for_shortage(crawl).stop())
            thread.start()
            with pytest.raises(DiskFullError, match=r"00000\.warc\.gz\.open: no space left to write"):
                crawl.run()
        else:
            thread = interrupt_when(lambda: crawl.control is not None and bool(crawl.control.shortage))
            with pytest.raises(KeyboardInterrupt, match="no space left"):
                crawl.run()
        thread.join()
    assert not core_threads()
    assert not (crawl.folder / "control.sock").exists()
    set_faults("")
    with prepared(snapshot, web) as crawl:
        assert crawl.run().end == "exhausted"
    assert_whole(snapshot, web)


@pytest.mark.parametrize("place", ["*/journal", "*.open", "*/captures.cdxj"])
def test_a_sync_that_fails_once_ends_the_crawl_and_the_next_run_recovers(
    snapshot: Snapshot, web: Web, place: str
) -> None:
    with prepared(snapshot, web) as crawl:
        # what is asked for afterwards would succeed, and must not be believed
        set_faults(f"sync-fails path={place} after=1 times=1")
        with pytest.raises(StorageError, match="could not sync") as told:
            crawl.run()
        assert "\n" not in str(told.value)
    assert not core_threads()
    set_faults("")
    with prepared(snapshot, web) as crawl:
        assert crawl.run().end == "exhausted"
    assert_whole(snapshot, web)
