"""Sheets that take a pass over much data, kept as parts ``sheet-NAME`` of a snapshot or the collection.

A part has one file, ``sheet.json`` (see `sheet`). Summaries, the plane and the pace are kept of the newest
snapshot that has what they are made of; structure, duplicates and truth of every one, so that a new snapshot
adds a sheet and leaves those of the others alone. `webstrata run COLLECTION --from sheets` makes those that
are missing or stale.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from webstrata.collection.files import explained, replace_file
from webstrata.collection.makers import MAKERS, suggest_pages
from webstrata.collection.progress import Progress
from webstrata.serve.report.classes import make_experiment
from webstrata.serve.report.evaluations import make_evaluation
from webstrata.serve.report.graphs import make_structure
from webstrata.serve.report.harvests import make_paces
from webstrata.serve.report.ranks import METHODS, make_plane
from webstrata.serve.report.searches import list_change_inputs, make_changes
from webstrata.serve.report.sheet import Missing, Sheet, lacks_second
from webstrata.serve.report.texts import make_duplicates, make_near_duplicates, make_summaries
from webstrata.serve.report.trajectories import make_trajectories
from webstrata.serve.report.truth import list_alignment_inputs, make_alignment, make_truth

if TYPE_CHECKING:
    from collections.abc import Callable

    from webstrata.api import Collection, Snapshot
    from webstrata.collection.collection import PartState
    from webstrata.collection.settings import Settings

FILE = "sheet.json"
RENEW = "webstrata run {collection} --from sheets --to sheets"


@dataclass(frozen=True)
class Kept:
    """A kind of sheet that is kept."""

    name: str
    what: str
    inputs: tuple[str, ...]
    make: Callable[..., Sheet]
    before: str
    """The command that makes what it is made of."""
    of_all: bool = False
    """Whether every snapshot has one, or the newest alone."""
    list_inputs: Callable[[Collection], tuple[str, ...]] | None = None
    """For a sheet of the collection: qualified names of what it is made of, none where that is not there."""
    lacks: str = ""
    """For a sheet of the collection: what is said where it has none."""
    asks: str = ""
    """For a sheet that is asked something: the options that say what, where no truth does."""

    @property
    def part(self) -> str:
        """The name of its part."""
        return f"sheet-{self.name}"


RANKS = tuple(f"rank-{method}" for method in METHODS)
RANK = "webstrata run {collection} --from rank --to sheets"
KEPT = {
    kept.name: kept
    for kept in (
        Kept(
            "structure",
            "degrees, components, bow tie and distances",
            ("graph",),
            make_structure,
            MAKERS["graph"],
            of_all=True,
        ),
        Kept(
            "summaries",
            "the figures of SUM",
            ("summaries",),
            make_summaries,
            MAKERS["summaries"],
        ),
        Kept("plane", "P(K) and the plane of PageRank and CheiRank", (*RANKS, "graph"), make_plane, RANK),
        Kept(
            "duplicates",
            "duplicates",
            ("index",),
            make_duplicates,
            MAKERS["index"],
            of_all=True,
        ),
        Kept(
            "near",
            "near-duplicates",
            ("text", "urls"),
            make_near_duplicates,
            MAKERS["text"],
        ),
        Kept(
            "pace",
            "how fast it can be crawled",
            ("urls", "graph"),
            make_paces,
            MAKERS["graph"],
        ),
        Kept(
            "truth",
            "what was found beside what is true",
            ("truth", "urls", "graph"),
            make_truth,
            MAKERS["truth"],
            of_all=True,
        ),
    )
}


def find_holders(collection: Collection, kept: Kept) -> list[Snapshot]:
    """The snapshots that should have a sheet of a kind: those that have all that it is made of.

    Examples
    --------
    >>> import webstrata as ws
    >>> find_holders(ws.create(getfixture("tmp_path") / "uk"), KEPT["structure"])
    []
    """
    having = [s for s in collection if all(name in s.parts for name in kept.inputs)]
    return having if kept.of_all else having[-1:]


def list_ranks(collection: Collection) -> tuple[str, ...]:
    """The rankings that ranks through time are made of, by their qualified names.

    Examples
    --------
    >>> import webstrata as ws
    >>> list_ranks(ws.create(getfixture("tmp_path") / "uk"))
    ()
    """
    having = [s for s in collection if all(name in s.parts for name in RANKS)]
    return tuple(f"{s.label}/{name}" for s in having for name in RANKS) if len(having) > 1 else ()


TRAJECTORIES = Kept(
    "trajectories",
    "ranks through time",
    (),
    make_trajectories,
    RANK,
    list_inputs=list_ranks,
    lacks="no two snapshots are ranked",
)
ALIGNMENT = Kept(
    "alignment",
    "what snapshots have in common beside what is true",
    (),
    make_alignment,
    "webstrata align {collection}",
    list_inputs=list_alignment_inputs,
)
CHANGES = Kept(
    "changes",
    "what change search answers",
    (),
    make_changes,
    "webstrata run {collection} --from search --to sheets",
    list_inputs=list_change_inputs,
    lacks="pages are not counted for it",
    asks="--queries WORDS",
)
EVALUATION = Kept(
    "evaluation",
    "how well change search does",
    (),
    make_evaluation,
    "webstrata run {collection} --from search --to sheets",
    list_inputs=list_change_inputs,
    lacks="pages are not counted for it",
    asks="--topics FILE --judgements FILE",
)
EXPERIMENT = Kept(
    "experiment",
    "classifiers and their AUC",
    (),
    make_experiment,
    "webstrata run {collection} --from classify --to classify --labels FILE",
)


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

    The settings that say what is `asked` are kept beside it, so that it is made again when they change.

    Examples
    --------
    >>> import webstrata as ws
    >>> build_sheet(ws.create(getfixture("tmp_path") / "uk").add("2026-06"), KEPT["structure"])
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...2026-06: there is no part graph (parts: none yet); `webstrata
    graph build ...` makes it
    """
    from webstrata.api import Collection

    progress = progress or Progress()
    if inputs is None:
        inputs = (
            kept.list_inputs(holder) if isinstance(holder, Collection) and kept.list_inputs else kept.inputs
        )
    with holder.build(kept.part, settings=asked, inputs=inputs, renew=RENEW, progress=progress) as build:
        sheet = kept.make(holder, progress, **options)
        replace_file(build.path / FILE, sheet.to_bytes())
        build.count(tables=len(sheet.tables), figures=len(sheet.figures))
    return sheet


