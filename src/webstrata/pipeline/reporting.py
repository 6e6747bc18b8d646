"""The last stage: the report, written again when a part has changed since."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from webstrata._core import __version__
from webstrata.collection.action import Action
from webstrata.collection.files import explained, remove_tree, replace_file
from webstrata.pipeline.jobs import Job
from webstrata.store.takedowns import find_takedowns

if TYPE_CHECKING:
    from webstrata.collection import Collection
    from webstrata.collection.progress import Progress
    from webstrata.pipeline.context import Context

STAGE = "report"
FOLDER = "reports"
"""In the collection: where the report is, with the log of failures."""
PAGE = "report.html"
STAMP = "report.sha256"
"""Beside the report: a digest of the checksums of all parts that it shows."""


def list_reports(context: Context) -> list[Job]:
    """One job, due if the report is missing or shows parts that have changed since.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.pipeline.context import Context
    >>> [job.due for job in list_reports(Context(testing.collection(), write_report=print))]
    ['missing']
    """
    if context.write_report is None:
        return []
    folder = context.collection.working_folder(FOLDER)
    path = folder / STAMP
    with explained(path, "read"):
        stamp = path.read_text() if path.is_file() else ""
    is_there = (folder / PAGE).is_file()
    why = "" if is_there and stamp == _digest(context) else "parts changed" if is_there else "missing"

    def write(_progress: Progress) -> None:
        assert context.write_report is not None
        context.write_report(context.collection)
        replace_file(path, _digest(context).encode())

    action = Action("report", str(context.collection.path))
    return [Job(f"/{FOLDER}", write, action, due=why, fresh=not why)]


def withdraw_report(collection: Collection) -> bool:
    """Remove the report that a run has written, which may show what is taken down; whether there was one.

    Examples
    --------
    >>> from webstrata import testing
    >>> withdraw_report(testing.collection())
    False
    """
    path = collection.working_folder(FOLDER) / PAGE
    if not path.is_file():
        return False
    remove_tree(path)
    return True


def _digest(context: Context) -> str:
    facts = {name: [state.record.checksum, state.why] for name, state in context.states().items()}
    hidden = [str(rule) for rule in find_takedowns(context.collection).rules]
    text = json.dumps([__version__, context.collection.title, sorted(facts.items()), *hidden])
    return hashlib.sha256(text.encode()).hexdigest()
