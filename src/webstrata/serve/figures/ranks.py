"""Pictures of ranks, in the style of WIKI: the plane of PageRank and CheiRank, and lists through time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata.rank.lists import choose_sizes, local_square
from webstrata.serve.figures.style import COLOURS, Figure, load_altair

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.rank.plane import Plane
    from webstrata.rank.trajectories import Trajectories

DENSITY = ["#2b0a3d", "#5b1072", "#9b1c6b", "#d8433b", "#f58b2a", "#fbd35a", "#ffffff"]
"""From the least density that is not 0 to the largest; 0 is black."""
LINES = 10
"""Members that have a line, as in the paper."""
_SIDE = 380


def draw_plane(plane: Plane, name: str) -> list[Figure]:
    """The density of nodes over both ranks, and scores by rank.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> from webstrata.rank import cheirank, describe_plane, pagerank
    >>> graph = Graph.from_arcs([(0, 1), (2, 1), (1, 0)])
    >>> [figure.name for figure in draw_plane(describe_plane(pagerank(graph), cheirank(graph)), "uk")]
    ['plane', 'scores']
    """
    return [Figure("plane", _density(plane, name)), Figure("scores", _scores(plane, name))]


def _density(plane: Plane, name: str) -> Any:  # noqa: ANN401
    alt = load_altair()
    cells, most = len(plane.density), math.log(max(plane.num_nodes, 2))
    rows, columns = np.nonzero(plane.density)
    # a cell is told by its edges, in ln K and ln K*
    values = [
        {
            "x": most * column / cells,
            "x2": most * (column + 1) / cells,
            "y": most * row / cells,
            "y2": most * (row + 1) / cells,
            "density": math.log(int(plane.density[row, column]) / plane.num_nodes),
            "nodes": int(plane.density[row, column]),
        }
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
    ]
    scale = alt.Scale(domain=[0, most], nice=False)
    back = alt.Chart(alt.Data(values=[{"x": 0, "x2": most, "y": 0, "y2": most}])).mark_rect(color="black")
    marks = alt.Chart(alt.Data(values=values)).mark_rect()
    layers = [
        back.encode(
            x=alt.X("x:Q", title="ln K (PageRank)", scale=scale, axis=alt.Axis(grid=False)),
            x2="x2:Q",
            y=alt.Y("y:Q", title="ln K* (CheiRank)", scale=scale, axis=alt.Axis(grid=False)),
            y2="y2:Q",
        ),
        marks.encode(
            x="x:Q",
            x2="x2:Q",
            y="y:Q",
            y2="y2:Q",
            color=alt.Color(
                "density:Q", title="ln of density", scale=alt.Scale(range=DENSITY, interpolate="lab")
            ),
            tooltip=["nodes:Q"],
        ),
    ]
    subtitle = f"{name}; {plane.num_nodes:,} nodes, κ = {plane.correlator:.3f}; black: no node"
    return alt.layer(*layers).properties(
        width=_SIDE, height=_SIDE, title={"text": "CheiRank against PageRank", "subtitle": subtitle}
    )


def _scores(plane: Plane, name: str) -> Any:  # noqa: ANN401
    alt = load_altair()
    values = [
        {"rank": rank, "score": score, "what": what}
        for what, curve in (("P(K), PageRank", plane.pagerank), ("P*(K*), CheiRank", plane.cheirank))
        for rank, score in curve
        if score > 0
    ]
    powers = [10.0**power for power in range(-15, 12)]
    return (
        alt.Chart(alt.Data(values=values))
        .mark_line()
        .encode(
            x=_log(alt.X("rank:Q"), "rank K, K*", powers),
            y=_log(alt.Y("score:Q"), "score P, P*", powers),
            color=alt.Color("what:N", title=None, sort=None, legend=alt.Legend(orient="top-right")),
        )
        .properties(title={"text": "Scores by rank", "subtitle": name})
    )


def draw_trajectories(
    followed: Trajectories, method: str, name: str, *, number: int = 100, outside: Sequence[str] = ()
) -> list[Figure]:
    """Ranks of the first members through time, the local square, categories, and overlap; what there is.

    Examples
    --------
    >>> from webstrata.rank import Ranking, Trajectories
    >>> found = Trajectories(["a", "b"], {"a": "art"})
    >>> rankings = [Ranking(what, np.array([2.0, 1.0])) for what in ("pagerank", "cheirank")]
    >>> for label in ("2026-01", "2026-02"):
    ...     found.add(label, rankings, {"a": 0, "b": 1}.get)
    >>> [figure.name for figure in draw_trajectories(found, "pagerank", "uk", outside=["b", "a"])]
    ['trajectories', 'square', 'categories', 'overlap']
    """
    figures = []
    if not followed.names:
        return []
    if len(followed.moments) > 1:
        figures.append(Figure("trajectories", _lines(followed, method, name)))
    if {"pagerank", "cheirank"} <= set(followed.moments[-1].top):
        figures.append(Figure("square", _square(followed, name, number)))
    if any(followed.categories.values()):
        figures.append(Figure("categories", _categories(followed, method, name, number)))
    if outside:
        figures.append(Figure("overlap", _overlap(followed, method, name, outside)))
    return figures


def _lines(followed: Trajectories, method: str, name: str) -> Any:  # noqa: ANN401
    alt = load_altair()
    names = followed.moments[-1].order(method)[:LINES]
    values = [
        {"label": label, "rank": rank, "name": one}
        for one in names
        for label, rank in zip(followed.labels, followed.trajectory(one, method), strict=True)
        if rank is not None
    ]
    powers = [factor * 10.0**power for power in range(10) for factor in (1, 2, 5)]
    return (
        alt.Chart(alt.Data(values=values))
        .mark_line(point=True)
        .encode(
            x=alt.X("label:O", title=None, axis=alt.Axis(labelAngle=-45)),
            y=_log(alt.Y("rank:Q"), f"rank by {method}", powers, is_reversed=True),
            color=alt.Color("name:N", title=None, sort=names, legend=alt.Legend(labelLimit=400, columns=1)),
            tooltip=["name:N", "label:O", "rank:Q"],
        )
        .properties(
            width=_width(followed),
            title={"text": "Ranks through time", "subtitle": f"{name}; the first {len(names)}"},
        )
    )


def _square(followed: Trajectories, name: str, number: int) -> Any:  # noqa: ANN401
    alt = load_altair()
    moment = followed.moments[-1]
    size = max(min(number, len(moment.members)), 1)
    values = [
        {
            "name": member.name,
            "k": member.local["pagerank"],
            "inverse": member.local["cheirank"],
            "category": member.category or "other",
        }
        for member in local_square(moment.members, size)
    ]
    scale = alt.Scale(domain=[0, size + 1], nice=False)
    points = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X("k:Q", title="local K (PageRank)", scale=scale, axis=alt.Axis(tickMinStep=1)),
        y=alt.Y("inverse:Q", title="local K* (CheiRank)", scale=scale, axis=alt.Axis(tickMinStep=1)),
    )
    layers = [
        points.mark_point().encode(
            color=alt.Color("category:N", title=None, sort=None)
            if any(followed.categories.values())
            else alt.value(COLOURS[0]),
            tooltip=["name:N", "k:Q", "inverse:Q"],
        ),
        points.transform_filter(f"datum.k + datum.inverse <= {0.6 * size + 4}")
        .mark_text(align="left", dx=6, fontSize=9, limit=150)
        .encode(text="name:N"),
    ]
    subtitle = f"{name} {moment.label}; {len(values)} of {len(moment.members)} members"
    return alt.layer(*layers).properties(
        width=_SIDE, height=_SIDE, title={"text": "The local square", "subtitle": subtitle}
    )


def _categories(followed: Trajectories, method: str, name: str, number: int) -> Any:  # noqa: ANN401
    alt = load_altair()
    shares = followed.shares(method, number)
    names = list(dict.fromkeys(one for row in shares for one in row))
    values = [
        {"label": label, "category": one, "share": row.get(one, 0.0)}
        for label, row in zip(followed.labels, shares, strict=True)
        for one in names
    ]
    return (
        alt.Chart(alt.Data(values=values))
        .mark_rect()
        .encode(
            x=alt.X("label:O", title=None, axis=alt.Axis(labelAngle=-45)),
            y=alt.Y("category:N", title=None, sort=names),
            color=alt.Color("share:Q", title="share", legend=alt.Legend(format=".0%")),
            tooltip=["category:N", "label:O", alt.Tooltip("share:Q", format=".1%")],
        )
        .properties(
            width=_width(followed),
            height=28 * len(names),
            title={"text": f"Categories among the first {number} by {method}", "subtitle": name},
        )
    )


def _overlap(followed: Trajectories, method: str, name: str, outside: Sequence[str]) -> Any:  # noqa: ANN401
    alt = load_altair()
    sizes = choose_sizes(outside)
    values = [
        {"label": label, "share": count / size, "first": f"first {size}"}
        for size in sizes
        for label, count in zip(followed.labels, followed.overlaps(outside, method, size), strict=True)
    ]
    return (
        alt.Chart(alt.Data(values=values))
        .mark_line(point=True)
        .encode(
            x=alt.X("label:O", title=None, axis=alt.Axis(labelAngle=-45)),
            y=alt.Y("share:Q", title="in both", axis=alt.Axis(format=".0%"), scale=alt.Scale(domain=[0, 1])),
            color=alt.Color("first:N", title=None, sort=None),
        )
        .properties(
            width=_width(followed),
            title={"text": f"The first by {method} among an outside ranking's", "subtitle": name},
        )
    )


def _width(followed: Trajectories) -> int:
    return max(_SIDE, 34 * len(followed.moments))


def _log(channel: Any, title: str, values: list[float], *, is_reversed: bool = False) -> Any:  # noqa: ANN401
    alt = load_altair()
    return (
        channel.scale(type="log", nice=False, reverse=is_reversed)
        .title(title)
        .axis(alt.Axis(format=",~g", values=values))
    )
