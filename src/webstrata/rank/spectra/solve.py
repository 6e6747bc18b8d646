"""The spectrum of the Google matrix at α = 1 (WIKI, section 5): subspaces exactly, the core by Arnoldi.

See `subspaces` for what they are, `blocks` for their eigenvalues, `quotient` for the matrix of the core and
`arnoldi` for the method. Where n_A is at least the number of rows of that matrix, it is diagonalized as a
whole, and all eigenvalues of the core are there, zeros included.

**Residuals.** The estimate of Arnoldi's method is |H(m + 1, m)| |y(m)| for an eigenvector V y of length 1 of
the merged matrix. For the leading eigenvectors it is not believed: ψ is lifted to the nodes of the core, and
‖S_cc ψ − λ ψ‖ is computed from the arcs. No residual is reported below **rounding**, ε ‖A‖ with ε = 2⁻⁵² and
the Frobenius norm of the matrix that was diagonalized, H or all of the core: what is below it is zero as far
as numbers of 64 bits can tell, and is shown as "≤".

**n_A** is what the settings say, or it is chosen: the steps are doubled, from 250, until the residuals of the
leading eigenvalues reach the target or n_A its limit. Steps that were made are kept, so that this costs the
eigenvalues of some smaller H more than a run that knew its n_A before.

**Going on.** With a folder, basis and H are kept there every minute, and when a run of more than ten seconds
is broken off; the same call goes on from them. With restarts (``wanted``) the basis is small, and a run that
is broken off begins anew.
"""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from webstrata.collection.files import make_directory
from webstrata.collection.progress import Progress
from webstrata.collection.settings import ResourcesSettings
from webstrata.errors import UsageError, WebstrataError
from webstrata.rank.spectra.arnoldi import Arnoldi, spare
from webstrata.rank.spectra.blocks import diagonalize
from webstrata.rank.spectra.communities import Community, describe_community
from webstrata.rank.spectra.matrix import CompressedCore, CoreMatrix
from webstrata.rank.spectra.plan import Plan, make_plan
from webstrata.rank.spectra.result import CoreVector, Spectrum
from webstrata.rank.spectra.settings import FIRST_DIMENSION, SpectrumSettings
from webstrata.rank.spectra.subspaces import find_subspaces

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.graph.view import Graph
    from webstrata.rank.spectra.matrix import Core
    from webstrata.rank.spectra.subspaces import Subspaces

    Values = npt.NDArray[np.complex128]

KEEP_EVERY = 60.0
"""Seconds after which a run is kept."""
KEEP_FROM = 10.0
"""Seconds that a run must have taken to be kept when it is broken off."""
_ZERO = 1e-9
"""Eigenvalues of smaller modulus have no eigenvector that could be lifted."""


class CoreFound(NamedTuple):
    """Eigenvalues of the core by modulus."""

    dimension: int
    values: Values
    residuals: npt.NDArray[np.float64]
    rounding: float
    """What residuals are at least."""
    vector: Callable[[int], Values]
    """The eigenvector of the merged matrix that belongs to a value."""


