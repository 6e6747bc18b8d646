"""Methods of a collection about time."""

from __future__ import annotations

from webstrata import testing


def test_statistics_have_both_codings_when_asked_for() -> None:
    uk = testing.collection()
    assert uk.temporal_stats().codings == []
    found = uk.temporal_stats(codings=True)
    assert [row["labels"] for row in found.codings] == ["huffman", "runs"] * 2
    assert all(row["uncompressed_bytes"] > row["graph_bytes"] for row in found.to_rows())
