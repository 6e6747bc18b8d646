"""How fast the spectrum of the Google matrix at α = 1 is found: beside plain NumPy, SciPy and ARPACK.

The inputs are the rows of cnr-2000 (325 557 nodes, 3 216 152 arcs), and a graph made here of a power law with
closed hosts planted. Both sides begin with the same arrays.

- `spectrum-subspaces`: the nodes and components of invariant subspaces; the peer is SciPy's sparse graphs (a
  visit against the arcs from a node that all dangling ones lead to, then components).
- `spectrum-blocks`: all eigenvalues of the subspaces; the peer is a loop of `numpy.linalg.eigvals` over the
  strong components. `details` has how many eigenvalues are 1. Quick, those of at most 150 nodes.
- `spectrum-arnoldi`: n_A steps on the core and the eigenvalues of H; the peer is the textbook in NumPy, the
  basis read four times a step. n_A is 1000, quick 100. `details` has the largest eigenvalue, and of the
  eigenvector whose residual is estimated smallest the true one, computed from the arcs by both.
- `spectrum-arpack`: the 20 largest eigenvalues of the core of the made graph, to residuals of 10⁻⁸, ours with
  restarts; ARPACK (SciPy's `eigs`, with the dimension that it takes) is told that tolerance. `details` has
  the largest true residual, and the sum of the moduli, which must agree.

The full run takes most of an hour, nearly all of it the peers'.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.frame import PEERS, Call, Figure, Peer, main
from bench.rank import find_graph, load_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.int64]

STEPS, QUICK_STEPS = 1000, 100
WANTED = 20
_MAX_QUICK_BLOCK = 150
_EXACT = 1e-8
_DIMENSION = 60
"""Vectors that ours begins again with; ARPACK takes 2 k + 1 where it is not told."""


# ---- inputs


def prepare(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Write the rows of the real graph and of its transpose as arrays, and how many steps are made."""
    import numpy as np

    from webstrata.graph import Graph

    graph = Graph.open(find_graph())
    _write(folder, *graph.rows())
    (folder / "steps").write_text(str(QUICK_STEPS if quick else STEPS))
    (folder / "largest").write_text(str(_MAX_QUICK_BLOCK if quick else 10**9))
    assert np.load(folder / "offsets.npy")[-1] == graph.num_arcs


