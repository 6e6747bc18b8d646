"""webstrata duplicates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import (
    collection_argument,
    json_option,
    limit_option,
    refuse_options,
    snapshot_argument,
)
from webstrata.cli.output import TerminalProgress, show, show_json
from webstrata.cli.verb import verb

if TYPE_CHECKING:
    from webstrata.api import Collection


_NEAR = ("method", "similarity", "resemblance", "memory", "distance")
"""Options about near-duplicates alone."""


@verb(
    "duplicates",
    renamed={"--top": "--limit"},
    epilog="Example: webstrata duplicates uk 2026-06 --near --method simhash",
)
@collection_argument
@snapshot_argument
@click.option(
    "--across", is_flag=True, help="Look in all other snapshots too; for near ones, in earlier ones."
)
@click.option(
    "--near", is_flag=True, help="Look for near-duplicates: pages most of whose words are the same."
)
@click.option(
    "--method",
    type=click.Choice(["fingerprint", "simhash"]),
    default="fingerprint",
    help="How near-duplicates are looked for. [fingerprint]",
)
@click.option(
    "--similarity",
    type=click.FloatRange(0, 1),
    default=0.8,
    help="Cosine similarity of the words of near-duplicates, at least. [0.8]",
)
@click.option(
    "--resemblance",
    type=click.FloatRange(0, 1),
    default=0.9,
    help="Share of their words that near-duplicates have in common, at least. [0.9]",
)
@click.option(
    "--memory",
    type=int,
    default=1024,
    help="MiB for the index of near-duplicates; less takes more passes. [1024]",
)
@click.option(
    "--distance", type=click.IntRange(0, 16), default=3, help="Bits in which simhashes may differ. [3]"
)
@click.option(
    "--against-truth",
    is_flag=True,
    help="Compare with what was planted in a synthetic web: the snapshot has the part truth.",
)
@limit_option("classes, the largest first", 10, least=0)
@json_option
def command(
    collection: Collection,
    label: str,
    method: str,
    similarity: float,
    resemblance: float,
    memory: int,
    distance: int,
    limit: int,
    *,
    across: bool,
    near: bool,
    against_truth: bool,
    as_json: bool,
) -> None:
    """List the pages of SNAPSHOT that are duplicates of each other, exact or near.

    Exact ones have the same digest, or the same fingerprint, which ignores comments, white space and
    attributes; they are looked for among all captured pages. Near ones are looked for among the nodes, which
    have no exact duplicates; what stands for a page is kept in the part signatures, so that a later snapshot
    is compared with this one without reading it again.

    With --against-truth, precision and recall are printed, in pairs of pages: of exact ones against addresses
    that show one page, of near ones against variations of one page. Some of these grow apart over the months:
    in a second line only those pairs count that still are near-duplicates by the definition, computed of
    their texts; there a pair that was found and not planted is right if it is one too.
    """
    from webstrata.store.duplicates.report import find_duplicates

    if not near:
        refuse_options("--near", *_NEAR)

    found = find_duplicates(
        collection[label],
        across=across,
        near=near,
        method=method,
        similarity=similarity,
        resemblance=resemblance,
        memory=memory,
        distance=distance,
        against_truth=against_truth,
        top=limit,
        progress=TerminalProgress(),
    )
    if as_json:
        show_json(found.to_dict())
        return
    click.echo(f"{collection.path} {label}: {found.summary}\n")
    show(found)
