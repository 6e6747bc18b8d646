"""webstrata search compare: partitions of the index side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option, options
from webstrata.cli.output import TerminalProgress, show_json, show_table
from webstrata.search.settings import BUILDING, SearchSettings

if TYPE_CHECKING:
    from webstrata.api import Collection

_SCORING = [name for name in SearchSettings.__dataclass_fields__ if name not in BUILDING]


@click.command("compare", epilog="Example: webstrata search compare uk --parts 4 --queries 1000")
@collection_argument
@click.option("--parts", type=click.IntRange(1, 1024), default=4, help="Parts of each partition.")
@click.option("--queries", type=click.IntRange(1), default=1000, help="Queries that are counted.")
@click.option("--seed", type=int, default=0, help="What the queries are drawn by.")
@click.option("--at", metavar="DATE", help="The snapshot that is asked; all if not told.")
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

    Partitions that are missing, outdated or of another number of parts are made first; one in tiers too,
    where pages have been ranked. All answer the same Zipfian stream of queries, one at a time: bytes that
    were moved, latency, how evenly the work was spread, and how far scores are from those of one index.
    """
    from webstrata.search.comparison import compare_partitions
    from webstrata.search.index import TextIndex
    from webstrata.search.partitions import ensure_partition

    index = TextIndex.open(collection)
    settings = collection.settings(SearchSettings, search_options)
    kinds = ["documents", "terms"]
    if index.factors(index.mask(), 1.0)[1]:
        kinds.append("tiers")
    for kind in kinds:
        ensure_partition(collection, kind, parts, progress=TerminalProgress())
    found = compare_partitions(
        index, settings, kinds=kinds, queries=queries, seed=seed, at=at, progress=TerminalProgress()
    )
    if as_json:
        show_json({
            "collection": str(collection.path),
            "queries": queries,
            "seed": seed,
            "documents": len(index),
            "measured": [each.to_dict() for each in found],
        })  # fmt: skip
        return
    show_table(
        [
            "",
            "parts",
            "bytes/query",
            "requests/query",
            "p50 ms",
            "p99 ms",
            "CPU ms/query",
            "busiest/mean",
            "same",
        ],
        [
            [
                each.name,
                each.parts,
                round(each.bytes_moved),
                f"{each.requests:.2f}",
                f"{each.p50:.3f}",
                f"{each.p99:.3f}",
                f"{each.busy:.3f}",
                f"{each.balance:.2f}",
                f"{100 * each.same:.1f}%",
            ]
            for each in found
        ],
    )
