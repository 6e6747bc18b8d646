"""Forms of output: bytes that are copied are those that would be written."""

from __future__ import annotations

import json

from webstrata.serve.replay.rows import CdxRow, make_writer, parse_timestamp, to_http_date

LINE = b'uk,a)/x 20260612010203 {"url": "http://a.uk/x", "mime": "text/html", "status": "200"}'


def test_a_copied_line_is_the_line_that_is_written_from_its_fields() -> None:
    for output in ("cdxj", "json"):
        write = make_writer(output, ())
        copied, parsed = (CdxRow(LINE, source="uk:2026-06", collection="uk") for _ in range(2))
        assert parsed.fields["source"] == "uk:2026-06"
        assert write(copied) == write(parsed)


def test_text_has_a_word_for_every_field() -> None:
    assert make_writer("text", ())(CdxRow(LINE)).split() == [
        *(b"uk,a)/x", b"20260612010203", b"http://a.uk/x", b"text/html", b"200"),
        *(b"-", b"-", b"-", b"-", b"-", b"-"),
    ]


def test_chosen_fields_come_in_the_order_of_the_question() -> None:
    write = make_writer("json", ("status", "urlkey", "nothing"))
    assert json.loads(write(CdxRow(LINE))) == {"status": "200", "urlkey": "uk,a)/x"}
    assert make_writer("cdxj", ("mime",))(CdxRow(LINE)) == b'uk,a)/x 20260612010203 {"mime": "text/html"}\n'


def test_times_that_do_not_exist_become_the_nearest_that_do() -> None:
    assert parse_timestamp("20260231").day == 28
    assert parse_timestamp("99991399").isoformat() == "9999-12-31T00:00:00+00:00"
    assert parse_timestamp("2").year == 2000
    assert to_http_date("20260612010203") == "Fri, 12 Jun 2026 01:02:03 GMT"
