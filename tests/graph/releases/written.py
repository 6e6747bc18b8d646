"""Web graph releases in Common Crawl's formats, and what their ranks must be, in plain Python."""

from __future__ import annotations

import gzip
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    Arcs = Iterable[tuple[str, str]]

HEADER = "#harmonicc_pos\t#harmonicc_val\t#pr_pos\t#pr_val\t#host_rev"
HOSTS = ("com.a", "com.a-b", "com.a.www", "org.commoncrawl", "org.commoncrawl.www")
ARCS = (
    ("com.a", "org.commoncrawl"),
    ("com.a-b", "com.a.www"),
    ("com.a-b", "org.commoncrawl"),
    ("com.a.www", "com.a-b"),
    ("org.commoncrawl", "com.a"),
)


def pack(path: Path, lines: Iterable[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))
    return path


def write_release(
    folder: Path,
    names: Sequence[str] = HOSTS,
    arcs: Arcs = ARCS,
    *,
    name: str = "cc-main-2026-jan-feb-mar-host",
    num_hosts: Mapping[str, int] | None = None,
    ranks: bool = False,
    files: int = 0,
) -> Path:
    """Write vertices, edges and ranks; with `files`, in so many numbered files with lists of paths."""
    ordered = sorted(names)  # as `LC_ALL=C sort` does
    numbers = {each: number for number, each in enumerate(ordered)}
    vertices = [
        f"{number}\t{each}" + (f"\t{num_hosts[each]}" if num_hosts else "")
        for each, number in numbers.items()
    ]
    edges = [f"{one}\t{other}" for one, other in sorted((numbers[a], numbers[b]) for a, b in arcs)]
    for kind, lines in (("vertices", vertices), ("edges", edges)):
        if not files:
            pack(folder / f"{name}-{kind}.txt.gz", lines)
            continue
        size = -(-len(lines) // files)
        listed = []
        for part in range(files):
            file = f"{kind}/part-{part:05}-c000.txt.gz"
            pack(folder / file, lines[part * size : (part + 1) * size])
            listed.append(f"projects/hyperlinkgraph/cc-main-2026-jan-feb-mar/host/{file}")
        pack(folder / f"{name}-{kind}.paths.gz", listed)
    if ranks:
        pack(folder / f"{name}-ranks.txt.gz", [HEADER, *rank_lines(ordered, list(arcs))])
    return folder


def rank_lines(names: Sequence[str], arcs: Sequence[tuple[str, str]]) -> list[str]:
    """The lines of a file of ranks, by position in harmonic centrality."""
    harmonic, scores = harmonic_centrality(names, arcs), pagerank(names, arcs)
    by_harmonic = sorted(names, key=lambda each: (-harmonic[each], each))
    places = {each: place for place, each in enumerate(sorted(names, key=lambda n: (-scores[n], n)), 1)}
    return [
        f"{place}\t{harmonic[each]!r}\t{places[each]}\t{scores[each]!r}\t{each}"
        for place, each in enumerate(by_harmonic, 1)
    ]


def harmonic_centrality(names: Sequence[str], arcs: Sequence[tuple[str, str]]) -> dict[str, float]:
    """Σ 1 / d(y, x) over the other nodes y, by a search backwards from each node."""
    before: dict[str, list[str]] = {each: [] for each in names}
    for one, other in arcs:
        before[other].append(one)
    found = {}
    for start in names:
        distances, queue = {start: 0}, deque([start])
        while queue:
            node = queue.popleft()
            for each in before[node]:
                if each not in distances:
                    distances[each] = distances[node] + 1
                    queue.append(each)
        found[start] = sum(1 / distance for distance in distances.values() if distance)
    return found


def pagerank(names: Sequence[str], arcs: Sequence[tuple[str, str]], alpha: float = 0.85) -> dict[str, float]:
    """By the power method, with jumps from nodes without links to all alike."""
    after: dict[str, list[str]] = {each: [] for each in names}
    for one, other in arcs:
        after[one].append(other)
    scores = dict.fromkeys(names, 1 / len(names))
    for _ in range(200):
        lost = sum(scores[each] for each in names if not after[each])
        new = dict.fromkeys(names, (1 - alpha + alpha * lost) / len(names))
        for one, others in after.items():
            for other in others:
                new[other] += alpha * scores[one] / len(others)
        scores = new
    return scores
