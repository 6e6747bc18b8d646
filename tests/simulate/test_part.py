"""The part is built as any other, and only where somebody says what is relevant."""

from __future__ import annotations

import pytest

from webstrata import errors, testing
from webstrata.simulate.harvest import Harvest
from webstrata.simulate.part import SIMULATION
from webstrata.simulate.settings import SimulateSettings


def test_the_part_is_built_by_its_name_and_opened() -> None:
    june = testing.collection()["2026-06"]
    with pytest.raises(errors.MissingError, match="simulation"):
        june.simulation()
    june.build("simulation", relevant="query:storm", policy=("breadth-first",), max_pages=4)
    harvest = june.simulation()
    assert isinstance(harvest, Harvest)
    assert harvest.policies == ["breadth-first"]
    assert harvest.facts["most"] == 4


def test_it_is_left_out_of_a_run_where_no_page_is_said_to_be_relevant() -> None:
    june = testing.collection()["2026-06"]
    assert SIMULATION.refuse is not None
    assert "set `relevant` in [simulate]" in SIMULATION.refuse(june, SimulateSettings())
    assert SIMULATION.refuse(june, SimulateSettings(relevant="query:storm")) == ""
