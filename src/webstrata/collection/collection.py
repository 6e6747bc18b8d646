"""Collections and snapshots as stages hold them: the directory, its settings, its parts.

::

    uk/
      collection.toml            format, title, and settings that all snapshots share; the user's once made
      manifest.toml              the parts of the collection itself (see `manifest`)
      snapshots/2026-06/
        snapshot.toml            settings of this snapshot alone; optional, the user's
        manifest.toml            the parts of the snapshot

Only this room makes paths. A label is a date, ``2026``, ``2026-06``, ``2026-06-12`` or ``2026-06-12T1830``,
so that the order of the labels is the order of time; a collection has at most 64 snapshots, one per bit of a
temporal label.
"""

from __future__ import annotations

import datetime as dt
import fcntl
import os
import re
import shlex
import tomllib
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import tomli_w

from webstrata.collection.files import explained, make_directory, replace_file
from webstrata.collection.lock import WriteLock
from webstrata.collection.manifest import FORMAT, check_format
from webstrata.collection.parts import Part, Parts, stale_inputs
from webstrata.collection.settings import TABLES, Settings, load_settings_class, unknown_name
from webstrata.errors import ExistsError, FormatError, LabelError, MissingError, SettingError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from os import PathLike

    from webstrata.collection.build import Build
    from webstrata.collection.manifest import PartRecord
    from webstrata.collection.progress import Progress

MAX_SNAPSHOTS = 64

_S = TypeVar("_S", bound=Settings)
_FORMS = {4: "%Y", 7: "%Y-%m", 10: "%Y-%m-%d", 15: "%Y-%m-%dT%H%M"}


def check_label(label: str) -> str:
    """`label` if it is the date of a snapshot, or `LabelError`.

    Examples
    --------
    >>> check_label("2026-06")
    '2026-06'
    >>> check_label("2026-13")
    Traceback (most recent call last):
    webstrata.errors.LabelError: snapshot label '2026-13' is no date; write it as 2026, 2026-06, 2026-06-12 or
    2026-06-12T1830
    """
    parse_label(label)
    return label


def parse_label(label: str) -> dt.datetime:
    """The first moment of the time that a label stands for, or `LabelError`.

    Examples
    --------
    >>> parse_label("2026-06").isoformat()
    '2026-06-01T00:00:00+00:00'
    """
    try:
        if re.fullmatch(r"[\dT-]+", label, re.ASCII):
            return dt.datetime.strptime(label, _FORMS[len(label)]).replace(tzinfo=dt.UTC)
    except (KeyError, ValueError):
        pass
    raise LabelError(
        f"snapshot label {label!r} is no date; write it as 2026, 2026-06, 2026-06-12 or 2026-06-12T1830"
    )


@dataclass(frozen=True)
class PartState:
    """A part as `show` tells it: whether it is fresh, and what to do if not."""

    record: PartRecord
    stale: tuple[str, ...]
    renew: str


