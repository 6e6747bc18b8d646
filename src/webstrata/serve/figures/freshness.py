"""Pictures of how often pages change, and of what budgets of visits would give."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webstrata.serve.figures.style import COLOURS, Figure, load_altair

if TYPE_CHECKING:
    from webstrata.crawl.schedule.freshness import Freshness

RULES = ("optimal", "equal", "proportional")
_BINS = 24


def draw_freshness(found: Freshness, name: str = "freshness") -> list[Figure]:
    """Change rates of the pages, and freshness by budget for three ways to spend it.

    Examples
    --------
    >>> from webstrata import testing
    >>> [figure.name for figure in draw_freshness(testing.collection().freshness(at="2026-06-20"))]
    ['rates', 'budgets']
    """
    alt = load_altair()
    rates = found.rates.rates
    edges = np.geomspace(rates.min() * 0.999, rates.max() * 1.001, _BINS + 1)
    counts, _ = np.histogram(rates, edges)
    bins = [
        {"from": low, "to": high, "pages": int(count)}
        for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True)
    ]
    scale = alt.Scale(type="log")
    histogram = (
        alt.Chart(alt.Data(values=bins), title=f"{name}: pages by estimated changes per day")
        .mark_bar(color=COLOURS[0])
        .encode(
            x=alt.X("from:Q", title="changes per day (log)", scale=scale),
            x2="to:Q",
            y=alt.Y("pages:Q", title="pages"),
            y2=alt.datum(0),
        )
    )
    points = [
        {"visits": row["per_page_and_day"], "freshness": row[rule], "visits are": rule}
        for row in found.plans().rows
        for rule in RULES
    ]
    curves = (
        alt.Chart(alt.Data(values=points), title=f"{name}: share of pages that budgets keep up to date")
        .mark_line(point=True)
        .encode(
            x=alt.X("visits:Q", title="visits per page and day (log)", scale=scale),
            y=alt.Y("freshness:Q", title="mean freshness", scale=alt.Scale(domain=[0, 1])),
            color=alt.Color("visits are:N", scale=alt.Scale(domain=list(RULES), range=list(COLOURS[:3]))),
            strokeDash="visits are:N",
        )
    )
    return [Figure("rates", histogram), Figure("budgets", curves)]
