"""webstrata store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option, options, snapshot_argument
from webstrata.cli.output import TerminalProgress, show, show_json
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
    from webstrata.pipeline.steps import store_snapshot

    snapshot = collection[label]
    built = store_snapshot(
        snapshot,
        store_options,
        parts=parts,
        renumber=renumber,
        workers=snapshot.settings(ResourcesSettings, resources_options).num_workers,
        progress=TerminalProgress(),
    )
    if as_json:
        document = {
            name: {"bytes": record.bytes, "seconds": record.seconds, **record.counts}
            for name, record in built.items()
        }
        show_json({"collection": str(collection.path), "snapshot": label, "built": document})
    elif built:
        show(built)
    else:
        click.echo(f"{collection.path} {label}: text, links and anchors are there, and made from its pages.")
