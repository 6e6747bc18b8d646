"""Payloads of earlier snapshots: stored once, asked for on condition, found by every reader and export."""

from __future__ import annotations

import gzip
import json
import random
import zipfile
from collections import Counter
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
import pytest

import webstrata as ws
from tests.crawl.killing import KILLED, Field
from tests.crawl.origin import QUICK, Crawled, Origin, page, read, reply
from webstrata.archive.warc import read_records
from webstrata.crawl.earlier import SortedRows
from webstrata.crawl.run import Crawl
from webstrata.crawl.settings import CrawlSettings
from webstrata.errors import UsageError
from webstrata.store.export import export

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Collection

DATE = "Last-Modified: Mon, 01 Jun 2026 00:00:00 GMT"
LONG = "words that make a page long enough, " * 40


def crawl_into(collection: Collection, label: str, origin: Origin, **settings: Any) -> Crawled:  # noqa: ANN401
    snapshot = collection.add(label)
    hosts = dict.fromkeys(("a.test", "b.test"), origin.at())
    job = Crawl(snapshot, CrawlSettings(**(QUICK | settings)), seeds=["http://a.test/"], hosts=hosts)
    with patch("webstrata.crawl.run._PERIOD", 0.01):
        return read(collection[label], job.run())


def say_site(origin: Origin, *, changed: str = "") -> None:
    origin.say("/robots.txt", reply("User-agent: *\nDisallow: /no\n", kind="text/plain"))
    for path, links in (("/", ("/one", "/two")), ("/one", ("/three",)), ("/two", ()), ("/three", ())):
        text = f"{path} {LONG}" + ("changed" if path == changed else "")
        body = page(text, *links).replace(b"</title>", b"</title><img src=/a.png><link rel=icon href=/i.png>")
        origin.say(path, reply(body, 'ETag: "x"', DATE))
    for name in ("a", "i"):
        origin.say(f"/{name}.png", reply(name * 5000, kind="image/png"))


def crawl_twice(folder: Path, **settings: Any) -> tuple[Collection, list[Crawled]]:  # noqa: ANN401
    collection = ws.create(folder / "uk")
    with Origin() as origin:
        say_site(origin)
        found = [crawl_into(collection, "2026-06", origin, resources=True, **settings)]
        say_site(origin, changed="/two")
        found += [crawl_into(collection, "2026-07", origin, resources=True, **settings)]
    return collection, found


def kinds(found: Crawled) -> dict[str, str]:
    return {
        record["WARC-Target-URI"].removeprefix("http://a.test"): record.kind
        for record in found.records
        if record.kind in ("response", "revisit")
    }


def test_a_payload_of_an_earlier_snapshot_becomes_a_revisit_record(tmp_path: Path) -> None:
    collection, (first, second) = crawl_twice(tmp_path)
    assert set(kinds(first).values()) == {"response"}
    told = kinds(second)
    assert {path for path, kind in told.items() if kind == "response"} == {"/two"}
    assert told["/robots.txt"] == told["/a.png"] == told["/"] == "revisit"
    one, before = second.capture("http://a.test/one"), first.capture("http://a.test/one")
    assert one["WARC-Profile"].endswith("/identical-payload-digest")
    assert one["WARC-Refers-To-Target-URI"] == "http://a.test/one"
    assert one["WARC-Refers-To-Date"] == before["WARC-Date"]
    assert one["WARC-Payload-Digest"] == before["WARC-Payload-Digest"]
    assert b'ETag: "x"' in one.head
    assert "duplicate-of" not in second.lines["http://a.test/one"]
    assert (second["pages"], second["duplicates"]) == (first["pages"], first["duplicates"]) == (4, 0)
    july = collection["2026-07"]
    assert list(july.urls) == list(collection["2026-06"].urls)
    for node, url in enumerate(july.urls):
        text = str(url).removeprefix("http://a.test") + " " + LONG
        assert text.strip() in july.text[node].text
        assert text.encode().strip() in july.capture(url).payload
    assert july.capture("http://a.test/a.png").payload == b"a" * 5000
    home = july.urls.node("http://a.test/")
    assert home is not None
    assert len(july.links[home]) == len(first.snapshot.links[home])


