"""webstrata graph check: decode a whole graph, and say what is damaged."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from webstrata.cli.options import (
    json_option,
    old_snapshot_option,
    optional_snapshot_argument,
    place_argument,
)
from webstrata.cli.output import TerminalProgress, show_json
from webstrata.cli.verb import verb
from webstrata.collection.sentences import tell_count
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from webstrata.graph.check import GraphCheck


@verb("check", epilog="Example: webstrata graph check cnr-2000 --transpose cnr-2000-t")
@place_argument
@optional_snapshot_argument
@old_snapshot_option
@click.option("--transpose", metavar="NAME", help="Basename of the transposed graph.")
@json_option
def command(
    place: str, label: str | None, *, old_label: str | None, transpose: str | None, as_json: bool
) -> None:
    """Decode the graph of SNAPSHOT, or of the BVGraph files of BASENAME, and say what is damaged.

    Exits with 2 if anything is: properties of another graph, lists that cannot be decoded, wrong offsets, a
    transpose of another graph.
    """
    name, label = place, label or old_label
    found = _check(name, label, transpose)
    if as_json:
        show_json({"name": name, **asdict(found)})
    else:
        for sentence in found.notes:
            click.echo(f"note: {sentence}")
        for sentence in found.damage:
            click.echo(f"damaged: {sentence}")
        if not found.damage:
            click.echo(
                f"{name} is sound: {tell_count(found.num_nodes, 'node')}, "
                f"{tell_count(found.num_arcs, 'arc')}."
            )
    if found.damage:
        raise FormatError(f"{name}: {len(found.damage)} damaged; see above for what to do")


def _check(name: str, label: str | None, transpose: str | None) -> GraphCheck:
    from webstrata.graph.check import check_graph, check_stored

    progress = TerminalProgress()
    if label is None:
        return check_graph(name.removesuffix(".graph"), transpose=transpose, progress=progress)
    from webstrata.api import Collection

    return check_stored(Collection.open(name)[label], progress=progress)
