"""Sheets of text: archives of summaries, and pages that are duplicates or near-duplicates of each other."""

from __future__ import annotations

from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

from webstrata.collection.action import Action
from webstrata.pipeline.presets import is_made_with
from webstrata.serve.figures.summaries import draw_archive
from webstrata.serve.report.sheet import Sheet, SheetTable, to_drawings
from webstrata.store.duplicates.exact import KINDS, find_classes, read_members, score_near, sum_classes
from webstrata.store.duplicates.near import (
    RESEMBLANCE,
    SIMILARITY,
    common,
    cosine,
    count_words,
    find_near_duplicates,
)
from webstrata.summaries.statistics import SAMPLE, describe_archive, measure_codings

if TYPE_CHECKING:
    from webstrata.api import Snapshot
    from webstrata.collection.progress import Progress
    from webstrata.store.duplicates.near import NearDuplicates

MAX_CLASSES = 8


def make_summaries(snapshot: Snapshot, progress: Progress) -> Sheet:
    """The two figures of SUM for a snapshot, and what its archive takes.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.collection.progress import Progress
    >>> sheet = make_summaries(testing.snapshot(), Progress())
    >>> [table.title for table in sheet.tables]
    ['Footprint', 'The coding of SUM and ours on the same summaries (like SUM, section 3)']
    """
    found = describe_archive(snapshot.summaries, progress=progress)
    collection = snapshot.collection
    is_paper = is_made_with("paper:sum", collection, collection.qualify(snapshot, "summaries"))
    like = "" if is_paper else "like "
    name = f"{snapshot.collection.title} {snapshot.date}"
    each = max(found.num_summaries, 1)
    rows: list[list[Any]] = [[file, size, round(size / each, 2)] for file, size in found.bytes.items()]
    codings: list[list[Any]] = [
        [
            "SUM" if row["coding"] == "codes" else "ours",
            row["coding"],
            row["pages"],
            row["stream_bytes"],
            round(row["bytes_per_page"], 2),
            round(row["pointer_bits_per_page"], 2),
        ]
        for row in measure_codings(snapshot.summaries, progress=progress)
    ]
    return Sheet(
        "summaries",
        f"Summaries of {snapshot.date}",
        [
            f"{found.num_summaries:,} summaries, {found.num_terms:,} terms, {found.num_postings:,} counts of "
            f"{found.num_words:,} words; {found.summary_bytes:.1f} bytes a page in the coding {found.coding} "
            f"(SUM: 163), of these {found.pointer_bits:.2f} bits to find it."
        ],
        [
            SheetTable("Footprint", ["file", "bytes", "bytes per page"], rows),
            SheetTable(
                f"The coding of SUM and ours on the same summaries ({like}SUM, section 3)",
                ["", "coding", "pages", "stream, bytes", "bytes per page", "pointers, bits per page"],
                codings,
                f"Of the first {SAMPLE:,} pages at most.",
            ),
        ],
        to_drawings(draw_archive(found, name, is_paper=is_paper), "summaries"),
        Action.on(snapshot, "summaries stats").command,
    )


def make_duplicates(snapshot: Snapshot, progress: Progress) -> Sheet:
    """How many pages of a snapshot are exact duplicates, and the largest classes of them.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.collection.progress import Progress
    >>> sheet = make_duplicates(testing.snapshot(), Progress())
    >>> [(row[1], row[-1]) for row in sheet.tables[-1].rows]
    [(2, 'http://kitchen.example/')]
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
        f"Duplicates of {snapshot.date}",
        [
            "Pages whose payload is the same, byte by byte, or whose fingerprint is, which ignores "
            "attributes, comments and white space."
        ],
        [
            SheetTable("Exact duplicates", columns, rows),
            SheetTable(
                "The largest classes", ["same", "pages", "bytes", "bytes saved", "first URL"], classes
            ),
        ],
        command=Action.on(snapshot, "duplicates").command,
    )


def make_near_duplicates(snapshot: Snapshot, progress: Progress) -> Sheet:
    """Clusters of near-duplicates among the nodes of a snapshot, and beside them what was planted in vitro.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.collection.progress import Progress
    >>> sheet = make_near_duplicates(testing.snapshot(), Progress())
    >>> [table.title for table in sheet.tables]
    ['The largest clusters']
    """
    found = find_near_duplicates(snapshot.text, progress=progress)
    clusters, urls = found.clusters, snapshot.urls
    inside = sum(map(len, clusters))
    share = 100 * (inside - len(clusters)) / max(len(found.labels), 1)
    of_pair = found.labels[found.pairs[:, 0]]
    rows: list[list[Any]] = []
    for members in clusters[:MAX_CLASSES]:
        own = of_pair == members[0]
        least = (float(values[own].min()) for values in (found.shares, found.similarities))
        rows.append([len(members), *(round(value, 3) for value in least), urls[int(members[0])]])
    text = (
        f"{inside:,} of {len(found.labels):,} nodes are in {len(clusters):,} clusters of near-duplicates: "
        f"they have {RESEMBLANCE:.0%} of their words in common, and a cosine of at least {SIMILARITY:g}. "
        f"{share:.1f}% of all nodes could be left out (STORE: 30% of a crawl, with exact duplicates)."
    )
    judged = _judge_near(snapshot, found) if "truth" in snapshot.parts else ""
    return Sheet(
        "near",
        f"Near-duplicates of {snapshot.date}",
        [text, *([judged] if judged else [])],
        [SheetTable("The largest clusters", ["pages", "least in common", "least cosine", "first URL"], rows)],
        command=Action.on(snapshot, "duplicates", near=True).command,
    )


def _judge_near(snapshot: Snapshot, found: NearDuplicates) -> str:
    """What was found beside the variations that were planted and still are near-duplicates."""
    with snapshot.open_part("truth") as part:
        table = pq.read_table(part.path / "nodes.parquet", columns=["url", "family"])
    planted = dict(zip(*(table[name].to_pylist() for name in ("url", "family")), strict=True))
    families = [planted.get(url, url) for url in snapshot.urls]
    text = snapshot.text
    counts = cache(lambda node: count_words(text[node].text))

    def is_near(one: int, other: int) -> bool:
        a, b = counts(one), counts(other)
        return common(a, b) >= RESEMBLANCE and cosine(a, b) >= SIMILARITY

    judged = score_near(found.labels.tolist(), families, is_near)
    return (
        f"Of {judged.true:,} pairs of variations that were planted and still are near-duplicates, "
        f"{judged.recall:.2%} were found; of {judged.found:,} pairs that were found {judged.precision:.2%} "
        "are right."
    )
