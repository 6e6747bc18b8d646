"""webstrata classify features: measure the hosts of a snapshot."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from webstrata.classify.settings import ClassifySettings
from webstrata.cli.classify.train import webspam_option
from webstrata.cli.options import collection_argument, json_option, options, snapshot_argument
from webstrata.cli.output import TerminalProgress, show_bytes, show_json, show_table
from webstrata.cli.verb import verb

if TYPE_CHECKING:
    from webstrata.api import Collection


@verb(
    "features", epilog="Example: webstrata classify features uk 2026-06 --sets A,Aa,B --query-words log.txt"
)
@collection_argument
@snapshot_argument
@webspam_option
@options(ClassifySettings)
@json_option
def command(
    collection: Collection,
    label: str,
    webspam: str | None,
    classify_options: dict[str, object],
    *,
    as_json: bool,
) -> None:
    """Measure the hosts of SNAPSHOT: what their pages say, and who links to them.

    One Parquet file per set, one row per host; what is there and still right is not made again. With
    --webspam, features are not computed but read from a published data set.
    """
    from pathlib import Path

    from webstrata.classify.features.feature_sets import build_features
    from webstrata.classify.learning.lessons import choose_published
    from webstrata.classify.published.dataset import find_published, store_features

    progress = TerminalProgress()
    if webspam is not None:
        snapshot = choose_published(collection, webspam, label)
        settings = snapshot.settings(ClassifySettings, classify_options)
        made = store_features(snapshot, find_published(Path(webspam)), settings, progress=progress)
    else:
        snapshot = collection[label]
        settings = snapshot.settings(ClassifySettings, classify_options)
        made = build_features(snapshot, settings, progress=progress)
    collection.remember(ClassifySettings, classify_options)
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
