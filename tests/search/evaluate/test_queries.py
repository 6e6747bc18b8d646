"""Files of queries, plain and TREC's, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from webstrata.errors import FormatError
from webstrata.search.evaluate.queries import TimedQuery, read_queries, write_topics

if TYPE_CHECKING:
    from pathlib import Path

TOPICS = """
<top>
<num> Number: 401
<title> foreign minorities, Germany
<desc> Description:
What language and cultural differences impede the integration
</top>
<top>
<num>402</num>
<title>behavioral
genetics</title>
<date> 2026-03
</top>
"""


def test_topics_of_trec_are_read_whether_tags_are_closed_or_not(tmp_path: Path) -> None:
    path = tmp_path / "topics"
    path.write_text(TOPICS)
    queries = read_queries(path, "2026-02")
    assert queries == [
        TimedQuery("401", "foreign minorities, Germany", "2026-02"),
        TimedQuery("402", "behavioral genetics", "2026-03"),
    ]
    write_topics(tmp_path / "again", queries)
    assert read_queries(tmp_path / "again") == queries


def test_files_that_hold_no_queries_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "q.tsv"
    for content, why in (
        ("", "there is no query in it"),
        ("# only a comment\n", "there is no query in it"),
        ("1 flood\n", r"q.tsv, line 1: this is no query; write ID, tab, query"),
        ("1\tflood\t2026-01\n1\tfire\t2026-01\n", "there are two queries 1"),
        ("<top>\n<num> 1\n</top>", r"topic 1: it has no <num> or no <title>"),
    ):
        path.write_text(content)
        with pytest.raises(FormatError, match=why):
            read_queries(path, "2026-01")
    path.write_bytes(b"\xff\xfe1\tx")
    with pytest.raises(FormatError, match="this is no text in UTF-8"):
        read_queries(path, "2026-01")