class _Holder:
    """What a collection and a snapshot have in common: a folder with parts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.parts = Parts(path)

    def open_part(self, name: str, *, whole: bool = False, progress: Progress | None = None) -> Part:
        """The part called `name`, kept from removal until it is closed, or `MissingError`.

        `FormatError` where it is damaged; with `whole`, the content of every file is compared.
        """
        return self.parts.open(name, whole=whole, progress=progress)


class Snapshot(_Holder):
    """One dated crawl in a collection."""

    def __init__(self, collection: Collection, label: str) -> None:
        super().__init__(collection.path / "snapshots" / label)
        self.collection = collection
        self.label = label

    def build(
        self,
        name: str,
        *,
        settings: Settings | None = None,
        inputs: tuple[str, ...] = (),
        renew: str = "",
        progress: Progress | None = None,
    ) -> Build:
        """A build of the part `name`, from parts of this snapshot (``links``) or others (``2026-05/links``).

        Examples
        --------
        >>> collection = Collection.create(getfixture("tmp_path") / "uk")
        >>> snapshot = collection.add("2026-06")
        >>> with snapshot.build("notes") as build:
        ...     _ = (build.path / "a.txt").write_text("kept")
        ...     build.count(notes=1)
        >>> with snapshot.open_part("notes") as part:
        ...     (part.path / "a.txt").read_text(), part.counts
        ('kept', {'notes': 1})
        """
        qualified = [self.collection.qualify(self, name) for name in inputs]
        return self.parts.build(
            name, settings=settings, renew=renew, progress=progress, **self.collection.find_inputs(qualified)
        )

    def working_folder(self, name: str) -> Path:
        """Where a stage keeps what must outlive its process and is no part yet; it need not be there.

        Examples
        --------
        >>> snapshot = Collection.create(getfixture("tmp_path") / "uk").add("2026-06")
        >>> snapshot.working_folder("crawl").relative_to(snapshot.path).as_posix()
        'crawl'
        """
        return self.path / name

    def read_settings_file(self) -> dict[str, Any]:
        """The tables of `snapshot.toml`, none where there is no such file."""
        file = self.path / "snapshot.toml"
        with explained(file, "read"):
            try:
                data = _parse(file, file.read_bytes())
            except FileNotFoundError:
                return {}
        for name in data:
            if name not in TABLES:
                raise SettingError(unknown_name(str(file), name, "table", TABLES))
        return data

    def settings(self, cls: type[_S], options: Mapping[str, object] | None = None) -> _S:
        """The settings of a stage for this snapshot: options, environment, its file, the collection's."""
        return cls.read(options=options, files=self.collection.settings_files(cls.table, self))

    def __repr__(self) -> str:
        return f"<Snapshot {self.label} of {self.collection.path}>"


