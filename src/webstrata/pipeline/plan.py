"""The order of all parts: what each stage builds, derived from the declarations of parts.

Stages are the groups that parts declare, in an order in which inputs come first: ``crawl`` before all others
and the report after them. For every stage, `list_jobs` makes one job for each snapshot that its parts belong
to, or one for the collection.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

from webstrata.collection.action import Action
from webstrata.collection.declarations import CollectionPart, SnapshotPart, load_parts
from webstrata.collection.states import describe_changes, list_inputs, read_settings
from webstrata.pipeline.crawling import STAGE as CRAWL
from webstrata.pipeline.crawling import list_crawls
from webstrata.pipeline.jobs import Job
from webstrata.pipeline.reporting import STAGE as REPORT
from webstrata.pipeline.reporting import list_reports

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from webstrata.collection.declarations import PartDeclaration
    from webstrata.collection.progress import Progress
    from webstrata.pipeline.context import Context


@dataclass(frozen=True)
class Stage:
    """One step of the pipeline: parts that are built one after the other."""

    name: str
    list_jobs: Callable[[Context], list[Job]]
    """What it has to do for a collection."""


def list_stages() -> dict[str, Stage]:
    """All stages by name, in their order.

    Examples
    --------
    >>> names = list(list_stages())
    >>> names[:3], names[-1], names.index("summaries") < names.index("search")
    (['crawl', 'store', 'graph'], 'report', True)
    """
    groups: dict[str, list[PartDeclaration]] = {CRAWL: []}
    needed: dict[str, set[str]] = {}
    declared = load_parts()
    for part in declared.values():
        groups.setdefault(part.stage_name, []).append(part)
        inputs = (name.removeprefix("/") for name in (*part.inputs, *part.optional))
        before = {declared[name].stage_name for name in inputs if name in declared}
        needed.setdefault(part.stage_name, set()).update(before - {part.stage_name})
    order: list[str] = []
    while left := [name for name in groups if name not in order]:
        order.append(next((name for name in left if needed.get(name, set()) <= set(order)), left[0]))
    stages = {
        name: Stage(name, partial(list_jobs, parts=tuple(part for part in groups[name] if part.is_built)))
        for name in order
    }
    return {**stages, CRAWL: Stage(CRAWL, list_crawls), REPORT: Stage(REPORT, list_reports)}


def list_jobs(context: Context, parts: tuple[PartDeclaration, ...], *, asked: bool = False) -> list[Job]:
    """A job for each group of parts and each snapshot, in the order of snapshots; one for the collection.

    With `asked`, parts are those that a user has named: also those that ``run`` leaves out.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.collection.declarations import find_part
    >>> from webstrata.pipeline.context import Context
    >>> [job.name for job in list_jobs(Context(testing.collection()), (find_part("graph"),))]
    ['2026-04/graph', '2026-05/graph', '2026-06/graph']
    """
    jobs = []
    # parts that one pass of a builder can write are neighbours in their stage
    for _, members in groupby(parts, key=lambda part: part.together or (part.name,)):
        group = tuple(members)
        if isinstance(group[0], CollectionPart):
            found = _make_job(context, "", group, asked=asked)
            jobs += [found] if found else []
            continue
        for label in _choose_labels(context, group[0], asked=asked):
            found = _make_job(context, label, group, asked=asked)
            jobs += [found] if found else []
    return jobs


def _choose_labels(context: Context, part: PartDeclaration, *, asked: bool) -> list[str]:
    labels = context.labels
    scope = part.snapshots if isinstance(part, SnapshotPart) else "all"
    if asked or scope == "all" or _is_wide(context, part):
        return labels
    if scope == "newest":
        # the newest that has what it is made of, or will have
        able = [label for label in labels if all(context.will_have(label, name) for name in part.inputs)]
        return (able or labels)[-1:]
    return list(dict.fromkeys((*labels[:1], *labels[-1:])))


def _is_wide(context: Context, part: PartDeclaration) -> bool:
    """Whether ``[run]`` asks for a part in all snapshots."""
    name = part.widened_by if isinstance(part, SnapshotPart) else ""
    return bool(name) and getattr(context.run, name) == "all"


def _make_job(context: Context, label: str, group: tuple[PartDeclaration, ...], *, asked: bool) -> Job | None:
    collection = context.collection
    snapshot = context.find(label) if label else None
    holder = snapshot if label else collection
    chosen = []
    refusals = []
    for part in group:
        settings = read_settings(part, collection, snapshot, read=context.read)
        if not asked:
            is_wanted = holder is None or not part.wanted or part.wanted(holder, settings)
            if part.on_demand or not (is_wanted or _is_wide(context, part)):
                continue
            if holder is not None and part.refuse is not None:
                refusals.append(part.refuse(holder, settings))
        chosen.append((part, settings))
    if not chosen:
        return None
    first, settings = chosen[0]
    inputs: list[str] = []
    optional: list[str] = []
    for part, own in chosen:
        names = {f"{label}/{each.name}" for each, _ in chosen}
        inputs += [name for name in _list_inputs(context, part, label, own) if name not in names]
        optional += list_inputs(part, collection, label, own, optional=True)
    refusal = next(filter(None, refusals), "") or _refuse_few(context, first, settings)
    parts = tuple(part for part, _ in chosen)
    return Job(
        f"{label}/{first.name}",
        partial(_build, context, label, parts),
        Action("build", str(collection.path), label, tuple(part.name for part in parts)),
        tuple(f"{label}/{part.name}" for part in parts),
        tuple(dict.fromkeys(inputs)),
        tuple(dict.fromkeys(optional)),
        refusal=refusal,
    )


def _list_inputs(context: Context, part: PartDeclaration, label: str, settings: Any) -> list[str]:  # noqa: ANN401
    """Inputs that must be there: of a part of the collection, those of snapshots that have or get them."""
    inputs = list_inputs(part, context.collection, label, settings)
    if not isinstance(part, CollectionPart):
        return inputs
    able = _find_able(context, part, settings)
    return [name for name in inputs if name.startswith("/") or name.partition("/")[0] in able]


def _find_able(context: Context, part: PartDeclaration, settings: Any) -> list[str]:  # noqa: ANN401
    """The snapshots that have, or will have, what a part of the collection takes from each."""
    own = [name for name in part.inputs if not name.startswith("/")]
    named = getattr(settings, "snapshots", ())
    labels = context.collection.choose(named) if named else context.labels
    return [label for label in labels if all(context.will_have(label, name) for name in own)]


def _refuse_few(context: Context, part: PartDeclaration, settings: Any) -> str:  # noqa: ANN401
    if not isinstance(part, CollectionPart):
        return ""
    own = [name for name in part.inputs if not name.startswith("/")]
    count = len(_find_able(context, part, settings))
    if count >= part.min_snapshots:
        return ""
    having = f" with {', '.join(own)}" if own else ""
    return f"needs {part.min_snapshots} snapshot{'s' * (part.min_snapshots > 1)}{having}, there are {count}"


def _build(context: Context, label: str, parts: tuple[PartDeclaration, ...], progress: Progress) -> None:
    """Build those of some parts that are missing or stale now, or all of them if an input was built again."""
    collection = context.collection
    holder = collection[label] if label else collection
    states = context.states()
    stale = [
        part for part in parts if (state := states.get(f"{label}/{part.name}")) is None or state.is_stale
    ]
    due = stale or list(parts)
    _say_replaced(label, due, states, progress)
    first = due[0]
    settings = read_settings(first, collection, collection[label] if label else None, read=context.read)
    assert first.build is not None
    names: dict[str, Any] = {"names": [part.name for part in due]} if first.together else {}
    first.build(holder, settings, workers=context.workers, progress=progress, **names)


def _say_replaced(
    label: str, parts: list[PartDeclaration], states: Mapping[str, Any], progress: Progress
) -> None:
    """Say before it starts that a stored result was made with other settings."""
    for part in parts:
        state = states.get(f"{label}/{part.name}")
        if state is not None and state.changed:
            of = f" of {label}" if label else ""
            progress.note(f"replacing the stored {part.name}{of}: {describe_changes(state.changed)}")
