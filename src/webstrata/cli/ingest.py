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
from webstrata.errors import Cancelled, FormatError, UsageError
from webstrata.store.wikipedia.settings import WikipediaSettings

if TYPE_CHECKING:
    from webstrata.api import Collection
    from webstrata.store.git_history import HistoryResult
    from webstrata.store.ingest import IngestResult
    from webstrata.store.packages.check import PackageCheck
    from webstrata.store.tally import Damage
    from webstrata.store.wikipedia.tables import TablesResult

_SHOWN = 20
"""Damaged places that are printed; --json has more."""


@click.command("ingest", epilog="Example: webstrata ingest uk 2026-06 crawl/*.warc.gz trec/*.gz pages/")
@collection_argument
@click.argument("label", metavar="[SNAPSHOT]", required=False)
@click.argument("files", metavar="[FILE...]", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--wikipedia",
    "dump",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="In place of FILEs, a dump of Wikipedia or of another MediaWiki: its text, or its tables.",
)
@options(WikipediaSettings, only=("namespaces", "redirects", "source"))
@click.option(
    "--base-url",
    default="",
    metavar="URL",
    help="What a folder of HTML files stands for, as http://example.org/; with --wikipedia, what the URLs of "
    "pages begin with.",
)
@click.option(
    "--git",
    "repository",
    metavar="REPOSITORY",
    type=click.Path(path_type=Path),
    help="In place of SNAPSHOT and FILEs, a git repository with the history of a published site.",
)
@click.option(
    "--at",
    metavar="DATE,...",
    help="With --git: the dates of the snapshots to make. With --wikipedia: of a dump with all revisions, "
    "take those of this time; 2009, 2009-08 or 2009-08-10, each to its end; default: the last ones.",
)
@click.option("--host", metavar="HOST", help="With --git: the host of the site's URLs.")
@click.option("--root", metavar="FOLDER", help="With --git: the published folder; default: all of it.")
@click.option("--branch", metavar="BRANCH", help="With --git: a branch or commit; default: HEAD.")
@click.option("--scheme", metavar="SCHEME", help="With --git: https, the default, or http.")
@click.option(
    "--copy",
    type=click.Choice(["as-is", "rewrite"]),
    default="as-is",
    show_default=True,
    help="as-is: copy WARC files byte for byte and index them; rewrite: store each payload once, decoded.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="Refuse all FILEs if a digest, hash or signature does not hold, or a record is damaged.",
)
@click.option("--add", is_flag=True, help="Keep the captures that the snapshot has.")
@click.option("--again", is_flag=True, help="Replace the captures that the snapshot has.")
@json_option
def command(
    collection: Collection,
    label: str | None,
    files: tuple[Path, ...],
    dump: Path | None,
    wikipedia_options: dict[str, object],
    base_url: str,
    repository: Path | None,
    at: str | None,
    host: str | None,
    root: str | None,
    branch: str | None,
    scheme: str | None,
    copy: Literal["as-is", "rewrite"],
    *,
    add: bool,
    again: bool,
    strict: bool,
    as_json: bool,
) -> None:
    """Make the captures in FILEs those of SNAPSHOT.

    The snapshot is made if it is not there. A FILE is a WARC, ARC, TREC Web or WACZ file, compressed by gzip,
    zstd, lz4 or not at all, recognized by its content, or a folder of such files or of HTML files. The
    digests of WARC records are verified; wrong ones and damaged records are reported. In the end the pages
    are numbered, as after a crawl. After an interruption, run the same command to resume.

    Of a dump of Wikipedia come pages with text and links, or of its tables links alone.
    A FILE may also be a bundle, alone: its graph, summaries and URLs become those of SNAPSHOT.

    With --git, every DATE becomes a snapshot of that name: the HTML files of the last commit at or before the
    end of the date (UTC). Snapshots that are complete are kept when the same command runs again.
    """
    from webstrata.store.bundle import is_bundle
    from webstrata.store.ingest import discard_empty, ingest, list_sources

    chosen = {"--at": at, "--host": host, "--root": root, "--branch": branch, "--scheme": scheme}
    if repository is not None:
        if label or files or dump or base_url or add:
            raise UsageError(
                "--git makes the snapshots that --at names; leave out SNAPSHOT, FILEs, --wikipedia, "
                "--base-url and --add"
            )
        _ingest_history(collection, repository, chosen, again=again, as_json=as_json)
        return
    wikipedia_options |= {"at": chosen.pop("--at")}
    if unused := [name for name, value in chosen.items() if value is not None]:
        raise UsageError(f"{unused[0]} needs --git; name the repository of a published site with it")
    if label is None:
        raise UsageError("SNAPSHOT is missing; write the date of the snapshot, or --git REPOSITORY")
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
    chosen_copy = ["--copy", copy] if copy != "as-is" else []
    words = ["--again", *(["--base-url", base_url] if base_url else []), *chosen_copy, *map(str, files)]
    renew = "" if add else " ".join(shlex.quote(word) for word in words).replace("{", "{{").replace("}", "}}")
    is_new = label not in collection
    try:
        result = ingest(
            collection.add(label),
            files,
            base_url=base_url,
            mode=mode,
            copy=copy,
            renew=renew and f"webstrata ingest {{collection}} {{snapshot}} {renew}",
            strict=strict,
            progress=TerminalProgress(),
        )
    except KeyboardInterrupt:
        raise Cancelled("interrupted; run the same command to resume") from None
    except FormatError:
        if is_new:
            discard_empty(collection[label])
        raise
    if as_json:
        show_json({"collection": str(collection.path), "snapshot": label, **result.to_dict()})
    else:
        _show(result, f"{collection.path} {label}", copy)


