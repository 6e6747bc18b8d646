"""The sheet of lists (WIKI, figures 3 to 8 and section 4): pages that files name, followed through time.

``[run]`` names the files: ``lists`` of pages, as universities or persons, ``categories`` of pages, hosts or
domains, and outside ``rankings`` of the same pages. A ranking is compared with each list that has one of its
names at least. Names that no snapshot has are counted and left out.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from webstrata.collection.action import Action
from webstrata.errors import MissingError, UsageError
from webstrata.rank.lists import NAMED as SHOWN
from webstrata.rank.lists import find_category, read_categories, read_list
from webstrata.rank.trajectories import Trajectories
from webstrata.serve.figures.planes import draw_members
from webstrata.serve.figures.ranks import draw_trajectories
from webstrata.serve.figures.style import Figure
from webstrata.serve.report.papers import cite
from webstrata.serve.report.part import RANKS
from webstrata.serve.report.rank import METHODS, TOP, read_rankings
from webstrata.serve.report.sheet import Sheet, SheetTable, choose_evenly, to_drawings
from webstrata.serve.report.trajectories import CATEGORISED, NAMED, PANELS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from webstrata.api import Collection
    from webstrata.collection.progress import Progress

FOLLOWED = ("pagerank", "2drank")
"""Methods whose ranks are shown: K and K₂, as in figures 4 and 8."""


def make_lists(
    collection: Collection,
    progress: Progress,
    *,
    lists: Sequence[str],
    categories: str = "",
    rankings: Sequence[str] = (),
) -> Sheet:
    """Pages of files through all ranked snapshots: places, ranks, categories, overlap with outside rankings.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.collection.progress import Progress
    >>> collection = testing.collection()
    >>> for snapshot in collection:
    ...     _ = snapshot.rank("2drank")
    >>> path = testing.scratch() / "pages.txt"
    >>> _ = path.write_text("http://reef.example/" + chr(9) + "sea")
    >>> sheet = make_lists(collection, Progress(), lists=[str(path)])
    >>> sheet.tables[0].rows
    [['http://reef.example/', 4, 2, 1]]
    """
    filed = read_categories(Path(categories)) if categories else {}
    followed = {name: _begin(Path(file), filed) for name, file in _name_files(lists).items()}
    outside = {name: _read_names(Path(file)) for name, file in _name_files(rankings).items()}
    compared = {
        name: [each for each, known in outside.items() if set(known) & set(one.names)]
        for name, one in followed.items()
    }
    for name in outside:
        if not any(name in each for each in compared.values()):
            raise UsageError(
                f"rankings in [run]: no list has a page of {name}; name pages as the lists do, "
                f"or add a list of them"
            )
    ranked = [s for s in collection if all(f"rank-{method}" in s.parts for method in METHODS)]
    if not ranked:
        raise MissingError(
            f"{collection.path}: no snapshot is ranked", fix=Action.on(collection, "build", *RANKS)
        )
    with progress.task("following lists", total=len(ranked), unit="snapshots") as task:
        for snapshot in ranked:
            graph, found = read_rankings(snapshot)
            for one in followed.values():
                one.add(snapshot.date, found, graph.find)
            task.advance()
    notes = []
    for name, one in followed.items():
        if unknown := one.refuse_unknown(where=name, skip=True):
            shown = ", ".join(unknown[:SHOWN]) + (", …" if len(unknown) > SHOWN else "")
            notes.append(f"{len(unknown)} of {len(one.names)} names of {name} are in no snapshot: {shown}.")
            one.names = [each for each in one.names if each not in unknown]
    parts = [f"{s.date}/{name}" for s in ranked for name in RANKS]
    ranks, shares, overlaps = (
        cite(collection, parts, "paper:wiki", f"WIKI, {place}")
        for place in ("figures 4 and 8", "figure 5", "section 4")
    )
    tables = []
    for name, one in followed.items():
        tables += [_list_ranks(one, name, method, ranks) for method in FOLLOWED]
        if any(one.categories.values()):
            tables.append(_list_shares(one, name, shares))
        tables += [_list_overlaps(one, name, each, outside[each], overlaps) for each in compared[name]]
    number = sum(len(one.names) for one in followed.values())
    text = f"{number} pages of {len(followed)} lists, in {len(ranked)} snapshots."
    drawn = _draw(
        followed, {name: [outside[each] for each in compared[name]] for name in followed}, collection
    )
    return Sheet(
        "lists",
        "Lists through time",
        [text],
        tables,
        to_drawings(drawn, "lists"),
        Action.on(collection, "rank", all_snapshots=True, list=lists[0]).command,
        notes,
    )


def _name_files(files: Sequence[str]) -> dict[str, str]:
    """Files by their names without folder and ending, by their paths where two have the same."""
    stems = [Path(file).stem for file in files]
    return {stem if stems.count(stem) == 1 else file: file for stem, file in zip(stems, files, strict=True)}


def _read_names(path: Path) -> list[str]:
    return [entry.name for entry in read_list(path)]


def _begin(path: Path, filed: Mapping[str, str]) -> Trajectories:
    entries = read_list(path)
    categories = {entry.name: entry.note or find_category(entry.name, filed) for entry in entries}
    return Trajectories(list(categories), categories)


def _list_ranks(followed: Trajectories, name: str, method: str, place: str) -> SheetTable:
    order = followed.moments[-1].order(method)
    names = [*order, *(one for one in followed.names if one not in order)][:TOP]
    rows: list[list[Any]] = [[one, *followed.trajectory(one, method)] for one in names]
    title = f"{name}: rank by {NAMED[method]} ({place})"
    return SheetTable(title, ["page", *followed.labels], rows)


def _list_shares(followed: Trajectories, name: str, place: str) -> SheetTable:
    rows: list[list[Any]] = []
    for method in FOLLOWED:
        shares = followed.shares(method, CATEGORISED)
        for category in dict.fromkeys(each for row in shares for each in row):
            rows.append([NAMED[method], category, *(round(row.get(category, 0.0), 4) for row in shares)])
    title = f"{name}: categories of the first {CATEGORISED} ({place})"
    return SheetTable(title, ["method", "category", *followed.labels], rows)


def _list_overlaps(
    followed: Trajectories, name: str, ranking: str, outside: list[str], place: str
) -> SheetTable:
    rows: dict[tuple[str, int], list[Any]] = {}
    for row in followed.list_overlaps(outside):
        rows.setdefault((row["method"], row["first"]), []).append(row["common"])
    cells: list[list[Any]] = [[NAMED[method], first, *common] for (method, first), common in rows.items()]
    title = f"{name}: of the first, how many are among the first of {ranking} ({place})"
    return SheetTable(title, ["method", "first", *followed.labels], cells)


def _draw(
    followed: Mapping[str, Trajectories], outside: Mapping[str, list[list[str]]], collection: Collection
) -> list[Figure]:
    labels = next(iter(followed.values())).labels
    shown = set(choose_evenly(labels, PANELS))
    panels = {}
    for name, one in followed.items():
        moments = [moment for moment in one.moments if moment.label in shown]
        panels[name] = Trajectories(one.names, one.categories, moments=moments)
    [members, squares] = draw_members(panels, collection.title)
    figures = [members, squares]
    for place, (name, one) in enumerate(followed.items()):
        if place:
            figures.append(
                Figure(f"{name}-squares", draw_members({name: panels[name]}, collection.title)[1].chart)
            )
        for method in FOLLOWED:
            title = f"{collection.title}, {name}, {NAMED[method]}"
            for first in outside[name] or [[]]:
                for each in draw_trajectories(one, method, title, number=CATEGORISED, outside=first):
                    key = f"{name}-{method}-{each.name}"
                    if each.name != "square" and key not in {figure.name for figure in figures}:
                        figures.append(Figure(key, each.chart))
    return figures
