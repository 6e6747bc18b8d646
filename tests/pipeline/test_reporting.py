"""The report is written again when it shows something else, and only then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata.pipeline.context import Context
from webstrata.pipeline.reporting import FOLDER, PAGE, list_reports
from webstrata.serve.report import write_report
from webstrata.testing import collection

if TYPE_CHECKING:
    import webstrata as ws


def write(uk: ws.Collection) -> str:
    """Do what is due; why it was."""
    from webstrata.collection.progress import Progress

    (job,) = list_reports(Context(uk, write_report=write_report))
    if not job.fresh:
        job.build(Progress())
    return job.due


def test_a_report_is_due_when_a_part_or_the_page_has_changed() -> None:
    uk = collection()
    assert write(uk) == "missing"
    assert write(uk) == ""
    uk["2026-06"].build("graph", window=3)
    assert write(uk) == "parts changed"
    assert write(uk) == ""
    (uk.path / FOLDER / PAGE).unlink()
    assert write(uk) == "missing"


def test_without_a_writer_there_is_no_report() -> None:
    assert list_reports(Context(collection())) == []
