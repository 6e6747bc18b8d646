"""webstrata links-server: the connectivity server over HTTP."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option, options, snapshot_argument
from webstrata.cli.output import show_json
from webstrata.cli.verb import verb
from webstrata.collection.sentences import tell_count
from webstrata.web.settings import ServerSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webstrata.api import Collection


@verb("links-server", epilog="Example: webstrata links-server uk 2026-06 --port 8080")
@collection_argument
@snapshot_argument
@click.option("--host", default="127.0.0.1", help="Address to listen at. [127.0.0.1]")
@click.option("--port", default=0, type=click.IntRange(0, 65535), help="Port; 0 for any free one. [0]")
@click.option("--seconds", type=float, help="Stop after this many seconds; default: serve until Ctrl-C.")
@click.option("--access-log", is_flag=True, help="Print one line per request on stderr.")
@options(ServerSettings)
@json_option
def command(
    collection: Collection,
    label: str,
    host: str,
    port: int,
    seconds: float | None,
    server_options: Mapping[str, object],
    *,
    access_log: bool,
    as_json: bool,
) -> None:
    """Answer questions about the links of SNAPSHOT over HTTP.

    Who links to whom, what pages have in common, what is near them: one page by GET, many by POST, as JSON or
    Arrow. /openapi.json describes all requests and responses. Ctrl-C and SIGTERM stop the server in order.
    """
    from webstrata.serve.http_api.links import make_links_app
    from webstrata.web.server import Server

    settings = collection.settings(ServerSettings, server_options)
    links = collection[label].connectivity
    server = Server(make_links_app(links), host=host, port=port, settings=settings)
    if access_log:
        show_access_log()
    with suppress(KeyboardInterrupt):  # Ctrl-C before the server runs; then the server handles it
        if as_json:
            show_json(
                {"url": server.url, "port": server.port, "nodes": links.num_nodes, "arcs": links.num_arcs}
            )
        else:
            what = (
                f"{tell_count(links.num_nodes, 'node')} and {tell_count(links.num_arcs, 'arc')} of "
                f"{collection.path} {label}"
            )
            click.echo(f"Serving the links of {what} at {server.url}")
            click.echo(f"{server.url}/openapi.json describes the requests. Ctrl-C stops the server.")
        server.run(seconds)


def show_access_log() -> None:
    """Print the access log of the server on stderr.

    Examples
    --------
    >>> import logging
    >>> show_access_log()
    >>> logging.getLogger("webstrata.web.server.access").isEnabledFor(logging.INFO)
    True
    """
    import logging

    log = logging.getLogger("webstrata.web.server.access")
    if not log.handlers:
        handler = logging.StreamHandler()
        log.addHandler(handler)
        log.propagate = False
    log.setLevel(logging.INFO)
