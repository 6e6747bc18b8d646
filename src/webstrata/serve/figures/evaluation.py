"""Pictures of an evaluation of change search: the figures 1 to 5 of CHANGE."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstrata.serve.figures.style import COLOURS, Figure, load_altair

if TYPE_CHECKING:
    from webstrata.search.evaluate.tables import Point, Report

_RANKS = ["none", "pagerank", "hits-authority", "hits-hub", "combined", "hits", "new-text"]


def draw_report(report: Report) -> list[Figure]:
    """Table 2 as bars, and the five figures where there are sweeps.

    Examples
    --------
    >>> from webstrata.search.evaluate.tables import Line, Point, Report
    >>> means = dict.fromkeys(["ndcg", "recall", "mrr", "edges_before", "edges_after", "kept"], 0.5)
    >>> points = [Point("none", value, means) for value in (0.0, 0.5)]
    >>> report = Report(3, {"alpha": 0.5}, [Line("none", means, means)], points, points)
    >>> [figure.name for figure in draw_report(report)]
    ['table-2', 'figure-1', 'figure-2', 'figure-3', 'figure-4', 'figure-5']
    """
    figures = [Figure("table-2", _table(report))]
    if not report.by_alpha:
        return figures
    edges = {"edges_before": "before", "edges_after": "after", "": "difference"}
    return [
        *figures,
        Figure("figure-1", _bars(report.by_alpha, {"ndcg": "NDCG"}, "α", "NDCG by α")),
        Figure(
            "figure-2",
            _bars(report.by_expansion, {"ndcg": "NDCG"}, "expansion", "NDCG by size of the expansion"),
        ),
        Figure("figure-3", _bars(report.by_alpha, edges, "α", "Links among the first 15 by α")),
        Figure(
            "figure-4",
            _bars(
                report.by_expansion, {"": "difference"}, "expansion", "Links gained by size of the expansion"
            ),
        ),
        Figure(
            "figure-5",
            _bars(
                report.by_alpha, {"kept": "share"}, "α", "Share of short paths kept within the first 15 by α"
            ),
        ),
    ]


def _table(report: Report) -> Any:  # noqa: ANN401
    alt = load_altair()
    names = {"ndcg": "NDCG", "recall": "recall@15", "mrr": "MRR"}
    rows = [
        {"rank": line.name, "measure": shown, "month": month, "mean": means[name]}
        for line in report.table
        for month, means in (("month of change", line.month), ("other month", line.other))
        if means
        for name, shown in names.items()
    ]
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_bar()
        .encode(
            x=alt.X("rank:N", title=None, sort=[line.name for line in report.table]),
            y=alt.Y("mean:Q", title="mean over queries"),
            xOffset="month:N",
            color=alt.Color("month:N", title=None),
            column=alt.Column("measure:N", title=None, sort=list(names.values())),
            tooltip=["rank:N", "measure:N", "month:N", alt.Tooltip("mean:Q", format=".3f")],
        )
        .properties(width=170, title=f"Change search, {report.queries} queries (table 2)")
    )


def _bars(points: list[Point], shown: dict[str, str], name: str, title: str) -> Any:  # noqa: ANN401
    """Groups of bars: a group for each value of what is swept, a bar for each rank."""
    alt = load_altair()
    rows = [
        {
            "rank": point.rank,
            "value": f"{point.value:g}",
            "what": what,
            "mean": point.means[measure]
            if measure
            else point.means["edges_after"] - point.means["edges_before"],
        }
        for point in points
        for measure, what in shown.items()
    ]
    values = list(dict.fromkeys(row["value"] for row in rows))
    chart = (
        alt.Chart(alt.Data(values=rows))
        .mark_bar()
        .encode(
            x=alt.X("value:O", title=name, sort=values, axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset("rank:N", sort=_RANKS),
            y=alt.Y("mean:Q", title="mean over queries"),
            color=alt.Color(
                "rank:N",
                title=None,
                sort=_RANKS,
                scale=alt.Scale(domain=_RANKS, range=COLOURS[: len(_RANKS)]),
            ),
            tooltip=["rank:N", "what:N", "value:O", alt.Tooltip("mean:Q", format=".3f")],
        )
    )
    if len(shown) > 1:
        chart = chart.encode(column=alt.Column("what:N", title=None, sort=list(shown.values())))
        return chart.properties(width=220, title=title)
    return chart.properties(width=460, title=title)
