"""Archives of summaries, opened: one summary, many as arrays, all of them in order (SUM, section 2).

A summary is ⟨ℓ, s, (t₀, c₀) … (t_{s−1}, c_{s−1})⟩: the length of the page in words, all of them, and its s
terms with their counts. The document number is the node. An archive is a folder:

====================  ====================================================================================
``archive.toml``      version of the format, coding, numbers of nodes, summaries, terms and postings
``summaries.stream``  the summaries one behind the other: bits (``codes``) or bytes (``contexts``)
``summaries.places``  where each ends, an Elias–Fano sequence (see `places`)
``missing.set``       nodes without a summary, an Elias–Fano set; the rank of a node among them gives the
                      place of its summary
``model.zst``         frequencies of contexts (``contexts`` alone)
``terms.*``           the terms (see `terms`)
====================  ====================================================================================

``docs/formats/summaries.md`` has them byte by byte.
"""

from __future__ import annotations

import tomllib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from webstrata._core import summaries as core
from webstrata.collection.action import rebuild
from webstrata.collection.files import explained
from webstrata.collection.sequences import find_place
from webstrata.collection.tables import SHOWN, Table
from webstrata.errors import FormatError, MissingError
from webstrata.summaries.code_names import is_code, to_core
from webstrata.summaries.contexts import Model
from webstrata.summaries.rows import SummaryRows
from webstrata.summaries.terms import Terms

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy.typing as npt
    import pyarrow as pa
    import scipy.sparse as sp

    from webstrata.collection.parts import Part
    from webstrata.collection.progress import Task
    from webstrata.summaries.subarchive import SubArchive
    from webstrata.summaries.weights import Vocabulary

FORMAT = 3
BLOCK = 1 << 11
"""Summaries that a scan decodes at once."""
_MOST = {"num_terms": (1 << 32) - 1, "chain": 100}
"""What a file may say; a reference of a reference is found by a call within a call."""


@dataclass(frozen=True)
class Summary:
    """What is kept of a page: its length in words, and the numbers of its terms with their counts."""

    length: int
    terms: npt.NDArray[np.uint32]
    """The most frequent in the archive first."""
    counts: npt.NDArray[np.uint32]

    @property
    def size(self) -> int:
        """How many different terms the page has."""
        return len(self.terms)


