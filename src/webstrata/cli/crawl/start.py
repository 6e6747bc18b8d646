"""webstrata crawl COLLECTION SNAPSHOT: the crawl itself."""

from __future__ import annotations

import shlex
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webstrata.cli.crawl.dashboard import CrawlProgress
from webstrata.cli.options import collection_argument, json_option, options
from webstrata.cli.output import TerminalProgress, show_bytes, show_json, show_table
from webstrata.collection.sentences import tell_count
from webstrata.collection.settings import ResourcesSettings
from webstrata.crawl.settings import CrawlSettings
from webstrata.errors import UsageError, WebstrataError

if TYPE_CHECKING:
    from webstrata.api import Collection, Snapshot
    from webstrata.classify.gate import Gate
    from webstrata.crawl.control import Listener
    from webstrata.crawl.hosts import Hosts
    from webstrata.crawl.results import CrawlResult


@click.command(
    "crawl",
    epilog='Example: webstrata crawl uk 2026-06 --seeds seeds.txt --limit 100000 --user-agent "me/1.0 (+https://…)"',
)
@collection_argument
@click.argument("label", metavar="SNAPSHOT")
@click.option("--seeds", type=click.Path(), help="A file with a URL a line, `-` for the standard input.")
@click.option("--limit", type=click.IntRange(0), help="The same as --max-pages.")
@click.option("--invitro", metavar="PRESET", help="Crawl this in-vitro web, served for as long as it takes.")
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
    limit: int | None,
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
    """Crawl a piece of the web into SNAPSHOT, which is made if it is not there.

    It ends when nothing is left or a limit is reached; then the pages are numbered, and `webstrata show` has
    them. Ctrl-C ends it in order. With --invitro an in-vitro web is served and crawled from its home pages,
    with delays that fit it, and its captures are dated as if it had begun when SNAPSHOT did.
    """
    from webstrata.crawl.changes import kept_changes
    from webstrata.crawl.recovery import can_go_on, is_finished
    from webstrata.crawl.run import Crawl
    from webstrata.crawl.seeds import name_source
    from webstrata.simulate.invitro.server import fitting_settings
    from webstrata.simulate.invitro.web import Web

    if limit is not None:
        crawl_options["max_pages"] = limit
    if label in collection and is_finished(collection[label]) and not again:
        _finish(collection[label], parses=parse_pages, as_json=as_json)
        return
    goes_on = label in collection and not again and can_go_on(collection[label])
    if (seeds is not None and invitro is not None) or (seeds is None and invitro is None and not goes_on):
        raise UsageError("what to crawl is not clear: give --seeds FILE, or --invitro PRESET")
    progress = CrawlProgress()
    with ExitStack() as stack:
        listener = stack.enter_context(_listen(control, control_token))
        hosts: Hosts = {}
        fitting: dict[str, Any] = {}
        if invitro is not None:
            web = Web(invitro, seed=invitro_seed)
            server = stack.enter_context(web.serve(month, origins=True, log=log))
            hosts = {name: (address, server.port) for name, address in server.addresses().items()}
            lines = web.home_pages(month)
            fitting = fitting_settings(web) | {"dated": label}
        else:
            lines = _read_lines(seeds) if seeds is not None else []
        is_new = label not in collection
        snapshot = collection.add(label)
        try:
            # what was changed while an earlier run was under way counts less than an option alone
            changed = {} if again else kept_changes(snapshot).settings
            told = {name: value for name, value in crawl_options.items() if value is not None}
            keeper, wanted = _open_gate(gate, links=gate_links)
            settings = snapshot.settings(CrawlSettings, wanted | fitting | changed | told)
            crawl = Crawl(
                snapshot,
                settings,
                seeds=lines,
                hosts=hosts,
                gate=keeper,
                parses=parse_pages,
                processes=snapshot.settings(ResourcesSettings).num_workers,
                progress=progress,
                listener=listener,
            )
        except WebstrataError:
            if is_new:
                snapshot.path.rmdir()
            raise
        if is_new:  # what cannot be crawled leaves nothing behind
            stack.callback(_remove_empty, snapshot.path)
        progress.watch(crawl)
        if listener.place is not None:
            token = f"token {listener.token}" if control_token is None else f"token in {control_token}"
            progress.note(f"Listening at {listener.place[0]}:{listener.place[1]}, {token}.")
        words = name_source(seeds, invitro, invitro_seed, month) + settings.to_options(told)
        words += f" --gate {shlex.quote(str(gate))}" if gate else ""
        renew = f"webstrata crawl {{collection}} {{snapshot}} --again {words}"
        result = crawl.run(renew=renew, again=again)
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
    where = f"{snapshot.collection.path} {snapshot.label}"
    if built:
        click.echo(f"{where}: {', '.join(built)} were missing or stale after the crawl and are built now.")
    click.echo(f"{where} is finished; --again crawls it again.")


def _open_gate(path: Path | None, *, links: bool) -> tuple[Gate | None, dict[str, Any]]:
    """The gate in a file, and the settings that it wants."""
    if path is None:
        return None, {}
    from webstrata.classify.gate import Gate
    from webstrata.classify.gate_file import load_gate

    model, _ = load_gate(path)
    return Gate(model, uses_links=links), {"gate_after": model.pages}


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def _listen(control: str | None, token: Path | None) -> Listener:
    from webstrata.crawl.control import Listener, parse_place
    from webstrata.crawl.control.listener import read_token

    if control is None:
        if token is not None:
            raise UsageError("--control-token: it belongs to --control HOST:PORT")
        return Listener()
    return Listener(parse_place(control), token=read_token(token) if token else None)


def _read_lines(name: str) -> list[str]:
    from webstrata.collection.files import explained

    if name == "-":
        return sys.stdin.read().splitlines()
    path = Path(name)
    with explained(path, "read"):
        return path.read_text(errors="replace").splitlines()


def _show(result: CrawlResult, where: str) -> None:
    from webstrata.crawl.failures import FAILURES
    from webstrata.crawl.results import REASONS

    counters = result.counters
    names = tell_count(result.unresolved_hosts, "name")
    unresolved = f" ({names} could not be resolved)" if result.unresolved_hosts else ""
    click.echo(
        f"{where}: {tell_count(result.pages, 'page')} "
        f"({tell_count(counters['duplicates'], 'duplicate')}) of "
        f"{tell_count(result.hosts, 'host')}{unresolved} in {result.seconds:.1f} s, "
        f"{result.rate:,.0f} pages/s; {REASONS[result.end]}."
    )
    rows = [
        ["requests", counters["requests"]],
        ["robots.txt", counters["robots"]],
        ["captures stored", counters["captures"]],
        ["URLs discovered", counters["discovered"]],
        *([f"answers {hundreds}xx", counters[f"status_{hundreds}xx"]] for hundreds in range(2, 6)),
        *(
            [f"failed: {failure.name}", counters[failure.counter]]
            for failure in FAILURES
            if counters[failure.counter]
        ),
        *([f"not fetched: {reason}", count] for reason, count in result.skipped().items()),
        *([f"at the gate: hosts {what}", result.gate[name]] for what, name in _AT_THE_GATE if result.gate),
    ]
    show_table(["what", "number"], rows)
    click.echo(f"{show_bytes(counters['bytes'])} received, {show_bytes(counters['stored'])} stored.")


_AT_THE_GATE = (("judged", "hosts"), ("refused", "refused"))
