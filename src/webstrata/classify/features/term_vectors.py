"""Sites as vectors of terms: virtual documents weighted by BM25 (SPAM, 3.2).

The **virtual document** of a site in a snapshot is what its pages say together: the sum of their summaries
(words of ICU without stop words, Porter's stems; `webstrata.summaries`). Of a site with very many pages some
are taken: the first in an order by hash of row key, the same in every snapshot, so that a page that stays is
not exchanged for another.

The **vocabulary** are the most frequent terms of those in 10% to 50% of the virtual documents: frequent by
occurrences in all of them, the first in the order of bytes of equal ones. Shares are of the documents of all
snapshots together.

With N sites (of all snapshots together), of which n have term i at time T, tf its count in a document, dl the
length of the document in words and avdl the mean of the documents of that time:

    t = ln((N − n + ½) / (n + ½)) · (k₁ + 1) tf / (k₁ (1 − b + b dl / avdl) + tf)

with k₁ = 1.2 and b = 0.75. This idf is that of Robertson and Spärck Jones, below 0 for terms in more than
half of the documents. A site that is not there at a time has tf = 0 throughout.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.sparse import csr_array, vstack

from webstrata.classify.features.alignment import align_sites
from webstrata.classify.features.sites import ChosenSites, find_sites, group_sites, open_sites
from webstrata.classify.features.sparse_table import to_table
from webstrata.collection.progress import Progress
from webstrata.errors import UsageError
from webstrata.store.urls import Urls
from webstrata.summaries.archive import Archive
from webstrata.summaries.rows import DROPPED
from webstrata.summaries.weights import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from webstrata.classify.settings import ClassifySettings
    from webstrata.collection import Snapshot

FORMULAS = {
    "TERM": "ln((N − n + ½) / (n + ½)) · (k₁ + 1) tf / (k₁ (1 − b + b dl / avdl) + tf): N sites, n of them "
    "with the term, tf times on this one, dl words on it, avdl on all in the mean"
}
"""What each column is, TERM standing for every term."""
WORDS = "words"
"""The fact that names the settings of the summaries."""
_BLOCK = 1 << 13
"""Pages that are decoded at once."""


class Documents(NamedTuple):
    """The virtual documents of a snapshot."""

    counts: csr_array
    """A row a site, a column a term."""
    lengths: npt.NDArray[np.float64]
    """Words of each."""
    present: npt.NDArray[np.bool_]
    """Which sites have one."""

    @property
    def df(self) -> npt.NDArray[np.int64]:
        """In how many documents each term is."""
        return np.bincount(self.counts.indices, minlength=self.counts.shape[1])

    @property
    def mean_length(self) -> float:
        """The mean length of the documents that there are."""
        return float(self.lengths[self.present].mean()) if self.present.any() else 0.0

    def select(self, columns: npt.NDArray[np.int64]) -> Documents:
        """The same with some terms alone; lengths stay."""
        return self._replace(counts=self.counts[:, columns])


def choose_pages(
    of_node: npt.NDArray[np.int64], keys: pa.Array | pa.ChunkedArray, max_pages: int
) -> npt.NDArray[np.int64]:
    """The nodes whose pages make up the virtual documents, in order: at most so many of a site.

    Parameters
    ----------
    of_node
        The site of each page.
    keys
        The row key of each page.
    max_pages
        Of a site; 0 means all.

    Examples
    --------
    >>> import pyarrow as pa
    >>> keys = pa.array(["org,a)/", "org,a)/x", "org,a)/y", "org,b)/"])
    >>> chosen = choose_pages(np.array([0, 0, 0, 1]), keys, 2)
    >>> len(chosen), 3 in chosen
    (3, True)
    """
    sizes = np.bincount(of_node)
    if not max_pages or not len(sizes) or sizes.max() <= max_pages:
        return np.arange(len(of_node))
    crowded = np.flatnonzero(sizes[of_node] > max_pages)
    hashes = np.array([zlib.crc32(key.encode()) for key in keys.take(crowded).to_pylist()])
    order = crowded[np.lexsort((hashes, of_node[crowded]))]
    sites = of_node[order]
    place = np.arange(len(order)) - np.searchsorted(sites, sites)
    return np.sort(np.concatenate([np.flatnonzero(sizes[of_node] <= max_pages), order[place < max_pages]]))


def count_documents(
    archive: Archive,
    nodes: npt.NDArray[np.int64],
    site_of: npt.NDArray[np.int64],
    num_sites: int,
    *,
    columns: npt.NDArray[np.uint32],
    num_columns: int,
    progress: Progress | None = None,
) -> Documents:
    """The virtual documents of sites, from the summaries of their pages.

    Parameters
    ----------
    archive
        The summaries.
    nodes
        Whose pages count.
    site_of
        The site of each of these.
    num_sites
        How many sites there are.
    columns
        The column of each term of the archive, `DROPPED` for those without one.
    num_columns
        How many columns there are.
    progress
        Where it reports.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.summaries import make_rows, write_archive
    >>> rows = make_rows([(3, {0: 1, 1: 2}), (2, {1: 2}), (5, {0: 4})])
    >>> archive = write_archive(testing.scratch(), rows)
    >>> nodes, site_of = np.arange(3), np.array([0, 0, 1])
    >>> found = count_documents(
    ...     archive, nodes, site_of, 2, columns=np.array([0, 1], np.uint32), num_columns=2)
    >>> found.counts.toarray().tolist(), found.lengths.tolist(), found.df.tolist()
    ([[1, 4], [4, 0]], [5.0, 5.0], [2, 1])
    """
    lengths = np.zeros(num_sites)
    present = np.zeros(num_sites, np.bool_)
    pieces = [csr_array((0, num_columns), dtype=np.int32)]
    sites = [np.zeros(0, np.int64)]
    with (progress or Progress()).task("virtual documents", total=len(nodes), unit="pages") as task:
        for start in range(0, len(nodes), _BLOCK):
            some, owners = nodes[start : start + _BLOCK], site_of[start : start + _BLOCK]
            rows = archive.batch(some)
            theirs, local = np.unique(owners, return_inverse=True)
            lengths += np.bincount(owners, rows.lengths, minlength=num_sites)
            present[theirs] = True
            named = columns[rows.terms]
            kept = named != DROPPED
            offsets = np.concatenate([[0], np.cumsum(kept)])[rows.offsets.astype(np.int64)]
            parts = (rows.counts[kept].astype(np.int32), named[kept].astype(np.int32), offsets)
            pieces.append(_sum_rows(csr_array(parts, shape=(len(some), num_columns)), local, len(theirs)))
            sites.append(theirs)
            task.advance(len(some))
    # a site may have pages in several blocks
    counts = _sum_rows(vstack(pieces, format="csr"), np.concatenate(sites), num_sites)
    counts.sort_indices()
    return Documents(counts, lengths, present)


def _sum_rows(matrix: csr_array, groups: npt.NDArray[np.int64], number: int) -> csr_array:
    """The sums of rows that belong to the same group."""
    ends = (groups, np.arange(matrix.shape[0]))
    member = csr_array((np.ones(len(groups), np.int32), ends), shape=(number, matrix.shape[0]))
    return member @ matrix


def choose_terms(
    documents: Sequence[Documents], *, number: int = 10_000, least: float = 0.1, most: float = 0.5
) -> npt.NDArray[np.int64]:
    """The columns of the vocabulary, in order.

    Parameters
    ----------
    documents
        Of each snapshot, with the same columns.
    number
        Of terms at most.
    least, most
        The share of documents that a term must and may be in.

    Examples
    --------
    >>> counts = csr_array([[1, 9, 0], [1, 0, 0], [1, 0, 3], [1, 0, 0]])
    >>> some = Documents(counts, np.ones(4), np.ones(4, np.bool_))
    >>> choose_terms([some]).tolist(), choose_terms([some], number=1).tolist()
    ([1, 2], [1])
    """
    total = sum(int(some.present.sum()) for some in documents)
    df = np.sum([some.df for some in documents], axis=0)
    kept = np.flatnonzero((df >= least * total) & (df <= most * total) & (df > 0))
    cf = np.sum([np.asarray(some.counts.sum(axis=0)).ravel() for some in documents], axis=0)
    order = np.lexsort((kept, -cf[kept]))
    return np.sort(kept[order[:number]])


@dataclass(frozen=True)
class Weights:
    """What BM25 needs to know of a collection of documents to weigh one, also one that is new.

    Examples
    --------
    >>> weights = Weights(np.array([1]), num_documents=4, mean_length=10.0)
    >>> weights.weigh(csr_array([[2]]), np.array([10.0])).toarray().round(4).tolist()
    [[1.165]]
    """

    df: npt.NDArray[np.int64]
    """In how many documents each term is."""
    num_documents: int
    mean_length: float
    k1: float = 1.2
    b: float = 0.75

    @property
    def idf(self) -> npt.NDArray[np.float64]:
        """ln((N − n + ½) / (n + ½)) of each term."""
        found: npt.NDArray[np.float64] = np.log((self.num_documents - self.df + 0.5) / (self.df + 0.5))
        return found

    def weigh(self, counts: csr_array, lengths: npt.NDArray[np.float64]) -> csr_array:
        """The weights of terms, from their counts and the lengths of documents."""
        share = lengths / self.mean_length if self.mean_length else np.ones(len(lengths))
        norm = np.repeat(self.k1 * (1 - self.b + self.b * share), np.diff(counts.indptr))
        tf = counts.data.astype(np.float64)
        data = self.idf[counts.indices] * (self.k1 + 1) * tf / (norm + tf)
        return csr_array((data, counts.indices, counts.indptr), shape=counts.shape)

    def to_facts(self) -> dict[str, Any]:
        """What `from_facts` makes it of again, as JSON has it.

        Examples
        --------
        >>> weights = Weights(np.array([1]), num_documents=4, mean_length=10.0)
        >>> Weights.from_facts(weights.to_facts()).idf == weights.idf
        array([ True])
        """
        return {
            "df": self.df.tolist(),
            "num_documents": self.num_documents,
            "mean_length": self.mean_length,
            "k1": self.k1,
            "b": self.b,
        }

    @classmethod
    def from_facts(cls, facts: dict[str, Any]) -> Weights:
        """The weights that `to_facts` wrote; other facts are left alone."""
        rest = {name: facts[name] for name in ("num_documents", "mean_length", "k1", "b")}
        return cls(np.array(facts["df"], np.int64), **rest)


def weigh_documents(
    documents: Documents, *, num_documents: int | None = None, k1: float = 1.2, b: float = 0.75
) -> csr_array:
    """The BM25 vectors of the documents of a snapshot; N is the number of its own where not given.

    Examples
    --------
    >>> some = Documents(csr_array([[2, 0], [0, 1]]), np.array([10.0, 10.0]), np.ones(2, np.bool_))
    >>> weigh_documents(some, num_documents=4).toarray().round(4).tolist()
    [[1.165, 0.0], [0.0, 0.8473]]
    """
    return measure(documents, num_documents=num_documents, k1=k1, b=b).weigh(
        documents.counts, documents.lengths
    )


def measure(
    documents: Documents, *, num_documents: int | None = None, k1: float = 1.2, b: float = 0.75
) -> Weights:
    """What BM25 needs to know of the documents of a snapshot.

    Examples
    --------
    >>> some = Documents(csr_array([[2, 0], [1, 1]]), np.array([10.0, 30.0]), np.ones(2, np.bool_))
    >>> found = measure(some)
    >>> found.df.tolist(), found.num_documents, found.mean_length
    ([2, 1], 2, 20.0)
    """
    number = int(documents.present.sum()) if num_documents is None else num_documents
    return Weights(documents.df, number, documents.mean_length, k1, b)


class VirtualWeb(NamedTuple):
    """The virtual documents of snapshots, with the columns of a common vocabulary."""

    sites: list[str]
    """Those of the last snapshot in its order, then all others: the rows."""
    num_sites: int
    """How many the last snapshot has."""
    terms: list[str]
    """The columns."""
    documents: list[Documents]
    """Of each snapshot."""


def open_documents(
    snapshots: Sequence[Snapshot], settings: ClassifySettings, progress: Progress | None = None
) -> VirtualWeb:
    """The virtual documents of the sites of snapshots, the oldest first, in the terms of their vocabulary.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.classify.settings import ClassifySettings
    >>> web = open_documents([testing.snapshot()], ClassifySettings())
    >>> web.sites[:2], web.terms[:3], web.documents[0].lengths.tolist()
    (['garden.example', 'kitchen.example'], ['add', 'anemon', 'anim'], [96.0, 114.0, 70.0, 75.0, 158.0])
    """
    grouped = [open_sites(some, progress) for some in snapshots]
    aligned = align_sites(*(some.names for some in grouped[::-1]))
    _check_words(snapshots)
    archives = [_open_archive(some) for some in snapshots]
    total = sum(len(some.names) for some in grouped)
    # a term is in as many pages as it is in documents, or in more: most terms are too rare at first sight
    rarest = max(math.ceil(settings.least_share * total), 1)
    vocabulary = Vocabulary(archives, min_df=rarest)
    documents = []
    for some, sites, archive, numbers in zip(
        snapshots, grouped, archives, aligned.numbers[::-1], strict=True
    ):
        with some.open_part("urls") as part:
            nodes = choose_pages(sites.of_node, Urls(part.path).key_column, settings.max_pages)
        documents.append(
            count_documents(
                archive,
                nodes,
                (numbers[sites.of_node] if len(numbers) else sites.of_node)[nodes],
                len(aligned),
                columns=vocabulary.numbers_of(archive),
                num_columns=len(vocabulary),
                progress=progress,
            )
        )
    chosen = choose_terms(
        documents, number=settings.max_terms, least=settings.least_share, most=settings.most_share
    )
    texts = [vocabulary.texts[column] for column in chosen]
    return VirtualWeb(
        aligned.names, len(grouped[-1].names), texts, [some.select(chosen) for some in documents]
    )


def _check_words(snapshots: Sequence[Snapshot]) -> None:
    """Refuse summaries whose terms are not the same words: sites would seem to change all at once."""
    last = snapshots[-1]
    for some in snapshots[:-1]:
        for name, then in tell_words(some).items():
            now = tell_words(last)[name]
            if then != now:
                raise UsageError(
                    f"{last.collection.path}: the summaries of {some.date} were made with {name} {then}, "
                    f"those of {last.date} with {now}; build the ones as the others, or name others with "
                    "`--earlier`"
                )


def tell_words(snapshot: Snapshot) -> dict[str, Any]:
    """The settings of a snapshot's summaries that decide which words are the same term.

    Examples
    --------
    >>> from webstrata import testing
    >>> tell_words(testing.snapshot())
    {'stemmer': 'porter', 'stop_words': 'en'}
    """
    made = snapshot.parts.record("summaries").settings
    return {name: made.get(name) for name in ("stemmer", "stop_words")}


def count_in_terms(
    snapshot: Snapshot,
    terms: Sequence[str],
    *,
    max_pages: int,
    hosts: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> tuple[list[str], Documents]:
    """The virtual documents of a snapshot's sites in given terms; of some hosts, their pages alone are read.

    Examples
    --------
    >>> from webstrata import testing
    >>> names, found = count_in_terms(
    ...     testing.snapshot(), ["cheap", "unheard"], max_pages=0, hosts=["pills.example"])
    >>> names, found.counts.toarray().tolist()
    (['pills.example'], [[23, 0]])
    """
    with snapshot.open_part("urls") as part:
        urls = Urls(part.path)
        if hosts is None:
            chosen = ChosenSites(np.arange(len(urls)), group_sites(urls, progress=progress))
            keys = urls.key_column
        else:
            chosen = find_sites(urls, hosts)
            keys = urls.key_column.take(pa.array(chosen.nodes))
        sites = chosen.sites
        places = choose_pages(sites.of_node, keys, max_pages)
    archive = _open_archive(snapshot)
    known = pc.index_in(archive.terms.text_column(), value_set=pa.array(terms, pa.string()))
    columns = pc.fill_null(known.cast(pa.uint32()), DROPPED).to_numpy()
    return sites.names, count_documents(
        archive,
        chosen.nodes[places],
        sites.of_node[places],
        len(sites.names),
        columns=columns,
        num_columns=len(terms),
        progress=progress,
    )


def _open_archive(snapshot: Snapshot) -> Archive:
    part = snapshot.open_part("summaries")
    return Archive(part.path, part)


def build_bm25(snapshot: Snapshot, settings: ClassifySettings, progress: Progress) -> pa.Table:
    """The set `bm25` of a snapshot: a row a site, a sparse vector of terms (see `sparse_table`).

    Its facts are those of `Weights`, with which a model weighs new sites, and the settings of the summaries.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.classify.settings import ClassifySettings
    >>> table = build_bm25(testing.snapshot(), ClassifySettings(), Progress())
    >>> table.column_names, table["columns"][3].as_py()  # the terms of pills.example
    (['host', 'columns', 'values'], [6, 13, 17, 77, 80, 83])
    """
    web = open_documents([snapshot], settings, progress)
    weights = measure(web.documents[0], k1=settings.k1, b=settings.b)
    matrix = weights.weigh(web.documents[0].counts, web.documents[0].lengths)
    return to_table(web.sites, web.terms, matrix, facts=weights.to_facts() | {WORDS: tell_words(snapshot)})
