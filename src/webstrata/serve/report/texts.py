"""Sheets of text: archives of summaries, and pages that are duplicates of each other."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from webstrata.serve.figures.summaries import draw_archive
from webstrata.serve.report.sheet import Sheet, Table, to_drawings
from webstrata.store.duplicates import KINDS, find_classes, read_members, sum_classes
from webstrata.summaries.statistics import describe_archive

if TYPE_CHECKING:
    from webstrata.api import Snapshot
    from webstrata.collection.progress import Progress

MAX_CLASSES = 8


def make_summaries(snapshot: Snapshot, progress: Progress) -> Sheet:
    """The two figures of SUM for a snapshot, and what its archive takes.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata.collection.progress import Progress
    >>> make_summaries(ws.create(getfixture("tmp_path") / "uk").add("2026-06"), Progress())
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...2026-06: there is no part summaries (parts: none yet); build it first
    """
    found = describe_archive(snapshot.summaries, progress=progress)
    name = f"{snapshot.collection.title} {snapshot.label}"
    each = max(found.num_summaries, 1)
    rows: list[list[Any]] = [[file, size, round(size / each, 2)] for file, size in found.bytes.items()]
    return Sheet(
        "summaries",
        f"Summaries of {snapshot.label}",
        [
            f"{found.num_summaries:,} summaries, {found.num_terms:,} terms, {found.num_postings:,} counts of "
            f"{found.num_words:,} words; {found.summary_bytes:.1f} bytes a page in the coding {found.coding} "
            f"(SUM: 163), of these {found.pointer_bits:.2f} bits to find it."
        ],
        [Table("Footprint", ["file", "bytes", "bytes per page"], rows)],
        to_drawings(draw_archive(found, name), "summaries"),
        f"webstrata summaries stats {snapshot.collection.path} {snapshot.label}",
    )


def make_duplicates(snapshot: Snapshot, progress: Progress) -> Sheet:
    """How many pages of a snapshot are exact duplicates, and the largest classes of them.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata.collection.progress import Progress
    >>> make_duplicates(ws.create(getfixture("tmp_path") / "uk").add("2026-06"), Progress())
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...2026-06: there is no part index (parts: none yet); build it first
    """
    members = read_members(snapshot)
    rows: list[list[Any]] = []
    classes: list[list[Any]] = []
    for kind in KINDS:
        total = sum_classes(members, kind)
        share = round(100 * total.redundant / max(len(members), 1), 2)
        rows.append(
            [
                kind,
                len(members),
                total.classes,
                total.captures,
                total.redundant,
                share,
                total.bytes,
                total.saved,
            ]
        )
        largest = islice(find_classes(members, kind), MAX_CLASSES)
        classes += [[kind, found.count, found.bytes, found.saved, found.urls[0]] for found in largest]
    columns = ["same", "pages", "classes", "pages in them", "redundant", "%", "bytes", "bytes saved"]
    return Sheet(
        "duplicates",
        f"Duplicates of {snapshot.label}",
        [
            "Pages whose payload is the same, byte by byte, or whose fingerprint is, which passes over "
            "dates and counters."
        ],
        [
            Table("Exact duplicates", columns, rows),
            Table("The largest classes", ["same", "pages", "bytes", "bytes saved", "first URL"], classes),
        ],
        command=f"webstrata duplicates {snapshot.collection.path} {snapshot.label}",
    )
