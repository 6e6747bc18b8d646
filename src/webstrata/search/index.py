"""The text index of a collection, opened: words and a date in, pages out.

The part `text_index` (``docs/formats/search.md``):

===========================  ============================================================================
``index.json``               snapshots, stemmer, fields, segments and which were written at a time
``documents.arrow``          a row a document: row key, digest, simhash, words
``labels``                   the snapshots of each document, a bit each; 8 bytes
``maps/LABEL.documents``     the document of each node of a snapshot; 4 bytes
``segments/``                an index of tantivy without stored fields, and the versions of its entries
===========================  ============================================================================
"""

from __future__ import annotations

import itertools
from collections import Counter
from contextlib import ExitStack
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from webstrata._core import search as core
from webstrata.collection.action import Action
from webstrata.collection.dates import find_last, find_range
from webstrata.collection.files import explained
from webstrata.errors import DateError, FormatError, MissingError
from webstrata.search.documents import NO_DOCUMENT, Held
from webstrata.search.fields import NUMBERS, weight_list, weights
from webstrata.search.files import FACTS, PART, SEGMENTS, read_documents, read_facts, read_map
from webstrata.search.hits import Hits
from webstrata.search.links import link_factors
from webstrata.search.query import MAX_TERMS, Clause, Compiler
from webstrata.search.settings import SearchSettings
from webstrata.store.parquet.rows import take
from webstrata.store.takedowns import find_takedowns
from webstrata.store.text import Text
from webstrata.summaries.build import find_stemmer
from webstrata.web.row_key import from_row_key
from webstrata.web.words import load_core

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from webstrata.collection import Collection
    from webstrata.collection.parts import Part
    from webstrata.search.distributed.brokers import Broker
    from webstrata.search.documents import DocumentSource
    from webstrata.search.fields import Weights

MAX_EXPANDED = 1 << 14
"""Terms of a segment that are looked at for those that a prefix stands for."""
MOST_FETCHED = 1 << 20
_LENGTHS_APART = 1.2
"""By how much the longer of two near-duplicates may be longer."""


