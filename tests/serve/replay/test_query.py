"""Parameters of the CDX server, and what is refused."""

from __future__ import annotations

import pytest

from webstrata.serve.replay.query import CdxError, CdxQuery, find_ranges, make_resume_key


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", 'The "url" param is required'),
        ("url=http://a.uk/&output=xml", "output=xml not supported"),
        ("url=http://a.uk/&matchType=near", "Invalid match_type: near"),
        ("url=http://[/", "Invalid Url: http://[/"),
        ("url=a.uk&limit=ten", "Invalid value for limit= param: ten"),
        ("url=a.uk&page=x", "Invalid value for page= param: x"),
        ("url=a.uk&pageSize=-1", "Invalid value for pageSize= param: -1"),
        ("url=a.uk&sort=size", "sort=size not supported"),
        ("url=a.uk&sort=closest", 'The "closest" param is required'),
        ("url=a.uk&from=june", "Invalid value for from= param: june"),
        ("url=a.uk&filter=~url:(", "is not a regular expression"),
        ("url=a.uk&collapse=timestamp:x", "Invalid value for collapse= param"),
        ("url=a.uk&resumeKey=x", "Invalid value for resumeKey= param: x"),
        ("url=a.uk&matchType=range", 'The "urlEnd" param is required'),
        ("url=a.uk" + "&filter=x" * 21, "21 filters, and 20 are allowed"),
    ],
)
def test_a_malformed_query_is_refused_with_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(CdxError) as caught:
        CdxQuery.parse(text)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("url", "match", "low", "high"),
    [
        (
            "http://example.com/path/file.html",
            "exact",
            "com,example)/path/file.html ",
            "com,example)/path/file.html!",
        ),
        (
            "http://example.com/path/file.html",
            "prefix",
            "com,example)/path/file.html",
            "com,example)/path/file.htmm",
        ),
        ("http://example.com/path/", "prefix", "com,example)/path/", "com,example)/path0"),
        ("http://example.com/path?", "prefix", "com,example)/path?", "com,example)/path@"),
        ("http://example.com/path/file.html", "host", "com,example)", "com,example*"),
        ("http://example.com/path/file.html", "domain", "com,example)", "com,example-"),
    ],
)
def test_ranges_are_those_of_pywb(url: str, match: str, low: str, high: str) -> None:
    first = find_ranges(url, match)[0]
    assert (first.low.decode(), first.high.decode()) == (low, high)


def test_wildcards_are_short_for_match_types() -> None:
    assert CdxQuery.parse("url=*.a.uk").match == "domain"
    assert CdxQuery.parse("url=a.uk/b*").match == "prefix"
    assert CdxQuery.parse("url=a.uk/b").match == "exact"
    assert CdxQuery.parse("url=a.uk/b*&matchType=host").match == "host"


def test_a_resume_key_is_read_as_it_was_written() -> None:
    key = make_resume_key("uk,a)/?b=1&c=2", "20260612000000", 3)
    assert CdxQuery.parse(f"url=a.uk&resumeKey={key}").resume == ("uk,a)/?b=1&c=2 20260612000000", 3)


def test_timestamps_stand_for_whole_periods() -> None:
    query = CdxQuery.parse("url=a.uk&from=2026&to=202606")
    assert query.first == "20260101000000"
    assert query.first <= "20260630235959" <= query.last < "20260701000000"
