"""What a model sees of hosts: features measured by the statistics that it was trained with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from webstrata.classify.features.incremental import measure_like
from webstrata.classify.features.sets import part_name
from webstrata.classify.features.sites import site_name
from webstrata.classify.learning.matrix import HostMatrix, join, load_matrix
from webstrata.collection.files import explained
from webstrata.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.classify.learning.model_file import HostModel
    from webstrata.collection import Snapshot
    from webstrata.collection.progress import Progress

_SHOWN = 3
"""Unknown hosts that a sentence names."""


def load_model_matrix(
    snapshot: Snapshot,
    model: HostModel,
    *,
    hosts: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> HostMatrix:
    """The features of hosts in the columns of a model, of all hosts of a snapshot or of some.

    A stored set is used where its statistics and settings are those of the model (the snapshot that it was
    trained on); else the hosts are measured by the model's. A set without statistics is the stored one.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from webstrata import testing
    >>> june = testing.snapshot()
    >>> facts = {"df": [1], "num_documents": 4, "mean_length": 75.0, "k1": 1.2, "b": 0.75}
    >>> model = SimpleNamespace(columns={"bm25": ["cheap"]}, statistics={"bm25": facts}, made={})
    >>> load_model_matrix(june, model, hosts=["pills.example"]).hosts
    ['pills.example']
    """
    wanted = None if hosts is None else list(dict.fromkeys(site_name(host.strip().lower()) for host in hosts))
    sets: dict[str, tuple[Sequence[str], list[str], Any]] = {}
    made = {}
    for name, columns in model.columns.items():
        statistics = model.statistics.get(name)
        stored = None
        if not statistics or (wanted is None and part_name(name) in snapshot.parts):
            stored = load_matrix(snapshot, [name])
        if stored is not None and (not statistics or _is_same(stored, name, model)):
            theirs, (names, values) = stored.hosts, stored.sets[name]
            made[name] = stored.made.get(name, {})
            sets[name] = _keep(theirs, names, values, wanted)
        elif statistics:
            theirs, values = measure_like(
                snapshot,
                name,
                columns,
                statistics,
                model.made.get(name, {}),
                hosts=wanted,
                progress=progress,
            )
            made[name] = model.made.get(name, {})
            sets[name] = (theirs, list(columns), values)
        if wanted is not None:
            _check_hosts(snapshot, name, sets[name][0], wanted)
    return join(sets, made, dict(model.statistics))


def split_hosts(given: str | None) -> list[str] | None:
    r"""The hosts of an option: names with commas between them, or a file with one per line.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "new.txt"
    >>> _ = path.write_text("a.org\nb.org\n")
    >>> split_hosts("a.org,b.org") == split_hosts(str(path)), split_hosts(None)
    (True, None)
    """
    if given is None:
        return None
    path = Path(given)
    if "," not in given and path.is_file():
        with explained(path, "read"):
            names = path.read_bytes().decode("utf-8", "replace").splitlines()
    else:
        names = given.split(",")
    found = [name.strip() for name in names if name.strip()]
    if not found:
        raise UsageError(f"--hosts: {given} names no host; write a.org,b.org, or a file with one per line")
    return found


def _is_same(stored: HostMatrix, name: str, model: HostModel) -> bool:
    """Whether a stored set was made as the model's own: of the same columns, statistics and settings."""
    return (
        stored.sets[name][0] == list(model.columns[name])
        and stored.made.get(name, {}) == model.made.get(name, {})
        and _plain(stored.statistics.get(name, {})) == _plain(model.statistics[name])
    )


def _plain(statistics: dict[str, Any]) -> dict[str, Any]:
    """As JSON has it: a model that was stored has lists for tuples."""
    return {key: list(value) if isinstance(value, tuple) else value for key, value in statistics.items()}


def _keep(
    theirs: Sequence[str],
    names: list[str],
    values: Any,  # noqa: ANN401
    wanted: Sequence[str] | None,
) -> tuple[Sequence[str], list[str], Any]:
    if wanted is None:
        return theirs, names, values
    rows = [place for place, host in enumerate(theirs) if host in set(wanted)]
    return [theirs[place] for place in rows], names, values[rows]


def _check_hosts(snapshot: Snapshot, name: str, there: Sequence[str], wanted: Sequence[str]) -> None:
    known = set(there)
    if unknown := [host for host in wanted if host not in known]:
        more = ", …" if len(unknown) > _SHOWN else ""
        raise UsageError(
            f"{snapshot.path}: features {name} cannot be computed for {', '.join(unknown[:_SHOWN])}{more}, "
            f"which {'has' if len(unknown) == 1 else 'have'} no page here; check the names, or ingest the "
            "pages"
        )