class Summaries(Table, ABC):
    """What an archive and a part of one have in common: summaries by number, from 0 on."""

    terms: Terms

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def has(self, nodes: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """For each node whether it has a summary."""

    @abstractmethod
    def batch(self, nodes: npt.ArrayLike, *, task: Task | None = None) -> SummaryRows:
        """The summaries of nodes in the order given, as arrays; a node without one has an empty row."""

    @overload
    def __getitem__(self, node: int) -> Summary: ...
    @overload
    def __getitem__(self, node: slice) -> list[Summary]: ...
    def __getitem__(self, node: int | slice) -> Summary | list[Summary]:
        if isinstance(node, slice):
            return [self[place] for place in range(*node.indices(len(self)))]
        node = find_place(node, len(self))
        if not self.has([node])[0]:
            raise MissingError(
                f"{self}: node {node} has no summary, since its page could not be read; "
                "`has` tells which have one"
            )
        rows = self.batch([node])
        return Summary(int(rows.lengths[0]), rows.terms, rows.counts)

    def __contains__(self, node: object) -> bool:
        return isinstance(node, int) and 0 <= node < len(self) and bool(self.has([node])[0])

    def __iter__(self) -> Iterator[Summary]:
        for _, rows in self.scan():
            for row in range(rows.num_rows):
                begin, end = int(rows.offsets[row]), int(rows.offsets[row + 1])
                yield Summary(int(rows.lengths[row]), rows.terms[begin:end], rows.counts[begin:end])

    def scan(
        self, start: int = 0, stop: int | None = None, *, block: int = BLOCK
    ) -> Iterator[tuple[int, SummaryRows]]:
        """All summaries in order: the first node of a block, and its rows."""
        stop = len(self) if stop is None else min(stop, len(self))
        for first in range(start, stop, block):
            yield first, self.batch(np.arange(first, min(first + block, stop), dtype=np.uint64))

    def to_arrow(self) -> pa.Table:
        """All nodes: length, and lists of terms and counts; a node without a summary has empty ones."""
        return self._tabulate(len(self))

    def preview(self, number: int = SHOWN) -> tuple[pa.Table, int]:
        """The first nodes, and how many there are."""
        return self._tabulate(min(number, len(self))), len(self)

    def _tabulate(self, number: int) -> pa.Table:
        import pyarrow as pa

        found = [
            pa.table(
                {
                    "node": np.arange(first, first + rows.num_rows, dtype=np.uint32),
                    "length": np.asarray(rows.lengths, np.uint32),
                    **{
                        name: pa.ListArray.from_arrays(
                            np.asarray(rows.offsets).astype(np.int32), np.asarray(values, np.uint32)
                        )
                        for name, values in (("terms", rows.terms), ("counts", rows.counts))
                    },
                }
            )
            for first, rows in self.scan(0, number)
        ]
        kinds = {name: pa.list_(pa.uint32()) for name in ("terms", "counts")}
        schema = pa.schema({"node": pa.uint32(), "length": pa.uint32(), **kinds})
        return pa.concat_tables([schema.empty_table(), *found])

    def subset(self, nodes: npt.ArrayLike) -> SubArchive:
        """The archive of some of these nodes, without a copy: `subarchive` says how."""
        from webstrata.summaries.subarchive import SubArchive

        return SubArchive(self, nodes)

    def matrix(
        self,
        weight: str = "tf",
        nodes: npt.ArrayLike | None = None,
        *,
        vocabulary: Vocabulary | None = None,
        **parameters: Any,  # noqa: ANN401
    ) -> sp.csr_matrix:
        """A row for each node, a column for each term, weighted: `weights` says how.

        Parameters
        ----------
        weight
            ``tf``, ``tf-idf``, ``bm25`` or ``log-entropy``.
        nodes
            Of the rows; all of them where not given.
        vocabulary
            Columns and statistics of several archives; those of this one where not given.
        parameters
            Of the weight, as ``k1`` and ``b`` of ``bm25``.
        """
        from webstrata.summaries.weights import weighted_matrix

        return weighted_matrix(self, weight, nodes, vocabulary=vocabulary, **parameters)


class Archive(Summaries):
    """An archive, mapped.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.summaries import make_rows, write_archive
    >>> folder = testing.scratch()
    >>> rows = make_rows([(7, {0: 2, 2: 1}), (3, {0: 3}), (0, {})])
    >>> _ = write_archive(folder, rows, texts=["fish", "reef", "swim"])
    >>> archive = Archive(folder)
    >>> archive
    <Archive of 3 summaries, 3 postings, contexts>
    >>> archive[0].length, [archive.terms[term] for term in archive[0].terms], archive[0].counts.tolist()
    (7, ['fish', 'swim'], [2, 1])
    >>> archive.batch([1, 0]).offsets.tolist()
    [0, 1, 3]
    >>> [summary.size for summary in archive]
    [2, 1, 0]
    """

    def __init__(self, folder: Path, part: Part | None = None, *, num_nodes: int | None = None) -> None:
        self._part = part  # held, so that the files stay
        self.folder = folder
        facts = read_facts(folder / "archive.toml")
        self.facts = facts
        self.coding: str = facts["coding"]
        self._num_nodes: int = facts["num_nodes"]
        self.num_summaries: int = facts["num_summaries"]
        self.num_postings: int = facts["num_postings"]
        if num_nodes is not None and num_nodes != self._num_nodes:
            raise FormatError(
                f"{folder}: the archive has {self._num_nodes} nodes, and the snapshot {num_nodes}; it is of "
                "another snapshot or older than its pages",
                fix=rebuild(folder, "summaries"),
            )
        self.terms = Terms(folder, facts["num_terms"])
        self._missing = core.Set.open(folder / "missing.set")
        self._places = core.Places(folder / "summaries.places", self.num_summaries)
        last = np.array([len(self._missing) - 1], np.uint64) if len(self._missing) else None
        if len(self._missing) + self.num_summaries != self._num_nodes or (
            last is not None and int(self._missing.select(last)[0]) >= self._num_nodes
        ):
            raise FormatError(
                f"{folder}: its files belong to different archives, or are damaged; build the part again"
            )

    @cached_property
    def _decoder(self) -> tuple[Any, npt.NDArray[Any]]:
        """What decodes, and the stream."""
        path = self.folder / "summaries.stream"
        with explained(path, "read"):
            size = path.stat().st_size
            data: npt.NDArray[np.uint8] = np.memmap(path, np.uint8, "r") if size else np.zeros(0, np.uint8)
        end = self._places.get(self.num_summaries - 1) if self.num_summaries else (0, 0)
        in_bytes = ((end or (0, 0))[1] + 7) // 8 if self.coding == "codes" else (end or (0, 0))[1]
        if in_bytes > size:
            raise FormatError(
                f"{path}: it has {size} bytes, and its summaries take {in_bytes}; the file is cut off, "
                "build the part again"
            )
        if self.coding == "codes":
            codes = [to_core(name) for name in self.facts["codes"]]
            if size % 8:
                raise FormatError(
                    f"{path}: it has {size} bytes, which are no words of 8; the file is damaged, "
                    "build the part again"
                )
            words = np.asarray(data).view("<u4")
            return core.Codes(codes, self.facts["count_differences"], len(self.terms)), words
        # so many terms that their order is there: what is unpacked for them is no surprise
        _ = self.terms.order
        model = Model.read(self.folder / "model.zst", len(self.terms))
        return core.Contexts(model.classes, model.sizes, model.flags, self.facts["chain"]), np.asarray(data)

    def __len__(self) -> int:
        return self._num_nodes

    def has(self, nodes: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """For each node whether it has a summary."""
        return ~self._missing.contains(self._check(nodes))

    def _check(self, nodes: npt.ArrayLike) -> npt.NDArray[np.uint64]:
        found = np.asarray(nodes)
        if found.size and (found.min() < 0 or found.max() >= self._num_nodes):
            raise IndexError(
                f"nodes: expected 0 to {self._num_nodes - 1}, got {found.min()} to {found.max()}"
            )
        return np.ascontiguousarray(found, np.uint64)

    def batch(self, nodes: npt.ArrayLike, *, task: Task | None = None) -> SummaryRows:
        """The summaries of nodes in the order given, as arrays; a node without one has an empty row."""
        return self._decode(nodes, self.terms.order, task)

    def ranked_batch(self, nodes: npt.ArrayLike) -> SummaryRows:
        """As `batch`, with ranks as terms: what is coded."""
        return self._decode(nodes, np.arange(len(self.terms), dtype=np.uint32), None)

    def _decode(self, nodes: npt.ArrayLike, order: npt.NDArray[np.uint32], task: Task | None) -> SummaryRows:
        wanted = self._check(nodes)
        decoder, stream = self._decoder
        advance = task.advance if task else None
        if not len(self._missing):
            return SummaryRows(*decoder.decode(stream, self._places, wanted, order, advance))
        missing = self._missing.contains(wanted)
        ordinals = wanted - self._missing.rank(wanted)
        rows = SummaryRows(*decoder.decode(stream, self._places, ordinals[~missing], order, advance))
        if not missing.any():
            return rows
        lengths, sizes = np.zeros(len(wanted), np.uint32), np.zeros(len(wanted), np.uint64)
        lengths[~missing], sizes[~missing] = rows.lengths, rows.sizes.astype(np.uint64)
        offsets = np.concatenate([np.zeros(1, np.uint64), np.cumsum(sizes, dtype=np.uint64)])
        return SummaryRows(lengths, offsets, rows.terms, rows.counts)

    def scan_ranks(self, *, block: int = BLOCK) -> Iterator[SummaryRows]:
        """All summaries in order with ranks as terms, block by block."""
        for first in range(0, len(self), block):
            yield self.ranked_batch(np.arange(first, min(first + block, len(self)), dtype=np.uint64))

    def sizes(self) -> dict[str, int]:
        """Bytes of each file of the archive."""
        names = ["archive.toml", "missing.set", "model.zst", "summaries.places", "summaries.stream"]
        paths = [self.folder / name for name in [*names, "terms.order", "terms.parquet"]]
        return {path.name: path.stat().st_size for path in paths if path.is_file()}

    def __repr__(self) -> str:
        return f"<Archive of {self.num_summaries} summaries, {self.num_postings} postings, {self.coding}>"


def read_facts(path: Path) -> dict[str, Any]:
    """What `archive.toml` says, or `FormatError`.

    Examples
    --------
    >>> from webstrata import testing
    >>> with testing.snapshot().open_part("summaries") as part:
    ...     facts = read_facts(part.path / "archive.toml")
    >>> facts["coding"], facts["num_summaries"], facts["num_terms"]
    ('contexts', 15, 132)
    """
    with explained(path, "read"):
        text = path.read_bytes()
    try:
        facts = tomllib.loads(text.decode())
    except ValueError as error:
        raise FormatError(f"{path}: this is no TOML ({error}); build the part again") from error
    if (seen := facts.get("format")) != FORMAT:
        if isinstance(seen, int) and seen < FORMAT:
            raise MissingError(
                f"{path}: the summaries were built by an earlier version (format {seen}, now {FORMAT})",
                fix=rebuild(path, "summaries"),
            )
        raise FormatError(
            f"{path}: the archive has format {seen}, and this version reads {FORMAT}; upgrade webstrata"
        )
    wanted = {"num_nodes": int, "num_summaries": int, "num_terms": int, "num_postings": int, "coding": str}
    more: dict[str, dict[str, type]] = {
        "codes": {"codes": list, "count_differences": bool},
        "contexts": {"chain": int},
    }
    if facts.get("coding") not in more:
        raise FormatError(f"{path}: {facts.get('coding')!r} is no coding; build the part again")
    for name, kind in (wanted | more[facts["coding"]]).items():
        if type(facts.get(name)) is not kind:
            raise FormatError(f"{path}: {name} is not there, or no {kind.__name__}; build the part again")
        most = _MOST.get(name, 1 << 48)
        if kind is int and not 0 <= facts[name] <= most:
            raise FormatError(
                f"{path}: {name} is {facts[name]}, expected 0 to {most}; the file is damaged, build the part "
                "again"
            )
    if facts["coding"] == "codes":
        codes = [name for name in facts["codes"] if isinstance(name, str) and is_code(name)]
        if len(codes) != 4 or len(facts["codes"]) != 4:
            raise FormatError(
                f"{path}: {facts['codes']} are not the names of four codes; the file is damaged, build the "
                "part again"
            )
    return facts
