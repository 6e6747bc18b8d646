"""The sheet of ranks in every snapshot: WIKI's figures 1 to 8, for the first pages of the oldest one.

Curves and the correlator are those of all snapshots; panels are of six, evenly chosen with the oldest and the
newest, since a picture of sixty tells nothing. Categories are those of the file that ``categories`` in
``[run]`` names; topics where the truth of an in-vitro web says them; and top-level domains elsewhere. Lists
of other pages, and outside rankings, have a sheet of their own (`lists`).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

from webstrata.collection.action import Action
from webstrata.collection.tables import Rows
from webstrata.errors import MissingError
from webstrata.rank.lists import find_category, read_categories
from webstrata.rank.plane import describe_plane
from webstrata.rank.trajectories import Trajectories
from webstrata.serve.figures.planes import draw_members, draw_planes
from webstrata.serve.figures.ranks import draw_trajectories
from webstrata.serve.figures.style import Figure
from webstrata.serve.report.papers import cite
from webstrata.serve.report.part import RANKS
from webstrata.serve.report.rank import METHODS, TOP, read_rankings
from webstrata.serve.report.sheet import Sheet, SheetTable, choose_evenly, to_drawings, to_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.api import Collection, Snapshot
    from webstrata.collection.progress import Progress
    from webstrata.rank.plane import Plane

FOLLOWED = 100
"""Pages that are followed through time; the first of them are drawn."""
NAMED = {"pagerank": "PageRank", "cheirank": "CheiRank", "2drank": "2DRank"}
CATEGORISED = 30
"""Pages whose categories are counted, as in WIKI."""
PANELS = 6


def make_trajectories(collection: Collection, progress: Progress, *, categories: str = "") -> Sheet:
    """The first pages of the oldest ranked snapshot, followed through all that are ranked.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.collection.progress import Progress
    >>> collection = testing.collection()
    >>> for snapshot in collection:
    ...     _ = snapshot.rank("2drank")
    >>> sheet = make_trajectories(collection, Progress())
    >>> sheet.tables[0].rows[0]
    ['2026-04', 13, 32, 0.0231]
    """
    ranked = [s for s in collection if all(f"rank-{method}" in s.parts for method in METHODS)]
    if len(ranked) < 2:
        raise MissingError(
            f"{collection.path}: no two snapshots are ranked", fix=Action.on(collection, "build", *RANKS)
        )
    shown = {s.date for s in choose_evenly(ranked, PANELS)}
    filed = read_categories(Path(categories)) if categories else {}
    planes: dict[str, Plane] = {}
    lists: dict[str, Trajectories] = {}
    panels: dict[str, Trajectories] = {}
    sizes: list[list[Any]] = []
    with progress.task("following ranks", total=len(ranked), unit="snapshots") as task:
        for snapshot in ranked:
            graph, rankings = read_rankings(snapshot)
            for ranking in rankings if not lists else ():
                names = [one.name for one in ranking.top(FOLLOWED) if one.name is not None]
                known = find_categories(snapshot, names)
                known |= {name: own for name in names if (own := find_category(name, filed))}
                lists[ranking.method] = Trajectories(names, known, number=FOLLOWED)
                title = f"the first {len(names)} by {NAMED[ranking.method]}"
                panels[title] = Trajectories(names, known, number=FOLLOWED)
            for followed in lists.values():
                followed.add(snapshot.date, rankings, graph.find)
            plane = describe_plane(rankings[0], rankings[1])
            sizes.append([snapshot.date, plane.num_nodes, graph.graph.num_arcs, round(plane.correlator, 4)])
            if snapshot.date in shown:
                planes[snapshot.date] = plane
                for panel, followed in zip(panels.values(), lists.values(), strict=True):
                    panel.moments.append(followed.moments[-1])
            task.advance()
    parts = [f"{s.date}/{name}" for s in ranked for name in RANKS]
    place, sizes_place = (
        cite(collection, parts, "paper:wiki", where)
        for where in ("WIKI, figures 4 and 8", "WIKI, table 1 and section 2")
    )
    title, first, by_pagerank = collection.title, ranked[0].date, lists["pagerank"]
    figures = draw_planes(planes, title) + draw_members(panels, title)
    for method in ("pagerank", "2drank"):
        drawn = draw_trajectories(lists[method], method, f"{title}, {NAMED[method]}", number=CATEGORISED)
        figures += [Figure(f"{method}-{one.name}", one.chart) for one in drawn if one.name != "square"]
    stability = [
        to_table(name, table)
        for name, table in by_pagerank.tables().items()
        if isinstance(table, Rows) and table.name == "stability"
    ]
    kappas = [row[-1] for row in sizes]
    text = (
        f"The first {len(by_pagerank.names)} pages of {first}, in {len(ranked)} snapshots. The correlator κ "
        f"goes from {kappas[0]:.3f} to {kappas[-1]:.3f}."
    )
    return Sheet(
        "trajectories",
        "Ranks through time",
        [text],
        [
            SheetTable(f"The snapshots ({sizes_place})", ["snapshot", "N", "links", "κ"], sizes),
            *(_tell_ranks(lists[method], method, place) for method in ("pagerank", "2drank")),
            *stability,
        ],
        to_drawings(figures, "ranks"),
        Action.on(collection, "rank", all_snapshots=True, of=first, limit=FOLLOWED).command,
    )


def find_categories(snapshot: Snapshot, names: Sequence[str]) -> dict[str, str]:
    """What pages are filed under: their topics, where the truth says them, or else their top-level domains.

    Examples
    --------
    >>> from webstrata import testing
    >>> find_categories(testing.empty().add("2026-06"), ["http://www.a.org/b"])
    {'http://www.a.org/b': 'org'}
    """
    found = {name: _top_level(name) for name in names}
    if "truth" in snapshot.parts:
        with snapshot.open_part("truth") as part:
            nodes = pq.read_table(
                part.path / "nodes.parquet",
                columns=["url", "topic_name"],
                filters=[("url", "in", list(names))],
            )
        found |= {row["url"]: row["topic_name"] or "other" for row in nodes.to_pylist()}
    return found


def _top_level(url: str) -> str:
    host = url.partition("://")[2].partition("/")[0].partition(":")[0]
    return host.rpartition(".")[2] or "other"


def _tell_ranks(followed: Trajectories, method: str, place: str) -> SheetTable:
    rows: list[list[Any]] = [[name, *followed.trajectory(name, method)] for name in followed.names[:TOP]]
    return SheetTable(f"Rank by {NAMED[method]} ({place})", ["page", *followed.labels], rows)
