"""Copies of snapshots."""

from __future__ import annotations

from webstrata import testing
from webstrata.store.copying import without_urls


def test_a_temporary_copy_lacks_the_urls_and_is_removed() -> None:
    june = testing.snapshot()
    with without_urls(june, lambda url: "pills" in url) as copy:
        assert copy.path != june.path
        assert copy.parts.record("pages").counts["nodes"] == 12
    assert not copy.path.exists()
    with without_urls(june, lambda url: "nothing" in url) as same:
        assert same is june
