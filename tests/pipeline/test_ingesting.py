"""Ingests of whatever a user names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.graph.releases.written import write_release
from webstrata import testing
from webstrata.errors import UsageError
from webstrata.graph.releases import ReleaseResult
from webstrata.pipeline.ingesting import ingest_anything

if TYPE_CHECKING:
    from pathlib import Path


def test_a_release_is_ingested_alone(tmp_path: Path) -> None:
    release, uk = write_release(tmp_path / "r"), testing.empty()
    with pytest.raises(UsageError, match="leave out FILEs"):
        ingest_anything(uk, "2026-04", [tmp_path], webgraph=release)
    with pytest.raises(UsageError, match="leave out --base-url"):
        ingest_anything(uk, "2026-04", webgraph=release, base_url="http://a.example/")
    with pytest.raises(UsageError, match="leave out --namespaces"):
        ingest_anything(uk, "2026-04", webgraph=release, options={"namespaces": (0,)})
    assert uk.dates == []
    assert isinstance(ingest_anything(uk, "2026-04", webgraph=release, copy="as-is"), ReleaseResult)


def test_everything_else_goes_to_the_store(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<title>Home</title>")
    uk = testing.empty()
    ingest_anything(uk, "2026-06", [tmp_path], base_url="http://a.example/")
    assert list(uk["2026-06"].urls) == ["http://a.example/"]
