"""TimeMaps and dates."""

from __future__ import annotations

import pytest

from tests.serve.replay.asking import ask
from webstrata.serve.replay.memento import parse_accept_datetime, write_timemap


def test_a_timemap_names_itself_the_gate_and_every_memento(uk: str) -> None:
    lines = ask(f"{uk}/timemap/link/http://news.example/").lines
    assert [line.partition('rel="')[2].partition('"')[0] for line in lines] == [
        *("self", "timegate", "original"),
        *["memento"] * 3,
    ]
    assert all(line.endswith(",") for line in lines[:-1])
    assert not lines[-1].endswith(",")
    for line in lines[3:]:
        place = line[1 : line.index(">")]
        assert ask(place).headers["content-location"] == place


def test_a_timemap_of_nothing_is_empty() -> None:
    assert list(write_timemap(iter([None]), "http://r/uk/", "http://a.uk/", "uk")) == []


def test_timemaps_in_json_have_an_object_per_line(uk: str) -> None:
    answer = ask(f"{uk}/timemap/json/http://news.example/")
    assert answer.headers["content-type"] == "text/x-ndjson"
    assert len(answer.lines) == 3


@pytest.mark.parametrize("text", ["", "Sun", "2026-06-12", "Sun, 99 Jan 2014 20:08:00 GMT"])
def test_a_date_in_another_form_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="Accept-Datetime is"):
        parse_accept_datetime(text)
