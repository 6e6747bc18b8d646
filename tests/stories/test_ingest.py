"""`webstrata ingest`, as typed."""

from __future__ import annotations

import gzip
import json
import random
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.conftest import command_path
from tests.store.repositories import make_repository
from tests.store.wikipedia.dumps import make_wiki, write_export, write_tables
from tests.stories.conftest import assert_refused, picture
from webstrata.archive.warc import Capture, WarcWriter

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stories.conftest import Command


def write(folder: Path, number: int, size: int = 100) -> None:
    with WarcWriter(folder, "in", compression="none") as writer:
        for n in range(number):
            body = f"<html>{n} {'x' * size}".encode()
            writer.write(Capture(url=f"http://a.uk/{n}", date=10**18, head=b"HTTP/1.1 200 OK", body=body))


def test_a_crawl_that_is_ingested_has_the_same_pages(webstrata: Command, tmp_path: Path) -> None:
    webstrata("new", "uk")
    crawled = webstrata("crawl", "uk", "2026-06", "--invitro", "tiny")
    assert crawled.returncode == 0, crawled.stderr
    done = webstrata("ingest", "uk", "2026-07", "uk/snapshots/2026-06/warc/")
    assert (done.returncode, done.stderr) == (0, "")
    assert "the snapshot has" in done.stdout
    uk = ws.open(tmp_path / "uk")
    one, two = (uk[label] for label in uk.dates)
    assert list(one.urls) == list(two.urls)
    columns = ["url", "content_digest", "fingerprint", "content_mime_type", "fetch_time"]
    assert one.pages.table(*columns) == two.pages.table(*columns)
    shown = json.loads(webstrata("show", "uk", "2026-07", "--json").stdout)["snapshots"][0]["parts"]
    assert {part["renew"] for part in shown if part["name"] not in ("text", "links", "anchors")} == {
        "webstrata ingest uk 2026-07 uk/snapshots/2026-06/warc --again"
    }
    assert webstrata("check", "uk").returncode == 0


def test_json_is_one_document_with_what_was_left_out(
    webstrata: Command, test_data: Path, tmp_path: Path
) -> None:
    webstrata("new", "uk")
    record = b"WARC/1.1\r\nWARC-Type: conversion\r\nContent-Length: 1\r\n\r\n!\r\n\r\n"
    (tmp_path / "text.warc").write_bytes(record)
    files = [
        str(test_data / "warc/warcio" / name) for name in ("bad.arc", "example.warc.gz", "post-test.warc.gz")
    ]
    done = webstrata("ingest", "uk", "2014", *files, "text.warc", "--json")
    document = json.loads(done.stdout)
    assert (document["files"], document["damaged"]) == (4, 3)
    assert document["kept"]["a record of kind conversion"] == 1
    assert document["damage"][1]["offset"] == 134
    assert webstrata("ingest", "uk", "2015", *files).stdout.count("damaged: ") == 3


