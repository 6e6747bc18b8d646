"""webstrata store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option, options
from webstrata.cli.output import TerminalProgress, show_bytes, show_json, show_table
from webstrata.collection.settings import ResourcesSettings
from webstrata.store.settings import StoreSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webstrata.api import Collection


@click.command("store", epilog="Example: webstrata store uk 2026-06 --parts text,links")
@collection_argument
@click.argument("label", metavar="SNAPSHOT")
@click.option("--parts", metavar="NAMES", help="Build these of text, links and anchors, needed or not.")
@click.option(
    "--renumber",
    is_flag=True,
    help="Number the nodes again first: every URL is a node, also in a snapshot of webstrata 0.1.0.",
)
@options(StoreSettings)
@options(ResourcesSettings)
@json_option
def command(
    collection: Collection,
    label: str,
    parts: str | None,
    store_options: Mapping[str, object],
    resources_options: Mapping[str, object],
    *,
    renumber: bool,
    as_json: bool,
) -> None:
    """Build text, links and anchors of SNAPSHOT where they are missing or stale.

    A crawl does this when it ends. The text and links of a page that has not changed since an earlier
    snapshot are reused.
    """
    from webstrata.store.step import build_parsed, find_unparsed
    from webstrata.store.step import renumber as number_nodes

    snapshot = collection[label]
    if renumber:
        number_nodes(snapshot, progress=TerminalProgress())
    chosen = [name.strip() for name in parts.split(",") if name.strip()] if parts else find_unparsed(snapshot)
    workers = snapshot.settings(ResourcesSettings, resources_options).num_workers
    settings = snapshot.settings(StoreSettings, store_options)
    build_parsed(snapshot, chosen, settings=settings, workers=workers, progress=TerminalProgress())
    records = [record for record in snapshot.parts if record.name in chosen]
    if as_json:
        built = {
            record.name: {"bytes": record.bytes, "seconds": record.seconds, **record.counts}
            for record in records
        }
        show_json({"collection": str(collection.path), "snapshot": label, "built": built})
    elif records:
        rows = [
            [
                record.name,
                show_bytes(record.bytes),
                f"{record.seconds:.1f} s",
                ", ".join(f"{number:,} {name}" for name, number in record.counts.items()),
            ]
            for record in records
        ]
        show_table(["part", "size", "time", "holds"], rows)
    else:
        click.echo(f"{collection.path} {label}: text, links and anchors are there, and made from its pages.")
