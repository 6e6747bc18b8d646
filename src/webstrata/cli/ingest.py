"""webstrata ingest."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from webstrata.cli.options import collection_argument, json_option, optional_snapshot_argument, options
from webstrata.cli.output import TerminalProgress, show, show_json
from webstrata.cli.verb import verb
from webstrata.collection.sentences import tell_count
from webstrata.errors import Cancelled, UsageError
from webstrata.store.wikipedia.settings import WikipediaSettings

if TYPE_CHECKING:
    from webstrata.api import Collection
    from webstrata.archive.packages.check import PackageCheck
    from webstrata.archive.tally import Damage
    from webstrata.graph.releases.ingest import ReleaseResult
    from webstrata.store.ingest.git_history import HistoryResult
    from webstrata.store.ingest.run import IngestResult

_SHOWN = 20
"""Damaged places that are printed; --json has more."""


@verb("ingest", epilog="Example: webstrata ingest uk 2026-06 crawl/*.warc.gz trec/*.gz pages/")
@collection_argument
@optional_snapshot_argument
@click.argument("files", metavar="[FILE...]", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--wikipedia",
    "dump",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Instead of FILEs, a dump of Wikipedia or of another MediaWiki: its text, or its tables.",
)
@click.option(
    "--webgraph",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Instead of FILEs, a web graph release of Common Crawl: vertices, edges or BVGraph, and ranks.",
)
@click.option(
    "--arc-labels",
    "arc_labels",
    metavar="BASENAME",
    type=click.Path(path_type=Path),
    help="Instead of SNAPSHOT and FILEs, a graph of WebGraph with the snapshots of each arc as its label.",
)
@click.option(
    "--urls",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="With --arc-labels: the URL of each node, one per line; default: BASENAME.urls.",
)
@click.option(
    "--wikilinks",
    "links_file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Instead of FILEs, the links of a Wikipedia as WikiLinkGraphs publishes them "
    "(enwiki.wikilink_graph.2018-03-01.csv.gz).",
)
@options(WikipediaSettings, only=("namespaces", "redirects", "source"))
@click.option(
    "--base-url",
    default="",
    metavar="URL",
    help="What a folder of HTML files stands for, as http://example.org/; with --wikipedia and --wikilinks, "
    "what the URLs of pages begin with.",
)
@click.option(
    "--git",
    "repository",
    metavar="REPOSITORY",
    type=click.Path(path_type=Path),
    help="Instead of SNAPSHOT and FILEs, a git repository with the history of a published site.",
)
@click.option(
    "--at",
    metavar="DATE,...",
    help="With --git and --arc-labels: the dates of the snapshots to make. With --wikipedia: of a dump with "
    "all revisions, take those of this time; 2009, 2009-08 or 2009-08-10, each to its end; default: the last "
    "ones.",
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
    webgraph: Path | None,
    arc_labels: Path | None,
    urls: Path | None,
    links_file: Path | None,
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
    """Import the captures in FILEs into SNAPSHOT.

    The snapshot is made if it is not there. A FILE is a WARC, ARC, TREC Web or WACZ file, compressed by gzip,
    zstd, lz4 or not at all, recognized by its content, or a folder of such files or of HTML files. The
    digests of WARC records are verified; wrong ones and damaged records are reported. In the end the pages
    are numbered, as after a crawl. After an interruption, run the same command to resume.

    Of a dump of Wikipedia come pages with text and links, or of its tables links alone.
    A FILE may also be a bundle, alone: its graph, summaries and URLs become those of SNAPSHOT.
    With --arc-labels, the graph of every DATE becomes a snapshot, and their union is built.
    Of a web graph release come hosts or domains as nodes, the arcs between them, and its ranks.

    With --git, every DATE becomes a snapshot of that name: the HTML files of the last commit at or before the
    end of the date (UTC). Snapshots that are complete are kept when the same command runs again.
    """
    from webstrata.graph.releases.ingest import ReleaseResult
    from webstrata.pipeline.ingesting import ingest_anything
    from webstrata.store.ingest.into import BundleResult
    from webstrata.store.wikipedia.tables import TablesResult

    chosen = {"--at": at, "--host": host, "--root": root, "--branch": branch, "--scheme": scheme}
    if repository is not None:
        if label or files or dump or links_file or webgraph or base_url or add:
            raise UsageError(
                "--git makes the snapshots that --at names; leave out SNAPSHOT, FILEs, --wikipedia, "
                "--wikilinks, --webgraph, --base-url and --add"
            )
        _ingest_history(collection, repository, chosen, again=again, as_json=as_json)
        return
    if arc_labels is not None:
        if label or files or dump or links_file or webgraph or base_url or add or again:
            raise UsageError(
                "--arc-labels makes the snapshots that --at names; leave out everything else but --urls"
            )
        _ingest_arc_labels(collection, arc_labels, at or "", urls, as_json=as_json)
        return
    if urls is not None:
        raise UsageError("--urls needs --arc-labels; name the basename of an arc-labelled graph with it")
    wikipedia_options |= {"at": chosen.pop("--at")}
    if unused := [name for name, value in chosen.items() if value is not None]:
        raise UsageError(f"{unused[0]} needs --git; name the repository of a published site with it")
    if label is None:
        raise UsageError("SNAPSHOT is missing; write the date of the snapshot, or --git REPOSITORY")
    try:
        result = ingest_anything(
            collection,
            label,
            files,
            wikipedia=dump,
            webgraph=webgraph,
            wikilinks=links_file,
            options=wikipedia_options,
            base_url=base_url,
            copy=copy,
            strict=strict,
            add=add,
            again=again,
            progress=TerminalProgress(),
        )
    except KeyboardInterrupt:
        raise Cancelled(
            "interrupted; the snapshot is as it was"
            if dump or links_file or webgraph
            else "interrupted; run the same command to resume"
        ) from None
    if as_json:
        show_json({"collection": str(collection.path), "snapshot": label, **result.to_dict()})
    elif isinstance(result, ReleaseResult):
        _show_release(result, f"{collection.path} {label}")
    elif isinstance(result, TablesResult):
        click.echo(f"{collection.path} {label}: {result.summary}")
        show(result)
        _show_damage(result.damage, result.damaged)
    elif isinstance(result, BundleResult):
        click.echo(
            f"{collection.path} {label}: {', '.join(result.parts)} of {files[0]}; the snapshot has "
            f"{tell_count(result.pages, 'page')}, and no text."
        )
    else:
        _show(result, f"{collection.path} {label}")


def _ingest_history(
    collection: Collection, repository: Path, chosen: dict[str, str | None], *, again: bool, as_json: bool
) -> None:
    from webstrata.store.ingest.git_history import ingest_history

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


def _ingest_arc_labels(
    collection: Collection, basename: Path, at: str, urls: Path | None, *, as_json: bool
) -> None:
    dates = [date.strip() for date in at.split(",") if date.strip()]
    result = collection.ingest_arc_labels(basename, at=dates, urls=urls, progress=TerminalProgress())
    if as_json:
        show_json({"collection": str(collection.path), **result.to_dict()})
        return
    click.echo(
        f"{collection.path}: {tell_count(len(result.snapshots), 'snapshot')} with "
        f"{tell_count(result.nodes, 'node')}, {tell_count(result.arcs, 'arc')} and "
        f"{tell_count(result.instances, 'link instance')}; "
        f"{result.label_bits / max(result.arcs, 1):.3f} bits per label as published."
    )


def _show_history(result: HistoryResult, where: str) -> None:
    click.echo(
        f"{where}: {tell_count(len(result.results), 'snapshot')} made in {result.seconds:.1f} s, "
        f"{len(result.states) - len(result.results)} kept."
    )
    show(result)
    for made in result.results.values():
        _show_damage(made.damage, made.damaged)


def _show_release(result: ReleaseResult, where: str) -> None:
    repeated = f", {result.repeated:,} of them again," if result.repeated else ""
    click.echo(
        f"{where}: {tell_count(result.nodes, result.level)} and {tell_count(result.arcs, 'arc')}{repeated} "
        f"of {result.name} ({result.form}, {tell_count(result.files, 'file')}) in {result.seconds:.1f} s; "
        f"{result.bits / max(result.arcs, 1):.3f} bits per arc, published ranks of "
        f"{tell_count(result.ranked, result.level)}."
    )


def _show(result: IngestResult, where: str) -> None:
    click.echo(f"{where}: {result.summary}")
    show(result)
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
