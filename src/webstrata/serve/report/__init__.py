"""The report of a collection: one HTML file with the tables and figures of the papers, made of its own data.

A chapter is made of *sheets*: tables and figures with the command that makes what they show. Sheets of what
is stored as numbers (a crawl's counters, a union's tables, a spectrum) are made when the report is written.
Those that take a pass over a whole graph, archive or ranking are parts of a snapshot, ``sheet-NAME``, made by
`webstrata run` (`kept`); the report reads them and computes nothing that takes long. What is not there is
named, with the command that makes it.
"""

from webstrata.serve.report.page import write_report

__all__ = ["write_report"]
