"""Files of judgements, plain and TREC's, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from webstrata.errors import FormatError
from webstrata.search.evaluate.judgements import check_judgements, read_judgements, write_qrels
from webstrata.search.evaluate.queries import TimedQuery


def test_judgements_come_back_as_qrels(tmp_path: Path) -> None:
    path = tmp_path / "j.tsv"
    path.write_text("# right\n1\thttp://a.org/ b\t2\n1\thttp://b.org/\n\n2 0 http://c.org/ 0\n")
    judgements = read_judgements(path)
    assert judgements == {"1": {"http://a.org/ b": 2, "http://b.org/": 1}, "2": {"http://c.org/": 0}}
    del judgements["1"]["http://a.org/ b"]
    write_qrels(tmp_path / "qrels", judgements)
    assert read_judgements(tmp_path / "qrels") == judgements


def test_unknown_queries_and_pages_are_refused() -> None:
    queries = [TimedQuery("1", "flood", "2026-02")]
    known = {"http://a.org/": "http://a.org/", "http://copy.org/": "http://a.org/"}

    def check(judged: dict[str, dict[str, int]]) -> dict[str, dict[str, int]]:
        return check_judgements(Path("j.tsv"), judged, queries, lambda url, _at: known.get(url))

    assert check({"1": {"http://copy.org/": 2, "http://a.org/": 1}}) == {"1": {"http://a.org/": 2}}
    for judged, why in (
        ({"9": {"http://a.org/": 1}}, "pages for 9, which is no query that is asked; queries are 1"),
        ({"1": {"http://nowhere.org/": 1}}, "it judges http://nowhere.org/ for 1, which is no page"),
        ({"1": {"http://a.org/": 0}}, "no page is right for 1"),
    ):
        with pytest.raises(FormatError, match=why):
            check(judged)


def test_lines_that_are_no_judgements_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "j.tsv"
    for content, why in (("", "no judgement in it"), ("1\n", "line 1"), ("1\thttp://a/\tgood\n", "line 1"),
                         ("1\thttp://a/\t-1\n", "line 1: this is no judgement")):  # fmt: skip
        path.write_text(content)
        with pytest.raises(FormatError, match=why):
            read_judgements(path)
