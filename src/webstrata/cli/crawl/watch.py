"""webstrata crawl watch."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import time
from typing import TYPE_CHECKING, Any

import click

from webstrata.cli.crawl.dashboard import History, draw_dashboard, plain_line, to_row
from webstrata.cli.crawl.running import RENAMED, running_arguments
from webstrata.cli.verb import verb
from webstrata.collection.sentences import tell_count
from webstrata.crawl.status import name_crawl
from webstrata.errors import MissingError, UserError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webstrata.crawl.control import Client


@verb("watch", renamed=RENAMED, epilog="Example: webstrata crawl watch uk 2026-06")
@click.option("--plain", is_flag=True, help="Print a line a time, as where the output is no terminal.")
@click.option("--every", type=click.FloatRange(0.1), default=1.0, metavar="SECONDS", help="How often. [1]")
@running_arguments
def command(client: Client, every: float, *, plain: bool) -> None:
    """Show a running crawl until it ends.

    q or Ctrl-C leave earlier; the crawl continues.
    """
    try:
        is_plain = plain or not sys.stdout.isatty()
        status = _print_lines(client, every) if is_plain else _draw(client, every)
    except KeyboardInterrupt:
        status = None
    if status is None:
        click.echo("The crawl continues.")
    else:
        pages = tell_count(status["counters"]["pages"], "page")
        click.echo(f"The crawl of {name_crawl(status)} has ended with {pages}.")


def _print_lines(client: Client, every: float) -> dict[str, Any]:
    """Print until the crawl ends; the last that was known of it."""
    status = client.status()
    with contextlib.suppress(MissingError):
        while True:
            click.echo(plain_line(status))
            time.sleep(every)
            status = client.status()
    return status


def _draw(client: Client, every: float) -> dict[str, Any] | None:
    """Draw until the crawl ends, and return the last that was known of it, or nothing if the user left."""
    from rich.live import Live

    status = client.status()
    history = _read_history(status)
    with contextlib.suppress(MissingError), _keys() as pressed, Live(auto_refresh=False, screen=True) as live:
        while True:
            history.add(to_row(status))
            live.update(draw_dashboard(status, history, live.console.width), refresh=True)
            if pressed(every) in ("q", "Q"):
                return None
            status = client.status()
    return status


def _read_history(status: dict[str, Any]) -> History:
    """What the crawl has kept of its own past, where its files can be reached."""
    from webstrata.collection import Collection
    from webstrata.crawl.series import FILE, read_series

    history = History()
    with contextlib.suppress(UserError):
        snapshot = Collection.open(status["collection"])[status["snapshot"]]
        for row in read_series(snapshot.working_folder("crawl") / FILE):
            history.add(row)
    return history


@contextlib.contextmanager
def _keys() -> Iterator[Any]:
    """A function that waits some seconds for a key and returns it, or nothing; none is shown."""
    if not sys.stdin.isatty():
        yield lambda seconds: time.sleep(seconds)
        return
    import termios
    import tty

    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)

    def pressed(seconds: float) -> str:
        ready, _, _ = select.select([descriptor], [], [], seconds)
        return os.read(descriptor, 1).decode(errors="replace") if ready else ""

    try:
        tty.setcbreak(descriptor)
        yield pressed
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
