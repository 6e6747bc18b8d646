"""The sheet of ranks in every snapshot: WIKI's figures 1 to 8, for the first pages of the oldest one.

Curves and the correlator are those of all snapshots; panels are of six, evenly chosen with the oldest and the
newest, since a picture of sixty tells nothing. Categories are topics where the truth of an in-vitro web says
them, and top-level domains elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

from webstrata.errors import MissingError
from webstrata.rank.plane import describe_plane
from webstrata.rank.trajectories import Trajectories
from webstrata.serve.figures.planes import draw_members, draw_planes
from webstrata.serve.figures.ranks import draw_trajectories
from webstrata.serve.figures.style import Figure
from webstrata.serve.report.ranks import METHODS, TOP, read_rankings
from webstrata.serve.report.sheet import Sheet, Table, choose_evenly, to_drawings

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
CELLS = 50
"""Cells a side of a small panel; that of the newest snapshot has 100."""


def make_trajectories(collection: Collection, progress: Progress) -> Sheet:
    """The first pages of the oldest ranked snapshot, followed through all that are ranked.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata.collection.progress import Progress
    >>> make_trajectories(ws.create(getfixture("tmp_path") / "uk"), Progress())
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...uk: no two snapshots are ranked; ...
    """
    ranked = [s for s in collection if all(f"rank-{method}" in s.parts for method in METHODS)]
    place = collection.word
    if len(ranked) < 2:
        raise MissingError(
            f"{collection.path}: no two snapshots are ranked; `webstrata run {place} --from rank "
            "--to rank` ranks those that have a graph"
        )
    shown = {s.label for s in choose_evenly(ranked, PANELS)}
    planes: dict[str, Plane] = {}
    lists: dict[str, Trajectories] = {}
    panels: dict[str, Trajectories] = {}
    sizes: list[list[Any]] = []
    with progress.task("following ranks", total=len(ranked), unit="snapshots") as task:
        for snapshot in ranked:
            graph, rankings = read_rankings(snapshot)
            for ranking in rankings if not lists else ():
                names = [one.name for one in ranking.top(FOLLOWED) if one.name is not None]
                categories = find_categories(snapshot, names)
                lists[ranking.method] = Trajectories(names, categories, number=FOLLOWED)
                panels[NAMED[ranking.method]] = Trajectories(names, categories, number=FOLLOWED)
            for followed in lists.values():
                followed.add(snapshot.label, rankings, graph.find)
            plane = describe_plane(rankings[0], rankings[1], cells=CELLS)
            sizes.append([snapshot.label, plane.num_nodes, graph.graph.num_arcs, round(plane.correlator, 4)])
            if snapshot.label in shown:
                planes[snapshot.label] = plane
                for panel, followed in zip(panels.values(), lists.values(), strict=True):
                    panel.moments.append(followed.moments[-1])
            task.advance()
    title, first, by_pagerank = collection.title, ranked[0].label, lists["pagerank"]
    figures = draw_planes(planes, title) + draw_members(panels, title)
    for method in ("pagerank", "2drank"):
        drawn = draw_trajectories(lists[method], method, f"{title}, {NAMED[method]}", number=CATEGORISED)
        figures += [Figure(f"{method}-{one.name}", one.chart) for one in drawn if one.name != "square"]
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
            Table("The snapshots (WIKI, table 1 and section 2)", ["snapshot", "N", "links", "κ"], sizes),
            *(_tell_ranks(lists[method], method) for method in ("pagerank", "2drank")),
            _agree(by_pagerank),
        ],
        to_drawings(figures, "ranks"),
        f"webstrata rank {place} --all-snapshots --of {first} --top {FOLLOWED}",
    )


def find_categories(snapshot: Snapshot, names: Sequence[str]) -> dict[str, str]:
    """What pages are filed under: their topics, where the truth says them, or else their top-level domains.

    Examples
    --------
    >>> import webstrata as ws
    >>> find_categories(ws.create(getfixture("tmp_path") / "uk").add("2026-06"), ["http://www.a.org/b"])
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


def _tell_ranks(followed: Trajectories, method: str) -> Table:
    rows: list[list[Any]] = [[name, *followed.trajectory(name, method)] for name in followed.names[:TOP]]
    return Table(f"Rank by {NAMED[method]} (WIKI, figures 4 and 8)", ["page", *followed.labels], rows)


def _agree(followed: Trajectories) -> Table:
    rows: list[list[Any]] = [
        [
            label,
            method,
            found.common,
            *(round(value, 4) for value in (found.jaccard, found.kendall_tau, found.rank_biased_overlap)),
        ]
        for method in METHODS
        for label, found in zip(followed.labels[1:], followed.agreements(method), strict=True)
    ]
    columns = ["snapshot", "method", "common", "Jaccard", "Kendall τ", "rank-biased overlap"]
    return Table(f"The first {FOLLOWED} beside those of the snapshot before", columns, rows)