def test_a_crawl_that_resumes_finds_the_payloads_of_earlier_snapshots(tmp_path: Path) -> None:
    collection = ws.create(tmp_path / "uk")
    with Origin() as origin:
        say_site(origin)
        first = crawl_into(collection, "2026-06", origin, resources=True)
        half = crawl_into(collection, "2026-07", origin, resources=True, max_pages=2, fetchers=1)
        whole = crawl_into(collection, "2026-07", origin, resources=True)
    assert (half.result.end, whole.result.end) == ("max_pages", "exhausted")  # type: ignore[union-attr]
    assert whole.stored == first.stored
    assert set(kinds(whole).values()) == {"revisit"}
    assert list(collection["2026-07"].urls) == list(collection["2026-06"].urls)


@pytest.mark.slow
def test_a_crawl_of_an_unchanged_web_that_is_killed_stores_each_payload_once(tmp_path: Path) -> None:
    draw = random.Random(1)
    with Field(tmp_path, ws.invitro.Web("small", seed=7, pages=1_000)) as field:
        field.label = "2026-05"
        assert field.run()[0] == 0
        field.assert_whole()
        field.label = "2026-06"
        ends: list[int] = []
        while 0 not in ends:
            status, said = field.run(kill_after=draw.uniform(0.05, 0.4) if len(ends) < 12 else None)
            assert status in (0, KILLED), said
            ends.append(status)
        assert len(ends) > 3
        field.assert_whole()
    collection = ws.open(tmp_path / "uk")
    stored, again, sizes = {}, Counter[str](), {}
    for label in ("2026-05", "2026-06"):
        with collection[label].open_part("warc") as part:
            records = [record for path in sorted(part.path.glob("*.gz")) for record in read_records(path)]
        pages = [record for record in records if record.head.split(b" ")[1:2] == [b"200"]]
        stored[label] = {each.get("WARC-Payload-Digest") for each in pages if each.kind == "response"}
        again[label] = sum(each.kind == "revisit" for each in pages)
        sizes[label] = part.record.bytes
    # responses other than 200 are stored each time: they are small
    assert not stored["2026-05"] & stored["2026-06"]
    assert again["2026-06"] > 0.9 * len(stored["2026-05"])
    assert sizes["2026-06"] < 0.5 * sizes["2026-05"]
    june = collection["2026-06"]
    for node in range(0, len(june.urls), 97):
        url = str(june.urls[node])
        assert june.capture(url).payload == collection["2026-05"].capture(url).payload


def test_a_setting_stores_everything_again(tmp_path: Path) -> None:
    _, (_, second) = crawl_twice(tmp_path, revisits=False)
    assert set(kinds(second).values()) == {"response"}


def test_what_several_pages_share_refers_to_the_one_record_that_holds_it(tmp_path: Path) -> None:
    collection = ws.create(tmp_path / "uk")
    same = reply(page(LONG))
    with Origin() as origin:
        origin.say("/", reply(page("home " + LONG, "/one", "/two")))
        for path in ("/one", "/two"):
            origin.say(path, same)
        first, second = (
            crawl_into(collection, label, origin, fetchers=1) for label in ("2026-06", "2026-07")
        )
    [original] = [record for record in first.captures if record["WARC-Target-URI"].endswith(("/one", "/two"))
                  and record.kind == "response"]  # fmt: skip
    for path in ("/one", "/two"):
        revisit = second.capture(f"http://a.test{path}")
        assert revisit["WARC-Refers-To-Target-URI"] == original["WARC-Target-URI"]
        assert revisit["WARC-Refers-To-Date"] == original["WARC-Date"]
    assert second["duplicates"] == first["duplicates"] == 1
    assert len(list(second.snapshot.urls)) == 3


