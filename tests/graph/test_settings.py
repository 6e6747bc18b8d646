"""What can be said about a graph that is to be built."""

from __future__ import annotations

import pytest

from webstrata.errors import SettingError
from webstrata.graph.settings import UNLIMITED, GraphSettings


def test_the_defaults_are_those_of_webgraph() -> None:
    found = GraphSettings()
    assert (found.window, found.max_references, found.min_interval) == (7, 3, 4)
    assert found.codes == ("gamma", "unary", "gamma", "gamma", "zeta3")
    assert found.is_readable_by_java


def test_no_limit_is_minus_one() -> None:
    assert GraphSettings(chain=-1).max_references == UNLIMITED


@pytest.mark.parametrize(
    ("name", "value"), [("residual_code", "huffman"), ("window", -1), ("chain", -2), ("together", 1)]
)
def test_what_cannot_be_is_refused(name: str, value: object) -> None:
    with pytest.raises(SettingError, match=f"{name} is"):
        GraphSettings(**{name: value})  # type: ignore[arg-type]


def test_memory_is_said_as_a_size() -> None:
    assert GraphSettings.read(options={"memory": "64MiB"}, environment={}).memory == 64 << 20
    with pytest.raises(SettingError, match="at least 16MiB"):
        GraphSettings(memory=1)
