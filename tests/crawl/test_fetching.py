"""HTTP as servers speak it: every answer is stored as far as it came, or counted as what went wrong."""

from __future__ import annotations

import gzip
import random
import zlib
from collections import Counter
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from tests.crawl.origin import HANG, RESET, Answer, Crawled, Origin, crawl, head, page, reply
from webstrata.crawl.failures import NAMES
from webstrata.crawl.results import CrawlResult

if TYPE_CHECKING:
    from pathlib import Path

TYPE = "Content-Type: text/html"
CHUNKED = "Transfer-Encoding: chunked"
LIMIT = 20_000


def text(name: str) -> bytes:
    """A page like no other."""
    words = " ".join(f"{name}-{chr(97 + place)}" for place in range(20))
    return page(words, f"/found-by{name}")


def chunks(body: bytes, size: int = 100, extension: bytes = b"") -> bytes:
    pieces = [body[place : place + size] for place in range(0, len(body), size)]
    return b"".join(b"%x%s\r\n%s\r\n" % (len(piece), extension, piece) for piece in pieces)


def raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


def brotli(body: bytes) -> bytes:
    """The body as one uncompressed meta-block of a brotli stream."""
    length = len(body) - 1
    header = (
        0b0 | (0 << 1) | (0 << 2) | (length << 4) | (1 << 20)
    )  # window 16, not last, 4 nibbles, uncompressed
    return header.to_bytes(3, "little") + body + b"\x03"


def zstd(body: bytes) -> bytes:
    """The body as one raw block of a zstd frame."""
    magic, descriptor = b"\x28\xb5\x2f\xfd", b"\xa0"  # single segment, four bytes of size
    return (
        magic
        + descriptor
        + len(body).to_bytes(4, "little")
        + (1 | len(body) << 3).to_bytes(3, "little")
        + body
    )


def layers(name: str, number: int) -> bytes:
    """A page that was packed so many times."""
    packed = text(name)
    for _ in range(number):
        packed = gzip.compress(packed)
    return packed


def coded(name: str, coding: str, packed: bytes) -> bytes:
    return reply(packed, f"Content-Encoding: {coding}", kind="text/html")


def bomb(coding: str) -> bytes:
    length = 50 * LIMIT
    packed = {
        "gzip": gzip.compress(b"g" * length),
        "deflate": zlib.compress(b"d" * length),
        "zstd": zstd_bomb(length),
        "br": pa.Codec("brotli").compress(b"b" * length, asbytes=True),
    }
    return coded("bomb", coding, packed[coding])


def zstd_bomb(length: int) -> bytes:
    """A frame whose one block says how often a byte is repeated."""
    frame = b"\x28\xb5\x2f\xfd\xa0" + length.to_bytes(4, "little")
    left, blocks = length, b""
    while left:
        size = min(left, 100_000)
        left -= size
        blocks += (int(left == 0) | 1 << 1 | size << 3).to_bytes(3, "little") + b"0"
    return frame + blocks


