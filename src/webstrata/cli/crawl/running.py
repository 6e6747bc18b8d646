"""Which crawl a command is about: one of this machine by its snapshot, or one behind a port."""

from __future__ import annotations

import contextlib
import functools
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webstrata.errors import MissingError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from webstrata.crawl.control import Client


def running_arguments(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command COLLECTION, SNAPSHOT and --at, and call it with a connected `client`."""

    @functools.wraps(command)
    def call(collection: str, label: str, at: str | None, token: Path | None, **values: Any) -> Any:  # noqa: ANN401
        with find(collection, label, at, token) as client:
            return command(client=client, **values)

    for decorate in (
        click.option(
            "--token", type=click.Path(path_type=Path), metavar="FILE", help="With --at: its token."
        ),
        click.option("--at", metavar="HOST:PORT", help="Ask there, where the crawl listens by --control."),
        click.argument("label", metavar="SNAPSHOT"),
        click.argument("collection", metavar="COLLECTION"),
    ):
        call = decorate(call)
    return call


def find(collection: str, label: str, at: str | None, token: Path | None) -> Client:
    """A connection to the crawl that is meant, or the sentence that there is none."""
    from webstrata.crawl.control import connect, connect_to, parse_place
    from webstrata.crawl.control.listener import read_token

    if at is None:
        if token is not None:
            raise UsageError("--token: it belongs to --at HOST:PORT; on this machine none is needed")
        from webstrata.api import Collection

        return connect(Collection.open(collection)[label])
    if token is None:
        raise UsageError("--at: a token is needed there; give --token FILE")
    client = connect_to(parse_place(at), read_token(token))
    about = client.status()
    # the collection may be on another machine: it is known by its folder's name
    if (Path(about["collection"]).name, about["snapshot"]) != (Path(collection).name, label):
        client.close()
        raise MissingError(
            f"{at}: this is the crawl of {Path(about['collection']).name} {about['snapshot']}, and not of "
            f"{collection} {label}; name that one, or another port"
        )
    return client


def wait_for_end(client: Client) -> None:
    """Come back when the crawl has ended and its parts are there."""
    with contextlib.suppress(MissingError):
        while True:
            client.status()
            time.sleep(0.2)
