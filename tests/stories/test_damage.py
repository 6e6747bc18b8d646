"""Damaged parts, as typed: what is built from them, how they are repaired."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from tests.stories.conftest import assert_refused

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stories.conftest import Command


def test_a_graph_is_not_built_from_a_flipped_bit_and_a_repair_leads_back(
    webstrata: Command, crawled_months: Path, tmp_path: Path
) -> None:
    shutil.copytree(crawled_months, tmp_path / "uk", symlinks=True)
    path = tmp_path / "uk" / "snapshots" / "2026-02" / "links" / "targets.arrow"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    again = ("graph", "build", "uk", "2026-02", "--no-hosts")
    assert_refused(
        webstrata(*again),
        r"links\.1/targets\.arrow: this file of the part links is damaged between byte 0 and byte \d+; run "
        r"`webstrata check uk --repair && webstrata build uk 2026-02 links`",
    )
    repaired = webstrata("check", "uk", "--repair")
    assert repaired.returncode == 0, repaired.stderr
    assert "2026-02/links: targets.arrow is damaged" in repaired.stdout
    assert webstrata("store", "uk", "2026-02").returncode == 0
    assert webstrata(*again).returncode == 0
    assert webstrata("check", "uk").returncode == 0


def test_a_part_whose_folder_was_deleted_is_built_again(
    webstrata: Command, crawled_months: Path, tmp_path: Path
) -> None:
    shutil.copytree(crawled_months, tmp_path / "uk", symlinks=True)
    shutil.rmtree(tmp_path / "uk" / "snapshots" / "2026-01" / ".parts" / "text.1")
    assert webstrata("check", "uk").returncode == 2
    assert webstrata("check", "uk", "--repair").returncode == 0
    assert webstrata("store", "uk", "2026-01").returncode == 0
    sound = webstrata("check", "uk")
    assert sound.returncode == 0, sound.stdout


def test_an_index_that_is_added_to_leaves_no_note(
    webstrata: Command, crawled_months: Path, tmp_path: Path
) -> None:
    shutil.copytree(crawled_months, tmp_path / "uk", symlinks=True)
    assert webstrata("index", "uk", "--snapshots", "2026-01").returncode == 0
    assert webstrata("index", "uk").returncode == 0
    checked = webstrata("check", "uk")
    assert "is not in the manifest" not in checked.stdout
