"""webstrata get."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from webstrata.cli.options import (
    at_option,
    check_url,
    collection_argument,
    json_option,
    page_argument,
    split_page,
)
from webstrata.cli.output import show_answered, show_json
from webstrata.cli.verb import verb
from webstrata.errors import UsageError

if TYPE_CHECKING:
    from webstrata.api import Collection


@verb("get", epilog="Example: webstrata get uk http://example.uk/a --at 2026-06-12 --text")
@collection_argument
@page_argument
@at_option("The last capture at or before this date: 2026, 2026-06, 2026-06-12 or 20260612183000.")
@click.option("--raw", is_flag=True, help="The whole answer as it is stored: status line, headers, payload.")
@click.option("--text", is_flag=True, help="The visible text of the page.")
@click.option("--main", "only_main", is_flag=True, help="With --text: of the text only what is main content.")
@click.option("--headers", is_flag=True, help="Status line and headers.")
@json_option
def command(
    collection: Collection,
    words: tuple[str, ...],
    at: str | None,
    *,
    raw: bool,
    text: bool,
    only_main: bool,
    headers: bool,
    as_json: bool,
) -> None:
    """Print the last capture of URL, or the last one at or before a time.

    Prints its payload, from SNAPSHOT, or from the last snapshot that has it; a capture stored as
    revisit has the payload that it refers to. With --json, prints what is known of the capture. If URL itself
    was not captured, but the same with https or http, with or without www., that is printed, and a note says
    so.
    """
    if raw + text + headers + as_json > 1:
        raise UsageError("--raw, --text, --headers and --json are four ways to show a capture; choose one")
    if only_main and not text:
        raise UsageError("--main chooses from the text of a page; add --text")
    snapshot, url = split_page(words)
    if snapshot is not None and at is not None:
        raise UsageError("SNAPSHOT and --at both say when; leave one of them out")
    check_url(url)
    capture = collection.capture(url, at) if snapshot is None else collection[snapshot].capture(url)
    show_answered(url, capture.url, f"{url} itself was not captured")
    if as_json:
        show_json(
            {
                "asked": url,
                "url": capture.url,
                "time": capture.time,
                "snapshot": capture.label,
                "status": capture.status,
                "mime": capture.mime,
                "revisit": capture.is_revisit,
                "headers": capture.headers,
                "fixity": capture.entry.fields.get("fixity"),
                **{name: capture.entry.fields[name] for name in ("digest", "filename")},
                **{name: int(capture.entry.fields[name]) for name in ("offset", "length")},
            }
        )
    elif text:
        click.echo(capture.main if only_main else capture.text)
    else:
        pieces = [capture.head] if headers or raw else []
        pieces += [] if headers else [capture.raw_payload if raw else capture.payload]
        for piece in pieces:
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
