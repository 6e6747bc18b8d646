"""webstrata export."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option
from webstrata.cli.output import TerminalProgress, show_bytes, show_json
from webstrata.collection.sentences import tell_plural
from webstrata.errors import UsageError

if TYPE_CHECKING:
    from webstrata.api import Collection
    from webstrata.store.export import Format


@click.command("export", epilog="Example: webstrata export uk 2026-06 --wacz --into uk.wacz")
@collection_argument
@click.argument("label", metavar="SNAPSHOT")
@click.option(
    "--warc", "kind", flag_value="warc", help="WARC files in a folder; in one, if PATH ends in .warc.gz."
)
@click.option("--trec", "kind", flag_value="trec", help="The pages as TREC Web documents.")
@click.option("--cdxj", "kind", flag_value="cdxj", help="The index of captures.")
@click.option(
    "--wacz", "kind", flag_value="wacz", help="WARC files, index and list of pages in one WACZ file."
)
@click.option(
    "--parquet", "kind", flag_value="parquet", help="A table of captures, with Common Crawl's columns."
)
@click.option("--wet", "kind", flag_value="wet", help="The text of the pages, as Common Crawl's WET files.")
@click.option(
    "--bundle", "kind", flag_value="bundle", help="Graph, summaries and URLs in a folder, without any text."
)
@click.option(
    "--bagit",
    "kind",
    flag_value="bagit",
    help="WARC files, index and a description in a folder with SHA-256 manifests (BagIt 1.0).",
)
@click.option(
    "--into", type=click.Path(path_type=Path), metavar="PATH", help="Where to put it. [COLLECTION-SNAPSHOT….]"
)
@json_option
def command(
    collection: Collection, label: str, kind: Format | None, into: Path | None, *, as_json: bool
) -> None:
    """Write SNAPSHOT in a format that other programs read.

    It appears under its name when it is whole. What is packed is told by the name: .gz or not.
    """
    from webstrata.store.export import ENDINGS, export

    if kind is None:
        formats = ", ".join(f"--{name}" for name in ENDINGS)
        raise UsageError(f"in what format is not clear; choose one of {formats}")
    snapshot = collection[label]
    target = into or Path(f"{collection.path.resolve().name}-{label}{ENDINGS[kind]}")
    result = export(snapshot, kind, target, progress=TerminalProgress())
    paths = [path for path in result.path.rglob("*") if path.is_file()] or [result.path]
    size = sum(path.stat().st_size for path in paths)
    if as_json:
        show_json(
            {
                "path": str(result.path),
                "format": kind,
                result.what: result.items,
                "left_out": result.left_out,
                "missing": list(result.missing),
                "bytes": size,
            }
        )
        return
    lost = f"; {result.left_out:,} cannot be told in it and are left out" if result.left_out else ""
    if result.missing:
        lost += f"; missing, since the snapshot does not have them: {', '.join(result.missing)}"
    click.echo(f"{result.path}: {tell_plural(result.items, result.what)}, {show_bytes(size)}{lost}.")
