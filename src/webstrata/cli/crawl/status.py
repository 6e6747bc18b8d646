"""webstrata crawl status."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.crawl.running import RENAMED, running_arguments
from webstrata.cli.options import json_option
from webstrata.cli.output import show, show_json
from webstrata.cli.verb import verb

if TYPE_CHECKING:
    from webstrata.crawl.control import Client


@verb("status", renamed=RENAMED, epilog="Example: webstrata crawl status uk 2026-06 --json")
@click.option("--metrics", is_flag=True, help="Print it as Prometheus reads it.")
@json_option
@running_arguments
def command(client: Client, *, metrics: bool, as_json: bool) -> None:
    """Show how a running crawl stands."""
    from webstrata.crawl.status import CrawlStatus

    if metrics:
        click.echo(client.metrics(), nl=False)
        return
    status = CrawlStatus(client.status())
    if as_json:
        show_json(status)
    else:
        click.echo(status.summary)
        show(status)
        if status["live"]:
            click.echo(f"{len(status['live'])} settings can change while it runs; --json has their values.")
