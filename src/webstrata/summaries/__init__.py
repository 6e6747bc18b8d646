"""Archives of summaries: of each page its length and its terms with their counts, compressed (SUM).

`Archive` reads one, `build_summaries` makes that of a snapshot, `write_archive` one of any rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata._lazy import export

if TYPE_CHECKING:
    from webstrata.summaries.archive import Archive as Archive
    from webstrata.summaries.archive import Summary as Summary
    from webstrata.summaries.build import build_summaries as build_summaries
    from webstrata.summaries.rows import SummaryRows as SummaryRows
    from webstrata.summaries.rows import make_rows as make_rows
    from webstrata.summaries.settings import SummariesSettings as SummariesSettings
    from webstrata.summaries.subarchive import SubArchive as SubArchive
    from webstrata.summaries.weights import Vocabulary as Vocabulary
    from webstrata.summaries.write import write_archive as write_archive

export(
    __name__,
    {
        "archive": ("Archive", "Summary"),
        "build": ("build_summaries",),
        "rows": ("SummaryRows", "make_rows"),
        "settings": ("SummariesSettings",),
        "subarchive": ("SubArchive",),
        "weights": ("Vocabulary",),
        "write": ("write_archive",),
    },
    former={"Rows": "SummaryRows"},
)
