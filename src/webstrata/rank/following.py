"""Follows nodes through snapshots: each is ranked, beginning with the scores of the one before."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from webstrata.collection.action import Action
from webstrata.collection.progress import Progress
from webstrata.errors import MissingError, UsageError
from webstrata.rank.lists import (
    ListEntry,
    find_category,
    find_nodes,
    read_categories,
    read_list,
    read_weights,
)
from webstrata.rank.stored import RankedGraph, preference_of, rank_snapshot
from webstrata.rank.trajectories import Trajectories

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

    from webstrata.collection import Collection
    from webstrata.rank.settings import RankSettings

PLANE = ("pagerank", "cheirank", "2drank")
"""Methods by which a list is followed, besides the one that is asked for."""


def load_preference(
    graph: RankedGraph, path: str | PathLike[str], *, skip: bool = False
) -> npt.NDArray[np.float64]:
    """A number for each node, from a file of names with weights.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "trusted.txt"
    >>> _ = path.write_text("reef.example" + chr(9) + "2")
    >>> load_preference(RankedGraph(testing.snapshot(), "host"), path).max()
    np.float64(2.0)
    """
    weights = read_weights(Path(path))
    nodes = find_nodes(list(weights), graph.find, where=str(path), skip=skip)
    found: dict[int, float] = {}
    for name, node in nodes.items():
        found[node] = found.get(node, 0.0) + weights[name]
    return preference_of(graph, found)


def list_methods(settings: RankSettings, *, has_list: bool) -> list[str]:
    """The methods by which nodes are ranked: the one of the settings, and with a list those of the plane.

    Examples
    --------
    >>> from webstrata.rank.settings import RankSettings
    >>> list_methods(RankSettings(method="hits"), has_list=True)
    ['hits', 'pagerank', 'cheirank', '2drank']
    """
    return list(dict.fromkeys([settings.method, *(PLANE if has_list else ())]))


def follow_nodes(
    collection: Collection,
    settings: RankSettings,
    *,
    snapshots: Sequence[str] | None = None,
    names: str | PathLike[str] | Iterable[str] | None = None,
    reference: str | None = None,
    categories: str | PathLike[str] | Mapping[str, str] | None = None,
    against: str | PathLike[str] | Iterable[str] | None = None,
    preference: str | PathLike[str] | None = None,
    skip_unknown: bool = False,
    progress: Progress | None = None,
) -> Trajectories:
    """Rank snapshots one after the other, and follow nodes through them.

    Parameters
    ----------
    collection
        Whose snapshots.
    settings
        By what nodes are ranked, and at which level; `top` is how many of each snapshot are kept.
    snapshots
        Labels; all snapshots that have a graph where not given.
    names
        What to follow: names, or a file of them.
    reference
        In place of `names`: the top of this snapshot.
    categories
        Categories of pages, hosts and domains, or a file of them; those in a file of names come first.
    against
        An outside ranking to compare with, or a file of one.
    preference
        A file of names with weights, for methods that need one.
    skip_unknown
        Leave out names that no snapshot has, instead of refusing them.
    progress
        Where progress is shown.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.rank.settings import RankSettings
    >>> found = follow_nodes(testing.collection(), RankSettings(level="host"), names=["reef.example"])
    >>> found.labels, found.trajectory("reef.example", "pagerank")
    (['2026-04', '2026-05', '2026-06'], [3, 1, 1])
    """
    progress = progress or Progress()
    if names is not None and reference is not None:
        raise UsageError("--list and --of: both say what to follow; name one of them")
    entries = _list_entries(names)
    if entries is None and reference is None and (categories is not None or against is not None):
        option = "--categories" if categories is not None else "--against"
        raise UsageError(f"{option} is about what is followed; name a --list, or --of a snapshot")
    filed = _read_categories(categories)
    outside = [entry.name for entry in _list_entries(against) or ()]
    labels = list(snapshots or [snapshot.date for snapshot in collection if "graph" in snapshot.parts])
    if not labels:
        raise MissingError(
            f"{collection.path}: no snapshot has a graph", fix=Action.on(collection, "build", "graph")
        )
    if reference is not None and reference not in labels:
        known = ", ".join(labels)
        raise UsageError(f"--of {reference}: there is no such snapshot with a graph (there are {known})")
    methods = list_methods(settings, has_list=bool(entries or reference))
    if entries is None and reference is not None:
        entries = _list_top(collection, reference, settings, preference, progress, skip=skip_unknown)
    followed = Trajectories(
        [entry.name for entry in entries or ()],
        {entry.name: entry.note or find_category(entry.name, filed) for entry in entries or ()},
        number=settings.top,
        level=settings.level,
        persistence=settings.persistence,
        outside=outside,
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
        where = (
            f"--of {reference}" if reference else str(names) if isinstance(names, str | PathLike) else "names"
        )
        if unknown := followed.refuse_unknown(where=where, skip=skip_unknown):
            followed.names = [name for name in followed.names if name not in unknown]
            progress.note(f"{where}: in no snapshot, and left out: {', '.join(unknown)}")
    return followed


def _read_categories(categories: str | PathLike[str] | Mapping[str, str] | None) -> Mapping[str, str]:
    if isinstance(categories, str | PathLike):
        return read_categories(Path(categories))
    return categories or {}


def _list_entries(names: str | PathLike[str] | Iterable[str] | None) -> list[ListEntry] | None:
    if names is None:
        return None
    if isinstance(names, str | PathLike):
        return read_list(Path(names))
    return [ListEntry(name) for name in names]


def _list_top(
    collection: Collection,
    reference: str,
    settings: RankSettings,
    preference: str | PathLike[str] | None,
    progress: Progress,
    *,
    skip: bool,
) -> list[ListEntry]:
    graph = RankedGraph(collection[reference], settings.level)
    weights = load_preference(graph, preference, skip=skip) if preference else None
    found = rank_snapshot(collection[reference], settings, preference=weights, graph=graph, progress=progress)
    return [ListEntry(place.name) for place in found.top(settings.top) if place.name is not None]
