"""`webstrata rename`, as typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.stories.conftest import assert_refused

if TYPE_CHECKING:
    from tests.stories.conftest import Command
    from webstrata.collection import Collection


def test_a_snapshot_gets_another_date_and_stays_fresh(webstrata: Command, uk: Collection) -> None:
    old = uk.dates[-1]
    done = webstrata("rename", "uk", old, f"{old}-15")
    assert (done.returncode, done.stdout) == (0, f"Renamed {old} to {old}-15.\n")
    assert uk.dates[-1] == f"{old}-15"
    assert not [name for name, state in uk.states().items() if state.stale]
    assert_refused(webstrata("rename", "uk", old, "2027"), f"no snapshot {old}")
    assert_refused(webstrata("rename", "uk", f"{old}-15", "june"), "june")