def spectrum(
    graph: Graph,
    settings: SpectrumSettings | None = None,
    *,
    transpose: Graph | None = None,
    names: Sequence[str] = (),
    folder: Path | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    **options: object,
) -> Spectrum:
    """The spectrum of the Google matrix G of a graph at α = 1, or of G* with ``inverse=True``.

    Parameters
    ----------
    graph
        Any graph. All arcs of a node count alike, whatever their weight.
    settings
        How it is found; or single settings by their name, as ``arnoldi=6000``.
    transpose
        The graph with all arcs turned round, where it is at hand.
    names
        The URL, or host, of each node, for a summary of where eigenvectors live.
    folder
        Where a long run is kept, and a basis that is too large for memory.
    workers
        Threads; one for each core where not given.
    progress
        Where it reports.
    **options
        Settings by their name.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> ring = [(0, 1), (1, 2), (2, 0)]
    >>> found = spectrum(Graph.from_arcs([*ring, (3, 0), (3, 4)]), bound=0.7)
    >>> found.num_on_circle, found.num_ones, found.core.round(3).tolist()
    (3, 1, [(0.432+0j), (-0.232+0j)])
    """
    settings = SpectrumSettings.read(options=options, environment={}) if settings is None else settings
    progress = progress or Progress()
    workers = workers or ResourcesSettings.read().num_workers
    if not graph.num_nodes or (graph.present is not None and not graph.present.any()):
        raise UsageError("the graph has no nodes, and so there is no matrix; name another one")
    if settings.inverse:
        graph, transpose = transpose or graph.transpose(), graph
    subspaces = find_subspaces(graph, transpose, bound=settings.bound, progress=progress)
    core = make_core(graph, transpose, subspaces, settings)
    plan = make_plan(
        core, settings.arnoldi, limit=settings.arnoldi_limit, block=settings.block, memory=settings.memory
    )
    plan.check_disk(folder)
    # twice as many get on well
    least = settings.wanted + spare(settings.wanted) + 2
    if settings.wanted and least > plan.dimension < plan.rows:
        raise UsageError(
            f"{settings.wanted} eigenvalues are wanted, and n_A is {plan.dimension}; take an n_A of at least "
            f"{least}, better {2 * least}, or want fewer"
        )
    if core.size:
        progress.note(plan.sentence)
    own = diagonalize(subspaces, progress=progress)
    # threads of OpenBLAS wait for each other in a loop: on shared cores, two take ten times as long as one
    with threadpool_limits(1, user_api="blas"):
        found = _solve_core(core, plan, settings, folder, workers, progress)
        vectors = _follow(core, subspaces.core, found, settings, names)
    if folder is not None:
        Arnoldi.forget(folder)
    return Spectrum(
        num_nodes=subspaces.num_nodes,
        num_arcs=graph.num_arcs,
        is_inverse=settings.inverse,
        tolerance=settings.tolerance,
        nodes=subspaces.nodes,
        subspaces=subspaces.weak.of_node,
        components=subspaces.strong.of_node,
        values=own.values,
        num_closed=int(subspaces.is_closed.sum()),
        core_size=core.size,
        rows=core.rows,
        dimension=found.dimension,
        core=found.values,
        residuals=found.residuals,
        rounding=found.rounding,
        vectors=tuple(vectors),
    )


def make_core(
    graph: Graph, transpose: Graph | None, subspaces: Subspaces, settings: SpectrumSettings
) -> Core:
    """The core's matrix, or what makes its products from compressed files where settings say so.

    A core that is diagonalized as a whole needs its matrix in any case.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> graph = Graph.from_arcs([(0, 1)])
    >>> type(make_core(graph, None, find_subspaces(graph), SpectrumSettings(compressed=True))).__name__
    'CoreMatrix'
    """
    size = len(subspaces.core)
    if settings.compressed and (settings.arnoldi or min(settings.arnoldi_limit, size)) < size:
        return CompressedCore(graph, transpose, subspaces)
    return CoreMatrix(graph, subspaces)


def _solve_core(
    core: Core,
    plan: Plan,
    settings: SpectrumSettings,
    folder: Path | None,
    workers: int,
    progress: Progress,
) -> CoreFound:
    """Diagonalize the core as a whole, or by Arnoldi's method."""
    if plan.dimension >= plan.rows:
        # of others, n_A is smaller than the core: see `make_core`
        assert isinstance(core, CoreMatrix)
        quotient = core.quotient
        dense = quotient.matrix.toarray()
        found, basis = np.linalg.eig(dense) if plan.rows else _nothing()
        order = np.argsort(-np.abs(found), kind="stable")
        zeros = np.zeros(quotient.num_zeros)
        values = np.concatenate([found[order], zeros]).astype(np.complex128)
        rounding = round_off(dense)
        residuals = np.full(len(values), rounding)
        return CoreFound(plan.dimension, values, residuals, rounding, lambda place: basis[:, order[place]])
    with core.product(workers) as product:
        method = Arnoldi(
            product,
            core.rows,
            plan.dimension,
            block=settings.block,
            seed=settings.seed,
            folder=make_directory(folder) if folder and plan.is_on_disk else None,
            workers=workers,
        )
        if settings.wanted:
            _lead(method, settings, progress)
        else:
            _run(method, folder, settings, _identify(core, settings), progress)
    found, ritz = np.linalg.eig(method.square)
    order = np.argsort(-np.abs(found), kind="stable")

    def combine(place: int) -> Values:
        chosen = ritz[:, order[place]]
        real, imaginary = method.basis.combine(np.stack([chosen.real, chosen.imag]))
        combined: Values = real + 1j * imaginary
        return combined

    rounding = round_off(method.square)
    residuals = np.maximum(np.abs(method.beyond @ ritz[:, order]), rounding)
    return CoreFound(method.steps, found[order].astype(np.complex128), residuals, rounding, combine)


