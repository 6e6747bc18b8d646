"""Pictures of an in-vitro web, from its `WebDescription`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from webstrata.serve.figures.style import COLOURS, GREY, Figure, load_altair

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webstrata.invitro.describe import Histogram, WebDescription
    from webstrata.temporal.overlap import Overlap

_FITTED = {
    "size_exponent": ("pages of a host", "pages of the host"),
    "in_exponent": ("links from other hosts", "links from texts of other hosts"),
    "out_exponent": ("links in the text", "links in the text of the page"),
}
_MAX_POINTS = 150


def draw_description(found: WebDescription) -> list[Figure]:
    """All pictures of a description.

    Examples
    --------
    >>> from webstrata.invitro import Web, describe
    >>> [figure.name for figure in draw_description(describe(Web("tiny", seed=7)))][:2]
    ['settings', 'degrees']
    """
    figures = [
        Figure("settings", _settings(found)),
        Figure("degrees", _degrees(found)),
        Figure("fits", _fits(found)),
        Figure("host-sizes", _host_sizes(found)),
        Figure("links", _links(found)),
        Figure("months", _months(found)),
    ]
    if found.hosts.num_months > 1:
        figures += [
            Figure("host-overlap", _heat_map(found.hosts, "Hosts that two months have in common")),
            Figure("url-overlap", _heat_map(found.urls, "Static URLs that two months have in common")),
            Figure("lags", _lags(found)),
        ]
    return figures


def count_from_above(histogram: Histogram) -> list[tuple[int, float]]:
    """Share of the values that are at least x, for values x above 0, thinned out evenly on a log scale.

    Examples
    --------
    >>> count_from_above(((0, 2), (1, 4), (5, 2)))
    [(1, 0.75), (5, 0.25)]
    """
    total = left = sum(count for _, count in histogram)
    points: list[tuple[int, float]] = []
    largest = max((value for value, _ in histogram), default=1)
    step = math.log(max(largest, 2)) / _MAX_POINTS
    for value, count in histogram:
        if value > 0 and (not points or math.log(value / points[-1][0]) >= step or left == count):
            points.append((value, left / total))
        left -= count
    return points


def _settings(found: WebDescription) -> Any:  # noqa: ANN401
    alt = load_altair()
    rows = [
        {
            "setting": measure.setting,
            "deviation": max(-1.6, min(1.6, (measure.found - measure.asked) / measure.error)),
            "asked": measure.asked,
            "found": measure.found,
            "result": "within its error" if measure.is_within else "outside",
        }
        for measure in found.measures
        if measure.error
    ]
    data = alt.Data(values=rows)
    order = [row["setting"] for row in rows]
    band = (
        alt.Chart(alt.Data(values=[{"from": -1, "to": 1}]))
        .mark_rect(color="#eef3f6")
        .encode(x=alt.X("from:Q", scale=alt.Scale(domain=[-1.7, 1.7])), x2="to:Q")
    )
    rule = alt.Chart(alt.Data(values=[{"x": 0}])).mark_rule(color="#b0b8bd").encode(x="x:Q")
    points = (
        alt.Chart(data)
        .mark_point(size=80)
        .encode(
            x=alt.X("deviation:Q", title="deviation from the setting, in stated errors"),
            y=alt.Y("setting:N", sort=order, title=None),
            color=alt.Color(
                "result:N",
                title=None,
                scale=alt.Scale(domain=["within its error", "outside"], range=COLOURS[:2]),
                legend=alt.Legend(orient="bottom"),
            ),
            tooltip=["setting:N", alt.Tooltip("asked:Q"), alt.Tooltip("found:Q", format=".4f")],
        )
    )
    return (band + rule + points).properties(
        width=420,
        height=22 * max(len(rows), 1),
        title=_title(found, "What was asked for, and what was found", "the band is where they agree"),
    )


def _degrees(found: WebDescription) -> Any:  # noqa: ANN401
    alt = load_altair()
    rows: list[dict[str, Any]] = [
        {"degree": value, "share": share, "kind": kind}
        for kind in ("in-degree", "out-degree")
        for value, share in count_from_above(found.distributions[kind])
    ]
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_line()
        .encode(
            x=_log(alt.X("degree:Q"), "degree (links)", [row["degree"] for row in rows]),
            y=_log(
                alt.Y("share:Q"), "share of nodes with at least that degree", [row["share"] for row in rows]
            ),
            color=alt.Color("kind:N", title=None, legend=alt.Legend(orient="top-right")),
        )
        .properties(title=_title(found, "Degrees of the served graph", f"month {found.month}"))
    )


def _fits(found: WebDescription) -> Any:  # noqa: ANN401
    alt = load_altair()
    charts = []
    for measure in found.measures:
        if measure.setting not in _FITTED or measure.fit is None:
            continue
        name, what = _FITTED[measure.setting]
        # sizes are fitted without the home page
        shift = 1 if measure.setting == "size_exponent" else 0
        points = count_from_above(tuple((value - shift, count) for value, count in found.distributions[name]))
        fit = measure.fit
        start = next((share for value, share in points if value >= fit.x_min), 1.0)
        largest = max(value for value, _ in points)
        line = [
            {"x": x, "share": start * (x / fit.x_min) ** (1 - fit.exponent)}
            for x in (fit.x_min, math.sqrt(fit.x_min * largest), largest)
        ]
        rows = [{"x": value, "share": share} for value, share in points]
        dots = (
            alt.Chart(alt.Data(values=rows))
            .mark_point(size=18, color=COLOURS[0])
            .encode(
                x=_log(alt.X("x:Q"), what, [row["x"] for row in rows]),
                y=_log(alt.Y("share:Q"), "share with at least as many", [row["share"] for row in rows]),
            )
        )
        law = (
            alt.Chart(alt.Data(values=line))
            .mark_line(color=COLOURS[1], strokeDash=[5, 3])
            .encode(x="x:Q", y="share:Q")
        )
        subtitle = (
            f"{fit.exponent:.2f} ± {fit.standard_error:.2f} from {fit.x_min} on; set to {measure.asked:g}"
        )
        heading = {"text": measure.setting, "subtitle": subtitle, "fontSize": 13}
        charts.append((dots + law).properties(width=270, height=240, title=heading))
    if not charts:
        note = [{"text": "too few hosts and pages to fit a power law"}]
        return alt.Chart(alt.Data(values=note)).mark_text(color=GREY, fontSize=13).encode(text="text:N")
    return alt.hconcat(*charts, spacing=30).properties(
        title=_title(found, "Power laws, fitted by maximum likelihood", "the dashed line is the fit")
    )


def _host_sizes(found: WebDescription) -> Any:  # noqa: ANN401
    alt = load_altair()
    rows, rank = [], 1
    for value, count in sorted(found.distributions["pages of a host"], reverse=True):
        rows.append({"rank": rank, "pages": value})
        rank += count
    rows.append({"rank": rank - 1, "pages": rows[-1]["pages"]})
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_line(interpolate="step-after", color=COLOURS[0])
        .encode(
            x=_log(alt.X("rank:Q"), "rank of the host by size", [row["rank"] for row in rows]),
            y=_log(alt.Y("pages:Q"), "pages of the host", [row["pages"] for row in rows]),
        )
        .properties(
            title=_title(found, "Sizes of ordinary hosts", f"{rank - 1:,} hosts, link farms not counted")
        )
    )


def _links(found: WebDescription) -> Any:  # noqa: ANN401
    alt = load_altair()
    rows = [
        {"area": area.name, "where": where, "links": area.links_per_page * share}
        for area in found.areas
        for where, share in (("same host", area.inner_share), ("other hosts", 1 - area.inner_share))
    ]
    total = sum(area.links_per_page for area in found.areas)
    subtitle = f"month {found.month}, {total:.1f} links on a page of an ordinary host"
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_bar()
        .encode(
            x=alt.X("links:Q", title="links on a page, on average"),
            y=alt.Y("area:N", sort=[area.name for area in found.areas], title=None),
            color=alt.Color(
                "where:N",
                title="links to",
                sort=["same host", "other hosts"],
                legend=alt.Legend(orient="bottom"),
            ),
            order=alt.Order("where:N", sort="descending"),
        )
        .properties(height=200, title=_title(found, "Where the links of a page stand", subtitle))
    )


def _months(found: WebDescription) -> Any:  # noqa: ANN401
    alt = load_altair()
    rows = [
        {"month": month.month, "view": view, "nodes": nodes}
        for month in found.months
        for view, nodes in (("served", month.num_nodes), ("collection", month.collection_nodes))
    ]
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_line(point=True)
        .encode(
            x=alt.X("month:O", title="month", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("nodes:Q", title="nodes", axis=alt.Axis(format="~s")),
            color=alt.Color(
                "view:N", title=None, sort=["served", "collection"], legend=alt.Legend(orient="bottom")
            ),
        )
        .properties(width=460, title=_title(found, "Nodes of the graph, month by month", _kind(found)))
    )


def _heat_map(overlap: Overlap, text: str) -> Any:  # noqa: ANN401
    alt = load_altair()
    months = range(overlap.num_months)
    rows = [
        {"one": one, "other": other, "share": overlap.share(one, other)} for one in months for other in months
    ]
    least = min(row["share"] for row in rows)
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("one:O", title="month", axis=alt.Axis(labelAngle=0, orient="top")),
        y=alt.Y("other:O", title="month"),
    )
    cells = base.mark_rect(stroke="white").encode(
        color=alt.Color(
            "share:Q",
            title="overlap",
            scale=alt.Scale(scheme="blues", domain=[max(0.0, least - 0.1), 1]),
            legend=alt.Legend(format=".0%"),
        )
    )
    numbers = base.mark_text(fontSize=10).encode(
        text=alt.Text("share:Q", format=".2f"),
        color=alt.condition(f"datum.share > {(least + 1.1) / 2}", alt.value("white"), alt.value("#1d2529")),
    )
    side = max(34 * overlap.num_months, 120)
    title = {"text": text, "subtitle": "what both have, over the mean of what each has"}
    return (cells + numbers).properties(width=side, height=side, title=title)


def _lags(found: WebDescription) -> Any:  # noqa: ANN401
    alt = load_altair()
    rows = list(_lag_rows("hosts", "this web", found.hosts.by_lag()))
    rows += _lag_rows("static URLs", "this web", found.urls.by_lag())
    for comparison in found.comparisons:
        rows += _lag_rows(comparison.what, comparison.source.partition(",")[0], comparison.theirs)
    subtitle = "mean over all pairs of months" + (
        "; dashed: the real .uk (TIME, tables 2 and 3)" if found.comparisons else ""
    )
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_line(point=True)
        .encode(
            x=alt.X("lag:O", title="months apart", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("share:Q", title="overlap", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=".0%")),
            color=alt.Color("what:N", title=None, legend=alt.Legend(orient="bottom")),
            strokeDash=alt.StrokeDash(
                "source:N",
                title=None,
                sort=["this web", "TIME"],
                legend=alt.Legend(orient="bottom", symbolType="stroke"),
            ),
        )
        .properties(width=460, title=_title(found, "What is left after some months", subtitle))
    )


def _lag_rows(what: str, source: str, shares: Iterable[float]) -> list[dict[str, Any]]:
    return [
        {"lag": lag, "what": what, "source": source, "share": share} for lag, share in enumerate(shares, 1)
    ]


def _log(channel: Any, title: str, numbers: Iterable[float]) -> Any:  # noqa: ANN401
    """A channel on a log scale with round labels: tens, and between them where the range is small."""
    alt = load_altair()
    numbers = list(numbers)
    factors = (1, 2, 5) if max(numbers) < 200 * min(numbers) else (1,)
    values = [factor * 10.0**power for power in range(-8, 10) for factor in factors]
    axis = alt.Axis(format=",~g", values=values)
    return channel.scale(type="log", nice=False).title(title).axis(axis)


def _kind(found: WebDescription) -> str:
    return f"{found.preset}, seed {found.seed}"


def _title(found: WebDescription, text: str, subtitle: str) -> dict[str, Any]:
    kind = _kind(found)
    return {"text": text, "subtitle": subtitle if subtitle == kind else f"{kind}; {subtitle}"}
