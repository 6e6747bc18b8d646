"""webstrata demo."""

from __future__ import annotations

import http.client
import shlex
import time
from collections import defaultdict, deque
from pathlib import Path
from typing import TYPE_CHECKING

import click

from webstrata.collection.files import explained, make_directory, remove_tree
from webstrata.errors import ExistsError

if TYPE_CHECKING:
    from webstrata.simulate.invitro import Web

_TITLE = "webstrata demo"
_WEB = ["--preset", "small", "--seed", "7"]
_MONTHS = ["2026-01", "2026-02", "2026-03", "2026-04"]
_VISITED = 150
_HOST_DELAY, _IP_DELAY = 0.02, 0.005


@click.command("demo", epilog="Example: webstrata demo --into /tmp/webstrata-demo")
@click.option(
    "--into",
    default="webstrata-demo",
    type=click.Path(path_type=Path, readable=False),
    help="Where to put it.",
)
def command(into: Path) -> int:
    """Run what there is on a small example, and say what to try next.

    A web that does not exist is described, four of its months are written down as a collection, and one is
    visited over real HTTP by a polite visitor, whom the judge then judges. A demo that is there already is
    made again; anything else that is there is left alone and refused.
    """
    from webstrata.api import Collection
    from webstrata.cli import run

    place = into / "web"
    with explained(into, "read"):
        is_demo, is_taken = (place / "collection.toml").is_file(), into.exists()
    if is_demo and Collection.open(place).title == _TITLE:
        remove_tree(into)
    elif is_taken:
        raise ExistsError(f"{into}: something else is here already; name another place with --into")
    started = time.monotonic()
    make_directory(into)
    log = into / "requests.log"
    delays = ["--host-delay", f"{_HOST_DELAY}s", "--ip-delay", f"{_IP_DELAY}s"]
    steps: list[list[str]] = [
        ["new", str(place), "--title", _TITLE],
        ["invitro", "describe", *_WEB, "--plots", str(into / "plots")],
        *(
            ["invitro", "truth", str(place), label, *_WEB, "--month", str(month)]
            for month, label in enumerate(_MONTHS)
        ),
        ["invitro", "judge", str(log), *delays],
        ["show", str(place)],
        ["check", str(place)],
    ]
    for arguments in steps:
        if arguments[:2] == ["invitro", "judge"]:
            _visit(log)
        click.secho(f"\n$ webstrata {shlex.join(arguments)}", bold=True)
        if code := run(arguments):
            return code
    click.echo(
        f"\nDone in {time.monotonic() - started:.1f} s. Look at {into / 'plots' / 'describe.html'}, and"
    )
    click.echo("try next (`. .venv/bin/activate` first):")
    for line in (
        f"webstrata show {place} --json",
        f"webstrata invitro judge {log} --host-delay 4s --limit 1",
        "webstrata invitro describe --preset tiny",
        "webstrata invitro serve --preset realistic --seconds 1",
        "webstrata --help",
    ):
        click.echo(f"  {line}")
    return 0


def _visit(log: Path) -> None:
    """Fetch pages of the first month over HTTP, one at a time, hosts and addresses in turn."""
    from webstrata.simulate.invitro import Web

    web = Web("small", seed=7)
    click.secho("\nA visitor walks through the first month over HTTP, politely:", bold=True)
    started = time.monotonic()
    with web.serve(0, log=log) as server:
        pages = _walk(web, http.client.HTTPConnection("127.0.0.1", server.port, timeout=30))
    seconds = time.monotonic() - started
    click.echo(
        f"{pages} pages and the robots.txt of their hosts in {seconds:.1f} s; the server's log is {log}."
    )


def _walk(web: Web, connection: http.client.HTTPConnection) -> int:
    """Breadth-first from the home pages, each host's and address's last visit being the delay ago."""
    hosts = web.hosts(0)
    addresses = dict(zip(hosts["name"], hosts["address"], strict=True))
    addresses |= dict(zip(hosts["mirror"], hosts["address"], strict=True))
    free: dict[str, float] = defaultdict(float)

    def fetch(url: str) -> bytes:
        host = url.split("/")[2]
        address = addresses.get(host, "")
        time.sleep(max(0.0, free[host] - time.monotonic(), free[address] - time.monotonic()))
        connection.request("GET", url, headers={"User-Agent": "webstrata-demo (+http://localhost/)"})
        body = connection.getresponse().read()
        now = time.monotonic()
        free[host], free[address] = now + 1.1 * _HOST_DELAY, now + 1.1 * _IP_DELAY
        return body

    queue = deque(url for url in web.home_pages(0) if not web.settings.failing_share or web.links(url))
    seen = set(queue)
    known: set[str] = set()
    pages = 0
    while queue and pages < _VISITED:
        url = queue.popleft()
        host = url.split("/")[2]
        if host not in known:
            known.add(host)
            fetch(f"http://{host}/robots.txt")
        if not web.allowed(url):
            continue
        fetch(url)
        pages += 1
        for link in web.links(url):
            if link.url not in seen:
                seen.add(link.url)
                queue.append(link.url)
    connection.close()
    return pages
