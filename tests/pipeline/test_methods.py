"""The methods of a collection that change its snapshots."""

from __future__ import annotations

import pytest

from webstrata import testing
from webstrata.errors import MissingError


def test_a_removed_and_a_renamed_snapshot_are_missing_under_their_old_dates() -> None:
    uk = testing.collection_of({"2026-05": {"http://a.example/": "A"}, "2026-06": {"http://a.example/": "B"}})
    uk.rename("2026-06", "2026-07")
    uk.remove("2026-05")
    assert uk.dates == ["2026-07"]
    for label in ("2026-05", "2026-06"):
        with pytest.raises(MissingError):
            uk[label]
    uk.remove()
    assert not uk.path.exists()
