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

from webstrata.collection.action import rebuild
from webstrata.collection.caveats import MIN_PAGES, warn_few
from webstrata.collection.files import explained, replace_file
from webstrata.collection.tables import Rows, Table
from webstrata.errors import FormatError
from webstrata.rank.spectra.communities import Community

if TYPE_CHECKING:
    from collections.abc import Sequence
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
LISTED = 10
"""Eigenvectors that are listed for people."""
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


@dataclass(frozen=True, repr=False)
class Spectrum(Table):
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
    """Their residuals, as they are estimated, none of them below `rounding`."""
    rounding: float = 0.0
    """ε ‖A‖ of the matrix that was diagonalized: what residuals are at least; 0 in older files."""
    vectors: tuple[CoreVector, ...] = ()
    names: Sequence[str] = ()
    """Those of the nodes, where they are known."""

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per eigenvalue: those of the subspaces, exact, and those of the core, with residuals."""
        found: list[tuple[str, complex, float | None]]
        found = [("subspace", value, None) for value in self.values.tolist()]
        found += zip(["core"] * len(self.core), self.core.tolist(), self.residuals.tolist(), strict=True)
        return [
            {
                "of": of,
                "real": value.real,
                "imaginary": value.imag,
                "modulus": abs(value),
                "residual": residual,
            }
            for of, value, residual in found
        ]

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

    shown = 0  # of all eigenvalues, which are drawn

    @property
    def summary(self) -> str:
        """What is told of all of it, in some sentences."""
        found = [
            f"{'G*' if self.is_inverse else 'G'} at α = 1 (eigenvalues on the circle within "
            f"{self.tolerance:g})."
        ]
        if not len(self.nodes):
            found.append(
                "There are no invariant subspaces: every node reaches a dangling one, or a large closed set."
            )
        if not self.core_size:
            return " ".join([*found, "There is no core: every node is in a subspace."])
        found.append(
            f"Core: {self.core_size:,} nodes, {self.rows:,} rows when equal columns are one; "
            f"{self.num_converged:,} of {len(self.core):,} values have a residual below {CONVERGED:g}."
        )
        return " ".join(found)

    def show_residual(self, residual: float) -> str:
        """A residual as it is printed: "≤" before one that is no more than rounding.

        Examples
        --------
        >>> from webstrata.graph import Graph
        >>> from webstrata.rank import spectrum
        >>> found = spectrum(Graph.from_arcs([(0, 1)]))
        >>> found.show_residual(found.residuals[0]), found.show_residual(1e-3)
        ('≤ 2.7e-16', '1.0e-03')
        """
        return f"{'≤ ' if residual <= self.rounding else ''}{max(residual, self.rounding):.1e}"

    def tables(self) -> dict[str, Table]:
        """The numbers of WIKI's tables 1 and 2, leading eigenvectors; for programs, all values and nodes."""
        nodes = [
            {"eigenvector": number, "node": node, "weight": weight}
            for number, vector in enumerate(self.vectors, 1)
            for node, weight in zip(vector.nodes.tolist(), vector.weights.tolist(), strict=True)
        ]
        found = [vector for vector in self.vectors if vector.is_converged]
        open_ones = [
            {
                "approximation": write_eigenvalue(vector.value),
                "residual": self.show_residual(vector.residual),
            }
            for vector in self.vectors
            if not vector.is_converged
        ]
        return {
            "Spectrum": Rows("spectrum", [self.table()]),
            "Leading eigenvectors of the core": Rows(
                "leading eigenvectors",
                [self._describe_vector(vector) for vector in found],
                formats={"extent": ".1f"},
                shown=LISTED,
            ),
            "Not converged: approximations that may be far from any eigenvalue": Rows(
                "not converged", open_ones, shown=LISTED
            ),
            "Eigenvalues": self,
            "Eigenvectors": Rows("eigenvectors", nodes, shown=0),
        }

    def _describe_vector(self, vector: CoreVector) -> dict[str, Any]:
        top = int(vector.nodes[0])
        community = vector.community
        return {
            "eigenvalue": write_eigenvalue(vector.value),
            "residual": self.show_residual(vector.residual),
            "extent": vector.extent,
            **(
                {"hosts": _tell_shares(community.hosts), "words": _tell_shares(community.words)}
                if len(self.names)
                else {}
            ),
            "largest at": self.names[top] if top < len(self.names) else str(top),
        }

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

    def to_dict(self, *, pages: int = 20) -> dict[str, Any]:
        """One document: the table, leading eigenvalues of the core, eigenvectors with `pages` nodes.

        ``leading`` are the values that have converged; those of the first 50 that have not are
        ``unconverged``.

        Examples
        --------
        >>> from webstrata.graph import Graph
        >>> from webstrata.rank import spectrum
        >>> spectrum(Graph.from_arcs([(0, 1)])).to_dict()["core"]["leading"][0]["real"]
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
                "rounding": self.rounding,
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
                        | ({"url": self.names[node]} if node < len(self.names) else {})
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
        >>> from webstrata import testing
        >>> from webstrata.graph import Graph
        >>> from webstrata.rank import spectrum
        >>> folder = testing.scratch()
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
        replace_file(folder / SUMMARY, (json.dumps(self.to_dict(), indent=2) + "\n").encode())


def write_eigenvalue(value: complex) -> str:
    """An eigenvalue, or a pair of conjugate ones, for people.

    Examples
    --------
    >>> write_eigenvalue(0.5 + 0j), write_eigenvalue(0.25 - 0.5j)
    ('0.500000000', '0.250000000 ± 0.500000000i')
    """
    return f"{value.real:.9f}" + (f" ± {abs(value.imag):.9f}i" if value.imag else "")


def _tell_shares(pairs: Sequence[tuple[str, float]], most: int = 2) -> str:
    return " ".join(f"{name} {100 * share:.0f}%" for name, share in pairs[:most] if share >= 0.005)


def open_spectrum(folder: Path) -> Spectrum:
    """The spectrum that was written into a folder.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.rank import spectrum
    >>> folder = testing.scratch()
    >>> spectrum(testing.graph(), bound=0.6).write(folder)
    >>> open_spectrum(folder).table()
    {'N': 15, 'N_l': 36, 'N_s': 3, 'N_d': 1, 'd_max': 3, 'N_circ': 1, 'N_1': 1, 'n_A': 12}
    """
    try:
        return _assemble(
            json.loads(_read(folder / SUMMARY)), *(_read_table(folder / name) for name in _TABLES)
        )
    except (KeyError, ValueError, TypeError, pa.ArrowException) as error:
        raise FormatError(
            f"{folder}: this is not a spectrum ({error})", fix=rebuild(folder, "spectrum")
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
        rounding=facts["core"].get("rounding", 0.0),
        vectors=tuple(vectors),
    )


def _write(path: Path, columns: dict[str, Any]) -> None:
    with explained(path, "write"):
        pq.write_table(pa.table(columns), path, compression="zstd")
