"""webstrata invitro truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.invitro.options import month_option, web_options
from webstrata.cli.options import collection_argument
from webstrata.cli.output import TerminalProgress
from webstrata.cli.verb import verb
from webstrata.collection.sentences import tell_count

if TYPE_CHECKING:
    from webstrata.api import Collection
    from webstrata.invitro import Web


@verb(
    "truth",
    named={"preset": "--preset"},
    epilog="Example: webstrata invitro truth uk 2026-04 --preset small --seed 7 --month 3",
)
@collection_argument
@click.argument("snapshot")
@web_options
@month_option
def command(collection: Collection, snapshot: str, web: Web, month: int) -> None:
    """Write the truth about a month as a part of COLLECTION's SNAPSHOT.

    The part has the nodes and arcs of the month, its hosts, events and queries as Parquet files: what a
    perfect crawl would have found.
    """
    from webstrata.invitro.truth import build_truth

    renew = f"webstrata invitro truth {{collection}} {{snapshot}} --preset {web.preset} --seed {web.seed}"
    for name, value in web.header(month)["overrides"].items():
        renew += f" --{name.replace('_', '-')} {value}"
    holder = collection.add(snapshot)
    build_truth(holder, web, month, renew=f"{renew} --month {month}", progress=TerminalProgress())
    with holder.open_part("truth") as part:
        counts = part.counts
        click.echo(
            f"{holder.path / 'truth'}: {tell_count(counts['nodes'], 'node')}, "
            f"{tell_count(counts['arcs'], 'arc')}, "
            f"{tell_count(counts['hosts'], 'host')} of month {month} of {web.preset} (seed {web.seed})."
        )