def read_sheets(collection: Collection, kept: Kept, states: dict[str, PartState]) -> list[Sheet | Missing]:
    """The sheets of a kind that are kept, with a note on those that are stale, or what is missing.

    Examples
    --------
    >>> import webstrata as ws
    >>> uk = ws.create(getfixture("tmp_path") / "uk")
    >>> found = read_sheets(uk, KEPT["structure"], uk.states())[0]
    >>> found.command, found.why
    ('webstrata graph build ...uk SNAPSHOT', 'no snapshot has graph')
    """
    place = collection.word
    if kept.list_inputs is not None:
        if len(collection) < 2:
            return [lacks_second(kept.what, collection)]
        if not kept.list_inputs(collection):
            return [Missing(kept.what, kept.before.format(collection=place), kept.lacks)]
        holders: list[Any] = [collection]
    elif kept is EXPERIMENT:
        holders = [s for s in collection if kept.part in s.parts][-1:]
        if not holders:
            why = "no labels of hosts were given"
            return [Missing(kept.what, kept.before.format(collection=place), why)]
    else:
        holders = list(find_holders(collection, kept))
        if not holders:
            newest = (collection.labels or ["SNAPSHOT"])[-1]
            command = kept.before.format(collection=place, snapshot=newest)
            if kept.before == MAKERS["index"]:
                command = suggest_pages(collection.path, newest)
            # the first that none has, or else the first: no snapshot has them all
            nowhere = [name for name in kept.inputs if not any(name in s.parts for s in collection)]
            why = f"no snapshot has {(nowhere or kept.inputs)[0]}"
            return [Missing(kept.what, command, why)]
    found: list[Sheet | Missing] = []
    for holder in holders:
        if kept.part not in holder.parts:
            of = "" if holder is collection else f" of {holder.label}"
            is_asked = not kept.asks or any("truth" in snapshot.parts for snapshot in collection)
            why, words = ("", "") if is_asked else ("nothing is asked", f" {kept.asks}")
            found.append(Missing(f"{kept.what}{of}", RENEW.format(collection=place) + words, why))
            continue
        with holder.open_part(kept.part) as part:
            path = part.path / FILE
            with explained(path, "read"):
                sheet = Sheet.from_bytes(path.read_bytes(), str(path))
        state = states.get(collection.qualify(holder, kept.part))
        if state is not None and state.stale:
            note = f"Older than {', '.join(state.stale)}: `{RENEW.format(collection=place)}` renews it."
            sheet = replace(sheet, notes=[*sheet.notes, note])
        found.append(sheet)
    return found
