"""Signatures: what stands for a page when near-duplicates are looked for. The part `signatures`.

====================  =====================================================================================
``fingerprints.bin``  the selected fingerprints of all pages (`webstrata.store.duplicates.near`), sorted
                      within a page, as little-endian numbers of 64 bits
``ends.bin``          for each node where its fingerprints end in that list; little-endian, 64 bits
``words.bin``         for each node its number of words; little-endian, 32 bits
====================  =====================================================================================

A snapshot is signed once. Later snapshots are compared with its signatures, and its text is read again only
for the pages that are candidates. The counts of the part tell what was selected: `n`, `p`, `overlapping`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from webstrata._core import store as _core
from webstrata.collection.files import explained, open_writer
from webstrata.collection.parts import stale_inputs
from webstrata.collection.progress import Progress
from webstrata.store.text import Text
from webstrata.web.words import load_core

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.collection import Snapshot
    from webstrata.collection.parts import Part

N, P = 5, 4
"""Words of an n-gram, and of how many fingerprints one is kept."""
_AT_ONCE = 4096
"""Texts that are given to the core at once."""


@dataclass(frozen=True)
class SignatureSelection:
    """Which n-grams stand for a text."""

    n: int = N
    p: int = P
    overlapping: bool = True

    def __post_init__(self) -> None:
        if self.n < 1 or self.p < 1:
            raise ValueError(f"n and p: expected 1 or more, got {self.n} and {self.p}")


@dataclass(frozen=True)
class Signatures:
    """The signatures of texts, by number."""

    offsets: npt.NDArray[np.uint64]
    fingerprints: npt.NDArray[np.uint64]
    words: npt.NDArray[np.uint32]
    part: Part | None = None
    """Held, so that the files stay."""

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, number: int) -> npt.NDArray[np.uint64]:
        """The fingerprints of a text."""
        return self.fingerprints[int(self.offsets[number]) : int(self.offsets[number + 1])]


def to_buffers(texts: pa.Array) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """Texts as the core takes them: where each begins and ends, and all their bytes; nothing is copied.

    Examples
    --------
    >>> offsets, data = to_buffers(pa.array(["one", "two"], pa.large_string()))
    >>> offsets.tolist(), data[:6].tobytes()
    ([0, 3, 6], b'onetwo')
    """
    texts = texts.cast(pa.large_string())
    if texts.null_count:
        texts = texts.fill_null("")
    _, offsets, data = texts.buffers()
    if not len(texts):
        return np.zeros(1, np.int64), np.empty(0, np.uint8)
    places = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    return places, np.frombuffer(data, np.uint8) if data is not None and data.size else np.empty(0, np.uint8)


def iter_signatures(
    texts: Iterable[pa.Array],
    selection: SignatureSelection | None = None,
    *,
    progress: Callable[[int], object] | None = None,
) -> Iterator[Signatures]:
    """The signatures of texts, some thousand at a time, in their order.

    Examples
    --------
    >>> text = "tropical fish include fish found in tropical environments around the world"
    >>> [found] = iter_signatures([pa.array([text, "fish"])], SignatureSelection(p=1))
    >>> found.offsets.tolist(), found.words.tolist()
    ([0, 7, 8], [11, 1])
    """
    selection = selection or SignatureSelection()
    waiting: list[pa.Array] = []

    def flush() -> Signatures:
        # what is one already is not copied
        offsets, data = to_buffers(pa.concat_arrays(waiting) if len(waiting) > 1 else waiting[0])
        waiting.clear()
        found = _core.sign_texts(
            load_core(), offsets, data, selection.n, selection.p, selection.overlapping, False, progress
        )
        return Signatures(found[0], found[1], found[2])

    for array in texts:
        for place in range(0, len(array), _AT_ONCE):
            waiting.append(array.slice(place, _AT_ONCE).cast(pa.large_string()))
            if sum(map(len, waiting)) >= _AT_ONCE:
                yield flush()
    if waiting:
        yield flush()


def sign(
    texts: Iterable[pa.Array],
    selection: SignatureSelection | None = None,
    *,
    progress: Callable[[int], object] | None = None,
) -> Signatures:
    """The signatures of all texts, in memory.

    Examples
    --------
    >>> len(sign([pa.array(["fish", "tank", ""])]))
    3
    """
    return join_signatures(list(iter_signatures(texts, selection, progress=progress)))


def join_signatures(pieces: list[Signatures]) -> Signatures:
    """Signatures one behind the other.

    Examples
    --------
    >>> one = Signatures(np.array([0, 1], np.uint64), np.array([7], np.uint64), np.array([3], np.uint32))
    >>> join_signatures([one, one]).offsets.tolist()
    [0, 1, 2]
    """
    offsets, before = [np.zeros(1, np.uint64)], 0
    for piece in pieces:
        offsets.append(piece.offsets[1:] + np.uint64(before))
        before += len(piece.fingerprints)
    return Signatures(
        np.concatenate(offsets),
        np.concatenate([np.empty(0, np.uint64), *(piece.fingerprints for piece in pieces)]),
        np.concatenate([np.empty(0, np.uint32), *(piece.words for piece in pieces)]),
    )


# ---- the part


def open_signatures(
    snapshot: Snapshot, selection: SignatureSelection | None = None, *, progress: Progress | None = None
) -> Signatures:
    """The signatures of a snapshot that has its text; made, and kept, where they are not there or are stale.

    Examples
    --------
    >>> from webstrata import testing
    >>> snapshot = testing.snapshot()
    >>> signatures = open_signatures(snapshot)
    >>> len(signatures), signatures.words[:3].tolist()
    (15, [37, 36, 23])
    """
    selection = selection or SignatureSelection()
    if not _is_fresh(snapshot, selection):
        _build(snapshot, selection, progress or Progress())
    part = snapshot.open_part("signatures")
    ends = _map(part.path / "ends.bin", "<u8")
    return Signatures(
        np.concatenate([np.zeros(1, np.uint64), ends]),
        _map(part.path / "fingerprints.bin", "<u8"),
        _map(part.path / "words.bin", "<u4"),
        part,
    )


def _is_fresh(snapshot: Snapshot, selection: SignatureSelection) -> bool:
    if "signatures" not in snapshot.parts:
        return False
    record = snapshot.parts.record("signatures")
    now = {f"{snapshot.date}/text": snapshot.parts.record("text").checksum}
    wanted = {"n": selection.n, "p": selection.p, "overlapping": int(selection.overlapping)}
    return not stale_inputs(record.inputs, now) and wanted.items() <= dict(record.counts).items()


def _build(snapshot: Snapshot, selection: SignatureSelection, progress: Progress) -> None:
    source = snapshot.open_part("text")
    text = Text(source.path, source)
    with (
        snapshot.write_part("signatures", inputs=("text",), progress=progress) as build,
        progress.task(f"signing {snapshot.date}", total=len(text), unit="pages") as task,
        open_writer(build.path / "fingerprints.bin") as values,
        open_writer(build.path / "ends.bin") as ends,
        open_writer(build.path / "words.bin") as words,
    ):
        before = 0
        batches = (batch["text"] for batch in text.scan("text"))
        for found in iter_signatures(batches, selection, progress=task.advance):
            values.write(found.fingerprints.astype("<u8", copy=False).tobytes())
            ends.write((found.offsets[1:] + np.uint64(before)).astype("<u8", copy=False).tobytes())
            words.write(found.words.astype("<u4", copy=False).tobytes())
            before += len(found.fingerprints)
        build.count(
            nodes=len(text),
            fingerprints=before,
            n=selection.n,
            p=selection.p,
            overlapping=int(selection.overlapping),
        )


def _map(path: Path, kind: str) -> npt.NDArray[Any]:
    with explained(path, "read"):
        # an empty file cannot be mapped
        return np.memmap(path, kind, "r") if path.stat().st_size else np.empty(0, kind)
