"""Hostile requests without end, for some time: `python -m tests.fuzz.invitro_server --seconds 60 --seed 1`.

Requests are put together from pieces that parsers trip over, cut, repeated and sprinkled with noise, and sent
to a hostile web by clients of which some never read. The server must go on answering, must not grow, and must
end when told; the requests before a failure are saved.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import socket
import sys
import tempfile
import time
from pathlib import Path

from tests.endurance.page import write_section
from webstrata.invitro import InvitroServer, Web

METHODS = [
    b"GET",
    b"HEAD",
    b"POST",
    b"CONNECT",
    b"OPTIONS",
    b"G\x00T",
    b"",
    b"\xff\xfe",
    b"get",
    b"GET" * 500,
]
HEADERS = [
    *(b"Host: {host}", b"Host:", b"Host: a:b:c", b"Content-Length: 5", b"Content-Length: 0x10"),
    *(b"Content-Length: 99999999999999999999", b"Transfer-Encoding: chunked", b"Connection: close"),
    *(b"Connection: keep-alive, ,", b"Accept-Encoding: gzip, br, zstd", b"Accept-Encoding: *;q=0"),
    *(b"If-None-Match: *", b'If-None-Match: ,,"', b"If-Modified-Since: Thu, 01 Jan 2026 00:00:00 GMT"),
    *(b"If-Modified-Since: , ", b"Expect: 100-continue", b"User-Agent: Mozilla/5.0", b": no name"),
    *(b"no colon", b" folded", b"X: " + b"y" * 9000, b"Range: bytes=0-0"),
]
PATHS = [
    *(b"/", b"/robots.txt", b"/sitemap.xml", b"/go/0/1", b"/go/zzzzzzzzzzzz/3", b"/loop/1/2"),
    *(b"/hazard/0/{digit}", b"/hazard/zzz/{digit}", b"/calendar/2026/13/", b"/calendar/99999/01/"),
    *(b"/deeper" * 50, b"/deeper/" * 300, b"/view?id=1&cat=0", b"/view?id=&cat=", b"/news/x-0.html"),
    *(b"/news/-zzzzzzzzzzzz.html", b"/a-b-1.html?sid=", b"/?sid=0000000000000000", b"/%00", b"/%"),
    *(b"/\x80", b"*", b"//", b"/..//..", b"/a_b_c-d_1", b"/zzzzzzzzzzzz/"),
]
FRONTS = [
    *(b"", b"http://{host}", b"HTTP://{host}:80", b"http://", b"http://[::1]"),
    *(b"http://u@{host}", b"https://{host}"),
]
MAX_GROWTH = 64 << 20


def make_request(chance: random.Random, host: bytes) -> bytes:
    """A request that may be anything."""
    if chance.random() < 0.05:
        return chance.randbytes(chance.randrange(1, 5000))
    target = chance.choice(FRONTS) + chance.choice(PATHS)
    version = chance.choice([b"HTTP/1.1"] * 6 + [b"HTTP/1.0", b"HTTP/2", b"", b"HTTP/1.1 "])
    headers = chance.choices(HEADERS, k=chance.choice([0, 1, 2, 5, 12, 150]))
    if chance.random() < 0.7:
        headers.insert(0, b"Host: {host}")
    end = chance.choice([b"\r\n"] * 8 + [b"\n", b"\r"])
    text = end.join(
        [chance.choice(METHODS[:3] * 4 + METHODS) + b" " + target + b" " + version, *headers, b"", b""]
    )
    text = text.replace(b"{host}", host).replace(b"{digit}", b"%d" % chance.randrange(12))
    if chance.random() < 0.2:  # noise
        noisy = bytearray(text)
        for _ in range(chance.randrange(1, 8)):
            noisy[chance.randrange(len(noisy))] = chance.randrange(256)
        text = bytes(noisy)
    if chance.random() < 0.1:  # cut
        text = text[: chance.randrange(len(text))]
    return text * chance.choice([1] * 8 + [2, 20])


def send(chance: random.Random, port: int, text: bytes) -> None:
    """Send a request in one of many manners; what comes back does not matter."""
    with (
        contextlib.suppress(OSError),
        socket.create_connection(("127.0.0.1", port), timeout=chance.choice([0.001, 0.01, 0.05])) as link,
    ):
        step = chance.choice([len(text), len(text), 1 + len(text) // 3, 7])
        for begin in range(0, len(text), max(1, step)):
            link.sendall(text[begin : begin + step])
        if chance.random() < 0.5:
            link.shutdown(socket.SHUT_WR)
        if chance.random() < 0.8:
            link.recv(1 << 16)


def is_alive(server: InvitroServer, url: str) -> bool:
    """Whether a plain request gets its page."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as link:
        link.sendall(f"GET {url} HTTP/1.1\r\nConnection: close\r\n\r\n".encode())
        return link.recv(15).startswith(b"HTTP/1.1 200")


def resident() -> int:
    """Bytes that this process, and so the server, holds in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def main() -> None:
    """Ask until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--write", action="store_true", help="put the results into docs/reference/trust.md")
    chosen = parser.parse_args()
    chance = random.Random(chosen.seed)
    web = Web(
        "tiny", seed=7, hazard_share=1, flaky_share=0.1, dynamic_share=0.3, session_share=0.3, trap_share=1
    )
    homes = web.home_pages()
    sent, before, last = 0, 0, [b""]
    server = web.serve(workers=2)
    end = time.monotonic() + chosen.seconds
    while time.monotonic() < end:
        home = chance.choice(homes)
        last = [make_request(chance, home.removeprefix("http://").rstrip("/").encode()) for _ in range(50)]
        for text in last:
            send(chance, server.port, text)
        sent += len(last)
        before = before or (resident() if sent >= 1000 else 0)
        grown = resident() - before if before else 0
        if not is_alive(server, homes[0] + "robots.txt") and not is_alive(server, homes[0]):
            _fail(chosen.seed, sent, last, "the server no longer answers")
        if grown > MAX_GROWTH:
            _fail(chosen.seed, sent, last, f"the server has grown by {grown} bytes")
    malformed = server.counters()["malformed"]
    started = time.monotonic()
    server.close()
    if (seconds := time.monotonic() - started) > 5:
        _fail(chosen.seed, sent, last, f"the server took {seconds:.1f} s to stop")
    print(f"{sent} requests with seed {chosen.seed}, {malformed} of them refused; the server holds.")
    if chosen.write:
        write_section(
            "server",
            f"{sent:,} hostile requests to the server of the synthetic web: {malformed:,} were refused as "
            f"malformed; after every 50 a good request was answered, and memory did not grow.",
        )


def _fail(seed: int, sent: int, last: list[bytes], what: str) -> None:
    with tempfile.NamedTemporaryFile("wb", prefix="fuzz-", delete=False) as file:
        file.write(b"\n====\n".join(last))
    sys.exit(f"seed {seed}, after {sent} requests: {what}; the last ones are in {file.name}")


if __name__ == "__main__":
    main()