class TextIndex:
    """The text index of a collection; `search` asks it.

    Examples
    --------
    >>> from webstrata import testing
    >>> index = TextIndex.open(testing.collection())
    >>> [(hit.url, hit.title) for hit in index.search("goldfish", at="2026-05")]
    [('http://garden.example/pond', 'The pond')]
    """

    def __init__(self, collection: Collection, part: Part) -> None:
        self.collection = collection
        self._part = part  # held, so that the files stay
        self.facts = read_facts(part.path / FACTS, collection.word)
        self.documents = read_documents(part.path)
        self.maps = {label: read_map(part.path, label) for label in self.facts.snapshots}
        with explained(part.path / "labels", "read"):
            self.labels: npt.NDArray[np.uint64] = np.fromfile(part.path / "labels", "<u8")
        self.reader = core.Reader(part.path / SEGMENTS, self.facts.segments)
        self.analyzer = core.Analyzer(load_core(), find_stemmer(self.facts.stemmer))
        if not len(self.labels) == len(self.documents) == self.reader.num_documents:
            raise FormatError(
                f"{part.path}: there are {len(self.labels)} labels, {len(self.documents)} rows and "
                f"{self.reader.num_documents} documents",
                fix=Action.on(collection, "build", PART),
            )
        self._factors: dict[tuple[int, float], tuple[npt.NDArray[np.float32], dict[str, list[str]]]] = {}
        self._nodes: dict[str, npt.NDArray[np.int64]] = {}
        self._texts: dict[str, Text] = {}
        self._weighed: tuple[SearchSettings | None, list[Weights]] = None, []
        self._stack = ExitStack()
        self._held: dict[str, Held] = {}

    @classmethod
    def open(cls, collection: Collection) -> TextIndex:
        """The index of a collection, or `MissingError` if there is none or its text is another now."""
        if PART not in collection.parts:
            raise MissingError(f"{collection.path}: no text index", fix=Action.on(collection, "build", PART))
        part = collection.open_part(PART)
        for name, checksum in part.record.inputs.items():
            label, _, of = name.partition("/")
            known = label in collection and of in collection[label].parts
            if not known or collection[label].parts.record(of).checksum != checksum:
                raise MissingError(
                    f"{collection.path}: the text index was built before {name} changed",
                    fix=Action.on(collection, "build", PART),
                )
        return cls(collection, part)

    @property
    def snapshots(self) -> list[str]:
        """The labels of the snapshots that it knows, oldest first."""
        return self.facts.snapshots

    @property
    def generations(self) -> list[npt.NDArray[np.int64]]:
        """The documents of segments that were written at a time, in their order."""
        listed = (
            self.reader.listed_documents(number).astype(np.int64)
            for number in range(len(self.facts.segments))
        )
        sizes = self.facts.generations or [len(self.facts.segments)]
        return [np.concatenate(list(itertools.islice(listed, size))) for size in sizes]

    def __len__(self) -> int:
        return len(self.documents)

    # ---- asking

    def search(
        self,
        query: str,
        *,
        at: str | None = None,
        since: str | None = None,
        until: str | None = None,
        host: str | None = None,
        limit: int | None = None,
        grouped: bool = True,
        settings: SearchSettings | None = None,
        through: Broker | None = None,
    ) -> Hits:
        """The best pages for a query.

        Parameters
        ----------
        query
            As `webstrata.search.query` reads it.
        at
            The label of a snapshot, or a date: the snapshot that was the last one then.
        since, until
            The first and the last snapshot that count, in place of `at`; all where neither is given.
        host
            Of this host, or of this domain and all hosts below it.
        limit
            How many at most; as `settings` say where not given.
        grouped
            Whether only the best version of a page is given, no more of a host than `settings` say, and
            near-duplicates are folded.
        settings
            How it is scored; as the files say where not given.
        through
            A partition of this index that is asked in its place.
        """
        settings = settings or self.collection.settings(SearchSettings)
        limit = limit or settings.limit
        takedowns = find_takedowns(self.collection)
        mask = self.mask(at=at, since=since, until=until)
        compiler = self.compiler(settings)
        clause = within(compiler.compile(query), host)
        fetched = 2 * limit if grouped else limit
        while True:
            found = (through or self).top(clause, fetched, mask, settings)
            num_found = len(found[0])
            if takedowns:
                shown = np.array([not takedowns.hides(url) for url in self.urls(found[0])], bool)
                found = tuple(column[shown] for column in found)
            kept, folded = (
                self._group(found[0], limit, settings)
                if grouped
                else (list(range(len(found[0]))), [0] * len(found[0]))
            )
            if len(kept) >= limit or num_found < fetched or fetched >= MOST_FETCHED:
                break
            fetched *= 4  # what was folded makes room for others
        documents, scores, text_scores = found
        return Hits(
            self,
            query,
            compiler.terms,
            documents[kept],
            scores[kept].astype(np.float64),
            text_scores[kept].astype(np.float64),
            mask,
            folded,
            tuple(compiler.understood),
        )

    def top(
        self, clause: Clause, limit: int, mask: int, settings: SearchSettings
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Documents, scores and scores of their text alone, the best first."""
        factors, used = self.factors(mask, settings.link_weight)
        given = (factors, 1 + settings.link_weight) if used else None
        if settings is not self._weighed[0]:  # making the list takes as long as a short query
            self._weighed = settings, weight_list(settings)
        return self.reader.search(clause, self._weighed[1], limit, self.labels, mask, given)

    def score(
        self, query: str, at: str, nodes: npt.NDArray[np.int64], settings: SearchSettings | None = None
    ) -> npt.NDArray[np.float64]:
        """What nodes of a snapshot score for their text; 0 where they do not match or have no document."""
        settings = settings or self.collection.settings(SearchSettings)
        clause = self.compiler(settings).compile(query)
        mapped = self.maps[at][nodes]
        has_one = mapped != NO_DOCUMENT
        documents, places = np.unique(mapped[has_one], return_inverse=True)
        found = self.reader.score(clause, weight_list(settings), documents.astype(np.uint32))
        scores = np.zeros(len(mapped))
        scores[has_one] = found.astype(np.float64)[places]
        return scores

    def count(self, query: str, *, at: str | None = None, settings: SearchSettings | None = None) -> int:
        """How many documents a query finds."""
        settings = settings or self.collection.settings(SearchSettings)
        clause = self.compiler(settings).compile(query)
        return self.reader.count(clause, weight_list(settings), self.labels, [self.mask(at=at)])[0]

    def complete(self, start: str, limit: int = 10) -> list[str]:
        """Words of titles and links that begin so, those of most documents first."""
        found = self.reader.terms(NUMBERS["word"], start.casefold(), MAX_EXPANDED)
        return [word for word, _ in Counter(found).most_common(limit)]

    def compiler(self, settings: SearchSettings) -> Compiler:
        """What makes clauses of queries, with the fields that have a weight in these settings."""
        return Compiler(self.analyzer, weights(settings), self._expand)

    def _expand(self, field: str, start: str) -> list[str]:
        found = Counter(self.reader.terms(NUMBERS[field], start, MAX_EXPANDED))
        terms = [term for term, _ in found.most_common(MAX_TERMS)]
        # terms are stems: `tropical*` means `tropic` too
        stem = self.analyzer.terms(start)
        return [*dict.fromkeys([*terms, *stem[:1]])]

    # ---- time

    def mask(self, *, at: str | None = None, since: str | None = None, until: str | None = None) -> int:
        """The snapshots that are asked for, a bit each; all where nothing is said."""
        labels = self.snapshots
        if at is not None:
            if since is not None or until is not None:
                raise DateError("--at names one time, --from and --to a range; say one of the two")
            return 1 << labels.index(find_last(labels, at))
        found = find_range(labels, since, until)
        return (1 << labels.index(found[-1]) + 1) - (1 << labels.index(found[0]))

    def dates(self, documents: Iterable[int], mask: int) -> list[list[str]]:
        """For each document the snapshots of a mask that have it."""
        found = self.labels[np.asarray(documents, np.int64)].tolist()
        return [
            [name for number, name in enumerate(self.snapshots) if label & mask & 1 << number]
            for label in found
        ]

    def places(self, documents: Iterable[int], mask: int) -> list[tuple[str, int]]:
        """For each document the latest snapshot of a mask that has it, and its node there."""
        return [
            (dates[-1], int(self.nodes(dates[-1])[document]))
            for document, dates in zip(documents, self.dates(documents, mask), strict=True)
        ]

    def nodes(self, label: str) -> npt.NDArray[np.int64]:
        """The node of each document in a snapshot, -1 where it has none."""
        if label not in self._nodes:
            found = np.full(len(self), -1, np.int64)
            has_one = np.flatnonzero(self.maps[label] != NO_DOCUMENT)
            found[self.maps[label][has_one]] = has_one
            self._nodes[label] = found
        return self._nodes[label]

    # ---- documents

    def urls(self, documents: npt.NDArray[np.integer]) -> list[str]:
        """The URL of each document."""
        return [from_row_key(key) for key in self._keys(documents)]

    def _keys(self, documents: npt.NDArray[np.integer]) -> list[str]:
        found: list[str] = take(self.documents["row_key"], documents).to_pylist()
        return found

    def source(self, label: str) -> DocumentSource:
        """Where the pages of a snapshot are read; kept from removal."""
        if label not in self._held:
            self._held[label] = Held.open(self.collection[label], self._stack)
        return self._held[label].source(label)

    def text(self, label: str) -> Text:
        """The text of a snapshot."""
        if label not in self._texts:
            part = self.collection[label].open_part("text")
            self._texts[label] = Text(part.path, part)
        return self._texts[label]

    @cached_property
    def simhashes(self) -> npt.NDArray[np.uint64]:
        """The simhash of each document's text."""
        found: npt.NDArray[np.uint64] = self.documents["simhash"].to_numpy()
        return found

    @cached_property
    def num_words(self) -> npt.NDArray[np.uint32]:
        """How many words each document's text has."""
        found: npt.NDArray[np.uint32] = self.documents["words"].to_numpy()
        return found

    def factors(self, mask: int, weight: float) -> tuple[npt.NDArray[np.float32], dict[str, list[str]]]:
        """What the scores of documents are multiplied by for their links, and by which rankings."""
        if (mask, weight) not in self._factors:
            asked = [
                (self.collection[label], self.maps[label])
                for number, label in enumerate(self.snapshots)
                if mask & 1 << number and weight > 0
            ]
            self._factors[mask, weight] = link_factors(asked, len(self), weight)
        return self._factors[mask, weight]

    def _group(
        self, documents: npt.NDArray[np.uint32], limit: int, settings: SearchSettings
    ) -> tuple[list[int], list[int]]:
        """The places of the answers that are shown, and for each how many it stands for."""
        kept: list[int] = []
        folded: list[int] = []
        seen: dict[str, int] = {}
        hosts: Counter[str] = Counter()
        for place, key in enumerate(self._keys(documents)):
            like = seen.get(key)
            if like is None:
                like = self._find_like(documents, kept, place, settings.fold)
            if like is not None:
                folded[like] += 1
                continue
            host = key.partition(")")[0]
            if (settings.per_host and hosts[host] >= settings.per_host) or len(kept) == limit:
                continue
            hosts[host] += 1
            seen[key] = len(kept)
            kept.append(place)
            folded.append(0)
        return kept, folded

    def _find_like(
        self, documents: npt.NDArray[np.uint32], kept: Sequence[int], place: int, bits: int
    ) -> int | None:
        """Which of the answers that are shown already is a near-duplicate of this one."""
        if not kept:
            return None
        others, this = documents[kept], documents[place]
        apart = np.bitwise_count(self.simhashes[others] ^ self.simhashes[this])
        sizes, size = self.num_words[others].astype(np.int64), int(self.num_words[this])
        alike = (apart <= bits) & (np.maximum(sizes, size) <= _LENGTHS_APART * np.minimum(sizes, size))
        if bits == 0:  # texts that differ in a few words may have the same simhash
            alike &= sizes == size
        found = np.flatnonzero(alike & (sizes > 0))
        return int(found[0]) if len(found) else None

    def __repr__(self) -> str:
        return f"<TextIndex: {len(self)} documents of {len(self.snapshots)} snapshots>"


def within(clause: Clause, host: str | None) -> Clause:
    """A clause that holds for a host or domain alone.

    Examples
    --------
    >>> within(("all",), "Example.org")
    ('boolean', [('must', ('all',)), ('must', ('filter', ('whole', 6, 'example.org')))])
    """
    if not host:
        return clause
    name = host.casefold().strip().removesuffix(".")
    return ("boolean", [("must", clause), ("must", ("filter", ("whole", NUMBERS["site"], name)))])
