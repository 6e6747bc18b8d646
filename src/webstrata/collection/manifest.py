"""The manifest: which parts a collection or snapshot has, how each was made, and what it must look like.

`manifest.toml` is written by webstrata alone (what a user sets lives in `collection.toml` and
`snapshot.toml`), by one process at a time, and always replaced as a whole; the version before it stays as
`manifest.toml.bak`::

    format = 1

    [parts.graph]
    generation = 2                       # its files are in .parts/graph.2
    built = 2026-06-30T12:00:00Z
    seconds = 3.5
    version = "0.1.0"                    # the webstrata that built it
    files = 5
    bytes = 123456
    checksum = "sha256:…"                # of .parts/graph.2/SHA256SUMS, which has a line per file
    renew = "…"                          # of parts that no builder makes: the command that brings them again
    settings = { window = 7 }
    inputs = { links = "sha256:…" }      # checksums of the parts it was made from
    counts = { nodes = 1000, arcs = 12000 }
    stored = "index"                     # of parts renamed since: the name in the folder of its files
    seal = "…"                           # SHA-256 of the rest of the record (see `PartRecord.seal`)

The same record stands in the part itself (`part.toml`), so that a manifest that is lost can be made again. A
damaged manifest is read as far as its records parse and match their seals, so what is read of it is what was
written; writing waits until it is repaired.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import tomli_w

from webstrata.collection.action import Action
from webstrata.collection.files import explained, replace_file
from webstrata.collection.former_names import FORMER, current_name
from webstrata.errors import FormatError, NewerFormatError

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping
    from pathlib import Path

FORMAT = 1
"""The newest format of collections and manifests that this webstrata reads, and the one it writes."""

NAME = "manifest.toml"


@dataclass(frozen=True, kw_only=True)
class PartRecord:
    """What the manifest knows about one part."""

    name: str
    generation: int
    built: dt.datetime
    seconds: float
    version: str
    files: int
    bytes: int
    checksum: str
    renew: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    inputs: dict[str, str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    lacks: dict[str, str] = field(default_factory=dict)
    """Parts that what it was made from does not give, and why: what is said to those who ask for them."""
    stored: str = ""
    """The name in the folder of its files, where the part has been renamed since it was built."""

    def to_table(self) -> dict[str, Any]:
        """The record as plain data; its name is the table's."""
        return {key: value for key, value in vars(self).items() if key != "name" and value not in ({}, "")}

    def to_sealed_table(self) -> dict[str, Any]:
        """The record as a manifest, or the part itself, carries it."""
        return self.to_table() | {"seal": self.seal}

    @property
    def seal(self) -> str:
        """SHA-256 of the name and all values, as JSON with sorted keys: one changed byte is noticed."""
        facts = {"name": self.name, **self.to_table()}
        return hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()

    @classmethod
    def from_table(cls, name: str, table: Mapping[str, Any]) -> PartRecord:
        """The record that a sealed table holds; a ``ValueError`` where it is not what was written."""
        try:
            record = cls(name=name, **{key: value for key, value in table.items() if key != "seal"})
            sealed = record.seal == table.get("seal")
        except (TypeError, AttributeError) as error:
            raise ValueError(f"it is not complete ({error})") from error
        if not sealed:
            raise ValueError("it does not match its seal")
        return record.renamed()

    def renamed(self) -> PartRecord:
        """The record with the names that parts have now (see `former_names`).

        Examples
        --------
        >>> from webstrata import testing
        >>> record = replace(testing.collection().parts.record("text_index"), name="search")
        >>> record.renamed().name, record.renamed().stored
        ('text_index', 'search')
        """
        inputs = {current_name(name): checksum for name, checksum in self.inputs.items()}
        lacks = {current_name(name): reason for name, reason in self.lacks.items()}
        if self.name in FORMER:
            return replace(self, name=FORMER[self.name], inputs=inputs, lacks=lacks, stored=self.name)
        return replace(self, inputs=inputs, lacks=lacks)


@dataclass(frozen=True)
class Manifest:
    """The parts of one collection or snapshot; `damage` says what could not be read, if anything."""

    parts: dict[str, PartRecord] = field(default_factory=dict)
    damage: str = ""

    def with_part(self, record: PartRecord) -> Manifest:
        """The manifest with `record` in place of the part of that name."""
        return Manifest(dict(sorted((self.parts | {record.name: record}).items())))

    def without_part(self, name: str) -> Manifest:
        """The manifest less one part."""
        return Manifest({other: record for other, record in self.parts.items() if other != name})


