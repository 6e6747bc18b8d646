"""The report of a collection: one HTML file with the tables and figures of the papers, made of its own data.

A chapter is made of *sheets*: tables and figures with the command that makes what they show. Sheets of what
is stored as numbers (a crawl's counters, a union's tables, a spectrum) are made when the report is written.
Those that take a pass over a whole graph, archive or ranking are parts of a snapshot, ``sheet-NAME``, made by
the pipeline (`kept`); the report reads them and computes nothing that takes long. What is missing is named,
with the command that makes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata._lazy import export

if TYPE_CHECKING:
    from webstrata.serve.report.page import write_report as write_report

export(__name__, {"page": ("write_report",)})
