"""Sheets that take a pass over much data, kept as parts ``sheet-NAME`` of a snapshot or the collection.

A part has one file, ``sheet.json`` (see `sheet`). Summaries, the plane and the pace are kept of the newest
snapshot that has what they are made of; structure, duplicates and truth of every one, so that a new snapshot
adds a sheet and leaves those of the others alone. The stage ``sheets`` of a run makes those that are missing
or stale.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from webstrata import collection as rooms
from webstrata.collection.action import Action
from webstrata.collection.declarations import SnapshotPart, is_built
from webstrata.collection.files import explained, replace_file
from webstrata.collection.makers import suggest_pages
from webstrata.collection.progress import Progress
from webstrata.serve.report.classify import make_experiment
from webstrata.serve.report.evaluations import make_evaluation
from webstrata.serve.report.graph import make_structure
from webstrata.serve.report.lists import make_lists
from webstrata.serve.report.part import (
    ALIGNMENT,
    ANSWERS,
    EXPERIMENT,
    FOOTPRINT,
    LISTS,
    RANKS,
    SHEETS,
    STAGE,
    TRAJECTORIES,
)
from webstrata.serve.report.rank import make_plane
from webstrata.serve.report.search import list_change_inputs, make_changes
from webstrata.serve.report.sheet import Missing, Sheet, lacks_second
from webstrata.serve.report.simulate import make_paces
from webstrata.serve.report.store import make_duplicates, make_near_duplicates, make_summaries
from webstrata.serve.report.temporal import make_footprint
from webstrata.serve.report.trajectories import make_trajectories
from webstrata.serve.report.truth import list_alignment_inputs, make_alignment, make_truth

if TYPE_CHECKING:
    from collections.abc import Callable

    from webstrata.api import Collection, Snapshot
    from webstrata.collection.declarations import PartDeclaration
    from webstrata.collection.settings import Settings
    from webstrata.collection.states import PartState
    from webstrata.errors import Fix

FILE = "sheet.json"


@dataclass(frozen=True)
class Kept:
    """A kind of sheet that is kept."""

    part: PartDeclaration
    make: Callable[..., Sheet]
    list_inputs: Callable[[Collection], tuple[str, ...]] | None = None
    """For a sheet of the collection: qualified names of what it is made of, none where that is not there."""

    @property
    def name(self) -> str:
        """The name of its part."""
        return self.part.name

    @property
    def what(self) -> str:
        """What it shows."""
        return self.part.help.partition(": ")[2].rstrip(".")

    @property
    def is_asked(self) -> bool:
        """Whether it answers what settings ask."""
        return self.part in ANSWERS


def list_ranks(collection: Collection) -> tuple[str, ...]:
    """The rankings that ranks through time are made of, by their qualified names.

    Examples
    --------
    >>> from webstrata import testing
    >>> list_ranks(testing.empty())
    ()
    """
    found = list_all_ranks(collection)
    return found if len(found) > len(RANKS) else ()


def list_all_ranks(collection: Collection) -> tuple[str, ...]:
    """The same, of one snapshot too: what lists are followed in.

    Examples
    --------
    >>> from webstrata import testing
    >>> list_all_ranks(testing.empty())
    ()
    """
    having = [s for s in collection if all(name in s.parts for name in RANKS)]
    return tuple(f"{s.date}/{name}" for s in having for name in RANKS)


def list_unions(collection: Collection) -> tuple[str, ...]:
    """The union of a collection by its qualified name, none where it has none.

    Examples
    --------
    >>> from webstrata import testing
    >>> list_unions(testing.collection()), list_unions(testing.empty())
    (('/temporal',), ())
    """
    return ("/temporal",) if "temporal" in collection.parts else ()


_MAKERS = {
    "structure": make_structure,
    "summaries": make_summaries,
    "plane": make_plane,
    "duplicates": make_duplicates,
    "near": make_near_duplicates,
    "pace": make_paces,
    "truth": make_truth,
}
KINDS = {
    **{
        part.name.removeprefix("sheet-"): Kept(part, _MAKERS[part.name.removeprefix("sheet-")])
        for part in SHEETS
    },
    "trajectories": Kept(TRAJECTORIES, make_trajectories, list_ranks),
    "footprint": Kept(FOOTPRINT, make_footprint, list_unions),
    "lists": Kept(LISTS, make_lists, list_all_ranks),
    "alignment": Kept(ALIGNMENT, make_alignment, list_alignment_inputs),
    "changes": Kept(ANSWERS[0], make_changes, list_change_inputs),
    "evaluation": Kept(ANSWERS[1], make_evaluation, list_change_inputs),
    "experiment": Kept(EXPERIMENT, make_experiment),
}
"""All kinds of sheets that are kept, by their names."""


def find_holders(collection: Collection, kept: Kept) -> list[Snapshot]:
    """The snapshots that should have a sheet of a kind: those that have all that it is made of.

    Examples
    --------
    >>> from webstrata import testing
    >>> find_holders(testing.empty(), KINDS["structure"])
    []
    """
    having = [s for s in collection if all(name in s.parts for name in kept.part.inputs)]
    is_of_all = isinstance(kept.part, SnapshotPart) and kept.part.snapshots == "all"
    return having if is_of_all else having[-1:]


def build_sheet(
    holder: Snapshot | Collection,
    kept: Kept,
    progress: Progress | None = None,
    *,
    inputs: tuple[str, ...] | None = None,
    asked: Settings | None = None,
    **options: Any,  # noqa: ANN401
) -> Sheet:
    """Make a sheet and keep it; `inputs` and `options` are for those that are asked something.

    The settings that say what is `asked` are kept with it, so that it is made again when they change.

    Examples
    --------
    >>> from webstrata import testing
    >>> june = testing.snapshot()
    >>> build_sheet(june, KINDS["structure"]).title, "sheet-structure" in june.parts
    ('Structure of 2026-06', True)
    """
    progress = progress or Progress()
    if inputs is None:
        inputs = (
            kept.list_inputs(holder)
            if isinstance(holder, rooms.Collection) and kept.list_inputs
            else kept.part.inputs
        )
    with holder.write_part(kept.name, settings=asked, inputs=inputs, progress=progress) as build:
        sheet = kept.make(holder, progress, **options)
        replace_file(build.path / FILE, sheet.to_bytes())
        build.count(tables=len(sheet.tables), figures=len(sheet.figures))
    return sheet


def read_sheets(collection: Collection, kept: Kept, states: dict[str, PartState]) -> list[Sheet | Missing]:
    """The sheets of a kind that are kept, with a note on those that are stale, or what is missing.

    Examples
    --------
    >>> from webstrata import testing
    >>> uk = testing.empty()
    >>> read_sheets(uk, KINDS["structure"], uk.states())[0].why
    'no snapshot has graph'
    """
    place = str(collection.path)
    run = Action("run", place, options={"last": STAGE})
    if kept is KINDS["lists"] and kept.name not in collection.parts:
        asking = Action("run", place, options={"last": STAGE, "lists": "FILE"})
        return [Missing(kept.what, asking.command, "no lists of pages were given")]
    if kept.list_inputs is not None:
        if kept is not KINDS["lists"] and len(collection) < 2:
            return [lacks_second(kept.what, collection)]
        if not kept.list_inputs(collection):
            return [Missing(kept.what, run.command, "what it is made from is missing")]
        holders: list[Any] = [collection]
    elif kept is KINDS["experiment"]:
        holders = [s for s in collection if kept.name in s.parts][-1:]
        if not holders:
            asking = Action("run", place, options={"last": "classify", "labels": "FILE"})
            return [Missing(kept.what, asking.command, "no labels of hosts were given")]
    else:
        holders = list(find_holders(collection, kept))
        if not holders:
            return [_explain_lack(collection, kept, run)]
    found: list[Sheet | Missing] = []
    for holder in holders:
        if kept.name not in holder.parts:
            of = "" if holder is collection else f" of {holder.date}"
            unasked = kept.is_asked and not any("truth" in snapshot.parts for snapshot in collection)
            options = dict.fromkeys(kept.part.uses or (), "TEXT") if unasked else {}
            action = Action("run", place, options={**options, "last": STAGE})
            found.append(Missing(f"{kept.what}{of}", action.command, "nothing is asked" if unasked else ""))
            continue
        with holder.open_part(kept.name) as part:
            path = part.path / FILE
            with explained(path, "read"):
                sheet = Sheet.from_bytes(path.read_bytes(), str(path))
        state = states.get(collection.qualify(holder, kept.name))
        if state is not None and state.is_stale:
            sheet = replace(sheet, notes=[*sheet.notes, f"Stale: {state.why}; `{run.command}` renews it."])
        found.append(sheet)
    return found


def _explain_lack(collection: Collection, kept: Kept, run: Action) -> Missing:
    """Why no snapshot has what a sheet is made of: the first part that none has, or else the first."""
    inputs = kept.part.inputs
    nowhere = [name for name in inputs if not any(name in snapshot.parts for snapshot in collection)]
    lacking = (nowhere or list(inputs))[0]
    fix: Fix = run
    if not is_built(lacking) and collection.dates:
        fix = suggest_pages(collection.path, collection.dates[-1])
    return Missing(kept.what, fix.command, f"no snapshot has {lacking}")
