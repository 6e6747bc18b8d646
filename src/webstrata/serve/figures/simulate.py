"""Pictures of simulated crawls: what policies brought in, with bands, and how fast a web can be crawled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstrata.serve.figures.style import COLOURS, Figure, load_altair

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.simulate.harvest import Harvest
    from webstrata.simulate.pace import Pace

_TITLES = {
    "harvest": ("Harvest rate", "share of the fetched pages that are relevant"),
    "recall": ("Recall", "share of the relevant pages that are fetched"),
    "coverage": ("Coverage", "share of the hosts that are reached"),
}
_DASHES = [[1, 0], [6, 3], [2, 2]]


def draw_harvest(harvest: Harvest, name: str) -> list[Figure]:
    """The curves of all policies: harvest rate, recall and coverage by pages, and by time if there is any.

    Examples
    --------
    >>> import numpy as np
    >>> from webstrata.simulate.harvest import Ground, Harvest, Trace, measure
    >>> ground = Ground(np.array([True, False]), np.array([0, 1], np.uint32), 2, most=2)
    >>> trace = Trace("oracle", 0, *(np.array([0, 1], np.uint32),) * 2, np.array([1.0, 2.0]))
    >>> harvest = Harvest(ground.facts, {"simulate": {"clock": True}}, [measure(trace, ground)])
    >>> [figure.name for figure in draw_harvest(harvest, "uk")]
    ['harvest', 'recall', 'coverage', 'harvest-time', 'recall-time', 'coverage-time']
    """
    figures = [Figure(what, _curves(harvest, what, "pages", name)) for what in _TITLES]
    if harvest.configuration.get("simulate", {}).get("clock"):
        figures += [Figure(f"{what}-time", _curves(harvest, what, "seconds", name)) for what in _TITLES]
    return figures


def _curves(harvest: Harvest, what: str, by: str, name: str) -> Any:  # noqa: ANN401
    alt = load_altair()
    rows = []
    for policy in harvest.policies:
        band = harvest.band(policy, what, by)
        columns = (column.tolist() for column in (band.places, band.mean, band.low, band.high))
        rows += [
            {"policy": policy, "x": x, "mean": mean, "low": low, "high": high}
            for x, mean, low, high in zip(*columns, strict=True)
        ]
    # more policies than colours: the next round of them is dashed
    names = harvest.policies
    colours = [COLOURS[place % len(COLOURS)] for place in range(len(names))]
    dashes = [_DASHES[place // len(COLOURS) % len(_DASHES)] for place in range(len(names))]
    title, axis = _TITLES[what]
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("x:Q", title="pages fetched" if by == "pages" else "simulated seconds"),
        color=alt.Color(
            "policy:N",
            title=None,
            sort=None,
            scale=alt.Scale(domain=names, range=colours),
            legend=alt.Legend(symbolType="stroke", symbolOpacity=1, symbolStrokeWidth=2, symbolSize=300),
        ),
    )
    bands = base.mark_area(opacity=0.15).encode(
        y=alt.Y("low:Q", title=axis, axis=alt.Axis(format=".0%")), y2="high:Q"
    )
    lines = base.mark_line(interpolate="linear").encode(
        y=alt.Y("mean:Q", title=axis),
        strokeDash=alt.StrokeDash("policy:N", title=None, scale=alt.Scale(domain=names, range=dashes)),
    )
    runs = max((row.runs for row in harvest.rows()), default=1)
    subtitle = f"{name}; mean of {runs} runs" + (" with bands of 95%" if runs > 1 else "")
    return alt.layer(bands, lines).properties(title={"text": title, "subtitle": subtitle})


def draw_paces(free: Sequence[Pace], polite: Sequence[Pace], name: str) -> list[Figure]:
    """Simulated pages a second by fetchers, and by delays with the front, as BUBING's figures 3 and 4.

    Examples
    --------
    >>> from webstrata.simulate.pace import Pace
    >>> [figure.name for figure in draw_paces([Pace(1, 0.0, 9, 2.0, 1.0)], [Pace(4, 0.5, 9, 2.0, 9.0)], "uk")]
    ['pace-fetchers', 'pace-delays', 'pace-front']
    """
    return [
        Figure(
            "pace-fetchers", _pace(free, "fetchers", "rate", "More fetchers, simulated", f"{name}; no delays")
        ),
        Figure("pace-delays", _pace(polite, "ip_delay", "rate", "Longer delays, simulated", name)),
        Figure(
            "pace-front", _pace(polite, "ip_delay", "front", "Hosts visited in parallel, simulated", name)
        ),
    ]


_AXES = {
    "fetchers": "fetchers",
    "ip_delay": "delay of an address in seconds; of a host eight times as long",
    "rate": "pages a simulated second",
    "front": "hosts in the front",
}


def _pace(paces: Sequence[Pace], by: str, what: str, title: str, subtitle: str) -> Any:  # noqa: ANN401
    alt = load_altair()
    rows = [{"x": getattr(p, by), "y": getattr(p, what), "fetchers": str(p.fetchers)} for p in paces]
    chart = alt.Chart(alt.Data(values=rows)).mark_line(point=True)
    ticks = sorted({row["x"] for row in rows})
    encodings = {
        "x": alt.X("x:Q", title=_AXES[by], scale=alt.Scale(type="log"), axis=alt.Axis(values=ticks)),
        "y": alt.Y("y:Q", title=_AXES[what]),
    }
    if by != "fetchers":
        encodings["color"] = alt.Color("fetchers:N", title="fetchers", sort=None)
    return chart.encode(**encodings).properties(title={"text": title, "subtitle": subtitle})
