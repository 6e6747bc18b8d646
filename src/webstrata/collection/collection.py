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

import fcntl
import os
import shlex
import tomllib
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import tomli_w

from webstrata.collection.action import Action
from webstrata.collection.files import explained, make_directory, replace_file
from webstrata.collection.lock import WriteLock
from webstrata.collection.manifest import FORMAT, check_format
from webstrata.collection.parts import Part, Parts
from webstrata.collection.settings import Settings, load_tables, unknown_name
from webstrata.collection.snapshot_dates import check_date, expand_range, is_date
from webstrata.errors import DateError, ExistsError, FormatError, MissingError, SettingError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from os import PathLike

    from webstrata.collection.build import Build
    from webstrata.collection.manifest import PartRecord
    from webstrata.collection.progress import Progress
    from webstrata.collection.states import PartState

MAX_SNAPSHOTS = 64

_S = TypeVar("_S", bound=Settings)


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
        self.date = label

    def write_part(
        self,
        name: str,
        *,
        settings: Settings | None = None,
        inputs: tuple[str, ...] = (),
        renew: str = "",
        progress: Progress | None = None,
    ) -> Build:
        """Begin a build of the part `name`, from parts of this snapshot (``links``) or of others.

        Examples
        --------
        >>> from webstrata import testing
        >>> collection = testing.empty()
        >>> snapshot = collection.add("2026-06")
        >>> with snapshot.write_part("notes") as build:
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
        >>> from webstrata import testing
        >>> snapshot = testing.empty().add("2026-06")
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
        _check_tables(file, data)
        return data

    def settings(self, cls: type[_S], options: Mapping[str, object] | None = None) -> _S:
        """The settings of a stage for this snapshot: options, environment, its file, the collection's."""
        return cls.read(options=options, files=self.collection.settings_files(cls.table, self))

    @property
    def label(self) -> str:
        """The former name of `date`."""
        warnings.warn("Snapshot.label is called date now", DeprecationWarning, stacklevel=2)
        return self.date

    def __repr__(self) -> str:
        return f"<Snapshot {self.date} of {self.collection.path}>"


