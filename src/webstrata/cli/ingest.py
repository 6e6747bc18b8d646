"""webstrata ingest."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from webstrata.cli.options import collection_argument, json_option, options
from webstrata.cli.output import TerminalProgress, show_json, show_table
from webstrata.collection.collection import check_label
from webstrata.collection.sentences import tell_count
from webstrata.errors import Cancelled, UsageError
from webstrata.store.wikipedia.settings import WikipediaSettings

if TYPE_CHECKING:
    from webstrata.api import Collection
    from webstrata.store.ingest import IngestResult
    from webstrata.store.tally import Damage
    from webstrata.store.wikipedia.tables import TablesResult

_SHOWN = 20
"""Damaged places that are printed; --json has more."""


@click.command("ingest", epilog="Example: webstrata ingest uk 2026-06 crawl/*.warc.gz trec/*.gz pages/")
@collection_argument
@click.argument("label", metavar="SNAPSHOT")
@click.argument("files", metavar="[FILE...]", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--wikipedia",
    "dump",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="In place of FILEs, a dump of Wikipedia or of another MediaWiki: its text, or its tables.",
)
@options(WikipediaSettings)
@click.option(
    "--base-url",
    default="",
    metavar="URL",
    help="What a folder of HTML files stands for, as http://example.org/; with --wikipedia, what the URLs of "
    "pages begin with.",
)
@click.option("--add", is_flag=True, help="Keep the captures that the snapshot has.")
@click.option("--again", is_flag=True, help="Replace the captures that the snapshot has.")
@json_option
def command(
    collection: Collection,
    label: str,
    files: tuple[Path, ...],
    dump: Path | None,
    wikipedia_options: dict[str, object],
    base_url: str,
    *,
    add: bool,
    again: bool,
    as_json: bool,
) -> None:
    """Make the captures in FILEs those of SNAPSHOT.

    The snapshot is made if it is not there. A FILE is a WARC, ARC, TREC Web or WACZ file, packed by gzip,
    zstd, lz4 or not at all, told by what it holds, or a folder of such files or of HTML files. What is
    damaged is passed over and told. In the end the pages are numbered, as after a crawl. If it is broken
    off, however that happens, the same command goes on behind the files that were read to their end.

    Of a dump of Wikipedia come pages with text and links, or of its tables links alone.
    A FILE may also be a bundle, alone: its graph, summaries and URLs become those of SNAPSHOT.
    """
    from webstrata.store.bundle import is_bundle
    from webstrata.store.ingest import ingest, list_sources

    if any(map(is_bundle, files)):
        if len(files) > 1 or add or again or base_url:
            raise UsageError(
                "a bundle is taken over whole: name it alone, without --add, --again and --base-url"
            )
        _import(collection, label, files[0], as_json=as_json)
        return
    if add and again:
        raise UsageError("--add keeps the captures and --again replaces them; choose one")
    mode: Literal["new", "again", "add"]
    if bool(files) == bool(dump):
        raise UsageError("name files of pages, or a dump with --wikipedia; one of the two")
    check_label(label)
    if dump is not None:
        mode = "add" if add else "again" if again else "new"
        _ingest_dump(collection, label, dump, wikipedia_options, base_url, mode, as_json=as_json)
        return
    if unused := [name for name, value in wikipedia_options.items() if value is not None]:
        raise UsageError(f"--{unused[0]} is said of a dump; name one with --wikipedia")
    list_sources(files, base_url=base_url)  # what cannot be read is told before a snapshot is made for it
    mode = "add" if add else "again" if again else "new"
    words = ["--again", *(["--base-url", base_url] if base_url else []), *map(str, files)]
    renew = "" if add else " ".join(shlex.quote(word) for word in words).replace("{", "{{").replace("}", "}}")
    try:
        result = ingest(
            collection.add(label),
            files,
            base_url=base_url,
            mode=mode,
            renew=renew and f"webstrata ingest {{collection}} {{snapshot}} {renew}",
            progress=TerminalProgress(),
        )
    except KeyboardInterrupt:
        raise Cancelled("interrupted; the same command goes on behind the files that were read") from None
    if as_json:
        show_json({"collection": str(collection.path), "snapshot": label, **result.to_dict()})
    else:
        _show(result, f"{collection.path} {label}")


def _ingest_dump(
    collection: Collection,
    label: str,
    dump: Path,
    chosen: dict[str, object],
    base_url: str,
    mode: Literal["new", "again", "add"],
    *,
    as_json: bool,
) -> None:
    from webstrata.store.wikipedia.ingest import check_dump, ingest_dump
    from webstrata.store.wikipedia.tables import TablesResult

    settings = collection.settings(WikipediaSettings, chosen)
    if label in collection:  # it may have settings of its own
        settings = collection[label].settings(WikipediaSettings, chosen)
    check_dump(dump, base_url=base_url, settings=settings)  # before a snapshot is made for it
    said = [text for name, value in chosen.items() if value is not None for text in (f"--{name}", str(value))]
    words = ["--again", "--wikipedia", str(dump), *(["--base-url", base_url] if base_url else []), *said]
    renew = " ".join(shlex.quote(word) for word in words).replace("{", "{{").replace("}", "}}")
    try:
        result = ingest_dump(
            collection.add(label),
            dump,
            base_url=base_url,
            settings=settings,
            mode=mode,
            renew=f"webstrata ingest {{collection}} {{snapshot}} {renew}",
            progress=TerminalProgress(),
        )
    except KeyboardInterrupt:
        raise Cancelled("interrupted; the snapshot is as it was") from None
    if as_json:
        show_json({"collection": str(collection.path), "snapshot": label, **result.to_dict()})
    elif isinstance(result, TablesResult):
        _show_tables(result, f"{collection.path} {label}")
    else:
        _show(result, f"{collection.path} {label}")


def _show_tables(result: TablesResult, where: str) -> None:
    rate = result.rows / max(result.seconds, 1e-9)
    click.echo(
        f"{where}: {tell_count(result.rows, 'row')} of {tell_count(result.files, 'table')} in "
        f"{result.seconds:.1f} s, {rate:,.0f} "
        f"rows/s; the snapshot has {tell_count(result.pages, 'page')} and "
        f"{tell_count(result.links, 'link')}, and no text."
    )
    rows = [
        ["redirects", result.redirects],
        ["redirects that lead to no page", result.lost_redirects],
        *([f"left out: {reason}", number] for reason, number in result.left_out.items()),
        ["damaged places", result.damaged],
    ]
    show_table(["what", "number"], [row for row in rows if row[1] or row[0] == "redirects"])
    _show_damage(result.damage, result.damaged)


def _import(collection: Collection, label: str, bundle: Path, *, as_json: bool) -> None:
    from webstrata.store.bundle import check_bundle, import_bundle

    check_label(label)
    check_bundle(bundle, parts_alone=True)  # before a snapshot is made for it
    snapshot = collection.add(label)
    names = import_bundle(bundle, snapshot, progress=TerminalProgress())
    if as_json:
        found = {"collection": str(collection.path), "snapshot": label, "parts": list(names)}
        show_json(found | {"pages": len(snapshot.urls)})
    else:
        click.echo(
            f"{collection.path} {label}: {', '.join(names)} of {bundle}; the snapshot has "
            f"{tell_count(len(snapshot.urls), 'page')}, and no text."
        )


def _show(result: IngestResult, where: str) -> None:
    from webstrata.store.answers import MAX_PAYLOAD

    rate = result.captures / max(result.seconds, 1e-9)
    click.echo(
        f"{where}: {tell_count(result.captures, 'capture')} of {tell_count(result.files, 'file')} in "
        f"{result.seconds:.1f} s, "
        f"{rate:,.0f} captures/s; the snapshot has {tell_count(result.pages, 'page')}."
    )
    rows = [
        ["records read", result.records],
        ["stored as revisit: the payload was there", result.duplicates],
        ["revisits, as they were", result.revisits],
        ["revisits of payloads that are not here", result.unresolved],
        ["left out: captures that were here already", result.repeated],
        *([f"left out: {reason}", number] for reason, number in result.left_out.items()),
        ["without a time, given that of the snapshot", result.undated],
        ["captured at another time than the snapshot's", result.other_time],
        [f"cut off: unpacked to more than {MAX_PAYLOAD >> 20} MiB", result.cut],
        ["damaged places", result.damaged],
    ]
    show_table(["what", "number"], [row for row in rows if row[1] or row[0] == "records read"])
    _show_damage(result.damage, result.damaged)


def _show_damage(damage: list[Damage], number: int) -> None:
    for place in damage[:_SHOWN]:
        click.echo(f"damaged: {place}")
    if number > _SHOWN:
        click.echo(f"… and {number - _SHOWN:,} more; --json has them")
