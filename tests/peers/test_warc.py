"""Other people's readers of WARC and CDXJ before files of ours: warcio, pywb with its package surt, jwarc."""

from __future__ import annotations

import json
import random
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.peers.installed import find_jwarc, find_peer, run
from webstrata.archive.cdxj import Entry, Line, build_cdxj, surt
from webstrata.archive.warc import Capture, Revisit, WarcWriter, read_records
from webstrata.errors import UrlError
from webstrata.web.url import normalize

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.peer

DAY = 86_400 * 10**9
START = 1_780_000_000_123_456_789
PAGE = "<html><title>Grüße</title>" + "<p>text" * 500


def make_captures() -> list[tuple[Capture, int, str]]:
    """Captures with their status and type: everything that a crawl may meet."""
    plain = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
    coded = plain + b"Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n"
    odd = plain + b"X: a\x00b\r\n folded\r\nno colon\r\nWeird\rName: 1\r\nSet-Cookie: caf\xe9\nLF: only\r\n"
    body = PAGE.encode()

    def make(path: str, head: bytes, body: bytes, **more: object) -> Capture:
        url = f"http://www.example.org/{path}"
        request = f"GET /{path} HTTP/1.1\r\nHost: www.example.org\r\n\r\n".encode()
        facts = {"url": url, "date": START, "ip": "192.0.2.1", "protocols": ["http/1.1"], "request": request}
        return Capture(head=head + b"\r\n", body=body, metadata=[("via", "http://a/")], **(facts | more))  # type: ignore[arg-type]

    same = Revisit("identical-digest", "http://www.example.org/", START)
    return [
        (make("", plain + b"Content-Length: %d\r\n" % len(body), body), 200, "text/html"),
        (make("coded?b=2&a=1", coded, body + b"1", decoded=True), 200, "text/html"),
        (make("odd", odd, body + b"2"), 200, "text/html"),
        (make("cut", plain, body[:99], truncated="length"), 200, "text/html"),
        (make("moved", b"HTTP/1.1 301 Moved\r\nLocation: /\r\n", b""), 301, "unk"),
        (make("gone", b"HTTP/1.1 404\r\nContent-Type: text/plain\r\n", b"no"), 404, "text/plain"),
        (make("again", plain, body, date=START + DAY, revisit=same), 200, "warc/revisit"),
        (make("tls", plain, b"3", protocols=["http/1.1", "tls/1.3"], cipher="TLS_AES"), 200, "text/html"),
    ]


@pytest.fixture
def archive(tmp_path: Path) -> tuple[Path, list[bytes]]:
    """A file of ours, and the lines of its index."""
    lines = []
    with WarcWriter(tmp_path, "peer", fields={"software": "webstrata", "robots": "obey"}) as writer:
        for capture, status, mime in make_captures():
            line = Line(
                url=capture.url,
                date=capture.date,
                mime=mime,
                status=status,
                digest=capture.digest,
                **writer.write(capture)._asdict(),
            )
            lines.append(line.to_bytes())
    return tmp_path / "peer-00000.warc.gz", sorted(lines)


def test_warcio_checks_it_without_an_error(archive: tuple[Path, list[bytes]]) -> None:
    told = run(find_peer("warcio"), "check", "-v", str(archive[0]))
    assert "digest pass" in told
    assert "fail" not in told


def test_pywb_makes_the_same_index(archive: tuple[Path, list[bytes]]) -> None:
    path, lines = archive
    told = run(find_peer("cdx-indexer"), "-j", "-s", str(path))
    theirs = [Entry.parse(line.encode()) for line in told.splitlines()]
    ours = [Entry.parse(line) for line in lines]
    assert [(entry.key, entry.timestamp) for entry in theirs] == [(e.key, e.timestamp) for e in ours]
    for our, their in zip(ours, theirs, strict=True):
        # of a revisit pywb tells no status
        common = {name: value for name, value in our.fields.items() if name in their.fields}
        assert common == their.fields
        assert set(our.fields) - set(their.fields) <= {"status"}


def test_fastwarc_of_the_peers_verifies_every_digest(archive: tuple[Path, list[bytes]]) -> None:
    told = run(find_peer("fastwarc"), "check", str(archive[0]))
    assert f"{1 + 3 * len(make_captures())} records were verified successfully" in told


# ---- replay