class Collection(_Holder):
    """One directory with everything known about one piece of the web.

    Examples
    --------
    >>> collection = Collection.create(getfixture("tmp_path") / "uk", title="United Kingdom")
    >>> _ = collection.add("2026-06"), collection.add("2026-05")
    >>> [snapshot.label for snapshot in collection]
    ['2026-05', '2026-06']
    >>> Collection.open(collection.path).title
    'United Kingdom'
    """

    snapshot_class: type[Snapshot] = Snapshot

    def __init__(self, path: Path, data: Mapping[str, Any]) -> None:
        super().__init__(path)
        self._data = data

    # ---- opening

    @classmethod
    def create(cls, path: str | PathLike[str], *, title: str = "") -> Self:
        """A new, empty collection at `path`, which must not be there or be an empty folder.

        What a `create` that was interrupted left there counts as empty.
        """
        path = Path(path)
        _check_name(path)
        content = _first_settings_file(path, title).encode()
        _refuse_taken(path)
        with WriteLock(make_directory(path)):
            _refuse_taken(path)  # somebody may have been faster
            make_directory(path / "snapshots")
            # the file that makes the folder a collection comes last
            replace_file(path / "collection.toml", content)
        return cls.open(path)

    @classmethod
    def open(cls, path: str | PathLike[str]) -> Self:
        """The collection at `path`; nothing but its settings file is read now."""
        path = Path(path)
        file = path / "collection.toml"
        with explained(file, "read"):
            try:
                data = _parse(file, file.read_bytes())
            except (FileNotFoundError, NotADirectoryError):
                here = "is no collection (it has no collection.toml)" if path.exists() else "is not there"
                create = f"webstrata new {shlex.quote(str(path))}"
                raise MissingError(
                    f"{path}: this {here}; name a collection, or create one with `{create}`"
                ) from None
        check_format(file, data)
        known = {"format": 1, "title": 1} | TABLES
        for name in data:
            if name not in known:
                raise SettingError(unknown_name(str(file), name, "table", known))
        return cls(path, data)

    @property
    def title(self) -> str:
        """What the collection is called in reports."""
        return str(self._data.get("title", "")) or self.path.name

    @property
    def word(self) -> str:
        """Its path as one word of a command, for sentences that tell what to run.

        Examples
        --------
        >>> import webstrata as ws
        >>> ws.create(getfixture("tmp_path") / "my web").word
        "'...my web'"
        """
        return shlex.quote(str(self.path))

    # ---- snapshots

    @property
    def labels(self) -> list[str]:
        """The labels of its snapshots, oldest first."""
        folder = self.path / "snapshots"
        with explained(folder, "list"):
            try:
                with os.scandir(folder) as entries:
                    return sorted(entry.name for entry in entries if entry.is_dir() and _is_label(entry.name))
            except FileNotFoundError:
                return []

    def __iter__(self) -> Iterator[Snapshot]:
        return (self.snapshot_class(self, label) for label in self.labels)

    def __len__(self) -> int:
        return len(self.labels)

    def __contains__(self, label: object) -> bool:
        return label in self.labels

    def __getitem__(self, label: str) -> Snapshot:
        check_label(label)
        if not (self.path / "snapshots" / label).is_dir():
            known = ", ".join(self.labels) or "none yet"
            raise MissingError(
                f"{self.path}: there is no snapshot {label} (snapshots: {known}); "
                f"add it with `webstrata new {self.word} {label}`"
            )
        return self.snapshot_class(self, label)

    def add(self, label: str) -> Snapshot:
        """The snapshot of that label, made if it is not there yet."""
        check_label(label)
        if label not in self:
            with _counting(make_directory(self.path / "snapshots")):
                labels = self.labels
                if len(labels) >= MAX_SNAPSHOTS and label not in labels:
                    raise LabelError(
                        f"{self.path}: it has {MAX_SNAPSHOTS} snapshots, as many as a temporal label has "
                        f"bits; begin another collection for {label}"
                    )
                make_directory(self.path / "snapshots" / label)
        return self.snapshot_class(self, label)

    # ---- parts and settings

    def build(
        self,
        name: str,
        *,
        settings: Settings | None = None,
        inputs: tuple[str, ...] = (),
        renew: str = "",
        progress: Progress | None = None,
    ) -> Build:
        """A build of a part of the collection, from its own (``/urls``) or snapshots' (``2026-06/graph``)."""
        qualified = [self.qualify(self, name) for name in inputs]
        return self.parts.build(
            name, settings=settings, renew=renew, progress=progress, **self.find_inputs(qualified)
        )

    def find_inputs(self, names: Iterable[str]) -> dict[str, Any]:
        """Checksums and holders of the parts with these qualified names, as `Parts.build` takes them."""
        found = list(dict.fromkeys(names))
        return {
            "inputs": {name: self.find_record(name).checksum for name in found},
            "holders": {name: self._holder(name).parts for name in found},
        }

    def working_folder(self, name: str) -> Path:
        """Where a stage keeps what belongs to all snapshots and is no part; it need not be there.

        Examples
        --------
        >>> collection = Collection.create(getfixture("tmp_path") / "uk")
        >>> collection.working_folder("table").relative_to(collection.path).as_posix()
        'table'
        """
        return self.path / name

    def settings(self, cls: type[_S], options: Mapping[str, object] | None = None) -> _S:
        """The settings of a stage for the whole collection: options, environment, its file."""
        return cls.read(options=options, files=self.settings_files(cls.table))

    def settings_files(
        self, table: str, snapshot: Snapshot | None = None
    ) -> list[tuple[str, Mapping[str, Any]]]:
        """The tables of a stage in the settings files, the strongest first."""
        found: list[tuple[str, Mapping[str, Any]]] = [(str(self.path / "collection.toml"), self._data)]
        if snapshot is not None:
            found.insert(0, (str(snapshot.path / "snapshot.toml"), snapshot.read_settings_file()))
        for file_name, data in found:
            if not isinstance(data.get(table, {}), dict):
                raise SettingError(
                    f"{file_name}: `{table}` is no table; write its settings below a line [{table}]"
                )
        return [(file_name, data[table]) for file_name, data in found if table in data]

    def qualify(self, holder: Snapshot | Collection, name: str) -> str:
        """The name of a part as manifests record it: with its snapshot, or ``/`` for the collection's own."""
        if "/" in name:
            return name
        return f"{holder.label}/{name}" if isinstance(holder, Snapshot) else f"/{name}"

    def find_record(self, name: str) -> PartRecord:
        """The record of a part by its qualified name, ``2026-06/graph`` or ``/temporal``."""
        return self._holder(name).parts.record(name.partition("/")[2])

    def _holder(self, name: str) -> Snapshot | Collection:
        label = name.partition("/")[0]
        return self[label] if label else self

    def states(self) -> dict[str, PartState]:
        """Every part by its qualified name, with the inputs that changed since it was built."""
        holders: list[Snapshot | Collection] = [self, *self]
        records = {self.qualify(holder, record.name): record for holder in holders for record in holder.parts}
        checksums = {name: record.checksum for name, record in records.items()}
        stale = {name: set(stale_inputs(record.inputs, checksums)) for name, record in records.items()}
        changed = True
        while changed:  # what is made from something stale is stale too
            more = {name: {i for i in records[name].inputs if stale.get(i)} - stale[name] for name in records}
            changed = any(more.values())
            for name, inputs in more.items():
                stale[name] |= inputs
        return {
            name: PartState(record, tuple(sorted(stale[name])), self._renew_command(name, record))
            for name, record in records.items()
        }

    def _renew_command(self, name: str, record: PartRecord) -> str:
        return record.renew.format(collection=self.word, snapshot=name.partition("/")[0])

    def __repr__(self) -> str:
        return f"<Collection {self.path}>"


