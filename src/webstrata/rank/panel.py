"""A panel: one row for each host in each snapshot that has it, as one Parquet file.

=====================================  =================================================================
``host``                               its name, ``www.example.org``; of a release of domains, the domain
``snapshot``                           the date of the snapshot
``pages``                              its pages there; null for web graph releases, which have none
``num_hosts``                          of a domain of a release: how many hosts it stands for; else null
``indegree``, ``outdegree``            hosts that link to it and that it links to, itself counted if it does
``METHOD``, ``METHOD_rank``            our score and rank by each method asked for
``published_harmonic``, ``…_position``,  what the release publishes, where it does; else null
``published_pagerank``, ``…_position``
``first_seen``, ``last_seen``          the first and the last snapshot of the panel that has the host
``num_snapshots``                      how many snapshots of the panel have it
=====================================  =================================================================

Rows are in the order of row keys (``org,example``), those of one host by date. Of a collection of pages the
hosts are those of the host graph, of a web graph release its nodes. Snapshots are merged in blocks of sorted
keys; memory grows with the number of hosts by what ranking takes, and by graphs that are mapped.
"""

from __future__ import annotations

import tempfile
from bisect import bisect_right
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from webstrata.collection.action import Action
from webstrata.collection.files import explained
from webstrata.collection.progress import Progress
from webstrata.collection.tables import SHOWN, Table
from webstrata.errors import MissingError, UsageError
from webstrata.graph.part import open_release
from webstrata.rank.settings import METHODS, WITH_PREFERENCE, RankSettings
from webstrata.rank.stored import RankedGraph, rank_snapshot
from webstrata.store.urls import Urls

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    import numpy.typing as npt

    from webstrata.collection import Collection, Snapshot

BLOCK = 1 << 17
"""Hosts of each snapshot that are merged at a time."""
_PUBLISHED = {
    "published_harmonic": ("harmonic", pa.float64()),
    "published_harmonic_position": ("harmonic_position", pa.int64()),
    "published_pagerank": ("pagerank", pa.float64()),
    "published_pagerank_position": ("pagerank_position", pa.int64()),
    "num_hosts": ("num_hosts", pa.int64()),
}


@dataclass(frozen=True, repr=False)
class HostPanel(Table):
    """A panel that was written."""

    path: Path
    snapshots: tuple[str, ...]
    num_rows: int
    num_hosts: int

    def to_arrow(self) -> pa.Table:
        """All rows, read from the file."""
        with explained(self.path, "read"):
            return pq.read_table(self.path)

    def preview(self, number: int = SHOWN) -> tuple[pa.Table, int]:
        """The first rows, and how many there are."""
        with explained(self.path, "read"):
            batch = next(pq.ParquetFile(self.path).iter_batches(number), None)
            schema = pq.read_schema(self.path)
        return pa.Table.from_batches([batch] if batch is not None else [], schema), self.num_rows

    def to_dict(self) -> dict[str, Any]:
        """What was written; the rows are in the file."""
        return {
            "path": str(self.path),
            "snapshots": list(self.snapshots),
            "rows": self.num_rows,
            "hosts": self.num_hosts,
        }