@contextmanager
def serving_pywb(wayback: str, folder: Path) -> Iterator[str]:
    """The address of the collection `uk` of a pywb that is run in a folder."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = (folder / "pywb.log").open("wb")
    server = subprocess.Popen(
        [wayback, "-p", str(port), "-b", "127.0.0.1"], cwd=folder, stdout=log, stderr=subprocess.STDOUT
    )
    address = f"http://127.0.0.1:{port}/uk"
    try:
        for _ in range(600):
            try:
                ask(address + "/cdx?url=example.org")
                break
            except OSError:
                assert server.poll() is None, (folder / "pywb.log").read_text()[-2000:]
                time.sleep(0.1)
        yield address
    finally:
        server.terminate()
        server.wait(30)
        log.close()


@pytest.fixture
def replay(archive: tuple[Path, list[bytes]], tmp_path: Path) -> Iterator[str]:
    """The address of a pywb that has the file, and our index of it in place of its own."""
    wayback = find_peer("wayback")
    folder = tmp_path / "pywb"
    for name in ("archive", "indexes"):
        (folder / "collections" / "uk" / name).mkdir(parents=True)
    shutil.copy(archive[0], folder / "collections" / "uk" / "archive")
    (tmp_path / "captures.cdxj").write_bytes(b"".join(archive[1]))
    build_cdxj(tmp_path / "captures.cdxj", folder / "collections" / "uk" / "indexes", block_lines=2)
    with serving_pywb(wayback, folder) as address:
        yield address


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *words: object) -> None:
        """Redirects are answers to look at."""


def ask(url: str) -> tuple[int, bytes]:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _Stay)
    try:
        with opener.open(url, timeout=20) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def test_pywb_replays_every_page_by_our_index(replay: str, archive: tuple[Path, list[bytes]]) -> None:
    for capture, status, _ in make_captures():
        if capture.truncated:
            continue
        stamp = "20260529202640" if capture.revisit else "20260528202640"
        assert ask(f"{replay}/{stamp}id_/{capture.url}") == (status, capture.body), capture.url
    status, told = ask(f"{replay}/cdx?url=example.org&matchType=domain")
    assert status == 200
    keys = [line.split(b" ")[0] for line in told.splitlines()]
    assert keys == [line.split(b" ")[0] for line in archive[1]]


# ---- keys

KEYS = """
import json, sys
from pywb.utils.canonicalize import canonicalize
print(json.dumps([canonicalize(url) for url in json.load(sys.stdin)]))
"""


def test_keys_are_those_of_pywb_for_odd_urls() -> None:
    python = find_peer("python", "pywb")
    draw = random.Random(5)
    pieces = [
        "a", "B", "/", "//", "..", ".", "%2e", "%252E", "%25", "%", "%3F", "?", "&", "=", ";", "é", "%C3%A9",
        "+", " ", "[", "|", "~", "'", '"', "#", ",", "@", "!", "$", "%00", "%0A", "\\", "(", ")", ".aspx",
        "sid=", "jsessionid=", "PHPSESSID=", "0123456789abcdefABCDEF0123456789", "cfid=1&cftoken=2",
        "(S(4hqa0555fwsecu455xqckv45))/", "(4hqa0555fwsecu455xqckv45)/", "ASPSESSIONIDabcdefgh=",
        "abcdefghijklmnopqrstuvwx",
    ]  # fmt: skip
    hosts = [
        "www.a.org",
        "www2.B.org",
        "a.org:8080",
        "[::1]:81",
        "127.0.0.1",
        "a.org.",
        "www.com",
        "x_y.a-b.org",
    ]
    urls: list[str] = []
    while len(urls) < 5000:
        text = "".join(draw.choices(pieces, k=draw.randrange(9)))
        try:
            urls.append(normalize(f"{draw.choice(['http', 'https'])}://{draw.choice(hosts)}/{text}"))
        except UrlError:
            continue
    theirs = json.loads(run(python, "-c", KEYS, stdin=json.dumps(urls)))
    different = {url: (surt(url), key) for url, key in zip(urls, theirs, strict=True) if surt(url) != key}
    assert different == {}


# ---- jwarc


def test_jwarc_validates_it_and_finds_every_record(archive: tuple[Path, list[bytes]]) -> None:
    jar = find_jwarc()
    tool = ("java", "-cp", jar, "org.netpreserve.jwarc.tools.WarcTool")
    told = run(*tool, "validate", "-v", str(archive[0]))
    assert "fail" not in told.lower()
    assert told.count("block digest pass") == 1 + 3 * len(make_captures())
    assert told.count("payload digest pass") == len(make_captures()) - 1  # a revisit has no payload
    listed = run(*tool, "ls", str(archive[0]))
    assert len(listed.splitlines()) == 1 + 3 * len(make_captures())
    rows = [line.split() for line in run(*tool, "cdx", str(archive[0])).splitlines()[1:]]
    theirs = sorted((row[0], row[1], row[2], row[4], row[5], row[8], row[9], row[10]) for row in rows)
    names = ("url", "status", "digest", "length", "offset", "filename")
    entries = [Entry.parse(line) for line in archive[1]]
    assert theirs == [(e.key, e.timestamp, *(e.fields[name] for name in names)) for e in entries]


# ---- hostile servers


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A file of 500 answers of servers that send anything."""
    draw = random.Random(11)
    pieces = [
        b"\r\n", b"\n", b"\r", b"\r\n\r\n", b"\0", b"\x85", b"\xc2\x85", b"\xe2\x80\xa8", b"\t", b"\xff",
        b"HTTP/1.1 200 OK", b"HTTP/1.1 204", b"HTTP/9 abc", b"Content-Length: 3", b"Content-Encoding: gzip",
        b"Transfer-Encoding: chunked", b"WARC/1.1\r\nWARC-Type: response\r\n", b"Content-Type: text/html",
        b"A: b", b"Location: \x01", b"x" * 300,
    ]  # fmt: skip
    with WarcWriter(tmp_path, "hostile") as writer:
        for number in range(500):
            head, body = (b"".join(draw.choices(pieces, k=draw.randrange(14))) for _ in range(2))
            start = draw.choice([b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.0 500 \xe9\r\n"])
            writer.write(Capture(url=f"http://a.org/{number}", date=START, head=start + head, body=body))
    return tmp_path / "hostile-00000.warc.gz"


def test_warcio_finds_no_error_among_hostile_answers(hostile: Path) -> None:
    told = run(find_peer("warcio"), "check", "-v", str(hostile))
    assert told.count("digest pass") == 501
    assert "fail" not in told


def test_jwarc_finds_no_error_among_hostile_answers(hostile: Path) -> None:
    told = run(
        "java", "-cp", find_jwarc(), "org.netpreserve.jwarc.tools.WarcTool", "validate", "-v", str(hostile)
    )
    assert told.count("block digest pass") == 501
    assert told.count("payload digest pass") == 500
    assert "fail" not in told.lower()


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The WARC files of a crawl of the in-vitro web."""
    import webstrata as ws

    folder = tmp_path_factory.mktemp("crawled")
    web = ws.invitro.Web("tiny", seed=7)
    snapshot = ws.create(folder / "uk").add("2026-06")
    settings = ws.CrawlSettings(host_delay=0, ip_delay=0, resolve=False, max_crawl_delay=0, file_size=300_000)
    with web.serve(origins=True) as server:
        hosts = {name: (address, server.port) for name, address in server.addresses().items()}
        ws.Crawl(snapshot, settings, seeds=web.home_pages(), hosts=hosts).run()
    part = snapshot.open_part("warc")
    files = folder / "files"
    shutil.copytree(part.path, files)
    part.close()
    return files


def test_warcio_finds_no_fault_in_the_files_of_a_crawl(crawled: Path) -> None:
    files = sorted(map(str, crawled.glob("*.warc.gz")))
    assert len(files) > 2
    assert "fail" not in run(find_peer("warcio"), "check", "-v", *files).lower()


def test_jwarc_finds_no_fault_in_the_files_of_a_crawl(crawled: Path) -> None:
    tool = ("java", "-cp", find_jwarc(), "org.netpreserve.jwarc.tools.WarcTool", "validate", "-v")
    told = run(*tool, *sorted(map(str, crawled.glob("*.warc.gz"))))
    assert told.count("digest pass") > 600
    assert "fail" not in told.lower()


def test_pywb_indexes_every_capture_of_a_crawl(crawled: Path) -> None:
    for path in sorted(crawled.glob("*.warc.gz")):
        told = run(find_peer("cdx-indexer"), "-j", "-s", str(path)).splitlines()
        own = [record for record in read_records(path, kinds=["response", "revisit"])]
        assert sorted(Entry.parse(line.encode()).fields["url"] for line in told) == sorted(
            record.url or "" for record in own
        )
