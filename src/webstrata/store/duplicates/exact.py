"""Exact duplicates: pages with the same digest, and pages with the same fingerprint, in snapshots and across.

Two kinds of classes are told apart:

===============  ==========================================================================================
``digest``       the payloads are the same, byte by byte (SHA-1)
``fingerprint``  tags and text are the same: they differ at most in attributes, comments and white space
                 (`webstrata.web.fingerprint`)
===============  ==========================================================================================

Members are pages, one capture of each URL and snapshot. A sum of bytes would not do for a digest: it does not
see their order.

``bytes`` is what the records of a class take in the WARC files. ``saved`` is what they take less because
duplicates are stored as ``revisit``: for each, the length of the record it refers to less its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webstrata.store.equivalence import join_classes, number_values
from webstrata.store.parsers.registry import find_parsers
from webstrata.store.selection import select_pages
from webstrata.store.settings import StoreSettings
from webstrata.store.warc_files import find_lending

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator

    import numpy.typing as npt

    from webstrata.collection import Snapshot

KINDS = ("digest", "fingerprint")
_MEMBERS = pa.schema([
    ("url", pa.string()),
    ("digest", pa.string()),
    ("fingerprint", pa.uint64()),
    ("bytes", pa.int64()),
    ("saved", pa.int64()),
])  # fmt: skip


@dataclass(frozen=True)
class DuplicateClass:
    """Pages that are duplicates of each other."""

    kind: str
    value: str
    """The digest in Base32, or the fingerprint as 16 hexadecimal digits."""
    urls: list[str]
    """In row-key order, each once."""
    snapshots: list[str]
    count: int
    """Captures."""
    bytes: int
    saved: int


@dataclass(frozen=True)
class Totals:
    """All classes of a kind in numbers."""

    classes: int
    captures: int
    redundant: int
    """Captures that are not the first of their class."""
    bytes: int
    saved: int


def read_members(snapshot: Snapshot) -> pa.Table:
    """The pages of a snapshot in row-key order, one capture of each URL, from its index.

    Columns: ``snapshot``, ``url``, ``digest``, ``fingerprint``, ``bytes``, ``saved``, and ``label``, equal
    for pages that are joined by equal digests or fingerprints.

    Examples
    --------
    >>> from webstrata import testing
    >>> members = read_members(testing.snapshot())
    >>> members["url"].to_pylist()[3:5], members["label"].to_pylist()[3:5]  # these two are equal
    (['http://kitchen.example/', 'http://kitchen.example/index.html'], [3, 3])
    """
    with snapshot.open_part("captures") as part, TemporaryDirectory(prefix="webstrata-") as scratch:
        index = part.path / "index.cdxj.gz"
        settings = snapshot.settings(StoreSettings)
        types, last = find_parsers(settings.parsers), settings.last_capture
        selection = select_pages(index, Path(scratch), earlier=find_lending(snapshot), types=types, last=last)
        tables = [_MEMBERS.empty_table(), *selection.members()]
    table = pa.concat_tables(tables)
    label = join_classes([number_values(table[name]) for name in KINDS]).astype(np.int64)
    table = table.append_column("label", pa.array(label))
    labels = pa.array([snapshot.date] * len(table), pa.string()).dictionary_encode()
    return table.add_column(0, "snapshot", labels)


def find_classes(members: pa.Table, kind: str) -> Iterator[DuplicateClass]:
    """The classes of two or more members, the largest first; tables of snapshots may stand one below another.

    Examples
    --------
    >>> members = pa.table({
    ...     "snapshot": ["2026-05", "2026-06"], "url": ["http://a/", "http://a/"], "digest": ["ABC", "ABC"],
    ...     "bytes": [700, 300], "saved": [0, 400]})
    >>> list(find_classes(members, "digest"))
    [DuplicateClass(kind='digest', value='ABC', urls=['http://a/'], snapshots=['2026-05', '2026-06'],
    count=2, bytes=1000, saved=400)]
    """
    for rows in _group(members, kind):
        found = members.take(rows)
        value = found[kind][0].as_py()
        yield DuplicateClass(
            kind,
            f"{value:016x}" if isinstance(value, int) else str(value),
            pc.unique(found["url"]).to_pylist(),
            sorted(set(found["snapshot"].to_pylist())),
            len(found),
            pc.sum(found["bytes"]).as_py(),
            pc.sum(found["saved"]).as_py(),
        )


def sum_classes(members: pa.Table, kind: str) -> Totals:
    """All classes of a kind in numbers.

    Examples
    --------
    >>> members = pa.table({"digest": ["A", "B", "A"], "bytes": [5, 6, 7], "saved": [0, 0, 1]})
    >>> sum_classes(members, "digest")
    Totals(classes=1, captures=2, redundant=1, bytes=12, saved=1)
    """
    groups = _group(members, kind)
    rows = np.concatenate([np.empty(0, np.int64), *groups])
    found = members.take(rows)
    sizes = {name: int(pc.sum(found[name]).as_py() or 0) for name in ("bytes", "saved")}
    return Totals(len(groups), len(rows), len(rows) - len(groups), **sizes)


def _group(members: pa.Table, kind: str) -> list[npt.NDArray[np.int64]]:
    """The rows of each class of two or more, the largest first, then by their first row."""
    if kind not in KINDS:
        raise ValueError(f"kind: expected {' or '.join(KINDS)}, got {kind!r}")
    encoded = members[kind].combine_chunks().dictionary_encode()
    codes = pc.fill_null(encoded.indices, -1).to_numpy()
    order = np.argsort(codes, kind="stable")
    order = order[codes[order] >= 0]
    if not len(order):
        return []
    starts = np.flatnonzero(np.diff(codes[order])) + 1
    groups = [rows for rows in np.split(order, starts) if len(rows) > 1]
    return sorted(groups, key=lambda rows: (-len(rows), rows[0]))


# ---- how good classes are


class Score(NamedTuple):
    """How well classes agree with true ones, counted in pairs of members."""

    precision: float
    """Share of the pairs found that are true; 1 where none was found."""
    recall: float
    """Share of the true pairs that were found; 1 where there is none."""
    found: int
    true: int


def score(labels: Iterable[Hashable], truth: Iterable[Hashable]) -> Score:
    """How well classes agree with true ones, given the class of each member in both.

    Examples
    --------
    >>> score([0, 0, 0, 3], [1, 1, 2, 3])
    Score(precision=0.3333333333333333, recall=1.0, found=3, true=1)
    """
    found, true = _number(labels), _number(truth)
    both = np.unique(np.stack([found, true], axis=1), axis=0, return_counts=True)[1]
    sizes = [np.unique(values, return_counts=True)[1] for values in (found, true)]
    num_both, num_found, num_true = (
        int((counts.astype(np.int64) * (counts - 1) // 2).sum()) for counts in (both, *sizes)
    )
    return Score(
        num_both / num_found if num_found else 1.0,
        num_both / num_true if num_true else 1.0,
        num_found,
        num_true,
    )


def score_near(
    labels: Iterable[Hashable], truth: Iterable[Hashable], is_near: Callable[[int, int], bool]
) -> Score:
    """How well clusters agree with true classes whose members may have grown apart.

    Of the true pairs those count that are near-duplicates by definition, which `is_near` tells of two
    members, given by their places; of the pairs found those are right that are true, or near all the same.

    Examples
    --------
    >>> score([0, 0, 2, 3, 3], [1, 1, 1, 3, 4])
    Score(precision=0.5, recall=0.3333333333333333, found=2, true=3)
    >>> score_near([0, 0, 2, 3, 3], [1, 1, 1, 3, 4], lambda a, b: (a, b) in [(0, 1), (3, 4)])
    Score(precision=1.0, recall=1.0, found=2, true=1)
    """
    found, true = (set(_list_pairs(_number(values))) for values in (labels, truth))
    near = {pair for pair in sorted(true) if is_near(*pair)}
    right = sum(pair in true or is_near(*pair) for pair in sorted(found))
    return Score(
        right / len(found) if found else 1.0,
        len(near & found) / len(near) if near else 1.0,
        len(found),
        len(near),
    )


def _list_pairs(labels: npt.NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """The pairs of members with the same label, the smaller place first."""
    order = np.argsort(labels, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1):
        yield from combinations(members.tolist(), 2)


def _number(values: Iterable[Hashable]) -> npt.NDArray[np.int64]:
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(value, len(numbers)) for value in values], np.int64)
