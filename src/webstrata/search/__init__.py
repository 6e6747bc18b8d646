"""Search: pages found by their words, and by what changed about them and when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata._lazy import export

if TYPE_CHECKING:
    from webstrata.search.build import build_text_index as build_text_index
    from webstrata.search.change.answer import ChangeAnswer as ChangeAnswer
    from webstrata.search.change.answer import ChangedPage as ChangedPage
    from webstrata.search.change.run import ChangeSearch as ChangeSearch
    from webstrata.search.change.settings import ChangesSettings as ChangesSettings
    from webstrata.search.hits import Hit as Hit
    from webstrata.search.hits import Hits as Hits
    from webstrata.search.index import TextIndex as TextIndex
    from webstrata.search.settings import SearchSettings as SearchSettings

export(
    __name__,
    {
        "build": ("build_text_index",),
        "change.answer": ("ChangeAnswer", "ChangedPage"),
        "change.run": ("ChangeSearch",),
        "change.settings": ("ChangesSettings",),
        "hits": ("Hit", "Hits"),
        "index": ("TextIndex",),
        "settings": ("SearchSettings",),
    },
)