def write_panel(
    collection: Collection,
    output: str | PathLike[str],
    *,
    methods: Sequence[str] = ("pagerank",),
    snapshots: Sequence[str] = (),
    progress: Progress | None = None,
) -> HostPanel:
    """Write the panel of hosts and snapshots as one Parquet file, which appears when it is complete.

    Parameters
    ----------
    collection
        Its snapshots need a graph.
    output
        The file.
    methods
        By what hosts are ranked; rankings that are missing are computed and kept. None for no ranks.
    snapshots
        Dates and ranges; default: all.
    progress
        Where it reports.

    Examples
    --------
    >>> from webstrata import testing
    >>> panel = write_panel(testing.collection(), testing.scratch() / "panel.parquet")
    >>> panel.num_rows, panel.num_hosts
    (15, 5)
    >>> panel.to_arrow().select(["host", "snapshot", "pages", "indegree", "pagerank_rank"]).to_pylist()[0]
    {'host': 'garden.example', 'snapshot': '2026-04', 'pages': 2, 'indegree': 2, 'pagerank_rank': 2}
    """
    progress = progress or Progress()
    if unknown := [name for name in methods if name not in METHODS or name in WITH_PREFERENCE]:
        known = ", ".join(name for name in METHODS if name not in WITH_PREFERENCE)
        raise UsageError(f"{unknown[0]}: not a method of ranks without a preference; these are {known}")
    path = Path(output)
    if not path.parent.is_dir():
        raise MissingError(f"{path.parent}: no such folder; create it, or choose another place for the panel")
    labels = collection.choose(list(snapshots))
    if not labels:
        raise MissingError(f"{collection.path}: no snapshots; ingest or crawl one")
    for label in labels:
        if "graph" not in collection[label].parts:
            raise MissingError(
                f"{collection.path}: {label} has no graph; {{fix}}",
                fix=Action.on(collection[label], "build", "graph"),
            )
    with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as folder:
        sources = [
            _Source(collection[label], methods, Path(folder) / str(number), progress)
            for number, label in enumerate(labels)
        ]
        made = Path(folder) / "panel.parquet"
        schema = _schema(methods)
        rows = hosts = 0
        with (
            explained(made, "write"),
            pq.ParquetWriter(made, schema, compression="zstd") as writer,
            progress.task("writing the panel", total=sum(map(len, sources)), unit="rows") as task,
        ):
            for table, found in _merge(sources, labels, schema):
                writer.write_table(table)
                rows, hosts = rows + len(table), hosts + found
                task.advance(len(table))
        with explained(path, "write"):
            made.replace(path)
    return HostPanel(path, tuple(labels), rows, hosts)


def _schema(methods: Sequence[str]) -> pa.Schema:
    ranks = [
        field for method in methods for field in ((method, pa.float64()), (f"{method}_rank", pa.uint32()))
    ]
    return pa.schema(
        [
            ("host", pa.string()),
            ("snapshot", pa.string()),
            ("pages", pa.int64()),
            ("num_hosts", pa.int64()),
            ("indegree", pa.uint32()),
            ("outdegree", pa.uint32()),
            *ranks,
            *((name, kind) for name, (_, kind) in _PUBLISHED.items() if name != "num_hosts"),
            ("first_seen", pa.string()),
            ("last_seen", pa.string()),
            ("num_snapshots", pa.uint8()),
        ]
    )


class _Source:
    """The hosts of a snapshot: their sorted keys, and what is known about each."""

    def __init__(self, snapshot: Snapshot, methods: Sequence[str], scratch: Path, progress: Progress) -> None:
        self._is_release = "release" in snapshot.parts
        level = "page" if self._is_release else "host"
        # what ranking decodes is not kept: all snapshots are open at once
        ranked = RankedGraph(snapshot, level, shown=False)
        self.graph, self._turned = ranked.graph, ranked.graph.transpose()
        self._pages: npt.NDArray[np.int64] | None = None
        self._published: dict[str, pa.ChunkedArray] = {}
        if self._is_release:
            part = snapshot.open_part("urls")
            self._keys = Urls(part.path, part).key_column
            release = open_release(snapshot)
            wanted = {name: column for name, (column, _) in _PUBLISHED.items() if column in release.columns}
            self._tables = release.iter_tables(list(wanted.values())) if wanted else iter(())
            self._wanted = wanted
            self._front = pa.table({column: pa.nulls(0) for column in wanted.values()})
        else:
            from webstrata.graph.hosts import NamedGraph

            assert isinstance(self.graph, NamedGraph)
            reversed_names = [
                name.strip("[]") if ":" in name else ",".join(reversed(name.split(".")))
                for name in self.graph.names
            ]
            self._keys = pa.chunked_array(
                [pa.array([f"{name})/" for name in reversed_names], pa.large_string())]
            )
            self._pages = self.graph.pages
            self._wanted = {}
        self._ranks = {method: self._rank(snapshot, method, ranked, scratch, progress) for method in methods}
        self._place = 0

    def __len__(self) -> int:
        return len(self._keys)

    def _rank(
        self, snapshot: Snapshot, method: str, ranked: RankedGraph, scratch: Path, progress: Progress
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.uint32]]:
        """Scores and ranks in files, so that those of many snapshots need no memory."""
        level = "page" if self._is_release else "host"
        settings = replace(snapshot.settings(RankSettings), method=method, level=level)
        found = rank_snapshot(snapshot, settings, graph=ranked, progress=progress)
        paths = [scratch.with_name(f"{scratch.name}-{method}-{kind}.npy") for kind in ("scores", "ranks")]
        with explained(paths[0], "write"):
            np.save(paths[0], found.scores)
            np.save(paths[1], found.ranks)
        return np.load(paths[0], mmap_mode="r"), np.load(paths[1], mmap_mode="r")

    @property
    def has_more(self) -> bool:
        return self._place < len(self._keys)

    def look_ahead(self) -> str:
        """The last key of the next block."""
        return str(self._keys[min(self._place + BLOCK, len(self._keys)) - 1].as_py())

    def take_until(self, bound: str) -> dict[str, Any]:
        """The hosts up to a key, with their columns; none twice."""
        end = min(self._place + BLOCK, len(self._keys))
        keys = self._keys.slice(self._place, end - self._place).combine_chunks()
        count = bisect_right(range(len(keys)), bound, key=lambda row: keys[row].as_py())
        nodes = np.arange(self._place, self._place + count, dtype=np.uint32)
        self._place += count
        columns: dict[str, Any] = {
            "key": keys.slice(0, count),
            "indegree": self._turned.outdegrees(nodes),
            "outdegree": self.graph.outdegrees(nodes),
        }
        if self._pages is not None:
            columns["pages"] = pa.array(self._pages[nodes], pa.int64())
        for method, (scores, ranks) in self._ranks.items():
            columns[method], columns[f"{method}_rank"] = scores[nodes], ranks[nodes]
        return columns | self._take_published(count)

    def _take_published(self, count: int) -> dict[str, Any]:
        if not self._wanted:
            return {}
        while len(self._front) < count:
            following = next(self._tables)
            self._front = pa.concat_tables([self._front, following]) if len(self._front) else following
        found = self._front.slice(0, count)
        self._front = self._front.slice(count)
        return {name: found[column] for name, column in self._wanted.items()}


