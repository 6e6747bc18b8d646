"""Named parts are built with what they are made from, and their options are remembered."""

from __future__ import annotations

import pytest

import webstrata as ws
from webstrata import testing
from webstrata.collection.progress import Progress
from webstrata.errors import DateError, MissingError, SettingError, UsageError
from webstrata.graph.settings import GraphSettings
from webstrata.pipeline.build import build_parts, choose_settings


class Notes(Progress):
    """Keeps what is said."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def note(self, text: str) -> None:
        self.said.append(text)


def test_inputs_are_built_first_and_what_is_fresh_is_left_alone() -> None:
    uk = testing.collection()
    for snapshot in uk:
        snapshot.parts.remove("graph")
    uk.parts.remove("temporal")
    assert list(build_parts(uk, ["temporal"])) == [
        "2026-04/graph",
        "2026-05/graph",
        "2026-06/graph",
        "/temporal",
    ]
    assert build_parts(uk, ["temporal"]) == {}
    assert list(build_parts(uk, ["temporal"], again=True)) == ["/temporal"]


def test_an_option_holds_for_the_next_build_and_for_the_command_line() -> None:
    uk = testing.collection()
    notes = Notes()
    assert list(uk["2026-06"].build("graph", window=3, progress=notes)) == ["2026-06/graph"]
    assert notes.said[-1] == "replacing the stored graph of 2026-06: window was 7, is 3"
    again = ws.open(uk.path)
    assert again["2026-06"].build("graph") == {}
    assert again.states()["2026-05/graph"].changed == {"window": (7, 3)}
    assert sorted(again.build("graph")) == ["2026-04/graph", "2026-05/graph"]


def test_a_plain_command_does_not_replace_a_better_result() -> None:
    # settings were forgotten: a plain `align` replaced a learned union by a static one
    uk = testing.collection()
    uk.build("temporal", by="learned")
    settings = choose_settings(ws.open(uk.path), "temporal", {})
    assert settings.by == "learned"
    notes = Notes()
    assert choose_settings(uk, "temporal", {"by": "static"}, progress=notes).by == "static"
    assert notes.said[-1] == "replacing the stored temporal: by was learned, is static"


def test_resources_are_used_and_not_remembered() -> None:
    uk = testing.collection()
    before = (uk.path / "collection.toml").read_bytes()
    assert uk["2026-06"].build("graph", memory="64MiB") == {}
    assert choose_settings(uk["2026-06"], "graph", {"memory": "64MiB"}).memory == 64 << 20
    assert (uk.path / "collection.toml").read_bytes() == before
    assert uk.settings(GraphSettings).memory == 1 << 30


def test_what_cannot_be_built_is_refused_in_a_sentence() -> None:
    uk = testing.collection()
    with pytest.raises(UsageError, match=r"grahp is not a part .did you mean graph"):
        uk.build("grahp")
    with pytest.raises(UsageError, match="warc: this part comes with pages; crawl or ingest them"):
        uk.build("warc")
    with pytest.raises(SettingError, match=r"wnidow is not a setting of these parts .did you mean window"):
        uk.build("graph", wnidow=3)  # type: ignore[call-arg]
    with pytest.raises(MissingError, match="no snapshot 2030-01"):
        uk.build("graph", snapshots=["2030-01"])
    with pytest.raises(DateError, match="no snapshots; crawl or ingest one first"):
        testing.empty().build("graph")
    uk["2026-06"].parts.remove("urls")
    with pytest.raises(MissingError, match=r"2026-06/graph: 2026-06/urls is missing"):
        uk["2026-06"].build("graph", again=True, window=3)
    # an option of a build that failed is not remembered
    assert ws.open(uk.path).settings(GraphSettings).window == 7


def test_an_option_is_stronger_than_the_environment_and_that_than_the_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    uk = testing.collection()
    june = uk["2026-06"]

    def window() -> int:
        return int(june.parts.record("graph").settings["window"])

    assert window() == GraphSettings().window == 7
    june.build("graph", window=3)  # stored in the file
    assert (window(), june.settings(GraphSettings).window) == (3, 3)
    monkeypatch.setenv("WEBSTRATA_GRAPH_WINDOW", "5")
    june.build("graph")
    assert window() == 5
    june.build("graph", window=2)
    assert window() == 2
    monkeypatch.delenv("WEBSTRATA_GRAPH_WINDOW")
    assert not june.build("graph")
    assert june.settings(GraphSettings).window == 2


def test_a_method_that_stores_a_result_says_what_it_replaces_and_remembers_its_settings() -> None:
    uk = testing.collection()
    june, notes = uk["2026-06"], Notes()
    june.spectrum(arnoldi=10)
    june.spectrum(arnoldi=5, progress=notes)
    assert "replacing the stored spectrum of 2026-06: arnoldi was 10, is 5" in notes.said
    assert june.rank("pagerank", alpha=0.9, progress=notes).settings["alpha"] == 0.9
    assert "replacing the stored rank-pagerank of 2026-06: alpha was 0.85, is 0.9" in notes.said
    assert ws.open(uk.path)["2026-06"].rank("pagerank").settings["alpha"] == 0.9
    plan = ws.open(uk.path).run(first="spectrum", last="spectrum", dry_run=True)
    assert [row["why"] for row in plan if row["what"] == "2026-06/spectrum"] == [""]
