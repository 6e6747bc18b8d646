"""webstrata ls."""

from __future__ import annotations

import json
import sys
from itertools import islice
from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, from_option, json_option, limit_option, to_option
from webstrata.cli.verb import verb
from webstrata.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webstrata.api import Collection
    from webstrata.archive.cdxj import Entry
    from webstrata.store.captures import Match


@verb("ls", epilog="Example: webstrata ls uk 'uk,example)/news' --prefix --from 2026-05 --to 2026-06")
@collection_argument
@click.argument("where", metavar="URL|HOST|KEY|SNAPSHOT")
@click.option(
    "--match",
    type=click.Choice(["exact", "prefix", "host", "domain"]),
    help="What is listed: this URL alone, or as one of the next three options. [exact]",
)
@click.option("--prefix", "match", flag_value="prefix", help="Everything whose key begins so.")
@click.option("--host", "match", flag_value="host", help="Everything of this host.")
@click.option(
    "--domain", "match", flag_value="domain", help="Everything of this domain and the hosts below it."
)
@from_option("Leave out what was captured before this date.")
@to_option("Leave out what was captured after this date.")
@click.option(
    "--records",
    is_flag=True,
    help="List the records of all kinds in the WARC files of SNAPSHOT, dns, metadata and warcinfo too.",
)
@click.option(
    "--kind",
    "kinds",
    metavar="KIND",
    multiple=True,
    help="With --records: only records of this WARC-Type; may be given several times.",
)
@limit_option("captures")
@json_option
def command(
    collection: Collection,
    where: str,
    match: Match | None,
    start: str | None,
    end: str | None,
    limit: int | None,
    *,
    records: bool,
    kinds: tuple[str, ...],
    as_json: bool,
) -> None:
    """List captures of a URL, host, domain or key, or records of a snapshot.

    In all snapshots, in the order of the index: by key, then by time. A key is what the index has for a URL,
    host reversed and without www., as `uk,example)/a`; you can also give a URL or host name.
    """
    from webstrata.store.listing import scan_captures

    if records:
        if match or start or end:
            raise UsageError(
                "--records lists a snapshot; leave out --prefix, --host, --domain, --from and --to"
            )
        _list_records(collection, where, kinds, limit, as_json=as_json)
        return
    if kinds:
        raise UsageError("--kind chooses among records; add --records and name a snapshot")
    wanted = scan_captures(collection, where, match=match or "exact", start=start or "", end=end or "")
    _print(islice(wanted, limit), as_json=as_json)


def _list_records(
    collection: Collection, label: str, kinds: tuple[str, ...], limit: int | None, *, as_json: bool
) -> None:
    """Print as it comes: a list may be longer than memory."""
    from webstrata.store.inventory import list_records

    number = 0
    for number, record in enumerate(islice(list_records(collection[label], kinds=kinds), limit), 1):
        if as_json:
            text = json.dumps(record._asdict(), ensure_ascii=False)
            sys.stdout.write(("[\n  " if number == 1 else ",\n  ") + text)
        else:
            place = f"{record.filename}  {record.offset:>10}"
            about = record.url or record.record_id or "-"
            sys.stdout.write(
                f"{place}  {record.kind:<10}  {record.date or '-':<20}  {record.length:>8}  {about}\n"
            )
    if as_json:
        sys.stdout.write("\n]\n" if number else "[]\n")
    elif not number:
        click.echo("no such records", err=True)


def _print(found: Iterator[tuple[str, Entry]], *, as_json: bool) -> None:
    """Print as it comes: a list may be longer than memory."""
    out, number = sys.stdout, 0
    for number, (label, entry) in enumerate(found, 1):
        if as_json:
            document = {"snapshot": label, "key": entry.key, "timestamp": entry.timestamp, **entry.fields}
            out.write(("[\n  " if number == 1 else ",\n  ") + json.dumps(document, ensure_ascii=False))
        else:
            status, mime, length = (entry.fields[name] for name in ("status", "mime", "length"))
            moment = f"{entry.time:%Y-%m-%d %H:%M:%S}"
            method = f"  {entry.request.method}" if entry.request else ""
            out.write(
                f"{label}  {moment}  {status:>3}  {mime or '-':<16}  {length:>8}  {entry.url}{method}\n"
            )
    if as_json:
        out.write("\n]\n" if number else "[]\n")
    elif not number:
        click.echo("Nothing was captured there, or not at that time.", err=True)