class Collection(_Holder):
    """One directory with everything known about one piece of the web.

    Examples
    --------
    >>> from webstrata import testing
    >>> collection = Collection.create(testing.scratch() / "uk", title="United Kingdom")
    >>> _ = collection.add("2026-06"), collection.add("2026-05")
    >>> [snapshot.date for snapshot in collection]
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
                here = "not a collection (no collection.toml)" if path.exists() else "no such collection"
                fix = Action("new", str(path))
                raise MissingError(
                    f"{path}: {here}; name another, or {{fix}} to create it", fix=fix
                ) from None
        check_format(file, data)
        _check_tables(file, data, "format", "title")
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
        >>> from webstrata import testing
        >>> testing.empty("my web").word
        "'...my web'"
        """
        return shlex.quote(str(self.path))

    # ---- snapshots

    @property
    def labels(self) -> list[str]:
        """The former name of `dates`."""
        warnings.warn("Collection.labels is called dates now", DeprecationWarning, stacklevel=2)
        return self.dates

    @property
    def dates(self) -> list[str]:
        """The dates of its snapshots, oldest first."""
        folder = self.path / "snapshots"
        with explained(folder, "list"):
            try:
                with os.scandir(folder) as entries:
                    return sorted(entry.name for entry in entries if entry.is_dir() and is_date(entry.name))
            except FileNotFoundError:
                return []

    def __iter__(self) -> Iterator[Snapshot]:
        return (self.snapshot_class(self, label) for label in self.dates)

    def __len__(self) -> int:
        return len(self.dates)

    def __contains__(self, label: object) -> bool:
        return label in self.dates

    def __getitem__(self, label: str) -> Snapshot:
        check_date(label)
        if not (self.path / "snapshots" / label).is_dir():
            known = ", ".join(self.dates) or "none yet"
            raise MissingError(
                f"{self.path}: no snapshot {label} (snapshots: {known}); name another, or {{fix}} to add it",
                fix=Action("new", str(self.path), label),
            )
        return self.snapshot_class(self, label)

    def add(self, label: str) -> Snapshot:
        """The snapshot of that label, made if it is not there yet."""
        check_date(label)
        if label not in self:
            with _counting(make_directory(self.path / "snapshots")):
                labels = self.dates
                if len(labels) >= MAX_SNAPSHOTS and label not in labels:
                    raise DateError(
                        f"{self.path}: it has {MAX_SNAPSHOTS} snapshots, as many as a temporal label has "
                        f"bits; begin another collection for {label}"
                    )
                make_directory(self.path / "snapshots" / label)
        return self.snapshot_class(self, label)

    # ---- parts and settings

    def write_part(
        self,
        name: str,
        *,
        settings: Settings | None = None,
        inputs: tuple[str, ...] = (),
        renew: str = "",
        progress: Progress | None = None,
    ) -> Build:
        """Begin a build of a part of the collection, from parts of its own or of snapshots."""
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
        >>> from webstrata import testing
        >>> collection = testing.empty()
        >>> collection.working_folder("table").relative_to(collection.path).as_posix()
        'table'
        """
        return self.path / name

    def settings(self, cls: type[_S], options: Mapping[str, object] | None = None) -> _S:
        """The settings of a stage for the whole collection: options, environment, its file."""
        return cls.read(options=options, files=self.settings_files(cls.table))

    def read_settings(
        self,
        cls: type[_S],
        snapshot: Snapshot | None,
        /,
        *,
        options: Mapping[str, object] | None = None,
        fitting: Mapping[str, object] | None = None,
    ) -> _S:
        """Settings for a snapshot or the collection; `fitting` ones hold where no file says otherwise."""
        files = self.settings_files(cls.table, snapshot)
        return cls.read(options=options, files=[*files, *([("what fits", fitting)] if fitting else [])])

    def remember(self, cls: type[Settings], options: Mapping[str, object]) -> dict[str, object]:
        """Write options into `collection.toml`, so that the next build has them too; those that changed it.

        Resources (workers, memory) are not remembered, and what has the value already is left alone. A
        setting that only a `snapshot.toml` has stays stronger than this.

        Examples
        --------
        >>> import tempfile
        >>> from webstrata.graph.settings import GraphSettings
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     uk = Collection.create(f"{folder}/uk")
        ...     uk.remember(GraphSettings, {"window": 16, "memory": "64MiB"})
        ...     Collection.open(uk.path).settings(GraphSettings).window
        {'window': 16}
        16
        """
        from webstrata.collection.remembered import write_settings

        changed = write_settings(self.path / "collection.toml", cls, options)
        if changed:
            self._data = _parse(self.path / "collection.toml", (self.path / "collection.toml").read_bytes())
        return changed

    def choose(self, words: Iterable[str]) -> list[str]:
        """The dates of the snapshots that dates and ranges name, oldest first; all for none or ``all``.

        Either end of a range may be left out.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     uk = Collection.create(f"{folder}/uk")
        ...     _ = [uk.add(f"2026-0{month}") for month in (1, 2, 3, 4)]
        ...     uk.choose(["2026-02..2026-03", "2026-01"]), uk.choose(["2026-03.."])
        (['2026-01', '2026-02', '2026-03'], ['2026-03', '2026-04'])
        """
        known = self.dates
        found = {label for word in words if word != "all" for label in expand_range(word.strip(), known)}
        return sorted(found) if found else known

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
                    f"{file_name}: `{table}` is not a table; write its settings below a line [{table}]"
                )
        return [(file_name, data[table]) for file_name, data in found if table in data]

    def qualify(self, holder: Snapshot | Collection, name: str) -> str:
        """The name of a part as manifests record it: with its snapshot, or ``/`` for the collection's own."""
        if "/" in name:
            return name
        return f"{holder.date}/{name}" if isinstance(holder, Snapshot) else f"/{name}"

    def find_record(self, name: str) -> PartRecord:
        """The record of a part by its qualified name, ``2026-06/graph`` or ``/temporal``."""
        return self._holder(name).parts.record(name.partition("/")[2])

    def _holder(self, name: str) -> Snapshot | Collection:
        label = name.partition("/")[0]
        return self[label] if label else self

    def states(self) -> dict[str, PartState]:
        """Every part by its qualified name, with what makes it stale: inputs, settings, snapshots."""
        from webstrata.collection.states import find_states

        return find_states(self)

    def __repr__(self) -> str:
        return f"<Collection {self.path}>"


def _parse(file: Path, content: bytes) -> dict[str, Any]:
    try:
        return tomllib.loads(content.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise FormatError(
            f"{file}: this is not TOML ({error}); mend the line, or restore the file"
        ) from error


def _check_tables(file: Path, data: Mapping[str, Any], *other: str) -> None:
    """Refuse tables that no room declares."""
    for name in data:
        if name not in other and name not in load_tables():
            raise SettingError(unknown_name(str(file), name, "table", load_tables()))


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
    tables = "\n".join(cls.to_toml() for cls in load_tables().values())
    return f"""\
# What this collection is, and settings that all its snapshots share. A line without its # is in force;
# options and environment variables are stronger, and so is the snapshot.toml of a snapshot.
format = {FORMAT}
{tomli_w.dumps({"title": title}).strip()}

{tables}"""
