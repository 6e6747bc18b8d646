"""Feature sets: a table of hosts and what was measured of them, kept as parts `features-SET` of a snapshot.

=====================  ===================================================================================
``features.parquet``   a row a site (see `sites`) in row-key order: ``host``, its name, then a column of
                       32-bit floats for each feature, named by it; null where it is missing
``features.json``      ``about``, ``files`` (digests of the files that settings name), ``cost``: seconds of
                       CPU, seconds of the clock, bytes of memory at the peak
=====================  ===================================================================================

`SETS` names the sets that there are, and who makes each: a function of the snapshot, the settings and the
progress that returns the table, loaded when it is called. A part is used again while its inputs, the settings
that it heeds and the files they name are the same.
"""

from __future__ import annotations

import hashlib
import importlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from webstrata.classify.cost import Cost, Meter
from webstrata.classify.earlier import find_earlier
from webstrata.classify.settings import ClassifySettings
from webstrata.classify.sites import site_key
from webstrata.classify.sparse_table import count_features, is_sparse
from webstrata.collection.files import explained, open_writer, replace_file
from webstrata.collection.progress import Progress
from webstrata.collection.settings import unknown_name
from webstrata.errors import FormatError, MissingError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy.typing as npt

    from webstrata.collection import Snapshot
    from webstrata.collection.parts import Part

    Builder = Callable[[Snapshot, ClassifySettings, Progress], pa.Table]

TABLE, FACTS = "features.parquet", "features.json"
HOST = "host"
FILES = ("query_words", "trusted", "stop_words")
"""Settings that may name a file, whose content counts."""
NO_FILES = ("", "en", "none")


@dataclass(frozen=True)
class FeatureSet:
    """A set of features: who makes it, and of what."""

    builder: str
    """``module:function``."""
    about: str
    inputs: tuple[str, ...]
    """Parts of the snapshot that it is made from."""
    heeds: tuple[str, ...] = ()
    """Settings that it depends on."""
    through_time: bool = False
    """Whether it is made from these parts of earlier snapshots too; see `earlier`."""
    last_alone: bool = False
    """Whether of these the last one is enough, where the setting `earlier` names none."""
    formulas: str = ""
    """``module:mapping`` from the names of its features to what each is, for the docs; none for too many."""

    def load(self) -> Builder:
        """The function that makes it."""
        builder: Builder = _load(self.builder)
        return builder

    def describe(self) -> dict[str, str]:
        """What each of its features is, in the order of its columns."""
        return dict(_load(self.formulas)) if self.formulas else {}


CONTENT = ("query_words", "stop_words", "ngram", "corpus_pages")
"""Settings that features of pages depend on."""
TERMS = ("max_terms", "least_share", "most_share", "max_pages", "k1", "b")
"""Settings that vectors of terms depend on."""