def _is_label(name: str) -> bool:
    try:
        return bool(check_label(name))
    except LabelError:
        return False


def _parse(file: Path, content: bytes) -> dict[str, Any]:
    try:
        return tomllib.loads(content.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise FormatError(
            f"{file}: this is not TOML ({error}); mend the line, or restore the file"
        ) from error


def _check_name(path: Path) -> None:
    """Refuse names that would break lines of logs and lists, or are no text at all, before a folder is made.

    Folders around it that exist already keep their names.
    """
    bad = next((part for part in (path, *path.parents) if not part.name.isprintable()), None)
    if bad is not None and (bad is path or not bad.is_dir()):
        raise UsageError(
            f"{bad.name!r}: the name of a collection has only printable characters, valid in UTF-8; "
            "choose another name"
        )


def _refuse_taken(path: Path) -> None:
    """Raise `ExistsError` unless `path` is free for a new collection."""
    with explained(path, "create"):
        if (path / "collection.toml").exists():
            raise ExistsError(f"{path}: there is a collection here already; choose another name, or use it")
        if path.exists() and not (path.is_dir() and all(map(_is_leftover, path.iterdir()))):
            raise ExistsError(
                f"{path}: something else is here already; choose another name, or an empty folder"
            )


def _is_leftover(path: Path) -> bool:
    """Whether this is what a `Collection.create` has made before it was interrupted."""
    if path.name == "snapshots":
        return path.is_dir() and not any(path.iterdir())
    return path.name in (".lock", ".collection.toml.new")


@contextmanager
def _counting(folder: Path) -> Iterator[None]:
    """Let one process at a time look how many snapshots there are, and add one."""
    with explained(folder, "write"):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with explained(folder, "write"):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _first_settings_file(path: Path, title: str) -> str:
    if not title.isprintable():
        raise UsageError(f"{path}: the title {title!r} has characters that cannot be printed; leave them out")
    tables = "\n".join(load_settings_class(table).to_toml() for table in TABLES)
    return f"""\
# What this collection is, and settings that all its snapshots share. A line without its # is in force;
# options and environment variables are stronger, and so is the snapshot.toml of a snapshot.
format = {FORMAT}
{tomli_w.dumps({"title": title}).strip()}

{tables}"""
