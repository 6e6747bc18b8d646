"""webstrata diff."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, complete_snapshots, json_option
from webstrata.cli.output import show_answered, show_json
from webstrata.cli.verb import note_order, verb

if TYPE_CHECKING:
    from webstrata.api import Collection
    from webstrata.store.captures import StoredCapture

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


@verb("diff", epilog="Example: webstrata diff uk 2026-06 2026-07 http://example.uk/a")
@collection_argument
@click.argument("before", metavar="SNAPSHOT", shell_complete=complete_snapshots)
@click.argument("after", metavar="SNAPSHOT", shell_complete=complete_snapshots)
@click.argument("url", metavar="URL")
@click.option("--source", is_flag=True, help="Compare the source of the page, not its visible text.")
@click.option("--context", default=3, type=click.IntRange(0), help="Unchanged lines around a change. [3]")
@json_option
def command(
    collection: Collection,
    before: str,
    after: str,
    url: str,
    context: int,
    *,
    source: bool,
    as_json: bool,
) -> None:
    """Show what changed in the text of a page between two SNAPSHOTs.

    A date or a timestamp of 14 digits instead of a SNAPSHOT stands for the last capture until then.
    Lines that are gone begin with -, new ones with +; on a terminal they are coloured.
    """
    from webstrata.collection.snapshot_dates import is_date
    from webstrata.store.differences import compare, find_captures

    if not is_date(before) and is_date(after) and is_date(url):
        before, after, url = after, url, before
        note_order("webstrata diff COLLECTION SNAPSHOT SNAPSHOT URL")

    one, two = find_captures(collection, url, before, after)
    for answered in dict.fromkeys((one.url, two.url)):
        show_answered(url, answered, f"{url} itself was not captured in both snapshots")
    difference = compare(one, two, source=source, context=context)
    if as_json:
        show_json(
            {
                "asked": url,
                "before": _tell(one),
                "after": _tell(two),
                "added": difference.added,
                "removed": difference.removed,
                "same_payload": difference.is_same_payload,
                "lines": [change.mark + change.text for change in difference.changes],
            }
        )
        return
    if not difference.changes:
        what = "source" if source else "text"
        why = "" if difference.is_same_payload or source else ", though not the source (see --source)"
        click.echo(f"The {what} is the same{why}.")
        return
    for mark, capture in (("---", one), ("+++", two)):
        moment = f"{capture.time:%Y-%m-%dT%H:%M:%SZ}"
        click.secho(f"{mark} {capture.url} {capture.label} {moment}", bold=True)
    for change in difference.changes:
        text = f"@@ {change.text} @@" if change.mark == "@" else change.mark + change.text
        click.secho(text, fg=_COLOURS.get(change.mark))


def _tell(capture: StoredCapture) -> dict[str, object]:
    return {"snapshot": capture.label, "url": capture.url, "time": capture.time, "status": capture.status}
