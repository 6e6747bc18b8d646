"""webstrata demo."""

from __future__ import annotations

import shlex
import time
from pathlib import Path

import click

from webstrata.collection.files import explained, make_directory, remove_tree
from webstrata.errors import ExistsError

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
    from webstrata.cli.output import TerminalProgress
    from webstrata.simulate.invitro import Web
    from webstrata.simulate.invitro.visitor import visit

    web = Web("small", seed=7)
    click.secho("\nA visitor walks through the first month over HTTP, politely:", bold=True)
    with web.serve(0, log=log) as server:
        seen = visit(
            server,
            web.home_pages(0),
            pages=_VISITED,
            host_delay=_HOST_DELAY,
            ip_delay=_IP_DELAY,
            progress=TerminalProgress(),
        )
    click.echo(f"{len(seen.pages)} pages in {seen.seconds:.1f} s; the log of the server is {log}.")
