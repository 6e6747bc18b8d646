"""The plane of PageRank and CheiRank, and spectra: the figures of the report, drawn on the server as SVG."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from fastapi import Query

from webstrata.collection.action import Action
from webstrata.errors import MissingExtraError, UrlError
from webstrata.rank.plane import describe_plane
from webstrata.rank.spectra.part import part_name
from webstrata.rank.spectra.result import open_spectrum
from webstrata.serve.page.search import Date
from webstrata.serve.page.view import PageView
from webstrata.web.server.answers import Refusal
from webstrata.web.url import normalize

if TYPE_CHECKING:
    from webstrata.rank.plane import Plane
    from webstrata.serve.figures.style import Figure
    from webstrata.serve.page.site import Site

SHOWN = 8
"""Pages of a cell that are listed."""
_SIZE = re.compile(r'viewBox="0 0 ([0-9.]+) ([0-9.]+)"')
_AREA = re.compile(r'<g fill="none"[^>]*transform="translate\(([0-9.]+),([0-9.]+)\)"')
_SQUARE = re.compile(r'class="background"[^>]*d="M[-0-9.]+,[-0-9.]+h([0-9.]+)v')
DARK: dict[str, Any] = {
    "background": "transparent",
    "axis": {
        "labelColor": "#aab7c2",
        "titleColor": "#aab7c2",
        "gridColor": "#2a3640",
        "domainColor": "#52606b",
    },
    "title": {"color": "#e4eaf0", "subtitleColor": "#aab7c2"},
    "legend": {"labelColor": "#aab7c2", "titleColor": "#aab7c2"},
}
"""What the house style of pictures is changed by on a dark page."""


def show_plane(
    site: Site,
    *,
    at: Date = None,
    find: Annotated[str, Query(max_length=2000, description="The URL of a page to mark.")] = "",
) -> PageView:
    """How the pages of a snapshot are spread over ranks by PageRank and CheiRank.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> view = show_plane(Site(testing.collection(), "uk"))
    >>> view.missing[0].command.endswith("2026-06 rank-cheirank")
    True
    """
    snapshot = site.snapshot(at or None)
    view = PageView("plane", "PageRank and CheiRank", Action.on(snapshot, "plane"))
    view.facts = {
        "snapshot": snapshot.date,
        "at": at or None,
        "figures": [],
        "correlator": None,
        "warnings": [],
        "find": find,
        "found": None,
        "areas": {},
    }
    plane = _find_plane(site, snapshot.date)
    if plane is None:
        lacking = [
            f"rank-{method}"
            for method in ("pagerank", "cheirank")
            if site.ranking(snapshot.date, method) is None
        ]
        view.missing.append(site.lacks("The plane", *lacking, snapshot=snapshot.date))
        return view
    view.rows = plane.to_rows()
    view.facts |= {
        "nodes": plane.num_nodes,
        "correlator": plane.correlator,
        "warnings": plane.warnings,
        "figures": ["plane", "scores"],
        "areas": {name: find_area(site, name, snapshot.date) for name in ("plane", "scores")},
        "cells": len(plane.density),
    }
    if find.strip():
        view.facts["found"] = _find_page(site, snapshot.date, find.strip(), view.facts["areas"]["plane"])
    return view


def _find_page(site: Site, date: str, url: str, area: dict[str, Any] | None) -> dict[str, Any]:
    """Where a page is in the plane, or the pages nearest to a URL that is not there."""
    try:
        url = normalize(url if "://" in url else f"http://{url}")
    except UrlError as error:
        raise Refusal(422, str(error)) from None
    urls = site.collection[date].urls
    node = urls.get(url)
    pagerank, cheirank = (site.ranking(date, method) for method in ("pagerank", "cheirank"))
    if node is None or pagerank is None or cheirank is None:
        raise Refusal(404, f"{url} is not among the pages of {date}", nearest=urls.nearest(url))
    ranks = int(pagerank.ranks[node]), int(cheirank.ranks[node])
    most = math.log(max(len(pagerank.ranks), 2))
    found: dict[str, Any] = {"url": url, "pagerank": ranks[0], "cheirank": ranks[1]}
    if area:
        found["x"] = area["left"] + area["side"] * math.log(ranks[0]) / most
        found["y"] = area["top"] + area["side"] * (1 - math.log(ranks[1]) / most)
    return found


def show_cell(
    site: Site,
    *,
    x: Annotated[int, Query(ge=0, le=10_000, description="The cell of K.")],
    y: Annotated[int, Query(ge=0, le=10_000, description="The cell of K*.")],
    at: Date = None,
) -> PageView:
    """The pages of one cell of the plane, the first ranks first.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> uk = testing.collection()
    >>> _ = uk["2026-06"].build("rank-pagerank", "rank-cheirank")
    >>> site = Site(uk, "uk")
    >>> first = show_plane(site).rows[0]
    >>> len(show_cell(site, x=first["pagerank"], y=first["cheirank"]).rows) == first["nodes"]
    True
    """
    snapshot = site.snapshot(at or None)
    view = PageView("cell", "Cell", Action.on(snapshot, "plane"))
    plane = _find_plane(site, snapshot.date)
    pagerank, cheirank = (site.ranking(snapshot.date, method) for method in ("pagerank", "cheirank"))
    if plane is None or pagerank is None or cheirank is None:
        raise Refusal(404, f"{snapshot.date} has no ranks by PageRank and CheiRank")
    cells = len(plane.density)
    most = math.log(max(plane.num_nodes, 2))
    columns, rows = (
        np.minimum(cells * np.log(np.maximum(one.ranks, 1)) / most, cells - 1).astype(np.int64)
        for one in (pagerank, cheirank)
    )
    nodes = np.flatnonzero((columns == x) & (rows == y))
    best = nodes[np.argsort(pagerank.ranks[nodes])][:SHOWN]
    view.rows = [
        {
            "url": snapshot.urls[int(node)],
            "pagerank": int(pagerank.ranks[node]),
            "cheirank": int(cheirank.ranks[node]),
        }
        for node in best
    ]
    view.facts = {"total": len(nodes), "snapshot": snapshot.date}
    return view


def find_area(site: Site, name: str, date: str) -> dict[str, Any] | None:
    """The size of a figure and the square in it that is drawn on; none where it cannot be drawn.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> uk = testing.collection()
    >>> _ = uk["2026-06"].build("rank-pagerank", "rank-cheirank")
    >>> area = find_area(Site(uk, "uk"), "plane", "2026-06")
    >>> area["side"], area["left"] + area["side"] < area["width"]
    (380.0, True)
    """
    try:
        text = draw_figure(site, name, date).decode()
    except MissingExtraError:
        return None
    size = _SIZE.search(text)
    outer, inner = _AREA.search(text), _SQUARE.search(text)
    if size is None or outer is None or inner is None:
        return None
    width, height = (float(value) for value in size.groups())
    left, top = (float(value) for value in outer.groups())
    return {"width": width, "height": height, "left": left, "top": top, "side": float(inner[1])}


def _find_plane(site: Site, date: str) -> Plane | None:
    pagerank, cheirank = (site.ranking(date, method) for method in ("pagerank", "cheirank"))
    if pagerank is None or cheirank is None:
        return None
    return site.keep(("plane", date), lambda _: describe_plane(pagerank, cheirank))


def show_spectrum(site: Site, *, at: Date = None) -> PageView:
    """The eigenvalues of the Google matrix of a snapshot at α = 1, where they were computed.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> show_spectrum(Site(testing.collection(), "uk")).missing[0].command.endswith("2026-06 spectrum")
    True
    """
    snapshot = site.snapshot(at or None)
    view = PageView("spectrum", "Spectrum", Action.on(snapshot, "spectrum"))
    view.facts = {
        "snapshot": snapshot.date,
        "at": at or None,
        "figures": [],
        "areas": {},
        "table": {},
        "warnings": [],
    }
    name = part_name("page", inverse=False)
    if name not in snapshot.parts:
        view.missing.append(site.lacks("The spectrum", name, snapshot=snapshot.date))
        return view
    with snapshot.open_part(name) as part:
        found = open_spectrum(part.path)
    view.facts |= {
        "table": dict(found.table()),
        "figures": ["spectrum", "moduli"],
        "areas": {one: find_area(site, one, snapshot.date) for one in ("spectrum", "moduli")},
        "warnings": list(found.warnings),
    }
    view.rows = [
        {
            "real": vector.value.real,
            "imaginary": vector.value.imag,
            "residual": vector.residual,
            "extent": vector.extent,
            "hosts": [host for host, _ in vector.community.hosts[:3]],
            "words": [word for word, _ in vector.community.words[:4]],
        }
        for vector in found.vectors
        if vector.is_converged
    ][:20]
    return view


def draw_figure(site: Site, name: str, date: str, *, is_dark: bool = False) -> bytes:
    """A figure of a snapshot as SVG, or `Refusal` where there is none.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> uk = testing.collection()
    >>> _ = uk["2026-06"].build("rank-pagerank", "rank-cheirank")
    >>> draw_figure(Site(uk, "uk"), "plane", "2026-06")[:4]
    b'<svg'
    >>> draw_figure(Site(uk, "uk"), "plane", "2026-05")
    Traceback (most recent call last):
    webstrata.web.server.answers.Refusal: there is no figure plane of 2026-05
    """
    figures = _make_figures(site, name, date) if date in site.dates else []
    chosen = figures[1:] if name in ("scores", "moduli") else figures[:1]
    if not chosen:
        raise Refusal(404, f"there is no figure {name[:40]} of {date[:20]}")
    return site.keep(("figure", name, date, is_dark), lambda _: _draw(chosen[0], is_dark=is_dark))


def _make_figures(site: Site, name: str, date: str) -> list[Figure]:
    title = f"{site.collection.title} {date}"
    if name in ("plane", "scores"):
        from webstrata.serve.figures.ranks import draw_plane

        plane = _find_plane(site, date)
        return [] if plane is None else draw_plane(plane, title)
    if name in ("spectrum", "moduli"):
        from webstrata.serve.figures.spectrum import draw_spectrum

        part = part_name("page", inverse=False)
        if part not in site.collection[date].parts:
            return []
        with site.collection[date].open_part(part) as opened:
            return draw_spectrum(open_spectrum(opened.path), title)
    return []


def _draw(figure: Figure, *, is_dark: bool) -> bytes:
    try:
        import vl_convert
    except ImportError as error:
        raise MissingExtraError(f"figures are drawn with {error.name}; install `webstrata[plots]`") from None
    spec = figure.chart.to_dict()
    spec["config"] = _merge(spec.get("config", {}), {"background": "transparent"} | (DARK if is_dark else {}))
    return str(vl_convert.vegalite_to_svg(spec)).encode()


def _merge(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    found = dict(one)
    for name, value in other.items():
        found[name] = _merge(found[name], value) if isinstance(found.get(name), dict) else value
    return found
