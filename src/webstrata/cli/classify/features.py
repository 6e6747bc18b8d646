"""webstrata classify features: measure the hosts of a snapshot."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from webstrata.classify.settings import ClassifySettings
from webstrata.cli.options import collection_argument, json_option, options
from webstrata.cli.output import TerminalProgress, show_bytes, show_json, show_table

if TYPE_CHECKING:
    from webstrata.api import Collection


@click.command(
    "features", epilog="Example: webstrata classify features uk 2026-06 --sets A,Aa,B --query-words log.txt"
)
@collection_argument
@click.argument("label", metavar="SNAPSHOT")
@options(ClassifySettings)
@json_option
def command(
    collection: Collection, label: str, classify_options: dict[str, object], *, as_json: bool
) -> None:
    """Measure the hosts of SNAPSHOT: what their pages say, and who links to them.

    One Parquet file a set, a row a host; what is there and still right is not made again.
    """
    from webstrata.classify.feature_sets import build_features

    snapshot = collection[label]
    settings = snapshot.settings(ClassifySettings, classify_options)
    made = build_features(snapshot, settings, progress=TerminalProgress())
    if as_json:
        show_json(
            {
                "collection": str(collection.path),
                "snapshot": label,
                "sets": [asdict(one) | {"pages_per_cpu_second": one.pages_per_second} for one in made],
            }
        )
        return
    show_table(
        ["set", "hosts", "features", "pages", "CPU", "wall", "memory", "pages/s a core", ""],
        [
            [
                one.name,
                one.hosts,
                one.features,
                one.pages,
                f"{one.cost.cpu_seconds:.1f} s",
                f"{one.cost.wall_seconds:.1f} s",
                show_bytes(one.cost.peak_bytes),
                round(one.pages_per_second),
                "kept" if one.kept else "made",
            ]
            for one in made
        ],
    )
