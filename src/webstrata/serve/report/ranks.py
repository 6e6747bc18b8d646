"""Sheets of ranks: the first pages, the plane of PageRank and CheiRank, and spectra."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstrata.errors import MissingError
from webstrata.rank.plane import describe_plane
from webstrata.rank.settings import RankSettings
from webstrata.rank.spectra.build import part_name
from webstrata.rank.spectra.result import CONVERGED, open_spectrum
from webstrata.rank.spectra.settings import SpectrumSettings
from webstrata.rank.stored import RankedGraph, read_stored
from webstrata.serve.figures.ranks import draw_plane
from webstrata.serve.figures.spectrum import draw_spectra, draw_spectrum
from webstrata.serve.report.sheet import Missing, Sheet, Table, choose_evenly, to_drawings

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
    >>> import webstrata as ws
    >>> read_rankings(ws.create(getfixture("tmp_path") / "uk").add("2026-06"))
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...2026-06: there is no part graph (parts: none yet); `webstrata
    graph build ...` makes it
    """
    graph = RankedGraph(snapshot)
    found = [read_stored(graph, RankSettings(method=method)) for method in METHODS]
    rankings = [ranking for ranking in found if ranking is not None]
    if len(rankings) < len(METHODS):
        raise MissingError(
            f"{snapshot.path}: it has not all of the rankings {', '.join(METHODS)} of its graph; "
            f"`webstrata run {snapshot.collection.word} --from rank --to rank` makes them"
        )
    return graph, rankings


def make_plane(snapshot: Snapshot, progress: Progress) -> Sheet:
    """The first pages of a snapshot, P(K), and the plane of both ranks with its correlator.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata.collection.progress import Progress
    >>> make_plane(ws.create(getfixture("tmp_path") / "uk").add("2026-06"), Progress())
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...2026-06: there is no part graph (parts: none yet); `webstrata
    graph build ...` makes it
    """
    _, rankings = read_rankings(snapshot)
    plane = describe_plane(rankings[0], rankings[1])
    name = f"{snapshot.collection.title} {snapshot.label}"
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
        f"PageRank and CheiRank of {snapshot.label}",
        [f"{plane.num_nodes:,} nodes; correlator κ = {plane.correlator:.4f}."],
        [
            Table("The first pages", ["rank", "PageRank", "CheiRank", "2DRank"], rows),
            Table("How exact", ["method", "passes", "bound of the error"], bounds),
        ],
        to_drawings(draw_plane(plane, name), "rank"),
        f"webstrata plane {snapshot.collection.word} {snapshot.label}",
        [f"Warning: {sentence}." for sentence in plane.warnings],
    )


def make_spectra(collection: Collection) -> list[Sheet | Missing]:
    """The rows of WIKI's table 2 for every spectrum that is there, and the newest one drawn.

    Examples
    --------
    >>> import webstrata as ws
    >>> make_spectra(ws.create(getfixture("tmp_path") / "uk"))[0].command
    'webstrata spectrum ...uk SNAPSHOT'
    """
    found = []
    for snapshot in collection:
        for inverse in (False, True):
            if (name := part_name(SpectrumSettings(inverse=inverse))) in snapshot.parts:
                with snapshot.open_part(name) as part:
                    found.append((snapshot.label, open_spectrum(part.path)))
    if not found:
        label = (collection.labels or ["SNAPSHOT"])[-1]
        return [Missing("spectra", f"webstrata spectrum {collection.word} {label}")]
    rows: list[list[Any]] = [
        [label, "G*" if one.is_inverse else "G", *one.table().values()] for label, one in found
    ]
    tables = [Table("Spectra (WIKI, table 2)", ["snapshot", "matrix", *found[0][1].table()], rows)]
    # G, whose eigenvectors are told, of the newest snapshot that has it
    label, last = next((one for one in reversed(found) if not one[1].is_inverse), found[-1])
    leading: list[list[Any]] = [
        [
            round(vector.value.real, 9),
            round(vector.value.imag, 9),
            f"{vector.residual:.1e}",
            round(vector.extent, 1),
            " ".join(host for host, _ in vector.community.hosts[:2]),
            " ".join(word for word, _ in vector.community.words[:3]),
        ]
        for vector in [vector for vector in last.vectors if vector.is_converged][:TOP]
    ]
    if leading:
        columns = ["Re λ", "Im λ", "residual", "nodes it extends over", "hosts", "words"]
        note = f"Only vectors with a residual below {CONVERGED:g}."
        tables.append(Table(f"Leading eigenvectors of the core of {label}", columns, leading, note))
    figures = draw_spectrum(last, f"{collection.title} {label}")
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
            f"webstrata spectrum {collection.word} {label}",
            [
                f"{one}, {'G*' if each.is_inverse else 'G'}, warning: {sentence}."
                for one, each in found
                for sentence in each.warnings
            ],
        )
    ]
