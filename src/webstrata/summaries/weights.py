"""Weights from summaries: sparse matrices with a row a page and a column a term, ready for scikit-learn.

With tf the count of a term in a page, df the number of pages that have it, cf the sum of its counts, N the
number of pages, ℓ the length of a page and ℓ̄ the mean length:

===============  =========================================================================================
``tf``           tf
``tf-idf``       tf · (ln((1 + N) / (1 + df)) + 1), each row divided by its Euclidean norm: what the
                 `TfidfTransformer` of scikit-learn computes by default
``bm25``         ln(1 + (N − df + ½) / (df + ½)) · tf / (tf + k₁ (1 − b + b ℓ / ℓ̄)), with k₁ = 1.2 and
                 b = 0.75: BM25 as Lucene has it
``log-entropy``  ln(1 + tf) · (1 + Σ p ln p / ln N), the sum over all pages with p = tf / cf
===============  =========================================================================================

Statistics are those of the whole archive, also for the rows of a part of it, so that parts compare. With a
`Vocabulary` columns and statistics are those of several archives together: rows of different snapshots have
the same columns.
"""

from __future__ import annotations

import itertools
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webstrata.summaries.archive import Archive
from webstrata.summaries.rows import DROPPED, concatenate
from webstrata.summaries.subarchive import SubArchive

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    import scipy.sparse as sp

    from webstrata.summaries.archive import Summaries
    from webstrata.summaries.rows import SummaryRows

WEIGHTS = ("tf", "tf-idf", "bm25", "log-entropy")


class Vocabulary:
    """The columns of several archives: each term of any of them once, in the order of bytes.

    Parameters
    ----------
    archives
        Archives that know what their terms are.
    min_df
        Pages of all archives together that must have a term.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.summaries import make_rows, write_archive
    >>> folder = testing.scratch()
    >>> may = write_archive(folder / "may", make_rows([(3, {0: 1, 1: 2})]), texts=["eel", "fish"])
    >>> june = write_archive(folder / "june", make_rows([(4, {0: 4})]), texts=["fish"])
    >>> common = Vocabulary([may, june])
    >>> common.texts, common.df.tolist(), common.cf.tolist(), common.num_summaries
    (['eel', 'fish'], [1, 2], [1, 6], 2)
    >>> june.matrix(vocabulary=common).toarray().tolist()
    [[0.0, 4.0]]
    """

    def __init__(self, archives: Sequence[Summaries], *, min_df: int = 1) -> None:
        wholes = [whole(archive) for archive in archives]
        for archive in wholes:
            if not archive.terms.have_texts:
                raise ValueError(f"archives: expected those that know their terms, and {archive} does not")
        columns = [archive.terms.text_column().combine_chunks() for archive in wholes]
        joined = pa.concat_arrays([column.cast(pa.large_string()) for column in columns])
        encoded = joined.dictionary_encode()
        places = encoded.indices.to_numpy(zero_copy_only=False)
        df, cf = (
            np.bincount(places, np.concatenate(counts), minlength=len(encoded.dictionary)).astype(np.uint64)
            for counts in zip(*((archive.terms.df, archive.terms.cf) for archive in wholes), strict=True)
        )
        order = pc.sort_indices(encoded.dictionary).to_numpy()
        order = order[df[order] >= min_df]
        self._column = encoded.dictionary.take(pa.array(order))
        self.df, self.cf = df[order], cf[order]
        numbers = np.full(len(df), DROPPED, np.uint32)
        numbers[order] = np.arange(len(order), dtype=np.uint32)
        ends = np.cumsum([0, *map(len, columns)])
        self.archives = wholes
        self._numbers = [numbers[places[begin:end]] for begin, end in itertools.pairwise(ends)]

    def __len__(self) -> int:
        return len(self.df)

    @cached_property
    def texts(self) -> list[str]:
        """The term of each column."""
        found: list[str] = self._column.to_pylist()
        return found

    @property
    def num_summaries(self) -> int:
        """Summaries of all archives together."""
        return sum(archive.num_summaries for archive in self.archives)

    @cached_property
    def mean_length(self) -> float:
        """The mean length of pages of all archives."""
        return sum(total_length(archive) for archive in self.archives) / max(self.num_summaries, 1)

    def numbers_of(self, archive: Archive) -> npt.NDArray[np.uint32]:
        """The column of each term of one of the archives, `DROPPED` where it has none."""
        for known, numbers in zip(self.archives, self._numbers, strict=True):
            if known is archive or known.folder == archive.folder:
                found: npt.NDArray[np.uint32] = numbers
                return found
        raise ValueError(f"vocabulary: expected one that was made of {archive} too")

    @cached_property
    def entropy_weights(self) -> npt.NDArray[np.float64]:
        """1 + Σ p ln p / ln N of each column."""
        sums = np.zeros(len(self))
        for archive, numbers in zip(self.archives, self._numbers, strict=True):
            found = count_log_counts(archive)
            kept = numbers != DROPPED
            sums += np.bincount(numbers[kept], found[kept], minlength=len(self))
        return to_entropy_weights(sums, self.cf, self.num_summaries)


def whole(archive: Summaries) -> Archive:
    """The archive that a part is a part of.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.summaries import make_rows, write_archive
    >>> archive = write_archive(testing.scratch(), make_rows([(1, {0: 1})]))
    >>> whole(archive.subset([0]).subset([0])) is archive
    True
    """
    while isinstance(archive, SubArchive):
        archive = archive.parent
    if not isinstance(archive, Archive):
        raise TypeError(f"archive: expected an archive or a part of one, got {archive!r}")
    return archive