def _ingest_history(
    collection: Collection, repository: Path, chosen: dict[str, str | None], *, again: bool, as_json: bool
) -> None:
    from webstrata.store.git_history import ingest_history

    if missing := [name for name in ("--host", "--at") if not chosen[name]]:
        raise UsageError(
            f"{missing[0]} is missing; --git needs the host of the URLs and the dates of the snapshots, as "
            "--host example.org --at 2026-06-01,2026-07-01"
        )
    options = {name.removeprefix("--"): value for name, value in chosen.items() if value is not None}
    labels = [label.strip() for label in options.pop("at").split(",") if label.strip()]
    try:
        result = ingest_history(
            collection,
            repository,
            at=labels,
            mode="again" if again else "new",
            progress=TerminalProgress(),
            **options,
        )
    except KeyboardInterrupt:
        raise Cancelled("interrupted; run the same command to resume") from None
    if as_json:
        show_json({"collection": str(collection.path), **result.to_dict()})
    else:
        _show_history(result, str(collection.path))


def _show_history(result: HistoryResult, where: str) -> None:
    click.echo(
        f"{where}: {tell_count(len(result.results), 'snapshot')} made in {result.seconds:.1f} s, "
        f"{len(result.states) - len(result.results)} kept."
    )
    rows = []
    for each in result.states:
        made = result.results.get(each.label)
        facts = [each.label, each.state.commit[:12], f"{each.committed:%Y-%m-%d %H:%M}"]
        rows.append([*facts, *([made.captures, made.pages, made.damaged] if made else ["kept", "", ""])])
    show_table(["snapshot", "commit", "committed (UTC)", "captures", "pages", "damaged"], rows)
    for made in result.results.values():
        _show_damage(made.damage, made.damaged)


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


def _show(result: IngestResult, where: str, copy: str = "rewrite") -> None:
    from webstrata.store.codings import MAX_PAYLOAD

    rate = result.captures / max(result.seconds, 1e-9)
    click.echo(
        f"{where}: {tell_count(result.captures, 'capture')} of {tell_count(result.files, 'file')} in "
        f"{result.seconds:.1f} s, "
        f"{rate:,.0f} captures/s; the snapshot has {tell_count(result.pages, 'page')}."
    )
    rows = [
        ["records read", result.records],
        ["WARC files copied as they are", result.copied],
        [
            f"{'kept in full' if copy == 'as-is' else 'stored as revisit'}: payload of an earlier capture",
            result.duplicates,
        ],
        ["revisit records", result.revisits],
        ["revisits of payloads that are not here", result.unresolved],
        ["left out: captures that were here already", result.repeated],
        *([f"stored, and no capture of a page: {reason}", number] for reason, number in result.kept.items()),
        *([f"left out: {reason}", number] for reason, number in result.left_out.items()),
        ["without a time, given that of the snapshot", result.undated],
        ["captured at another time than the snapshot's", result.other_time],
        [f"cut off: decoded to more than {MAX_PAYLOAD >> 20} MiB", result.cut],
        ["digests verified", result.digests],
        ["digests by unknown algorithms", result.unknown_digests],
        ["digests that do not hold", result.mismatched],
        ["damaged places", result.damaged],
    ]
    show_table(["what", "number"], [row for row in rows if row[1] or row[0] == "records read"])
    for mismatch in result.mismatches[:_SHOWN]:
        click.echo(f"wrong digest: {mismatch._replace(file=mismatch.origin)}")
    if result.mismatched > _SHOWN:
        click.echo(f"… and {result.mismatched - _SHOWN:,} more; the part warc has them in fixity.jsonl")
    _show_damage(result.damage, result.damaged)
    _show_packages(result.packages)


def _show_packages(packages: list[PackageCheck]) -> None:
    for check in packages:
        click.echo(f"WACZ {check}")
        for finding in check.findings[:_SHOWN]:
            click.echo(f"wrong: {finding}")
        if check.wrong > _SHOWN:
            click.echo(f"… and {check.wrong - _SHOWN:,} more; --json has them")


def _show_damage(damage: list[Damage], number: int) -> None:
    for place in damage[:_SHOWN]:
        click.echo(f"damaged: {place}")
    if number > _SHOWN:
        click.echo(f"… and {number - _SHOWN:,} more; --json has them")
