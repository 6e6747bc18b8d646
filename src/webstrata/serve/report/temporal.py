"""Sheets of time: the tables of TIME for the snapshots of a collection, and what their union takes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from webstrata.collection.action import Action
from webstrata.pipeline.presets import is_made_with
from webstrata.serve.report.sheet import Missing, Sheet, SheetTable, lacks_second, to_drawings, to_tables
from webstrata.temporal.codings import compare_codings
from webstrata.temporal.footprint import describe_snapshots
from webstrata.temporal.tables import UnionStatistics
from webstrata.temporal.union import PART, StoredUnion

if TYPE_CHECKING:
    from webstrata.api import Collection
    from webstrata.collection.progress import Progress

PLACES = {
    "Hosts in common": "TIME, table 2",
    "URLs in common": "TIME, table 3",
    "Size of the union": "TIME, section 5",
}
"""Where the paper has a table."""


def make_times(collection: Collection) -> list[Sheet | Missing]:
    """Tables 2 and 3 of TIME, the footprint of the union, and how long links live.

    Examples
    --------
    >>> from webstrata import testing
    >>> sheets = make_times(testing.collection())
    >>> [sheet.title for sheet in sheets]
    ['Time']
    """
    command = Action.on(collection, "build", PART).command
    if PART not in collection.parts:
        what = "the union of snapshots"
        return [Missing(what, command) if len(collection) > 1 else lacks_second(what, collection)]
    found = UnionStatistics(StoredUnion(collection))
    text = (
        f"{found.summary} {found.footprint[0].bits_per_instance:.3f} bits each (TIME: 1.9, without pointers)."
    )
    notes = [f"Warning: {sentence}." for sentence in found.warnings]
    figures = to_drawings(found.figures(collection.title), "time")
    tables = [
        replace(table, title=_name(table.title, place, collection)) if place else table
        for table in to_tables(found)
        for place in [PLACES.get(table.title)]
    ]
    command = Action.on(collection, "temporal stats").command
    return [Sheet("time", "Time", [text], tables, figures, command, notes)]


def _name(title: str, paper: str, collection: Collection) -> str:
    """A title with the paper's name where everything was made with its preset, else as one like it."""
    is_paper = is_made_with("paper:time", collection, f"/{PART}")
    return f"{title} ({paper})" if is_paper else f"{title} (like {paper})"


def make_footprint(collection: Collection, progress: Progress) -> Sheet:
    """Table 1 of TIME, and its coding next to ours on the same union.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.collection.progress import Progress
    >>> [table.title for table in make_footprint(testing.collection(), Progress()).tables]
    ['Snapshots (like TIME, table 1)', 'The coding of TIME and ours on the same union']
    """
    union = StoredUnion(collection)
    sizes: list[list[Any]] = [
        [
            row.snapshot,
            row.captures,
            row.uncompressed_bytes,
            row.warc_bytes,
            row.pages,
            row.arcs,
            row.graph_bytes,
            round(row.bits_per_arc, 3),
        ]
        for row in describe_snapshots(union, with_records=True)
    ]
    codings = compare_codings(union, progress=progress).rows
    rows: list[list[Any]] = [
        [
            row["graph"],
            row["labels"],
            *(row[name] for name in ("bits_per_arc", "bits_per_label", "bytes", "bits_per_instance")),
        ]
        for row in codings
    ]
    one, other = (
        next(row for row in codings if (row["graph"], row["labels"]) == pair)["bits_per_instance"]
        for pair in (("TIME", "huffman"), ("ours", "runs"))
    )
    return Sheet(
        "footprint",
        "Table 1 of TIME and codings",
        [
            f"On this union the coding of TIME takes {one:.3f} bits per link instance and ours {other:.3f}, "
            f"a ratio of {other / one if one else 1:.2f}, with pointers in both (TIME on its own web: 1.9 "
            "without)."
        ],
        [
            SheetTable(
                _name("Snapshots", "TIME, table 1", collection),
                [
                    "snapshot",
                    "captures",
                    "size, bytes",
                    "compressed, bytes",
                    "nodes",
                    "arcs",
                    "graph, bytes",
                    "bits per arc",
                ],
                sizes,
                "Size: records of pages without compression. Compressed: all WARC files.",
            ),
            SheetTable(
                "The coding of TIME and ours on the same union",
                ["graph", "labels", "bits per arc", "bits per label", "bytes", "bits per link instance"],
                rows,
                "Graph TIME: window 7, chains of 3. Labels huffman: one code per source label (section 4).",
            ),
        ],
        command=Action.on(collection, "temporal stats", codings=True).command,
    )
