"""The features of hosts side by side, a block a set: what models are trained on and predict from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from webstrata.classify.feature_sets import HOST, SETS, check_sets, part_name, read_features
from webstrata.classify.sites import site_key
from webstrata.classify.sparse_table import from_table, is_sparse
from webstrata.errors import MissingError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from webstrata.collection import Snapshot

_UNIMPORTANT = {"earlier", "trusted"}
"""Settings that name snapshots or files, which are others for another snapshot."""


@dataclass
class HostMatrix:
    """Hosts, and for each feature set its columns and values; NaN where one is missing.

    Examples
    --------
    >>> matrix = HostMatrix(["a.org", "b.org"], {"B": (["words"], np.array([[7.0], [np.nan]]))})
    >>> matrix.rows([1]).hosts, matrix.columns(), matrix.term_sets
    (['b.org'], {'B': ['words']}, ())
    """

    hosts: list[str]
    sets: dict[str, tuple[list[str], Any]]
    made: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Of each set the settings that it was made with."""

    @property
    def term_sets(self) -> tuple[str, ...]:
        """The sets that are sparse."""
        return tuple(name for name, (_, values) in self.sets.items() if sp.issparse(values))

    def columns(self) -> dict[str, list[str]]:
        """The columns of each set."""
        return {name: columns for name, (columns, _) in self.sets.items()}

    def places(self) -> dict[str, list[int]]:
        """Where the columns of each set are among those of `values`."""
        found, start = {}, 0
        for name, (columns, _) in self.sets.items():
            found[name] = list(range(start, start + len(columns)))
            start += len(columns)
        return found

    def values(self) -> Any:  # noqa: ANN401
        """All columns as one matrix, sparse if one of the sets is."""
        parts = [values for _, values in self.sets.values()]
        if self.term_sets:
            return sp.hstack([sp.csr_matrix(part) for part in parts]).tocsr()
        return np.hstack(parts)

    def rows(self, places: Sequence[int] | npt.NDArray[Any]) -> HostMatrix:
        """Some of the hosts."""
        chosen = np.asarray(places, np.int64)
        return HostMatrix(
            [self.hosts[place] for place in chosen],
            {name: (columns, values[chosen]) for name, (columns, values) in self.sets.items()},
            self.made,
        )

    def only(self, names: Sequence[str]) -> HostMatrix:
        """Some of the sets."""
        return HostMatrix(self.hosts, {name: self.sets[name] for name in names}, self.made)

    def with_parts(self, parts: Mapping[str, tuple[str, Sequence[str]]]) -> HostMatrix:
        """More sets: for each name a set that is there, and with what those of its columns begin."""
        sets = dict(self.sets)
        for name, (whole, prefixes) in parts.items():
            if whole not in self.sets:
                continue
            columns, values = self.sets[whole]
            some = [place for place, column in enumerate(columns) if column.startswith(tuple(prefixes))]
            if some:
                sets[name] = ([columns[place] for place in some], values[:, some])
        return HostMatrix(self.hosts, sets, self.made)


def load_matrix(snapshot: Snapshot, names: Sequence[str] = ()) -> HostMatrix:
    """The features of the hosts of a snapshot; without names, of all sets that are there.

    A host that a set does not have gets missing values there, and 0 in one of term vectors.

    Examples
    --------
    >>> import webstrata as ws
    >>> load_matrix(ws.create(getfixture("tmp_path") / "uk").add("2026-06"))
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...2026-06: it has no features; `webstrata classify features ...uk 2026-06`
    makes them
    """
    chosen = check_sets(names) if names else [name for name in SETS if part_name(name) in snapshot.parts]
    if not chosen:
        command = f"webstrata classify features {snapshot.collection.word} {snapshot.label}"
        raise MissingError(f"{snapshot.path}: it has no features; `{command}` makes them")
    tables = {name: read_features(snapshot, name) for name in chosen}
    hosts = sorted({host for table in tables.values() for host in table[HOST].to_pylist()}, key=site_key)
    places = {host: place for place, host in enumerate(hosts)}
    sets: dict[str, tuple[list[str], Any]] = {}
    made = {}
    for name, table in tables.items():
        rows = np.array([places[host] for host in table[HOST].to_pylist()], np.int64)
        if is_sparse(table):
            found = from_table(table)
            mover = sp.csr_matrix((np.ones(len(rows)), (rows, np.arange(len(rows)))), (len(hosts), len(rows)))
            sets[name] = (found.names, (mover @ sp.csr_matrix(found.matrix)).tocsr())
        else:
            columns = [column for column in table.column_names if column != HOST]
            values = np.full((len(hosts), len(columns)), np.nan)
            for place, column in enumerate(columns):
                values[rows, place] = table[column].to_numpy(zero_copy_only=False)
            values[~np.isfinite(values)] = np.nan
            sets[name] = (columns, values)
        settings = snapshot.parts.record(part_name(name)).settings
        made[name] = {
            key: settings[key] for key in SETS[name].heeds if key in settings and key not in _UNIMPORTANT
        }
    return HostMatrix(hosts, sets, made)
