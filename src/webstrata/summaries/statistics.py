"""What an archive looks like: sizes, the two figures of SUM, and what each code would take.

Figure 1 of SUM has the frequency of terms by rank, figure 2 how often each gap between the renumbered terms
of a page comes; both on log scales, both close to power laws. Ranks and gaps are thinned out to `POINTS` a
decade, each point the mean of those it stands for.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata.collection.sentences import tell_count
from webstrata.collection.tables import FactsTable, Rows, Table
from webstrata.summaries.codes import Histogram, KindCosts, best_codes, measure_costs, value_streams

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy.typing as npt

    from webstrata.collection.progress import Progress
    from webstrata.summaries.archive import Archive
    from webstrata.summaries.rows import SummaryRows

POINTS = 40


SAMPLE = 100_000
"""Pages whose summaries are coded in every coding, to compare them."""


@dataclass(frozen=True, repr=False)
class Statistics(FactsTable):
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

    shown = 0  # of all numbers

    @property
    def summary(self) -> str:
        """What it holds and takes, in two sentences."""
        return (
            f"{tell_count(self.num_summaries, 'summary', 'summaries')} of "
            f"{tell_count(self.num_nodes, 'node')}, "
            f"{tell_count(self.num_terms, 'term')}, {tell_count(self.num_postings, 'count')}, "
            f"{tell_count(self.num_words, 'word')}. {self.summary_bytes:.1f} bytes per page in the coding "
            f"{self.coding}, {self.pointer_bits:.2f} bits of them to find the summary."
        )

    def tables(self) -> dict[str, Table]:
        """Sizes of files, costs of codes; the frequencies of terms by rank (figure 1) and gaps (figure 2)."""
        curves = {"rank": self.term_ranks, "gap": self.gaps}
        ranks, gaps = (
            Rows(name, [{name: place, "count": count} for place, count in curve], shown=0)
            for name, curve in curves.items()
        )
        files = [
            {"file": file, "size": size, "bytes per page": size / max(self.num_summaries, 1)}
            for file, size in self.bytes.items()
        ]
        return {
            "Files": Rows("files", files, formats={"size": "bytes", "bytes per page": ".2f"}),
            **self._tabulate_codes(),
            "All numbers": self,
            "Terms by rank": ranks,
            "Gaps": gaps,
        }

    def best_codes(self) -> dict[str, Any]:
        """The settings that take least, where all codes were tried."""
        return best_codes(self.costs) if self.costs else {}

    def _tabulate_codes(self) -> dict[str, Table]:
        if not self.costs:
            return {}
        rows = [
            {
                "kind": kind,
                "numbers": costs.numbers,
                "entropy": costs.entropy / max(costs.numbers, 1),
                "best codes": ", ".join(
                    f"{code} {bits / max(costs.numbers, 1):.3f}"
                    for code, bits in list(costs.bits.items())[:4]
                ),
            }
            for kind, costs in self.costs.items()
        ]
        return {"Bits per number in the coding `codes`": Rows("codes", rows, formats={"entropy": ".3f"})}

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        found = asdict(self) | {
            "bytes_per_summary": round(self.summary_bytes, 2),
            "pointer_bits_per_summary": round(self.pointer_bits, 3),
        }
        if self.costs:
            found["best_codes"] = self.best_codes()
        else:
            del found["costs"]
        return found


def describe_archive(
    archive: Archive, *, with_codes: bool = False, progress: Progress | None = None
) -> Statistics:
    """What an archive looks like; it is gone through once, with `with_codes` all codes are tried.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.summaries import make_rows, write_archive
    >>> archive = write_archive(testing.scratch(), make_rows([(9, {0: 3, 4: 1, 6: 2})] * 100))
    >>> found = describe_archive(archive, with_codes=True)
    >>> found.num_postings, found.num_words, found.gaps[0], found.costs["size"].best
    (300, 900, (1.0, 300.0), 'exp-golomb2')
    """
    from webstrata.collection.progress import Progress

    gaps = Histogram()
    words = [0]

    def pieces() -> Iterator[SummaryRows]:
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


def measure_codings(
    archive: Archive, *, most: int = SAMPLE, progress: Progress | None = None
) -> list[dict[str, Any]]:
    """What the summaries of an archive take in each coding, its own among them; of the first `most` pages.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.summaries import make_rows, write_archive
    >>> archive = write_archive(testing.scratch(), make_rows([(9, {0: 3, 4: 1, 6: 2})] * 100))
    >>> [(row["coding"], row["pages"]) for row in measure_codings(archive)]
    [('codes', 100), ('contexts', 100)]
    """
    import tempfile
    from pathlib import Path

    from webstrata.summaries.settings import SummariesSettings
    from webstrata.summaries.write import write_archive

    nodes = np.arange(min(len(archive), most))
    rows, there = archive.batch(nodes), archive.has(nodes)
    missing = np.flatnonzero(~there).tolist()
    found = []
    with tempfile.TemporaryDirectory(prefix="webstrata-codings-") as folder:
        for coding in ("codes", "contexts"):
            made = write_archive(
                Path(folder) / coding,
                rows,
                settings=SummariesSettings(coding=coding),
                missing=missing,
                num_terms=len(archive.terms),
                progress=progress,
            )
            sizes = made.sizes()
            count = max(int(there.sum()), 1)
            found.append(
                {
                    "coding": coding,
                    "pages": int(there.sum()),
                    "stream_bytes": sizes["summaries.stream"],
                    "bytes_per_page": sizes["summaries.stream"] / count,
                    "pointer_bits_per_page": 8 * sizes["summaries.places"] / count,
                }
            )
    return found


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
