"""Pictures of a union of snapshots, and of what limits did to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstrata.serve.figures.style import COLOURS, Figure, load_altair
from webstrata.temporal.overlap import Overlap
from webstrata.temporal.survival import describe_survival

if TYPE_CHECKING:
    from webstrata.temporal.bias import BiasReport
    from webstrata.temporal.survival import Survival
    from webstrata.temporal.union import UnionFacts

_TITLES = {
    "page_survival": "share of the pages that live on",
    "link_survival": "share of the links that live on",
    "outdegree": "links a page",
    "dangling": "share of the pages without links",
}


def draw_union(facts: UnionFacts, name: str) -> list[Figure]:
    """Overlaps, survival curves, and how many snapshots arcs are in.

    Examples
    --------
    >>> from webstrata.temporal.union import UnionFacts
    >>> table = [[2, 1], [1, 3]]
    >>> facts = UnionFacts(
    ...     ["2026-01", "2026-02"], "static", hosts=table, urls=table, arcs=table, arc_ages=[3, 1],
    ...     lives={"urls": [[1, 1], [0, 2]]})
    >>> [figure.name for figure in draw_union(facts, "uk")]
    ['hosts', 'urls', 'survival', 'ages']
    """
    tables = {
        what: Overlap(what, tuple(tuple(row) for row in getattr(facts, what))) for what in ("hosts", "urls")
    }
    return [
        Figure("hosts", _heat(tables["hosts"], facts.snapshots, f"{name}: hosts in common")),
        Figure("urls", _heat(tables["urls"], facts.snapshots, f"{name}: URLs in common, {facts.by}")),
        *([Figure("survival", _survival(lives, name))] if (lives := describe_survival(facts)) else []),
        Figure("ages", _ages(facts.arc_ages, name)),
    ]


def _heat(table: Overlap, labels: list[str], title: str) -> Any:  # noqa: ANN401
    alt = load_altair()
    rows = [
        {
            "one": labels[one],
            "other": labels[other],
            "share": table.share(one, other),
            "common": table.common[one][other],
        }
        for one in range(table.num_months)
        for other in range(one, table.num_months)
    ]
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_rect()
        .encode(
            x=alt.X("other:O", title=None, axis=alt.Axis(labelAngle=-45)),
            y=alt.Y("one:O", title=None),
            color=alt.Color("share:Q", title="share", scale=alt.Scale(domain=[0, 1])),
            tooltip=["one:O", "other:O", "common:Q", alt.Tooltip("share:Q", format=".1%")],
        )
        .properties(title={"text": title, "subtitle": "what two have in common over the mean of their sizes"})
    )


def _survival(found: list[Survival], name: str) -> Any:  # noqa: ANN401
    alt = load_altair()
    rows = [
        {"lag": point.lag, "share": point.survival, "at_risk": point.at_risk, "what": one.what}
        for one in found
        for point in one.curve
    ]
    rows += [{"lag": 0, "share": 1.0, "at_risk": None, "what": one.what} for one in found]
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_line(point=True)
        .encode(
            x=alt.X("lag:Q", title="snapshots later", axis=alt.Axis(tickMinStep=1, format="d")),
            y=alt.Y(
                "share:Q", title="still alive", axis=alt.Axis(format=".0%"), scale=alt.Scale(domain=[0, 1])
            ),
            color=alt.Color("what:N", title=None, sort=None),
            tooltip=["what:N", "lag:Q", alt.Tooltip("share:Q", format=".1%"), "at_risk:Q"],
        )
        .properties(title={"text": "Survival", "subtitle": f"{name}; of what a snapshot has, what lives on"})
    )


def _ages(ages: list[int], name: str) -> Any:  # noqa: ANN401
    alt = load_altair()
    total = max(sum(ages), 1)
    rows = [{"age": age, "share": count / total} for age, count in enumerate(ages, 1)]
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_bar(color=COLOURS[0])
        .encode(
            x=alt.X("age:O", title="snapshots that an arc is in", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("share:Q", title="share of the arcs", axis=alt.Axis(format=".0%")),
        )
        .properties(title={"text": "How long links live", "subtitle": name})
    )


def draw_bias(report: BiasReport, name: str) -> list[Figure]:
    """How each estimate moves when limits are tightened, with its interval and, where it is known, the truth.

    Examples
    --------
    >>> from webstrata.temporal.bias import BiasReport, Tightened
    >>> from webstrata.temporal.intervals import Interval
    >>> estimates = {name: Interval(0.5, 0.4, 0.6) for name in _TITLES}
    >>> rows = [Tightened("none", 1.0, 1.0, 1.0, dict.fromkeys(_TITLES, 0.5))]
    >>> [figure.name for figure in draw_bias(BiasReport(["2026-01"], [], estimates, rows, 10), "uk")]
    ['bias-page-survival', 'bias-link-survival', 'bias-outdegree', 'bias-dangling']
    """
    return [
        Figure(f"bias-{what.replace('_', '-')}", _moves(report, what, title, name))
        for what, title in _TITLES.items()
    ]


def _moves(report: BiasReport, what: str, title: str, name: str) -> Any:  # noqa: ANN401
    alt = load_altair()
    whole = next(row for row in report.tightened if row.limit == "none")
    limits = list(dict.fromkeys(row.limit for row in report.tightened if row.limit != "none"))
    rows = [
        {"limit": row.limit, "pages": row.pages, "value": row.estimates[what]}
        for row in report.tightened
        if row.limit != "none" and row.estimates[what] is not None
    ]
    rows += [{"limit": limit, "pages": whole.pages, "value": whole.estimates[what]} for limit in limits]
    found = report.estimates[what]
    layers = []
    if found.has_bounds:
        band = alt.Chart(alt.Data(values=[{"low": found.low, "high": found.high}])).mark_rect(
            opacity=0.15, color=COLOURS[6]
        )
        layers.append(band.encode(y="low:Q", y2="high:Q"))
    layers.append(
        alt.Chart(alt.Data(values=rows))
        .mark_line(point=True)
        .encode(
            x=alt.X("pages:Q", title="pages left", axis=alt.Axis(format=".0%")),
            y=alt.Y("value:Q", title=title, scale=alt.Scale(zero=False)),
            color=alt.Color("limit:N", title="tightened", sort=limits),
        )
    )
    if report.truth:
        rule = alt.Chart(alt.Data(values=[{"truth": report.truth[what]}])).mark_rule(strokeDash=[5, 3])
        layers.append(rule.encode(y="truth:Q"))
    subtitle = f"{name}; {'grey: the middle 95%' if found.has_bounds else 'no interval'}" + (
        "; dashed: the truth" if report.truth else ""
    )
    return alt.layer(*layers).properties(title={"text": title.capitalize(), "subtitle": subtitle})
