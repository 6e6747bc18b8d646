"""WARC files by range requests, by their names alone."""

from __future__ import annotations

import pytest

from tests.serve.replay.asking import ask


def test_files_are_listed_and_served_by_range(uk: str) -> None:
    rows = ask(f"{uk}/files/").json()["rows"]
    assert [row["name"].partition("/")[0] for row in rows] == ["2026-04", "2026-05", "2026-06"]
    origin = uk.removesuffix("/uk")
    whole = ask(origin + rows[0]["path"])
    assert (whole.status, len(whole.body)) == (200, rows[0]["bytes"])
    assert whole.headers["content-type"] == "application/gzip"
    part = ask(origin + rows[0]["path"], range="bytes=10-19")
    assert (part.status, part.body) == (206, whole.body[10:20])
    assert part.headers["content-range"] == f"bytes 10-19/{len(whole.body)}"
    assert ask(origin + rows[0]["path"], range="bytes=99999999-").status == 416


@pytest.mark.parametrize(
    "name",
    ["2026-06/../../collection.toml", "2026-06/%2e%2e/%2e%2e/collection.toml", "/etc/passwd", "2026-06/x"],
)
def test_no_path_of_a_request_is_opened(uk: str, name: str) -> None:
    answer = ask(f"{uk}/files/{name}")
    assert answer.status == 404
    assert "no file" in answer.json()["error"]["message"]
