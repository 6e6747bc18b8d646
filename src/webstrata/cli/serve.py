"""webstrata serve: pages, search and replay of collections in a browser."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from webstrata.cli.links_server import show_access_log
from webstrata.cli.options import complete_collections, json_option, options
from webstrata.cli.output import show_json
from webstrata.cli.verb import verb
from webstrata.serve.settings import ServeSettings
from webstrata.web.settings import ServerSettings

if TYPE_CHECKING:
    from collections.abc import Mapping


@verb(
    "serve",
    epilog="Example: webstrata serve uk --port 8080",
    sections={"Limits for clients": tuple(ServerSettings.__dataclass_fields__)},
)
@click.argument(
    "paths", metavar="COLLECTION...", nargs=-1, required=True, shell_complete=complete_collections
)
@click.option("--seconds", type=float, help="Stop after this many seconds; default: serve until Ctrl-C.")
@click.option("--access-log", is_flag=True, help="Print one line per request on stderr.")
@options(ServeSettings)
@options(ServerSettings)
@json_option
def command(
    paths: tuple[str, ...],
    seconds: float | None,
    serve_options: Mapping[str, object],
    server_options: Mapping[str, object],
    *,
    access_log: bool,
    as_json: bool,
) -> None:
    """Serve COLLECTIONs in a browser: search, changes, links, ranks, captures.

    Pages and their JSON documents are at --port, archived captures at the next port, which is another origin
    to a browser: nothing of an archive is rendered where the pages are. By default only this machine is
    served, and nothing can be written. --public serves others, read-only; --token-file allows labels.
    """
    from webstrata.api import Collection

    first, *others = [Collection.open(path) for path in paths]
    given: Any = {
        name: value for name, value in {**serve_options, **server_options}.items() if value is not None
    }
    server = first.serve(*others, **given)
    if access_log:
        show_access_log()
    with suppress(KeyboardInterrupt):  # Ctrl-C before the server runs; then the server handles it
        if as_json:
            show_json({"url": server.url, "replay_url": server.replay_url, "port": server.port})
        else:
            click.echo(f"Serving {', '.join(paths)} at {server.url}")
            click.echo(f"Archived captures are at {server.replay_url}, another origin.")
            click.echo("Ctrl-C stops the server.")
        server.run(seconds, warm=True)