def _merge(
    sources: Sequence[_Source], labels: Sequence[str], schema: pa.Schema
) -> Iterator[tuple[pa.Table, int]]:
    """The rows in order, in blocks, each with the number of its hosts."""
    names = np.array(labels)
    while active := [source for source in sources if source.has_more]:
        bound = min(source.look_ahead() for source in active)
        pieces, keys = [], []
        for number, source in enumerate(sources):
            if not source.has_more:
                continue
            columns = source.take_until(bound)
            own = columns.pop("key")
            if not len(own):
                continue
            keys.append(own)
            filled = {
                field.name: columns.get(field.name, pa.nulls(len(own), field.type))
                for field in schema
                if field.name not in ("host", "snapshot", "first_seen", "last_seen", "num_snapshots")
            }
            pieces.append(pa.table({**filled, "_number": np.full(len(own), number, np.uint8)}))
        joined = pa.concat_arrays(keys)
        table = pa.concat_tables(pieces, promote_options="permissive").append_column("_key", joined)
        # all of one host lie within the block, in the order of snapshots
        table = table.take(pc.sort_indices(table, [("_key", "ascending"), ("_number", "ascending")]))
        ordered = table["_key"].combine_chunks()
        is_new = np.ones(len(ordered), bool)
        is_new[1:] = pc.not_equal(ordered.slice(1), ordered.slice(0, len(ordered) - 1)).to_numpy(
            zero_copy_only=False
        )
        starts = np.flatnonzero(is_new)
        lengths = np.diff(starts, append=len(ordered))
        numbers = table["_number"].to_numpy()
        hosts = _to_names(ordered.take(pa.array(starts)))
        places = np.repeat(np.arange(len(starts)), lengths)
        columns = {
            "host": hosts.take(pa.array(places)),
            "snapshot": names[numbers],
            "first_seen": names[numbers[starts]][places],
            "last_seen": names[numbers[starts + lengths - 1]][places],
            "num_snapshots": lengths[places].astype(np.uint8),
        }
        arrays = [
            pa.array(columns[field.name]).cast(field.type)
            if field.name in columns
            else table[field.name].cast(field.type)
            for field in schema
        ]
        yield pa.table(arrays, schema=schema), len(starts)


def _to_names(keys: pa.Array) -> pa.Array:
    """Names of hosts of row keys."""
    hosts = pc.replace_substring_regex(keys, r"\).*", "")
    labels = pc.split_pattern(hosts, ",", reverse=False)
    turned = [
        ".".join(reversed(words)) if ":" not in words[0] else f"[{words[0]}]" for words in labels.to_pylist()
    ]
    return pa.array(turned, pa.string())
