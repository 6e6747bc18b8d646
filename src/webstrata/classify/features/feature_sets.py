"""Feature sets: a table of hosts and what was measured of them, kept as parts `features-SET` of a snapshot.

=====================  ===================================================================================
``features.parquet``   a row a site (see `sites`) in row-key order: ``host``, its name, then a column of
                       32-bit floats for each feature, named by it; null where it is missing
``features.json``      ``about``, ``files`` (digests of the files that settings name), ``cost``: seconds of
                       CPU, seconds of the clock, bytes of memory at the peak
=====================  ===================================================================================

`webstrata.classify.features.sets.SETS` names the sets that there are, and who makes each. A part is used
again while its inputs, the settings that it heeds and the files they name are the same.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from webstrata.classify.features.past_snapshots import find_earlier
from webstrata.classify.features.sets import SETS, FeatureSet, check_sets, part_name
from webstrata.classify.features.sites import site_key
from webstrata.classify.features.sparse_table import count_features, is_sparse
from webstrata.classify.learning.cost import Cost, Meter
from webstrata.classify.settings import ClassifySettings
from webstrata.collection.action import Action
from webstrata.collection.files import explained, open_writer, replace_file
from webstrata.collection.progress import Progress
from webstrata.collection.tables import Rows, TableList
from webstrata.errors import FormatError, MissingError
from webstrata.store.hiding import Hidden

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from webstrata.collection import Snapshot
    from webstrata.collection.parts import Part
    from webstrata.collection.tables import Table


TABLE, FACTS = "features.parquet", "features.json"
HOST = "host"
FILES = ("query_words", "trusted", "stop_words")
"""Settings that may name a file, whose content counts."""
NO_FILES = ("", "en", "none")


@dataclass(frozen=True)
class Made:
    """A feature set of a snapshot as it is kept."""

    name: str
    hosts: int
    features: int
    pages: int
    cost: Cost
    kept: bool
    """Whether it was there already."""

    @property
    def pages_per_second(self) -> float:
        """Pages for each second of one core."""
        return self.pages / max(self.cost.cpu_seconds, 1e-3)


class MadeSets(TableList[Made]):
    """Feature sets of a snapshot, with what measuring them cost."""

    def to_dict(self) -> dict[str, Any]:
        """The sets as plain data."""
        return {"sets": [asdict(one) | {"pages_per_cpu_second": one.pages_per_second} for one in self]}

    def tables(self) -> dict[str, Table]:
        """Sizes and costs of each set."""
        rows = [
            {
                "set": one.name,
                "hosts": one.hosts,
                "features": one.features,
                "pages": one.pages,
                "CPU": one.cost.cpu_seconds,
                "wall": one.cost.wall_seconds,
                "memory": one.cost.peak_bytes,
                "pages/s per core": one.pages_per_second,
                "state": "kept" if one.kept else "made",
            }
            for one in self
        ]
        formats = {"CPU": "s", "wall": "s", "memory": "bytes", "pages/s per core": ",.0f"}
        return {"Feature sets": Rows("feature sets", rows, formats=formats)}


def build_features(
    snapshot: Snapshot, settings: ClassifySettings | None = None, *, progress: Progress | None = None
) -> list[Made]:
    """Make the feature sets of a snapshot that the settings name, and keep them.

    Where they name none, all that can be made: those that lack something are left out, which is said. A file
    or a snapshot that the settings name and that is not there is an error in any case.

    Examples
    --------
    >>> from webstrata import testing
    >>> made = build_features(testing.snapshot(), ClassifySettings(sets=("A", "link")))
    >>> [(one.name, one.hosts, one.features) for one in made]
    [('A', 5, 48), ('link', 5, 177)]
    """
    settings = settings or snapshot.settings(ClassifySettings)
    progress = progress or Progress()
    _check_named(snapshot, settings)
    made = []
    for name in check_sets(settings.sets or tuple(SETS)):
        try:
            made.append(build_set(snapshot, name, settings, progress=progress))
        except MissingError as error:
            if settings.sets:
                raise
            progress.note(f"set {name} is left out: {error}")
    return made


def _check_named(snapshot: Snapshot, settings: ClassifySettings) -> None:
    """`MissingError` where something that the user has named is not there: no set is left out for a typo."""
    for named in (getattr(settings, name) for name in FILES):
        if named not in NO_FILES:
            with explained(Path(named), "read"):
                Path(named).open("rb").close()
    find_earlier(snapshot, settings.earlier, ())


def build_set(
    snapshot: Snapshot,
    name: str,
    settings: ClassifySettings | None = None,
    *,
    progress: Progress | None = None,
) -> Made:
    """Make one feature set of a snapshot, unless what is kept is still right.

    Examples
    --------
    >>> from webstrata import testing
    >>> snapshot = testing.snapshot()
    >>> build_set(snapshot, "A").features
    48
    >>> build_set(snapshot, "A").kept  # it was made a moment ago
    True
    >>> snapshot.features("A").column_names[:2]
    ['host', 'home_words']
    """
    [name] = check_sets([name])
    described = SETS[name]
    settings = settings or snapshot.settings(ClassifySettings)
    progress = progress or Progress()
    part = part_name(name)
    # what lacks inputs is refused, also where a set made from other ones is still there
    list_inputs(snapshot, described, settings)
    if read_kept(snapshot, part, described, settings) is None:
        with Meter() as meter:
            table = described.load()(snapshot, settings, progress)
        keep_table(snapshot, part, table, described, settings, meter.cost, name, progress)
        return describe_made(snapshot, name, kept=False)
    return describe_made(snapshot, name, kept=True)


def list_inputs(
    snapshot: Snapshot, described: FeatureSet, settings: ClassifySettings | None = None
) -> dict[str, str]:
    """The parts that a set is made from, with their checksums now; `MissingError` where one is not there.

    Examples
    --------
    >>> from webstrata import testing
    >>> described = FeatureSet("module:function", "Nothing.", ("text",))
    >>> list(list_inputs(testing.snapshot(), described))
    ['2026-06/text']
    """
    found = {f"{snapshot.date}/{name}": snapshot.parts.record(name).checksum for name in described.inputs}
    if described.through_time:
        named = settings.earlier if settings else ()
        for other in find_earlier(snapshot, named, described.inputs, last_alone=described.last_alone):
            for name in described.inputs:
                found[f"{other.date}/{name}"] = other.parts.record(name).checksum
    return found


def read_kept(
    snapshot: Snapshot, part: str, described: FeatureSet, settings: ClassifySettings
) -> dict[str, Any] | None:
    """What is known of a part, if it is there and was made from the same; else None.

    Examples
    --------
    >>> from webstrata import testing
    >>> snapshot = testing.snapshot()
    >>> _ = build_set(snapshot, "A")
    >>> read_kept(snapshot, "features-a", SETS["A"], ClassifySettings()) is None
    False
    >>> read_kept(snapshot, "features-b", SETS["B"], ClassifySettings()) is None
    True
    """
    if part not in snapshot.parts:
        return None
    with snapshot.open_part(part) as held:
        made, values = held.record.settings, settings.to_dict()
        facts = _read_facts(held.path / FACTS)
        same = all(made.get(name) == values.get(name) for name in described.heeds)
        same = same and held.record.inputs == list_inputs(snapshot, described, settings)
        return facts if same and facts.get("files") == digest_files(settings, described.heeds) else None


def keep_table(
    snapshot: Snapshot,
    part: str,
    table: pa.Table,
    described: FeatureSet,
    settings: ClassifySettings,
    cost: Cost,
    name: str,
    progress: Progress,
    others: Mapping[str, pa.Table] | None = None,
) -> None:
    """Write a table as a part, with what it cost, and other tables beside it; making set `name` renews it.

    Examples
    --------
    >>> from webstrata import testing
    >>> snapshot = testing.empty().add("2026-06")
    >>> described = FeatureSet("module:function", "Words.", ())
    >>> table = pa.table({"host": ["a.org"], "words": pa.array([7], pa.float32())})
    >>> keep_table(snapshot, "features-b", table, described, ClassifySettings(), Cost(), "B", Progress())
    >>> snapshot.features("B").to_pylist()
    [{'host': 'a.org', 'words': 7.0}]
    """
    files = digest_files(settings, described.heeds)
    facts = {"about": described.about, "files": files, "cost": asdict(cost)}
    inputs = tuple(list_inputs(snapshot, described, settings))
    with snapshot.write_part(part, settings=settings, inputs=inputs, progress=progress) as build:
        for file, content in {TABLE: table, **(others or {})}.items():
            with open_writer(build.path / file) as stream:
                pq.write_table(content, stream, compression="zstd")
        replace_file(build.path / FACTS, json.dumps(facts, indent=1).encode())
        build.count(rows=len(table), features=count_features(table))


def describe_made(snapshot: Snapshot, name: str, *, kept: bool) -> Made:
    """What is known of a set that was made.

    Examples
    --------
    >>> from webstrata import testing
    >>> snapshot = testing.snapshot()
    >>> _ = build_set(snapshot, "A")
    >>> made = describe_made(snapshot, "A", kept=True)
    >>> made.hosts, made.features, made.pages
    (5, 48, 15)
    """
    with _open_set(snapshot, name) as part:
        counts, facts = part.counts, _read_facts(part.path / FACTS)
    pages = snapshot.parts.record("urls").counts.get("nodes", 0) if "urls" in snapshot.parts else 0
    return Made(name, counts["rows"], counts["features"], pages, Cost(**facts["cost"]), kept)


def read_features(snapshot: Snapshot, name: str) -> pa.Table:
    """The table of a set: ``host``, then a column for each feature, null where it is missing.

    Hosts that were taken down are left out, so that no model, score or table names them.

    Examples
    --------
    >>> from webstrata import testing
    >>> snapshot = testing.snapshot()
    >>> _ = build_set(snapshot, "link")
    >>> read_features(snapshot, "link").select(["host", "home_indegree"]).to_pylist()[:2]
    [{'host': 'garden.example', 'home_indegree': 4.0}, {'host': 'kitchen.example', 'home_indegree': 2.0}]
    """
    check_sets([name])
    with _open_set(snapshot, name) as part:
        path = part.path / TABLE
        with explained(path, "read"):
            try:
                table = pq.read_table(path)
            except pa.ArrowInvalid as error:
                raise FormatError(f"{path}: this is no table ({error}); make the features again") from error
    hidden = Hidden(snapshot.collection)
    if not hidden:
        return table
    shown = [not hidden.has_host(host) for host in table[HOST].to_pylist()]
    return table.filter(pa.array(shown, pa.bool_()))


def load_features(
    snapshot: Snapshot, names: Sequence[str]
) -> tuple[list[str], list[str], npt.NDArray[np.float32]]:
    """Hosts, features and their values for some sets side by side; NaN where one is missing.

    Features are named ``SET:feature``. Hosts that only some of the sets have are there, in row-key order.

    Examples
    --------
    >>> from webstrata import testing
    >>> snapshot = testing.empty().add("2026-06")
    >>> described = FeatureSet("module:function", "Words.", ())
    >>> table = pa.table({"host": ["a.org"], "words": pa.array([7], pa.float32())})
    >>> keep_table(snapshot, "features-b", table, described, ClassifySettings(), Cost(), "B", Progress())
    >>> load_features(snapshot, ["B"])
    (['a.org'], ['B:words'], array([[7.]], dtype=float32))
    """
    tables = {name: read_features(snapshot, name) for name in names}
    for name, table in tables.items():
        if is_sparse(table):
            raise ValueError(f"names: {name} has sparse rows; `sparse_table.from_table` reads its table")
    hosts = sorted({host for table in tables.values() for host in table[HOST].to_pylist()}, key=site_key)
    places = {host: place for place, host in enumerate(hosts)}
    columns = [f"{name}:{column}" for name, table in tables.items() for column in table.column_names[1:]]
    values = np.full((len(hosts), len(columns)), np.nan, np.float32)
    begin = 0
    for table in tables.values():
        rows = np.array([places[host] for host in table[HOST].to_pylist()], np.int64)
        for place, column in enumerate(table.column_names[1:], begin):
            values[rows, place] = table[column].to_numpy()
        begin += table.num_columns - 1
    return hosts, columns, values


def digest_files(settings: ClassifySettings, heeds: Sequence[str]) -> dict[str, str]:
    """A digest of each file that one of these settings names; `MissingError` where there is no such file.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "queries"
    >>> _ = path.write_text("cheap pills")
    >>> digest_files(ClassifySettings(query_words=str(path)), ["query_words"])["query_words"][:8]
    '090ab396'
    """
    found = {}
    for name in FILES:
        value = getattr(settings, name)
        if name in heeds and value not in NO_FILES:
            with explained(Path(value), "read"):
                found[name] = hashlib.sha256(Path(value).read_bytes()).hexdigest()
    return found


def _open_set(snapshot: Snapshot, name: str) -> Part:
    if part_name(name) not in snapshot.parts:
        fix = Action.on(snapshot, "build", part_name(name))
        raise MissingError(f"{snapshot.path}: no features {name}", fix=fix)
    return snapshot.open_part(part_name(name))


def _read_facts(path: Path) -> dict[str, Any]:
    with explained(path, "read"):
        content = path.read_bytes()
    try:
        facts = json.loads(content)
        if isinstance(facts, dict) and isinstance(facts.get("cost"), dict):
            return facts
    except ValueError:
        pass
    raise FormatError(f"{path}: this does not describe features; make them again")
