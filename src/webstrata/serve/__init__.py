"""What people look at: figures, tables, the report and the HTTP API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata._lazy import export

if TYPE_CHECKING:
    from webstrata.serve.figures.style import Figure as Figure
    from webstrata.serve.figures.style import write_figures as write_figures
    from webstrata.serve.report.page import write_report as write_report

export(
    __name__,
    {
        "figures.style": ("Figure", "write_figures"),
        "report.page": ("write_report",),
    },
)
