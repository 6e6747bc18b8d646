"""webstrata store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option, options, snapshot_argument
from webstrata.cli.output import TerminalProgress, show_bytes, show_json, show_table
from webstrata.cli.verb import verb
from webstrata.collection.settings import ResourcesSettings
from webstrata.store.settings import StoreSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webstrata.api import Collection


@verb("store", epilog="Example: webstrata store uk 2026-06 --parts text,links")
@collection_argument
@snapshot_argument
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
    from webstrata.pipeline.build import choose_settings, remember_settings
    from webstrata.store.build import build_parsed, find_unparsed, is_numbered_for
    from webstrata.store.build import renumber as number_nodes

    snapshot = collection[label]
    settings = choose_settings(snapshot, "text", store_options, progress=TerminalProgress())
    if renumber or not is_numbered_for(snapshot, settings):
        number_nodes(snapshot, settings=settings, progress=TerminalProgress())
    chosen = [name.strip() for name in parts.split(",") if name.strip()] if parts else find_unparsed(snapshot)
    workers = snapshot.settings(ResourcesSettings, resources_options).num_workers
    build_parsed(snapshot, chosen, settings=settings, workers=workers, progress=TerminalProgress())
    remember_settings(snapshot, "text", store_options)
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
