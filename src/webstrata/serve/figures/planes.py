"""Pictures of ranks in several snapshots, as WIKI's figures 1 to 3, 6 and 7: one panel or one line each."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata.rank.lists import local_square
from webstrata.serve.figures.ranks import DENSITY
from webstrata.serve.figures.style import Figure, load_altair

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webstrata.rank.plane import Plane
    from webstrata.rank.trajectories import Trajectories

PANEL = 190
"""The side of a panel; where the page is narrow, it draws fewer in a row."""
_PANELS = 3
_CURVES = (("pagerank", "P(K)", "K", "PageRank"), ("cheirank", "P*(K*)", "K*", "CheiRank"))


def draw_planes(planes: Mapping[str, Plane], name: str) -> list[Figure]:
    """P(K) and P*(K*) of several snapshots, and the density of each.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> from webstrata.rank import cheirank, describe_plane, pagerank
    >>> graph = Graph.from_arcs([(0, 1), (2, 1), (1, 0)])
    >>> plane = describe_plane(pagerank(graph), cheirank(graph))
    >>> [figure.name for figure in draw_planes({"2026-01": plane, "2026-02": plane}, "uk")]
    ['pagerank-scores', 'cheirank-scores', 'densities']
    """
    figures = [Figure(f"{words[0]}-scores", _scores(planes, name, *words)) for words in _CURVES]
    return [*figures, Figure("densities", _densities(planes, name))]


def _scores(planes: Mapping[str, Plane], name: str, method: str, score: str, rank: str, shown: str) -> Any:  # noqa: ANN401
    alt = load_altair()
    values = [
        {"snapshot": label, "rank": place, "score": value}
        for label, plane in planes.items()
        for place, value in getattr(plane, method)
        if value > 0
    ]
    powers = [10.0**power for power in range(-15, 12)]
    axis = alt.Axis(format=",~g", values=powers)
    scale = alt.Scale(type="log", nice=False)
    return (
        alt.Chart(alt.Data(values=values))
        .mark_line()
        .encode(
            x=alt.X("rank:Q", title=f"rank {rank}", scale=scale, axis=axis),
            y=alt.Y("score:Q", title=f"score {score}", scale=scale, axis=axis),
            color=alt.Color("snapshot:O", title=None, scale=alt.Scale(scheme="viridis")),
            tooltip=["snapshot:O", "rank:Q", alt.Tooltip("score:Q", format=".3g")],
        )
        .properties(title={"text": f"{score} through the snapshots", "subtitle": f"{name}; by {shown}"})
        .interactive()
    )


def _densities(planes: Mapping[str, Plane], name: str) -> Any:  # noqa: ANN401
    alt = load_altair()
    values = []
    for label, plane in planes.items():
        cells, most = len(plane.density), math.log(max(plane.num_nodes, 2))
        rows, columns = np.nonzero(plane.density)
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
            nodes = int(plane.density[row, column])
            values.append(
                {
                    "snapshot": f"{label}, κ = {plane.correlator:.2f}",
                    "x": round(most * column / cells, 4),
                    "x2": round(most * (column + 1) / cells, 4),
                    "y": round(most * row / cells, 4),
                    "y2": round(most * (row + 1) / cells, 4),
                    "density": round(math.log(nodes / plane.num_nodes), 4),
                    "nodes": nodes,
                }
            )
    most = max((math.log(max(plane.num_nodes, 2)) for plane in planes.values()), default=1.0)
    scale, axis = alt.Scale(domain=[0, most], nice=False), alt.Axis(grid=False)
    return (
        alt.Chart(alt.Data(values=values))
        .mark_rect()
        .encode(
            x=alt.X("x:Q", title="ln K (PageRank)", scale=scale, axis=axis),
            x2="x2:Q",
            y=alt.Y("y:Q", title="ln K* (CheiRank)", scale=scale, axis=axis),
            y2="y2:Q",
            color=alt.Color(
                "density:Q", title="ln of density", scale=alt.Scale(range=DENSITY, interpolate="lab")
            ),
            tooltip=["snapshot:N", "nodes:Q"],
            facet=alt.Facet("snapshot:N", title=None, columns=_PANELS),
        )
        .properties(
            width=PANEL,
            height=PANEL,
            view={"fill": "black"},
            title={"text": "The plane through the snapshots", "subtitle": f"{name}; black: no node"},
        )
    )


def draw_members(lists: Mapping[str, Trajectories], name: str) -> list[Figure]:
    """Where the members of lists are in the plane of each snapshot, and the local squares of the first list.

    Examples
    --------
    >>> from webstrata.rank import Ranking, Trajectories
    >>> found = Trajectories(["a", "b"])
    >>> rankings = [Ranking(what, np.array([2.0, 1.0])) for what in ("pagerank", "cheirank")]
    >>> for label in ("2026-01", "2026-02"):
    ...     found.add(label, rankings, {"a": 0, "b": 1}.get)
    >>> [figure.name for figure in draw_members({"PageRank": found}, "uk")]
    ['members', 'squares']
    """
    first = next(iter(lists.values()), None)
    if first is None or not first.names:
        return []
    return [Figure("members", _members(lists, name)), Figure("squares", _squares(first, name))]


def _members(lists: Mapping[str, Trajectories], name: str) -> Any:  # noqa: ANN401
    alt = load_altair()
    titles = list(lists)
    values = [
        {
            "list": title,
            "snapshot": moment.label,
            "name": member.name,
            "k": member.ranks["pagerank"],
            "inverse": member.ranks["cheirank"],
        }
        for title, found in zip(titles, lists.values(), strict=True)
        for moment in found.moments
        for member in moment.members
    ]
    scale = alt.Scale(type="log", nice=False)
    axis = alt.Axis(format=",~g", values=[10.0**power for power in range(10)])
    return (
        alt.Chart(alt.Data(values=values))
        .mark_point(size=14, opacity=0.7)
        .encode(
            x=alt.X("k:Q", title="K (PageRank)", scale=scale, axis=axis),
            y=alt.Y("inverse:Q", title="K* (CheiRank)", scale=scale, axis=axis),
            color=alt.Color("snapshot:O", title=None, scale=alt.Scale(scheme="viridis")),
            tooltip=["name:N", "snapshot:O", "k:Q", "inverse:Q"],
            facet=alt.Facet("list:N", title=None, columns=_PANELS, sort=titles),
        )
        .properties(
            width=PANEL,
            height=PANEL,
            title={"text": "Pages in the plane through the snapshots", "subtitle": name},
        )
    )


def _squares(found: Trajectories, name: str) -> Any:  # noqa: ANN401
    alt = load_altair()
    size = max((len(moment.members) for moment in found.moments), default=1)
    values = [
        {
            "snapshot": moment.label,
            "name": member.name,
            "k": member.local["pagerank"],
            "inverse": member.local["cheirank"],
            "category": member.category or "other",
        }
        for moment in found.moments
        for member in local_square(moment.members, size)
    ]
    scale = alt.Scale(domain=[0, size + 1], nice=False)
    has_categories = any(found.categories.values())
    return (
        alt.Chart(alt.Data(values=values))
        .mark_point(size=22)
        .encode(
            x=alt.X("k:Q", title="local K (PageRank)", scale=scale),
            y=alt.Y("inverse:Q", title="local K* (CheiRank)", scale=scale),
            **({"color": alt.Color("category:N", title=None)} if has_categories else {}),
            tooltip=["name:N", "category:N", "snapshot:O", "k:Q", "inverse:Q"],
            facet=alt.Facet("snapshot:N", title=None, columns=_PANELS),
        )
        .properties(
            width=PANEL,
            height=PANEL,
            title={"text": "The local square through the snapshots", "subtitle": name},
        )
    )