# path: what is sent, and of the body what is to be stored (None: the text of that name)
WHOLE: dict[str, tuple[Answer, bytes | None]] = {
    "/length": (head(TYPE, f"Content-Length: {len(text('/length'))}") + text("/length"), None),
    "/chunked": (head(TYPE, CHUNKED) + chunks(text("/chunked")) + b"0\r\n\r\n", None),
    "/chunk-extensions": (
        head(TYPE, CHUNKED) + chunks(text("/chunk-extensions"), 50, b' ; a="b"') + b"0;x\r\n\r\n",
        None,
    ),
    "/chunk-trailers": (
        head(TYPE, CHUNKED) + chunks(text("/chunk-trailers")) + b"0\r\nExpires: 0\r\nX: y\r\n\r\n",
        None,
    ),
    "/chunk-line-feeds": (
        head(TYPE, CHUNKED) + (chunks(text("/chunk-line-feeds")) + b"0\r\n\r\n").replace(b"\r\n", b"\n"),
        None,
    ),
    "/chunked-byte-by-byte": (
        tuple(
            step
            for byte in head(TYPE, CHUNKED)
            + chunks(text("/chunked-byte-by-byte"), 200)
            + b"0\r\nA: b\r\n\r\n"
            for step in (bytes([byte]), 0.0)
        ),
        None,
    ),
    "/upper-case-sizes": (
        head(TYPE, "transfer-encoding: Chunked") + b"A\r\n0123456789\r\n0\r\n\r\n",
        b"0123456789",
    ),
    "/chunked-and-length": (
        head(TYPE, CHUNKED, "Content-Length: 3") + chunks(text("/chunked-and-length")) + b"0\r\n\r\n",
        None,
    ),
    "/close": (head(TYPE) + text("/close"), None),
    "/old": (b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + text("/old"), None),
    "/early-hints": (
        b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
        + reply(text("/early-hints")),
        None,
    ),
    "/early-then-late": ((b"HTTP/1.1 100 Continue\r\n\r\n", 0.05, reply(text("/early-then-late"))), None),
    "/no-reason": (b"HTTP/1.1 200\r\nContent-Type: text/html\r\n\r\n" + text("/no-reason"), None),
    "/line-feeds": (reply(text("/line-feeds")).replace(b"\r\n", b"\n"), None),
    "/folded": (
        head("X-Folded: one\r\n two\r\n\tthree", "Content-Type:\r\n text/html") + text("/folded"),
        None,
    ),
    "/many-headers": (head(TYPE, *(f"X-{place}: y" for place in range(500))) + text("/many-headers"), None),
    "/odd-headers": (
        b"HTTP/1.1 200 OK\r\nno colon here\r\n: no name\r\nBad Name: x\r\nContent-Type : text/html\r\n"
        b"X-Empty:\r\n\r\n" + text("/odd-headers"),
        None,
    ),
    "/blank-lines-first": (b"\r\n\r\n" + reply(text("/blank-lines-first")), None),
    "/longer-than-length": (
        head(TYPE, f"Content-Length: {len(text('/longer-than-length'))}")
        + text("/longer-than-length")
        + b"more",
        None,
    ),
    "/equal-lengths": (head(TYPE, "Content-Length: 3, 3") + b"abcdef", b"abc"),
    "/equal-length-lines": (head(TYPE, "Content-Length: 4", "Content-Length: 4") + b"abcdef", b"abcd"),
    "/chunked-and-absurd-length": (
        head(TYPE, "Content-Length: -7", CHUNKED) + chunks(text("/chunked-and-absurd-length")) + b"0\r\n\r\n",
        None,
    ),
    "/transfer-gzip": (
        head(TYPE, "Transfer-Encoding: gzip, chunked")
        + chunks(gzip.compress(text("/transfer-gzip")))
        + b"0\r\n\r\n",
        None,
    ),
    "/transfer-gzip-until-close": (
        head(TYPE, "Transfer-Encoding: gzip") + gzip.compress(text("/transfer-gzip-until-close")),
        None,
    ),
    "/transfer-identity": (
        head(TYPE, "Transfer-Encoding: identity", "Content-Length: 3") + b"xyz and more",
        b"xyz",
    ),
    "/gzip": (coded("/gzip", "gzip", gzip.compress(text("/gzip"))), None),
    "/gzip-members": (
        coded(
            "/gzip-members",
            "x-gzip",
            gzip.compress(text("/gzip-members")[:50]) + gzip.compress(text("/gzip-members")[50:]),
        ),
        None,
    ),
    "/gzip-chunked": (
        head(TYPE, CHUNKED, "Content-Encoding: GZIP")
        + chunks(gzip.compress(text("/gzip-chunked")))
        + b"0\r\n\r\n",
        None,
    ),
    "/gzip-and-zeros": (
        coded("/gzip-and-zeros", "gzip", gzip.compress(text("/gzip-and-zeros")) + bytes(100)),
        None,
    ),
    "/deflate": (coded("/deflate", "deflate", zlib.compress(text("/deflate"))), None),
    "/raw-deflate": (coded("/raw-deflate", "deflate", raw_deflate(text("/raw-deflate"))), None),
    "/br": (coded("/br", "br", brotli(text("/br"))), None),
    "/zstd": (coded("/zstd", "zstd", zstd(text("/zstd"))), None),
    "/twice": (coded("/twice", "deflate, gzip", gzip.compress(zlib.compress(text("/twice")))), None),
    "/two-lines": (
        reply(
            gzip.compress(zlib.compress(text("/two-lines"))),
            "Content-Encoding: deflate",
            "Content-Encoding: gzip",
            kind="text/html",
        ),
        None,
    ),
    "/five-codings": (coded("/five-codings", ", ".join(["gzip"] * 5), layers("/five-codings", 5)), None),
    "/not-gzip": (coded("/not-gzip", "gzip", text("/not-gzip")), None),
    "/not-deflate": (coded("/not-deflate", "deflate", text("/not-deflate")), None),
    "/not-br": (coded("/not-br", "br", text("/not-br")), None),
    "/not-zstd": (coded("/not-zstd", "zstd", text("/not-zstd")), None),
    "/identity": (coded("/identity", "identity", text("/identity")), None),
    "/unknown-coding": (coded("/unknown-coding", "x-snow", text("/unknown-coding")), None),
}

