"""Pictures of a graph, from its `Structure`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata.serve.figures.style import COLOURS, Figure, load_altair

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webstrata.graph.structure import Balls, Components, Degrees, Structure

_MAX_POINTS = 150
_WINGS = {
    "in": "inward",
    "core": "core",
    "out": "outward",
    "tubes": "tubes",
    "tendrils": "tendrils",
    "disconnected": "disconnected",
}


def draw_structure(found: Structure, name: str) -> list[Figure]:
    """All pictures of a graph with this name.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> from webstrata.graph.structure import describe_structure
    >>> found = describe_structure(Graph.from_arcs([(0, 1), (1, 2), (2, 0)]))
    >>> [figure.name for figure in draw_structure(found, "triangle")]
    ['degrees', 'components', 'bow-tie', 'distances']
    """
    figures = [
        Figure("degrees", _degrees(found, name)),
        Figure("components", _components(found, name)),
        Figure("bow-tie", _bow_tie(found, name)),
    ]
    if found.balls is not None:
        figures.append(Figure("distances", _distances(found.balls, name)))
    return figures


def draw_moment(found: Structure, label: str, name: str) -> list[Figure]:
    """Degrees and bow tie of one snapshot, as pictures to which the rows of others can be added.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> from webstrata.graph.structure import describe_structure
    >>> found = describe_structure(Graph.from_arcs([(0, 1), (1, 2), (2, 0)]))
    >>> [figure.name for figure in draw_moment(found, "2026-06", "uk")]
    ['degrees-through-time', 'bow-tie-through-time']
    """
    alt = load_altair()
    both = {"in-degree": found.indegrees, "out-degree": found.outdegrees}
    points = [
        {"snapshot": label, "kind": kind, "degree": degree, "share": round(share, 8)}
        for kind, degrees in both.items()
        for degree, share in _from_above(degrees)
    ]
    powers = [10.0**power for power in range(-10, 11)]
    scale, axis = alt.Scale(type="log", nice=False), alt.Axis(format=",~g", values=powers)
    degrees = (
        alt.Chart(alt.Data(values=points))
        .mark_line()
        .encode(
            x=alt.X("degree:Q", title="degree", scale=scale, axis=axis),
            y=alt.Y("share:Q", title="share of nodes with at least that degree", scale=scale, axis=axis),
            color=alt.Color("snapshot:O", title=None, scale=alt.Scale(scheme="viridis")),
            strokeDash=alt.StrokeDash("kind:N", title=None),
            tooltip=["snapshot:O", "kind:N", "degree:Q", alt.Tooltip("share:Q", format=".3g")],
        )
        .properties(title={"text": "Degrees through the snapshots", "subtitle": name})
        .interactive()
    )
    total = max(found.num_nodes, 1)
    rows = [
        {"snapshot": label, "part": part, "order": place, "share": getattr(found.bow_tie, field) / total}
        for place, (part, field) in enumerate(_WINGS.items())
    ]
    wings = (
        alt.Chart(alt.Data(values=rows))
        .mark_bar()
        .encode(
            x=alt.X("snapshot:O", title=None, axis=alt.Axis(labelAngle=-45)),
            y=alt.Y("share:Q", title="share of the nodes", axis=alt.Axis(format=".0%")),
            color=alt.Color("part:N", title=None, sort=list(_WINGS)),
            order="order:Q",
            tooltip=["snapshot:O", "part:N", alt.Tooltip("share:Q", format=".2%")],
        )
        .properties(title={"text": "Bow tie through the snapshots", "subtitle": name})
    )
    return [Figure("degrees-through-time", degrees), Figure("bow-tie-through-time", wings)]


def _degrees(found: Structure, name: str) -> Any:  # noqa: ANN401
    alt = load_altair()
    layers = []
    said = []
    both = {"in-degree": found.indegrees, "out-degree": found.outdegrees}
    every = [point for degrees in both.values() for point in _from_above(degrees)]
    for kind, degrees in both.items():
        points = _from_above(degrees)
        rows = [{"degree": degree, "share": share, "kind": kind} for degree, share in points]
        colour = alt.Color("kind:N", title=None, legend=alt.Legend(orient="top-right"))
        chart = alt.Chart(alt.Data(values=rows)).mark_point(size=16)
        x = _log(alt.X("degree:Q"), "degree", [degree for degree, _ in every])
        y = _log(alt.Y("share:Q"), "share of nodes with at least that degree", [share for _, share in every])
        layers.append(chart.encode(x=x, y=y, color=colour))
        if (law := degrees.law) is None:
            said.append(f"{kind}: no power law fitted")
            continue
        start = next((share for degree, share in points if degree >= law.x_min), 1.0)
        line = [
            {"degree": degree, "share": start * (degree / law.x_min) ** (1 - law.exponent), "kind": kind}
            for degree in (law.x_min, degrees.largest)
        ]
        chart = alt.Chart(alt.Data(values=line)).mark_line(strokeDash=[5, 3])
        layers.append(chart.encode(x="degree:Q", y="share:Q", color=colour))
        doubt = " (doubtful)" if law.warnings else ""
        said.append(f"{kind} {law.exponent:.3f} ± {law.standard_error:.2g} from {law.x_min} on{doubt}")
    subtitle = f"{name}; exponents: {', '.join(said)}" if said else name
    return alt.layer(*layers).properties(title={"text": "Degrees", "subtitle": subtitle})


def _components(found: Structure, name: str) -> Any:  # noqa: ANN401
    alt = load_altair()
    rows: list[dict[str, Any]] = [
        {"rank": rank, "size": size, "kind": kind}
        for kind, components in (("strong", found.strong), ("weak", found.weak))
        for rank, size in _by_rank(components)
    ]
    subtitle = f"{name}; {len(found.strong):,} strong and {len(found.weak):,} weak ones"
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_line(point=True)
        .encode(
            x=_log(alt.X("rank:Q"), "rank of the component by size", [row["rank"] for row in rows]),
            y=_log(alt.Y("size:Q"), "nodes of the component", [row["size"] for row in rows]),
            color=alt.Color("kind:N", title=None, legend=alt.Legend(orient="top-right")),
        )
        .properties(title={"text": "Components", "subtitle": subtitle})
    )


def _bow_tie(found: Structure, name: str) -> Any:  # noqa: ANN401
    alt = load_altair()
    total = max(found.num_nodes, 1)
    rows = [{"part": part, "share": getattr(found.bow_tie, field) / total} for part, field in _WINGS.items()]
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_bar(color=COLOURS[0])
        .encode(
            x=alt.X("share:Q", title="share of the nodes", axis=alt.Axis(format=".0%")),
            y=alt.Y("part:N", sort=list(_WINGS), title=None),
            tooltip=["part:N", alt.Tooltip("share:Q", format=".2%")],
        )
        .properties(
            height=190,
            title={"text": "Bow tie", "subtitle": f"{name}; the core is the largest strong component"},
        )
    )


def _distances(balls: Balls, name: str) -> Any:  # noqa: ANN401
    alt = load_altair()
    rows = [
        {"distance": distance, "share": float(share)} for distance, share in enumerate(balls.distribution, 1)
    ]
    subtitle = f"{name}; mean {balls.mean_distance}, effective diameter {balls.effective_diameter}"
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_area(line={"color": COLOURS[0]}, color="#d6e6f1")
        .encode(
            x=alt.X("distance:Q", title="distance (arcs)"),
            y=alt.Y("share:Q", title="share of the joined pairs", axis=alt.Axis(format=".1%")),
        )
        .properties(title={"text": "Distances", "subtitle": subtitle})
    )


def _from_above(degrees: Degrees) -> list[tuple[int, float]]:
    """Share of nodes with at least a degree, for degrees above 0, thinned out evenly on a log scale."""
    total = left = max(sum(count for _, count in degrees.counts), 1)
    step = math.log(max(degrees.largest, 2)) / _MAX_POINTS
    points: list[tuple[int, float]] = []
    for degree, count in degrees.counts:
        if degree and (not points or math.log(degree / points[-1][0]) >= step or left == count):
            points.append((degree, left / total))
        left -= count
    return points or [(1, 1 / total)]


def _by_rank(components: Components) -> list[tuple[int, int]]:
    """Ranks with sizes, thinned out evenly on a log scale."""
    number = len(components)
    ranks = np.unique(np.geomspace(1, max(number, 1), _MAX_POINTS).astype(int))
    return [(int(rank), int(components.sizes[rank - 1])) for rank in ranks if rank <= number]


def _log(channel: Any, title: str, numbers: Iterable[float]) -> Any:  # noqa: ANN401
    """A channel on a log scale with round labels."""
    alt = load_altair()
    numbers = list(numbers) or [1]
    low, high = min(numbers), max(numbers)
    factors = (1, 2, 5) if high < 200 * low else (1,)
    values = [factor * 10.0**power for power in range(-10, 11) for factor in factors]
    scale = alt.Scale(type="log", nice=False)
    if low == high:  # a single point has no range of its own
        low, high = low / 10, high * 10
        scale = alt.Scale(type="log", nice=False, domain=[low, high])
        values = [value for value in values if low <= value <= high]
    return channel.scale(scale).title(title).axis(alt.Axis(format=",~g", values=values))