def read_manifest(path: Path) -> Manifest:
    """The manifest at `path`, as far as it can be read; an empty one where no part was ever built.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "manifest.toml"
    >>> read_manifest(path)
    Manifest(parts={}, damage='')
    >>> _ = path.write_text("format = ")
    >>> read_manifest(path).damage
    '...manifest.toml: Invalid value (at end of document)'
    """
    with explained(path, "read"):
        try:
            text = path.read_bytes().decode("utf-8", "replace")
        except FileNotFoundError:
            # a build writes an empty manifest before its first part, so parts without a manifest have lost it
            lost = any(path.parent.glob(".parts/*"))
            return (
                Manifest(damage=f"{path}: the manifest is gone, and there are parts") if lost else Manifest()
            )
    return _parse(path, text)


# each snapshot object reads its manifest when it is opened, mostly the same text; nobody changes the result
@lru_cache(maxsize=256)
def _parse(path: Path, text: str) -> Manifest:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return Manifest(_salvage(text), f"{path}: {error}")
    try:
        check_format(path, data)
    except FormatError as error:
        return Manifest(_salvage(text), str(error))
    tables = data.get("parts")
    if not isinstance(tables, dict):
        return Manifest(damage=f"{path}: there is not a table of parts")
    parts: dict[str, PartRecord] = {}
    for name, table in tables.items():
        try:
            record = PartRecord.from_table(name, table)
            parts[record.name] = record
        except ValueError as error:
            return Manifest(_salvage(text), f"{path}: the record of {name} cannot be used, {error}")
    return Manifest(parts)


def _salvage(text: str) -> dict[str, PartRecord]:
    """Every record of a damaged manifest that is still whole.

    Each is read by itself, from its first line to the next record's, or as many lines of that as match the
    seal: what follows may be rubbish, or a record whose first line is damaged.
    """
    parts: dict[str, PartRecord] = {}
    for chunk in re.split(r"(?m)^(?=\[parts\.[^.\]]+\]\s*$)", text)[1:]:
        lines = chunk.split("\n")  # `splitlines` would split texts, at U+0085 for one
        for end in range(len(lines), 0, -1):
            try:
                ((name, table),) = tomllib.loads("\n".join(lines[:end]))["parts"].items()
                record = PartRecord.from_table(name, table)
                parts[record.name] = record
                break
            except (ValueError, LookupError, TypeError, AttributeError):
                continue
    return dict(sorted(parts.items()))


def write_manifest(path: Path, manifest: Manifest) -> None:
    """Replace the manifest at `path`, keeping the version before it as a backup.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "manifest.toml"
    >>> write_manifest(path, Manifest())
    >>> print(path.read_text(), end="")
    format = 1
    <BLANKLINE>
    [parts]
    """
    if manifest.damage:
        raise repair_error(manifest)
    records = {name: record.to_sealed_table() for name, record in manifest.parts.items()}
    if path.exists():
        keep_copy(path, path.with_name(path.name + ".bak"))
    replace_file(path, tomli_w.dumps({"format": FORMAT, "parts": records}).encode())


def keep_copy(path: Path, copy: Path) -> None:
    """Keep what `path` holds now under a second name.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "a"
    >>> _ = path.write_text("kept")
    >>> keep_copy(path, path.with_name("b"))
    >>> path.with_name("b").read_text()
    'kept'
    """
    with explained(path, "read"):
        data = path.read_bytes()
    replace_file(copy, data)


def repair_error(manifest: Manifest, collection: str = "") -> FormatError:
    """The error for a manifest that is damaged, with what mends it.

    Examples
    --------
    >>> print(repair_error(Manifest(damage="uk/manifest.toml: Invalid value"), "uk"))
    uk/manifest.toml: Invalid value; call `collection.check(repair=True)` to make it again from the parts,
    keeping the damaged one
    """
    return FormatError(
        f"{manifest.damage}; {{fix}} to make it again from the parts, keeping the damaged one",
        fix=Action("check", collection, options={"repair": True}),
    )


def check_format(path: Path, data: Mapping[str, Any]) -> None:
    """Refuse what a newer webstrata wrote.

    Examples
    --------
    >>> from pathlib import Path
    >>> check_format(Path("uk/collection.toml"), {"format": 1})
    >>> check_format(Path("uk/collection.toml"), {"format": 99})
    Traceback (most recent call last):
    webstrata.errors.NewerFormatError: uk/collection.toml: format 99 was written by a newer webstrata, and
    this one reads formats up to 1; upgrade webstrata to open it
    """
    version = data.get("format")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise FormatError(
            f"{path}: `format` is {version!r}, and a whole number from 1 on was expected; restore the line"
        )
    if version > FORMAT:
        raise NewerFormatError(
            f"{path}: format {version} was written by a newer webstrata, and this one reads formats up to "
            f"{FORMAT}; upgrade webstrata to open it"
        )