@pytest.mark.parametrize(
    ("words", "pattern"),
    [
        (["uk", "2026-06"], "name files of pages, a dump with --wikipedia, or links with --wikilinks"),
        (["uk", "2026-06", "gone.warc"], "gone.warc: this is not there; name a file"),
        (
            ["uk", "2026-06", "notes.txt"],
            "notes.txt: this is none of WARC 0.9, WARC, .*sitemap, MediaWiki export, HTML; name",
        ),
        (["uk", "2026-06", "pages"], "pages: nobody knows what URLs.*--base-url"),
        (["uk", "2026-06", "pages", "--base-url", "x"], "'x': not an absolute URL"),
        (["uk", "2026-06", "empty.warc"], "empty.warc: there are 0 records.*name other files"),
        (["uk", "June", "pages"], "snapshot 'June': not a date"),
        (["uk", "2026-06", "pages", "--add", "--again"], "choose one"),
        (["no", "2026-06", "pages"], "no: no such collection"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_sentence(
    webstrata: Command, tmp_path: Path, words: list[str], pattern: str
) -> None:
    webstrata("new", "uk", "2026-06")
    (tmp_path / "notes.txt").write_text("not a page")
    (tmp_path / "empty.warc").touch()
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.html").write_text("<p>")
    before = picture(tmp_path / "uk")
    assert_refused(webstrata("ingest", *words), pattern)
    assert picture(tmp_path / "uk") == before


def test_a_snapshot_with_captures_is_left_alone_unless_told(webstrata: Command, tmp_path: Path) -> None:
    webstrata("new", "uk")
    write(tmp_path, 3)
    words = ["ingest", "uk", "2026-06", "in-00000.warc"]
    assert webstrata(*words).returncode == 0
    assert_refused(webstrata(*words), "has captures already; choose another one, add to them with --add")
    assert "already       3" in webstrata(*words, "--add").stdout
    assert webstrata(*words, "--again").returncode == 0


def test_ctrl_c_ends_it_and_nothing_stays(webstrata: Command, tmp_path: Path) -> None:
    webstrata("new", "uk", "2026-06")
    write(tmp_path, 4000, 20_000)
    before = picture(tmp_path / "uk")
    with subprocess.Popen(
        [command_path(), "ingest", "uk", "2026-06", "in-00000.warc"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        while not (tmp_path / "uk/snapshots/2026-06/ingest/captures.cdxj").exists():
            assert running.poll() is None
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        _, told = running.communicate(timeout=120)
    assert running.returncode == 130
    assert told == "webstrata: interrupted; run the same command to resume\n"
    assert picture(tmp_path / "uk") == before


def test_a_full_disk_is_told_and_leaves_the_snapshot_as_it_was(webstrata: Command, tmp_path: Path) -> None:
    webstrata("new", "uk")
    write(tmp_path, 30)
    assert webstrata("ingest", "uk", "2026-06", "in-00000.warc").returncode == 0
    before = picture(tmp_path / "uk")
    done = webstrata("ingest", "uk", "2026-06", "in-00000.warc", "--again", faults="no-space")
    assert_refused(done, "no space left")
    assert picture(tmp_path / "uk") == before


def test_after_kill_9_the_same_command_does_it(webstrata: Command, tmp_path: Path) -> None:
    webstrata("new", "uk")
    write(tmp_path, 2000, 20_000)
    words = ["ingest", "uk", "2001-09", "in-00000.warc"]
    with subprocess.Popen([command_path(), *words], cwd=tmp_path, stderr=subprocess.PIPE) as running:
        while not (tmp_path / "uk/snapshots/2001-09/ingest/captures.cdxj").exists():
            assert running.poll() is None
            time.sleep(0.01)
        running.kill()
    assert webstrata("check", "uk").returncode == 0
    done = webstrata(*words, "--json")
    assert json.loads(done.stdout)["captures"] == 2000, done.stderr
    assert not (tmp_path / "uk/snapshots/2001-09/ingest").exists()


def test_after_kill_9_it_goes_on_at_the_file_where_it_was(webstrata: Command, tmp_path: Path) -> None:
    webstrata("new", "uk")
    files = []
    for number in range(3):
        with WarcWriter(tmp_path, f"in{number}") as writer:
            for n in range(10):
                body = b"<html>" + random.Random(number * 10 + n % 9).randbytes(40_000).hex().encode()
                url = f"http://a.uk/{number}/{n}"
                writer.write(Capture(url=url, date=10**18 + n, head=b"HTTP/1.1 200 OK", body=body))
        files.append(f"in{number}-00000.warc.gz")
    words = ["ingest", "uk", "--json", *files]
    whole = json.loads(webstrata(*words[:2], "2001", *words[2:]).stdout)
    kills = ("ingest.file-read after=1", "shard.done")
    for month, point in enumerate(kills, 1):
        label = f"2001-{month:02}"
        assert webstrata(*words[:2], label, *words[2:], faults=f"crash at={point}").returncode == -9
        done = webstrata(*words[:2], label, *words[2:])
        found = json.loads(done.stdout)
        assert f"{2 if month == 1 else 3} of 3 files were read before" in done.stderr
        for name in ("captures", "records", "duplicates", "repeated", "pages"):
            assert found[name] == whole[name], (point, name)
        assert not (tmp_path / f"uk/snapshots/{label}/ingest").exists()
    assert webstrata("check", "uk").returncode == 0
    uk = ws.open(tmp_path / "uk")
    for snapshot in uk:
        assert snapshot.pages.table("url", "content_digest") == uk["2001"].pages.table(
            "url", "content_digest"
        )


def test_a_bomb_costs_no_memory_and_no_good_record(webstrata: Command, tmp_path: Path) -> None:
    head = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.uk/\r\n"
    webstrata("new", "uk")
    write(tmp_path, 1)
    with gzip.open(tmp_path / "bomb.warc.gz", "wb", compresslevel=1) as out:
        out.write(head + b"Content-Length: 3000000000\r\n\r\nHTTP/1.1 200 OK\r\n\r\n")
        for _ in range(300):
            out.write(bytes(1 << 20))
    with (tmp_path / "bomb.warc.gz").open("ab") as out:
        out.write(gzip.compress((tmp_path / "in-00000.warc").read_bytes()))
    program = (
        "import re, sys; from pathlib import Path; from webstrata.cli import run; run(sys.argv[1:]); "
        "print(re.search(r'VmHWM:\\s*(\\d+)', Path('/proc/self/status').read_text())[1], file=sys.stderr)"
    )
    words = [sys.executable, "-c", program, "ingest", "uk", "2001", "bomb.warc.gz", "--json"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False, text=True)
    document = json.loads(done.stdout)
    assert (document["captures"], document["damaged"]) == (1, 1), done.stderr
    # the program itself, and what there is once; not what the record says that there is
    assert int(done.stderr.splitlines()[-1]) << 10 < 700 << 20


def test_a_dump_of_wikipedia_becomes_a_graph_or_pages_with_text(webstrata: Command, tmp_path: Path) -> None:
    pages = make_wiki(6, 20)
    write_tables(tmp_path / "tables", pages, schema="new")
    (tmp_path / "text").mkdir()
    write_export(tmp_path / "text" / "simplewiki-20090810-pages-articles.xml.bz2", pages)
    webstrata("new", "wiki")
    done = webstrata("ingest", "wiki", "2009-08", "--wikipedia", "tables", "--redirects", "eliminate")
    assert (done.returncode, done.stderr) == (0, "")
    assert "links, and no text.\n" in done.stdout
    done = webstrata("graph", "build", "wiki", "2009-08", "--json")
    assert json.loads(done.stdout)["nodes"] == sum(not page.redirect for page in pages if page.namespace == 0)
    assert_refused(webstrata("get", "wiki", "https://simple.wikipedia.org/wiki/1987"), "links and no text")
    assert_refused(webstrata("ls", "wiki", "simple.wikipedia.org", "--host"), "links and no text")
    assert_refused(webstrata("summaries", "build", "wiki", "2009-08"), "no part text")
    done = webstrata("ingest", "wiki", "2009-09", "--wikipedia", "text", "--json")
    assert json.loads(done.stdout)["left_out"] == {"a page of another namespace": 5}
    shown = webstrata("get", "wiki", "https://simple.wikipedia.org/wiki/1987", "--text")
    assert shown.stdout.startswith("1987\n1987 is a page.\n")
    parts = json.loads(webstrata("show", "wiki", "2009-08", "--json").stdout)["snapshots"][0]["parts"]
    assert {part["renew"] for part in parts if part["name"] != "graph"} == {
        "webstrata ingest wiki 2009-08 --again --wikipedia tables --redirects eliminate"
    }
    assert webstrata("check", "wiki").returncode == 0


def test_a_dump_that_cannot_be_taken_makes_no_snapshot(webstrata: Command, tmp_path: Path) -> None:
    write_tables(tmp_path / "tables", make_wiki(6, 8))
    webstrata("new", "wiki")
    for words, sentence in (
        ("--wikipedia none", "none: this is not there; name the folder of a dump"),
        ("--wikipedia tables pages/", "a dump with --wikipedia, or links with --wikilinks; one of them"),
        ("pages/ --redirects resolve", "--redirects is said of a dump; name one with --wikipedia"),
        ("--wikipedia tables --namespaces 0,99", "nobody knows what namespace 99 of"),
        ("--wikipedia tables --at August", "at is August, and must be a date such as 2009"),
        ("--wikipedia tables --source text", "there is no pages-articles.xml.bz2 here"),
    ):
        assert_refused(webstrata("ingest", "wiki", "2009-08", *words.split()), sentence)
    assert ws.open(tmp_path / "wiki").dates == []


def test_the_history_of_a_site_becomes_snapshots(webstrata: Command, tmp_path: Path) -> None:
    make_repository(
        tmp_path / "site",
        [("2026-01-10", {"content/index.html": "<p>Home"}), ("2026-02-10", {"content/a.html": "<p>A"})],
    )
    assert webstrata("new", "uk").returncode == 0
    words = ("ingest", "uk", "--git", "site", "--root", "content", "--host", "example.org")
    done = webstrata(*words, "--at", "2026-01-31,2026-02-28")
    assert done.returncode == 0
    assert done.stdout.startswith("uk: 2 snapshots made in ")
    assert [line.split()[0] for line in done.stdout.splitlines()[1:]] == [
        "snapshot",
        "2026-01-31",
        "2026-02-28",
    ]
    again = json.loads(webstrata(*words, "--at", "2026-01-31,2026-02-28", "--json").stdout)
    assert [each["result"] for each in again["snapshots"]] == [None, None]
    assert_refused(webstrata(*words), "--at is missing; --git needs the host")
    assert_refused(webstrata(*words, "2026-05", "--at", "2026-05"), "leave out SNAPSHOT")
    assert_refused(
        webstrata("ingest", "uk", "2026-05", "site", "--host", "example.org"), "--host needs --git"
    )
    assert_refused(webstrata("ingest", "uk"), "SNAPSHOT is missing")
    assert_refused(webstrata(*words, "--at", "2025"), "no commit of HEAD at or before 2025-12-31T23:59Z")
    assert sorted(path.name for path in (tmp_path / "uk" / "snapshots").iterdir()) == [
        "2026-01-31",
        "2026-02-28",
    ]
