"""Counts of what a reader met."""

from __future__ import annotations

from webstrata.archive.tally import MAX_SHOWN, Tally
from webstrata.archive.warc import Problem


def test_damage_is_counted_beyond_what_is_kept() -> None:
    tally = Tally()
    for place in range(MAX_SHOWN + 5):
        tally.damaged("a.warc", place, "torn")
    assert tally.num_damaged == MAX_SHOWN + 5
    assert len(tally.damage) == MAX_SHOWN
    assert str(tally.damage[3]) == "a.warc, byte 3: torn"


def test_a_problem_of_a_warc_file_names_its_url() -> None:
    tally = Tally()
    tally.report("a.warc", Problem(7, "http://a.uk/", "torn"))
    tally.report("a.warc", Problem(9, None, "torn"))
    assert [damage.what for damage in tally.damage] == ["torn (http://a.uk/)", "torn"]
