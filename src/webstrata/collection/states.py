"""Whether parts are fresh, by their declarations, their records and the settings files.

A part is *stale* when an input has another checksum now or is stale itself, when a setting that its content
depends on has another value now, or when it should cover a snapshot that it was built without. The first two
follow from the record, the others from the declaration (see `declarations`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from webstrata.collection.action import Action
from webstrata.collection.declarations import CollectionPart, load_parts
from webstrata.collection.makers import is_brought
from webstrata.collection.parts import stale_inputs
from webstrata.collection.settings import to_text
from webstrata.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webstrata.collection.collection import Collection, Snapshot
    from webstrata.collection.declarations import PartDeclaration
    from webstrata.collection.manifest import PartRecord
    from webstrata.collection.settings import Settings


class ReadSettings(Protocol):
    """How settings are read: options, then files, then what fits."""

    def __call__(
        self,
        cls: type[Settings],
        snapshot: Snapshot | None,
        /,
        *,
        options: Mapping[str, object] | None = None,
        fitting: Mapping[str, object] | None = None,
    ) -> Any:  # noqa: ANN401
        """The settings of a class for a snapshot, or for the collection."""


@dataclass(frozen=True)
class PartState:
    """A part, and why it is not fresh."""

    record: PartRecord
    stale: tuple[str, ...] = ()
    """Inputs that have changed, or are stale themselves."""
    changed: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    """Settings with another value now: the old one and the new."""
    without: tuple[str, ...] = ()
    """Inputs that it should have been built from too."""
    renew: str = ""
    """The command that builds it again."""
    outdated: str = ""
    """How its format differs from the one that this version reads, where it does."""

    @property
    def is_stale(self) -> bool:
        """Whether it should be built again."""
        return bool(self.stale or self.changed or self.without or self.outdated)

    @property
    def why(self) -> str:
        """Why it is stale, as part of a sentence; empty if it is fresh."""
        reasons = []
        if self.stale:
            reasons.append(f"{', '.join(self.stale)} changed since")
        if self.changed:
            reasons.append(describe_changes(self.changed))
        if self.without:
            reasons.append(f"built without {', '.join(self.without)}")
        if self.outdated:
            reasons.append(self.outdated)
        return "; ".join(reasons)


def describe_changes(changed: Mapping[str, tuple[Any, Any]]) -> str:
    """Settings that have changed, as part of a sentence.

    Examples
    --------
    >>> describe_changes({"window": (7, 16), "by": ("learned", "static")})
    'window was 7, is 16; by was learned, is static'
    """
    return "; ".join(
        f"{name} was {to_text(old) or 'not set'}, is {to_text(new) or 'not set'}"
        for name, (old, new) in changed.items()
    )


def read_settings(
    declaration: PartDeclaration,
    collection: Collection,
    snapshot: Snapshot | None,
    options: Mapping[str, object] | None = None,
    read: ReadSettings | None = None,
) -> Settings | None:
    """The settings that a part would be built with now; None for a part that has none.

    Examples
    --------
    >>> import tempfile
    >>> from webstrata.collection.collection import Collection
    >>> from webstrata.collection.declarations import find_part
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     uk = Collection.create(f"{folder}/uk")
    ...     read_settings(find_part("graph"), uk, uk.add("2026-06"), {"window": 16}).window
    16
    """
    if declaration.settings is None:
        return None
    fitting = declaration.fit(collection) if declaration.fit is not None else None
    chosen: Settings = (read or collection.read_settings)(
        declaration.settings, snapshot, options={**(options or {}), **declaration.fixed}, fitting=fitting
    )
    return chosen


def list_inputs(
    declaration: PartDeclaration,
    collection: Collection,
    label: str,
    settings: Settings | None = None,
    *,
    optional: bool = False,
) -> list[str]:
    """Qualified names of the inputs of a part of a snapshot, or of the collection with an empty `label`.

    A part of the collection covers the snapshots that its settings name, or all.

    Examples
    --------
    >>> import tempfile
    >>> from webstrata.collection.collection import Collection
    >>> from webstrata.collection.declarations import find_part
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     uk = Collection.create(f"{folder}/uk")
    ...     _ = uk.add("2026-05"), uk.add("2026-06")
    ...     list_inputs(find_part("graph"), uk, "2026-06"), list_inputs(find_part("changes"), uk, "")
    (['2026-06/links', '2026-06/urls'], ['/temporal', '2026-05/summaries', '2026-06/summaries'])
    """
    labels = [label]
    if isinstance(declaration, CollectionPart):
        labels = collection.choose(getattr(settings, "snapshots", ()))
    return [
        name if name.startswith("/") else f"{each}/{name}"
        for name in (declaration.optional if optional else declaration.inputs)
        for each in ([""] if name.startswith("/") else labels)
    ]


def find_states(collection: Collection, read: ReadSettings | None = None) -> dict[str, PartState]:
    """Every part of a collection by its qualified name, with what makes it stale.

    Examples
    --------
    >>> import tempfile
    >>> from webstrata.collection.collection import Collection
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     find_states(Collection.create(f"{folder}/uk"))
    {}
    """
    holders: list[Snapshot | Collection] = [collection, *collection]
    records = {
        collection.qualify(holder, record.name): record for holder in holders for record in holder.parts
    }
    if not records:
        return {}
    checksums = {name: record.checksum for name, record in records.items()}
    stale = {name: set(stale_inputs(record.inputs, checksums)) for name, record in records.items()}
    declared = load_parts()
    changed: dict[str, Mapping[str, tuple[Any, Any]]] = {}
    without: dict[str, tuple[str, ...]] = {}
    for name, record in records.items():
        declaration = declared.get(record.name)
        if declaration is None or not declaration.is_built:
            continue
        label = name.partition("/")[0]
        try:
            settings = read_settings(declaration, collection, collection[label] if label else None, read=read)
            if settings is not None:
                changed[name] = settings.find_changes(record.settings, declaration.uses)
            if isinstance(declaration, CollectionPart) and record.inputs:
                wanted = list_inputs(declaration, collection, label, settings)
                without[name] = _find_missing(wanted, records, record)
        except SettingError:
            continue  # `check` reports the line
    outdated = {
        name: _find_format(collection, name, record, declared.get(record.name))
        for name, record in records.items()
    }
    others = {name for name in records if changed.get(name) or without.get(name) or outdated[name]}
    _spread(records, stale, others)
    return {
        name: PartState(
            record,
            tuple(sorted(stale[name])),
            changed.get(name, {}),
            without.get(name, ()),
            _renew(collection, name, record, declared.get(record.name)),
            outdated[name],
        )
        for name, record in records.items()
    }


def _find_format(
    collection: Collection, name: str, record: PartRecord, declaration: PartDeclaration | None
) -> str:
    """How the format of a part differs from that of this version; empty where it does not."""
    if declaration is None or declaration.format is None:
        return ""
    file, number = declaration.format
    label = name.partition("/")[0]
    holder = collection[label] if label else collection
    try:
        # the first format of a file has no number
        found = int(json.loads((holder.parts.path(record) / file).read_bytes()).get("format", 1))
    except (OSError, ValueError, AttributeError, TypeError):
        return ""  # whoever reads it reports the damage
    return f"written by an earlier version (format {found}, now {number})" if found < number else ""


def _find_missing(
    wanted: list[str], records: Mapping[str, PartRecord], record: PartRecord
) -> tuple[str, ...]:
    """Inputs of snapshots that have all of them, and that a part was built without."""
    by_label: dict[str, list[str]] = {}
    for name in wanted:
        by_label.setdefault(name.partition("/")[0], []).append(name)
    complete = [names for names in by_label.values() if all(name in records for name in names)]
    return tuple(name for names in complete for name in names if name not in record.inputs)


def _spread(records: Mapping[str, PartRecord], stale: dict[str, set[str]], others: set[str]) -> None:
    """What is made from something stale is stale too."""
    grows = True
    while grows:
        more = {
            name: {each for each in record.inputs if stale.get(each) or each in others} - stale[name]
            for name, record in records.items()
        }
        grows = any(more.values())
        for name, inputs in more.items():
            stale[name] |= inputs


def _renew(collection: Collection, name: str, record: PartRecord, declaration: PartDeclaration | None) -> str:
    label = name.partition("/")[0]
    if declaration is not None and declaration.is_built and not is_brought(record):
        return Action("build", str(collection.path), label, (record.name,)).command
    return record.renew.format(collection=collection.word, snapshot=label)
