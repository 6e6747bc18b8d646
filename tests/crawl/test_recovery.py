"""Crawls that end before their time, in every way, and go on."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import random
import shutil
import tracemalloc
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import webstrata as ws
from tests.crawl.killing import KILLED, Field, count_captures, lose_power
from tests.crawl.origin import Origin, prepare, tree
from webstrata._core import crawl as _core
from webstrata.archive.cdxj import Line
from webstrata.crawl import recovery
from webstrata.crawl.recovery import POINTS, can_go_on, recover
from webstrata.errors import ExistsError
from webstrata.store.pages import scan_captures

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Snapshot
    from webstrata.invitro import Web

QUICK = {"host_delay": 0, "ip_delay": 0, "resolve": False, "max_crawl_delay": 0, "file_size": 300_000}


@pytest.fixture(scope="module")
def web() -> Web:
    return ws.invitro.Web("tiny", seed=7)


def crawl(snapshot: Snapshot, web: Web, **settings: object) -> str:
    with web.serve(origins=True) as server:
        hosts = {name: (address, server.port) for name, address in server.addresses().items()}
        chosen = ws.CrawlSettings.read(options=QUICK | settings, environment={})
        return ws.Crawl(snapshot, chosen, seeds=web.home_pages(), hosts=hosts, parses=False).run().end


def begin(folder: Path, web: Web) -> Snapshot:
    """A crawl that ended after 60 pages, with its files as they are."""
    folder.mkdir(exist_ok=True)
    snapshot = ws.create(folder / "uk").add("2026-06")
    assert crawl(snapshot, web, max_pages=60) == "max_pages"
    return snapshot


def finish(snapshot: Snapshot, web: Web) -> None:
    """Let it go on, and compare it with the truth."""
    assert crawl(snapshot, web) == "exhausted"
    fresh = ws.open(snapshot.collection.path)[snapshot.date]
    assert list(fresh.urls) == list(web.graph(view="collection").urls)
    assert set(count_captures(fresh).values()) == {1}


def test_a_crawl_with_a_larger_limit_goes_on_and_stores_nothing_twice(tmp_path: Path, web: Web) -> None:
    snapshot = begin(tmp_path, web)
    first = count_captures(snapshot)
    assert crawl(snapshot, web, max_pages=61) == "max_pages"
    second = count_captures(ws.open(snapshot.collection.path)[snapshot.date])
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


def test_records_that_a_power_cut_left_as_zeros_are_fetched_again(tmp_path: Path, web: Web) -> None:
    snapshot = begin(tmp_path, web)
    folder = snapshot.working_folder("crawl")
    lines = (folder / "captures.cdxj").read_bytes().splitlines()
    middle = json.loads(lines[len(lines) // 2].split(b" ", 2)[2])
    path = folder / middle["filename"]
    data = bytearray(path.read_bytes())
    place = int(middle["offset"])
    data[place + 20 : place + 60] = bytes(40)
    path.unlink()  # not in place: the part has the same file
    path.write_bytes(data)
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    past = recover(copy)
    assert len(past.stored) == len(lines) // 2
    assert past.cut == len(lines) - len(past.stored)
    assert recover(copy).stored.tolist() == past.stored.tolist()
    finish(snapshot, web)


def write_past(folder: Path, number: int) -> Path:
    """The files of a crawl with so many captures and no checkpoint; the records are of one byte each."""
    folder.mkdir()
    urls = [f"http://a.test/{place}".encode() for place in range(number)]
    hashes = _core.hash_records(b"".join(urls), np.cumsum([len(url) for url in urls], dtype=np.uint64))
    content = random.Random(7).randbytes(number)
    sums = _core.hash_records(content, np.arange(1, number + 1, dtype=np.uint64))
    frames = [
        b"\2" + url.to_bytes(8, "little") + each.to_bytes(8, "little")
        for url, each in zip(hashes.tolist(), sums.tolist(), strict=True)
    ]
    checks = _core.hash_records(b"".join(frames), np.arange(17, 17 * number + 1, 17, dtype=np.uint64))
    with (folder / "journal").open("wb") as journal:
        for frame, check in zip(frames, checks.tolist(), strict=True):
            journal.write(len(frame).to_bytes(4, "little") + check.to_bytes(8, "little")[:4] + frame)
    name = "uk-2026-06-00000.warc.gz"
    (folder / f"{name}.open").write_bytes(content)
    common: dict[str, Any] = {
        "date": 10**18,
        "mime": "text/html",
        "status": 200,
        "filename": name,
        "length": 1,
    }
    with (folder / "captures.cdxj").open("wb") as lines:
        for place, url in enumerate(urls):
            digest = hashlib.sha1(url).digest()
            line = Line(url=url.decode(), digest=digest, offset=place, fingerprint=place, **common)
            lines.write(line.to_bytes())
    return folder


def test_going_on_holds_some_tens_of_bytes_for_a_capture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recovery, "scan_captures", partial(scan_captures, block=1 << 14))
    for number in (1, 2500):  # the first time, some of it is for loading
        folder = write_past(tmp_path / str(number), number)
        tracemalloc.start()
        past = recover(folder)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert (len(past.stored), len(past.known), past.pages) == (
            number,
            number,
            [("http://a.test", number)],
        )
        assert past.cut == 0
        for place, (digest, fingerprint, url, date) in enumerate(past.known):
            assert (fingerprint, url, date) == (place, f"http://a.test/{place}", 10**18)
            assert digest == hashlib.sha1(url.encode()).digest()
    # files are copied by the mebibyte; lists of all lines and rows would take some 2000 for each
    assert peak < (2 << 20) + 150 * number


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (b"{", b""),
        (b'"url": ', b'"address": '),
        (b'"status": "200"', b'"status": "no"'),
        (b'"offset": "5"', b'"offset": "-1"'),
        (b'"digest": "', b'"digest": "0'),
    ],
)
def test_a_line_that_says_too_little_ends_the_lines(tmp_path: Path, was: bytes, now: bytes) -> None:
    folder = write_past(tmp_path / "crawl", 9)
    lines = (folder / "captures.cdxj").read_bytes().splitlines(keepends=True)
    assert was in lines[5]
    lines[5] = lines[5].replace(was, now)
    (folder / "captures.cdxj").write_bytes(b"".join(lines))
    past = recover(folder)
    assert (len(past.stored), past.cut) == (5, 4)
    assert (folder / "captures.cdxj").read_bytes() == b"".join(lines[:5])
    assert (folder / "uk-2026-06-00000.warc.gz").stat().st_size == 5


def test_who_comes_back_at_once_waits_as_between_any_two_visits(tmp_path: Path) -> None:
    with Origin() as origin:
        tree(origin, size=15)
        how = {"hosts": {"a.test": origin.at()}, "parses": False}
        job = prepare(tmp_path, ["http://a.test/"], how, host_delay=0.5, max_pages=1)
        job.run()
        before = max(request.ended for request in origin.requests)
        number = len(origin.requests)
        job.settings = dataclasses.replace(job.settings, max_pages=2)
        assert job.run().pages == 2
        assert origin.requests[number].opened - before >= 0.5


def test_a_crawl_without_a_journal_begins_anew(tmp_path: Path, web: Web) -> None:
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    assert crawl(snapshot, web, max_pages=20, checkpoint=0) == "max_pages"
    assert not can_go_on(snapshot)
    # one that has a journal keeps it, whatever is said later
    other = begin(tmp_path / "other", web)
    assert crawl(other, web, max_pages=70, checkpoint=0) == "max_pages"
    finish(other, web)


# ---- kill -9, and worse


def test_kill_9_costs_nothing(tmp_path: Path) -> None:
    web = ws.invitro.Web("small", seed=7, pages=800)
    with Field(tmp_path, web) as field:
        for moment in (0.2, 0.4):
            # with so long a delay no machine comes to the end before that
            assert field.run(kill_after=moment, host_delay=0.1)[0] == KILLED
        status, said = field.run()
        assert status == 0
        assert "Resuming with" in said
        field.assert_whole()
    assert field.find_rudeness() == {}


def test_a_power_cut_at_every_point_costs_nothing(tmp_path: Path, web: Web) -> None:
    draw = random.Random(7)
    with Field(tmp_path, web) as field:
        # the sieve merges most while there is most to find
        for number, point in enumerate(reversed(POINTS)):
            plan = f"{field.tracing}; crash at={point} after={number % 3}"
            # not too fast, for a disk on which each checkpoint takes its time
            status, said = field.run(plan, checkpoint=0.02, sieve=20, host_delay=0.01)
            assert status == KILLED, f"no crawl passes {point}: {said}"
            known = field.known(at_checkpoint=True)
            lose_power(field.trace, draw, worst=number % 2 == 0)
            assert known <= field.known()
        assert field.run()[0] == 0
        field.assert_whole()
    assert field.find_rudeness() == {}
