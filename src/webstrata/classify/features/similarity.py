"""How like itself a node is in two graphs, by its neighbourhood of several steps (SPAM, 3.1.2 to 3.1.4).

Two graphs have the same nodes; Γ⁰(v) and Γ¹(v) are the successors of v. With the graphs turned round the same
functions speak of in-links.

**XJaccard** with c = 0.1, for ℓ = 1 … 4:

    XJac_ℓ(v) = Σ_{k=1..ℓ} J(Γ_k⁰(v), Γ_k¹(v)) · c^k (1 − c),   J(A, B) = |A ∩ B| / |A ∪ B|

The paper's Γ_k(v) are the nodes at distance exactly k. What min-hash can pass on from node to node are the
nodes **reached by a walk of exactly k links**, and these are ours: the smallest rank, in a random order σ of
the nodes, of what v reaches in k links is the smallest of what its successors reach in k − 1. The two agree
for k = 1, and wherever no walk of k links leads to what is nearer. `exact_xjaccard` has both, for small
graphs. J of two empty sets is missing, and with it every sum that it is a term of.

**PSimRank** with c = 0.15: two walks start at v, one in each graph; at step k each goes to the successor that
is first in a random order σ_k, the same for both.

    PSim_ℓ(v) = Σ_{k=1..ℓ} c^k · Pr[both are at one node after step k, and were not after any before]

A walk that cannot go on is stuck, and never meets. (The paper walks to in-neighbours: hand over graphs that
are turned round.)

**Error.** Both are means over F independent fingerprints of a number between 0 and R, with R = c (1 − c^ℓ)
for XJaccard and R = c for PSimRank. So the standard deviation of an estimate is at most R / (2 √F), and it is
further than R √(ln(2/δ) / 2F) from the true value with probability δ at most (Hoeffding): `error_bound`.

Time is linear in arcs: each of the F fingerprints takes ℓ passes over each graph, and so does each of the
walks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webstrata.classify.features.neighbours import NeighbourRows, divide, logarithm

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from webstrata.graph.view import Graph

    Floats = npt.NDArray[np.float64]
    Advance = Callable[[int], object]

LENGTHS = 4
"""Lengths ℓ go from 1 up to this."""
XJACCARD_DECAY = 0.1
PSIMRANK_DECAY = 0.15
FINGERPRINTS = 128
_NOTHING = np.uint32(0xFFFFFFFF)
"""Rank of the smallest node of no nodes; graphs have fewer than 2³² − 1."""


def xjaccard(
    before: Graph,
    after: Graph,
    *,
    decay: float = XJACCARD_DECAY,
    fingerprints: int = FINGERPRINTS,
    seed: int = 0,
    advance: Advance = lambda _: None,
) -> Floats:
    """XJac_ℓ of each node, estimated: a row a length, a column a node.

    Parameters
    ----------
    before, after
        Graphs of the same nodes.
    decay
        c.
    fingerprints
        How many; the more, the smaller the error.
    seed
        Of the random orders.
    advance
        Called with the number of fingerprints done.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> before = Graph.from_arcs([(0, 1), (1, 2)])
    >>> after = Graph.from_arcs([(0, 1), (1, 0)], num_nodes=3)
    >>> xjaccard(before, after)[:2].round(4).tolist()
    [[0.09, 0.0, nan], [0.09, 0.0, nan]]
    """
    then, now = _check(before, after)
    agreed = np.zeros((LENGTHS, then.num_rows))
    known = np.zeros((LENGTHS, then.num_rows), np.bool_)
    random = np.random.default_rng(seed)
    for _ in range(fingerprints):
        ranks = random.permutation(then.num_rows).astype(np.uint32)
        old = new = ranks
        for k in range(LENGTHS):
            old, new = then.smallest(old, empty=_NOTHING), now.smallest(new, empty=_NOTHING)
            reached = (old != _NOTHING) | (new != _NOTHING)
            known[k] = reached  # whether a walk leads anywhere does not depend on the order
            agreed[k] += reached & (old == new)
        advance(1)
    return _sum_lengths(np.where(known, agreed / fingerprints, np.nan), decay)


def exact_xjaccard(
    before: Graph, after: Graph, *, decay: float = XJACCARD_DECAY, by_distance: bool = False
) -> Floats:
    """XJac_ℓ of each node as it is, from the sets themselves: for small graphs.

    Parameters
    ----------
    before, after
        Graphs of the same nodes.
    decay
        c.
    by_distance
        Whether Γ_k are the nodes at distance exactly k as in the paper, instead of those that a walk of
        exactly k links leads to.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> before = Graph.from_arcs([(0, 1), (1, 0)])
    >>> exact_xjaccard(before, before)[:3, 0].round(4).tolist()
    [0.09, 0.099, 0.0999]
    >>> exact_xjaccard(before, before, by_distance=True)[:2, 0].round(4).tolist()
    [0.09, nan]
    """
    _check(before, after)
    layers = [_layers(graph, by_distance=by_distance) for graph in (before, after)]
    overlap = np.full((LENGTHS, before.num_nodes), np.nan)
    for k in range(LENGTHS):
        for node in range(before.num_nodes):
            old, new = (each[node][k] for each in layers)
            if old or new:
                overlap[k, node] = len(old & new) / len(old | new)
    return _sum_lengths(overlap, decay)


def _layers(graph: Graph, *, by_distance: bool) -> list[list[set[int]]]:
    """For each node what it reaches in 1 … 4 links."""
    found = []
    for node in range(graph.num_nodes):
        layer, seen, layers = {node}, {node}, []
        for _ in range(LENGTHS):
            layer = {int(target) for source in layer for target in graph.successors(source)}
            if by_distance:
                layer -= seen
                seen |= layer
            layers.append(layer)
        found.append(layers)
    return found


def _sum_lengths(overlap: Floats, decay: float) -> Floats:
    weights = decay ** np.arange(1, LENGTHS + 1) * (1 - decay)
    return np.cumsum(overlap * weights[:, None], axis=0)


def psimrank(
    before: Graph,
    after: Graph,
    *,
    decay: float = PSIMRANK_DECAY,
    fingerprints: int = FINGERPRINTS,
    seed: int = 0,
    advance: Advance = lambda _: None,
) -> Floats:
    """PSim_ℓ of each node, estimated: a row a length, a column a node; parameters as of `xjaccard`.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> before = Graph.from_arcs([(0, 1), (1, 2)])
    >>> after = Graph.from_arcs([(0, 1), (1, 0)], num_nodes=3)
    >>> psimrank(before, after).round(4).tolist()[0]
    [0.15, 0.0, 0.0]
    """
    then, now = _check(before, after)
    number = then.num_rows
    meetings = np.zeros((LENGTHS, number))
    random = np.random.default_rng(seed)
    # one node more, from which nothing leads away: where walks that are stuck are
    places = np.full(number + 1, number, np.int64)
    for _ in range(fingerprints):
        old = new = np.arange(number)
        apart = np.ones(number, np.bool_)
        for k in range(LENGTHS):
            order = random.permutation(number)
            ranks = np.empty(number, np.uint32)
            ranks[order] = np.arange(number, dtype=np.uint32)
            old = _step(then, ranks, order, places)[old]
            new = _step(now, ranks, order, places)[new]
            met = apart & (old == new) & (old != number)
            meetings[k] += met
            apart &= ~met
        advance(1)
    weights = decay ** np.arange(1, LENGTHS + 1)
    return np.cumsum(meetings / fingerprints * weights[:, None], axis=0)


def _step(
    rows: NeighbourRows,
    ranks: npt.NDArray[np.uint32],
    order: npt.NDArray[np.int64],
    stuck: npt.NDArray[np.int64],
) -> npt.NDArray[np.int64]:
    """Where each node goes: to its successor first in the order; one without any, and the last, is stuck."""
    target = stuck.copy()
    target[rows.filled] = order[rows.smallest(ranks, empty=_NOTHING)[rows.filled]]
    return target


def exact_psimrank(before: Graph, after: Graph, *, decay: float = PSIMRANK_DECAY) -> Floats:
    """PSim_ℓ of each node as it is, from the probabilities of all pairs of places: for small graphs.

    Of walks at u and v the first node in the order, of A = Γ⁰(u) and B = Γ¹(v) together, is each with
    probability 1 / |A ∪ B|. Is it in both, they meet; is it in A alone, the other one goes to each of B with
    the same probability, and the other way round.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> before = Graph.from_arcs([(0, 1), (0, 2)])
    >>> after = Graph.from_arcs([(0, 1)], num_nodes=3)
    >>> exact_psimrank(before, after)[:, 0].tolist()
    [0.075, 0.075, 0.075, 0.075]
    """
    _check(before, after)
    lists = [
        [graph.successors(node).tolist() for node in range(graph.num_nodes)] for graph in (before, after)
    ]
    found = np.zeros((LENGTHS, before.num_nodes))
    for node in range(before.num_nodes):
        pairs = {(node, node): 1.0}
        for k in range(LENGTHS):
            pairs, met = _step_pairs(pairs, lists)
            found[k, node] = decay ** (k + 1) * met
    return np.cumsum(found, axis=0)


def _step_pairs(
    pairs: dict[tuple[int, int], float], lists: list[list[list[int]]]
) -> tuple[dict[tuple[int, int], float], float]:
    """The probabilities of places of walks that have not met after one more step, and that of having met."""
    further: dict[tuple[int, int], float] = {}
    met = 0.0
    for (u, v), probability in pairs.items():
        mine, theirs = lists[0][u], lists[1][v]
        if not mine or not theirs:
            continue
        each = probability / len({*mine, *theirs})
        for first in {*mine, *theirs}:
            if first in mine and first in theirs:
                met += each
                continue
            ends = [(first, w) for w in theirs] if first in mine else [(w, first) for w in mine]
            for pair in ends:
                further[pair] = further.get(pair, 0.0) + each / len(ends)
    return further, met


def error_bound(scale: float, fingerprints: int, probability: float = 0.05) -> float:
    """How far an estimate may be off, and is not but with this probability: R √(ln(2/δ) / 2F).

    Parameters
    ----------
    scale
        R, the largest value: c (1 − c^ℓ) of XJaccard, c of PSimRank.
    fingerprints
        F.
    probability
        δ.

    Examples
    --------
    >>> round(error_bound(0.1, 128), 4), round(error_bound(0.15, 128), 4)
    (0.012, 0.018)
    """
    return scale * float(np.sqrt(np.log(2 / probability) / (2 * fingerprints)))


def similarity_columns(name: str, similarity: Floats, rows: NeighbourRows) -> dict[str, Floats]:
    """The 21 columns that are made of a similarity: itself, that of neighbours, how it grows with length.

    ==================  ======================================================================
    ``NAME_ℓ``          s_ℓ, for ℓ = 1 … 4
    ``NAME_mean_ℓ``     the mean of s_ℓ over neighbours
    ``NAME_variance_ℓ``      its variance over neighbours
    ``NAME_ratio_ℓ``    r_ℓ = s_ℓ / s_{ℓ−1}, for ℓ = 2, 3, 4
    ``NAME_log_ratio_ℓ``  ln r_ℓ
    ``NAME_log_min_ratio``, ``_log_max_ratio``, ``_log_mean_ratio``  ln of the smallest, largest, mean r_ℓ
    ==================  ======================================================================

    Parameters
    ----------
    name
        That columns begin with.
    similarity
        A row a length, a column a node.
    rows
        The neighbours of each node.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> graph = Graph.from_arcs([(0, 1), (1, 0)])
    >>> columns = similarity_columns("xjaccard_out", exact_xjaccard(graph, graph), NeighbourRows(graph))
    >>> len(columns), columns["xjaccard_out_ratio_2"].round(4).tolist()
    (21, [1.1, 1.1])
    """
    columns: dict[str, Floats] = {}
    lengths = range(1, LENGTHS + 1)
    moments = [rows.moments(values) for values in similarity]
    columns |= {f"{name}_{length}": similarity[length - 1] for length in lengths}
    columns |= {f"{name}_mean_{length}": moments[length - 1][0] for length in lengths}
    columns |= {f"{name}_variance_{length}": moments[length - 1][1] for length in lengths}
    ratios = divide(similarity[1:], similarity[:-1])
    columns |= {f"{name}_ratio_{length}": ratios[length - 2] for length in lengths[1:]}
    columns |= {f"{name}_log_ratio_{length}": logarithm(ratios[length - 2]) for length in lengths[1:]}
    # of the ratios that are there
    number = np.count_nonzero(~np.isnan(ratios), axis=0)
    columns[f"{name}_log_min_ratio"] = logarithm(np.fmin.reduce(ratios))
    columns[f"{name}_log_max_ratio"] = logarithm(np.fmax.reduce(ratios))
    columns[f"{name}_log_mean_ratio"] = logarithm(divide(np.nansum(ratios, axis=0), number))
    return columns


def similarity_formulas(name: str, measure: str, term: str, along: str) -> dict[str, str]:
    """What each of the columns of `similarity_columns` is.

    Parameters
    ----------
    name
        That columns begin with.
    measure
        What the similarity is called in formulas.
    term
        What it is the sum of.
    along
        Which neighbours there are.

    Examples
    --------
    >>> similarity_formulas("x_in", "X", "c^k", "in-neighbours")["x_in_2"]
    'X_2 = Σ_{k=1..2} c^k, along in-neighbours'
    """
    lengths = range(1, LENGTHS + 1)
    ratios = {length: f"{measure}_{length} / {measure}_{length - 1}" for length in lengths[1:]}
    steps = ", ".join(ratios.values())
    return (
        {
            f"{name}_{length}": f"{measure}_{length} = Σ_{{k=1..{length}}} {term}, along {along}"
            for length in lengths
        }
        | {f"{name}_mean_{length}": f"mean of {measure}_{length} over {along}" for length in lengths}
        | {f"{name}_variance_{length}": f"variance of {measure}_{length} over {along}" for length in lengths}
        | {f"{name}_ratio_{length}": ratio for length, ratio in ratios.items()}
        | {f"{name}_log_ratio_{length}": f"ln ({ratio})" for length, ratio in ratios.items()}
        | {f"{name}_log_{of}_ratio": f"ln {of}({steps}), of those there are" for of in ("min", "max", "mean")}
    )


def _check(before: Graph, after: Graph) -> tuple[NeighbourRows, NeighbourRows]:
    if before.num_nodes != after.num_nodes:
        raise ValueError(
            f"after: expected the {before.num_nodes} nodes of the graph before, got {after.num_nodes}"
        )
    return NeighbourRows(before), NeighbourRows(after)
