"""Runs the stages of a collection: builds what is due and records the outcome of each stage.

What a stage has built stays built: after Ctrl-C, a crash or a full disk the same command resumes with the
first part that is missing, and a part in shards with its first missing shard.

- A job that cannot be done, because an extra is not installed or a snapshot lacks an input, is left out
  with a sentence.
- A job that raises an error **fails**. The failure is recorded as one sentence with stage, part and error;
  jobs that need one of its parts, directly or through other jobs, are skipped with that reason; all other
  jobs are run. The traceback of an unexpected error is appended to ``reports/failures.log`` in the
  collection.
- Ctrl-C and a full disk stop the run: no later job could succeed.
"""

from __future__ import annotations

import datetime as dt
import logging
import time
import traceback
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from webstrata.collection.files import make_directory, open_writer
from webstrata.collection.progress import Progress
from webstrata.collection.settings import unknown_name
from webstrata.collection.verify import diagnose
from webstrata.errors import (
    DiskFullError,
    FormatError,
    MissingError,
    MissingExtraError,
    UsageError,
    UserError,
    WebstrataError,
)
from webstrata.pipeline.jobs import Decision, decide, decide_all
from webstrata.pipeline.plan import list_stages
from webstrata.pipeline.reporting import FOLDER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webstrata.pipeline.context import Context
    from webstrata.pipeline.jobs import Job
    from webstrata.pipeline.plan import Stage

_log = logging.getLogger(__name__)
FORMER_NAMES = {"time": "temporal"}
"""Names of stages up to 0.1.0."""
LOG = "failures.log"
"""Beside the report: the tracebacks of unexpected errors, newest last."""


@dataclass(frozen=True)
class StageFailure:
    """An error that a job ended with."""

    stage: str
    job: str
    """What was being built, as `show` names it; empty where the jobs of the stage could not be listed."""
    error: str
    exit_code: int
    """2 if the user can correct the cause, else 1."""

    def __str__(self) -> str:
        return f"{self.stage}{f', {self.job}' if self.job else ''}: {self.error}"


@dataclass
class Outcome:
    """What became of a stage."""

    stage: str
    decisions: list[Decision] = field(default_factory=list)
    built: int = 0
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)
    """Why jobs were left out or skipped."""
    failures: list[StageFailure] = field(default_factory=list)
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
    >>> from webstrata import testing
    >>> from webstrata.pipeline.context import Context
    >>> uk = testing.empty()
    >>> pipeline = Pipeline(Context(uk, options={"snapshots": "2026-01", "invitro": "tiny"}), last="graph")
    >>> [(outcome.stage, len(outcome.due)) for outcome in pipeline.plan()]
    [('crawl', 2), ('store', 0), ('graph', 1)]
    """

    def __init__(
        self, context: Context, first: str = "", last: str = "", *, progress: Progress | None = None
    ) -> None:
        self.context = context
        self.progress = progress or Progress()
        stages = list_stages()
        names = list(stages)
        first, last = (FORMER_NAMES.get(name, name) for name in (first, last))
        for word, name in (("first", first), ("last", last)):
            if name and name not in stages:
                raise UsageError(unknown_name(word, name, "stage", stages))
        off = tuple(FORMER_NAMES.get(name, name) for name in context.run.off)
        for name in off:
            if name not in stages:
                raise UsageError(unknown_name("[run] off", name, "stage", stages))
        begin = names.index(first) if first else 0
        end = names.index(last) + 1 if last else len(names)
        if begin >= end:
            raise UsageError(f"first {first}, last {last}: {first} comes after {last}; swap them")
        self.off = [name for name in names[begin:end] if name in off]
        self.stages = [stages[name] for name in names[begin:end] if name not in off]
        self.outcomes: list[Outcome] = []
        self._broken: dict[str, str] = {}
        """Parts that could not be built: the job that failed, for each of them."""
        if not context.labels:
            raise UsageError(
                f"{context.collection.path}: no snapshots; set `snapshots` and `seeds` in [run], "
                "or ingest pages first"
            )

    def plan(self) -> list[Outcome]:
        """What would be done, if nothing fails; nothing is touched."""
        states = self.context.states()
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

    @property
    def failures(self) -> list[StageFailure]:
        """The errors of all stages that were run."""
        return [failure for outcome in self.outcomes for failure in outcome.failures]

    @property
    def exit_code(self) -> int:
        """0 if no job failed, 2 if the user can correct the cause of every failure, else 1."""
        return min((failure.exit_code for failure in self.failures), default=0)

    def run(self) -> Iterator[Outcome]:
        """Do what is due; the outcome of a stage is given when it begins, and when it is over."""
        self._broken.clear()
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
            states = self.context.states()
            outcome.decisions = decide_all(jobs, states, set())
        except MissingExtraError as error:
            outcome.notes.append(str(error))
            return
        except Exception as error:
            self._fail(outcome, "", error)
            return
        yield outcome
        for job in jobs:
            try:
                # a job before this one may have changed an input, or built one that was missing
                decision = decide(job, self.context.states())
                needed = next((name for name in job.inputs if name in self._broken), "")
                if needed and decision.state != "fresh":
                    cause = self._broken[needed]
                    outcome.notes.append(f"{job.name}: skipped, it needs {needed} and {cause} failed")
                    self._break(job, cause)
                    continue
                if decision.state == "left out":
                    outcome.notes.append(f"{job.name}: {decision.why}")
                if decision.state != "due":
                    continue
                job.build(self.progress)
            except (MissingExtraError, MissingError) as error:
                outcome.notes.append(f"{job.name}: {self.context.explain(error)}")
            except Exception as error:
                self._fail(outcome, job.name, error)
                self._break(job, job.name)
            else:
                outcome.built += 1

    def _break(self, job: Job, cause: str) -> None:
        self._broken |= dict.fromkeys(job.parts, cause)

    def _fail(self, outcome: Outcome, name: str, error: Exception) -> None:
        """Record the error of a job; raise it again if it ends the whole run."""
        if isinstance(error, DiskFullError):
            raise error
        if not isinstance(error, UserError) or isinstance(error, FormatError):
            error = diagnose(error) or error
        if isinstance(error, WebstrataError):
            sentence, exit_code = self.context.explain(error), error.exit_code
        else:
            kind = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            sentence, exit_code = f"unexpected {kind}", 1
            if where := self._log_traceback(outcome.stage, name, error):
                sentence += f" (see {where})"
        _log.debug("stage %s, %s failed", outcome.stage, name or "jobs", exc_info=error)
        failure = StageFailure(outcome.stage, name, sentence, exit_code)
        outcome.failures.append(failure)
        self.progress.note(f"failed: {failure}")

    def _log_traceback(self, stage: str, name: str, error: Exception) -> str:
        """Append a traceback to the log; where that is, or an empty text if it could not be written."""
        lines = "".join(traceback.format_exception(error))
        moment = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
        try:
            path = make_directory(self.context.collection.working_folder(FOLDER)) / LOG
            with open_writer(path, append=True) as stream:
                stream.write(f"{moment} {stage} {name}\n{lines}\n".encode())
        except WebstrataError:
            return ""
        return str(path)
