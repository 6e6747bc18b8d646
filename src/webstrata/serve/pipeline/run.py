"""Goes through the stages of a collection, builds what is due, and keeps an account of it.

What a stage has built stays built: after Ctrl-C, a crash or a full disk the same command goes on with the
first part that is not there, and a part in shards with the first shard. A stage that cannot be done, because
an extra is not installed or a snapshot lacks what it is made of, is left out with a sentence, and those after
it are done as far as they can be.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from webstrata.collection.progress import Progress
from webstrata.collection.settings import unknown_name
from webstrata.errors import MissingError, MissingExtraError, UsageError
from webstrata.serve.pipeline.jobs import Decision, decide, decide_all
from webstrata.serve.pipeline.stages import STAGES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webstrata.serve.pipeline.context import Context
    from webstrata.serve.pipeline.stages import Stage


@dataclass
class Outcome:
    """What became of a stage."""

    stage: str
    decisions: list[Decision] = field(default_factory=list)
    built: int = 0
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)
    is_over: bool = False

    @property
    def fresh(self) -> int:
        """Jobs that had nothing to do."""
        return sum(decision.state == "fresh" for decision in self.decisions)

    @property
    def due(self) -> list[Decision]:
        """Jobs that are to be done, or were."""
        return [decision for decision in self.decisions if decision.state == "due"]


class Pipeline:
    """The stages from one to another, for a collection.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata.serve.pipeline.context import Context
    >>> uk = ws.create(getfixture("tmp_path") / "uk")
    >>> pipeline = Pipeline(Context(uk, options={"snapshots": "2026-01", "invitro": "tiny"}), last="graph")
    >>> [(outcome.stage, len(outcome.due)) for outcome in pipeline.plan()]
    [('crawl', 2), ('store', 0), ('graph', 1)]
    """

    def __init__(
        self, context: Context, first: str = "", last: str = "", *, progress: Progress | None = None
    ) -> None:
        self.context = context
        self.progress = progress or Progress()
        names = list(STAGES)
        for word, name in (("--from", first), ("--to", last)):
            if name and name not in STAGES:
                raise UsageError(unknown_name(word, name, "stage", STAGES))
        off = context.run.off
        for name in off:
            if name not in STAGES:
                raise UsageError(unknown_name("[run] off", name, "stage", STAGES))
        begin = names.index(first) if first else 0
        end = names.index(last) + 1 if last else len(names)
        if begin >= end:
            raise UsageError(f"--from {first} --to {last}: {first} comes after {last}; turn them round")
        self.off = [name for name in names[begin:end] if name in off]
        self.stages = [STAGES[name] for name in names[begin:end] if name not in off]
        self.outcomes: list[Outcome] = []
        if not context.labels:
            raise UsageError(
                f"{context.collection.path}: it has no snapshot; name some with --snapshots 2026-01,2026-02 "
                "and what to crawl with --seeds FILE, or ingest pages first"
            )

    def plan(self) -> list[Outcome]:
        """What would be done, if nothing fails; nothing is touched."""
        states = self.context.collection.states()
        coming: set[str] = set()
        outcomes = []
        for stage in self.stages:
            try:
                decisions = decide_all(stage.list_jobs(self.context), states, coming)
            except MissingExtraError as error:
                outcomes.append(Outcome(stage.name, notes=[str(error)]))
                continue
            notes = [f"{d.job.name}: {d.why}" for d in decisions if d.state == "left out"]
            outcomes.append(Outcome(stage.name, decisions, notes=notes))
        return outcomes

    def run(self) -> Iterator[Outcome]:
        """Do what is due; the outcome of a stage is given when it begins, and when it is over."""
        for stage in self.stages:
            outcome = Outcome(stage.name)
            self.outcomes.append(outcome)
            started = time.monotonic()
            try:
                yield from self._run_stage(stage, outcome)
            finally:
                outcome.seconds = time.monotonic() - started
            outcome.is_over = True
            yield outcome

    def _run_stage(self, stage: Stage, outcome: Outcome) -> Iterator[Outcome]:
        try:
            jobs = stage.list_jobs(self.context)
        except MissingExtraError as error:
            outcome.notes.append(str(error))
            return
        states = self.context.collection.states()
        outcome.decisions = decide_all(jobs, states, set())
        yield outcome
        for job in jobs:
            # what was built a moment ago may have made this one stale, or given what it lacked
            decision = decide(job, self.context.collection.states())
            if decision.state == "left out":
                outcome.notes.append(f"{job.name}: {decision.why}")
            if decision.state != "due":
                continue
            try:
                job.build(self.progress)
            except (MissingExtraError, MissingError) as error:
                outcome.notes.append(f"{job.name}: {error}")
            else:
                outcome.built += 1
