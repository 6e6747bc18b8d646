"""PageRank (Page, Brin, Motwani, Winograd 1999): where a surfer is who follows links, and jumps now and then.

With probability α the surfer follows one of the arcs of the node, all alike or by weight; otherwise the next
node is drawn from the preference v. From a node without arcs the surfer goes on by u, which is v, or 1/N for
all (WIKI; the same where there is no preference). The scores are the only x with Σ x = 1 and

    x(i) = α Σ x(j) w(j, i) / d(j) over j → i  +  α D u(i)  +  (1 − α) v(i),   D = Σ x(j) with d(j) = 0,

that is x = G x with the Google matrix G.

**Power iteration** repeats that step. **Gauss–Seidel** leaves the term of D out, solves the linear system
(I − α P) y = v that is left, each node seeing what the sweep has made of others already, and puts x together
of it: with u = v it is y, scaled to the sum 1; else x = (1 − α) y(v) + α D y(u), and D follows from itself.
A sweep goes through the nodes by chunks of 16 384, and twice through the arcs inside each, three times where
these were decoded for it. After every fourth
sweep the four changes are put together so that what is left to change is as small as they can make it
(reduced rank extrapolation). It takes a quarter of the passes of power iteration, and is the default.

**Error.** A step of G is a contraction by α. If it changes x by δ (the sum of all changes), x after it is
within **α / (1 − α) δ** of the solution, in the sum of all differences. Whatever the solver, the last pass is
such a step; its bound is compared with the tolerance, and is what `Ranking.error_bound` says. Rounding, some
10⁻¹⁵, comes on top.

**α = 1**: a surfer who never jumps, and begins where the preference says. There need not be one solution, and
steps need not come to rest: on a ring they go round for ever. So half of each step is taken,
x ← (x + S x) / 2, which comes to rest from any start, at the mean of where the surfer is in the long run.
No contraction bounds the error; `Ranking.residual` is what a step still changes, at most the tolerance, and
`error_bound` is none. Where parts of the graph are left too seldom that takes more than 10 000 steps, and is
refused.

The sum over the predecessors of a node is made of that of the node before it, by what the two lists have not
in common (`Walk.folds`), in an order that is always the same: the bits of the result do not depend on the
number of threads. From compressed lists, which are cut anew in each pass, sums are made in another order, and
the scores are the same within the bound. Memory: the differences of lists, at most as many as the transpose
has arcs and on real graphs a third, and 49 bytes a node: scores, what nodes pass on (three times), the last
four changes and a mark. Compressed lists take the place of the differences, a tenth of the bytes of rows; the
49 bytes a node stay.

**Many preferences** share each pass (`pagerank_many`), and the scores of a surfer who jumps to few nodes are
found near them (`push`), without looking at the rest of the graph.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webstrata._core import rank as core
from webstrata.collection.progress import Progress
from webstrata.errors import UsageError
from webstrata.graph.list_source import select_source
from webstrata.rank.ranking import Ranking
from webstrata.rank.walk import Walk

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from webstrata.graph.view import Graph

    Scores = npt.NDArray[np.float64]

SOLVERS = ("gauss-seidel", "power")
DANGLING = ("uniform", "preference")
_LEAST = 1e-15
"""Below this a bound says nothing: rounding is larger."""
_COLUMNS = 16
"""Preferences that share a pass."""
_MOST_HALF_STEPS = 10_000
"""At α = 1."""
ENOUGH = 1.0
"""What sweeps may leave of the tolerance, as they guess it; a step of G confirms it as a rule."""


def pagerank(
    graph: Graph | Walk,
    *,
    alpha: float = 0.85,
    preference: npt.ArrayLike | None = None,
    dangling: str = "preference",
    tolerance: float = 1e-9,
    solver: str = "gauss-seidel",
    start: npt.ArrayLike | None = None,
    transpose: Graph | None = None,
    progress: Progress | None = None,
) -> Ranking:
    """The PageRank of each node.

    Parameters
    ----------
    graph
        Any graph, or a `Walk` of one that several measures share.
    alpha
        How likely the surfer follows an arc; from 0 to 1. At 1 no bound of the error is known.
    preference
        Where the surfer jumps: a number of at least 0 for each node, brought to the sum 1; else all alike.
        With an α of 1, where the surfer begins.
    dangling
        Where the surfer goes from a node without arcs: by ``preference``, or ``uniform``, 1/N for all.
    tolerance
        How far the scores may be from the true ones, in the sum of all differences.
    solver
        ``gauss-seidel`` or ``power``.
    start
        Scores to begin with, of an earlier snapshot say; the closer they are, the fewer passes.
    transpose
        The graph with all arcs turned round, where it is at hand.
    progress
        Where it reports.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> found = pagerank(Graph.from_arcs([(0, 1), (1, 0), (2, 0)]))
    >>> found.scores.round(4).tolist()
    [0.4865, 0.4635, 0.05]
    >>> found.error_bound <= 1e-9
    True
    """
    check_alpha(alpha)
    check_tolerance(tolerance)
    _check_choice("solver", solver, SOLVERS)
    _check_choice("dangling", dangling, DANGLING)
    walk = as_walk(graph, transpose=transpose, progress=progress)
    settings = {"alpha": alpha, "tolerance": tolerance, "dangling": dangling, "solver": solver}
    if not has_nodes(walk):
        return Ranking(
            "pagerank", np.zeros(walk.num_nodes), settings=settings | {"nodes": 0}, present=walk.present
        )
    jumps = _jumps(walk, preference)
    spread = jumps if dangling == "preference" or preference is None else _jumps(walk, None)
    scores = _normal(start, walk) if start is not None else np.resize(jumps, walk.num_nodes)
    if alpha == 1:
        scores, iterations, residual = _settle(walk, scores, spread, tolerance)
        return Ranking("pagerank", scores, None, iterations, settings, walk.present, residual=residual)
    solve = _solve_by_sweeps if solver == "gauss-seidel" else _solve_by_steps
    scores, iterations, bound = solve(walk, scores, jumps, spread, alpha, tolerance)
    return Ranking("pagerank", scores, bound, iterations, settings, walk.present)


def _jumps(walk: Walk, preference: npt.ArrayLike | None) -> Scores:
    """A preference; one number in place of an array where all nodes are alike."""
    if preference is None and walk.present is None:
        return np.array([1 / walk.num_nodes])
    return walk.preference(preference)


def pagerank_many(
    graph: Graph | Walk,
    preferences: npt.ArrayLike,
    *,
    alpha: float = 0.85,
    tolerance: float = 1e-9,
    progress: Progress | None = None,
) -> tuple[Scores, float]:
    """A row of scores for each row of preferences, by shared passes; and a bound of all their errors.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> rows, bound = pagerank_many(Graph.from_arcs([(0, 1), (1, 0), (2, 0)]), [[1, 0, 0], [0, 0, 1]])
    >>> rows.round(3).tolist(), bound <= 1e-9
    ([[0.541, 0.459, 0.0], [0.459, 0.391, 0.15]], True)
    """
    check_damping(alpha)
    check_tolerance(tolerance)
    walk = as_walk(graph, progress=progress)
    table = np.asarray(preferences, np.float64)
    if table.ndim != 2 or table.shape[1] != walk.num_nodes or not has_nodes(walk):
        raise UsageError(
            f"preferences: expected rows of a number for each of the {walk.num_nodes} nodes, "
            f"got shape {table.shape}"
        )
    found, bounds = np.empty_like(table), [0.0]
    for begin in range(0, len(table), _COLUMNS):
        jumps = np.stack([walk.preference(row) for row in table[begin : begin + _COLUMNS]], axis=1)
        scores = jumps.copy()
        for _ in range(_most_steps(alpha, tolerance)):
            stepped = google_step(walk, scores, jumps, jumps, alpha)
            change = float(np.abs(stepped - scores).sum(axis=0).max())
            scores = stepped
            if _bound(alpha, change) <= tolerance:
                break
        bounds.append(_bound(alpha, change))
        found[begin : begin + _COLUMNS] = scores.T
    return found, max(bounds)


class Pushed(NamedTuple):
    """Scores near some nodes; those of all others are 0 so far."""

    nodes: npt.NDArray[np.uint32]
    """In order."""
    scores: Scores
    """Each at most its true score."""
    error_bound: float
    """The sum of all differences to the true scores, exactly: what is still to be pushed."""
    num_arcs: int
    """Arcs that were looked at."""


def push(
    graph: Graph,
    seeds: Mapping[int, float] | int,
    *,
    alpha: float = 0.85,
    tolerance: float = 1e-4,
    progress: Progress | None = None,
) -> Pushed:
    """PageRank of a surfer who jumps to few nodes only, found by pushing from them.

    After Andersen, Chung and Lang 2006. Every node holds an amount: first the seeds hold theirs. A push adds
    1 − α of it to the node's score and passes the rest on; nodes that hold most are pushed first, in rounds
    with falling thresholds. What is held in the end is what the scores are too small by. From a node without
    arcs the surfer goes to the seeds.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> found = push(Graph.from_arcs([(0, 1), (1, 0), (2, 0)]), 0, tolerance=1e-6)
    >>> found.nodes.tolist(), found.scores.round(3).tolist(), found.error_bound <= 1e-6
    ([0, 1], [0.541, 0.459], True)
    """
    check_damping(alpha)
    check_tolerance(tolerance)
    wanted = {seeds: 1.0} if isinstance(seeds, int) else dict(seeds)
    total = math.fsum(wanted.values())
    if not all(0 <= weight < math.inf for weight in wanted.values()) or not total > 0:
        raise UsageError("seeds: expected weights of at least 0 that are not all 0, got others")
    if wrong := [node for node in wanted if not 0 <= node < graph.num_nodes]:
        raise UsageError(f"seeds: expected nodes below the {graph.num_nodes} of the graph, got {wrong[0]}")
    weights = None if graph.weights is None else np.ascontiguousarray(graph.weights, np.float64)
    lists = graph.rows() if weights is not None else select_source(graph)
    nodes = np.array(list(wanted), np.uint32)
    shares = np.array(list(wanted.values())) / total
    with (progress or Progress()).task("pushing", unit="pushes") as task:
        return Pushed(
            *core.push(lists, weights, graph.num_nodes, nodes, shares, alpha, tolerance, task.advance)
        )


def as_walk(graph: Graph | Walk, *, transpose: Graph | None = None, progress: Progress | None = None) -> Walk:
    """A graph made ready for passes, unless it is already.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> as_walk(Graph.from_arcs([(0, 1)])).num_nodes
    2
    """
    return graph if isinstance(graph, Walk) else Walk(graph, transpose=transpose, progress=progress)


def has_nodes(walk: Walk) -> bool:
    """Whether there is anything to rank.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> has_nodes(Walk(Graph.from_arcs([])))
    False
    """
    return bool(walk.num_nodes) and (walk.present is None or bool(walk.present.any()))


def check_alpha(alpha: float) -> None:
    """Refuse what is no probability.

    Examples
    --------
    >>> check_alpha(0.85)
    >>> check_alpha(1.5)
    Traceback (most recent call last):
    webstrata.errors.UsageError: alpha: expected a number from 0 to 1, got 1.5
    """
    if not 0 <= alpha <= 1:
        raise UsageError(f"alpha: expected a number from 0 to 1, got {alpha}")


def check_damping(alpha: float) -> None:
    """Refuse what is no probability below 1, where a surfer must jump at some time.

    Examples
    --------
    >>> check_damping(0.85)
    >>> check_damping(1)
    Traceback (most recent call last):
    webstrata.errors.UsageError: alpha: expected a number from 0 to below 1, got 1; `pagerank` takes 1 too
    """
    check_alpha(alpha)
    if alpha == 1:
        raise UsageError(f"alpha: expected a number from 0 to below 1, got {alpha}; `pagerank` takes 1 too")


def check_tolerance(tolerance: float) -> None:
    """Refuse a tolerance that rounding does not keep.

    Examples
    --------
    >>> check_tolerance(1e-9)
    >>> check_tolerance(0)
    Traceback (most recent call last):
    webstrata.errors.UsageError: tolerance: expected at least 1e-15, got 0
    """
    if not tolerance >= _LEAST:
        raise UsageError(f"tolerance: expected at least {_LEAST}, got {tolerance}")


def _check_choice(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise UsageError(f"{name}: expected one of {', '.join(known)}, got {value}")


def _normal(start: npt.ArrayLike, walk: Walk) -> Scores:
    """Scores to begin with, of sum 1; all alike where they say nothing."""
    found = np.asarray(start, np.float64)
    if found.shape != (walk.num_nodes,) or not np.isfinite(found).all() or (found < 0).any():
        raise UsageError(f"start: expected a score for each of the {walk.num_nodes} nodes, got others")
    if walk.present is not None:
        found = found * walk.present
    total = float(found.sum())
    return found / total if total > 0 else walk.preference(None)


def _bound(alpha: float, change: float) -> float:
    return alpha / (1 - alpha) * change


def _most_steps(alpha: float, tolerance: float) -> int:
    """δ is at most 2 and falls by α at least; where rounding keeps it up, more steps are of no use."""
    if 2 * alpha / (1 - alpha) <= tolerance:
        return 1
    return 2 + math.ceil(math.log(tolerance * (1 - alpha) / (2 * alpha)) / math.log(alpha))


def google_step(walk: Walk, scores: Scores, jumps: Scores, spread: Scores, alpha: float) -> Scores:
    """G x: what a step makes of scores, of several columns at once too.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> half = np.full(2, 0.5)
    >>> google_step(Walk(Graph.from_arcs([(0, 1)])), half, half, half, 0.8).round(3).tolist()
    [0.3, 0.7]
    """
    shares, idle = walk.shares, scores[walk.shares == 0].sum(axis=0)
    passed = scores * (shares if scores.ndim == 1 else shares[:, None])
    stepped: Scores = alpha * walk.gather(passed) + alpha * idle * spread + (1 - alpha) * jumps
    return stepped


def _settle(walk: Walk, scores: Scores, spread: Scores, tolerance: float) -> tuple[Scores, int, float]:
    """Half steps at α = 1 until a whole one changes no more than the tolerance; how many, and that change."""
    nothing = np.zeros(1)
    for steps in range(1, _MOST_HALF_STEPS + 1):
        stepped = scores.copy()
        with walk.progress.task("PageRank", unit="nodes") as task:
            _, change = core.solve(walk.folds, walk.shares, nothing, spread, stepped, 0.0, 1, task.advance)
        # a step of the mean changes no more than a step of the scores did
        scores = (scores + stepped) / 2
        if change <= tolerance:
            return scores, steps, change
    raise UsageError(
        f"alpha: with 1, a step still changes the scores by {change:.2g} after {_MOST_HALF_STEPS} steps, "
        "since the surfer leaves parts of the graph too seldom; take a larger tolerance, or an alpha below 1"
    )


def _solve_by_steps(
    walk: Walk, scores: Scores, jumps: Scores, spread: Scores, alpha: float, tolerance: float
) -> tuple[Scores, int, float]:
    least = tolerance * (1 - alpha) / alpha if alpha else 2.0
    shares = alpha * walk.shares
    return _step(walk, scores, shares, jumps, spread, alpha, least, _most_steps(alpha, tolerance))


def _step(
    walk: Walk,
    scores: Scores,
    shares: Scores,
    jumps: Scores,
    spread: Scores,
    alpha: float,
    least: float,
    most: int,
) -> tuple[Scores, int, float]:
    """Steps of G until one changes the scores by `least`; how many, and the bound that the last one gives."""
    jumps, spread = (1 - alpha) * jumps, alpha * spread
    with walk.progress.task("PageRank", unit="nodes") as task:
        steps, change = core.solve(walk.folds, shares, jumps, spread, scores, least, most, task.advance)
    return scores, steps, _bound(alpha, change)


def _solve_by_sweeps(
    walk: Walk, scores: Scores, jumps: Scores, spread: Scores, alpha: float, tolerance: float
) -> tuple[Scores, int, float]:
    """Sweeps until a step of G confirms the tolerance."""
    idle = walk.shares == 0
    shares = alpha * walk.shares
    # the scale of the solutions y, whose part of those without arcs is not spread
    scores /= 1 - alpha + alpha * float(scores[idle].sum())
    parts = [scores]
    bases = [jumps]
    if spread is not jumps:
        parts.append(scores.copy())
        bases.append(spread)
    least = ENOUGH * tolerance
    iterations, most = 0, 2 * _most_steps(alpha, tolerance)
    while True:
        for part, base in zip(parts, bases, strict=True):
            enough = least * float(part.sum())
            with walk.progress.task("PageRank", unit="nodes") as task:
                iterations += core.solve(
                    walk.folds, shares, base, None, part, enough, max(most - iterations, 1), task.advance
                )[0]
        x = parts[0]
        if len(parts) == 2:
            of_jumps, of_spread = (float(part[idle].sum()) for part in parts)
            x = (1 - alpha) * parts[0]
            x += alpha * (1 - alpha) * of_jumps / (1 - alpha * of_spread) * parts[1]
        x = x / x.sum()
        x, _, bound = _step(walk, x, shares, jumps, spread, alpha, 0.0, 1)
        iterations += 1
        if bound <= tolerance or iterations >= most or least < _LEAST / 100:
            return x, iterations, bound
        least *= min(0.5, 0.8 * tolerance / bound)
