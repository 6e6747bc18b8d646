"""Words of a query become the terms that the words of pages became."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.summaries.written import write_snapshot
from webstrata.summaries import SummariesSettings
from webstrata.summaries.build import build_summaries
from webstrata.summaries.query import find_terms

if TYPE_CHECKING:
    from pathlib import Path


def test_a_query_is_stemmed_as_the_pages_were(tmp_path: Path) -> None:
    for number, (stemmer, wanted) in enumerate((("porter", ["fish", "swim"]), ("none", []))):
        snapshot = write_snapshot(tmp_path / str(number), ["swim fish reef", "swim fish"])
        build_summaries(snapshot, SummariesSettings(stemmer=stemmer, min_df=1), workers=1)
        archive = snapshot.summaries
        assert archive.terms.texts(find_terms(archive, "Swimming fishes")) == wanted
        assert archive.terms.texts(find_terms(archive, "reef, REEF")) == ["reef"]
