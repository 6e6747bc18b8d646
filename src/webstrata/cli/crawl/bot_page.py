"""webstrata crawl bot-page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webstrata.cli.options import collection_argument, options
from webstrata.cli.verb import verb
from webstrata.crawl.settings import CrawlSettings

if TYPE_CHECKING:
    from webstrata.api import Collection


@verb("bot-page", epilog="Example: webstrata crawl bot-page uk --output crawler.html")
@collection_argument
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Where to write the page; by default it is printed.",
)
@options(CrawlSettings)
def command(collection: Collection, output: Path | None, crawl_options: dict[str, Any]) -> None:
    """Write a page for people who meet the crawler on their hosts.

    It says who crawls, how to reach them, how to keep the crawler out, and how polite it is, from the
    settings of COLLECTION. Put it where the user agent points to.
    """
    from webstrata.collection.files import replace_file
    from webstrata.crawl.bot_page import write_bot_page

    settings = collection.settings(CrawlSettings, crawl_options)
    text = write_bot_page(settings, title=collection.title)
    if output is None:
        click.echo(text, nl=False)
        return
    replace_file(output, text.encode())
    click.echo(f"{output}: a page about {settings.user_agent}.")