@pytest.mark.parametrize(
    "how",
    [
        {},
        pytest.param({"compression": "zstd"}, marks=pytest.mark.long),
        pytest.param({"compression": "none"}, marks=pytest.mark.long),
    ],
)
def test_a_page_that_was_not_modified_keeps_its_payload_and_its_links(
    tmp_path: Path, how: dict[str, str]
) -> None:
    collection = ws.create(tmp_path / "uk")
    old, new = (reply(page(f"home {LONG} {word}", "/one"), 'ETag: "x"', DATE) for word in ("old", "new"))
    unmodified = b'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\nX-Own: header\r\n\r\n'
    with Origin() as origin:
        origin.say("/", old, unmodified, unmodified, new)
        origin.say("/one", reply(page("one " + LONG), DATE))
        labels = ("2026-05", "2026-06", "2026-07", "2026-08")
        found = [crawl_into(collection, label, origin, conditional=True, **how) for label in labels]
    asked = [request.headers for request in origin.requests if request.path == "/"]
    assert "if-none-match" not in asked[0]
    for headers in asked[1:]:
        assert headers["if-none-match"] == '"x"'
        assert headers["if-modified-since"] == "Mon, 01 Jun 2026 00:00:00 GMT"
    assert origin.paths() == ["/", "/one"] * 4
    for label, crawled in zip(labels[1:3], found[1:3], strict=True):
        home = crawled.capture("http://a.test/")
        assert (home.kind, home.status, home.body) == ("revisit", 304, b"")
        assert home["WARC-Profile"].endswith("/server-not-modified")
        assert home["WARC-Refers-To-Date"] == found[0].capture("http://a.test/")["WARC-Date"]
        assert home["WARC-Payload-Digest"] == found[0].capture("http://a.test/")["WARC-Payload-Digest"]
        assert b"X-Own: header" in home.head
        snapshot = collection[label]
        assert list(snapshot.urls) == ["http://a.test/", "http://a.test/one"]
        assert "old" in snapshot.text[0].text
        assert snapshot.capture("http://a.test/").payload == page(f"home {LONG} old", "/one")
        assert snapshot.capture("http://a.test/").status == 304
        assert crawled["pages"] == 2
    assert found[3].capture("http://a.test/").body == page(f"home {LONG} new", "/one")


def test_exports_contain_the_records_that_revisits_refer_to(tmp_path: Path) -> None:
    from fastwarc.warc import ArchiveIterator

    collection, (first, _) = crawl_twice(tmp_path)
    snapshot = collection["2026-07"]
    for name in ("july-warc", "july.warc.gz"):
        export(snapshot, "warc", tmp_path / name)
        target = tmp_path / name
        paths = sorted(target.iterdir()) if target.is_dir() else [target]
        needed, held = set(), set()
        for path in paths:
            with path.open("rb") as stream:
                for record in ArchiveIterator(stream, parse_http=False, verify_digests=True):
                    headers = dict(record.headers)
                    if headers["WARC-Type"] == "revisit":
                        needed.add((headers["WARC-Refers-To-Target-URI"], headers["WARC-Refers-To-Date"]))
                    elif headers["WARC-Type"] == "response":
                        held.add((headers["WARC-Target-URI"], headers["WARC-Date"]))
        assert needed
        assert needed <= held, name
    again = ws.create(tmp_path / "again").add("2026-07")
    from webstrata.store.ingest.run import ingest

    ingest(again, [tmp_path / "july.warc.gz"])
    assert again.capture("http://a.test/one").payload == first.capture("http://a.test/one").body
    export(snapshot, "wacz", tmp_path / "july.wacz")
    with zipfile.ZipFile(tmp_path / "july.wacz") as archive:
        lines = gzip.decompress(archive.read("indexes/index.cdx.gz")).splitlines()
        assert lines == sorted(lines)
        for line in lines:
            fields = json.loads(line.split(b" ", 2)[2])
            start, length = int(fields["offset"]), int(fields["length"])
            member = archive.read(f"archive/{fields['filename']}")[start : start + length]
            assert f"WARC-Target-URI: {fields['url']}\r\n".encode() in gzip.decompress(member)
        digests = {
            json.loads(line.split(b" ", 2)[2])["digest"] for line in lines if b"warc/revisit" not in line
        }
        assert {json.loads(line.split(b" ", 2)[2])["digest"] for line in lines} == digests
    for kind in ("trec", "wet"):
        export(snapshot, kind, tmp_path / f"july.{kind}")
        text = (tmp_path / f"july.{kind}").read_text("utf-8", "replace")
        assert all(f"{path} {LONG}".strip() in text for path in ("/one", "/two", "/three"))


