"""What an archive looks like: sizes, the two figures of SUM, and what each code would take.

Figure 1 of SUM has the frequency of terms by rank, figure 2 how often each gap between the renumbered terms
of a page comes; both on log scales, both close to power laws. Ranks and gaps are thinned out to `POINTS` a
decade, each point the mean of those it stands for.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata.summaries.codes import Histogram, KindCosts, best_codes, measure_costs, value_streams

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy.typing as npt

    from webstrata.collection.progress import Progress
    from webstrata.summaries.archive import Archive
    from webstrata.summaries.rows import Rows

POINTS = 40


@dataclass(frozen=True)
class Statistics:
    """What is told of an archive."""

    num_nodes: int
    num_summaries: int
    num_terms: int
    num_postings: int
    num_words: int
    coding: str
    bytes: Mapping[str, int]
    """Of each file."""
    term_ranks: list[tuple[float, float]]
    """Figure 1: ranks from 1 on, with the pages that have the term."""
    gaps: list[tuple[float, float]]
    """Figure 2: gaps from 1 on, with how often each comes."""
    costs: Mapping[str, KindCosts] | None
    """What each kind of numbers takes in each code, where that was asked for."""

    @property
    def summary_bytes(self) -> float:
        """Bytes of a summary, with everything that is needed to read it: all files but the texts of terms."""
        total = sum(size for name, size in self.bytes.items() if name != "terms.parquet")
        return total / max(self.num_summaries, 1)

    @property
    def pointer_bits(self) -> float:
        """Bits that it takes to find a summary."""
        return 8 * self.bytes["summaries.places"] / max(self.num_summaries, 1)

    def to_json(self) -> dict[str, Any]:
        """All of it as plain data."""
        found = asdict(self) | {
            "bytes_per_summary": round(self.summary_bytes, 2),
            "pointer_bits_per_summary": round(self.pointer_bits, 3),
        }
        if self.costs:
            found["best_codes"] = best_codes(self.costs)
        else:
            del found["costs"]
        return found


def describe_archive(
    archive: Archive, *, with_codes: bool = False, progress: Progress | None = None
) -> Statistics:
    """What an archive looks like; it is gone through once, with `with_codes` all codes are tried.

    Examples
    --------
    >>> from webstrata.summaries import make_rows, write_archive
    >>> archive = write_archive(getfixture("tmp_path"), make_rows([(9, {0: 3, 4: 1, 6: 2})] * 100))
    >>> found = describe_archive(archive, with_codes=True)
    >>> found.num_postings, found.num_words, found.gaps[0], found.costs["size"].best
    (300, 900, (1.0, 300.0), 'exp-golomb2')
    """
    from webstrata.collection.progress import Progress

    gaps = Histogram()
    words = [0]

    def pieces() -> Iterator[Rows]:
        with (progress or Progress()).task("reading summaries", total=len(archive), unit="pages") as task:
            for rows in archive.scan_ranks():
                words[0] += int(rows.lengths.sum(dtype=np.uint64))
                gaps.add(value_streams(rows)["gap"])
                task.advance(rows.num_rows)
                yield rows

    if with_codes:
        costs = measure_costs(pieces())
    else:
        costs = None
        for _ in pieces():
            pass
    numbers, counts = gaps.counted()
    df = np.sort(archive.terms.df)[::-1]
    return Statistics(
        num_nodes=len(archive),
        num_summaries=archive.num_summaries,
        num_terms=len(archive.terms),
        num_postings=archive.num_postings,
        num_words=words[0],
        coding=archive.coding,
        bytes=archive.sizes(),
        term_ranks=thin_out(np.arange(1, len(df) + 1), df),
        gaps=thin_out(numbers + np.uint64(1), counts),
        costs=costs,
    )


def thin_out(places: npt.NDArray[np.integer], values: npt.NDArray[np.integer]) -> list[tuple[float, float]]:
    """Points of a curve on log scales, `POINTS` a decade at most, each the mean of those it stands for.

    Places that are not there count as 0, so that a tail of single gaps is no cloud.

    Examples
    --------
    >>> thin_out(np.array([1, 2, 1000, 1001]), np.array([8, 4, 1, 1]))
    [(1.0, 8.0), (2.0, 4.0), (1000.5, 0.0338...)]
    """
    if not len(places):
        return []
    most = int(places[-1])
    edges = np.unique(np.floor(10 ** np.arange(0, np.log10(most) + 2 / POINTS, 1 / POINTS)).astype(np.int64))
    group = np.searchsorted(edges, places.astype(np.int64), side="right") - 1
    used, first = np.unique(group, return_index=True)
    widths = np.diff(np.append(edges, edges[-1] + 1))[used]
    sums = np.add.reduceat(values.astype(np.float64), first)
    centres = np.add.reduceat(places.astype(np.float64), first) / np.diff(np.append(first, len(places)))
    return [
        (float(centre), float(total / width))
        for centre, total, width in zip(centres, sums, widths, strict=True)
    ]
