"""Sheets of the report: tables and figures that take a pass over much data."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from webstrata.classify.features.sets import SETS, part_name
from webstrata.classify.settings import TrainSettings
from webstrata.collection.declarations import CollectionPart, SnapshotPart
from webstrata.pipeline.settings import RunSettings
from webstrata.rank.part import SHOWN

if TYPE_CHECKING:
    from webstrata.collection import Collection, Snapshot
    from webstrata.collection.progress import Progress

STAGE = "sheets"
RANKS = tuple(f"rank-{method}" for method in SHOWN)


def _build(name: str, holder: Any, _settings: None, *, workers: int, progress: Progress) -> None:  # noqa: ANN401
    from webstrata.serve.report.kept import KINDS, build_sheet

    build_sheet(holder, KINDS[name], progress)


def _ask(name: str, holder: Any, settings: RunSettings, *, workers: int, progress: Progress) -> None:  # noqa: ANN401
    """Build a sheet that answers what settings ask."""
    from webstrata.serve.report.kept import KINDS, build_sheet

    options = {each: getattr(settings, each) for each in ASKED[name]}
    build_sheet(holder, KINDS[name], progress, asked=settings, **options)


def _learn(snapshot: Any, settings: RunSettings, *, workers: int, progress: Progress) -> None:  # noqa: ANN401
    from webstrata.serve.report.classify import list_feature_parts
    from webstrata.serve.report.kept import KINDS, build_sheet

    build_sheet(
        snapshot,
        KINDS["experiment"],
        progress,
        inputs=list_feature_parts(snapshot),
        asked=settings,
        labels=settings.labels,
        task=settings.task,
        settings=snapshot.settings(TrainSettings),
    )


def _has_truth(holder: Snapshot, _settings: Any) -> bool:  # noqa: ANN401
    return "truth" in holder.parts


def _has_truths(collection: Collection, _settings: Any) -> bool:  # noqa: ANN401
    return sum("truth" in snapshot.parts for snapshot in collection) > 1


def _refuse_unasked(name: str, collection: Collection, settings: RunSettings) -> str:
    if all(getattr(settings, each) for each in ASKED[name]) or _has_truths(collection, None):
        return ""
    return f"set {' and '.join(f'`{each}`' for each in ASKED[name])} in [run]"


def _has_lists(_collection: Collection, settings: RunSettings) -> bool:
    return bool(settings.lists)


def _refuse_unlabelled(_snapshot: Snapshot, settings: RunSettings) -> str:
    return "" if settings.labels else "no labels of hosts; set `labels` in [run] to a file of them"


ASKED = {
    "changes": ("queries",),
    "evaluation": ("topics", "judgements"),
    "lists": ("lists", "categories", "rankings"),
    "trajectories": ("categories",),
}
"""Sheets that answer what ``[run]`` asks, and the settings that ask."""

SHEETS = tuple(
    SnapshotPart(
        f"sheet-{name}",
        f"Prepare the report: {what}.",
        inputs=inputs,
        build=partial(_build, name),
        stage=STAGE,
        snapshots="all" if of_all else "newest",
        wanted=_has_truth if name == "truth" else None,
    )
    for name, what, inputs, of_all in (
        ("structure", "degrees, components, bow tie and distances", ("graph",), True),
        ("summaries", "the figures of SUM", ("summaries",), False),
        ("plane", "P(K) and the plane of PageRank and CheiRank", (*RANKS, "graph"), False),
        ("duplicates", "duplicates", ("captures",), True),
        ("near", "near-duplicates", ("text", "urls"), False),
        ("pace", "how fast it can be crawled", ("urls", "graph"), False),
        ("truth", "the crawl compared with the truth", ("truth", "urls", "graph"), True),
    )
)
TRAJECTORIES = CollectionPart(
    "sheet-trajectories",
    "Prepare the report: ranks through time.",
    inputs=RANKS,
    settings=RunSettings,
    uses=ASKED["trajectories"],
    build=partial(_ask, "trajectories"),
    stage=STAGE,
    min_snapshots=2,
)
FOOTPRINT = CollectionPart(
    "sheet-footprint",
    "Prepare the report: table 1 of TIME, and its coding next to ours.",
    inputs=("/temporal",),
    build=partial(_build, "footprint"),
    stage=STAGE,
    min_snapshots=2,
)
LISTS = CollectionPart(
    "sheet-lists",
    "Prepare the report: lists of pages through time.",
    inputs=RANKS,
    settings=RunSettings,
    uses=ASKED["lists"],
    build=partial(_ask, "lists"),
    stage=STAGE,
    wanted=_has_lists,
)
ALIGNMENT = CollectionPart(
    "sheet-alignment",
    "Prepare the report: the union compared with the truth.",
    inputs=("/temporal", "truth"),
    build=partial(_build, "alignment"),
    stage=STAGE,
    min_snapshots=2,
    wanted=_has_truths,
)
ANSWERS = tuple(
    CollectionPart(
        f"sheet-{name}",
        f"Prepare the report: {what}.",
        inputs=("/temporal", "/changes"),
        settings=RunSettings,
        uses=ASKED[name],
        build=partial(_ask, name),
        stage=STAGE,
        refuse=partial(_refuse_unasked, name),
        # up to 0.1.0 the quality was measured with the settings of the collection and called the paper's
        format=("sheet.json", 2) if name == "evaluation" else None,
    )
    for name, what in (("changes", "answers of change search"), ("evaluation", "quality of change search"))
)
EXPERIMENT = SnapshotPart(
    "sheet-experiment",
    "Prepare the report: classifiers and their AUC.",
    optional=tuple(map(part_name, SETS)),
    settings=RunSettings,
    uses=("labels", "task"),
    build=_learn,
    stage="classify",
    snapshots="newest",
    refuse=_refuse_unlabelled,
)