def prepare_made(folder: Path, quick: bool) -> None:  # noqa: FBT001
    """Write the rows of a graph with a power law of indegrees, dangling nodes and closed hosts."""
    import numpy as np

    from webstrata.graph import Graph

    rng = np.random.default_rng(11)
    size = 10_000 if quick else 100_000
    sources = rng.integers(size, size=9 * size)
    targets = (size * rng.random(9 * size) ** 3).astype(np.int64)
    near = rng.random(9 * size) < 0.5  # half of the links stay in the neighbourhood
    targets[near] = np.clip(sources[near] + rng.integers(-20, 21, size=int(near.sum())), 0, size - 1)
    arcs = np.stack([sources, targets], axis=1)[sources % 5 != 0]
    hosts = np.arange(0, size // 30, 10)
    closed = np.isin(arcs[:, 0] // 10 * 10, hosts)
    arcs[closed, 1] = arcs[closed, 0] // 10 * 10 + arcs[closed, 1] % 10
    rings = [(host + page, host + (page + 1) % 10) for host in hosts.tolist() for page in range(10)]
    _write(folder, *Graph.from_arcs([*arcs.tolist(), *rings], num_nodes=size).rows())


def _write(folder: Path, offsets: Any, targets: Any) -> None:  # noqa: ANN401
    import numpy as np

    from webstrata.graph import RowsGraph

    np.save(folder / "offsets.npy", offsets)
    np.save(folder / "targets.npy", targets)
    np.save(folder / "core.npy", _ours(RowsGraph(offsets, targets)).core)


def _ours(graph: Any) -> Any:  # noqa: ANN401
    from webstrata.rank.spectra.subspaces import find_subspaces

    return find_subspaces(graph)


def _timed(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    import time

    started, spent = time.perf_counter(), time.process_time()
    told = work()
    # of a machine that has other things to do, the second is the one to go by
    return {"value": time.perf_counter() - started, "processor": time.process_time() - spent} | told


# ---- subspaces


def find_ours(place: str) -> dict[str, Any]:
    """Ours: seconds from rows to subspaces."""
    from webstrata.graph import RowsGraph

    graph = RowsGraph(*load_rows(place))

    def work() -> dict[str, Any]:
        found = _ours(graph)
        return {"nodes": len(found.nodes), "components": len(found.strong), "subspaces": found.number}

    return _timed(work)


def find_scipy(place: str) -> dict[str, Any]:
    """SciPy: the same."""
    rows = load_rows(place)

    def work() -> dict[str, Any]:
        nodes, (strong, _), (weak, _) = _scipy_subspaces(*rows)[:3]
        return {"nodes": len(nodes), "components": strong, "subspaces": weak}

    return _timed(work)


def _scipy_subspaces(offsets: Any, targets: Any) -> Any:  # noqa: ANN401
    import numpy as np
    from scipy import sparse
    from scipy.sparse.csgraph import breadth_first_order, connected_components

    size = len(offsets) - 1
    degrees = np.diff(offsets).astype(np.int64)
    dangling = np.flatnonzero(degrees == 0)
    sources = np.repeat(np.arange(size), degrees)
    # arcs turned round, and a node more from which all dangling ones are reached
    rows = np.concatenate([targets, np.full(len(dangling), size)])
    columns = np.concatenate([sources, dangling])
    turned = sparse.csr_array((np.ones(len(rows), np.int8), (rows, columns)), shape=(size + 1, size + 1))
    falls = np.zeros(size + 1, dtype=bool)
    falls[breadth_first_order(turned, size, return_predecessors=False)] = True
    nodes = np.flatnonzero(~falls)
    spanned = turned[nodes][:, nodes].T.tocsr()
    strong = connected_components(spanned, directed=True, connection="strong")
    return nodes, strong, connected_components(spanned, directed=True, connection="weak"), spanned


# ---- their eigenvalues


def diagonalize_ours(place: str) -> dict[str, Any]:
    """Ours: seconds from subspaces to eigenvalues."""
    import numpy as np

    from webstrata.graph import RowsGraph
    from webstrata.rank.spectra.blocks import diagonalize

    subspaces = _ours(_limited(RowsGraph(*load_rows(place)), place))

    def work() -> dict[str, Any]:
        values = diagonalize(subspaces).values
        return {"values": len(values), "ones": int((np.abs(values - 1) < 1e-9).sum())}

    return _timed(work)


def _limited(graph: Any, place: str) -> Any:  # noqa: ANN401
    """The graph without the arcs of subspaces whose strong component is too large for a quick run."""
    import numpy as np

    from webstrata.graph import RowsGraph

    largest = int((Path(place) / "largest").read_text())
    subspaces = _ours(graph)
    large = subspaces.strong.sizes[subspaces.strong.of_node] > largest
    if not large.any():
        return graph
    offsets, targets = graph.rows()
    keep = np.ones(len(offsets) - 1, dtype=bool)
    keep[subspaces.nodes[np.isin(subspaces.weak.of_node, subspaces.weak.of_node[large])]] = False
    kept = np.repeat(keep, np.diff(offsets).astype(np.int64))
    counts = np.where(keep, np.diff(offsets), 0)
    return RowsGraph(np.concatenate([[0], np.cumsum(counts)]).astype(np.uint64), targets[kept])


def diagonalize_numpy(place: str) -> dict[str, Any]:
    """NumPy: a dense matrix for each strong component, one after the other."""
    import numpy as np

    offsets, targets = load_rows(place)
    largest = int((Path(place) / "largest").read_text())
    _, (_, labels), (_, weak), spanned = _scipy_subspaces(offsets, targets)
    sizes = np.bincount(labels)
    left = ~np.isin(weak, weak[sizes[labels] > largest])
    degrees = np.diff(spanned.indptr)
    order = np.argsort(labels, kind="stable")
    order = order[left[order]]

    def work() -> dict[str, Any]:
        found = []
        cuts = np.flatnonzero(np.diff(labels[order])) + 1
        for members in np.split(order, cuts):
            block = spanned[members][:, members].T.toarray() / np.maximum(degrees[members], 1)
            found.append(np.linalg.eigvals(block))
        values = np.concatenate(found)
        return {"values": len(values), "ones": int((np.abs(values - 1) < 1e-9).sum())}

    return _timed(work)


# ---- the core


def step_ours(place: str) -> dict[str, Any]:
    """Ours: seconds from the rows of the core to its eigenvalues, with merging."""
    import numpy as np

    from webstrata.graph import RowsGraph

    graph = RowsGraph(*load_rows(place))
    subspaces = _ours(graph)
    steps = int((Path(place) / "steps").read_text())
    kept: dict[str, Any] = {}

    def work() -> dict[str, Any]:
        kept["core"], kept["method"], values, ritz = _arnoldi(graph, subspaces, steps)
        estimates = np.abs(kept["method"].beyond @ ritz)
        kept["pair"] = values[np.argmin(estimates)], ritz[:, np.argmin(estimates)]
        return {"steps": len(values), "largest": float(np.abs(values).max())}

    told = _timed(work)
    value, combination = kept["pair"]
    real, imaginary = kept["method"].basis.combine(np.stack([combination.real, combination.imag]))
    vector = kept["core"].quotient.lift(real + 1j * imaginary)
    told["residual"] = float(np.linalg.norm(kept["core"].multiply(vector) - value * vector))
    return told


def _arnoldi(graph: Any, subspaces: Any, steps: int, *, wanted: int = 0) -> Any:  # noqa: ANN401
    import os

    import numpy as np
    from threadpoolctl import threadpool_limits

    from webstrata.rank.spectra.arnoldi import Arnoldi
    from webstrata.rank.spectra.matrix import CoreMatrix, Product

    workers = len(os.sched_getaffinity(0))
    core = CoreMatrix(graph, subspaces)
    with threadpool_limits(1, user_api="blas"), Product(core.quotient.matrix, workers=workers) as product:
        method = Arnoldi(product, core.quotient.size, steps, workers=workers)
        if wanted:
            method.lead(wanted, _EXACT)
        else:
            method.run()
        return core, method, *np.linalg.eig(method.square)


def step_numpy(place: str) -> dict[str, Any]:
    """NumPy: the textbook with two passes, from the matrix of the core as SciPy has it."""
    import numpy as np

    multiply, size = _core_product(place)
    steps = int((Path(place) / "steps").read_text())
    kept: dict[str, Any] = {}

    def work() -> dict[str, Any]:
        basis = np.empty((steps + 1, size))
        hessenberg = np.zeros((steps + 1, steps))
        basis[0] = np.random.default_rng(0).standard_normal(size)
        basis[0] /= np.linalg.norm(basis[0])
        for step in range(steps):
            product = multiply(basis[step])
            for _ in range(2):
                dots = basis[: step + 1] @ product
                product -= dots @ basis[: step + 1]
                hessenberg[: step + 1, step] += dots
            hessenberg[step + 1, step] = np.linalg.norm(product)
            basis[step + 1] = product / hessenberg[step + 1, step]
        values, ritz = np.linalg.eig(hessenberg[:steps])
        estimates = np.abs(hessenberg[steps, steps - 1] * ritz[-1])
        kept["basis"], kept["pair"] = basis, (values[np.argmin(estimates)], ritz[:, np.argmin(estimates)])
        return {"steps": steps, "largest": float(np.abs(values).max())}

    told = _timed(work)
    value, combination = kept["pair"]
    vector = combination @ kept["basis"][:steps]
    told["residual"] = float(np.linalg.norm(multiply(vector) - value * vector) / np.linalg.norm(vector))
    return told


def _core_product(place: str) -> tuple[Callable[[Any], Any], int]:
    """The function x ↦ S_cc x, with one sparse matrix and the sum over dangling nodes."""
    import numpy as np
    from scipy import sparse

    offsets, targets = load_rows(place)
    core: Numbers = np.load(Path(place) / "core.npy")
    total = len(offsets) - 1
    degrees = np.diff(offsets).astype(np.int64)
    shares = np.repeat(1 / np.maximum(degrees, 1), degrees)
    whole = sparse.csr_array(
        (shares, targets.astype(np.int64), offsets.astype(np.int64)), shape=(total, total)
    )
    matrix = whole[core][:, core].T.tocsr()
    dangling = np.flatnonzero(degrees[core] == 0)
    return lambda vector: matrix @ vector + vector[dangling].sum() / total, len(core)


def lead_ours(place: str) -> dict[str, Any]:
    """Ours: seconds to the largest eigenvalues, with restarts."""
    import numpy as np

    from webstrata.graph import RowsGraph

    graph = RowsGraph(*load_rows(place))
    subspaces = _ours(graph)
    kept: dict[str, Any] = {}

    def work() -> dict[str, Any]:
        core, method, values, ritz = _arnoldi(graph, subspaces, _DIMENSION, wanted=WANTED)
        order = np.argsort(-np.abs(values))[:WANTED]
        real = method.basis.combine(np.ascontiguousarray(ritz[:, order].T.real))
        imaginary = method.basis.combine(np.ascontiguousarray(ritz[:, order].T.imag))
        kept["core"], kept["values"] = core, values[order]
        kept["vectors"] = [core.quotient.lift(one) for one in real + 1j * imaginary]
        return {"products": method.products, "moduli": float(np.abs(values[order]).sum())}

    told = _timed(work)
    core = kept["core"]
    told["residual"] = max(
        float(np.linalg.norm(core.multiply(vector) - value * vector))
        for value, vector in zip(kept["values"], kept["vectors"], strict=True)
    )
    return told


def lead_arpack(place: str) -> dict[str, Any]:
    """ARPACK: the same eigenvalues."""
    import numpy as np
    from scipy.sparse.linalg import LinearOperator, eigs

    multiply, size = _core_product(place)
    products = 0
    kept: dict[str, Any] = {}

    def counted(vector: Any) -> Any:  # noqa: ANN401
        nonlocal products
        products += 1
        return multiply(vector.ravel())

    def work() -> dict[str, Any]:
        operator = LinearOperator((size, size), matvec=counted, dtype=np.float64)
        start = np.random.default_rng(0).standard_normal(size)
        kept["values"], kept["vectors"] = eigs(operator, k=WANTED, which="LM", tol=_EXACT, v0=start)
        return {"products": products, "moduli": float(np.abs(kept["values"]).sum())}

    told = _timed(work)
    told["residual"] = max(
        float(np.linalg.norm(multiply(vector) - value * vector))
        for value, vector in zip(kept["values"], kept["vectors"].T, strict=True)
    )
    return told


_REAL: dict[str, Any] = {"prepare": prepare, "data": "cnr-2000-spectrum", "measure": "answer"}
FIGURES = [
    Figure(
        name="spectrum-subspaces",
        ours=Call("bench.spectrum:find_ours"),
        theirs=Call("bench.spectrum:find_scipy", PEERS / "python"),
        peer=Peer("scipy"),
        rounds=5,
        quick_rounds=1,
        **_REAL,
    ),
    Figure(
        name="spectrum-blocks",
        ours=Call("bench.spectrum:diagonalize_ours"),
        theirs=Call("bench.spectrum:diagonalize_numpy", PEERS / "python"),
        peer=Peer("numpy"),
        rounds=3,
        quick_rounds=1,
        warm_up=False,
        **_REAL,
    ),
    Figure(
        name="spectrum-arnoldi",
        ours=Call("bench.spectrum:step_ours"),
        theirs=Call("bench.spectrum:step_numpy", PEERS / "python"),
        peer=Peer("numpy"),
        rounds=1,
        quick_rounds=1,
        warm_up=False,
        **_REAL,
    ),
    Figure(
        name="spectrum-arpack",
        ours=Call("bench.spectrum:lead_ours"),
        theirs=Call("bench.spectrum:lead_arpack", PEERS / "python"),
        peer=Peer("scipy"),
        prepare=prepare_made,
        data="made-spectrum",
        measure="answer",
        rounds=3,
        quick_rounds=1,
        warm_up=False,
    ),
]

if __name__ == "__main__":
    main(FIGURES)
