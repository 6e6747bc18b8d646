"""webstrata links-server: the connectivity server over HTTP."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option
from webstrata.cli.output import show_json
from webstrata.collection.sentences import tell_count

if TYPE_CHECKING:
    from webstrata.api import Collection


@click.command("links-server", epilog="Example: webstrata links-server uk 2026-06 --port 8080")
@collection_argument
@click.argument("label", metavar="SNAPSHOT")
@click.option("--host", default="127.0.0.1", help="The address to listen at. [127.0.0.1]")
@click.option(
    "--port", default=0, type=click.IntRange(0, 65535), help="Where to listen; 0 for any free port. [0]"
)
@click.option("--seconds", type=float, help="Stop after so long; else serve until Ctrl-C.")
@json_option
def command(
    collection: Collection, label: str, host: str, port: int, seconds: float | None, *, as_json: bool
) -> None:
    """Answer questions about the links of SNAPSHOT over HTTP.

    Who links to whom, what pages have in common, what is near them: one page by GET, many by POST, as JSON or
    Arrow. What can be asked is described at /openapi.json.
    """
    from webstrata.serve.http_api.links import make_links_app
    from webstrata.serve.http_api.running import Server

    links = collection[label].connectivity
    server = Server(make_links_app(links), host=host, port=port)
    with suppress(KeyboardInterrupt):  # Ctrl-C is how a server is meant to end
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
            click.echo(f"{server.url}/openapi.json says what can be asked. Ctrl-C ends it.")
        server.run(seconds)