def test_a_snapshot_that_later_ones_refer_to_is_not_crawled_again(tmp_path: Path) -> None:
    collection, _ = crawl_twice(tmp_path)
    with pytest.raises(UsageError, match="snapshot 2026-07 refers to payloads of this one"):
        Crawl(collection["2026-06"], CrawlSettings(**QUICK), seeds=["http://a.test/"]).run(again=True)
    assert collection["2026-07"].capture("http://a.test/one").payload


def test_robots_txt_is_a_capture_and_no_page(tmp_path: Path) -> None:
    collection = ws.create(tmp_path / "uk")
    with Origin() as origin:
        say_site(origin)
        found = crawl_into(collection, "2026-06", origin)
        without = crawl_into(collection, "2026-07", origin, store_robots=False, revisits=False)
    robots = "http://a.test/robots.txt"
    [record] = [
        record
        for record in found.records
        if record.kind == "response" and record["WARC-Target-URI"] == robots
    ]
    assert record.body == b"User-agent: *\nDisallow: /no\n"
    assert robots not in list(found.snapshot.urls)
    assert found.snapshot.capture(robots).payload == record.body
    assert robots not in {
        record["WARC-Target-URI"] for record in without.records if record.kind == "response"
    }
    assert found["pages"] == without["pages"] == 4


def test_rows_beyond_the_memory_are_sorted_part_by_part(tmp_path: Path) -> None:
    random = np.random.default_rng(7)
    rows = random.integers(0, 256, (5000, 32), dtype=np.uint8)
    rows[3000:3500, :20] = rows[:500, :20]
    rows[:, 20:] = np.arange(5000, dtype=np.uint32).repeat(3).view(np.uint8).reshape(-1, 12)
    for memory in (1 << 20, 10_000):
        out = SortedRows(tmp_path / "rows", 32, memory=memory)
        for start in range(0, 5000, 100):
            out.add(rows[start : start + 100])
        out.close()
        found = np.fromfile(tmp_path / "rows", np.uint8).reshape(-1, 32).tolist()
        first = {bytes(row[:20]): row for row in reversed(rows.tolist())}
        assert found == [first[key] for key in sorted(first)]
        assert [path.name for path in tmp_path.iterdir()] == ["rows"]


def test_a_second_crawl_of_an_unchanged_web_stores_no_page_again(tmp_path: Path) -> None:
    web, uk = ws.invitro.Web("tiny", seed=7), ws.create(tmp_path / "uk")
    stored: list[Counter[str]] = []
    for label in ("2026-06-01", "2026-06-02"):
        with web.serve(origins=True) as server:
            hosts = {name: (address, server.port) for name, address in server.addresses().items()}
            Crawl(uk.add(label), CrawlSettings(**QUICK), seeds=web.home_pages(), hosts=hosts).run()
        with uk[label].open_part("warc") as part:
            records = [each for path in part.path.glob("*.warc.gz") for each in read_records(path)]
        stored.append(Counter())
        for record in records:
            status = record.head[9:12].decode() if record.kind in ("response", "revisit") else ""
            stored[-1][f"{record.kind} {status}".strip()] += 1
            stored[-1]["payload bytes"] += len(record.payload) if record.kind == "response" else 0
    first, second = stored
    assert second["response 200"] == 0
    assert second["revisit 200"] == first["response 200"] + first["revisit 200"]
    # redirects and error pages are stored whole: a revisit record would take more
    assert second["payload bytes"] < 0.01 * first["payload bytes"]
