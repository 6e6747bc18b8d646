"""Which crawl a command is about: one of this machine by its snapshot, or one behind a port."""

from __future__ import annotations

import contextlib
import functools
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webstrata.cli.options import complete_collections, snapshot_argument
from webstrata.errors import MissingError

if TYPE_CHECKING:
    from collections.abc import Callable

    from webstrata.crawl.control import Client


RENAMED = {"--at": "--control"}


def running_arguments(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command COLLECTION, SNAPSHOT and --control, and call it with a connected `client`."""

    @functools.wraps(command)
    def call(collection: str, label: str, at: str | None, token: Path | None, **values: Any) -> Any:  # noqa: ANN401
        from webstrata.api import Collection
        from webstrata.crawl.control.client import find_crawl, find_remote

        if at is None:
            client = find_crawl(Collection.open(collection)[label], None, token)
        else:  # the collection may be on another machine
            client = find_remote(Path(collection).name, label, at, token)
        with client:
            return command(client=client, **values)

    for decorate in (
        click.option(
            "--token", type=click.Path(path_type=Path), metavar="FILE", help="With --control: its token."
        ),
        click.option(
            "--control", "at", metavar="HOST:PORT", help="Ask there, where the crawl listens by --control."
        ),
        snapshot_argument,
        click.argument("collection", metavar="COLLECTION", shell_complete=complete_collections),
    ):
        call = decorate(call)
    return call


def wait_for_end(client: Client) -> None:
    """Come back when the crawl has ended and its parts are there."""
    with contextlib.suppress(MissingError):
        while True:
            client.status()
            time.sleep(0.2)
