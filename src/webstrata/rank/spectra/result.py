"""A spectrum as it is held, stored and shown: WIKI's table 2 and the points of its figures 9 and 10.

=========================  ================================================================================
``spectrum.json``          N, N_ℓ, N_s, N_d, d_max, N_circ, N_1, n_A; leading eigenvalues of the core that
have converged, those that have not, warnings; eigenvectors with pages and community ``eigenvalues.parquet``
a row for each eigenvalue: ``real``, ``imaginary``, ``part`` (core or subspace), ``subspace`` (its number by
size, null in the core), ``residual`` (the estimate ‖S x − λ x‖ for ‖x‖ = 1 of a core value, null in
subspaces, where they are exact) ``subspaces.parquet``      a row for each node of a subspace: ``node``,
``subspace``, ``component`` ``vectors.parquet``        a row for each node that is kept of an eigenvector:
``vector`` (0 is the first), ``node``, ``real``, ``imaginary``
=========================  ================================================================================
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from webstrata.collection.caveats import MIN_PAGES, warn_few
from webstrata.collection.files import explained, replace_file
from webstrata.errors import FormatError
from webstrata.rank.spectra.communities import Community

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    Values = npt.NDArray[np.complex128]

SUMMARY, EIGENVALUES, NODES, VECTORS = (
    "spectrum.json",
    "eigenvalues.parquet",
    "subspaces.parquet",
    "vectors.parquet",
)
_TABLES = (EIGENVALUES, NODES, VECTORS)
CONVERGED = 1e-6
"""A core eigenvalue with a smaller residual is taken as found; others are not listed with them."""
LEADING = 50
"""Convergence is reported for so many values of largest modulus."""


@dataclass(frozen=True)
class CoreVector:
    """A leading eigenvector of the core, of length 1, as far as it is kept."""

    value: complex
    residual: float
    """‖S_cc ψ − λ ψ‖, computed from the arcs."""
    extent: float
    """ξ = 1 / Σ |ψ|⁴: about how many nodes it lives on."""
    nodes: npt.NDArray[np.int64]
    """Those of largest modulus, the largest first."""
    amplitudes: Values
    community: Community = field(default_factory=lambda: Community((), ()))

    @property
    def is_converged(self) -> bool:
        """Whether it is an eigenvector, by its residual."""
        return self.residual < CONVERGED

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        """|ψ|² of each of the nodes."""
        return np.abs(self.amplitudes) ** 2


@dataclass(frozen=True)
class Spectrum:
    """The spectrum of the Google matrix of a graph at α = 1."""

    num_nodes: int
    num_arcs: int
    is_inverse: bool
    tolerance: float
    nodes: npt.NDArray[np.int64]
    """The nodes of subspaces."""
    subspaces: npt.NDArray[np.int32]
    """The subspace of each of them, by size."""
    components: npt.NDArray[np.int32]
    """The strong component of each of them, by size."""
    values: Values
    """N_s eigenvalues, those of a subspace beside the nodes of it."""
    num_closed: int
    """Closed strong components: what N_1 must be."""
    core_size: int
    rows: int
    """Rows of the core's matrix once equal columns are merged."""
    dimension: int
    """n_A; 0 where there is no core."""
    core: Values
    """Eigenvalues of the core, the largest modulus first."""
    residuals: npt.NDArray[np.float64]
    """Their residuals, as they are estimated; 0 where the core was diagonalized as a whole."""
    vectors: tuple[CoreVector, ...] = ()

    @property
    def num_subspaces(self) -> int:
        """N_d."""
        return int(self.subspaces.max(initial=-1)) + 1

    @property
    def largest(self) -> int:
        """d_max."""
        return int(np.bincount(self.subspaces).max()) if len(self.subspaces) else 0

    @property
    def num_on_circle(self) -> int:
        """N_circ: eigenvalues of subspaces with modulus 1, within the tolerance."""
        return int((np.abs(np.abs(self.values) - 1) <= self.tolerance).sum())

    @property
    def num_ones(self) -> int:
        """N_1: eigenvalues of subspaces that are 1, within the tolerance."""
        return int((np.abs(self.values - 1) <= self.tolerance).sum())

    @property
    def num_converged(self) -> int:
        """Core eigenvalues with a residual below 10⁻⁶."""
        return int((self.residuals < CONVERGED).sum())

    @property
    def is_converged(self) -> npt.NDArray[np.bool_]:
        """For each value of the core whether it is found."""
        found: npt.NDArray[np.bool_] = self.residuals < CONVERGED
        return found

    @property
    def warnings(self) -> list[str]:
        """What of the spectrum is not found, or found from little."""
        found = []
        if self.core_size:
            found += warn_few(self.num_nodes, MIN_PAGES, "node", "communities of eigenvectors say little")
        open_ones = int((~self.is_converged[:LEADING]).sum())
        if open_ones:
            number = min(LEADING, len(self.core))
            found.append(
                f"{open_ones} of the {number} leading values of the core have not converged (residual above "
                f"{CONVERGED:g}) and are not listed as found; a larger n_A than {self.dimension} finds them"
            )
        return found

    def table(self) -> dict[str, int]:
        """The row of WIKI's tables 1 and 2.

        Examples
        --------
        >>> from webstrata.graph import Graph
        >>> from webstrata.rank import spectrum
        >>> spectrum(Graph.from_arcs([(0, 1), (1, 0), (2, 3)]), bound=0.6).table()
        {'N': 4, 'N_l': 3, 'N_s': 2, 'N_d': 1, 'd_max': 2, 'N_circ': 2, 'N_1': 1, 'n_A': 2}
        """
        return {
            "N": self.num_nodes,
            "N_l": self.num_arcs,
            "N_s": len(self.nodes),
            "N_d": self.num_subspaces,
            "d_max": self.largest,
            "N_circ": self.num_on_circle,
            "N_1": self.num_ones,
            "n_A": self.dimension,
        }

    def to_json(self, *, pages: int = 20) -> dict[str, Any]:
        """One document: the table, leading eigenvalues of the core, eigenvectors with `pages` nodes.

        ``leading`` are the values that have converged; those of the first 50 that have not are
        ``unconverged``.

        Examples
        --------
        >>> from webstrata.graph import Graph
        >>> from webstrata.rank import spectrum
        >>> spectrum(Graph.from_arcs([(0, 1)])).to_json()["core"]["leading"][0]["real"]
        1.0
        """
        return {
            "matrix": "G*" if self.is_inverse else "G",
            "table": self.table(),
            "tolerance": self.tolerance,
            "closed_components": self.num_closed,
            "core": {
                "nodes": self.core_size,
                "rows": self.rows,
                "eigenvalues": len(self.core),
                "converged": self.num_converged,
                "leading": self._list(np.flatnonzero(self.is_converged)[:LEADING]),
                "unconverged": self._list(np.flatnonzero(~self.is_converged[:LEADING])),
            },
            "warnings": self.warnings,
            "vectors": [
                {
                    "real": vector.value.real,
                    "imaginary": vector.value.imag,
                    "residual": vector.residual,
                    "converged": vector.is_converged,
                    "extent": vector.extent,
                    "hosts": [list(pair) for pair in vector.community.hosts],
                    "words": [list(pair) for pair in vector.community.words],
                    "nodes": [
                        {"node": node, "weight": weight}
                        for node, weight in zip(
                            vector.nodes[:pages].tolist(), vector.weights[:pages].tolist(), strict=True
                        )
                    ],
                }
                for vector in self.vectors
            ],
        }

    def _list(self, places: npt.NDArray[np.intp]) -> list[dict[str, float]]:
        return [
            {"real": round(value.real, 12), "imaginary": round(value.imag, 12), "residual": residual}
            for value, residual in zip(
                self.core[places].tolist(), self.residuals[places].tolist(), strict=True
            )
        ]

    def write(self, folder: Path) -> None:
        """Write the files of a spectrum into a folder that is there.

        Examples
        --------
        >>> from webstrata.graph import Graph
        >>> from webstrata.rank import spectrum
        >>> folder = getfixture("tmp_path")
        >>> spectrum(Graph.from_arcs([(0, 1), (1, 0), (2, 3)]), bound=0.6).write(folder)
        >>> open_spectrum(folder).table()["N_circ"]
        2
        """
        count = len(self.core)
        parts = pa.array(["core"] * count + ["subspace"] * len(self.values)).dictionary_encode()
        both = np.concatenate([self.core, self.values])
        table = {
            "real": both.real,
            "imaginary": both.imag,
            "part": parts,
            "subspace": pa.concat_arrays([pa.nulls(count, pa.int32()), pa.array(self.subspaces, pa.int32())]),
            "residual": pa.concat_arrays(
                [pa.array(self.residuals, pa.float64()), pa.nulls(len(self.values), pa.float64())]
            ),
        }
        _write(folder / EIGENVALUES, table)
        _write(folder / NODES, {"node": self.nodes, "subspace": self.subspaces, "component": self.components})
        lengths = [len(vector.nodes) for vector in self.vectors]
        amplitudes = np.concatenate([np.zeros(0, complex), *(vector.amplitudes for vector in self.vectors)])
        _write(
            folder / VECTORS,
            {
                "vector": np.repeat(np.arange(len(lengths), dtype=np.int32), lengths),
                "node": np.concatenate([np.zeros(0, np.int64), *(vector.nodes for vector in self.vectors)]),
                "real": amplitudes.real,
                "imaginary": amplitudes.imag,
            },
        )
        replace_file(folder / SUMMARY, (json.dumps(self.to_json(), indent=2) + "\n").encode())


