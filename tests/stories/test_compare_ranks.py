"""`webstrata compare-ranks`, as typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.graph.releases.written import write_release
from tests.stories.conftest import assert_refused

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stories.conftest import Command


def test_correlation_and_the_first_hosts_are_shown(webstrata: Command, tmp_path: Path) -> None:
    write_release(tmp_path / "one", ranks=True)
    webstrata("new", "cc")
    webstrata("ingest", "cc", "2026-01", "--webgraph", "one")
    done = webstrata("compare-ranks", "cc", "2026-01", "--methods", "pagerank", "--limit", "1")
    assert "pagerank: Spearman's ρ = 1.0000 over 5 hosts" in done.stdout, done.stderr
    assert done.stdout.splitlines()[-1].split()[:3] == ["pagerank", "1", "1"]
    assert_refused(
        webstrata("compare-ranks", "cc", "2026-01", "--methods", "hits"), "releases publish harmonic"
    )
