"""How the links of a site change from one snapshot to another (SPAM, 3.1.1; Shen et al.).

How much of a neighbourhood of several steps stays is said by `similarity`. With I₀, I₁ the in-neighbours of
a site in the earlier and in the later snapshot, Γ₀, Γ₁ its out-neighbours:

=================  ==================================================================================
``idr``, ``igr``   (|I₀| − |I₀ ∩ I₁|) / |I₀|, and (|I₁| − |I₀ ∩ I₁|) / |I₀|: in-links that died, or grew
``odr``, ``ogr``   the same of Γ₀ and Γ₁
``idr_mean``, …    mean and variance (``idr_variance``) of each of the four over the in-neighbours of the
                   later snapshot
``crcc``           (CC₁ − CC₀) / CC₀, CC = |{(b, c) linked : b, c ∈ Γ}| / (|Γ| (|Γ| − 1))
=================  ==================================================================================

and the paper's products and ratios, for in-links and for out-links: ``igr_times_idr``, ``igr_over_idr``,
``igr_mean_over_igr``, ``igr_variance_over_igr``, ``idr_mean_over_idr``, ``idr_variance_over_idr``,
``igr_mean_times_idr_mean``, ``igr_mean_over_idr_mean``, ``igr_variance_times_idr_variance``,
``igr_variance_over_idr_variance``.

A zero denominator gives a missing value, and a site that one of the snapshots does not have has none at all.
Of several earlier snapshots each is compared with the one after it. The columns of the newest pair are named
as above, those of the pair before with ``@1`` behind it, and so on.

Pairs (b, c) are ordered and of two different sites; the paper's denominator of CC is garbled, ours are all
such pairs. Counting them takes m √m steps for m arcs at worst, the one thing here that is not linear.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from webstrata.classify.features.alignment import align_sites
from webstrata.classify.features.neighbours import NeighbourRows, divide
from webstrata.classify.features.past_snapshots import choose_earlier
from webstrata.classify.features.similarity import (
    FINGERPRINTS,
    PSIMRANK_DECAY,
    XJACCARD_DECAY,
    psimrank,
    similarity_columns,
    similarity_formulas,
    xjaccard,
)
from webstrata.classify.features.sites import open_sites
from webstrata.graph.hosts import HOSTS, NamedGraph

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt
    import scipy.sparse as sp

    from webstrata.classify.settings import ClassifySettings
    from webstrata.collection import Snapshot
    from webstrata.collection.progress import Progress
    from webstrata.graph.view import Graph

    Floats = npt.NDArray[np.float64]

_IN_LINKS = {
    "idr": "IDR = (|I₀| − |I₀ ∩ I₁|) / |I₀|",
    "igr": "IGR = (|I₁| − |I₀ ∩ I₁|) / |I₀|",
}


def _describe_rates() -> dict[str, str]:
    rates = _IN_LINKS | {
        name.replace("i", "o"): formula.replace("I₀", "Γ₀").replace("I₁", "Γ₁").replace("I", "O", 1)
        for name, formula in _IN_LINKS.items()
    }
    found = dict(rates)
    for name in rates:
        found[f"{name}_mean"] = f"mean of {name.upper()} over in-neighbours"
        found[f"{name}_variance"] = f"variance of {name.upper()} over in-neighbours"
    found["crcc"] = (
        "(CC₁ − CC₀) / CC₀, CC = linked ordered pairs of out-neighbours / all ordered pairs of them"
    )
    for growth, death in (("igr", "idr"), ("ogr", "odr")):
        names = [f"{growth}_times_{death}", f"{growth}_over_{death}"]
        names += [f"{rate}_{moment}_over_{rate}" for rate in (growth, death) for moment in _MOMENTS]
        for moment in _MOMENTS:
            names += [f"{growth}_{moment}_{sign}_{death}_{moment}" for sign in ("times", "over")]
        found |= {name: name.replace("_times_", " · ").replace("_over_", " / ") for name in names}
    return found


_MOMENTS = ("mean", "variance")
FORMULAS = _describe_rates() | {
    column: formula
    for side in ("out", "in")
    for name, measure, term in (
        ("xjaccard", "XJac", "J(Γ_k⁰, Γ_k¹) · c^k (1 − c), c = 0.1"),
        ("psimrank", "PSim", "c^k · Pr[coupled walks meet first at step k], c = 0.15"),
    )
    for column, formula in similarity_formulas(f"{name}_{side}", measure, term, f"{side}-neighbours").items()
}
"""What each column is."""
_PRODUCTS = 1 << 24
"""Pairs of arcs that are looked at at a time when linked neighbours are counted."""


def link_rates(before: Graph, after: Graph) -> tuple[Floats, Floats]:
    """Which share of its out-links each node has lost, and how many it has won for one that it had.

    Of graphs that are turned round these are the rates of in-links.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> before = Graph.from_arcs([(0, 1), (0, 2)])
    >>> after = Graph.from_arcs([(0, 1), (1, 2)])
    >>> [rates.tolist() for rates in link_rates(before, after)]
    [[0.5, nan, nan], [0.0, nan, nan]]
    """
    then, now = NeighbourRows(before), NeighbourRows(after)
    common = np.intersect1d(_keys(then), _keys(now), assume_unique=True)
    kept = np.bincount((common >> np.uint64(32)).astype(np.int64), minlength=then.num_rows)
    return divide(then.degrees - kept, then.degrees), divide(now.degrees - kept, then.degrees)


def _keys(rows: NeighbourRows) -> npt.NDArray[np.uint64]:
    """Each arc as one number."""
    return rows.sources.astype(np.uint64) << np.uint64(32) | rows.targets.astype(np.uint64)


def clustering(graph: Graph) -> Floats:
    """Of the ordered pairs of two out-neighbours the share that is linked; missing for fewer than two.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> clustering(Graph.from_arcs([(0, 1), (0, 2), (1, 2)])).tolist()
    [0.5, nan, nan]
    """
    rows = NeighbourRows(graph)
    sources, targets = rows.sources, rows.targets.astype(np.int64)
    kept = sources != targets
    sources, targets = sources[kept], targets[kept]
    number = graph.num_nodes
    degrees = np.bincount(sources, minlength=number)
    return divide(_count_linked(sources, targets, number), degrees * (degrees - 1))


def _count_linked(
    sources: npt.NDArray[np.int64], targets: npt.NDArray[np.int64], number: int
) -> npt.NDArray[np.int64]:
    """Of each node a the ordered pairs (b, c) with arcs a → b, a → c and b → c.

    Nodes are numbered anew by the number of their neighbours, so that no node has many neighbours above it.
    Each triangle x < y < z is then found from below, as a way x, y, z or a fork at x, and counted for that of
    its nodes which has arcs to the two others.
    """
    from scipy.sparse import csr_array

    order = np.argsort(np.bincount(sources, minlength=number) + np.bincount(targets, minlength=number))
    ranks = np.empty(number, np.int64)
    ranks[order] = np.arange(number)
    sources, targets = ranks[sources], ranks[targets]
    upward = sources < targets

    def draw(low: npt.NDArray[np.int64], high: npt.NDArray[np.int64]) -> csr_array:
        return csr_array((np.ones(len(low), np.int32), (low, high)), shape=(number, number))

    up, down = draw(sources[upward], targets[upward]), draw(targets[~upward], sources[~upward])
    either = csr_array(up + down)  # 1 or 2: in how many directions the two are linked
    from_lowest = _masked_product(up, either, up).sum(axis=1)
    from_middle = _masked_product(csr_array(down.T), either, up).sum(axis=1)
    from_highest = _masked_product(either, down, down).sum(axis=0)
    found = np.zeros(number, np.int64)
    found[order] = np.asarray(from_lowest + from_middle + from_highest).ravel()
    return found


def _masked_product(left: sp.csr_array, right: sp.csr_array, mask: sp.csr_array) -> sp.csr_array:
    """The product of two matrices where a mask has entries, times these."""
    from scipy.sparse import csr_array, vstack

    # in blocks of rows, since the product of a block has up to as many entries as it takes steps
    steps = np.cumsum((left != 0).astype(np.int64) @ np.diff(right.indptr).astype(np.int64))
    pieces, start = [csr_array((0, mask.shape[1]), dtype=np.int32)], 0
    while start < left.shape[0]:
        done = steps[start - 1] if start else 0
        end = max(int(np.searchsorted(steps, done + _PRODUCTS, side="right")), start + 1)
        pieces.append(csr_array((left[start:end] @ right).multiply(mask[start:end])))
        start = end
    return csr_array(vstack(pieces, format="csr"))


def rate_columns(before: Graph, after: Graph) -> dict[str, Floats]:
    """The 33 columns about rates of links, for each node; see the head of the module.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> before = Graph.from_arcs([(0, 2), (1, 2)])
    >>> after = Graph.from_arcs([(0, 2)], num_nodes=3)
    >>> columns = rate_columns(before, after)
    >>> len(columns), columns["idr"].tolist(), columns["odr_mean"].tolist()
    (33, [nan, nan, 0.5], [nan, nan, 0.0])
    """
    turned = before.transpose(), after.transpose()
    columns: dict[str, Floats] = {}
    columns["idr"], columns["igr"] = link_rates(*turned)
    columns["odr"], columns["ogr"] = link_rates(before, after)
    linking = NeighbourRows(turned[1])
    both = _in_both(before, after)
    for name in ("idr", "igr", "odr", "ogr"):
        columns[name] = np.where(both, columns[name], np.nan)
        columns[f"{name}_mean"], columns[f"{name}_variance"] = linking.moments(columns[name])
    then, now = clustering(before), clustering(after)
    columns["crcc"] = divide(now - then, then)
    for growth, death in (("igr", "idr"), ("ogr", "odr")):
        columns[f"{growth}_times_{death}"] = columns[growth] * columns[death]
        columns[f"{growth}_over_{death}"] = divide(columns[growth], columns[death])
        for rate in (growth, death):
            for moment in _MOMENTS:
                quotient = divide(columns[f"{rate}_{moment}"], columns[rate])
                columns[f"{rate}_{moment}_over_{rate}"] = quotient
        for moment in _MOMENTS:
            above, below = f"{growth}_{moment}", f"{death}_{moment}"
            columns[f"{above}_times_{below}"] = columns[above] * columns[below]
            columns[f"{above}_over_{below}"] = divide(columns[above], columns[below])
    return _only(columns, both)


def temporal_link_columns(
    before: Graph,
    after: Graph,
    *,
    fingerprints: int = FINGERPRINTS,
    seed: int = 0,
    xjaccard_decay: float = XJACCARD_DECAY,
    psimrank_decay: float = PSIMRANK_DECAY,
    advance: Callable[[int], object] = lambda _: None,
) -> dict[str, Floats]:
    """All 117 columns: rates, and XJaccard and PSimRank along out-links (``_out``) and in-links (``_in``).

    Parameters
    ----------
    before, after
        Graphs of the same sites; `Alignment.draw` makes them.
    fingerprints, seed
        Of the similarities; see `similarity`.
    xjaccard_decay, psimrank_decay
        c.
    advance
        Called with the number of fingerprints done, of 4 times as many.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> graph = Graph.from_arcs([(0, 1), (1, 0), (1, 2)])
    >>> columns = temporal_link_columns(graph, graph)
    >>> len(columns), columns["psimrank_in_1"].tolist(), columns["xjaccard_out_1"].round(4).tolist()
    (117, [0.15, 0.15, 0.15], [0.09, 0.09, nan])
    """
    columns = rate_columns(before, after)
    both = _in_both(before, after)
    for direction, graphs in (("out", (before, after)), ("in", (before.transpose(), after.transpose()))):
        rows = NeighbourRows(graphs[1])
        for name, measure, decay in (
            ("xjaccard", xjaccard, xjaccard_decay),
            ("psimrank", psimrank, psimrank_decay),
        ):
            found = measure(*graphs, decay=decay, fingerprints=fingerprints, seed=seed, advance=advance)
            found = np.where(both, found, np.nan)
            columns |= similarity_columns(f"{name}_{direction}", found, rows)
    return _only(columns, both)


def _in_both(before: Graph, after: Graph) -> npt.NDArray[np.bool_]:
    both = np.ones(before.num_nodes, np.bool_)
    for graph in (before, after):
        if graph.present is not None:
            both &= graph.present
    return both


def _only(columns: dict[str, Floats], kept: npt.NDArray[np.bool_]) -> dict[str, Floats]:
    return {name: np.where(kept, values, np.nan) for name, values in columns.items()}


def build_temporal_link(snapshot: Snapshot, settings: ClassifySettings, progress: Progress) -> pa.Table:
    """The set `temporal-link` of a snapshot: a row a site of it.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.classify.settings import ClassifySettings
    >>> from webstrata.collection.progress import Progress
    >>> table = build_temporal_link(testing.collection()["2026-06"], ClassifySettings(), Progress())
    >>> table.select(["host", "idr"]).to_pylist()[:2]
    [{'host': 'garden.example', 'idr': 0.5}, {'host': 'kitchen.example', 'idr': 0.0}]
    """
    earlier = choose_earlier(snapshot, settings.earlier, ("graph", "urls"), last_alone=True)
    snapshots = [*earlier, snapshot]
    sites, graphs = draw_sites(snapshots, progress)
    columns: dict[str, pa.Array] = {"host": pa.array(sites, pa.string())}
    pairs = list(itertools.pairwise(graphs))[::-1]
    with progress.task("fingerprints", total=4 * settings.fingerprints * len(pairs)) as task:
        for back, (before, after) in enumerate(pairs):
            found = temporal_link_columns(
                before, after, fingerprints=settings.fingerprints, advance=task.advance
            )
            for name, values in found.items():
                here = values[: len(sites)].astype(np.float32)
                columns[f"{name}@{back}" if back else name] = pa.array(here, from_pandas=True)
    return pa.table(columns)


def draw_sites(snapshots: Sequence[Snapshot], progress: Progress) -> tuple[list[str], list[Graph]]:
    """The sites of the last snapshot, and the graph of each snapshot: these sites first, then all others.

    Examples
    --------
    >>> from webstrata.collection.progress import Progress
    >>> draw_sites([], Progress())
    ([], [])
    """
    names = [open_sites(some, progress).names for some in snapshots]
    # so that the first rows are those of the last snapshot, in its order
    found = align_sites(*names[::-1])
    graphs: list[Graph] = []
    for place, some in enumerate(snapshots[::-1]):
        with some.open_part("graph") as part:
            hosts = NamedGraph(part.path, HOSTS)
            graphs.append(found.draw(hosts, hosts.names, place))
    return (names[-1] if names else []), graphs[::-1]
