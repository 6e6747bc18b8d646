"""The table of stages: the order in which data meets the rooms, one entry each.

A stage is a name, what it does, and a function that lists its jobs for a `Context`. A room that is added is
one entry more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from webstrata.collection.settings import ResourcesSettings
from webstrata.serve.pipeline.crawling import list_crawls
from webstrata.serve.pipeline.jobs import Job
from webstrata.serve.pipeline.sheets import list_sheets
from webstrata.temporal.union import StoredUnion

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from webstrata.api import Snapshot
    from webstrata.collection.progress import Progress
    from webstrata.serve.pipeline.context import Context

RANK_METHODS = ("pagerank", "cheirank", "2drank")
MAX_SPECTRUM = 3_000_000
"""Nodes up to which the pipeline finds a spectrum without being asked for one."""
MAX_SPECTRA = 300_000
"""Nodes up to which it finds that of the oldest snapshot too, beside that of the newest."""


@dataclass(frozen=True)
class Stage:
    """One step of the pipeline."""

    name: str
    about: str
    inputs: str
    """The parts it reads."""
    outputs: str
    """The parts it gives."""
    list_jobs: Callable[[Context], list[Job]]


def _place(context: Context) -> str:
    return context.collection.word


def _list_stores(context: Context) -> list[Job]:
    from webstrata.store.settings import StoreSettings
    from webstrata.store.step import PARSED, build_parsed

    def build(label: str, progress: Progress) -> None:
        snapshot = context.collection[label]
        states = context.collection.states()
        due = [name for name in PARSED if (s := states.get(f"{label}/{name}")) is None or s.stale]
        if "links" in due and "anchors" not in due:
            due.append("anchors")
        settings = context.settings(StoreSettings, snapshot)
        build_parsed(snapshot, due, settings=settings, workers=context.workers, progress=progress)

    return [
        Job(
            f"{label}/links",
            partial(build, label),
            f"webstrata store {_place(context)} {label}",
            tuple(f"{label}/{part}" for part in PARSED),
            (f"{label}/warc", f"{label}/pages"),
            # a dump, a bundle or a table of links has a graph, and no pages to parse
            fresh=context.has(label, "graph") and not context.has(label, "warc"),
        )
        for label in context.labels
    ]


def _list_graphs(context: Context) -> list[Job]:
    from webstrata.graph.build import build_graph
    from webstrata.graph.settings import GraphSettings

    return _per_snapshot(
        context,
        "graph",
        ("links", "urls"),
        GraphSettings,
        lambda snapshot, settings, progress: build_graph(
            snapshot, settings, workers=context.workers, progress=progress
        ),
        "webstrata graph build",
        cosmetic=("memory",),
    )


def _list_times(context: Context) -> list[Job]:
    from webstrata.temporal.build import build_union
    from webstrata.temporal.settings import TemporalSettings

    settings = context.settings(TemporalSettings)
    labels = context.labels
    chosen = "" if labels == context.collection.labels else f" --snapshots {','.join(labels)}"

    def build(progress: Progress) -> None:
        there = [snapshot for snapshot in context.snapshots if "graph" in snapshot.parts]
        build_union(context.collection, there, settings, workers=context.workers, progress=progress)

    return [
        Job(
            "/temporal",
            build,
            f"webstrata align {_place(context)}{chosen} --by {settings.by}",
            ("/temporal",),
            tuple(f"{label}/{part}" for label in labels for part in ("graph", "urls")),
            settings,
            _heeded(settings, ("memory",)),
            covers=True,
            refusal="" if len(labels) > 1 else f"it takes two snapshots, and there is {len(labels)}",
        )
    ]


def _list_summaries(context: Context) -> list[Job]:
    from webstrata.summaries.build import build_summaries
    from webstrata.summaries.settings import SummariesSettings

    # where even the largest snapshot has fewer pages than a term must be in, all terms are kept
    sizes = [
        snapshot.parts.record("pages").counts.get("nodes", 0)
        for snapshot in context.snapshots
        if "pages" in snapshot.parts
    ]
    fitting = {"min_df": 1} if max(sizes, default=0) < SummariesSettings().min_df else None
    return _per_snapshot(
        context,
        "summaries",
        ("text",),
        SummariesSettings,
        lambda snapshot, settings, progress: build_summaries(
            snapshot, settings, workers=context.workers, progress=progress
        ),
        "webstrata summaries build",
        cosmetic=("memory",),
        fitting=fitting if sizes else None,
    )


def _list_ranks(context: Context) -> list[Job]:
    from webstrata.rank.methods import USED
    from webstrata.rank.settings import RankSettings
    from webstrata.rank.stored import RankedGraph, rank_snapshot

    # of the snapshot ranked last, whose scores the next begins with
    last: list[RankedGraph] = []

    def build(label: str, progress: Progress) -> None:
        snapshot = context.collection[label]
        graph = RankedGraph(snapshot)
        for method in RANK_METHODS:
            settings = replace(context.settings(RankSettings, snapshot), method=method, level="page")
            before = last[0] if last else None
            rank_snapshot(snapshot, settings, graph=graph, before=before, progress=progress)
        last[:] = [graph]

    return [
        Job(
            f"{label}/rank-pagerank",
            partial(build, label),
            f"webstrata plane {_place(context)} {label}",
            tuple(f"{label}/rank-{method}" for method in RANK_METHODS),
            (f"{label}/graph",),
            context.settings(RankSettings),
            USED["pagerank"],
        )
        for label in context.labels
    ]


def _list_spectra(context: Context) -> list[Job]:
    from webstrata.rank.spectra.build import build_spectrum, part_name
    from webstrata.rank.spectra.settings import SpectrumSettings

    # a collection.toml begins with tables in which nothing is said
    said = [
        context.config.get("spectrum"),
        *(table for _, table in context.collection.settings_files("spectrum")),
    ]
    jobs = []
    for label in dict.fromkeys((*context.labels[:1], *context.labels[-1:])):
        graph = context.collection[label].parts.record("graph") if context.has(label, "graph") else None
        nodes = graph.counts.get("nodes", 0) if graph else 0
        if nodes > MAX_SPECTRA and label != context.labels[-1]:
            continue
        for inverse in (False, True):
            given = context.settings(SpectrumSettings, context.find(label))
            settings = replace(given, level="page", inverse=inverse)
            part = f"{label}/{part_name(settings)}"
            command = f"webstrata spectrum {_place(context)} {label}{' --inverse' if inverse else ''}"
            why = f"{nodes:,} nodes take long; say how in [spectrum], or run `{command}`"

            def build(progress: Progress, label: str = label, settings: Any = settings) -> None:  # noqa: ANN401
                snapshot = context.collection[label]
                build_spectrum(snapshot, settings, workers=context.workers, progress=progress)

            jobs.append(
                Job(
                    part,
                    build,
                    command,
                    (part,),
                    (f"{label}/graph",),
                    settings,
                    _heeded(settings, ("memory",)),
                    refusal=why if nodes > MAX_SPECTRUM and not any(said) else "",
                )
            )
    return jobs


def _list_searches(context: Context) -> list[Job]:
    from webstrata.search.build import build_index
    from webstrata.search.change.counts import PART as COUNTS
    from webstrata.search.change.counts import open_counts
    from webstrata.search.files import PART
    from webstrata.search.settings import SearchSettings

    settings = context.settings(SearchSettings)
    labels = [
        label for label in context.labels if label not in context.labels_there or context.has(label, "text")
    ]

    def build(progress: Progress) -> None:
        there = [context.collection[label] for label in labels]
        build_index(context.collection, there, settings, workers=context.workers, progress=progress)

    def count(progress: Progress) -> None:
        open_counts(StoredUnion(context.collection), progress=progress)

    place = _place(context)
    texts = tuple(f"{label}/{part}" for label in labels for part in ("text", "urls"))
    summaries = tuple(f"{label}/summaries" for label in context.labels)
    refusal = "" if labels else "no snapshot has text"
    return [
        Job(
            f"/{PART}", build, f"webstrata index {place}", (f"/{PART}",), texts, covers=True, refusal=refusal
        ),
        Job(
            f"/{COUNTS}",
            count,
            f"webstrata changes {place} --prepare",
            (f"/{COUNTS}",),
            ("/temporal", *summaries),
            refusal="" if len(context.labels) > 1 else "it takes two snapshots to see what changed",
        ),
    ]


def _list_classes(context: Context) -> list[Job]:
    from webstrata.classify.feature_sets import SETS, build_features, part_name
    from webstrata.classify.settings import ClassifySettings, TrainSettings
    from webstrata.serve.report.classes import list_feature_parts
    from webstrata.serve.report.kept import EXPERIMENT, build_sheet

    jobs = []
    run = context.run
    labels = run.labels
    for label in context.labels[-1:]:
        settings = context.settings(ClassifySettings, context.find(label))
        chosen = [
            name
            for name, described in SETS.items()
            if (name in settings.sets or not settings.sets)
            and (len(context.labels) > 1 or not described.through_time)
            # it counts words of queries, and nothing else
            and (name != "Aa" or settings.query_words)
            and (label not in context.labels_there or _may_have(context, label, described.inputs))
        ]
        parts = tuple(f"{label}/{part_name(name)}" for name in chosen)

        def build(progress: Progress, label: str = label, settings: Any = settings) -> None:  # noqa: ANN401
            build_features(context.collection[label], settings, progress=progress)

        def learn(progress: Progress, label: str = label) -> None:
            snapshot = context.collection[label]
            build_sheet(
                snapshot,
                EXPERIMENT,
                progress,
                inputs=list_feature_parts(snapshot),
                asked=run,
                labels=labels,
                task=run.task,
                settings=context.settings(TrainSettings, snapshot),
            )

        place = _place(context)
        inputs = tuple(f"{label}/{part}" for part in ("text", "graph", "urls"))
        command = f"webstrata classify features {place} {label}"
        jobs.append(Job(f"{label}/features", build, command, parts, inputs, settings))
        command = f"webstrata classify experiment {place} --labels {labels or 'FILE'} --task {run.task}"
        why = "" if labels else "nothing says which hosts are what; name a file of `labels` in [run]"
        jobs.append(
            Job(
                f"{label}/{EXPERIMENT.part}",
                learn,
                command,
                (f"{label}/{EXPERIMENT.part}",),
                parts,
                run if labels else None,
                ("labels", "task"),
                refusal=why,
            )
        )
    return jobs


def _may_have(context: Context, label: str, parts: tuple[str, ...]) -> bool:
    """Whether a snapshot has parts, or will: one that was crawled will have all of them."""
    return context.has(label, "pages") or context.has_all(label, parts)


def _list_simulations(context: Context) -> list[Job]:
    from webstrata.simulate.configuration import renew_command
    from webstrata.simulate.run import Simulation
    from webstrata.simulate.settings import SimulateSettings

    jobs = []
    for label in context.labels[-1:]:
        snapshot = context.find(label)
        settings = context.settings(SimulateSettings, snapshot)

        def build(progress: Progress, label: str = label, settings: Any = settings) -> None:  # noqa: ANN401
            Simulation(context.collection[label], settings, progress=progress).build()

        needed = ["graph"]
        if settings.relevant.startswith(("query", "examples")):
            needed.append("summaries")
        elif settings.relevant.startswith("topic"):
            needed.append("truth")
        jobs.append(
            Job(
                f"{label}/simulation",
                build,
                renew_command(settings).format(collection=_place(context), snapshot=label),
                (f"{label}/simulation",),
                tuple(f"{label}/{part}" for part in needed),
                settings,
                refusal="" if settings.relevant != "all" else _NOTHING_WANTED,
            )
        )
    return jobs


_NOTHING_WANTED = "nothing says what is looked for; name `relevant` in [simulate], as `query:WORDS`"


def _list_reports(context: Context) -> list[Job]:
    from webstrata.serve.report import write_report

    return [
        Job(
            "/reports",
            lambda _progress: write_report(context.collection),
            f"webstrata report {_place(context)}",
            always="it is written each time",
        )
    ]


def _per_snapshot(
    context: Context,
    part: str,
    inputs: tuple[str, ...],
    cls: Any,  # noqa: ANN401
    build: Callable[[Snapshot, Any, Progress], object],
    command: str,
    cosmetic: tuple[str, ...] = (),
    fitting: Mapping[str, object] | None = None,
) -> list[Job]:
    """One job per snapshot that gives one part; `fitting` settings hold where no file says otherwise."""

    def run(label: str, settings: Any, progress: Progress) -> None:  # noqa: ANN401
        build(context.collection[label], settings, progress)

    jobs = []
    for label in context.labels:
        snapshot = context.find(label)
        settings = context.settings(cls, snapshot, fitting=fitting)
        jobs.append(
            Job(
                f"{label}/{part}",
                partial(run, label, settings),
                f"{command} {_place(context)} {label}",
                (f"{label}/{part}",),
                tuple(f"{label}/{name}" for name in inputs),
                settings,
                _heeded(settings, cosmetic),
            )
        )
    return jobs


def _heeded(settings: Any, cosmetic: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ANN401
    """All settings but those that say how a part is built, and not what it is."""
    unseen = {*cosmetic, *ResourcesSettings().to_dict()}
    return tuple(name for name in vars(settings) if name not in unseen)


STAGES = {
    stage.name: stage
    for stage in (
        Stage(
            "crawl", "Crawl what has no pages.", "", "warc index pages urls text links anchors", list_crawls
        ),
        Stage("store", "Parse text, links and anchors.", "warc pages", "text links anchors", _list_stores),
        Stage("graph", "Compress the links of each snapshot.", "links urls", "graph", _list_graphs),
        Stage("time", "Unite the graphs of all snapshots.", "graph urls", "temporal", _list_times),
        Stage("summaries", "Count the terms of pages.", "text", "summaries", _list_summaries),
        Stage("rank", "Rank pages by PageRank, CheiRank, 2DRank.", "graph", "rank-*", _list_ranks),
        Stage(
            "spectrum", "Find spectra of the oldest and newest graph.", "graph", "spectrum*", _list_spectra
        ),
        Stage(
            "search",
            "Index words, and count what changes.",
            "text summaries",
            "search changes",
            _list_searches,
        ),
        Stage("classify", "Measure hosts, and learn from labels.", "text graph", "features-*", _list_classes),
        Stage("simulate", "Simulate crawls.", "graph summaries", "simulation", _list_simulations),
        Stage(
            "sheets", "Make what the report shows.", "graph summaries rank-* index", "sheet-*", list_sheets
        ),
        Stage("report", "Write the report.", "all", "reports/report.html", _list_reports),
    )
}
"""All stages by name, in their order."""
