"""What every stage of a pipeline works on: the collection, its snapshots, and settings by one rule.

Settings come from options, then the environment, then the file of ``--config``, then presets, then
`snapshot.toml`, then `collection.toml`. A run stores the settings of presets and of ``--config`` in
`collection.toml` before it starts, so that every later command has them; a plan only looks at them.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from webstrata.collection.declarations import load_parts
from webstrata.collection.files import explained
from webstrata.collection.settings import ResourcesSettings, Settings, describe, load_tables, unknown_name
from webstrata.collection.snapshot_dates import check_date
from webstrata.collection.states import find_states
from webstrata.errors import FormatError, SettingError, WebstrataError
from webstrata.pipeline.presets import read_preset
from webstrata.pipeline.settings import RunSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from webstrata.api import Collection, Snapshot
    from webstrata.collection.settings import Unit
    from webstrata.collection.states import PartState
    from webstrata.crawl.run import Crawl

_S = TypeVar("_S", bound=Settings)


def read_config(path: Path) -> dict[str, Any]:
    r"""The tables of a file of settings, or the sentence why it is none.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "uk.toml"
    >>> _ = path.write_text("[run]\nsnapshots = ['2026-01']\n")
    >>> read_config(path)
    {'run': {'snapshots': ['2026-01']}}
    >>> _ = path.write_text("[grahp]\nwindow = 3\n")
    >>> read_config(path)
    Traceback (most recent call last):
    webstrata.errors.SettingError: ...uk.toml: grahp is no table (did you mean graph?); known are ...
    """
    with explained(path, "read"):
        content = path.read_bytes()
    try:
        tables = tomllib.loads(content.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise FormatError(f"{path}: this is not TOML ({error}); mend the line") from error
    for name, table in tables.items():
        if name not in load_tables():
            raise SettingError(unknown_name(str(path), name, "table", load_tables()))
        if not isinstance(table, dict):
            raise SettingError(f"{path}: `{name}` is no table; write its settings below a line [{name}]")
    return tables


@dataclass(frozen=True)
class SettingChange:
    """A setting that a run would change in `collection.toml`."""

    table: str
    name: str
    now: Any
    then: Any
    unit: Unit | None = None


@dataclass
class Context:
    """A collection with the settings of all stages."""

    collection: Collection
    config: Mapping[str, Any] = field(default_factory=dict)
    config_name: str = ""
    options: Mapping[str, object] = field(default_factory=dict)
    """Of ``[run]``, from the command line."""
    given: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Options of other tables, by table."""
    presets: tuple[str, ...] = ()
    """Names of presets; of two with the same setting the later one applies."""
    watch: Callable[[Crawl], None] | None = None
    """Called with a crawl before it begins."""
    chosen: tuple[str, ...] = ()
    """The snapshots it is about; those of ``[run]`` or all where none is named."""
    num_workers: int | None = None
    explain: Callable[[WebstrataError], str] = str
    """How an error is shown: with Python calls, or with commands."""
    write_report: Callable[[Collection], object] | None = None
    """Writes the report, for the last stage; without it there is no such stage."""

    def settings(
        self,
        cls: type[_S],
        snapshot: Snapshot | None = None,
        *,
        options: Mapping[str, object] | None = None,
        fitting: Mapping[str, object] | None = None,
    ) -> _S:
        """The settings of a stage; `fitting` ones hold where no file says otherwise."""
        files = self.collection.settings_files(cls.table, snapshot)
        for name in self.presets:
            if cls.table in (tables := read_preset(name)):
                files.insert(0, (f"preset {name}", tables[cls.table]))
        if cls.table in self.config:
            files.insert(0, (self.config_name, self.config[cls.table]))
        if fitting:
            files.append(("what fits", fitting))
        own = self.options if cls is RunSettings else self.given.get(cls.table, {})
        return cls.read(options={**own, **(options or {})}, files=files)

    def read(
        self,
        cls: type[_S],
        snapshot: Any,  # noqa: ANN401 (of this module's class or of the collection's)
        /,
        *,
        options: Mapping[str, object] | None = None,
        fitting: Mapping[str, object] | None = None,
    ) -> _S:
        """The same, as `webstrata.collection.states` asks for settings."""
        return self.settings(cls, snapshot, options=options, fitting=fitting)

    def states(self) -> dict[str, PartState]:
        """Every part that is there, with what makes it stale by these settings."""
        return find_states(self.collection, self.read)

    def remember(self) -> dict[str, object]:
        """Store presets, the file of ``--config`` and the options of ``[run]``; what changed."""
        changed: dict[str, object] = {}
        for table, values in self._list_given().items():
            found = self.collection.remember(load_tables()[table], values)
            changed |= {f"[{table}] {name}": value for name, value in found.items()}
        return changed

    def find_changes(self) -> list[SettingChange]:
        """What `remember` would change in `collection.toml`."""
        changes = []
        for table, given in self._list_given().items():
            cls = load_tables()[table]
            files = self.collection.settings_files(table)
            now = cls.read(files=files, environment={}).to_dict()
            then = cls.read(options=given, files=files, environment={}).to_dict()
            changes += [
                SettingChange(
                    table, field.name, now.get(field.name), then.get(field.name), field.setting.unit
                )
                for field in describe(cls)
                if field.name in given and not field.setting.resource
                if now.get(field.name) != then.get(field.name)
            ]
        return changes

    def _list_given(self) -> dict[str, dict[str, Any]]:
        """The settings of presets, of ``--config`` and of options, by table; later ones win."""
        tables: dict[str, dict[str, Any]] = {}
        chosen = {name: value for name, value in self.options.items() if value is not None}
        for given in (*map(read_preset, self.presets), self.config, {RunSettings.table: chosen}):
            for table, values in given.items():
                tables[table] = {**tables.get(table, {}), **values}
        return tables

    @property
    def run(self) -> RunSettings:
        """The settings of the pipeline itself."""
        return self.settings(RunSettings)

    @property
    def workers(self) -> int:
        """How many processes or threads a stage may use."""
        return self.num_workers or self.settings(ResourcesSettings).num_workers

    @property
    def labels(self) -> list[str]:
        """The snapshots that the pipeline is about, those that are still to be crawled too."""
        named = [check_date(label) for label in self.chosen or self.run.snapshots]
        return sorted(dict.fromkeys(named)) if named else self.collection.dates

    @property
    def snapshots(self) -> list[Snapshot]:
        """Those of them that are there."""
        there = self.labels_there
        return [self.collection[label] for label in self.labels if label in there]

    def find(self, label: str) -> Snapshot | None:
        """The snapshot of a label, if it is there."""
        return self.collection[label] if label in self.labels_there else None

    @property
    def labels_there(self) -> set[str]:
        """The snapshots that are there."""
        return set(self.collection.dates)

    def has(self, label: str, part: str) -> bool:
        """Whether a snapshot is there and has a part."""
        return label in self.collection and part in self.collection[label].parts

    def will_have(self, label: str, part: str) -> bool:
        """Whether a snapshot has a part, or will have it when the stages before are through."""
        if self.has(label, part):
            return True
        declaration = load_parts().get(part)
        if part == "truth":
            return bool(self.run.invitro)
        if declaration is None or declaration.stage_name in self.run.off:
            return False
        if label not in self.collection:
            return True
        if not declaration.is_built:
            return self.is_crawled(label)
        return all(name.startswith("/") or self.will_have(label, name) for name in declaration.inputs)

    def is_crawled(self, label: str) -> bool:
        """Whether a crawl of a snapshot is going to bring its pages."""
        return (
            not self.has(label, "pages")
            and not self.has(label, "graph")
            and bool(self.run.invitro or self.run.seeds)
        )