def open_spectrum(folder: Path) -> Spectrum:
    """The spectrum that was written into a folder.

    Examples
    --------
    >>> open_spectrum(getfixture("tmp_path"))
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...spectrum.json: nothing there to read; check the path
    """
    try:
        return _assemble(
            json.loads(_read(folder / SUMMARY)), *(_read_table(folder / name) for name in _TABLES)
        )
    except (KeyError, ValueError, TypeError, pa.ArrowException) as error:
        raise FormatError(
            f"{folder}: this is no spectrum ({error}); make it again with `webstrata spectrum`"
        ) from error


def _read(path: Path) -> bytes:
    with explained(path, "read"):
        return path.read_bytes()


def _read_table(path: Path) -> pa.Table:
    return pq.read_table(pa.BufferReader(_read(path)))


def _assemble(facts: dict[str, Any], values: pa.Table, nodes: pa.Table, kept: pa.Table) -> Spectrum:
    numbers = values["real"].to_numpy() + 1j * values["imaginary"].to_numpy()
    count = int(facts["core"]["eigenvalues"])
    amplitudes = kept["real"].to_numpy() + 1j * kept["imaginary"].to_numpy()
    starts = np.searchsorted(kept["vector"].to_numpy(), np.arange(len(facts["vectors"]) + 1))
    vectors = []
    for place, told in enumerate(facts["vectors"]):
        part = slice(int(starts[place]), int(starts[place + 1]))
        vectors.append(
            CoreVector(
                complex(told["real"], told["imaginary"]),
                told["residual"],
                told["extent"],
                kept["node"].to_numpy()[part],
                amplitudes[part],
                Community(
                    *(tuple((name, share) for name, share in told[what]) for what in ("hosts", "words"))
                ),
            )
        )
    table = facts["table"]
    return Spectrum(
        num_nodes=table["N"],
        num_arcs=table["N_l"],
        is_inverse=facts["matrix"] == "G*",
        tolerance=facts["tolerance"],
        nodes=nodes["node"].to_numpy(),
        subspaces=nodes["subspace"].to_numpy(),
        components=nodes["component"].to_numpy(),
        values=numbers[count:],
        num_closed=facts["closed_components"],
        core_size=facts["core"]["nodes"],
        rows=facts["core"]["rows"],
        dimension=table["n_A"],
        core=numbers[:count],
        residuals=values["residual"].slice(0, count).to_numpy(),
        vectors=tuple(vectors),
    )


def _write(path: Path, columns: dict[str, Any]) -> None:
    with explained(path, "write"):
        pq.write_table(pa.table(columns), path, compression="zstd")