def total_length(archive: Archive) -> int:
    """The sum of the lengths of all pages, found once.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.summaries import make_rows, write_archive
    >>> total_length(write_archive(testing.scratch(), make_rows([(3, {0: 1}), (4, {})])))
    7
    """
    known: int | None = vars(archive).get("_total_length")
    if known is None:
        known = sum(int(rows.lengths.sum(dtype=np.uint64)) for _, rows in archive.scan())
        vars(archive)["_total_length"] = known
    return known


def count_log_counts(archive: Archive) -> npt.NDArray[np.float64]:
    """Σ tf ln tf of each term over all pages.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.summaries import make_rows, write_archive
    >>> archive = write_archive(testing.scratch(), make_rows([(3, {0: 1, 1: 2})]))
    >>> count_log_counts(archive).round(3).tolist()
    [0.0, 1.386]
    """
    sums = np.zeros(len(archive.terms))
    for _, rows in archive.scan():
        counts = rows.counts.astype(np.float64)
        sums += np.bincount(rows.terms, counts * np.log(counts), minlength=len(sums))
    return sums


def to_entropy_weights(
    sums: npt.NDArray[np.float64], cf: npt.NDArray[np.uint64], num_summaries: int
) -> npt.NDArray[np.float64]:
    """1 + Σ p ln p / ln N from Σ tf ln tf, since Σ p ln p = Σ tf ln tf / cf − ln cf.

    Examples
    --------
    >>> to_entropy_weights(np.array([0.0]), np.array([4], np.uint64), 4).tolist()
    [0.0]
    """
    if num_summaries < 2:
        return np.ones(len(cf))
    totals = np.maximum(cf.astype(np.float64), 1)
    found: npt.NDArray[np.float64] = 1 + (sums / totals - np.log(totals)) / np.log(num_summaries)
    return found


def weighted_matrix(
    archive: Summaries,
    weight: str = "tf",
    nodes: npt.ArrayLike | None = None,
    *,
    vocabulary: Vocabulary | None = None,
    k1: float = 1.2,
    b: float = 0.75,
) -> sp.csr_matrix:
    """A row for each node, a column for each term, weighted.

    Parameters
    ----------
    archive
        An archive, or a part of one.
    weight
        One of `WEIGHTS`.
    nodes
        Of the rows; all of them where not given.
    vocabulary
        Columns and statistics of several archives; those of the archive where not given.
    k1, b
        Of BM25.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.summaries import make_rows, write_archive
    >>> archive = write_archive(testing.scratch(), make_rows([(3, {0: 1, 1: 2}), (2, {1: 2})]))
    >>> weighted_matrix(archive, "bm25", [0]).toarray().round(4).tolist()
    [[0.2912, 0.1079]]
    """
    # builders of archives weigh nothing, and it takes long to load
    import scipy.sparse as sp

    if weight not in WEIGHTS:
        raise ValueError(f"weight: expected one of {', '.join(WEIGHTS)}, got {weight!r}")
    if not (k1 >= 0 and 0 <= b <= 1):
        raise ValueError(f"k1, b: expected 0 or more, and between 0 and 1, got {k1} and {b}")
    source = whole(archive)
    rows = concatenate(piece for _, piece in archive.scan()) if nodes is None else archive.batch(nodes)
    df = vocabulary.df if vocabulary else source.terms.df
    columns, places, tf = rows.terms, rows.places, rows.counts.astype(np.float64)
    offsets = rows.offsets.astype(np.int64)
    if vocabulary:
        columns = vocabulary.numbers_of(source)[columns]
        kept = columns != DROPPED
        columns, places, tf = columns[kept], places[kept], tf[kept]
        offsets = np.concatenate([[0], np.cumsum(np.bincount(places, minlength=rows.num_rows))])
    data = _weigh(weight, source, vocabulary, rows, columns, places, tf, df, k1=k1, b=b)
    matrix = sp.csr_matrix((data, columns.astype(np.int64), offsets), shape=(rows.num_rows, len(df)))
    matrix.sort_indices()
    return matrix


def _weigh(
    weight: str,
    source: Archive,
    vocabulary: Vocabulary | None,
    rows: SummaryRows,
    columns: npt.NDArray[np.uint32],
    places: npt.NDArray[np.int64],
    tf: npt.NDArray[np.float64],
    df: npt.NDArray[np.integer],
    *,
    k1: float,
    b: float,
) -> npt.NDArray[np.float64]:
    if weight == "tf":
        return tf
    number = vocabulary.num_summaries if vocabulary else source.num_summaries
    if weight == "tf-idf":
        idf = np.log((1 + number) / (1 + df.astype(np.float64))) + 1
        data: npt.NDArray[np.float64] = tf * idf[columns]
        data /= np.sqrt(np.bincount(places, data**2, minlength=rows.num_rows))[places]
        return data
    if weight == "bm25":
        mean = vocabulary.mean_length if vocabulary else total_length(source) / max(source.num_summaries, 1)
        idf = np.log1p((number - df + 0.5) / (df + 0.5))
        share = rows.lengths / mean if mean else np.ones(rows.num_rows)
        found: npt.NDArray[np.float64] = idf[columns] * tf / (tf + (k1 * (1 - b + b * share))[places])
        return found
    if vocabulary:
        entropy = vocabulary.entropy_weights
    else:
        entropy = to_entropy_weights(count_log_counts(source), source.terms.cf, number)
    weighted: npt.NDArray[np.float64] = np.log1p(tf) * entropy[columns]
    return weighted
