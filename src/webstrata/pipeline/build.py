"""Builds named parts of a collection, with what they are made from, where it is missing or stale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstrata import collection as rooms
from webstrata.collection.declarations import CollectionPart, find_part, load_parts
from webstrata.collection.description import BuiltParts
from webstrata.collection.progress import Progress
from webstrata.collection.settings import unknown_name
from webstrata.collection.states import describe_changes, read_settings
from webstrata.errors import DateError, MissingError, SettingError, UsageError
from webstrata.pipeline.context import Context
from webstrata.pipeline.jobs import decide
from webstrata.pipeline.plan import list_jobs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from webstrata.api import Collection, Snapshot
    from webstrata.collection.declarations import PartDeclaration
    from webstrata.collection.manifest import PartRecord
    from webstrata.collection.settings import Settings


def build_parts(
    collection: Collection,
    names: Iterable[str],
    *,
    snapshots: Iterable[str] = (),
    options: Mapping[str, object] | None = None,
    again: bool = False,
    workers: int | None = None,
    progress: Progress | None = None,
) -> BuiltParts:
    """Build parts by name, inputs first, where they are missing or stale; the records of those built.

    Parameters
    ----------
    collection
        The collection.
    names
        Declared parts.
    snapshots
        For which snapshots; for all where none is named.
    options
        Settings of the named parts. They are remembered in `collection.toml`.
    again
        Build the named parts even if they are fresh.
    workers
        Processes or threads; as ``[resources]`` says where not given.
    progress
        Where the builds report.

    Examples
    --------
    >>> from webstrata import testing
    >>> uk = testing.collection()
    >>> sorted(build_parts(uk, ["rank-degree"], snapshots=["2026-06"]))
    ['2026-06/rank-degree']
    """
    progress = progress or Progress()
    asked = [find_part(name) for name in dict.fromkeys(names)]
    for part in asked:
        if not part.is_built:
            raise UsageError(f"{part.name}: this part comes with pages; crawl or ingest them")
    labels = [collection[label].date for label in snapshots] or collection.dates
    if not labels:
        raise DateError(f"{collection.path}: no snapshots; crawl or ingest one first")
    given = {name: value for name, value in (options or {}).items() if value is not None}
    tables = _sort_options(asked, given)
    config = {cls.table: dict(own) for cls, own in tables.items()}
    context = Context(collection, given=config, chosen=tuple(labels), num_workers=workers)
    built: dict[str, PartRecord] = {}
    for part in _list_needed(asked):
        is_asked = part in asked
        for job in list_jobs(context, (part,), asked=True):
            decision = decide(job, context.states())
            if decision.state == "left out" and is_asked:
                raise MissingError(f"{collection.path}, {job.name}: {decision.why}")
            if decision.state == "due" or (again and is_asked):
                job.build(progress)
                built |= {name: collection.find_record(name) for name in job.parts}
                for cls, own in tables.items() if is_asked else ():
                    collection.remember(cls, own)
    for cls, own in tables.items():
        collection.remember(cls, own)
    return BuiltParts(built)


def _list_needed(asked: list[PartDeclaration]) -> list[PartDeclaration]:
    """The parts that are asked for, and all that builders make of what they are made from, inputs first."""
    declared = load_parts()
    needed: set[str] = set()
    pending = [part.name for part in asked]
    while pending:
        name = pending.pop()
        if name in needed or name not in declared:
            continue
        needed.add(name)
        pending += [each.removeprefix("/") for each in declared[name].inputs]
    return [part for name, part in declared.items() if name in needed and part.is_built]


def _sort_options(
    asked: list[PartDeclaration], given: Mapping[str, Any]
) -> dict[type[Settings], dict[str, Any]]:
    """Options by the settings class of a part that has them, checked."""
    left = dict(given)
    found: dict[type[Settings], dict[str, Any]] = {}
    for cls in dict.fromkeys(part.settings for part in asked if part.settings is not None):
        own = {name: left.pop(name) for name in list(left) if name in cls.__dataclass_fields__}
        if own:
            cls.read(options=own, environment={})
            found[cls] = own
    if left:
        classes = [part.settings for part in asked if part.settings is not None]
        known = {name: 1 for cls in classes for name in cls.__dataclass_fields__}
        raise SettingError(unknown_name("build", next(iter(left)), "setting of these parts", known))
    return found


def is_collection_part(name: str) -> bool:
    """Whether a part belongs to the collection, not to a snapshot.

    Examples
    --------
    >>> is_collection_part("temporal"), is_collection_part("graph")
    (True, False)
    """
    return isinstance(find_part(name), CollectionPart)


def choose_settings(
    holder: Collection | Snapshot,
    name: str,
    options: Mapping[str, object] | None = None,
    *,
    progress: Progress | None = None,
) -> Any:  # noqa: ANN401 (of the settings class of the part)
    """The settings to build a part with; what they replace is said first.

    For commands that build one part and show it. If the stored part was made with other settings, a note says
    what changes. Call `remember_settings` when the part is built.

    Examples
    --------
    >>> from webstrata import testing
    >>> choose_settings(testing.snapshot(), "graph", {"window": 16}).window
    16
    """
    part = find_part(name)
    progress = progress or Progress()
    collection, snapshot = _split(holder)
    settings = read_settings(part, collection, snapshot, options)
    assert settings is not None
    if name in holder.parts:
        changed = settings.find_changes(holder.parts.record(name).settings, part.uses)
        if changed:
            of = f" of {snapshot.date}" if snapshot else ""
            progress.note(f"replacing the stored {name}{of}: {describe_changes(changed)}")
    return settings


def remember_settings(
    holder: Collection | Snapshot,
    name: str,
    options: Mapping[str, object] | None,
) -> None:
    """Write the options that a part was built with into `collection.toml`.

    Only those that its content depends on: neither resources nor those that choose the part itself.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.graph.settings import GraphSettings
    >>> june = testing.snapshot()
    >>> remember_settings(june, "graph", {"window": 16, "memory": "64MiB"})
    >>> june.settings(GraphSettings).window, june.settings(GraphSettings).memory == 64 << 20
    (16, False)
    """
    part = find_part(name)
    assert part.settings is not None
    collection, _ = _split(holder)
    names = part.settings().names_of_result() if part.uses is None else part.uses
    lasting = {
        key: value
        for key, value in (options or {}).items()
        if value is not None and key in names and key not in part.fixed
    }
    collection.remember(part.settings, lasting)


def _split(holder: Collection | Snapshot) -> tuple[rooms.Collection, rooms.Snapshot | None]:
    return (holder.collection, holder) if isinstance(holder, rooms.Snapshot) else (holder, None)
