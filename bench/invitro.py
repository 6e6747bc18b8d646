"""How fast, how small and how well known the in-vitro web is.

`invitro-clean` and `invitro-realistic`: pages per second from one server core over 64 keep-alive connections;
`wrk` asks from another core for a few thousand different pages of some 20 KB with some 50 links, in turn.
Ours computes each page when it is asked for. The peer is nginx with one worker on the same core, which has
the very same pages as files in the page cache: what a server costs that computes nothing. The promise is
25 000 and 12 000 pages per second; a ratio near 1 means that computing pages costs next to nothing.

`invitro-memory`: the peak memory of a server of 10⁹ pages on 100 000 hosts, after some thousand requests.
What it is compared with is ours too: the same server with 10³ pages. The promise is a ratio from 0.9 to 1.1.

`invitro-graph`: seconds for the true graph of a month with 10⁶ pages (`--quick`: 10⁵). The peer is igraph's
Barabási–Albert generator for as many nodes and arcs; it has no addresses, hosts, months or redirects to think
of. The promise is 5 seconds.

Needs `wrk` for the first two (Debian's package of that name).
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from bench.frame import OURS, PEERS, ROOT, BenchError, Call, Figure, Peer, main

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from webstrata.invitro import Web

SEED = 7
CONNECTIONS = 64
MIN_PAGE = 18 << 10
MEMORY = {"few": {"pages": 1_000, "hosts": 100}, "many": {"pages": 1_000_000_000, "hosts": 100_000}}

# One request per line of the list, in turn; the sums at the end.
LUA = """
local requests, last = {}, 0
for line in io.lines(os.getenv("BENCH_LIST")) do
  local target, host = line:match("(%S+) (%S+)")
  requests[#requests + 1] = "GET " .. target .. " HTTP/1.1\\r\\nHost: " .. host .. "\\r\\n\\r\\n"
end
function request()
  last = last % #requests + 1
  return requests[last]
end
function done(summary, latency, rates)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format("\\nsums %d %d %d %d\\n", summary.requests, summary.duration, summary.bytes, failed))
end
"""


# ---- inputs


def make_web(preset: str, **changes: float) -> Web:
    """A preset with some settings changed."""
    from webstrata.invitro.web import Web, make_settings

    return Web(preset, seed=SEED, settings=make_settings(preset, changes))


def choose_pages(web: Web, number: int) -> list[str]:
    """Addresses of pages from all over a web: walks of some links from random home pages."""
    chance = random.Random(SEED)
    homes = web.home_pages()
    found: dict[str, None] = {}
    while len(found) < number:
        url = chance.choice(homes)
        for _ in range(6):
            links = [link.url for link in web.links(url)]
            if not links:
                break
            url = chance.choice(links)
        facts = web.facts(url)
        if facts and facts["status"] == 200 and facts["text"]:
            found[url] = None
    return list(found)


def connect(port: int) -> contextlib.closing[http.client.HTTPConnection]:
    """A connection to a server of this machine; ends with the block."""
    return contextlib.closing(http.client.HTTPConnection("127.0.0.1", port))


def prepare_pages(preset: str) -> Callable[[Path, bool], None]:
    """What fills a folder with addresses, the same pages as files, and how long to ask."""

    def prepare(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
        web = make_web(preset)
        (folder / "seconds").write_text("1" if quick else "5")
        (folder / "ask.lua").write_text(LUA)
        (folder / "files").mkdir()
        ours, theirs = [], []
        with web.serve() as server, connect(server.port) as connection:
            for number, url in enumerate(choose_pages(web, 1_000 if quick else 4_000)):
                host = urlsplit(url).netloc
                while True:  # some pages fail the first time
                    connection.request("GET", url, headers={"Host": host})
                    answer = connection.getresponse()
                    body = answer.read()
                    if answer.status == 200:
                        break
                (folder / "files" / f"{number}.html").write_bytes(body)
                ours.append(f"{url} {host}\n")
                theirs.append(f"/{number}.html {host}\n")
        (folder / "ours.txt").write_text("".join(ours))
        (folder / "theirs.txt").write_text("".join(theirs))

    return prepare


def prepare_memory(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Write addresses of a small and of a large web."""
    for name, sizes in MEMORY.items():
        pages = choose_pages(make_web("clean", **sizes), 300)
        (folder / f"{name}.txt").write_text("\n".join(pages * (5 if quick else 20)) + "\n")


