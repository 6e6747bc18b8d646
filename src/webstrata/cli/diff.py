"""webstrata diff."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option
from webstrata.cli.output import show_answered, show_json

if TYPE_CHECKING:
    from webstrata.api import Collection
    from webstrata.store.captures import StoredCapture

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


@click.command("diff", epilog="Example: webstrata diff uk http://example.uk/a 2026-06 2026-07")
@collection_argument
@click.argument("url", metavar="URL")
@click.argument("before", metavar="SNAPSHOT")
@click.argument("after", metavar="SNAPSHOT")
@click.option("--source", is_flag=True, help="Compare the source of the page, not its visible text.")
@click.option("--context", default=3, type=click.IntRange(0), help="Unchanged lines around a change. [3]")
@json_option
def command(
    collection: Collection,
    url: str,
    before: str,
    after: str,
    context: int,
    *,
    source: bool,
    as_json: bool,
) -> None:
    """Show what changed in the text of a page between two SNAPSHOTs.

    Lines that are gone begin with -, new ones with +; on a terminal they are coloured.
    """
    from webstrata.store.differences import compare

    one, two = (collection[label].capture(url) for label in (before, after))
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
