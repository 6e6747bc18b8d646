"""Documents: one for each version of a page, with a label of the snapshots that have it.

A version is what a page says and what it is called: title, main content (all of the text where none was
found), language, and the different texts of followed links to it from other pages. What stands around main
content, as menus, counters and advertisements, is of the first snapshot that has the version. Its identity is
a digest of these and of the row key, so that a page that has not changed from one snapshot to the next has
one document, and a page that changes back gets its old one.

Numbers of documents are given in the order of snapshots as they were added, then of nodes. For each snapshot
a map leads from node to document; labels are made of these maps. A document is read where it is first found,
its home.
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from webstrata.search.fields import split_text
from webstrata.store.anchors import Anchors
from webstrata.store.links import NOFOLLOW
from webstrata.store.pages import Pages
from webstrata.store.text import BATCH, Text
from webstrata.store.urls import Urls

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from contextlib import ExitStack
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.collection import Snapshot
    from webstrata.collection.parts import Part

DIGEST = 16
NO_DOCUMENT = 0xFFFF_FFFF
"""In a map, for a node whose page is not indexed."""
NO_DIGEST = bytes(DIGEST)
"""That of a page which is not indexed."""
LEFT_OUT = ("noindex", "soft_404")
"""Columns of the part `pages` that keep a page out of the index where they are true."""
MAX_ANCHORS = 1 << 16
"""Bytes of anchor texts of a page that are looked at, in their order."""
DOCUMENTS = pa.schema([
    ("row_key", pa.large_string()),
    ("digest", pa.binary(DIGEST)),
    ("simhash", pa.uint64()),
    ("words", pa.uint32()),
])  # fmt: skip


class DocumentSource(NamedTuple):
    """Where the pages of a snapshot are read; it can be sent to another process."""

    label: str
    text: Path
    urls: Path
    anchors: Path | None
    pages: Path | None = None
    """Where pages are marked that are left out."""


class IndexedPage(NamedTuple):
    """What is known of a node when it becomes a document."""

    node: int
    key: str
    row: dict[str, Any]
    anchors: list[str]


class Held(NamedTuple):
    """The parts of a snapshot that are read, kept from removal."""

    text: Part
    urls: Part
    anchors: Part | None
    pages: Part | None = None

    @classmethod
    def open(cls, snapshot: Snapshot, stack: ExitStack) -> Held:
        """Open and verify the parts of a snapshot; anchors and pages are optional."""
        text, urls = (stack.enter_context(snapshot.open_part(name, whole=True)) for name in ("text", "urls"))
        anchors = pages = None
        if "anchors" in snapshot.parts:
            anchors = stack.enter_context(snapshot.open_part("anchors", whole=True))
        if "pages" in snapshot.parts:
            pages = stack.enter_context(snapshot.open_part("pages", whole=True))
            if not set(LEFT_OUT) & set(Pages(pages.path).columns):
                pages = None
        return cls(text, urls, anchors, pages)

    def source(self, label: str) -> DocumentSource:
        """Where another process finds them."""
        anchors, pages = (None if part is None else part.path for part in (self.anchors, self.pages))
        return DocumentSource(label, self.text.path, self.urls.path, anchors, pages)

    def inputs(self, label: str) -> dict[str, str]:
        """The names and checksums of the parts."""
        return {f"{label}/{part.name}": part.record.checksum for part in self if part is not None}


class PageReader:
    """The pages of a snapshot as documents are made of them, in the order of nodes."""

    def __init__(self, source: DocumentSource) -> None:
        self.text, self.urls = Text(source.text), Urls(source.urls)
        self._anchors = Anchors(source.anchors) if source.anchors else None
        self._pages = source.pages

    def __len__(self) -> int:
        return len(self.text)

    @cached_property
    def columns(self) -> pa.Table:
        """Words, language and simhash of all nodes."""
        return self.text.columns("words", "language", "simhash").combine_chunks()

    @cached_property
    def left_out(self) -> npt.NDArray[np.bool_]:
        """Whether each node is kept out of the index: marked `noindex`, or an error page with status 200."""
        found = np.zeros(len(self), bool)
        if self._pages is not None:
            pages = Pages(self._pages)
            for name in LEFT_OUT:
                if name in pages.columns:
                    found |= pages.table(name)[name].fill_null(False).to_numpy()
        return found

    def read(self, nodes: npt.NDArray[np.int64]) -> Iterator[list[IndexedPage]]:
        """The pages of nodes, which are sorted, some at a time."""
        for start in range(0, len(nodes), BATCH):
            some = nodes[start : start + BATCH]
            rows = self.text.rows(some).select(["title", "text", "main"]).to_pylist()
            languages = self.columns["language"].take(pa.array(some)).to_pylist()
            keys = self.urls.keys_of(some).to_pylist()
            anchors = self._read_anchors(some)
            yield [
                IndexedPage(node, key, row | {"language": language}, anchors.get(node, []))
                for node, key, row, language in zip(some.tolist(), keys, rows, languages, strict=True)
            ]

    def _read_anchors(self, nodes: npt.NDArray[np.int64]) -> dict[int, list[str]]:
        """The different texts of followed links to each node, in order."""
        found: dict[int, list[str]] = {}
        if self._anchors is None or not len(nodes):
            return found
        first, last = int(nodes[0]), int(nodes[-1])
        for table in self._anchors.rows.between(first, last):
            begin, end = np.searchsorted(table["target"].to_numpy(), [first, last + 1])
            rows = table.slice(begin, end - begin)
            targets = rows["target"].to_numpy()
            places = np.minimum(np.searchsorted(nodes, targets), len(nodes) - 1)
            wanted = (nodes[places] == targets) & (rows["rel"].to_numpy() & NOFOLLOW == 0)
            rows = rows.select(["target", "text"]).filter(pa.array(wanted))
            # most links to a page call it the same
            distinct = rows.group_by(["target", "text"], use_threads=False).aggregate([])
            columns = (distinct[name].to_pylist() for name in ("target", "text"))
            for target, text in zip(*columns, strict=True):
                if text := text.strip():
                    found.setdefault(target, []).append(text)
        return {node: _distinct(texts) for node, texts in found.items()}


def _distinct(texts: Sequence[str]) -> list[str]:
    kept, size = [], 0
    for text in sorted(set(texts)):
        size += len(text)
        if size > MAX_ANCHORS:
            break
        kept.append(text)
    return kept


def identify(key: str, row: Mapping[str, Any], anchors: Sequence[str]) -> bytes:
    """The digest that a version of a page is known by.

    Examples
    --------
    >>> row = {"title": "Fish", "text": "Tropical fish", "main": [0, 13], "language": "en"}
    >>> one = identify("org,a)/", row, ["fishes"])
    >>> len(one), one == identify("org,a)/", dict(row), ["fishes"]), one == identify("org,a)/", row, [])
    (16, True, False)
    """
    digest = hashlib.blake2b(digest_size=DIGEST)
    main, _ = split_text(row["text"], row["main"] or [])
    for piece in (key, row["title"], row["language"] or "", "\n".join(main), *anchors):
        data = piece.encode()
        # lengths, so that no two lists of pieces look alike
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.digest()


class Register:
    """Gives documents their numbers: an identity that was there before keeps its own.

    Examples
    --------
    >>> register = Register()
    >>> register.number([b"a" * 16, b"b" * 16])
    (array([0, 1]), [0, 1])
    >>> register.number([b"b" * 16, b"c" * 16])
    (array([1, 2]), [1])
    """

    def __init__(self, digests: Sequence[bytes] = ()) -> None:
        self._numbers = {digest: number for number, digest in enumerate(digests)}

    def __len__(self) -> int:
        return len(self._numbers)

    def number(self, digests: Sequence[bytes]) -> tuple[npt.NDArray[np.int64], list[int]]:
        """The documents of some identities, and the places of those that are new."""
        known = len(self)
        numbers = self._numbers
        found = np.array(
            [
                NO_DOCUMENT if digest == NO_DIGEST else numbers.setdefault(digest, len(numbers))
                for digest in digests
            ],
            np.int64,
        )
        return found, np.flatnonzero((found >= known) & (found != NO_DOCUMENT)).tolist()


class Homes(NamedTuple):
    """Where each document is read: the first snapshot that has it, by its number, and its node there."""

    sources: npt.NDArray[np.int64]
    nodes: npt.NDArray[np.int64]

    @classmethod
    def find(cls, maps: Sequence[npt.NDArray[np.uint32]], num_documents: int) -> Homes:
        """The homes of documents, given those of the nodes of each snapshot, the earliest first.

        Examples
        --------
        >>> Homes.find([np.array([0, 1], "u4"), np.array([1, 2], "u4")], 3)
        Homes(sources=array([0, 0, 1]), nodes=array([0, 1, 1]))
        """
        sources, nodes = np.full(num_documents, -1), np.full(num_documents, -1)
        for number, documents in reversed(list(enumerate(maps))):
            has_one = np.flatnonzero(documents != NO_DOCUMENT)
            sources[documents[has_one]] = number
            nodes[documents[has_one]] = has_one
        return cls(sources, nodes)


def make_labels(maps: Sequence[npt.NDArray[np.uint32]], num_documents: int) -> npt.NDArray[np.uint64]:
    """The label of each document: bit i for the i-th snapshot, given the document of each of its nodes.

    Examples
    --------
    >>> make_labels([np.array([0, 1], "u4"), np.array([1, 2], "u4")], 3).tolist()
    [1, 3, 2]
    """
    labels = np.zeros(num_documents, np.uint64)
    for number, documents in enumerate(maps):
        labels[documents[documents != NO_DOCUMENT]] |= np.uint64(1 << number)
    return labels
