"""Sheets of ranks: the first pages, the plane of PageRank and CheiRank, and spectra."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from webstrata.collection.action import Action
from webstrata.errors import MissingError
from webstrata.rank.plane import describe_plane
from webstrata.rank.settings import RankSettings
from webstrata.rank.spectra.build import read_spectrum
from webstrata.rank.spectra.part import part_name
from webstrata.rank.spectra.result import CONVERGED
from webstrata.rank.stored import RankedGraph, read_stored
from webstrata.serve.figures.spectrum import draw_spectra
from webstrata.serve.report.papers import cite
from webstrata.serve.report.sheet import Missing, Sheet, SheetTable, choose_evenly, to_drawings, to_table

if TYPE_CHECKING:
    from webstrata.api import Collection, Snapshot
    from webstrata.collection.progress import Progress
    from webstrata.rank.ranking import Ranking

METHODS = ("pagerank", "cheirank", "2drank")
TOP = 10
SPECTRA = 8
"""Spectra that are drawn beside each other."""


def read_rankings(snapshot: Snapshot) -> tuple[RankedGraph, list[Ranking]]:
    """The rankings of a snapshot's pages by PageRank, CheiRank and 2DRank, as they are stored.

    Examples
    --------
    >>> from webstrata import testing
    >>> snapshot = testing.snapshot()
    >>> _ = snapshot.rank("2drank")
    >>> graph, rankings = read_rankings(snapshot)
    >>> rankings
    [<Ranking of 15 nodes by pagerank>, <Ranking of 15 nodes by cheirank>, <Ranking of 15 nodes by 2drank>]
    """
    graph = RankedGraph(snapshot)
    found = [read_stored(graph, RankSettings(method=method)) for method in METHODS]
    rankings = [ranking for ranking in found if ranking is not None]
    if len(rankings) < len(METHODS):
        raise MissingError(
            f"{snapshot.path}: a ranking of {', '.join(METHODS)} is missing",
            fix=Action.on(snapshot, "build", *(f"rank-{method}" for method in METHODS)),
        )
    return graph, rankings


def make_plane(snapshot: Snapshot, progress: Progress) -> Sheet:
    """The first pages of a snapshot, P(K), and the plane of both ranks with its correlator.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.collection.progress import Progress
    >>> snapshot = testing.snapshot()
    >>> _ = snapshot.rank("cheirank"), snapshot.rank("2drank")
    >>> sheet = make_plane(snapshot, Progress())
    >>> [table.title for table in sheet.tables]
    ['The first pages', 'How exact']
    """
    _, rankings = read_rankings(snapshot)
    plane = describe_plane(rankings[0], rankings[1])
    name = f"{snapshot.collection.title} {snapshot.date}"
    tops = [[place.name or f"node {place.node}" for place in found.top(TOP)] for found in rankings]
    rows: list[list[Any]] = [
        [rank, *(top[rank - 1] for top in tops)] for rank in range(1, min(TOP, plane.num_nodes) + 1)
    ]
    bounds: list[list[Any]] = [
        [found.method, found.iterations, "none" if found.error_bound is None else f"{found.error_bound:.2g}"]
        for found in rankings
    ]
    return Sheet(
        "plane",
        f"PageRank and CheiRank of {snapshot.date}",
        [plane.summary],
        [
            SheetTable("The first pages", ["rank", "PageRank", "CheiRank", "2DRank"], rows),
            SheetTable("How exact", ["method", "passes", "bound of the error"], bounds),
        ],
        to_drawings(plane.figures(name), "rank"),
        Action.on(snapshot, "plane").command,
        [f"Warning: {sentence}." for sentence in plane.warnings],
    )


def make_spectra(collection: Collection) -> list[Sheet | Missing]:
    """The rows of WIKI's table 2 for every spectrum that is there, and the newest one drawn.

    Examples
    --------
    >>> from webstrata import testing
    >>> snapshot = testing.snapshot()
    >>> _ = snapshot.spectrum(bound=0.6)
    >>> [sheet] = make_spectra(snapshot.collection)
    >>> sheet.tables[0].rows
    [['2026-06', 'G', 15, 36, 3, 1, 3, 1, 1, 12]]
    """
    found = []
    for snapshot in collection:
        for inverse in (False, True):
            if part_name("page", inverse=inverse) in snapshot.parts:
                found.append((snapshot.date, read_spectrum(snapshot, inverse=inverse)))
    if not found:
        label = (collection.dates or ["SNAPSHOT"])[-1]
        return [Missing("spectra", Action("build", str(collection.path), label, ("spectrum",)).command)]
    rows: list[list[Any]] = [
        [label, "G*" if one.is_inverse else "G", *one.table().values()] for label, one in found
    ]
    parts = [f"{label}/{part_name('page', inverse=one.is_inverse)}" for label, one in found]
    title = f"Spectra ({cite(collection, parts, 'paper:wiki', 'WIKI, table 2')})"
    tables = [SheetTable(title, ["snapshot", "matrix", *found[0][1].table()], rows)]
    # G, whose eigenvectors are told, of the newest snapshot that has it
    label, last = next((one for one in reversed(found) if not one[1].is_inverse), found[-1])
    vectors = last.tables()["Leading eigenvectors of the core"]
    if vectors.to_arrow().num_rows:
        note = f"Only vectors with a residual below {CONVERGED:g}."
        leading = to_table(f"Leading eigenvectors of the core of {label}", vectors)
        tables.append(replace(leading, note=f"{note} {leading.note}".strip()))
    figures = last.figures(f"{collection.title} {label}")
    if len(found) > 1:
        shown = {
            f"{one}, {'G*' if each.is_inverse else 'G'}": each for one, each in choose_evenly(found, SPECTRA)
        }
        figures.insert(0, draw_spectra(shown, f"{collection.title}; core red, subspaces blue"))
    return [
        Sheet(
            "spectrum",
            "Spectrum of the Google matrix",
            ["At α = 1: eigenvalues of invariant subspaces, exact, and of the core, by Arnoldi's method."],
            tables,
            to_drawings(figures, "spectrum"),
            Action("spectrum", str(collection.path), label).command,
            [
                f"{one}, {'G*' if each.is_inverse else 'G'}, warning: {sentence}."
                for one, each in found
                for sentence in each.warnings
            ],
        )
    ]
