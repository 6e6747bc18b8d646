"""webstrata export."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webstrata.cli.options import collection_argument, json_option, snapshot_argument
from webstrata.cli.output import TerminalProgress, show_bytes, show_json
from webstrata.cli.verb import verb
from webstrata.collection.sentences import tell_plural
from webstrata.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from webstrata.api import Collection
    from webstrata.store.export import Format


FORMATS = {
    "warc": "WARC files in a folder; in one file, if PATH ends in .warc.gz.",
    "trec": "The pages as TREC Web documents.",
    "cdxj": "The index of captures.",
    "wacz": "WARC files, index and list of pages in one WACZ file.",
    "parquet": "A table of captures, with Common Crawl's columns.",
    "wet": "The text of the pages, as Common Crawl's WET files.",
    "bundle": "Graph, summaries and URLs in a folder, without any text.",
    "bagit": "WARC files, index and a description in a folder with SHA-256 manifests (BagIt 1.0).",
}


def _format_options(command: Callable[..., None]) -> Callable[..., None]:
    """One flag per format, of which a command gets the one that was chosen as `kind`."""

    @functools.wraps(command)
    def choose(**values: Any) -> None:  # noqa: ANN401
        chosen = [name for name in FORMATS if values.pop(f"as_{name}")]
        if len(chosen) > 1:
            given = " and ".join(f"--{name}" for name in chosen)
            raise UsageError(f"{given}: one format at a time; run the command once for each")
        command(**values, kind=chosen[0] if chosen else None)

    for name, about in reversed(FORMATS.items()):
        choose = click.option(f"--{name}", f"as_{name}", is_flag=True, help=about)(choose)
    return choose


@verb(
    "export",
    renamed={"--into": "--output"},
    epilog="Example: webstrata export uk 2026-06 --wacz --output uk.wacz",
)
@collection_argument
@snapshot_argument
@_format_options
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="File or folder to write. [COLLECTION-SNAPSHOT….]",
)
@json_option
def command(
    collection: Collection, label: str, kind: Format | None, output: Path | None, *, as_json: bool
) -> None:
    """Write SNAPSHOT in a format that other programs read.

    It appears under its name when it is complete. The name decides on compression: .gz or not.
    """
    from webstrata.store.export import ENDINGS

    if kind is None:
        formats = ", ".join(f"--{name}" for name in ENDINGS)
        raise UsageError(f"in what format is not clear; choose one of {formats}")
    snapshot = collection[label]
    result = snapshot.export(kind, output, progress=TerminalProgress())
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
