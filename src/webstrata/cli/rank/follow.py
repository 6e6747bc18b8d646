"""webstrata rank --all-snapshots: nodes followed through snapshots, and lists in one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from webstrata.cli.output import TerminalProgress, show_json, show_table
from webstrata.errors import MissingError, UsageError
from webstrata.rank.lists import Entry, find_nodes, local_square, read_list, read_weights
from webstrata.rank.settings import RankSettings
from webstrata.rank.stored import RankedGraph, preference_of, rank_snapshot
from webstrata.rank.trajectories import Trajectories

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

    from webstrata.api import Collection

PLANE = ("pagerank", "cheirank", "2drank")
SHOWN = 30
"""Members that are printed."""


def load_preference(graph: RankedGraph, path: Path, *, skip: bool = False) -> npt.NDArray[np.float64]:
    """A number for each node, from a file of names with weights."""
    weights = read_weights(path)
    nodes = find_nodes(list(weights), graph.find, where=str(path), skip=skip)
    found: dict[int, float] = {}
    for name, node in nodes.items():
        found[node] = found.get(node, 0.0) + weights[name]
    return preference_of(graph, found)


def follow(
    collection: Collection,
    labels: Sequence[str] | None,
    rank_options: dict[str, object],
    *,
    preference: Path | None,
    list_file: Path | None,
    reference: str | None,
    against: Path | None,
    skip_unknown: bool,
    plots: Path | None,
    as_json: bool,
) -> None:
    """Rank snapshots one after the other, each beginning with the scores of the one before, and print."""
    settings = collection.settings(RankSettings, rank_options)
    entries = read_list(list_file) if list_file else None
    outside = [entry.name for entry in read_list(against)] if against else []
    if labels is None:
        labels = [snapshot.label for snapshot in collection if "graph" in snapshot.parts]
    if not labels:
        raise MissingError(f"{collection.path}: no snapshot has a graph; `webstrata graph build` makes one")
    if reference is not None and reference not in labels:
        known = ", ".join(labels)
        raise UsageError(f"--of {reference}: there is no such snapshot with a graph (there are {known})")
    progress = TerminalProgress()
    methods = list(dict.fromkeys([settings.method, *(PLANE if entries or reference else ())]))
    if entries is None and reference is not None:
        entries = _top(collection, reference, settings, preference, progress, skip=skip_unknown)
    followed = Trajectories(
        [entry.name for entry in entries or ()],
        {entry.name: entry.note for entry in entries or ()},
        number=settings.top,
    )
    before: RankedGraph | None = None
    for label in labels:
        graph = RankedGraph(collection[label], settings.level)
        weights = load_preference(graph, preference, skip=skip_unknown) if preference else None
        rankings = [
            rank_snapshot(
                collection[label],
                replace(settings, method=method),
                # a preference is that of the method that was asked for
                preference=weights if method == settings.method else None,
                graph=graph,
                before=before,
                progress=progress,
            )
            for method in methods
        ]
        followed.add(label, rankings, graph.find)
        before = graph
    if entries:
        where = str(list_file) if list_file else f"--of {reference}"
        if unknown := followed.refuse_unknown(where=where, skip=skip_unknown):
            followed.names = [name for name in followed.names if name not in unknown]
            progress.note(f"{where}: in no snapshot, and left out: {', '.join(unknown)}")
    paths = _draw(followed, settings, collection.title, plots, outside) if plots else []
    if as_json:
        document: dict[str, Any] = {"collection": str(collection.path), "level": settings.level}
        document |= followed.to_json(methods, persistence=settings.persistence)
        if entries:
            document["shares"] = {method: followed.shares(method, settings.top) for method in methods}
        if outside:
            document["overlap"] = _overlaps(followed, outside, methods)
        show_json(document | {"plots": [str(path) for path in paths]})
        return
    _show(followed, settings, methods, outside)
    if paths:
        click.echo(f"\nPictures: {paths[-1]} shows all {len(paths) - 1} of them.")


def _top(
    collection: Collection,
    reference: str,
    settings: RankSettings,
    preference: Path | None,
    progress: TerminalProgress,
    *,
    skip: bool,
) -> list[Entry]:
    graph = RankedGraph(collection[reference], settings.level)
    weights = load_preference(graph, preference, skip=skip) if preference else None
    found = rank_snapshot(collection[reference], settings, preference=weights, graph=graph, progress=progress)
    return [Entry(place.name) for place in found.top(settings.top) if place.name is not None]


def _overlaps(followed: Trajectories, outside: list[str], methods: Sequence[str]) -> dict[str, Any]:
    sizes = sorted({number for number in (10, 20, 50, 100, len(outside)) if number <= len(outside)})
    return {
        method: {str(number): followed.overlaps(outside, method, number) for number in sizes}
        for method in methods
    }


def _show(followed: Trajectories, settings: RankSettings, methods: Sequence[str], outside: list[str]) -> None:
    method, labels = settings.method, followed.labels
    if followed.names:
        click.echo(f"Ranks by {method}, of all nodes (and of the list)")
        rows: list[list[object]] = []
        first = followed.moments[-1].order(method)
        others = [name for name in followed.names if name not in first]
        for name in [*first, *others][:SHOWN]:
            places = zip(
                followed.trajectory(name, method), followed.trajectory(name, method, local=True), strict=True
            )
            rows.append([name, *("-" if one is None else f"{one} ({local})" for one, local in places)])
        show_table(["name", *labels], rows)
        if len(followed.names) > SHOWN:
            click.echo(f"and {len(followed.names) - SHOWN} more; --json has all of them")
        if len(labels) == 1:
            square = local_square(followed.moments[0].members, settings.top)
            click.echo(f"\n{len(square)} members are within the local square of {settings.top}.")
    if any(followed.categories.values()):
        click.echo(f"\nShares of categories among the first {settings.top} of the list by {method}")
        shares = followed.shares(method, settings.top)
        names = list(dict.fromkeys(name for row in shares for name in row))
        cells: list[list[object]] = [
            [name, *(f"{100 * row.get(name, 0):.1f}%" for row in shares)] for name in names
        ]
        show_table(["category", *labels], cells)
    if outside:
        click.echo("\nOf the first, how many are among the first of the outside ranking")
        rows = [
            [name, int(number), *counts]
            for name, found in _overlaps(followed, outside, methods).items()
            for number, counts in found.items()
        ]
        show_table(["method", "first", *labels], rows)
    if len(labels) > 1:
        click.echo(f"\nThe top {settings.top} by {method}, beside that of the snapshot before")
        rows = [
            [
                label,
                found.common,
                f"{found.jaccard:.3f}",
                f"{found.kendall_tau:.3f}",
                f"{found.rank_biased_overlap:.3f}",
            ]
            for label, found in zip(
                labels[1:], followed.agreements(method, persistence=settings.persistence), strict=True
            )
        ]
        show_table(["snapshot", "common", "Jaccard", "Kendall τ", "rank-biased overlap"], rows)


def _draw(
    followed: Trajectories, settings: RankSettings, name: str, folder: Path, outside: list[str]
) -> list[Path]:
    from webstrata.serve.figures.ranks import draw_trajectories
    from webstrata.serve.figures.style import write_figures

    figures = draw_trajectories(followed, settings.method, name, number=settings.top, outside=outside)
    if not figures:
        raise UsageError("--plots: there is nothing to draw; name a --list, or --of a snapshot")
    return write_figures(figures, folder, page="ranks", title=name, text=f"Ranks by {settings.method}.")
