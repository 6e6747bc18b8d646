"""The changes page: what happened about a query between two snapshots, why, and the changed subgraph."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Query

from webstrata.collection.action import Action
from webstrata.collection.dates import find_last
from webstrata.errors import DateError
from webstrata.search.change.settings import RANKS, ChangesSettings
from webstrata.serve.page import drawing
from webstrata.serve.page.search import Date, Text
from webstrata.serve.page.view import PageView

if TYPE_CHECKING:
    from webstrata.search.change import ChangeAnswer
    from webstrata.serve.page.site import Site

SHOWN = 15
DRAWN = 12
"""Pages of the subgraph that are drawn."""
WIDTH, HEIGHT = 520, 440
ASIDE = 150
"""Room for labels on each side."""
LABEL = 20
"""Characters of a label at most: so many have room there."""


def show_changes(
    site: Site,
    *,
    q: Text = "",
    from_: Annotated[str | None, Query(alias="from", max_length=20, description="The earlier date.")] = None,
    to: Date = None,
    method: Annotated[
        str, Query(pattern=f"^({'|'.join(RANKS)})?$", description="How pages are ranked.")
    ] = "",
) -> PageView:
    """Pages about a query that changed between two snapshots, the best first, with reasons.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> view = show_changes(Site(testing.collection(), "uk"), q="storm")
    >>> view.facts["before"], view.facts["after"], view.rows[0]["url"], view.rows[0]["is_new"]
    ('2026-05', '2026-06', 'http://reef.example/storm', True)
    """
    collection = site.collection
    from_, to = from_ or None, to or None
    options = {"from": from_, "at": to, "rank": method or None}
    view = PageView("changes", "Changes", Action.on(collection, "changes", q or "QUERY", **options))
    view.facts = {
        "query": q, "before": None, "after": None, "method": method, "methods": list(RANKS), "drawing": None,
        "stages": [],
    }  # fmt: skip
    lacking = [date for date in site.dates if "summaries" not in collection[date].parts]
    if len(site.dates) < 2:
        view.facts["note"] = "Changes need two snapshots; this collection has fewer."
        return view
    is_built = {"temporal", "changes"} <= {record.name for record in collection.parts} and not lacking
    if not is_built and not _is_small(site):
        view.missing.append(site.lacks("Changes", "temporal", "summaries", "changes"))
        return view
    after = find_last(site.dates, to) if to else site.dates[-1]
    place = site.dates.index(after)
    if not place:
        raise DateError(f"{after} is the first snapshot, so nothing is before it; choose a later date")
    before = find_last(site.dates, from_) if from_ else site.dates[place - 1]
    if before >= after:
        raise DateError(f"from is {before} and to is {after}; choose an earlier date for from")
    view.facts |= {"before": before, "after": after}
    view.marks = site.marks(chosen={before, after})
    if not q.strip():
        return view
    view.title = f"{q} – changes"
    settings = collection.settings(ChangesSettings, {"rank": method or None})
    answer = collection._change_search.search(q, before, after, settings)
    view.rows = _describe(answer)
    view.facts |= {
        "total": len(answer),
        "drawing": draw_graph(answer, [row["score"] for row in view.rows]),
        "stages": [stage.to_dict() for stage in answer.stages],
    }
    return view


def _is_small(site: Site) -> bool:
    """Whether what is missing can be counted while somebody waits: all inputs are there."""
    collection = site.collection
    has_inputs = "temporal" in collection.parts and "text_index" in collection.parts
    has_words = all("summaries" in collection[date].parts for date in site.dates)
    return has_inputs and has_words and sum(mark.count for mark in site.marks()) < 100_000


def _describe(answer: ChangeAnswer) -> list[dict[str, Any]]:
    top = answer.top(SHOWN)
    rows = []
    for page, reason in zip(top, answer.reasons(len(top)), strict=True):
        rows.append(
            {
                "rank": page.rank,
                "url": page.url,
                "score": page.score,
                "is_new": reason.is_new,
                "new_words": page.new_words,
                "reached_by_links": page.reached_by_links,
                "through": page.through,
                "words_before": reason.words_before,
                "words_after": reason.words_after,
                "words_gained": [word._asdict() for word in reason.words_gained],
                "words_lost": [word._asdict() for word in reason.words_lost],
                **{
                    name: {"number": change.number, "urls": list(change.urls)}
                    for name, change in (
                        ("links_gained", reason.links_gained),
                        ("links_lost", reason.links_lost),
                        ("inlinks_gained", reason.inlinks_gained),
                        ("inlinks_lost", reason.inlinks_lost),
                    )
                },
            }
        )
    return rows


def draw_graph(answer: ChangeAnswer, scores: list[float]) -> dict[str, Any] | None:
    """The first answers as nodes with places, and the arcs between them: kept, added or removed.

    Examples
    --------
    >>> from webstrata import testing
    >>> answer = testing.collection().changes("storm", "2026-05", "2026-06")
    >>> drawing = draw_graph(answer, [page.score for page in answer])
    >>> len(drawing["nodes"]), sorted({arc["state"] for arc in drawing["arcs"]})
    (9, ['added', 'kept', 'removed'])
    """
    graph = answer.graph.top(min(DRAWN, len(answer)))
    if not graph.num_nodes:
        return None
    before, after = ({tuple(arc) for arc in arcs.tolist()} for arcs in (graph.arcs_before, graph.arcs_after))
    prefix = drawing.drop_prefix(graph.urls)
    places = drawing.place_ring(graph.num_nodes, WIDTH, HEIGHT, aside=ASIDE)
    highest = max(scores[: graph.num_nodes], default=0.0) or 1.0
    nodes = [
        {
            "url": url,
            "label": drawing.shorten(drawing.show_url(url.removeprefix(prefix) or url), LABEL),
            "x": x,
            "y": y,
            "r": round(4 + 8 * math.sqrt(max(score, 0.0) / highest), 1),
            "anchor": "middle" if abs(x - WIDTH / 2) < 30 else "end" if x < WIDTH / 2 else "start",
        }
        for url, (x, y), score in zip(graph.urls, places, [*scores, *[0.0] * graph.num_nodes], strict=False)
    ]
    arcs = [
        {
            "source": source,
            "target": target,
            "state": _state((source, target), before, after),
            **drawing.shorten_line(nodes[source], nodes[target]),
        }
        for source, target in sorted(before | after)
        if source != target
    ]
    return {"nodes": nodes, "arcs": arcs, "prefix": prefix, "width": WIDTH, "height": HEIGHT}


def _state(arc: tuple[int, int], before: set[tuple[int, ...]], after: set[tuple[int, ...]]) -> str:
    return "kept" if arc in before and arc in after else "added" if arc in after else "removed"
