"""What is known from an earlier month."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tests.temporal.months import make_months
from webstrata.simulate.past import find_past
from webstrata.simulate.web import StoredWeb

if TYPE_CHECKING:
    from pathlib import Path


def test_what_was_known_of_a_page_its_host_or_all_is_carried_on(tmp_path: Path) -> None:
    then = ["org,a)/", "org,a)/x", "org,b)/", "org,b)/y"]
    now = ["org,a)/", "org,a)/new", "org,b)/y", "org,c)/"]
    uk = make_months(tmp_path / "uk", {"2026-05": (then, [(0, 1), (2, 1)]), "2026-06": (now, [(0, 1)])})
    past = find_past(StoredWeb(uk["2026-05"]), StoredWeb(uk["2026-06"]))
    assert past.carry(np.array([1.0, 0.5, 0.25, 0.0])).tolist() == [1.0, 0.75, 0.0, 0.4375]
    ranks = past.pagerank()
    assert ranks[1] > ranks[0] > 0  # /new is thought to be like / and /x, to which two pages link
