"""The ranks that a web graph release publishes, and what else it says about its nodes.

``NAME-ranks.txt.gz`` has a header and one line per vertex, by position in harmonic centrality:

``#harmonicc_pos⟨TAB⟩#harmonicc_val⟨TAB⟩#pr_pos⟨TAB⟩#pr_val⟨TAB⟩#host_rev``, for domains ``⟨TAB⟩#n_hosts``

(``hc_pos`` and ``hc_val`` in early releases). Columns are found by their names, in any order; ``---`` stands
for no value. Common Crawl computes both with LAW's programs on its own graph: harmonic centrality by
HyperBall, so an estimate, and PageRank with α = 0.85.

The part `release` keeps them in node order:

==================  ====================================================================================
``release.json``    ``format``, ``name``, ``level`` (``host`` or ``domain``), ``form``, ``files`` with sizes
``nodes.parquet``   one row per node, of the columns that the release has: ``harmonic_position``,
                    ``harmonic``, ``pagerank_position``, ``pagerank``, ``num_hosts``
==================  ====================================================================================
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv
import pyarrow.parquet as pq

from webstrata.collection.files import explained
from webstrata.collection.tables import Table
from webstrata.errors import FormatError
from webstrata.graph.interchange.text import LineReader
from webstrata.graph.releases.names import to_row_keys
from webstrata.store.key_columns import find_keys
from webstrata.store.parquet.sorting import Sorter

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from webstrata.collection.parts import Part
    from webstrata.collection.progress import Task

FACTS, NODES = "release.json", "nodes.parquet"
FORMAT = 1
COLUMNS = {
    "harmonic_position": pa.int64(),
    "harmonic": pa.float64(),
    "pagerank_position": pa.int64(),
    "pagerank": pa.float64(),
}
"""The columns of ranks, as they are kept."""
_PUBLISHED = {
    "harmonicc_pos": "harmonic_position",
    "hc_pos": "harmonic_position",
    "harmonicc_val": "harmonic",
    "hc_val": "harmonic",
    "pr_pos": "pagerank_position",
    "pr_val": "pagerank",
    "host_rev": "name",
}
RANKS = pa.schema([("row_key", pa.large_string()), *COLUMNS.items()])
_GROUP = 1 << 18


@dataclass(frozen=True)
class ReleaseFacts:
    """What a release is."""

    name: str
    level: str
    form: str
    files: dict[str, int] = field(default_factory=dict)
    """By name, in bytes."""
    format: int = FORMAT


class StoredRelease(Table):
    """What a release says about its nodes: `snapshot.release`.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> write_facts(folder, ReleaseFacts("cc-host", "host", "text"))
    >>> pq.write_table(pa.table({"pagerank": [0.5, 0.5]}), folder / "nodes.parquet")
    >>> release = StoredRelease(folder)
    >>> release.facts.level, release.columns, len(release)
    ('host', ['pagerank'], 2)
    """

    def __init__(self, folder: Path, part: Part | None = None) -> None:
        self._part = part  # held, so that the files stay
        path = folder / FACTS
        with explained(path, "read"):
            text = path.read_bytes()
        try:
            self.facts = ReleaseFacts(**json.loads(text))
        except (ValueError, TypeError) as error:
            raise FormatError(
                f"{path}: this does not describe a release ({error}); ingest it again"
            ) from None
        with explained(folder / NODES, "read"):
            self._file = pq.ParquetFile(folder / NODES)

    @property
    def columns(self) -> list[str]:
        """What is known about nodes."""
        return list(self._file.schema_arrow.names)

    def __len__(self) -> int:
        return int(self._file.metadata.num_rows)

    def to_arrow(self, columns: list[str] | None = None) -> pa.Table:
        """All nodes in order, with these columns or all."""
        return self._file.read(columns=columns)

    def iter_tables(self, columns: list[str]) -> Iterator[pa.Table]:
        """The nodes in order, in blocks, with these columns."""
        for batch in self._file.iter_batches(_GROUP, columns=columns):
            yield pa.Table.from_batches([batch])

    def to_dict(self) -> dict[str, Any]:
        """What the release is, and its columns."""
        return {**asdict(self.facts), "nodes": len(self), "columns": self.columns}


def write_facts(folder: Path, facts: ReleaseFacts) -> None:
    """Write what a release is.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> write_facts(folder, ReleaseFacts("cc-host", "host", "text"))
    >>> sorted(path.name for path in folder.iterdir())
    ['release.json']
    """
    with explained(folder / FACTS, "write"):
        (folder / FACTS).write_text(json.dumps(asdict(facts), indent=1))


def iter_ranks(path: Path) -> Iterator[pa.Table]:
    """The lines of a file of ranks in blocks, with row keys for names; columns that are missing are null.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "cc-host-ranks.txt"
    >>> head = chr(9).join(["#harmonicc_pos", "#harmonicc_val", "#pr_pos", "#pr_val", "#host_rev"])
    >>> _ = path.write_text(head + chr(10) + chr(9).join(["1", "2.5E3", "2", "0.125", "org.a"]) + chr(10))
    >>> [table.to_pylist() for table in iter_ranks(path)][0][0]["row_key"]
    'org,a)/'
    """
    reader = LineReader(path)
    header = (reader.readline() or b"").decode("utf-8", "replace").rstrip("\r")
    names = [word.strip().lstrip("#").strip() for word in header.split("\t")]
    known = {_PUBLISHED[name]: place for place, name in enumerate(names) if name in _PUBLISHED}
    if not header.startswith("#") or "name" not in known or len(known) < 2:
        raise FormatError(
            f"{path}, line 1: expected a header as #harmonicc_pos, #harmonicc_val, #pr_pos, #pr_val, "
            f"#host_rev with tabs between, got {header[:80]!r}"
        )
    fields = [f"f{place}" for place in range(len(names))]
    kinds = {fields[place]: COLUMNS.get(name, pa.string()) for name, place in known.items()}
    for line, text in reader.chunks():
        try:
            table = csv.read_csv(
                pa.BufferReader(text),
                csv.ReadOptions(column_names=fields, block_size=len(text) + 1),
                csv.ParseOptions(delimiter="\t", quote_char=False),
                csv.ConvertOptions(include_columns=list(kinds), column_types=kinds, null_values=["---"]),
            )
        except (pa.ArrowException, KeyError) as error:
            raise FormatError(
                f"{path}, from line {line} on: expected {len(names)} columns of ranks as in the header "
                f"({error})"
            ) from None
        keys = to_row_keys(table[fields[known["name"]]].combine_chunks(), path, line)
        columns = [
            table[fields[known[name]]] if name in known else pa.nulls(len(table), kind)
            for name, kind in COLUMNS.items()
        ]
        yield pa.table([keys, *columns], schema=RANKS)


def sort_ranks(
    path: Path, keys: pa.ChunkedArray, folder: Path, task: Task, *, memory: int
) -> Iterator[pa.Table]:
    """The ranks of all nodes in order, in blocks; null for nodes that the file does not have.

    Parameters
    ----------
    path
        The file of ranks.
    keys
        The sorted row keys of the nodes.
    folder
        Where what does not fit into `memory` is put.
    task
        Told how many lines were read.
    memory
        Bytes in which lines are sorted.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.collection.progress import Progress
    >>> folder = testing.scratch()
    >>> text = chr(10).join(chr(9).join(line) for line in (["#pr_val", "#host_rev"], ["0.5", "org.b"]))
    >>> _ = (folder / "ranks.txt").write_text(text)
    >>> keys = pa.chunked_array([["org,a)/", "org,b)/"]], pa.large_string())
    >>> with Progress().task("ranks") as task:
    ...     blocks = list(sort_ranks(folder / "ranks.txt", keys, folder, task, memory=1 << 20))
    >>> blocks[0]["pagerank"].to_pylist()
    [None, 0.5]
    """
    sorter = Sorter(folder, "ranks", RANKS, memory=memory)
    for table in iter_ranks(path):
        sorter.add(table)
        task.advance(len(table))
    done = 0  # nodes that went out
    waiting: list[pa.Table] = []
    size = 0
    for table in sorter.tables():
        waiting.append(table)
        size += len(table)
        if size >= _GROUP:
            found, done = _place(pa.concat_tables(waiting), keys, done, path)
            yield found
            waiting, size = [], 0
    if waiting:
        found, done = _place(pa.concat_tables(waiting), keys, done, path)
        yield found
    if done < len(keys):
        yield _nothing(len(keys) - done)
    sorter.remove()


def _place(table: pa.Table, keys: pa.ChunkedArray, done: int, path: Path) -> tuple[pa.Table, int]:
    """Sorted ranks at the places of their nodes, from node `done` to the last that they have."""
    own = table["row_key"].combine_chunks()
    same = keys.slice(done, len(own))
    if len(same) == len(own) and pc.all(pc.equal(same.combine_chunks(), own)).as_py():
        return table.drop_columns("row_key"), done + len(own)  # every node has ranks, as is usual
    nodes = find_keys(keys, own)
    if (nodes < 0).any():
        name = own[int((nodes < 0).argmax())].as_py()
        raise FormatError(
            f"{path}: it ranks {_to_name(name)}, which the vertices do not have; "
            "the files belong to different releases"
        )
    steps = np.diff(nodes, prepend=done - 1)
    if (steps <= 0).any():
        name = own[int((steps <= 0).argmax())].as_py()
        raise FormatError(f"{path}: it ranks {_to_name(name)} twice; fetch it again")
    end = int(nodes[-1]) + 1
    places = np.full(end - done, -1, np.int64)
    places[nodes - done] = np.arange(len(nodes))
    rows = pa.array(np.maximum(places, 0), mask=places < 0)
    return table.drop_columns("row_key").take(rows), end


def _nothing(number: int) -> pa.Table:
    return pa.table({name: pa.nulls(number, kind) for name, kind in COLUMNS.items()})


def _to_name(key: str) -> str:
    return key.partition(")")[0].replace(",", ".")
