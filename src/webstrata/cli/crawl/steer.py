"""webstrata crawl pause, resume, stop, flush, set, blacklist."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.crawl.running import RENAMED, running_arguments
from webstrata.cli.verb import verb
from webstrata.collection.sentences import tell_count

if TYPE_CHECKING:
    from webstrata.crawl.control import Client


@verb("pause", renamed=RENAMED, epilog="Example: webstrata crawl pause uk 2026-06")
@running_arguments
def pause(client: Client) -> None:
    """Pause a running crawl: visits under way end, no others begin.

    Visits under way are brought to their end. `webstrata crawl resume` continues it.
    """
    click.echo(f"The crawl is {client.pause()}.")


@verb("resume", renamed=RENAMED, epilog="Example: webstrata crawl resume uk 2026-06")
@running_arguments
def resume(client: Client) -> None:
    """Resume a paused crawl."""
    click.echo(f"The crawl is {client.resume()}.")


@verb("stop", renamed=RENAMED, epilog="Example: webstrata crawl stop uk 2026-06 --wait")
@click.option("--now", is_flag=True, help="Give up visits under way.")
@click.option("--wait", is_flag=True, help="Come back when its pages are stored.")
@running_arguments
def stop(client: Client, *, now: bool, wait: bool) -> None:
    """Stop a running crawl in order.

    Visits under way are brought to their end, and what it has becomes the parts of the snapshot.
    """
    from webstrata.cli.crawl.running import wait_for_end

    click.echo(f"The crawl is {client.stop(now=now)}.")
    if wait:
        wait_for_end(client)
        click.echo("It has ended.")


@verb("flush", renamed=RENAMED, epilog="Example: webstrata crawl flush uk 2026-06")
@running_arguments
def flush(client: Client) -> None:
    """Write everything a running crawl has fetched to its files.

    The open WARC file is closed, and the index is on the disk: who reads them sees everything so far.
    """
    click.echo(f"{tell_count(client.flush(), 'capture is', 'captures are')} in the files.")


@verb("set", renamed=RENAMED, epilog="Example: webstrata crawl set uk 2026-06 host_delay 10s")
@running_arguments
@click.argument("name")
@click.argument("value")
def set(client: Client, name: str, value: str) -> None:
    """Change a setting or a filter of a running crawl.

    It takes effect within a second, and the crawl keeps it when it resumes. Settings that can
    change say so in the reference; of any other the command says why it cannot.
    """
    name = name.replace("-", "_")
    click.echo(f"{name} is {client.set(name, value)} now.")


@verb("blacklist", renamed=RENAMED, epilog="Example: webstrata crawl blacklist uk 2026-06 www.example.org")
@running_arguments
@click.argument("what", metavar="HOST|IP")
def blacklist(client: Client, what: str) -> None:
    """Let a running crawl ask a host or an address for nothing any more."""
    click.echo(f"{client.blacklist(what)} is asked for nothing any more.")
