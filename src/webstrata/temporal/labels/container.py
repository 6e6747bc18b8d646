"""The file ``.labels``: everything about the labels of one graph (docs/formats/temporal-labels.md).

The file is a head of 16 bytes, sections that begin at multiples of 8 bytes, and a tail of 136. All numbers
are big-endian. Small sections are read when the file is opened and compared with a checksum; the others are
mapped and looked into, and damage there is said when a label is asked for.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from webstrata.collection.files import explained
from webstrata.errors import FormatError, MissingError, NewerFormatError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import BinaryIO

    from numpy.typing import NDArray

    from webstrata.temporal.labels.codes import Book

EXTENSION = ".labels"
MAGIC = b"wslabels"
VERSION = 1
SECTIONS = ("stream", "lows", "highs", "samples", "marks", "ranks", "nodes", "counts", "books")
"""In the order in which they are in the file; the first six are mapped."""
MAPPED = SECTIONS[:6]
_HEAD = struct.Struct(">8sHBBBB2x")
_TAIL = struct.Struct(">6Q9QII8s")
HEAD_SIZE, TAIL_SIZE = _HEAD.size, _TAIL.size
_AGAIN = "build the part temporal again"
_DAMAGED = f"the file is damaged; {_AGAIN}"


@dataclass(frozen=True, kw_only=True)
class ContainerDescription:
    """What a file says about itself."""

    coding: int
    """1 for ``huffman``, 2 for ``runs``."""
    is_bounded: bool
    """Whether every arc is there only when both its ends are."""
    num_snapshots: int
    low_bits: int
    """Of each pointer that stand apart."""
    num_nodes: int
    num_arcs: int
    num_link_instances: int
    stream_bits: int
    graph_bytes: int
    """Of the file ``.graph`` that these are the labels of."""
    graph_print: int
    """Its fingerprint."""
    sections: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Where each begins, and its length without padding."""


def file_of(basename: Path) -> Path:
    """The file of labels with this basename, which may have a dot in it.

    Examples
    --------
    >>> from pathlib import Path
    >>> file_of(Path("uk.2026")).name
    'uk.2026.labels'
    """
    return basename.with_name(basename.name + EXTENSION)


