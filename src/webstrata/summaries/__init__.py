"""Archives of summaries: of each page its length and its terms with their counts, compressed (SUM).

`Archive` reads one, `build_summaries` makes that of a snapshot, `write_archive` one of any rows.
"""

from webstrata.summaries.archive import Archive, Summary
from webstrata.summaries.build import build_summaries
from webstrata.summaries.rows import Rows, make_rows
from webstrata.summaries.settings import SummariesSettings
from webstrata.summaries.subarchive import SubArchive
from webstrata.summaries.weights import Vocabulary
from webstrata.summaries.write import write_archive

__all__ = [
    "Archive",
    "Rows",
    "SubArchive",
    "SummariesSettings",
    "Summary",
    "Vocabulary",
    "build_summaries",
    "make_rows",
    "write_archive",
]