SETS: dict[str, FeatureSet] = {
    "A": FeatureSet(
        "webstrata.classify.content:build_a",
        "What pages say, less what needs the whole corpus or links: home page, mean and variance.",
        ("text", "links", "urls"),
        CONTENT,
        formulas="webstrata.classify.content:A",
    ),
    "Aa": FeatureSet(
        "webstrata.classify.content:build_aa",
        "What of that counts popular words of queries.",
        ("text", "links", "urls"),
        CONTENT,
        formulas="webstrata.classify.content:AA",
    ),
    "B": FeatureSet(
        "webstrata.classify.content:build_b",
        "What pages say: home page, page of maximum PageRank, mean and variance.",
        ("text", "links", "urls", "graph"),
        CONTENT,
        formulas="webstrata.classify.content:B",
    ),
    "link": FeatureSet(
        "webstrata.classify.links:build_link",
        "Who links to the home page and to the page of maximum PageRank.",
        ("graph", "urls"),
        ("trusted", "registers"),
        formulas="webstrata.classify.links:FORMULAS",
    ),
    "temporal-link": FeatureSet(
        "webstrata.classify.temporal_links:build_temporal_link",
        "How links of a site die and grow from one snapshot to another, and how much of its neighbourhood "
        "stays: I₀, I₁ link to it before and after, Γ₀, Γ₁ are linked to, Γ_k by walks of exactly k links.",
        ("graph", "urls"),
        ("earlier", "fingerprints"),
        through_time=True,
        last_alone=True,
        formulas="webstrata.classify.temporal_links:FORMULAS",
    ),
    "bm25": FeatureSet(
        "webstrata.classify.term_vectors:build_bm25",
        "Which terms a site has, weighted by BM25; TERM stands for each of the vocabulary.",
        ("summaries", "urls"),
        TERMS,
        formulas="webstrata.classify.term_vectors:FORMULAS",
    ),
    "temporal-content": FeatureSet(
        "webstrata.classify.temporal_content:build_temporal_content",
        "How the weights of terms change over snapshots; TERM stands for each of the vocabulary.",
        ("summaries", "urls"),
        ("earlier", "decay", *TERMS),
        through_time=True,
        formulas="webstrata.classify.temporal_content:FORMULAS",
    ),
}
"""The feature sets by name, in the order in which they are made."""


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


def part_name(name: str) -> str:
    """The part that holds a set.

    Examples
    --------
    >>> part_name("Aa"), part_name("temporal-link")
    ('features-aa', 'features-temporal-link')
    """
    return f"features-{name.lower()}"


def check_sets(names: Sequence[str]) -> list[str]:
    """Names of sets in the order of `SETS`, or `UsageError` for one that is none.

    Examples
    --------
    >>> check_sets(["C"])
    Traceback (most recent call last):
    webstrata.errors.UsageError: sets: C is no feature set; known are ...
    """
    for name in names:
        if name not in SETS:
            raise UsageError(unknown_name("sets", name, "feature set", SETS))
    return [name for name in SETS if name in names]


def build_features(
    snapshot: Snapshot, settings: ClassifySettings | None = None, *, progress: Progress | None = None
) -> list[Made]:
    """Make the feature sets of a snapshot that the settings name, and keep them.

    Where they name none, all that can be made: those that lack something are left out, which is said. A file
    or a snapshot that the settings name and that is not there is an error in any case.

    Examples
    --------
    >>> import webstrata as ws
    >>> snapshot = ws.create(getfixture("tmp_path") / "uk").add("2026-06")
    >>> build_features(snapshot, ClassifySettings(sets=("C",)))
    Traceback (most recent call last):
    webstrata.errors.UsageError: sets: C is no feature set; known are ...
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
    >>> import webstrata as ws
    >>> build_set(ws.create(getfixture("tmp_path") / "uk").add("2026-06"), "C")
    Traceback (most recent call last):
    webstrata.errors.UsageError: sets: C is no feature set; known are ...
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
    >>> import webstrata as ws
    >>> described = FeatureSet("module:function", "Nothing.", ("text",))
    >>> list_inputs(ws.create(getfixture("tmp_path") / "uk").add("2026-06"), described)
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...2026-06: there is no part text (parts: none yet); `webstrata
    store ...` makes it
    """
    found = {f"{snapshot.label}/{name}": snapshot.parts.record(name).checksum for name in described.inputs}
    if described.through_time:
        named = settings.earlier if settings else ()
        for other in find_earlier(snapshot, named, described.inputs, last_alone=described.last_alone):
            for name in described.inputs:
                found[f"{other.label}/{name}"] = other.parts.record(name).checksum
    return found


