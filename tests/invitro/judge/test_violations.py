"""What a violation says, and all of a rule as a table."""

from __future__ import annotations

from webstrata import testing
from webstrata.invitro import judge
from webstrata.invitro.judge.violations import Violation, ViolationTable


def test_a_violation_names_both_lines_and_the_gap() -> None:
    gap = Violation("host_gap", 4, 3, "a.uk", "127.1.0.1", "http://a.uk/", 1.0, 4.0)
    assert gap.tell() == "http://a.uk/, 1.000000 s after the end of line 3, not 4s"
    overlap = Violation("ip_overlap", 4, 3, "a.uk", "127.1.0.1", "http://a.uk/", -0.5, None)
    assert overlap.tell() == "127.1.0.1 for http://a.uk/, 0.500000 s before the end of line 3"
    assert Violation("disallowed", 4, None, "a.uk", "127.1.0.1", "http://a.uk/x", None, None).tell() == (
        "http://a.uk/x"
    )


def test_a_preview_makes_only_the_rows_that_are_shown() -> None:
    from tests.invitro.judge.writer import LogWriter

    log = LogWriter()
    for number in range(6):
        log.add(number, number + 0.1, status=503)
    verdict = judge(log.write(testing.scratch() / "requests.log"), host_delay=4)
    table = ViolationTable(verdict.violations["host_gap"])
    shown, total = table.preview(2)
    assert (shown.num_rows, total) == (2, 5)
    assert table.to_arrow().num_rows == 5
    assert table.to_arrow()["line"].to_pylist() == [3, 4, 5, 6, 7]
