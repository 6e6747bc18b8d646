"""Alignments and unions held against the truth of an in-vitro web.

Two captures of different months are truly the same page if the web gives their addresses the same number of
a page; they are found to be if they have the same node in the union. Counted in pairs of months and pages,
precision is the share of the pairs found that are true, recall the share of the true pairs that were found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webstrata.store.duplicates.exact import Score, score
from webstrata.temporal.bias import Panel
from webstrata.temporal.union import NONE

if TYPE_CHECKING:
    from webstrata.invitro.web import Web
    from webstrata.temporal.union import StoredUnion


def true_panel(web: Web, months: int) -> Panel:
    """The first months of a web as a perfect crawl would have them.

    Examples
    --------
    >>> from webstrata.invitro.web import Web
    >>> true_panel(Web("tiny", seed=7), 2).num_months
    2
    """
    found = []
    for month in range(months):
        graph = web.graph(month, view="collection")
        sources = np.repeat(np.arange(graph.num_nodes), np.diff(graph.offsets).astype(np.int64))
        found.append((list(graph.urls), np.stack([sources, graph.targets], axis=1)))
    return Panel.from_urls(found)


def score_alignment(union: StoredUnion, web: Web) -> Score:
    """How well the pages of a union are aligned, its i-th snapshot being the i-th month of the web.

    Pages that are in no union are in no pair found, so that an alignment of static pages alone has less
    recall. Pages that the web does not know are left out.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata import testing
    >>> web = ws.invitro.Web("tiny", seed=7)
    >>> pages = [{url: "<p>Page" for url in web.graph(month, view="collection").urls} for month in (0, 1)]
    >>> uk = testing.collection_of({"2026-01": pages[0], "2026-02": pages[1]}, parts=["graph", "temporal"])
    >>> score = score_alignment(uk.temporal, web)
    >>> score.precision, round(score.recall, 3)
    (1.0, 0.878)
    """
    found: list[tuple[int, int]] = []
    true: list[int] = []
    alone = 0
    for month, label in enumerate(union.facts.snapshots):
        graph = web.graph(month)
        places = dict(zip(graph.urls, graph.places.tolist(), strict=True))
        to_union = union.to_union(label)
        for node, url in enumerate(union.urls_at(label)):
            if url not in places:
                continue
            if to_union[node] == NONE:
                alone += 1
                found.append((1, alone))
            else:
                found.append((0, int(to_union[node])))
            true.append(int(places[url]))
    return score(found, true)


def read_panel(preset: str, seed: int, months: int) -> Panel:
    """What is true of the months of a synthetic web, by its preset.

    Examples
    --------
    >>> read_panel("tiny", 7, 2).num_months
    2
    """
    from webstrata.invitro.web import Web

    return true_panel(Web(preset, seed=seed), months)