def read_kept(
    snapshot: Snapshot, part: str, described: FeatureSet, settings: ClassifySettings
) -> dict[str, Any] | None:
    """What is known of a part, if it is there and was made from the same; else None.

    Examples
    --------
    >>> import webstrata as ws
    >>> described = FeatureSet("module:function", "Nothing.", ())
    >>> snapshot = ws.create(getfixture("tmp_path") / "uk").add("2026-06")
    >>> read_kept(snapshot, "features-b", described, ClassifySettings()) is None
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
    >>> import webstrata as ws
    >>> snapshot = ws.create(getfixture("tmp_path") / "uk").add("2026-06")
    >>> described = FeatureSet("module:function", "Words.", ())
    >>> table = pa.table({"host": ["a.org"], "words": pa.array([7], pa.float32())})
    >>> keep_table(snapshot, "features-b", table, described, ClassifySettings(), Cost(), "B", Progress())
    >>> snapshot.features("B").to_pylist()
    [{'host': 'a.org', 'words': 7.0}]
    """
    files = digest_files(settings, described.heeds)
    facts = {"about": described.about, "files": files, "cost": asdict(cost)}
    inputs = tuple(list_inputs(snapshot, described, settings))
    renew = _write_command(name, described, settings)
    with snapshot.build(part, settings=settings, inputs=inputs, renew=renew, progress=progress) as build:
        for file, content in {TABLE: table, **(others or {})}.items():
            with open_writer(build.path / file) as stream:
                pq.write_table(content, stream, compression="zstd")
        replace_file(build.path / FACTS, json.dumps(facts, indent=1).encode())
        build.count(rows=len(table), features=count_features(table))


def describe_made(snapshot: Snapshot, name: str, *, kept: bool) -> Made:
    """What is known of a set that was made.

    Examples
    --------
    >>> import webstrata as ws
    >>> describe_made(ws.create(getfixture("tmp_path") / "uk").add("2026-06"), "B", kept=True)
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...2026-06: it has no features B; `webstrata classify features ...uk
    2026-06 --sets B` makes them
    """
    with _open_set(snapshot, name) as part:
        counts, facts = part.counts, _read_facts(part.path / FACTS)
    pages = snapshot.parts.record("urls").counts.get("nodes", 0) if "urls" in snapshot.parts else 0
    return Made(name, counts["rows"], counts["features"], pages, Cost(**facts["cost"]), kept)


def read_features(snapshot: Snapshot, name: str) -> pa.Table:
    """The table of a set: ``host``, then a column for each feature, null where it is missing.

    Examples
    --------
    >>> import webstrata as ws
    >>> read_features(ws.create(getfixture("tmp_path") / "uk").add("2026-06"), "link")
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...2026-06: it has no features link; `webstrata classify features ...uk
    2026-06 --sets link` makes them
    """
    check_sets([name])
    with _open_set(snapshot, name) as part:
        path = part.path / TABLE
        with explained(path, "read"):
            try:
                return pq.read_table(path)
            except pa.ArrowInvalid as error:
                raise FormatError(f"{path}: this is no table ({error}); make the features again") from error


def load_features(
    snapshot: Snapshot, names: Sequence[str]
) -> tuple[list[str], list[str], npt.NDArray[np.float32]]:
    """Hosts, features and their values for some sets side by side; NaN where one is missing.

    Features are named ``SET:feature``. Hosts that only some of the sets have are there, in row-key order.

    Examples
    --------
    >>> import webstrata as ws
    >>> snapshot = ws.create(getfixture("tmp_path") / "uk").add("2026-06")
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
    >>> path = getfixture("tmp_path") / "queries"
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


def _write_command(name: str, described: FeatureSet, settings: ClassifySettings) -> str:
    """The command that makes a set again, with the settings it heeds that are not the default."""
    heeded = settings.to_options(described.heeds)
    return f"webstrata classify features {{collection}} {{snapshot}} --sets {name}{heeded}"


def _open_set(snapshot: Snapshot, name: str) -> Part:
    if part_name(name) not in snapshot.parts:
        command = f"webstrata classify features {snapshot.collection.word} {snapshot.label} --sets {name}"
        raise MissingError(f"{snapshot.path}: it has no features {name}; `{command}` makes them")
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


def _load(place: str) -> Any:  # noqa: ANN401 (whatever stands there)
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)
