"""The features of hosts side by side, a block a set: what models are trained on and predict from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from webstrata.classify.features.feature_sets import HOST, read_features
from webstrata.classify.features.incremental import CONTENT_SETS
from webstrata.classify.features.pages import PART as PAGES
from webstrata.classify.features.pages import read_lists
from webstrata.classify.features.sets import SETS, check_sets, part_name
from webstrata.classify.features.sites import site_key
from webstrata.classify.features.sparse_table import from_table, is_sparse
from webstrata.collection.action import Action
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
    statistics: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Of each set what it knows of the whole corpus (`webstrata.classify.features.incremental`)."""

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
            self.statistics,
        )

    def only(self, names: Sequence[str]) -> HostMatrix:
        """Some of the sets."""
        return HostMatrix(self.hosts, {name: self.sets[name] for name in names}, self.made, self.statistics)

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
        return HostMatrix(self.hosts, sets, self.made, self.statistics)


def load_matrix(snapshot: Snapshot, names: Sequence[str] = ()) -> HostMatrix:
    """The features of the hosts of a snapshot; without names, of all sets that are there.

    A host that a set does not have gets missing values there, and 0 in one of term vectors.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.classify.features.feature_sets import build_set
    >>> snapshot = testing.snapshot()
    >>> _ = build_set(snapshot, "A"), build_set(snapshot, "link")
    >>> matrix = load_matrix(snapshot)
    >>> matrix.hosts[:2], {name: values.shape for name, (_, values) in matrix.sets.items()}
    (['garden.example', 'kitchen.example'], {'A': (5, 48), 'link': (5, 177)})
    """
    chosen = check_sets(names) if names else [name for name in SETS if part_name(name) in snapshot.parts]
    if not chosen:
        raise MissingError(f"{snapshot.path}: no features", fix=Action.on(snapshot, "classify features"))
    found, made, statistics = {}, {}, {}
    for name in chosen:
        table = read_features(snapshot, name)
        theirs: list[str] = table[HOST].to_pylist()
        if is_sparse(table):
            sparse = from_table(table)
            found[name] = theirs, sparse.names, sp.csr_matrix(sparse.matrix)
            statistics[name] = sparse.facts
        else:
            columns = [column for column in table.column_names if column != HOST]
            values = [table[column].to_numpy(zero_copy_only=False) for column in columns]
            found[name] = theirs, columns, np.stack(values, axis=1).astype(np.float64)
        settings = snapshot.parts.record(part_name(name)).settings
        made[name] = {
            key: settings[key] for key in SETS[name].heeds if key in settings and key not in _UNIMPORTANT
        }
        if name in CONTENT_SETS and PAGES in snapshot.parts and settings:
            statistics[name] = read_lists(snapshot)._asdict()
    return join(found, made, statistics)


def join(
    sets: Mapping[str, tuple[Sequence[str], list[str], Any]],
    made: dict[str, dict[str, Any]] | None = None,
    statistics: dict[str, dict[str, Any]] | None = None,
) -> HostMatrix:
    """One matrix of sets with hosts of their own: for each set its hosts, columns and values.

    A host that a set does not have gets missing values there, and 0 in one of term vectors.

    Examples
    --------
    >>> sets = {"A": (["a.org"], ["words"], np.array([[7.0]])), "B": (["b.org"], ["x"], np.ones((1, 1)))}
    >>> matrix = join(sets)
    >>> matrix.hosts, matrix.sets["A"][1].tolist()
    (['a.org', 'b.org'], [[7.0], [nan]])
    """
    hosts = sorted({host for theirs, _, _ in sets.values() for host in theirs}, key=site_key)
    places = {host: place for place, host in enumerate(hosts)}
    found: dict[str, tuple[list[str], Any]] = {}
    for name, (theirs, columns, some) in sets.items():
        rows = np.array([places[host] for host in theirs], np.int64)
        if sp.issparse(some):
            mover = sp.csr_matrix((np.ones(len(rows)), (rows, np.arange(len(rows)))), (len(hosts), len(rows)))
            found[name] = (columns, (mover @ sp.csr_matrix(some)).tocsr())
            continue
        values = np.full((len(hosts), len(columns)), np.nan)
        values[rows] = some
        values[~np.isfinite(values)] = np.nan
        found[name] = (columns, values)
    return HostMatrix(hosts, found, made or {}, statistics or {})
