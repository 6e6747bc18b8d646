"""webstrata invitro serve."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webstrata.cli.invitro.options import month_option, web_options
from webstrata.cli.invitro.sections import SECTIONS
from webstrata.cli.options import at_option
from webstrata.cli.output import show_json
from webstrata.cli.verb import verb
from webstrata.collection.sentences import tell_count

if TYPE_CHECKING:
    from webstrata.invitro import InvitroServer, Web


@verb(
    "serve",
    sections=SECTIONS,
    named={"preset": "--preset"},
    epilog="Example: webstrata invitro serve --preset small --seed 7 --port 8080 --log requests.log",
)
@web_options
@month_option
@click.option(
    "--port", default=0, type=click.IntRange(0, 65535), help="Where to listen; 0 for any free port. [0]"
)
@click.option(
    "--origins", is_flag=True, help="Listen on all loopback addresses, so that each host has its own."
)
@click.option("--workers", default=1, type=click.IntRange(1), help="Threads. [1]")
@click.option("--log", type=click.Path(path_type=Path), help="Write a line per request, for `invitro judge`.")
@click.option("--hosts-table", type=click.Path(path_type=Path), help="Write the hosts and their addresses.")
@click.option(
    "--authority", type=click.Path(path_type=Path), help="With --tls: write the certificate to trust."
)
@click.option("--seeds", type=click.Path(path_type=Path), help="Write the addresses of all home pages.")
@click.option(
    "--urls", type=click.Path(path_type=Path, exists=True), help="Serve a given graph: an address per line,"
)
@click.option(
    "--arcs", type=click.Path(path_type=Path, exists=True), help="and its arcs, two node numbers per line."
)
@click.option(
    "--graph",
    "basename",
    metavar="BASENAME",
    help="Serve a BVGraph: with the addresses of --urls, or with ones made for it.",
)
@click.option(
    "--warc",
    "archives",
    multiple=True,
    type=click.Path(path_type=Path, exists=True),
    help="Serve the captures in a file or folder, of any format that ingest reads; may be repeated.",
)
@at_option("With --warc: serve the last captures at or before this date. [the last ones]")
@click.option("--seconds", type=float, help="Stop after so long; else serve until Ctrl-C.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document when it is ready.")
def command(
    web: Web,
    month: int,
    port: int,
    workers: int,
    log: Path | None,
    hosts_table: Path | None,
    authority: Path | None,
    seeds: Path | None,
    urls: Path | None,
    arcs: Path | None,
    basename: str | None,
    archives: tuple[Path, ...],
    at: str | None,
    seconds: float | None,
    *,
    origins: bool,
    as_json: bool,
) -> None:
    """Serve one month of a synthetic web over HTTP.

    Give clients the address printed as their HTTP proxy, or, with --origins, let them find each host at its
    own loopback address. With --graph, or --urls and --arcs, a given graph is served instead of the web,
    with --warc what was archived of a real one.
    """
    from webstrata.invitro.archive import read_archives
    from webstrata.invitro.given import open_graph, read_graph

    if arcs and basename:
        raise click.UsageError("--graph and --arcs are two graphs: give one of them")
    if not basename and (urls is None) != (arcs is None):
        raise click.UsageError("--urls and --arcs belong together: give both, or neither")
    if archives and (urls or basename):
        raise click.UsageError("--warc is one web, and a graph another: give one of them")
    if at and not archives:
        raise click.UsageError("--at needs --warc: a synthetic web has months (--month)")
    given = open_graph(basename, urls) if basename else read_graph(urls, arcs) if urls and arcs else None
    archive = read_archives(archives, at) if archives else None
    with web.serve(
        month, port=port, origins=origins, workers=workers, log=log, given=given, archive=archive
    ) as server:
        if hosts_table:
            hosts_table.write_text(server.hosts_table())
        if authority:
            if server.authority is None:
                raise click.UsageError("--authority needs --tls: without TLS there is no certificate")
            authority.write_text(server.authority)
        if seeds:
            homes = given.urls if given else archive.home_pages() if archive else web.home_pages(month)
            seeds.write_text("\n".join(homes) + "\n")
        header = web.header(month) | {"origins": origins}
        if given:
            header |= {"nodes": given.graph.num_nodes, "arcs": given.graph.num_arcs}
        if archive:
            header |= {"captures": len(archive.captures), "hosts": len(archive.hosts)}
            header |= {"left_out": dict(archive.tally.left_out), "damaged": archive.tally.num_damaged}
        with suppress(KeyboardInterrupt):  # Ctrl-C is how a server is meant to end
            _announce(server, header, as_json=as_json)
            _wait(seconds)
        counters = server.counters()
    click.echo(
        f"{tell_count(counters['requests'], 'request')}, {counters['malformed']:,} malformed.", err=True
    )


def _announce(server: InvitroServer, header: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        show_json({"proxy": server.proxy, "port": server.port, **header})
        return
    what = f"month {header['month']} of {header['preset']} (seed {header['seed']})"
    if "captures" in header:
        what = f"{tell_count(header['captures'], 'capture')} of {tell_count(header['hosts'], 'host')}"
    elif "nodes" in header:
        what = f"a graph of {tell_count(header['nodes'], 'node')} and {tell_count(header['arcs'], 'arc')}"
    click.echo(f"Serving {what} as the HTTP proxy {server.proxy}")
    if header["origins"]:
        click.echo(f"and every host at its own loopback address, port {server.port}.")
    click.echo("Ctrl-C ends it.")


def _wait(seconds: float | None) -> None:
    """Sleep until the time is over, or for ever."""
    end = None if seconds is None else time.monotonic() + seconds
    while end is None or time.monotonic() < end:
        time.sleep(0.2 if end is None else max(0.0, min(0.2, end - time.monotonic())))
