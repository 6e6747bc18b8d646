"""Pictures of an evaluation of change search: the figures 1 to 5 of CHANGE, or the same by other settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstrata.serve.figures.style import COLOURS, Figure, load_altair

if TYPE_CHECKING:
    from webstrata.search.evaluate.tables import Report, SweepPoint

_RANKS = ["none", "pagerank", "hits-authority", "hits-hub", "combined", "hits", "new-text"]


_PAPER_NAMES = {
    "measures": "table-2",
    "ndcg-by-alpha": "figure-1",
    "ndcg-by-expansion": "figure-2",
    "links-by-alpha": "figure-3",
    "links-by-expansion": "figure-4",
    "paths-by-alpha": "figure-5",
}


def draw_report(report: Report) -> list[Figure]:
    """Measures of each rank as bars, and by α and expansion where there are sweeps.

    They are called by the numbers of the paper if the report was made with its settings.

    Examples
    --------
    >>> from webstrata.search.evaluate.tables import EvaluationLine, SweepPoint, Report
    >>> means = dict.fromkeys(["ndcg", "recall", "mrr", "edges_before", "edges_after", "kept"], 0.5)
    >>> points = [SweepPoint("none", value, means) for value in (0.0, 0.5)]
    >>> report = Report(3, {"alpha": 0.5}, [EvaluationLine("none", means, means)], points, points)
    >>> [figure.name for figure in draw_report(report)][:3]
    ['measures', 'ndcg-by-alpha', 'ndcg-by-expansion']
    >>> report.settings, report.preset = {"restart": 0.9, "supersource": 200.0}, "paper:change"
    >>> [figure.name for figure in draw_report(report)][:3]
    ['table-2', 'figure-1', 'figure-2']
    """
    charts = {"measures": _table(report)}
    if report.by_alpha:
        edges = {"edges_before": "before", "edges_after": "after", "": "difference"}
        gained, kept, ndcg = {"": "difference"}, {"kept": "share"}, {"ndcg": "NDCG"}
        by_alpha, by_size = (report, report.by_alpha, "α"), (report, report.by_expansion, "expansion")
        charts |= {
            "ndcg-by-alpha": _bars(*by_alpha, ndcg, "NDCG by α"),
            "ndcg-by-expansion": _bars(*by_size, ndcg, "NDCG by size of the expansion"),
            "links-by-alpha": _bars(*by_alpha, edges, "Links among the first 15 by α"),
            "links-by-expansion": _bars(*by_size, gained, "Links gained by size of the expansion"),
            "paths-by-alpha": _bars(*by_alpha, kept, "Share of short paths kept within the first 15 by α"),
        }
    return [Figure(_PAPER_NAMES[name] if report.preset else name, chart) for name, chart in charts.items()]


def _table(report: Report) -> Any:  # noqa: ANN401
    alt = load_altair()
    names = {"ndcg": "NDCG", "recall": "recall@15", "mrr": "MRR"}
    rows = [
        {"rank": report.show_name(line.name), "measure": shown, "month": month, "mean": means[name]}
        for line in report.table
        for month, means in (("month of change", line.month), ("other month", line.other))
        if means
        for name, shown in names.items()
    ]
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_bar()
        .encode(
            x=alt.X("rank:N", title=None, sort=[report.show_name(line.name) for line in report.table]),
            y=alt.Y("mean:Q", title="mean over queries"),
            xOffset="month:N",
            color=alt.Color("month:N", title=None),
            column=alt.Column("measure:N", title=None, sort=list(names.values())),
            tooltip=["rank:N", "measure:N", "month:N", alt.Tooltip("mean:Q", format=".3f")],
        )
        .properties(width=170, title=f"Change search, {report.queries} queries{_of(report, 'measures')}")
    )


def _of(report: Report, name: str) -> str:
    return f" (CHANGE, {_PAPER_NAMES[name].replace('-', ' ')})" if report.preset else ""


def _bars(report: Report, points: list[SweepPoint], name: str, shown: dict[str, str], title: str) -> Any:  # noqa: ANN401
    """Groups of bars: a group for each value of what is swept, a bar for each rank."""
    alt = load_altair()
    rows = [
        {
            "rank": report.show_name(point.rank),
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
    # a rank has the same colour whatever others are drawn
    asked = {point.rank for point in points}
    colours = {report.show_name(rank): COLOURS[place] for place, rank in enumerate(_RANKS) if rank in asked}
    ranks = list(colours)
    chart = (
        alt.Chart(alt.Data(values=rows))
        .mark_bar()
        .encode(
            x=alt.X("value:O", title=name, sort=values, axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset("rank:N", sort=ranks),
            y=alt.Y("mean:Q", title="mean over queries"),
            color=alt.Color(
                "rank:N",
                title=None,
                sort=ranks,
                scale=alt.Scale(domain=ranks, range=list(colours.values())),
            ),
            tooltip=["rank:N", "what:N", "value:O", alt.Tooltip("mean:Q", format=".3f")],
        )
    )
    if len(shown) > 1:
        chart = chart.encode(column=alt.Column("what:N", title=None, sort=list(shown.values())))
        return chart.properties(width=220, title=title)
    return chart.properties(width=460, title=title)
