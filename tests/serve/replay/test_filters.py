"""Filters, and regular expressions that would take for ever elsewhere."""

from __future__ import annotations

import pytest

from webstrata.serve.replay.filters import FieldFilterError, parse_filters
from webstrata.serve.replay.rows import CdxRow

LINE = b'uk,a)/x 20260612000000 {"url": "http://a.uk/x", "mime": "text/html", "status": "200"}'


@pytest.mark.parametrize(
    ("text", "is_kept"),
    [
        ("mime:html", True),
        ("=mime:html", False),
        ("=mime:text/html", True),
        ("!=mime:text/html", False),
        ("~mime:text/.*", True),
        ("~mime:html", False),  # from the beginning, as in pywb
        ("!~statuscode:[45]..", True),
        ("original:a.uk", True),
        ("nothing:x", False),
        ("!nothing:x", True),
        ("uk,a)", True),
    ],
)
def test_a_filter_contains_equals_or_matches(text: str, is_kept: bool) -> None:  # noqa: FBT001
    assert parse_filters([text])[0].keeps(CdxRow(LINE)) is is_kept


def test_an_expression_with_exponential_time_elsewhere_ends_at_once() -> None:
    (found,) = parse_filters(["~url:(a|a)*$"])
    line = b'uk,a)/ 20260612000000 {"url": "' + b"a" * 5000 + b'!"}'
    assert not found.keeps(CdxRow(line))


@pytest.mark.parametrize("text", ["~url:(", "~url:a)(b", "~url:(?=x)", "~url:" + "(a{1000}){1000}"])
def test_an_expression_that_cannot_be_used_is_refused(text: str) -> None:
    with pytest.raises(FieldFilterError, match="is not a regular expression"):
        parse_filters([text])