# path: what is sent, the reason in WARC-Truncated, and what of the body is to be stored
CUT: dict[str, tuple[Answer, str, bytes | None]] = {
    "/shorter-than-length": (
        head(TYPE, "Content-Length: 5000") + text("/shorter-than-length"),
        "disconnect",
        None,
    ),
    "/no-last-chunk": (head(TYPE, CHUNKED) + chunks(text("/no-last-chunk")), "disconnect", None),
    "/bad-chunk-size": (
        head(TYPE, CHUNKED) + chunks(text("/bad-chunk-size")) + b"zz\r\nmore\r\n",
        "disconnect",
        None,
    ),
    "/huge-chunk-size": (
        head(TYPE, CHUNKED) + chunks(text("/huge-chunk-size")) + b"f" * 17 + b"\r\nmore\r\n",
        "disconnect",
        None,
    ),
    "/chunk-without-end": (
        head(TYPE, CHUNKED) + b"5\r\n01234X5\r\n",
        "disconnect",
        b"01234",
    ),
    "/reset": ((head(TYPE, "Content-Length: 5000") + text("/reset"), 0.2, RESET), "disconnect", None),
    "/reset-without-length": ((head(TYPE) + text("/reset-without-length"), 0.2, RESET), "disconnect", None),
    "/too-long": (head(TYPE, f"Content-Length: {3 * LIMIT}") + b"x" * 3 * LIMIT, "length", b"x" * LIMIT),
    "/too-long-chunked": (
        head(TYPE, CHUNKED) + chunks(b"y" * 3 * LIMIT) + b"0\r\n\r\n",
        "length",
        b"y" * LIMIT,
    ),
    "/too-long-close": (head(TYPE) + b"z" * 3 * LIMIT, "length", b"z" * LIMIT),
    "/endless": (
        head(TYPE, "Content-Length: 18446744073709551615") + b"e" * 3 * LIMIT,
        "length",
        b"e" * LIMIT,
    ),
    "/gzip-bomb": (bomb("gzip"), "length", b"g" * LIMIT),
    "/deflate-bomb": (bomb("deflate"), "length", b"d" * LIMIT),
    "/zstd-bomb": (bomb("zstd"), "length", b"0" * LIMIT),
    "/br-bomb": (bomb("br"), "length", b"b" * LIMIT),
    "/trailer-flood": (
        (head(TYPE, CHUNKED) + chunks(text("/trailer-flood")) + b"0\r\n", b"X: y\r\n" * 2 * LIMIT, HANG),
        "length",
        None,
    ),
    "/nested-bomb": (
        coded("/nested-bomb", "gzip, gzip", gzip.compress(gzip.compress(b"1" * 50 * LIMIT))),
        "length",
        b"1" * LIMIT,
    ),
    "/half-gzip": (
        coded("/half-gzip", "gzip", gzip.compress(text("/half-gzip") + bytes(5000), 0)[:3000]),
        "disconnect",
        (text("/half-gzip") + bytes(5000))[: 3000 - 15],
    ),
    "/falls-silent": ((head(TYPE, "Content-Length: 5000") + text("/falls-silent"), HANG), "time", None),
    "/drips": ((head(TYPE) + text("/drips"), *((0.1, b".") * 60)), "time", None),
}

