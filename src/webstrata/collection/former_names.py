"""Names that parts had in earlier releases, and what they are called now.

Release 0.1.0 called the CDXJ index `index` and the text index `search`. Manifests written then are read as if
they had the names of today; the files of such a part stay in their folder (``.parts/index.3``), which its
record names as `stored`. A part that is built again gets a folder of its new name.
"""

from __future__ import annotations

FORMER = {
    "index": "captures",
    "search": "text_index",
    "search-documents": "text_index-documents",
    "search-terms": "text_index-terms",
    "search-tiers": "text_index-tiers",
}
"""From the former name of a part to the one it has."""


def current_name(name: str) -> str:
    """What a part is called now; for an input, with the snapshot before it.

    Examples
    --------
    >>> current_name("index"), current_name("2026-06/index"), current_name("/search")
    ('captures', '2026-06/captures', '/text_index')
    >>> current_name("graph")
    'graph'
    """
    holder, slash, part = name.rpartition("/")
    return f"{holder}{slash}{FORMER.get(part, part)}"
