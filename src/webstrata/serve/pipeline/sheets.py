"""The stage before the last: tables and figures that take a pass over much data, kept for the report."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from webstrata.serve.pipeline.jobs import Job
from webstrata.serve.report.kept import (
    ALIGNMENT,
    CHANGES,
    EVALUATION,
    KEPT,
    RANKS,
    TRAJECTORIES,
    build_sheet,
)

GIVEN = {"graph": "graph", "summaries": "summaries", **dict.fromkeys(RANKS, "rank")}
"""The stage that gives a part, where it is not that of all parts of pages."""

if TYPE_CHECKING:
    from webstrata.collection.progress import Progress
    from webstrata.serve.pipeline.context import Context


def list_sheets(context: Context) -> list[Job]:
    """A job for each sheet that is kept: of snapshots, of the collection, and of what is asked.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata.serve.pipeline.context import Context
    >>> uk = ws.create(getfixture("tmp_path") / "uk")
    >>> jobs = list_sheets(Context(uk, options={"snapshots": "2026-01", "invitro": "tiny"}))
    >>> [job.name for job in jobs][:2], jobs[-1].name
    (['2026-01/sheet-structure', '2026-01/sheet-summaries'], '/sheet-evaluation')
    """
    place = context.collection.word
    command = f"webstrata run {place} --from sheets --to sheets"
    jobs = []
    labels = context.labels
    for kept in KEPT.values():
        able = [label for label in labels if all(_will_have(context, label, part) for part in kept.inputs)]
        for label in able if kept.of_all else (able or labels)[-1:]:

            def build(progress: Progress, label: str = label, kept: Any = kept) -> None:  # noqa: ANN401
                build_sheet(context.collection[label], kept, progress)

            inputs = tuple(f"{label}/{part}" for part in kept.inputs)
            jobs.append(Job(f"{label}/{kept.part}", build, command, (f"{label}/{kept.part}",), inputs))
    ranked = [label for label in labels if all(_will_have(context, label, part) for part in RANKS)]
    jobs.append(
        Job(
            f"/{TRAJECTORIES.part}",
            lambda progress: build_sheet(context.collection, TRAJECTORIES, progress),
            command,
            (f"/{TRAJECTORIES.part}",),
            tuple(f"{label}/{part}" for label in ranked for part in RANKS),
            covers=True,
            refusal="" if len(ranked) > 1 else "no two snapshots are ranked",
        )
    )
    run = context.run
    true = [label for label in labels if run.invitro or context.has(label, "truth")]
    if len(true) > 1:
        jobs.append(
            Job(
                f"/{ALIGNMENT.part}",
                lambda progress: build_sheet(context.collection, ALIGNMENT, progress),
                command,
                (f"/{ALIGNMENT.part}",),
                ("/temporal", *(f"{label}/truth" for label in true)),
            )
        )
    asked = (
        (CHANGES, {"queries": run.queries}, bool(run.queries), "nothing is asked; name `queries` in [run]"),
        (
            EVALUATION,
            {"topics": run.topics, "judgements": run.judgements},
            bool(run.topics and run.judgements),
            "nothing says which pages are right; name files of `topics` and `judgements` in [run]",
        ),
    )
    for kept, options, is_asked, why in asked:
        jobs.append(
            Job(
                f"/{kept.part}",
                partial(_build_asked, context, kept, options),
                command,
                (f"/{kept.part}",),
                ("/temporal", "/changes"),
                run,
                tuple(options),
                refusal="" if is_asked or true else why,
            )
        )
    return jobs


def _will_have(context: Context, label: str, part: str) -> bool:
    """Whether a snapshot has a part, or will have it when the stages before this one are through."""
    if context.has(label, part):
        return True
    run = context.run
    if part == "truth":
        return bool(run.invitro)
    stage = GIVEN.get(part, "store")
    return stage not in run.off and (label not in context.collection or context.has(label, "pages"))


def _build_asked(context: Context, kept: Any, options: dict[str, Any], progress: Progress) -> None:  # noqa: ANN401
    build_sheet(context.collection, kept, progress, asked=context.run, **options)
