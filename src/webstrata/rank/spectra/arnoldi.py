"""The Arnoldi method with the basis read three times for s steps (WIKI, section 5; Arnoldi 1951).

From a vector v_1 of length 1 the method makes orthonormal v_1, v_2, … with

    A V_m = V_{m+1} H,   H upper Hessenberg, (m + 1) × m,

of which the eigenvalues of the first m rows, the *Ritz values*, approach eigenvalues of A, those of largest
modulus first. H y = θ y gives x = V_m y with ‖A x − θ x‖ = |H(m+1, m)| |y(m)|, the residual as it is known
without computing it (where H is Hessenberg, and |h y| with its last row h in any case).

**Cost.** A step of the textbook reads the k vectors so far four times: dots and update, and both again, since
one pass leaves rounding behind. That is the whole cost (93% of it on a graph of 300 000 nodes). Here s steps
are made at once (s-step methods: Hoemmen 2010; block Gram–Schmidt with reorthogonalization: Barlow and
Smoktunowicz 2013):

1. z_0 = v_k, then z_{j+1} = A z_j made orthogonal to z_0 … z_j **alone**: A Z_s = Z_{s+1} T, with T known.
2. Z = (z_1 … z_s) is made orthogonal to V_k as a block: Z = C V + L Q, with C of a pass of dots and one of
   updates, which adds up the dots of the second round and Z Zᵀ = L Lᵀ on its way; the second round is a third
   pass. If no z lost more than half of its length, there is no second round. L is a Cholesky factor.
3. From A Z_s = Z_{s+1} T and what is known of A V_k, the next s columns of H: A q_j is what solves
   L (A Q) = T-combinations of (v_k, Z) − C (A V). It is triangular.

The vectors are those of the textbook, up to rounding. Step 3 divides by L, so errors grow by what is lost in
step 2: of a block only the first vectors are used for which L has a condition of at most 1 / `KEPT`, the rest
is thrown away, and the next block is shorter. With one vector left it is the textbook's step. Where A V_k is
all in V_k, H has a 0 below the diagonal there, and the method goes on with a random vector.

**Restarts** (Krylov–Schur: Stewart 2001). Where only some leading eigenvalues are wanted, or memory is short,
the method begins again with the best of what it has: of H = Z T Zᵀ in Schur form, ordered by modulus, the
first k columns are kept, V_k ← V_m Z_k, and

    A V_k = V_k T_k + v_{m+1} bᵀ,   b = H(m + 1, m) Z(m, 1…k),

which is what steps go on from as before; only the first k + 1 rows of H are no longer Hessenberg. A large
eigenvalue may show late, as a smaller Ritz value that has not come to rest. So that none is left out, some
values behind those wanted must be near theirs too.

**Long runs.** `Arnoldi.run` calls back after every block; `save` and `load` keep basis and H in a folder.
"""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np
from scipy.linalg import schur

from webstrata.collection.files import explained, make_directory, replace_file
from webstrata.rank.spectra.basis import FILE, Basis

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import numpy.typing as npt

    Matrix = npt.NDArray[np.float64]

KEPT = 1e-3
"""How much shorter than the longest the shortest combination of a block may be without the basis."""
_NOTHING = 1e-12
"""Share of its length below which a vector is no more than rounding."""
_NEAR = 1e-3
"""Residual that the values behind those wanted must have."""
STATE = "hessenberg"


