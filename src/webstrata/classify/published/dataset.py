"""A published data set in a folder: its files found, its features stored as parts, its labels read.

The folder, or folders in it, has the files as they were published, packed by gzip or not, in any arrangement:
host names, labels (SET1 and SET2, or with ``test`` in their names), feature files in CSV or ARFF, for DC2010
term counts. Hosts are named as published, without ``www.`` where that is unique, so that the names are those
of `webstrata.classify.features.sites`.

Features become parts ``features-…`` of a snapshot, as if they had been computed; ``features.json`` names the
folder under ``published``. Features that were computed from pages are never replaced by published ones.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.sparse as sp

from webstrata.classify.features.feature_sets import FACTS, HOST, TABLE, Made, describe_made, read_features
from webstrata.classify.features.sets import SETS, part_name
from webstrata.classify.features.sites import site_key, site_name
from webstrata.classify.features.sparse_table import count_features, to_table
from webstrata.classify.learning.cost import Meter
from webstrata.classify.published.feature_files import (
    FeatureFile,
    choose_content,
    name_motion,
    read_feature_file,
)
from webstrata.classify.published.label_files import (
    merge,
    read_label_file,
    rename,
    tell_label_format,
    tell_names,
)
from webstrata.classify.published.term_files import read_terms, weigh_hosts
from webstrata.classify.settings import ClassifySettings
from webstrata.collection.files import explained, open_writer, replace_file
from webstrata.collection.progress import Progress
from webstrata.collection.sentences import tell_count
from webstrata.errors import FormatError, MissingError, UsageError
from webstrata.graph.interchange.webspam import read_hostnames

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.classify.learning.labels import Labels
    from webstrata.collection import Snapshot

PUBLISHED = "published"
_DATES = {"2006": "2006-05", "2007": "2007-05", "2010": "2010-03"}
"""When the hosts of a data set were crawled, by the year in the names of its files."""


@dataclass
class PublishedSet:
    """The files of a data set.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> _ = (folder / "uk-2007-05.hostnames.txt").write_text("0 www.a.co.uk")
    >>> _ = (folder / "WEBSPAM-UK2007-SET1-labels.txt").write_text("0 spam 1.0 j1:S")
    >>> found = find_published(folder)
    >>> found.names, found.date, found.labels()[0].tasks
    (['a.co.uk'], '2007-05', {'spam': {'a.co.uk': True}})
    """

    folder: Path
    hostnames: Path | None = None
    train: list[Path] = field(default_factory=list)
    test: list[Path] = field(default_factory=list)
    features: list[Path] = field(default_factory=list)
    terms: list[tuple[Path, Path]] = field(default_factory=list)
    """Term counts with the list of terms."""

    @property
    def date(self) -> str:
        """The date of the crawl, a label of a snapshot."""
        names = " ".join(path.name for path in (self.hostnames, *self.features, *self.train) if path)
        for year, date in _DATES.items():
            if year in names:
                return date
        raise UsageError(f"{self.folder}: the names of its files tell no year; name the SNAPSHOT")

    @cached_property
    def names(self) -> list[str]:
        """The name of each host by its number; empty where there is no file of names."""
        return tell_names(read_hostnames(self.hostnames)) if self.hostnames else []

    @cached_property
    def renamed(self) -> dict[str, str]:
        """Names of sites for names as published."""
        published = read_hostnames(self.hostnames) if self.hostnames else []
        return dict(zip(published, self.names, strict=True))

    def labels(self, having: set[str] | None = None) -> tuple[Labels, Labels | None]:
        """Labels for training, and those of the test set where there are any."""
        if not self.train:
            raise MissingError(f"{self.folder}: there are no labels for training (SET1) in it")

        def read(paths: list[Path]) -> Labels:
            found = [
                rename(read_label_file(path, self.names or None, having), self.renamed) for path in paths
            ]
            return merge(found, str(paths[0]) if len(paths) == 1 else str(self.folder))

        return read(self.train), read(self.test) if self.test else None


def find_published(folder: Path) -> PublishedSet:
    """The files of a data set in a folder and the folders in it.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> _ = (folder / "WEBSPAM-UK2007-SET1-labels.txt").write_text("0 spam 1.0 j1:S")
    >>> find_published(folder).date
    '2007-05'
    >>> find_published(testing.scratch())
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...: there are no files of WEBSPAM-UK2006, WEBSPAM-UK2007 or DC2010 in it
    """
    with explained(folder, "list"):
        next(folder.iterdir(), None)
    found = PublishedSet(folder)
    lists: list[Path] = []
    counts: list[Path] = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.name.lower().removesuffix(".gz")
        if "hostnames" in name and name.endswith(".txt"):
            found.hostnames = found.hostnames or path
        elif "top_terms" in name:
            lists.append(path)
        elif "tfdf" in name:
            counts.append(path)
        elif "hostgraph" in name or "readme" in name or "homepageuid" in name:
            continue
        elif name.endswith((".txt", ".csv")) and "features" not in name and tell_label_format(path):
            is_test = "set2" in name or "test" in name
            (found.test if is_test else found.train).append(path)
        elif name.endswith(".arff") or (name.endswith(".csv") and "features" in name):
            found.features.append(path)
    # the labels of two people or a trusted domain, which the features' paper used, before all labels of a set
    for side in (found.train, found.test):
        if agreed := [path for path in side if "domainortwohumans" in path.name.lower()]:
            side[:] = agreed
    if counts and lists:
        found.terms = [(path, _nearest(path, lists)) for path in counts]
    if not (found.features or found.train or found.terms):
        raise MissingError(f"{folder}: there are no files of WEBSPAM-UK2006, WEBSPAM-UK2007 or DC2010 in it")
    return found


def _nearest(path: Path, lists: list[Path]) -> Path:
    """The list of terms of the same language."""
    languages = [part for part in path.name.split(".") if len(part) == 2]
    return next((one for one in lists if any(f".{name}." in one.name for name in languages)), lists[0])


def store_features(
    snapshot: Snapshot,
    published: PublishedSet,
    settings: ClassifySettings | None = None,
    *,
    progress: Progress | None = None,
) -> list[Made]:
    """Store the features of a data set as parts of a snapshot; what is stored already is kept.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> _ = (folder / "uk-2007-05.hostnames.txt").write_text("0 www.a.co.uk")
    >>> _ = (folder / "uk-2007-05.content_based_features.csv").write_text("#hostid,HST_1" + chr(10) + "0,7")
    >>> snapshot = testing.empty().add("2007-05")
    >>> [(made.name, made.hosts, made.features) for made in store_features(snapshot, find_published(folder))]
    [('A', 1, 1), ('B', 1, 1)]
    """
    progress = progress or Progress()
    settings = settings or snapshot.settings(ClassifySettings)
    kept = [name for name in SETS if _is_published(snapshot, name, published)]
    with Meter() as meter:
        tables = {} if kept else _read_tables(published, settings, progress)
    made = [describe_made(snapshot, name, kept=True) for name in kept]
    for name, table in tables.items():
        part = part_name(name)
        facts = {
            "about": SETS[name].about,
            "files": {},
            "cost": asdict(meter.cost),
            PUBLISHED: str(published.folder.resolve()),
        }
        with snapshot.write_part(part, progress=progress) as build:
            with open_writer(build.path / TABLE) as stream:
                pq.write_table(table, stream, compression="zstd")
            replace_file(build.path / FACTS, json.dumps(facts, indent=1).encode())
            build.count(rows=len(table), features=count_features(table))
        made.append(describe_made(snapshot, name, kept=False))
    return made


def _is_published(snapshot: Snapshot, name: str, published: PublishedSet) -> bool:
    """Whether a set is stored from this folder; computed ones must not be mixed with published ones."""
    if part_name(name) not in snapshot.parts:
        return False
    with snapshot.open_part(part_name(name)) as part:
        facts: dict[str, Any] = json.loads((part.path / FACTS).read_bytes())
    source = facts.get(PUBLISHED)
    if source is None and name in ("A", "Aa", "B", "link", "temporal-link"):
        raise UsageError(
            f"{snapshot.path}: features {name} were computed from its pages; name a snapshot of its own for "
            "the published ones"
        )
    if source is not None and source != str(published.folder.resolve()):
        raise UsageError(
            f"{snapshot.path}: features {name} are those of {source}; name another snapshot for "
            f"{published.folder}"
        )
    return source is not None


def _read_tables(
    published: PublishedSet, settings: ClassifySettings, progress: Progress
) -> dict[str, pa.Table]:
    kinds: dict[str, list[FeatureFile]] = {}
    with progress.task("published features", total=len(published.features), unit="files") as task:
        for path in published.features:
            found = read_feature_file(path)
            if found.left_out:
                count = tell_count(len(found.left_out), "attribute")
                progress.note(f"{path}: {count} of no known measure left out ({found.left_out[0]}, …)")
            if found.kind:
                kinds.setdefault(found.kind, []).append(found)
            else:
                progress.note(f"{path}: no features of a published set; left out")
            task.advance()
    joined = {kind: _join(files, published) for kind, files in kinds.items()}
    tables: dict[str, pa.Table] = {}
    if "content" in joined:
        hosts, columns, values = joined["content"]
        for name in ("A", "Aa", "B"):
            places = choose_content(columns, name)
            if places:
                tables[name] = _to_table(hosts, [columns[place] for place in places], values[:, places])
    if "direct" in joined:
        tables["A"] = _beside(tables.get("A"), _to_table(*joined["direct"]))
    if "link" in joined:
        tables["link"] = _to_table(*joined["link"])
    if "motion" in joined:
        hosts, columns, values = joined["motion"]
        tables["temporal-link"] = _to_table(hosts, [name_motion(column) for column in columns], values)
    if published.terms:
        path, listed = published.terms[0]
        numbers, names, matrix = weigh_hosts(path, read_terms(listed), settings)
        hosts = [_find_name(path, number, published) for number in numbers]
        order = sorted(range(len(hosts)), key=lambda place: site_key(hosts[place]))
        rows = sp.csr_array(matrix)[order]
        tables["bm25"] = to_table([hosts[place] for place in order], names, rows)
    return {name: tables[name] for name in SETS if name in tables}


def _find_name(path: Path, host: int | str, published: PublishedSet) -> str:
    if isinstance(host, str):
        return published.renamed.get(host, site_name(host.lower()))
    if not published.names:
        raise MissingError(
            f"{path}: its hosts are numbers, and there is no file of host names (…hostnames.txt) in "
            f"{published.folder}; put that there too"
        )
    if host >= len(published.names):
        raise FormatError(
            f"{path}: there is no host {host}; {published.hostnames} ends at {len(published.names) - 1}"
        )
    return published.names[host]


def _join(
    files: Sequence[FeatureFile], published: PublishedSet
) -> tuple[list[str], list[str], npt.NDArray[np.float64]]:
    """Files of one kind: the same columns are more hosts, other columns more features."""
    places: dict[str, int] = {}
    blocks: list[tuple[list[str], FeatureFile]] = []
    columns: dict[str, None] = {}
    for one in files:
        hosts = [_find_name(one.path, host, published) for host in one.hosts]
        blocks.append((hosts, one))
        columns.update(dict.fromkeys(one.columns))
        for host in hosts:
            places.setdefault(host, len(places))
    names = sorted(places, key=site_key)
    at = {host: place for place, host in enumerate(names)}
    column_at = {name: place for place, name in enumerate(columns)}
    values = np.full((len(names), len(columns)), np.nan)
    # of a value that two files have (CSV and ARFF, several pairs of months) the last by name counts
    for hosts, one in blocks:
        there = np.array([at[host] for host in hosts], np.int64)
        for place, name in enumerate(one.columns):
            known = ~np.isnan(one.values[:, place])
            values[there[known], column_at[name]] = one.values[known, place]
    return names, list(columns), values


def _to_table(hosts: Sequence[str], columns: Sequence[str], values: npt.NDArray[np.float64]) -> pa.Table:
    arrays = [pa.array(column, pa.float32(), from_pandas=True) for column in values.T.astype(np.float32)]
    return pa.table([pa.array(hosts, pa.string()), *arrays], names=[HOST, *columns])


def _beside(first: pa.Table | None, second: pa.Table) -> pa.Table:
    """Two tables of hosts as one, for hosts of the first where there is one."""
    if first is None:
        return second
    places: Mapping[str, int] = {host: place for place, host in enumerate(second[HOST].to_pylist())}
    take = pa.array([places.get(host) for host in first[HOST].to_pylist()], pa.int64())
    for name in second.column_names:
        if name != HOST:
            first = first.append_column(name, second[name].combine_chunks().take(take))
    return first


def prepare(
    snapshot: Snapshot,
    folder: Path,
    settings: ClassifySettings | None = None,
    *,
    progress: Progress | None = None,
) -> tuple[Labels, Labels | None]:
    """Store the features of a data set in a snapshot; labels of hosts that have some, and the test set.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> _ = (folder / "uk-2007-05.hostnames.txt").write_text("0 a.co.uk" + chr(10) + "1 b.co.uk")
    >>> rows = ["#hostid,number_of_pages", "0,7"]
    >>> _ = (folder / "uk-2007-05.obvious_features.csv").write_text(chr(10).join(rows))
    >>> lines = ["0 spam 1.0 j1:S", "1 nonspam 0.0 j1:N"]
    >>> _ = (folder / "WEBSPAM-UK2007-SET1-labels.txt").write_text(chr(10).join(lines))
    >>> labels, test = prepare(testing.empty().add("2007-05"), folder)
    >>> labels.tasks, test
    ({'spam': {'a.co.uk': True}}, None)
    """
    progress = progress or Progress()
    published = find_published(folder)
    store_features(snapshot, published, settings, progress=progress)
    having = {
        host
        for name in SETS
        if part_name(name) in snapshot.parts
        for host in read_features(snapshot, name)[HOST].to_pylist()
    }
    labels, test = published.labels(having)
    for some in (labels, test):
        if some is None:
            continue
        lacking = {host for found in some.tasks.values() for host in found} - having
        if lacking:
            progress.note(
                f"{some.source}: {tell_count(len(lacking), 'labelled host')} without features left out"
            )
        for task, found in some.tasks.items():
            some.tasks[task] = {host: is_it for host, is_it in found.items() if host in having}
    return labels, test