def round_off(matrix: npt.NDArray[np.float64]) -> float:
    """ε ‖A‖: below it, a residual of an eigenvalue is rounding.

    Examples
    --------
    >>> round_off(np.eye(4)) == 2 * 2.0**-52
    True
    """
    return float(np.finfo(np.float64).eps * np.linalg.norm(matrix)) if matrix.size else 0.0


def _nothing() -> tuple[Values, Values]:
    return np.zeros(0, np.complex128), np.zeros((0, 0), np.complex128)


def _lead(method: Arnoldi, settings: SpectrumSettings, progress: Progress) -> None:
    """Start again until what is wanted is found; its basis is small, and is not kept."""
    with progress.task("Arnoldi, with restarts", unit="steps") as task:
        if not method.lead(settings.wanted, settings.residual, advance=task.advance):
            progress.note(
                f"some of the {settings.wanted} leading eigenvalues have residuals above "
                f"{settings.residual:g} still; a larger n_A finds them"
            )


def _run(
    method: Arnoldi, folder: Path | None, settings: SpectrumSettings, identity: str, progress: Progress
) -> None:
    """Make all steps, or as many as it takes, keeping them now and then."""
    started = kept = time.monotonic()

    def advance(steps: int) -> None:
        nonlocal kept, folder
        if folder is not None and time.monotonic() - kept > KEEP_EVERY:
            try:
                method.save(folder, identity)
            except WebstrataError as error:
                progress.note(f"{error}; the run goes on, and is not kept")
                folder = None
            kept = time.monotonic()
        task.advance(steps)

    with progress.task("Arnoldi", total=method.dimension, unit="steps") as task:
        if folder is not None and (before := method.load(folder, identity)):
            progress.note(f"{before} steps of Arnoldi's method were found done")
            task.advance(before)
        try:
            if settings.arnoldi or not settings.converge:
                method.run(advance)
            elif method.grow(settings.converge, settings.target, first=FIRST_DIMENSION, advance=advance):
                progress.note(
                    f"n_A = {method.steps}: the {settings.converge} leading eigenvalues have residuals of at "
                    f"most {settings.target:g}"
                )
        except BaseException:
            if folder is not None and time.monotonic() - started > KEEP_FROM:
                method.save(folder, identity)
            raise


def _identify(core: Core, settings: SpectrumSettings) -> str:
    """A digest of all that the steps depend on."""
    # with another way to choose n_A the steps are the same, and their number is that of the basis
    chosen = f"{settings.block} {settings.seed} {settings.arnoldi} {settings.compressed}"
    return hashlib.sha256(f"{chosen} {core.identify()}".encode()).hexdigest()


def _follow(
    core: Core,
    nodes: npt.NDArray[np.int64],
    found: CoreFound,
    settings: SpectrumSettings,
    names: Sequence[str],
) -> list[CoreVector]:
    """The leading eigenvectors, of two that are conjugate the one above the axis."""
    vectors: list[CoreVector] = []
    for place, value in enumerate(found.values.tolist()):
        if len(vectors) == settings.vectors or abs(value) < _ZERO:
            break
        if value.imag < 0:
            continue
        lifted = core.lift(found.vector(place))
        weights = np.abs(lifted) ** 2
        largest = np.argsort(-weights, kind="stable")[: settings.pages]
        kept = nodes[largest]
        told = (
            describe_community(names, kept.tolist(), weights[largest].tolist())
            if len(names)
            else Community((), ())
        )
        residual = max(float(np.linalg.norm(core.multiply(lifted) - value * lifted)), found.rounding)
        extent = float(1 / (weights**2).sum())
        vectors.append(CoreVector(value, residual, extent, kept, lifted[largest].astype(np.complex128), told))
    return vectors
