"""Jobs: parts that are built together, for one snapshot or for the collection, and whether they are due.

A job is due when one of its parts is missing or stale (see `webstrata.collection.states`), or when a job
before it builds one of its inputs again. A job whose inputs are missing, and come from no job before it, is
left out with a reason.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from webstrata.collection.action import Action

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from webstrata.collection.progress import Progress
    from webstrata.collection.states import PartState


@dataclass(frozen=True)
class Job:
    """Some parts to be built together."""

    name: str
    """What is built, as `show` names it: a snapshot and a part."""
    build: Callable[[Progress], object]
    action: Action = field(default_factory=lambda: Action(""))
    """What does the same."""
    parts: tuple[str, ...] = ()
    """Qualified names of what it builds."""
    inputs: tuple[str, ...] = ()
    """Qualified names of what it needs."""
    optional: tuple[str, ...] = ()
    """Qualified names of what it uses where it is there."""
    refusal: str = ""
    """Why it cannot be done, where that is known beforehand."""
    due: str = ""
    """Why it is due, where that does not follow from its parts."""
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
    """Whether a job is due, by the parts that are there and those that jobs before it will build.

    Examples
    --------
    >>> job = Job("graph", print, parts=("2026-06/graph",), inputs=("2026-06/links",))
    >>> decide(job, {}).why
    '2026-06/links is missing'
    >>> decide(job, {}, coming=["2026-06/links"])
    Decision(job=..., state='due', why='missing')
    """
    if job.fresh:
        return Decision(job, "fresh")
    why = job.due or _find_reason(job, states, coming)
    if not why:
        return Decision(job, "fresh")
    if job.refusal:
        return Decision(job, "left out", job.refusal)
    lacking = [name for name in job.inputs if name not in states and name not in coming]
    if lacking:
        return Decision(job, "left out", f"{lacking[0]} is missing")
    return Decision(job, "due", why)


def decide_all(jobs: list[Job], states: Mapping[str, PartState], coming: set[str]) -> list[Decision]:
    """Whether each of some jobs is due; what those that are will build is added to `coming`.

    Examples
    --------
    >>> coming = set()
    >>> jobs = [Job("a", print, parts=("/a",)), Job("b", print, parts=("/b",), inputs=("/a",))]
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
        return ""  # a job before it builds all of them
    missing = [name for name in job.parts if name not in states]
    if missing:
        some = len(job.parts) > len(missing)
        return f"{missing[0].rpartition('/')[2]} is missing" if some else "missing"
    for name in job.parts:
        if states[name].is_stale:
            return states[name].why
    renewed = [name for name in (*job.inputs, *job.optional) if name in coming]
    return f"{renewed[0]} is built again" if renewed else ""
