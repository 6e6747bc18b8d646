"""webstrata crawl COLLECTION SNAPSHOT: the crawl itself."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webstrata.cli.crawl.dashboard import CrawlProgress
from webstrata.cli.crawl.sections import SECTIONS
from webstrata.cli.options import collection_argument, json_option, options, snapshot_argument
from webstrata.cli.output import TerminalProgress, show, show_bytes, show_json
from webstrata.cli.verb import Verb, verb
from webstrata.collection.settings import ResourcesSettings
from webstrata.crawl.settings import CrawlSettings

if TYPE_CHECKING:
    from webstrata.api import Collection, Snapshot
    from webstrata.crawl.results import CrawlResult
    from webstrata.crawl.run import Crawl


class Start(Verb):
    """The crawl itself; its help lists the commands too."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands, then the example."""
        from webstrata.cli.crawl import COMMANDS

        with formatter.section(
            "Commands for a running crawl, as `webstrata crawl status COLLECTION SNAPSHOT`"
        ):
            formatter.write_dl([(name, text) for name, (_, text) in sorted(COMMANDS.items())])
        super().format_epilog(ctx, formatter)


@verb(
    "crawl",
    cls=Start,
    renamed={"--limit": "--max-pages"},
    named={"preset": "--invitro"},
    sections=SECTIONS,
    epilog="Example: webstrata crawl uk 2026-06 --seeds seeds.txt --max-pages 100000 "
    '--user-agent "me/1.0 (+https://…)"',
)
@collection_argument
@snapshot_argument
@click.option("--seeds", type=click.Path(), help="A file with one URL per line, `-` for the standard input.")
@click.option("--invitro", metavar="PRESET", help="Crawl this synthetic web, served for as long as it takes.")
@click.option("--invitro-seed", default=0, help="Which web of that kind. [0]")
@click.option("--month", default=0, help="Which month of it. [0]")
@click.option("--log", type=click.Path(path_type=Path), help="Write the requests to it, for `invitro judge`.")
@click.option(
    "--gate",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Leave hosts alone whose first pages this gate refuses; `webstrata classify gate` learns one.",
)
@click.option(
    "--gate-links/--no-gate-links",
    default=True,
    help="Let it look at what linked hosts are, too. [with links]",
)
@click.option(
    "--control",
    metavar="HOST:PORT",
    help="Listen there too, for whoever has the token; 127.0.0.1:0 for any port.",
)
@click.option(
    "--control-token",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where the token is; without it one is made, and shown once.",
)
@click.option("--again", is_flag=True, help="Replace what an earlier crawl of this snapshot brought.")
@click.option(
    "--parse-pages/--no-parse-pages",
    default=True,
    help="Build text, links and anchors at the end; else `webstrata store` does.",
)
@json_option
@options(CrawlSettings)
def command(
    collection: Collection,
    label: str,
    seeds: str | None,
    invitro: str | None,
    invitro_seed: int,
    month: int,
    log: Path | None,
    gate: Path | None,
    control: str | None,
    control_token: Path | None,
    crawl_options: dict[str, Any],
    *,
    gate_links: bool,
    again: bool,
    parse_pages: bool,
    as_json: bool,
) -> None:
    """Crawl part of the web into SNAPSHOT, which is created if it does not exist.

    The crawl ends when no URLs are left or a limit is reached; then its pages are numbered, and `webstrata
    show` lists them. Ctrl-C ends it in order, and the same command resumes. With --invitro a synthetic web is
    served and crawled from its home pages, with delays that fit it, and its captures are dated as if the run
    had started on the date of SNAPSHOT. With --continuous and no SNAPSHOT, the crawl visits pages again when
    that is worth it, until you stop it: `webstrata crawl COLLECTION --continuous --help` lists the options.
    """
    from webstrata.collection.snapshot_dates import check_date
    from webstrata.crawl.control.listener import open_listener
    from webstrata.crawl.recovery import is_finished
    from webstrata.pipeline.crawl_snapshot import crawl_snapshot

    check_date(label)
    if label in collection and is_finished(collection[label]) and not again:
        _finish(collection[label], parses=parse_pages, as_json=as_json)
        return
    progress = CrawlProgress()
    with open_listener(control, control_token) as listener:

        def watch(crawl: Crawl) -> None:
            progress.watch(crawl)
            if listener.place is not None:
                token = f"token {listener.token}" if control_token is None else f"token in {control_token}"
                progress.note(f"Listening at {listener.place[0]}:{listener.place[1]}, {token}.")

        result = crawl_snapshot(
            collection,
            label,
            seeds=sys.stdin.read().splitlines() if seeds == "-" else Path(seeds) if seeds else None,
            invitro=invitro,
            invitro_seed=invitro_seed,
            month=month,
            log=log,
            gate=gate,
            gate_links=gate_links,
            again=again,
            parse_pages=parse_pages,
            options=crawl_options,
            listener=listener,
            watch=watch,
            progress=progress,
        )
    if as_json:
        show_json({"collection": str(collection.path), "snapshot": label, **result.to_dict()})
    else:
        _show(result, f"{collection.path} {label}")


def _finish(snapshot: Snapshot, *, parses: bool, as_json: bool) -> None:
    """Report that nothing is left to fetch, after building the parts that an interrupted crawl owes."""
    from webstrata.crawl.ending import finish_parts

    workers = snapshot.settings(ResourcesSettings).num_workers
    built = finish_parts(snapshot, workers=workers, progress=TerminalProgress()) if parses else []
    if as_json:
        show_json({"finished": True, "built": built})
        return
    where = f"{snapshot.collection.path} {snapshot.date}"
    if built:
        click.echo(f"{where}: {', '.join(built)} were missing or stale after the crawl and are built now.")
    click.echo(f"{where} is finished; --again crawls it again.")


def _show(result: CrawlResult, where: str) -> None:
    click.echo(f"{where}: {result.summary}")
    show(result)
    counters = result.counters
    click.echo(f"{show_bytes(counters['bytes'])} received, {show_bytes(counters['stored'])} stored.")
