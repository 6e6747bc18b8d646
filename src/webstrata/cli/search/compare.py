"""webstrata search compare: partitions of the index side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import at_option, collection_argument, json_option, options
from webstrata.cli.output import TerminalProgress, show, show_json
from webstrata.cli.verb import verb
from webstrata.search.settings import BUILDING, SearchSettings

if TYPE_CHECKING:
    from webstrata.api import Collection

_SCORING = [name for name in SearchSettings.__dataclass_fields__ if name not in BUILDING]


@verb(
    "compare",
    renamed={"--parts": "--servers"},
    epilog="Example: webstrata search compare uk --servers 4 --queries 1000",
)
@collection_argument
@click.option(
    "--servers",
    "parts",
    type=click.IntRange(1, 1024),
    default=4,
    help="Servers that each partition is divided for. [4]",
)
@click.option("--queries", type=click.IntRange(1), default=1000, help="Queries that are counted.")
@click.option("--seed", type=int, default=0, help="What the queries are drawn by.")
@at_option("Search the last snapshot at or before this date. [all snapshots]")
@options(SearchSettings, only=_SCORING)
@json_option
def command(
    collection: Collection,
    parts: int,
    queries: int,
    seed: int,
    at: str | None,
    search_options: dict[str, object],
    *,
    as_json: bool,
) -> None:
    """Measure partitions of the index by documents and by terms, side by side.

    Partitions are built where they are missing, and removed afterwards; one in tiers too, where pages have
    been ranked. All answer the same Zipfian stream of queries, one at a time: bytes that
    were moved, latency, how evenly the work was spread, and how far scores are from those of one index.
    """
    from webstrata.search.distributed.comparison import measure_partitions

    found = measure_partitions(
        collection,
        search_options,
        parts=parts,
        queries=queries,
        seed=seed,
        at=at,
        progress=TerminalProgress(),
    )
    if as_json:
        show_json({
            "collection": str(collection.path),
            "queries": queries,
            "seed": seed,
            "documents": len(collection.text_index),
            "measured": [each.to_dict() for each in found],
        })  # fmt: skip
        return
    show(found)