def fingerprint(graph: Path) -> tuple[int, int]:
    """The length of a graph's file ``.graph``, and a checksum of its first and last 64 KiB.

    Labels are predicted from how the graph is coded: with the same graph in other bits they would be others.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "uk"
    >>> _ = path.with_name("uk.graph").write_bytes(b"abc")
    >>> fingerprint(path)
    (3, 891568578)
    """
    path = graph.with_name(graph.name + ".graph")
    with explained(path, "read"), path.open("rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(0)
        found = zlib.crc32(stream.read(1 << 16))
        if size > 1 << 16:
            stream.seek(max(size - (1 << 16), 1 << 16))
            found = zlib.crc32(stream.read(), found)
    return size, found


class Container:
    """Writes a file section by section, in the order of `SECTIONS`."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._position = HEAD_SIZE
        self._lengths: list[int] = []
        self._checksum = 0

    def begin(self, description: ContainerDescription) -> None:
        """Write the head, of which low_bits is not known yet."""
        self._stream.write(_head(description))

    def add_raw(self, data: bytes) -> None:
        """Append to the section that is being written."""
        self._stream.write(data)
        self._position += len(data)

    def end_section(self, length: int) -> None:
        """Close a section of so many bytes."""
        padding = -self._position % 8
        self._stream.write(bytes(padding))
        self._position += padding
        self._lengths.append(length)

    def add(self, data: bytes, *, checked: bool = False) -> None:
        """Append a whole section."""
        if checked:
            self._checksum = zlib.crc32(data, self._checksum)
        self.add_raw(data)
        self.end_section(len(data))

    def finish(self, description: ContainerDescription) -> None:
        """Write the tail, without which there is no file."""
        numbers = _numbers(description)
        self._stream.write(_pack_tail(numbers, self._lengths, self._checksum, _head(description)))


def _head(about: ContainerDescription) -> bytes:
    flags = int(about.is_bounded)
    return _HEAD.pack(MAGIC, VERSION, about.coding, flags, about.num_snapshots, 0)


def _numbers(about: ContainerDescription) -> tuple[int, ...]:
    return (
        about.num_nodes, about.num_arcs, about.num_link_instances, about.stream_bits,
        about.graph_bytes, about.graph_print << 8 | about.low_bits,
    )  # fmt: skip


def _pack_tail(numbers: Sequence[int], lengths: Sequence[int], checksum: int, head: bytes) -> bytes:
    own = zlib.crc32(head + struct.pack(">15QI", *numbers, *lengths, checksum))
    return _TAIL.pack(*numbers, *lengths, checksum, own, MAGIC)


def read_description(path: Path) -> ContainerDescription:
    """What a file says about itself; another, a newer, a cut off or a damaged one is refused.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.temporal.labels import label_arcs
    >>> path = testing.scratch() / "union"
    >>> _ = label_arcs(path, [(0, 1, 0b01)], snapshots=["2026-01", "2026-02"])
    >>> read_description(file_of(path)).num_snapshots
    2
    """
    with explained(path, "read"):
        if not path.is_file():
            raise MissingError(f"{path}: there are no labels; build the union graph first")
        size = path.stat().st_size
        with path.open("rb") as stream:
            head = stream.read(HEAD_SIZE)
            stream.seek(max(size - TAIL_SIZE, 0))
            tail = stream.read()
    if head[: len(MAGIC)] != MAGIC:
        raise FormatError(f"{path}: this is no file of labels; name another or build it again")
    if len(head) < HEAD_SIZE:
        raise FormatError(f"{path}: it ends after {size} bytes; {_AGAIN}")
    _, version, coding, flags, num_snapshots, _ = _HEAD.unpack(head)
    if version > VERSION:
        raise NewerFormatError(
            f"{path}: its format is version {version} and this webstrata reads up to {VERSION}; "
            "upgrade webstrata"
        )
    if size < HEAD_SIZE + TAIL_SIZE or tail[-len(MAGIC) :] != MAGIC:
        raise FormatError(f"{path}: it is cut off after {size} bytes; {_AGAIN}")
    *numbers, checksum, _own, _ = _TAIL.unpack(tail)
    if _pack_tail(numbers[:6], numbers[6:], checksum, head) != tail:
        raise FormatError(f"{path}: its last bytes do not fit the first ones; {_DAMAGED}")
    position, sections = HEAD_SIZE, {}
    for name, length in zip(SECTIONS, numbers[6:], strict=True):
        sections[name] = (position, length)
        position += length + -length % 8
    if position + TAIL_SIZE != size:
        raise FormatError(
            f"{path}: it has {size} bytes and its sections take {position + TAIL_SIZE}; {_DAMAGED}"
        )
    if coding not in (1, 2) or not 1 <= num_snapshots <= 64:
        raise FormatError(f"{path}: there is no coding {coding} of {num_snapshots} snapshots; {_DAMAGED}")
    _check(path, sections, checksum)
    return ContainerDescription(
        coding=coding,
        is_bounded=bool(flags & 1),
        num_snapshots=num_snapshots,
        low_bits=numbers[5] & 0xFF,
        num_nodes=numbers[0],
        num_arcs=numbers[1],
        num_link_instances=numbers[2],
        stream_bits=numbers[3],
        graph_bytes=numbers[4],
        graph_print=numbers[5] >> 8,
        sections=sections,
    )


def _check(path: Path, sections: dict[str, tuple[int, int]], checksum: int) -> None:
    found = 0
    for name in SECTIONS[len(MAPPED) :]:
        found = zlib.crc32(read_section(path, sections[name]), found)
    if found != checksum:
        raise FormatError(
            f"{path}: the labels of nodes or the codebooks are not what was written; {_DAMAGED}"
        )


def read_section(path: Path, section: tuple[int, int]) -> bytes:
    """The bytes of a section.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "a"
    >>> _ = path.write_bytes(b"0123456789")
    >>> read_section(path, (2, 3))
    b'234'
    """
    with explained(path, "read"), path.open("rb") as stream:
        stream.seek(section[0])
        return stream.read(section[1])


# ---- sections that are read whole: zlib, with the first bytes of all numbers together, then the second …


def pack_numbers(*arrays: NDArray[np.unsignedinteger]) -> bytes:
    """Arrays of numbers, compressed.

    Examples
    --------
    >>> data = pack_numbers(np.array([3, 1 << 40], np.uint64), np.array([7], np.uint8))
    >>> [found.tolist() for found in unpack_numbers(data, num_arrays=2, most=3)]
    [[3, 1099511627776], [7]]
    """
    parts = [struct.pack(">B", len(arrays))]
    for array in arrays:
        width = max((int(array.max()) if len(array) else 0).bit_length() + 7, 8) // 8
        planes = array.astype(">u8").view(np.uint8).reshape(len(array), 8)[:, 8 - width :]
        parts += [struct.pack(">BQ", width, len(array)), planes.T.tobytes()]
    return zlib.compress(b"".join(parts), 9)


def unpack_numbers(data: bytes, *, num_arrays: int, most: int) -> list[NDArray[np.uint64]]:
    """What `pack_numbers` took; `FormatError` if these are not its bytes, or more numbers than there can be.

    Examples
    --------
    >>> data = pack_numbers(np.array([1, 300], np.uint64))
    >>> [found.tolist() for found in unpack_numbers(data, num_arrays=1, most=2)]
    [[1, 300]]
    >>> unpack_numbers(data, num_arrays=2, most=2)
    Traceback (most recent call last):
    webstrata.errors.FormatError: labels: numbers cannot be read (1 arrays, expected 2); ...
    """
    try:
        # a few bytes may say that they are millions: what comes out of them is bounded
        inflater = zlib.decompressobj()
        raw = inflater.decompress(data, 1 + num_arrays * 9 + 8 * most + 1)
        if not inflater.eof:
            raise ValueError(f"they are cut off, or more than {most}")
        if raw[0] != num_arrays:
            raise ValueError(f"{raw[0]} arrays, expected {num_arrays}")
        place, found = 1, []
        for _ in range(num_arrays):
            width, length = struct.unpack_from(">BQ", raw, place)
            place += 9
            if not 1 <= width <= 8 or width * length > len(raw) - place:
                raise ValueError(f"{length} numbers of {width} bytes in {len(raw) - place}")
            planes = np.frombuffer(raw, np.uint8, width * length, place).reshape(width, length)
            wide = np.zeros((length, 8), np.uint8)
            wide[:, 8 - width :] = planes.T
            found.append(wide.view(">u8").reshape(length).astype(np.uint64))
            place += width * length
    except (zlib.error, struct.error, ValueError, IndexError) as error:
        raise FormatError(f"labels: numbers cannot be read ({error}); {_DAMAGED}") from error
    return found


def pack_nodes(labels: NDArray[np.uint64]) -> bytes:
    """Labels of nodes: those that occur, the most frequent first, and which of them each node has.

    Examples
    --------
    >>> unpack_nodes(pack_nodes(np.array([5, 7, 7], np.uint64)), 3).tolist()
    [5, 7, 7]
    """
    distinct, which, counts = np.unique(labels, return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    numbers = np.empty(len(distinct), np.uint64)
    numbers[order] = np.arange(len(distinct), dtype=np.uint64)
    return pack_numbers(distinct[order], numbers[which.reshape(-1)])


def unpack_nodes(data: bytes, num_nodes: int) -> NDArray[np.uint64]:
    """What `pack_nodes` took of a graph with so many nodes.

    Examples
    --------
    >>> unpack_nodes(pack_nodes(np.array([5, 7, 7], np.uint64)), 3).tolist()
    [5, 7, 7]
    """
    distinct, which = unpack_numbers(data, num_arrays=2, most=2 * num_nodes)
    if len(which) and int(which.max()) >= len(distinct):
        raise FormatError(f"labels: a node has a label that is not there; {_DAMAGED}")
    return distinct[which.astype(np.int64)]


def pack_books(keys: NDArray[np.uint64], books: Sequence[Book]) -> bytes:
    """Codes with what each is for: symbols as differences to the one before, of all books together.

    Examples
    --------
    >>> from webstrata.temporal.labels.codes import make_book
    >>> data = pack_books(np.array([9], np.uint64), [make_book([1, 2], [3, 4])])
    >>> [found.tolist() for found in unpack_books(data, 6)]
    [[9], [2], [1, 1], [1, 2]]
    """
    counts = np.array([len(book.symbols) for book in books], np.uint64)
    symbols = np.concatenate([np.zeros(0, np.uint64), *(book.symbols for book in books)])
    lengths = np.concatenate([np.zeros(0, np.uint8), *(book.lengths for book in books)])
    return pack_numbers(keys, counts, lengths, symbols)


def unpack_books(
    data: bytes, most: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint8], NDArray[np.uint64]]:
    """Keys, numbers of symbols, lengths of codes and symbols: no more than `most` numbers in all.

    Examples
    --------
    >>> [found.tolist() for found in unpack_books(pack_books(np.zeros(0, np.uint64), []), 0)]
    [[], [], [], []]
    """
    keys, counts, lengths, symbols = unpack_numbers(data, num_arrays=4, most=most)
    if (counts > len(symbols)).any() or (lengths > 64).any():
        raise FormatError(f"labels: codebooks name symbols or codes that there cannot be; {_DAMAGED}")
    return keys, counts.astype(np.uint32), lengths.astype(np.uint8), symbols
