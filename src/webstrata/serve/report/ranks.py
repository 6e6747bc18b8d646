"""Sheets of ranks: the first pages, the plane of PageRank and CheiRank, lists through time, and spectra."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstrata.errors import MissingError
from webstrata.rank.plane import describe_plane
from webstrata.rank.settings import RankSettings
from webstrata.rank.spectra.build import part_name
from webstrata.rank.spectra.result import open_spectrum
from webstrata.rank.spectra.settings import SpectrumSettings
from webstrata.rank.stored import RankedGraph, read_stored
from webstrata.rank.trajectories import Trajectories
from webstrata.serve.figures.ranks import draw_plane, draw_trajectories
from webstrata.serve.figures.spectrum import draw_spectrum
from webstrata.serve.report.sheet import Missing, Sheet, Table, to_drawings

if TYPE_CHECKING:
    from webstrata.api import Collection, Snapshot
    from webstrata.collection.progress import Progress
    from webstrata.rank.ranking import Ranking

METHODS = ("pagerank", "cheirank", "2drank")
TOP = 10
FOLLOWED = 100
"""Pages that are followed through time; the first of them are drawn."""


def read_rankings(snapshot: Snapshot) -> tuple[RankedGraph, list[Ranking]]:
    """The rankings of a snapshot's pages by PageRank, CheiRank and 2DRank, as they are stored.

    Examples
    --------
    >>> import webstrata as ws
    >>> read_rankings(ws.create(getfixture("tmp_path") / "uk").add("2026-06"))
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...2026-06: there is no part graph (parts: none yet); build it first
    """
    graph = RankedGraph(snapshot)
    found = [read_stored(graph, RankSettings(method=method)) for method in METHODS]
    rankings = [ranking for ranking in found if ranking is not None]
    if len(rankings) < len(METHODS):
        raise MissingError(
            f"{snapshot.path}: it has not all of the rankings {', '.join(METHODS)} of its graph; "
            f"`webstrata run {snapshot.collection.path} --from rank --to rank` makes them"
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
    webstrata.errors.MissingError: ...2026-06: there is no part graph (parts: none yet); build it first
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
        f"webstrata plane {snapshot.collection.path} {snapshot.label}",
    )


def make_trajectories(collection: Collection, progress: Progress) -> Sheet:
    """The first pages of the oldest ranked snapshot, followed through all that are ranked.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata.collection.progress import Progress
    >>> make_trajectories(ws.create(getfixture("tmp_path") / "uk"), Progress())
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...uk: no two snapshots are ranked; ...
    """
    ranked = [s for s in collection if all(f"rank-{method}" in s.parts for method in METHODS)]
    if len(ranked) < 2:
        raise MissingError(
            f"{collection.path}: no two snapshots are ranked; `webstrata run {collection.path} --from rank "
            "--to rank` ranks those that have a graph"
        )
    followed: Trajectories | None = None
    with progress.task("following ranks", total=len(ranked), unit="snapshots") as task:
        for snapshot in ranked:
            graph, rankings = read_rankings(snapshot)
            if followed is None:
                names = [place.name for place in rankings[0].top(FOLLOWED) if place.name is not None]
                followed = Trajectories(names, number=FOLLOWED)
            followed.add(snapshot.label, rankings, graph.find)
            task.advance()
    assert followed is not None
    rows: list[list[Any]] = [[name, *followed.trajectory(name, "pagerank")] for name in followed.names[:TOP]]
    agreements: list[list[Any]] = [
        [
            label,
            method,
            found.common,
            *(round(value, 4) for value in (found.jaccard, found.kendall_tau, found.rank_biased_overlap)),
        ]
        for method in METHODS
        for label, found in zip(followed.labels[1:], followed.agreements(method), strict=True)
    ]
    first = ranked[0].label
    columns = ["snapshot", "method", "common", "Jaccard", "Kendall τ", "rank-biased overlap"]
    return Sheet(
        "trajectories",
        "Ranks through time",
        [f"The first {len(followed.names)} pages of {first} by PageRank, in {len(ranked)} snapshots."],
        [
            Table("Rank by PageRank", ["page", *followed.labels], rows),
            Table(f"The first {FOLLOWED} beside those of the snapshot before", columns, agreements),
        ],
        to_drawings(draw_trajectories(followed, "pagerank", collection.title), "ranks"),
        f"webstrata rank {collection.path} --all-snapshots --of {first} --top {FOLLOWED}",
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
        return [Missing("spectra", f"webstrata spectrum {collection.path} {label}")]
    rows: list[list[Any]] = [
        [label, "G*" if one.is_inverse else "G", *one.table().values()] for label, one in found
    ]
    tables = [Table("Spectra (WIKI, table 2)", ["snapshot", "matrix", *found[0][1].table()], rows)]
    label, last = found[-1]
    leading: list[list[Any]] = [
        [
            round(vector.value.real, 9),
            round(vector.value.imag, 9),
            f"{vector.residual:.1e}",
            round(vector.extent, 1),
            " ".join(host for host, _ in vector.community.hosts[:2]),
            " ".join(word for word, _ in vector.community.words[:3]),
        ]
        for vector in last.vectors[:TOP]
    ]
    if leading:
        columns = ["Re λ", "Im λ", "residual", "nodes it extends over", "hosts", "words"]
        tables.append(Table(f"Leading eigenvectors of the core of {label}", columns, leading))
    return [
        Sheet(
            "spectrum",
            "Spectrum of the Google matrix",
            ["At α = 1: eigenvalues of invariant subspaces, exact, and of the core, by Arnoldi's method."],
            tables,
            to_drawings(draw_spectrum(last, f"{collection.title} {label}"), "spectrum"),
            f"webstrata spectrum {collection.path} {label}",
        )
    ]