# path: what is sent, the kind of failure
FAILS: dict[str, tuple[Answer, str]] = {
    "/silent": ((HANG,), "timeout"),
    "/half-head": ((b"HTTP/1.1 200 OK\r\nContent-Ty", HANG), "timeout"),
    "/only-hints": ((b"HTTP/1.1 103 Early Hints\r\n\r\n", 0.1) * 30, "timeout"),
    "/hint-flood": ((b"HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n" * 3000, HANG), "protocol"),
    "/head-drips": ((b"HTTP/1.1 200 OK\r\nX: ", *((0.1, b".") * 60)), "timeout"),
    "/hangs-up": ((), "connect"),
    "/resets": ((RESET,), "connect"),
    "/breaks-in-head": ((b"HTTP/1.1 200 OK\r\nContent-Ty",), "connect"),
    "/garbage": ((b"\x00\x01\x02 this is no web server\r\n\r\n",), "protocol"),
    "/greeting": ((b"220 mail.test ESMTP ready\r\n",), "protocol"),
    "/head-too-large": ((head(TYPE, "X-Long: " + "x" * 70_000) + text("/head-too-large"),), "protocol"),
    "/head-without-end": ((b"HTTP/1.1 200 OK\r\n", *[b"X: " + b"y" * 5000 + b"\r\n"] * 20), "protocol"),
    "/status-no-number": ((b"HTTP/1.1 abc OK\r\n\r\n",), "protocol"),
    # RFC 9112, section 6.3
    "/negative-length": ((head(TYPE, "Content-Length: -5") + b"abcdef",), "protocol"),
    "/signed-length": ((head(TYPE, "Content-Length: +5") + b"abcdef",), "protocol"),
    "/length-in-words": ((head(TYPE, "Content-Length: five") + b"abcdef",), "protocol"),
    "/length-beyond-64-bits": ((head(TYPE, "Content-Length: 18446744073709551616") + b"ab",), "protocol"),
    "/lengths-that-differ": ((head(TYPE, "Content-Length: 3, 5") + b"abcdef",), "protocol"),
    "/length-lines-that-differ": (
        (head(TYPE, "Content-Length: 3", "Content-Length: 5") + b"abcdef",),
        "protocol",
    ),
    "/unknown-transfer-coding": (
        (head(TYPE, "Transfer-Encoding: x-snow, chunked") + b"2\r\nab\r\n0\r\n\r\n",),
        "protocol",
    ),
    "/chunked-not-last": (
        (head(TYPE, "Transfer-Encoding: chunked, gzip") + b"2\r\nab\r\n0\r\n\r\n",),
        "protocol",
    ),
    "/chunked-twice": (
        (head(TYPE, "Transfer-Encoding: chunked, chunked") + b"2\r\nab\r\n0\r\n\r\n",),
        "protocol",
    ),
}
SLOW = ("/falls-silent", "/drips", "/silent", "/half-head", "/head-drips", "/only-hints")


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    """All answers in two crawls: one without patience, for those that take their time, and one with more."""
    answers: dict[str, Answer] = {path: answer for path, (answer, _) in WHOLE.items()}
    answers |= {path: answer for path, (answer, _, _) in CUT.items()}
    answers |= {path: answer for path, (answer, _) in FAILS.items()}
    # who is slow or fails has an address of its own
    names = {path: f"{path[1:]}.test" for path in (*SLOW, *FAILS)}
    addresses = tuple(f"127.0.0.{place + 2}" for place in range(len(names)))
    limits: dict[str, Any] = {"max_response": LIMIT, "max_depth": 0, "retries": 0}
    with Origin(("127.0.0.1", *addresses)) as origin:
        for path, answer in answers.items():
            origin.say(path, answer)
        places = {name: origin.at(address) for name, address in zip(names.values(), addresses, strict=True)}
        seeds = {path: f"http://{names.get(path, 'a.test')}{path}" for path in answers}
        slow = [seeds.pop(path) for path in SLOW]
        folder = tmp_path_factory.mktemp("fetching")
        # what is silent is given up soon, and nothing else is asked of these hosts
        quick: dict[str, Any] = {
            "response_timeout": 1.5,
            "fetch_timeout": 2,
            "min_rate": 2000,
            "obey_robots": False,
        }
        first = crawl(folder, origin, *slow, names=places, **limits, **quick)
        second = crawl(folder, origin, *seeds.values(), names=places, **limits)
    assert first.result is not None
    assert second.result is not None
    assert first.result.end == second.result.end == "exhausted"
    counters = {name: first[name] + value for name, value in second.result.counters.items()}
    return Crawled(
        second.snapshot,
        CrawlResult("exhausted", 1.0, counters),
        first.records + second.records,
        first.lines | second.lines,
    )


@pytest.mark.parametrize("path", WHOLE)
def test_an_answer_is_stored_whole(crawled: Crawled, path: str) -> None:
    record = crawled.capture(f"http://a.test{path}")
    assert record.body == (WHOLE[path][1] or text(path))
    assert (record.kind, record.status) == ("response", 200)
    assert "WARC-Truncated" not in record.headers
    assert crawled.lines[f"http://a.test{path}"]["mime"] == "text/html"