def prepare_graph(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Write how large the graph is: the peer must know how many arcs to make."""
    sizes = {"hosts": 1_000, "pages": 100_000} if quick else {"hosts": 10_000, "pages": 1_000_000}
    graph = make_web("realistic", **sizes).graph(0)
    sizes |= {"nodes": graph.num_nodes, "arcs": graph.num_arcs}
    (folder / "sizes.json").write_text(json.dumps(sizes))


# ---- pages per second


def choose_cores() -> tuple[int, int]:
    """A core for the server and one for the client; the same where there is only one."""
    cores = sorted(os.sched_getaffinity(0))
    return cores[0], cores[-1]


def start_on(core: int, words: list[str]) -> subprocess.Popen[str]:
    """Start a program on one core."""
    return subprocess.Popen(
        words,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        preexec_fn=lambda: os.sched_setaffinity(0, {core}),
    )


def serve_until_told(preset: str, **changes: float) -> None:
    """Serve a web, and tell at the end what the server has counted and how large it was."""
    with make_web(preset, **changes).serve() as server:
        print(server.port, flush=True)
        sys.stdin.readline()
        status = Path("/proc/self/status").read_text().split()
        peak = int(status[status.index("VmHWM:") + 1]) * 1024
        print(json.dumps(server.counters() | {"peak": peak}), flush=True)


@contextlib.contextmanager
def serving(preset: str, core: int, **changes: float) -> Iterator[tuple[int, Callable[[], dict[str, int]]]]:
    """The port of a server of ours in a process of its own, and what ends it and tells its counters."""
    arguments = ", ".join([repr(preset), *(f"{name}={value}" for name, value in changes.items())])
    code = f"import bench.invitro; bench.invitro.serve_until_told({arguments})"
    process = start_on(core, [str(OURS / "python"), "-c", code])
    assert process.stdout is not None
    try:
        port = process.stdout.readline()
        if not port:
            raise BenchError(f"the server of {preset} did not start")
        yield int(port), lambda: json.loads(process.communicate("\n")[0])
    finally:
        process.kill()
        process.wait()


def ask(place: Path, names: str, port: int, core: int) -> tuple[int, float, int]:
    """Requests answered with 2xx, seconds and bytes of a run of wrk."""
    wrk = shutil.which("wrk")
    if wrk is None:
        raise BenchError("wrk: install it, so that `wrk` is on the PATH")
    seconds = (place / "seconds").read_text()
    words = [wrk, "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "-s", str(place / "ask.lua")]
    os.environ["BENCH_LIST"] = str(place / names)
    said, _ = start_on(core, [*words, f"http://127.0.0.1:{port}/"]).communicate()
    return read_sums(said)


def read_sums(said: str) -> tuple[int, float, int]:
    r"""Requests, seconds and bytes from what wrk printed; `BenchError` where a request failed.

    Examples
    --------
    >>> read_sums("Running 1s test\nsums 20000 1000000 400000000 0\n")
    (20000, 1.0, 400000000)
    """
    sums = [line.split()[1:] for line in said.splitlines() if line.startswith("sums ")]
    if not sums:
        raise BenchError("wrk ended without an answer")
    requests, microseconds, size, failed = (int(word) for word in sums[0])
    if failed * 100 > requests:
        raise BenchError(f"{failed} of {requests} requests failed")
    return requests - failed, microseconds / 1e6, size


def serve_clean(place: str) -> float:
    """Pages of `clean` per second."""
    return _serve_ours("clean", Path(place))


def serve_realistic(place: str) -> float:
    """Pages of `realistic` per second."""
    return _serve_ours("realistic", Path(place))


def _serve_ours(preset: str, place: Path) -> float:
    server_core, client_core = choose_cores()
    with serving(preset, server_core) as (port, finish):
        requests, seconds, _ = ask(place, "ours.txt", port, client_core)
        counters = finish()
    mean = counters["bytes"] / counters["requests"]
    if mean < MIN_PAGE or counters["requests"] < requests:
        raise BenchError(f"{counters['requests']} pages of {mean:.0f} bytes were served; expected more")
    return requests / seconds


def serve_nginx(place: str) -> float:
    """The same pages per second from files, by nginx."""
    server_core, client_core = choose_cores()
    folder = Path(place)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    user = "user root;" if os.geteuid() == 0 else ""
    work = folder / "nginx"
    work.mkdir(exist_ok=True)
    (work / "nginx.conf").write_text(
        f"{user} daemon off; worker_processes 1; pid {work}/pid; error_log /dev/null;\n"
        "events { worker_connections 1024; }\n"
        "http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000;\n"
        "  default_type text/html; open_file_cache max=10000; open_file_cache_valid 1h;\n"
        f"  server {{ listen 127.0.0.1:{port}; root {folder}/files; }} }}\n"
    )
    server = start_on(server_core, ["nginx", "-p", str(work), "-c", str(work / "nginx.conf")])
    try:
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.02)
        requests, seconds, size = ask(folder, "theirs.txt", port, client_core)
    finally:
        server.terminate()
        server.communicate()
        shutil.rmtree(work)
    if size / requests < MIN_PAGE:
        raise BenchError(f"nginx served {size / requests:.0f} bytes per page; expected more")
    return requests / seconds


# ---- memory


def serve_many(place: str) -> float:
    """Peak bytes of a server of 10⁹ pages."""
    return _measure_memory(Path(place), "many")


def serve_few(place: str) -> float:
    """Peak bytes of a server of 10³ pages."""
    return _measure_memory(Path(place), "few")


def _measure_memory(place: Path, name: str) -> float:
    with (
        serving("clean", choose_cores()[0], **MEMORY[name]) as (port, finish),
        connect(port) as connection,
    ):
        for url in (place / f"{name}.txt").read_text().split():
            connection.request("GET", url, headers={"Host": urlsplit(url).netloc})
            if len(connection.getresponse().read()) == 0:
                raise BenchError(f"{url} is empty")
        return finish()["peak"]


# ---- the truth


def build_graph(place: str) -> int:
    """The true graph of a month; its nodes."""
    sizes = _read_sizes(place)
    return make_web("realistic", hosts=sizes["hosts"], pages=sizes["pages"]).graph(0).num_nodes


def build_igraph(place: str) -> int:
    """A random graph of as many nodes and arcs; its nodes."""
    import igraph

    sizes = _read_sizes(place)
    arcs = round(sizes["arcs"] / sizes["nodes"])
    graph = igraph.Graph.Barabasi(sizes["nodes"], arcs, directed=True)
    return int(graph.vcount())


def _read_sizes(place: str) -> dict[str, Any]:
    sizes: dict[str, Any] = json.loads((Path(place) / "sizes.json").read_text())
    return sizes


FIGURES = [
    *(
        Figure(
            name=f"invitro-{preset}",
            prepare=prepare_pages(preset),
            ours=Call(f"bench.invitro:serve_{preset}"),
            theirs=Call("bench.invitro:serve_nginx"),
            peer=Peer("nginx", program="nginx"),
            measure="answer",
            unit="pages/s",
            better="more",
            rounds=5,
            quick_rounds=3,
        )
        for preset in ("clean", "realistic")
    ),
    Figure(
        name="invitro-memory",
        prepare=prepare_memory,
        ours=Call("bench.invitro:serve_many"),
        theirs=Call("bench.invitro:serve_few"),
        peer=Peer("ours with 1000 pages", program=sys.executable),
        measure="answer",
        unit="bytes",
        rounds=3,
        quick_rounds=3,
    ),
    Figure(
        name="invitro-graph",
        prepare=prepare_graph,
        ours=Call("bench.invitro:build_graph"),
        theirs=Call("bench.invitro:build_igraph", PEERS / "python"),
        peer=Peer("igraph"),
        agree=True,
        rounds=3,
        quick_rounds=3,
    ),
]

if __name__ == "__main__":
    main(FIGURES)
