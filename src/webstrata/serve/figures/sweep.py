"""Pictures of measured crawls: rate and CPU load by fetchers and by delays, with the front (BUBING)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstrata.serve.figures.style import Figure, load_altair

if TYPE_CHECKING:
    from collections.abc import Sequence

_TITLES = {
    "pages_per_second": "pages per second",
    "cpu_load": "CPU load in cores",
    "front": "hosts in the front",
}


def draw_sweep(by_fetchers: Sequence[dict[str, Any]], by_delay: Sequence[dict[str, Any]]) -> list[Figure]:
    """Pages per second and CPU load by fetchers; pages per second, front and CPU load by delay.

    Examples
    --------
    >>> point = {"fetchers": 4, "ip_delay": 0.5, "pages_per_second": 90.0, "cpu_load": 0.4, "front": 12}
    >>> [figure.name for figure in draw_sweep([point], [point])]
    ['sweep-fetchers', 'sweep-fetchers-load', 'sweep-delays', 'sweep-front', 'sweep-delays-load']
    """
    fetchers, delay = ("fetchers", "fetchers"), ("ip_delay", "delay of an address in seconds")
    return [
        Figure("sweep-fetchers", _line(by_fetchers, fetchers, "pages_per_second", "More fetchers, measured")),
        Figure(
            "sweep-fetchers-load", _line(by_fetchers, fetchers, "cpu_load", "CPU load by fetchers, measured")
        ),
        Figure("sweep-delays", _line(by_delay, delay, "pages_per_second", "Longer delays, measured")),
        Figure("sweep-front", _line(by_delay, delay, "front", "Largest front by delay, measured")),
        Figure("sweep-delays-load", _line(by_delay, delay, "cpu_load", "CPU load by delay, measured")),
    ]


def _line(points: Sequence[dict[str, Any]], by: tuple[str, str], what: str, title: str) -> Any:  # noqa: ANN401
    alt = load_altair()
    name, axis = by
    scale = alt.Scale(type="log") if name == "fetchers" else alt.Scale()
    rows = [{"x": point[name], "y": point[what]} for point in points]
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_line(point=True)
        .encode(
            x=alt.X("x:Q", title=axis, scale=scale),
            y=alt.Y("y:Q", title=_TITLES[what], scale=alt.Scale(zero=True)),
        )
        .properties(title={"text": title, "subtitle": "crawls of an in-vitro web over loopback"})
    )
