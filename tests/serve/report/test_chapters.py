"""All chapters are there whatever the collection has; what is missing or damaged is said in its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from webstrata.errors import WebstrataError
from webstrata.serve.report import write_report
from webstrata.serve.report.chapters import CHAPTERS, make_chapters

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.serve.report.sheet import Missing, Sheet


def test_a_whole_collection_lacks_nothing(whole: Path) -> None:
    chapters = {chapter.name: chapter for chapter in make_chapters(ws.open(whole))}
    assert list(chapters) == list(CHAPTERS)
    # nothing is learned without labels, and no list of pages is followed that is not named
    lacking = {name: [item.what for item in one.missing] for name, one in chapters.items() if one.missing}
    assert lacking == {"rank": ["lists of pages through time"], "classify": ["classifiers and their AUC"]}
    truth, overview = chapters["collection"].sheets
    assert "those of the truth, and no other; 13,840 arcs were compared." in truth.text[0]
    assert "The hosts that successive snapshots have in common are as many as in truth." in truth.text[0]
    assert overview.text[0].endswith("all of them fresh.")


def test_an_empty_collection_lacks_everything_and_says_how_to_get_it(tmp_path: Path) -> None:
    for chapter in make_chapters(ws.create(tmp_path / "uk")):
        assert not chapter.sheets
        assert chapter.missing
        assert all(missing.command.startswith("webstrata ") for missing in chapter.missing)


def test_half_of_the_stages_give_half_of_the_chapters(copied: ws.Collection) -> None:
    for part in ("temporal", "sheet-trajectories", "text_index"):
        copied.parts.remove(part)
    for snapshot in copied:
        for record in snapshot.parts:
            if record.name.startswith(("rank-", "spectrum", "simulation", "sheet-plane")):
                snapshot.parts.remove(record.name)
    chapters = {chapter.name: chapter for chapter in make_chapters(copied)}
    lacking = {name for name, chapter in chapters.items() if chapter.missing}
    assert lacking == {"time", "rank", "spectrum", "search", "classify", "simulate"}
    assert chapters["graph"].sheets


def test_a_part_that_cannot_be_read_is_said_in_its_chapter(copied: ws.Collection) -> None:
    place = copied["2026-02"].parts.path(copied["2026-02"].parts.record("spectrum"))
    (place / "spectrum.json").write_text("spoilt")
    chapters = {chapter.name: chapter for chapter in make_chapters(copied)}
    (missing,) = chapters["spectrum"].missing
    assert "spectrum.json: this file of the part spectrum" in missing.why
    assert "--repair && webstrata build" in missing.why
    assert missing.command == f"webstrata check {copied.path}"
    assert chapters["rank"].sheets


def test_damage_in_a_large_file_that_a_chapter_reads_is_said_with_the_command_that_mends_it(
    copied: ws.Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webstrata.collection.verify.SMALL", 0)  # as if every file were large
    place = copied["2026-02"].parts.path(copied["2026-02"].parts.record("spectrum"))
    path = place / "spectrum.json"
    path.write_bytes(path.read_bytes()[:-1] + b"]")
    chapters = {chapter.name: chapter for chapter in make_chapters(copied)}
    (missing,) = chapters["spectrum"].missing
    assert "spectrum.json: this file of the part spectrum is damaged between byte 0" in missing.why
    assert "`webstrata check" in missing.why


def test_a_chapter_with_an_unexpected_error_is_reported_and_the_others_are_written(
    copied: ws.Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_collection: ws.Collection, _states: object) -> list[Sheet | Missing]:
        raise ValueError("math domain error")

    monkeypatch.setitem(CHAPTERS, "spectrum", ("Spectrum", [fail]))
    chapters = {chapter.name: chapter for chapter in make_chapters(copied)}
    assert chapters["spectrum"].missing[0].why == "unexpected ValueError: math domain error"
    assert chapters["simulate"].sheets
    with pytest.raises(WebstrataError, match=r"chapter spectrum is incomplete .*math domain error") as caught:
        write_report(copied)
    assert caught.value.exit_code == 1
    assert "unexpected ValueError: math domain error" in (copied.path / "reports/report.html").read_text()
