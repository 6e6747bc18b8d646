"""Steps of several calls that verbs of the command line and methods of the Python API take."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from webstrata.collection.settings import ResourcesSettings
from webstrata.errors import RunError, UsageError
from webstrata.pipeline.build import choose_settings, remember_settings
from webstrata.pipeline.context import Context
from webstrata.pipeline.presets import made_with, parse_presets, preset_settings
from webstrata.pipeline.results import describe_plan, describe_run, follow, prepare_run
from webstrata.rank.settings import RankSettings
from webstrata.search.change.settings import ChangesSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from os import PathLike

    from webstrata.api import Collection, Snapshot
    from webstrata.collection.description import BuiltParts
    from webstrata.collection.progress import Progress
    from webstrata.pipeline.results import RunPlan, RunResult
    from webstrata.rank.plane import Plane
    from webstrata.search.evaluate.experiment import SearchExperiment
    from webstrata.search.evaluate.tables import Report
    from webstrata.search.index import TextIndex
    from webstrata.temporal.union import StoredUnion


PAPER_CHANGE = "paper:change"


def is_papers_change(settings: ChangesSettings) -> bool:
    """Whether an evaluation of change search with these settings is the paper's; it compares all its ranks.

    Examples
    --------
    >>> is_papers_change(ChangesSettings())
    False
    >>> is_papers_change(preset_settings(PAPER_CHANGE, ChangesSettings))
    True
    """
    own = preset_settings(PAPER_CHANGE, ChangesSettings)
    ignored = {"rank": own.rank, "top": own.top}
    return made_with(PAPER_CHANGE, ChangesSettings, settings.to_dict() | ignored)


def align_snapshots(
    collection: Collection, options: Mapping[str, object], *, progress: Progress | None = None
) -> StoredUnion:
    """Align the pages of snapshots; the union of their graphs.

    Examples
    --------
    >>> from webstrata import testing
    >>> align_snapshots(testing.collection(), {"by": "canonical"}).facts.by
    'canonical'
    """
    from webstrata.temporal.align import choose_snapshots
    from webstrata.temporal.build import build_union
    from webstrata.temporal.union import StoredUnion

    settings = choose_settings(collection, "temporal", options, progress=progress)
    chosen = choose_snapshots(collection, ",".join(settings.snapshots))
    build_union(collection, chosen, settings, progress=progress)
    remember_settings(collection, "temporal", options)
    collection.__dict__.pop("temporal", None)  # what was opened before is another union
    return StoredUnion(collection)


def index_snapshots(
    collection: Collection,
    options: Mapping[str, object],
    *,
    partition: Literal["documents", "terms", "tiers"] | str | None = None,
    progress: Progress | None = None,
) -> TextIndex:
    """Build the text index of a collection, or add new snapshots to it; the index.

    Examples
    --------
    >>> from webstrata import testing
    >>> index_snapshots(testing.collection(), {}).snapshots
    ['2026-04', '2026-05', '2026-06']
    """
    from webstrata.search.build import build_text_index, choose_snapshots
    from webstrata.search.files import PART
    from webstrata.search.index import TextIndex

    if options.get("servers") is not None and partition is None:
        raise UsageError("--servers: how many servers a partition is divided for; name it with --partition")
    settings = choose_settings(collection, PART, options, progress=progress)
    chosen = choose_snapshots(collection, ",".join(settings.snapshots))
    build_text_index(collection, chosen, settings, progress=progress)
    remember_settings(collection, PART, options)
    if partition is not None:
        from webstrata.search.distributed.partitions import build_partition

        build_partition(collection, partition, settings.servers, progress=progress)
    collection.__dict__.pop("text_index", None)
    return TextIndex.open(collection)


def store_snapshot(
    snapshot: Snapshot,
    options: Mapping[str, object],
    *,
    parts: str | Iterable[str] | None = None,
    renumber: bool = False,
    workers: int | None = None,
    progress: Progress | None = None,
) -> BuiltParts:
    """Build text, links and anchors of a snapshot where they are missing or stale, or those that are named.

    Examples
    --------
    >>> from webstrata import testing
    >>> june = testing.snapshot()
    >>> list(store_snapshot(june, {})), list(store_snapshot(june, {}, parts="links"))
    ([], ['links'])
    """
    from webstrata.collection.description import BuiltParts
    from webstrata.store.build import build_parsed, find_unparsed, is_numbered_for
    from webstrata.store.build import renumber as number_nodes

    settings = choose_settings(snapshot, "text", options, progress=progress)
    if renumber or not is_numbered_for(snapshot, settings):
        number_nodes(snapshot, settings=settings, progress=progress)
    named = parts.split(",") if isinstance(parts, str) else list(parts or ())
    chosen = [name.strip() for name in named if name.strip()] or find_unparsed(snapshot)
    resources = snapshot.settings(ResourcesSettings, {"workers": workers})
    build_parsed(snapshot, chosen, settings=settings, workers=resources.num_workers, progress=progress)
    remember_settings(snapshot, "text", options)
    return BuiltParts({record.name: record for record in snapshot.parts if record.name in chosen})


def compute_plane(
    snapshot: Snapshot, options: Mapping[str, object], *, progress: Progress | None = None
) -> Plane:
    """How the nodes of a snapshot are spread over their ranks by PageRank and CheiRank.

    Examples
    --------
    >>> from webstrata import testing
    >>> compute_plane(testing.snapshot(), {"level": "host"}).num_nodes
    5
    """
    from webstrata.rank.plane import describe_plane
    from webstrata.rank.stored import RankedGraph, rank_snapshot

    settings = snapshot.settings(RankSettings, options)
    graph = RankedGraph(snapshot, settings.level, shown=False)
    one, other = (
        rank_snapshot(snapshot, replace(settings, method=method), graph=graph, progress=progress)
        for method in ("pagerank", "cheirank")
    )
    return replace(describe_plane(one, other), level=settings.level)


def evaluate_changes(
    collection: Collection,
    options: Mapping[str, object],
    *,
    preset: str = "",
    progress: Progress | None = None,
    **asked: Any,  # noqa: ANN401 (those of `evaluate_files`)
) -> tuple[SearchExperiment, Report]:
    r"""Evaluate the search for changes, by the settings of the collection or of a preset.

    With ``paper:change`` only the ranks of the paper are compared. The report has the name of the preset if
    no option changes one of its settings.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> _ = (folder / "queries.tsv").write_text("1\tstorm\t2026-06")
    >>> _ = (folder / "right.tsv").write_text("1\thttp://news.example/storm")
    >>> asked = {"queries": folder / "queries.tsv", "judgements": folder / "right.tsv", "sweeps": False}
    >>> _, report = evaluate_changes(testing.collection(), {}, preset="paper:change", **asked)
    >>> report.settings["link_weights"], [report.show_name(line.name) for line in report.table]
    ('equal', ['BM25', 'None', 'PageRank-0.9', 'HitsAuth-200', 'HitsHubs-200', 'Combined'])
    """
    from webstrata.search.evaluate.files import evaluate_files
    from webstrata.search.evaluate.tables import ORDER, PAPER_RANKS

    presets = parse_presets(preset)
    if len(presets) > 1:
        raise UsageError("preset: an evaluation is by one preset; name one of them")
    context = Context(collection, presets=presets)
    settings = context.settings(ChangesSettings, options=options)
    is_papers = presets == (PAPER_CHANGE,)
    is_whole = is_papers and is_papers_change(settings)
    return evaluate_files(
        collection,
        settings,
        ranks=PAPER_RANKS if is_papers else ORDER,
        preset=PAPER_CHANGE if is_whole else "",
        progress=progress,
        **asked,
    )


def run_stages(
    collection: Collection,
    options: Mapping[str, object],
    *,
    config: str | PathLike[str] | None = None,
    preset: str | Iterable[str] = (),
    first: str = "",
    last: str = "",
    dry_run: bool = False,
    write_report: Callable[[Collection], object] | None = None,
    progress: Progress | None = None,
) -> RunResult | RunPlan:
    """Run all stages on a collection: build what is missing or stale.

    A stage that fails does not stop the others; `RunError` is raised in the end. It has the result with all
    failures.

    Parameters
    ----------
    collection
        The collection.
    options
        Settings of ``[run]``.
    config
        A file of settings of all stages, which are stored in `collection.toml`.
    preset
        Names of presets, as ``paper:time``; their settings are stored too. Settings of `config` win.
    first, last
        The stages to begin and to end with.
    dry_run
        Build and store nothing; the table has one row per job with its state, and ``facts["settings"]`` what
        would change in `collection.toml`.
    write_report
        Writes the report in the last stage.
    progress
        Where progress is shown.

    Examples
    --------
    >>> from webstrata import testing
    >>> result = run_stages(testing.collection(), {}, first="graph", last="graph", dry_run=True)
    >>> [(row["what"], row["state"]) for row in result.rows][:2]
    [('2026-04/graph', 'fresh'), ('2026-05/graph', 'fresh')]
    """
    pipeline = prepare_run(
        collection,
        options,
        config=config,
        preset=preset,
        first=first,
        last=last,
        write_report=write_report,
        progress=progress,
    )
    if dry_run:
        return describe_plan(pipeline)
    follow(pipeline)
    result = describe_run(pipeline)
    if result.failures:
        raise RunError("; ".join(f"stage failed: {failure}" for failure in result.failures), result)
    return result
