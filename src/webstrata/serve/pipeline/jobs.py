"""Jobs: what a stage has to do for one snapshot or for the collection, and whether it is due.

A job gives parts, from other parts. It is due when one of its parts is missing, or stale (an input has
another checksum now), or was made with other settings, or from fewer snapshots than there are now. It waits
for nothing: where an input is missing that no job before it gives, it is left out and says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from webstrata.collection.collection import PartState
    from webstrata.collection.progress import Progress
    from webstrata.collection.settings import Settings


@dataclass(frozen=True)
class Job:
    """Some parts to be built together."""

    name: str
    """What is built, as `show` would name it: a snapshot and a part."""
    build: Callable[[Progress], object]
    command: str
    """The command that does the same."""
    parts: tuple[str, ...] = ()
    """Qualified names of what it gives."""
    inputs: tuple[str, ...] = ()
    """Qualified names of what it cannot do without."""
    settings: Settings | None = None
    heeded: tuple[str, ...] | None = None
    """The settings that its parts depend on; all where not told."""
    covers: bool = False
    """Whether its part must be made from all of its inputs, as that of all snapshots must."""
    refusal: str = ""
    """Why it cannot be done, where that is known beforehand."""
    always: str = ""
    """Why it is done whatever is there."""
    fresh: bool = False
    """Whether it is known to be done, whatever its parts are."""


@dataclass(frozen=True)
class Decision:
    """Whether a job is due, and why."""

    job: Job
    state: str
    """``due``, ``fresh`` or ``left out``."""
    why: str = ""


def decide(job: Job, states: Mapping[str, PartState], coming: Collection[str] = ()) -> Decision:
    """Whether a job is due, by the parts that are there and those that jobs before it will give.

    Examples
    --------
    >>> job = Job("graph", print, "webstrata graph build uk 2026-06", ("2026-06/graph",), ("2026-06/links",))
    >>> decide(job, {}).why
    '2026-06/links is not there'
    >>> decide(job, {}, coming=["2026-06/links"])
    Decision(job=..., state='due', why='it is not there')
    """
    if job.fresh:
        return Decision(job, "fresh")
    why = job.always or _find_reason(job, states, coming)
    if not why:
        return Decision(job, "fresh")
    if job.refusal:
        return Decision(job, "left out", job.refusal)
    lacking = [name for name in job.inputs if name not in states and name not in coming]
    if lacking:
        return Decision(job, "left out", f"{lacking[0]} is not there")
    return Decision(job, "due", why)


def decide_all(jobs: list[Job], states: Mapping[str, PartState], coming: set[str]) -> list[Decision]:
    """Whether each of some jobs is due; what those that are will give is added to what is `coming`.

    Examples
    --------
    >>> coming = set()
    >>> jobs = [Job("a", print, "", ("/a",)), Job("b", print, "", ("/b",), ("/a",))]
    >>> [decision.state for decision in decide_all(jobs, {}, coming)], sorted(coming)
    (['due', 'due'], ['/a', '/b'])
    """
    decisions = []
    for job in jobs:
        decisions.append(decide(job, states, coming))
        if decisions[-1].state == "due":
            coming |= set(job.parts)
    return decisions


def _find_reason(job: Job, states: Mapping[str, PartState], coming: Collection[str]) -> str:
    if job.parts and all(name in coming for name in job.parts):
        return ""  # a job before it gives all of them
    missing = [name for name in job.parts if name not in states]
    if missing:
        there = len(job.parts) > len(missing)
        return f"{missing[0].rpartition('/')[2]} is not there" if there else "it is not there"
    for name in job.parts:
        if states[name].stale:
            return f"older than {', '.join(states[name].stale)}"
        if job.covers and (more := set(job.inputs) - set(states[name].record.inputs)):
            return f"made without {min(more)}"
        if job.settings is not None and (changed := _find_changed(job, states[name].record.settings)):
            return f"made with another {changed}"
    renewed = [name for name in job.inputs if name in coming]
    return f"{renewed[0]} is renewed" if renewed else ""


def _find_changed(job: Job, made: Mapping[str, Any]) -> str:
    """The first setting that is another one now."""
    assert job.settings is not None
    values = job.settings.to_dict()
    names = values if job.heeded is None else job.heeded
    return next((name for name in names if name in made and made[name] != values.get(name)), "")
