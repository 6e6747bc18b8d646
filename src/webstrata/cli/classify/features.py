"""webstrata classify features: measure the hosts of a snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstrata.classify.settings import ClassifySettings
from webstrata.cli.classify.train import webspam_option
from webstrata.cli.options import collection_argument, json_option, options, snapshot_argument
from webstrata.cli.output import TerminalProgress, show, show_json
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
    classify_options: dict[str, Any],
    *,
    as_json: bool,
) -> None:
    """Measure the hosts of SNAPSHOT: what their pages say, and who links to them.

    One Parquet file per set, one row per host; what is there and still right is not made again. With
    --webspam, features are not computed but read from a published data set.
    """
    from webstrata.classify.learning.lessons import choose_published

    progress = TerminalProgress()
    snapshot = choose_published(collection, webspam, label) if webspam is not None else collection[label]
    made = snapshot.classify_features(webspam=webspam, progress=progress, **classify_options)
    if as_json:
        show_json({"collection": str(collection.path), "snapshot": label, **made.to_dict()})
    else:
        show(made)
