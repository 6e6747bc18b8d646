"""Declarations of parts: what a part is, said once, in the ``part.py`` of its room.

::

    # graph/part.py
    GRAPH = SnapshotPart("graph", "Compress the links between pages.", inputs=("links", "urls"),
                         settings=GraphSettings, build=_build, open=_open)

Everything else follows from the declarations: which parts are stale (an input or a setting has changed), what
an error about a missing part proposes, the order of ``run`` (inputs first), ``build``, ``show`` and the page
of parts in the docs. A room that declares a part needs to be named nowhere else (see `discovery`).

Inputs are names of parts. For a part of a snapshot they are parts of the same snapshot, or of the collection
with a leading ``/``. For a part of the collection, a name stands for that part of every snapshot, and with a
leading ``/`` for one of the collection itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING, Any, Literal

from webstrata.collection.discovery import load_modules
from webstrata.collection.former_names import current_name
from webstrata.collection.settings import unknown_name
from webstrata.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from webstrata.collection.settings import Settings


@dataclass(frozen=True, eq=False)
class PartDeclaration:
    """One kind of part; use `SnapshotPart` or `CollectionPart`."""

    name: str
    help: str
    """One sentence that begins with a verb: what building it does."""
    inputs: tuple[str, ...] = ()
    """Parts it cannot be built without; see the module."""
    settings: type[Settings] | None = None
    uses: tuple[str, ...] | None = None
    """The settings its content depends on; all but resources where not given."""
    fixed: Mapping[str, object] = field(default_factory=dict)
    """Settings that make it this part (``method="cheirank"``), whatever files say."""
    build: Callable[..., object] | None = None
    """``build(holder, settings, *, workers, progress)``; with `together`, also ``names=``. None for parts
    that come with pages, by a crawl or an import."""
    open: Callable[[Any], Any] | None = None
    """``open(holder)``: the reader of the part."""
    together: tuple[str, ...] = ()
    """Parts that one pass of the builder can write along with this one, itself included."""
    stage: str = ""
    """The stage of ``run`` it belongs to; its own name where not given."""
    optional: tuple[str, ...] = ()
    """Parts it is built from where they are there, named as `inputs` are."""
    on_demand: bool = False
    """Whether ``run`` leaves it to ``build`` and to commands that need it."""
    wanted: Callable[[Any, Any], bool] | None = None
    """``wanted(holder, settings)``: whether ``run`` has to do with it at all."""
    refuse: Callable[[Any, Any], str] | None = None
    """``refuse(holder, settings)``: why ``run`` leaves it out, empty where it does not."""
    forget: Literal["rebuild", "edit", "remove"] = "rebuild"
    """How it forgets URLs that are erased: it is built again from inputs without them, it is written by the
    edit of the captures (`webstrata.store.editing`), or it is removed."""
    format: tuple[str, int] | None = None
    """A JSON file of it, and the number of its field ``format`` that this version reads; a part with a lower
    one, of an earlier version, is stale."""
    rename: Literal["rebuild", "inputs", "files"] = "rebuild"
    """What a new label of a snapshot changes in a part of the collection: it is stale, only its recorded
    inputs change, or its files do (``maps/LABEL.*`` and the lists ``snapshots`` in ``*.json``)."""
    fit: Callable[[Any], Mapping[str, object]] | None = None
    """``fit(collection)``: defaults that fit the collection, where no file says otherwise."""

    @property
    def is_built(self) -> bool:
        """Whether a builder makes it; else it comes with pages."""
        return self.build is not None

    @property
    def stage_name(self) -> str:
        """The stage of ``run`` it belongs to."""
        return self.stage or self.name


@dataclass(frozen=True, eq=False)
class SnapshotPart(PartDeclaration):
    """A part of every snapshot, or of some."""

    snapshots: Literal["all", "newest", "ends"] = "all"
    """The snapshots for which ``run`` builds it: all, the newest, or the oldest and the newest."""
    widened_by: str = ""
    """The setting of ``[run]`` that asks for it in all snapshots where it is ``all``."""


@dataclass(frozen=True, eq=False)
class CollectionPart(PartDeclaration):
    """A part of the collection itself."""

    min_snapshots: int = 1
    """How many snapshots it takes."""


_added: list[PartDeclaration] = []


def load_parts() -> dict[str, PartDeclaration]:
    """Every declared part by its name, each after those it is built from.

    Examples
    --------
    >>> names = list(load_parts())
    >>> names.index("links") < names.index("graph") < names.index("temporal")
    True
    """
    found = {
        value.name: value
        for module in load_modules("part")
        for value in _list_values(module)
        if isinstance(value, PartDeclaration)
    } | {part.name: part for part in _added}
    return {name: found[name] for name in _sort(found)}


def _list_values(module: object) -> Iterable[object]:
    """The values of a module, and those in its tuples."""
    for value in vars(module).values():
        yield from value if isinstance(value, tuple) else (value,)


def _sort(parts: Mapping[str, PartDeclaration]) -> list[str]:
    """Names in an order in which inputs come first; of those that could come next, as they were found."""
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for name, part in parts.items():
        inputs = [each.removeprefix("/") for each in (*part.inputs, *part.optional)]
        sorter.add(name, *(each for each in inputs if each in parts))
    sorter.prepare()
    order: list[str] = []
    places = {name: number for number, name in enumerate(parts)}
    while sorter.is_active():
        ready = sorted(sorter.get_ready(), key=places.__getitem__)
        order += ready
        sorter.done(*ready)
    return order


def declare(part: PartDeclaration) -> None:
    """Add a part that is declared outside of the package, for the rest of the process.

    Examples
    --------
    >>> declare(SnapshotPart("notes", "Write notes."))
    >>> find_part("notes").help
    'Write notes.'
    >>> forget("notes")
    """
    _added.append(part)


def forget(name: str) -> None:
    """Take back what `declare` has added.

    Examples
    --------
    >>> declare(SnapshotPart("notes", "Write notes."))
    >>> forget("notes")
    >>> "notes" in load_parts()
    False
    """
    _added[:] = [part for part in _added if part.name != name]


def is_built(name: str) -> bool:
    """Whether a builder makes the part of this name.

    Examples
    --------
    >>> is_built("graph"), is_built("warc"), is_built("notes")
    (True, False, False)
    """
    declaration = load_parts().get(name)
    return declaration is not None and declaration.is_built


def find_part(name: str) -> PartDeclaration:
    """The declaration of a part, or `UsageError` with the names of those that can be built.

    Examples
    --------
    >>> find_part("graph").inputs
    ('links', 'urls')
    """
    parts = load_parts()
    if current_name(name) in parts:
        return parts[current_name(name)]
    known = {part.name: part for part in parts.values() if part.is_built}
    raise UsageError(unknown_name("build", name, "part", known))
