"""What every stage of a pipeline is told: the collection, its snapshots, and settings by one rule.

Settings come from the environment, then the file of ``--config``, then `snapshot.toml`, then
`collection.toml`. The file has the same tables as these two, and ``[run]``.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from webstrata.collection.collection import check_label
from webstrata.collection.files import explained
from webstrata.collection.settings import TABLES, ResourcesSettings, Settings, unknown_name
from webstrata.errors import FormatError, SettingError
from webstrata.serve.settings import RunSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from webstrata.api import Collection, Snapshot
    from webstrata.crawl.run import Crawl

_S = TypeVar("_S", bound=Settings)


def read_config(path: Path) -> dict[str, Any]:
    r"""The tables of a file of settings, or the sentence why it is none.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "uk.toml"
    >>> _ = path.write_text("[run]\nsnapshots = ['2026-01']\n[grahp]\n")
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
        if name not in TABLES:
            raise SettingError(unknown_name(str(path), name, "table", TABLES))
        if not isinstance(table, dict):
            raise SettingError(f"{path}: `{name}` is no table; write its settings below a line [{name}]")
    return tables


@dataclass
class Context:
    """A collection with the settings of all stages."""

    collection: Collection
    config: Mapping[str, Any] = field(default_factory=dict)
    config_name: str = ""
    options: Mapping[str, object] = field(default_factory=dict)
    """Of ``[run]``, from the command line."""
    watch: Callable[[Crawl], None] | None = None
    """Called with a crawl before it begins."""

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
        if cls.table in self.config:
            files.insert(0, (self.config_name, self.config[cls.table]))
        if fitting:
            files.append(("what fits", fitting))
        return cls.read(options=self.options if cls is RunSettings else options, files=files)

    @property
    def run(self) -> RunSettings:
        """The settings of the pipeline itself."""
        return self.settings(RunSettings)

    @property
    def workers(self) -> int:
        """How many processes or threads a stage may use."""
        return self.settings(ResourcesSettings).num_workers

    @property
    def labels(self) -> list[str]:
        """The snapshots that the pipeline is about, those that are still to be crawled too."""
        named = [check_label(label) for label in self.run.snapshots]
        return sorted(dict.fromkeys(named)) if named else self.collection.labels

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
        return set(self.collection.labels)

    def has(self, label: str, part: str) -> bool:
        """Whether a snapshot is there and has a part."""
        return label in self.collection and part in self.collection[label].parts

    def has_all(self, label: str, parts: Iterable[str]) -> bool:
        """Whether a snapshot is there and has all of some parts."""
        return all(self.has(label, part) for part in parts)
