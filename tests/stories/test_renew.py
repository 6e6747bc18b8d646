"""The commands that parts remember, after the collection was moved to a place with a blank in its name."""

from __future__ import annotations

import shlex
import shutil
from typing import TYPE_CHECKING

import webstrata as ws

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stories.conftest import Command


def test_commands_name_the_place_and_the_file_keeps_the_settings_that_a_part_was_made_with(
    webstrata: Command, crawled_months: Path, tmp_path: Path
) -> None:
    moved = tmp_path / "my web"
    shutil.copytree(crawled_months, moved)
    assert webstrata("summaries", "build", "my web", "2026-02", "--min-df", "3").returncode == 0
    assert webstrata("spectrum", "my web", "2026-02", "--arnoldi", "20").returncode == 0
    states = ws.open(moved).states()
    renew = {name: state.renew for name, state in states.items()}
    place = f"'{moved}'"
    assert all(place in command for command in renew.values())
    assert renew["2026-02/summaries"] == f"webstrata build {place} 2026-02 summaries"
    assert renew["2026-02/spectrum"] == f"webstrata build {place} 2026-02 spectrum"
    assert renew["2026-02/graph"] == f"webstrata build {place} 2026-02 graph"
    assert renew["2026-02/warc"] == (
        f"webstrata crawl {place} 2026-02 --again --invitro tiny --invitro-seed 7 --month 1 "
        "--max-crawl-delay 20ms"
    )
    # it does what it says
    made = states["2026-02/summaries"].record
    done = webstrata(*shlex.split(renew["2026-02/summaries"])[1:], "--again")
    assert done.returncode == 0, done.stderr
    assert ws.open(moved).find_record("2026-02/summaries").checksum == made.checksum