@pytest.mark.parametrize("path", CUT)
def test_an_answer_that_is_cut_off_is_stored_as_far_as_it_came(crawled: Crawled, path: str) -> None:
    name = path[1:] if path in SLOW else "a"
    record = crawled.capture(f"http://{name}.test{path}")
    _, reason, body = CUT[path]
    assert record["WARC-Truncated"] == reason
    if path == "/drips":
        assert record.body.startswith(text(path))
    else:
        assert record.body == (body or text(path))


@pytest.mark.parametrize("path", FAILS)
def test_what_is_no_answer_is_not_stored(crawled: Crawled, path: str) -> None:
    assert not [url for url in crawled.stored if url.endswith(path)]


def test_failures_are_counted_by_kind(crawled: Crawled) -> None:
    kinds = [kind for _, kind in FAILS.values()]
    for kind in NAMES:
        assert crawled[f"failed_{kind}"] == kinds.count(kind), kind
    assert crawled["truncated"] == len(CUT)
    reasons = Counter(reason for _, reason, _ in CUT.values())
    assert {reason: crawled[f"cut_{reason}"] for reason in reasons} == reasons
    assert crawled["bombs"] == sum("bomb" in name for name in CUT)


def test_what_was_coded_says_so_no_more(crawled: Crawled) -> None:
    coded = crawled.capture("http://a.test/gzip").head
    assert b"\r\nX-Crawl-Content-Encoding: gzip" in coded
    assert b"\r\nContent-Encoding" not in coded
    # nobody took this one off
    assert b"\r\nContent-Encoding: x-snow" in crawled.capture("http://a.test/unknown-coding").head


def test_a_body_that_is_empty_is_not_cut_off_whatever_its_coding(tmp_path: Path) -> None:
    codings = ("gzip", "deflate", "br", "zstd")
    with Origin() as origin:
        for coding in codings:
            origin.say(f"/{coding}", coded(coding, coding, b""))
        found = crawl(tmp_path, origin, *(f"http://a.test/{coding}" for coding in codings))
    assert len(found.captures) == 4
    assert found["truncated"] == 0


def test_the_version_that_the_server_speaks_is_recorded(crawled: Crawled) -> None:
    assert crawled.capture("http://a.test/old").headers["WARC-Protocol"] == ["http/1.0"]
    assert crawled.capture("http://a.test/length").headers["WARC-Protocol"] == ["http/1.1"]


def test_a_server_that_ends_each_connection_is_believed(tmp_path: Path) -> None:
    with Origin() as origin:
        for place in range(4):
            origin.say(f"/{place}", reply(text(f"/{place}"), "Connection: Close"))
        found = crawl(
            tmp_path, origin, *(f"http://a.test/{place}" for place in range(4)), keep_alive=5, max_depth=0
        )
    assert found["pages"] == 4
    # robots.txt, which said nothing of it, and the first page share one
    assert len({request.connection for request in origin.requests}) == 4


def test_no_bytes_whatever_end_or_hang_a_crawl(tmp_path: Path) -> None:
    draw = random.Random(7)
    sound = [answer for answer, _ in WHOLE.values() if isinstance(answer, bytes)]
    answers = []
    for _ in range(300):
        changed = bytearray(draw.choice(sound))
        for _ in range(draw.randint(1, 3)):
            place = draw.randrange(min(len(changed), draw.choice((50, 2000, 2000))))
            match draw.randrange(3):
                case 0:
                    changed[place] = draw.randrange(256)
                case 1:
                    del changed[place : place + draw.randint(1, 20)]
                case _:
                    changed[place:place] = draw.randbytes(draw.randint(1, 20))
        answers.append(bytes(changed))
    with Origin(tuple(f"127.0.0.{place}" for place in range(1, 21))) as origin:
        names = {f"f{place}.test": origin.at(f"127.0.0.{place % 20 + 1}") for place in range(300)}
        for name, answer in zip(names, answers, strict=True):
            origin.say(f"{name}/", answer)
        found = crawl(
            tmp_path,
            origin,
            *(f"http://{name}/" for name in names),
            names=names,
            retries=0,
            max_depth=0,
            response_timeout=2,
            schedule="SameHost",
            max_redirects=0,
        )
    assert found.result is not None
    assert found.result.end == "exhausted"
    failed = sum(found[f"failed_{kind}"] for kind in ("connect", "timeout", "protocol"))
    assert len(found.captures) + failed == 300
    assert len(found.captures) > 100
    assert failed > 20