class Arnoldi:
    """Arnoldi's method on a square matrix that is known by its products.

    Parameters
    ----------
    multiply
        A x for a vector x.
    length
        Rows of A.
    dimension
        n_A: columns of H; at most `length`.
    block
        Steps made at once.
    seed
        Of the random vector it begins with.
    folder
        Where the basis is kept, if not in memory.
    workers
        Threads.

    Examples
    --------
    >>> matrix = np.diag([3.0, 2.0, 1.0, 0.5])
    >>> method = Arnoldi(lambda x: matrix @ x, 4, 4)
    >>> method.run()
    >>> np.sort(np.linalg.eigvals(method.square).real).round(9).tolist()
    [0.5, 1.0, 2.0, 3.0]
    """

    def __init__(
        self,
        multiply: Callable[[Matrix], Matrix],
        length: int,
        dimension: int,
        *,
        block: int = 16,
        seed: int = 0,
        folder: Path | None = None,
        workers: int = 1,
    ) -> None:
        if not 1 <= dimension <= length:
            raise ValueError(f"dimension: expected 1 to {length}, got {dimension}")
        self.multiply, self.dimension, self.block = multiply, dimension, block
        self.products = 0
        self._count = block
        self.basis = Basis(length, dimension + 1, folder=folder, workers=workers)
        self.hessenberg: Matrix = np.zeros((dimension + 1, dimension))
        self._random = np.random.default_rng(seed)
        start = self._random.standard_normal(length)
        self._start: Matrix = start[None] / np.linalg.norm(start)
        self._begin()

    def _begin(self) -> None:
        self.basis.size = self._saved = 0
        self.basis.append(self._start)

    @property
    def steps(self) -> int:
        """Columns of H that are known."""
        return self.basis.size - 1

    @property
    def square(self) -> Matrix:
        """The first rows of H, as many as there are columns."""
        return self.hessenberg[: self.steps, : self.steps]

    @property
    def beyond(self) -> Matrix:
        """The last row of H: how much of A v lies outside of the basis, for each v of it."""
        return self.hessenberg[self.steps, : self.steps]

    def run(
        self, advance: Callable[[int], object] = lambda _steps: None, *, until: int | None = None
    ) -> None:
        """Make the steps that are left, or those up to `until`; `advance` gets the steps of each block."""
        last = self.dimension if until is None else min(until, self.dimension)
        while self.steps < last:
            before = self.steps
            self._extend(min(self._count, last - before, max(1, self.basis.length - before - 1)))
            advance(self.steps - before)

    def grow(
        self,
        number: int,
        residual: float,
        *,
        first: int,
        advance: Callable[[int], object] = lambda _steps: None,
    ) -> bool:
        """Double the steps, from `first` on, until the leading values have a residual of at most this.

        Examples
        --------
        >>> diagonal = np.linspace(0.1, 1, 400) ** 4
        >>> method = Arnoldi(lambda x: diagonal * x, 400, 320)
        >>> method.grow(3, 1e-9, first=20), method.steps
        (True, 80)
        """
        until = first
        while True:
            self.run(advance, until=until)
            if until >= self.steps:  # else these were made before
                values, vectors = np.linalg.eig(self.square)
                order = np.argsort(-np.abs(values), kind="stable")[:number]
                if (np.abs(self.beyond @ vectors[:, order]) <= residual).all():
                    return True
            if self.steps >= self.dimension:
                return False
            until = 2 * until

    def lead(
        self,
        wanted: int,
        residual: float,
        *,
        most: int = 500,
        advance: Callable[[int], object] = lambda _steps: None,
    ) -> bool:
        """Start again until the residuals of the leading eigenvalues are this small, at most so many times.

        Examples
        --------
        >>> diagonal = np.linspace(0.1, 1, 200) ** 0.5
        >>> method = Arnoldi(lambda x: diagonal * x, 200, 20)
        >>> method.lead(3, 1e-10)
        True
        >>> np.sort(np.linalg.eigvals(method.square).real)[-3:].round(9).tolist()
        [0.995467113, 0.997736131, 1.0]
        """
        for _ in range(most):
            self.run(advance)
            values, vectors = np.linalg.eig(self.square)
            order = np.argsort(-np.abs(values), kind="stable")[: wanted + spare(wanted)]
            left = np.abs(self.beyond @ vectors[:, order])
            if (left[:wanted] < residual).all() and (left[wanted:] < max(_NEAR, residual)).all():
                return True
            if self.dimension == self.basis.length:
                return True
            # with what is found, more are kept, or steps would be spent on it alone (as ARPACK does)
            found = int((left[:wanted] < residual).sum())
            self._shrink(wanted + min(found, (self.dimension - wanted) // 2))
        self.run(advance)
        return False

    def _shrink(self, count: int) -> None:
        """Keep the space of the `count` leading Schur vectors, or of one more where two are conjugate."""
        steps = self.steps
        moduli = np.sort(np.abs(np.linalg.eigvals(self.square)))[::-1]
        least = moduli[min(count, steps - 1)] * (1 - 1e-10)
        form, turned, count = schur(
            self.square, output="real", sort=lambda real, imaginary: np.hypot(real, imaginary) >= least
        )
        count = min(count, steps - 1)
        if form[count, count - 1]:  # conjugate ones stay together
            count -= 1
        beyond = self.beyond @ turned[:, :count]
        self.basis.turn(turned[:, :count].T)
        self._saved = 0
        self.hessenberg[:] = 0
        self.hessenberg[:count, :count] = form[:count, :count]
        self.hessenberg[count, :count] = beyond

    # ---- one block

    def _extend(self, count: int) -> None:
        """Up to `count` steps."""
        known = self.basis.size
        if known == self.basis.length:  # the whole space is spanned
            image = self.multiply(self.basis.vector(known - 1))
            self.hessenberg[:known, known - 1] = self.basis.dots(image[None])[0]
            self.basis.append(np.zeros((1, known)))
            return
        local, inner = self._local(count)
        if len(local) == 1:  # A v is a multiple of v
            self.hessenberg[known - 1, known - 1] = inner[0, 0]
            self._restart()
            return
        block = local[1:]
        factors, lower = self._orthogonalize(block)
        kept = len(lower)
        # a vector that is thrown away costs a product and its share of the passes
        self._count = max(1, kept) if kept < len(block) else min(self.block, self._count + 1)
        if kept == 0:  # A v lies in the basis
            self.hessenberg[:known, known - 1] = inner[1, 0] * factors[0]
            self.hessenberg[known - 1, known - 1] += inner[0, 0]
            self._restart()
            return
        self._fill(factors[:kept], lower, inner[: kept + 1, :kept])
        self.basis.append(block[:kept])

    def _local(self, count: int) -> tuple[Matrix, Matrix]:
        """v_k and up to `count` vectors more, orthonormal among themselves, with T."""
        vectors = np.empty((count + 1, self.basis.length))
        vectors[0] = self.basis.vector(self.basis.size - 1)
        inner = np.zeros((count + 1, count))
        for step in range(count):
            product = self.multiply(vectors[step])
            self.products += 1
            length = np.linalg.norm(product)
            left = length
            for _ in range(2):
                before = left
                dots = vectors[: step + 1] @ product
                product -= dots @ vectors[: step + 1]
                inner[: step + 1, step] += dots
                left = np.linalg.norm(product)
                if left > 0.1 * before:  # these need to be far from one another, and no more than that
                    break
            if left <= _NOTHING * length:
                # what is found here is invariant: its last column is left to the next block
                return vectors[: step + 1], inner[: step + 1, : max(step, 1)]
            inner[step + 1, step] = left
            vectors[step + 1] = product / left
        return vectors, inner

    def _orthogonalize(self, block: Matrix) -> tuple[Matrix, Matrix]:
        """Make Z orthonormal to the basis and in itself, in place: C and L of Z = C V + L Q.

        L has as many rows as vectors could be kept; the others of the block are of no use.
        """
        dots = self.basis.dots(block)
        factors = np.zeros_like(dots)
        total = np.eye(len(block))
        while True:
            again, gram = self.basis.subtract(block, dots)
            factors[: len(total)] += total @ dots
            lower = _cholesky(gram)
            if len(lower) == 0 or total[0, 0] * lower[0, 0] <= _NOTHING:
                return factors, total[:0, :0]
            # where little of the first lies outside, those that follow from it have lost as many digits
            kept = len(lower) if total[0, 0] * lower[0, 0] > KEPT else 1
            lower = lower[:kept, :kept]
            total, block, again = total[:kept, :kept], block[:kept], again[:kept]
            total = total @ lower
            # a matrix of a few rows and small condition, so that its inverse may be used
            inverse = np.linalg.inv(lower)
            block[:] = inverse @ block
            if np.diag(lower).min() > 0.5:
                return factors, total
            dots = inverse @ again

    def _fill(self, factors: Matrix, lower: Matrix, inner: Matrix) -> None:
        """Write the columns of H that a block gives: C, L and T of it."""
        known, count = self.basis.size, len(lower)
        # of v_k and each z, the part in the basis and the part in the new vectors
        parts = np.zeros((known + count, count + 1))
        parts[known - 1, 0] = 1
        parts[:known, 1:] = factors.T
        parts[known:, 1:] = lower.T
        images = parts @ inner
        grown = self.hessenberg[: known + count, : known + count - 1]
        grown[:, known - 1] = images[:, 0]
        if count > 1:
            rest = images[:, 1:] - grown[:, :known] @ factors[: count - 1].T
            new = np.linalg.solve(lower[: count - 1, : count - 1], rest.T).T
            # what stands below the first diagonal is rounding
            grown[:, known:] = np.triu(new, -known - 1)

    def _restart(self) -> None:
        """Go on with a random vector that is orthogonal to all; the column of H before it has a 0 there."""
        if self.basis.size == self.basis.length:  # there is none
            self.basis.append(np.zeros((1, self.basis.length)))
            return
        while True:
            fresh = self._random.standard_normal((1, self.basis.length))
            fresh /= np.linalg.norm(fresh)
            _, lower = self._orthogonalize(fresh)
            if len(lower):
                self.basis.append(fresh)
                return

    # ---- long runs

    def save(self, folder: Path, identity: str) -> None:
        """Keep what there is in that folder; the vectors first, then the file that counts them."""
        make_directory(folder)
        self.basis.save(folder, self._saved)
        with io.BytesIO() as file:
            state = {"identity": identity, "size": self.basis.size, "products": self.products}
            random = json.dumps(self._random.bit_generator.state)
            np.savez(file, hessenberg=self.hessenberg, state=json.dumps(state), random=random)
            replace_file(folder / f"{STATE}.npz", file.getvalue())
        self._saved = self.basis.size

    @staticmethod
    def forget(folder: Path) -> None:
        """Remove what is kept in that folder."""
        for name in (f"{STATE}.npz", FILE):
            with explained(folder / name, "remove"):
                (folder / name).unlink(missing_ok=True)

    def load(self, folder: Path, identity: str) -> int:
        """Go on from what is kept in that folder, if it is of the same matrix; the steps that were found."""
        try:
            with np.load(folder / f"{STATE}.npz") as kept:
                state: dict[str, Any] = json.loads(str(kept["state"]))
                hessenberg, random = kept["hessenberg"], json.loads(str(kept["random"]))
        except (OSError, ValueError, KeyError, EOFError, BadZipFile):
            return 0
        if state.get("identity") != identity or hessenberg.shape != self.hessenberg.shape:
            return 0
        if not self.basis.load(folder, state["size"]):
            self._begin()
            return 0
        self.hessenberg, self.products = hessenberg, state["products"]
        self._random.bit_generator.state = random
        self._saved = self.basis.size
        return self.steps


def spare(wanted: int) -> int:
    """How many values behind those wanted are looked at.

    Examples
    --------
    >>> spare(20)
    9
    """
    return 4 + wanted // 4


def _cholesky(gram: Matrix) -> Matrix:
    """The Cholesky factor of the first rows, as many as are far enough from one another; of one row always.

    It is written out, since one of LAPACK fails as a whole where the last rows are rounding.
    """
    lower = np.zeros_like(gram)
    for row in range(len(gram)):
        for column in range(row):
            value = gram[row, column] - lower[row, :column] @ lower[column, :column]
            lower[row, column] = value / lower[column, column]
        left = gram[row, row] - lower[row, :row] @ lower[row, :row]
        if not left > 0:
            return lower[:row, :row]
        lower[row, row] = np.sqrt(left)
        if row and np.linalg.cond(lower[: row + 1, : row + 1]) > 1 / KEPT:
            return lower[:row, :row]
    return lower
