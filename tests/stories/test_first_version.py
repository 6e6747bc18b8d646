"""A collection that the program of version 0.1.0 wrote opens, and gives the answers that program gave.

``tests/data/collection-0.1.0.tar.xz`` has three snapshots of the web of `webstrata.testing`, and 57 parts;
``collection-0.1.0.json`` has what 0.1.0 answered. Version 0.1.0 folded pages with equal fingerprints into one
node, so these graphs have a node less than those of today.
"""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import webstrata as ws
from webstrata.collection.check import check_collection
from webstrata.errors import MissingError

if TYPE_CHECKING:
    from collections.abc import Callable

    from webstrata.api import Collection

DATA = Path(__file__).parents[1] / "data"
THEN: dict[str, Any] = json.loads((DATA / "collection-0.1.0.json").read_text())
FISH = "http://reef.example/fish"
NAMES = {"index": "captures", "search": "text_index"}
"""Parts that have another name today."""


def unpack(folder: Path) -> Collection:
    with tarfile.open(DATA / "collection-0.1.0.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return ws.open(folder / "uk")


@pytest.fixture(scope="module")
def uk(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """To be read; a test that builds unpacks its own."""
    return unpack(tmp_path_factory.mktemp("first"))


def ask(run: Callable[..., str], uk: Collection, *words: str) -> Any:  # noqa: ANN401
    verbs = words[:2] if words[0] in {"graph", "temporal", "table"} else words[:1]
    return json.loads(run(*verbs, str(uk.path), *words[len(verbs) :], "--json"))


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    from webstrata.cli import run

    def say(*words: str) -> str:
        assert run(list(words)) == 0, capsys.readouterr().err
        return capsys.readouterr().out

    return say


def test_every_file_is_as_it_was_written_and_every_part_opens(uk: Collection) -> None:
    assert not check_collection(uk).damage
    opened = []
    for label, holder in (("", uk), *((snapshot.date, snapshot) for snapshot in uk)):
        for record in holder.parts:
            assert record.version == "0.1.0"
            with holder.open_part(record.name):
                opened.append(f"{label}/{record.name}")
    then = {f"{label}/{NAMES.get(name, name)}" for label, name in (p.split("/") for p in THEN["parts"])}
    assert set(opened) == then


def test_tables_of_all_parts_but_summaries_are_read(uk: Collection) -> None:
    for snapshot in uk:
        nodes = len(snapshot.urls)
        for name in ("pages", "urls", "captures", "text", "links", "anchors", "graph", "host_graph"):
            assert getattr(snapshot, name).to_arrow().num_rows > 0, name
        assert snapshot.graph.num_nodes == len(snapshot.text) == nodes
        with pytest.raises(MissingError, match=r"built by an earlier version \(format 1, now 3\).*summaries"):
            _ = snapshot.summaries


def test_captures_and_pages_are_those_of_then(uk: Collection, run: Callable[..., str]) -> None:
    names = ("snapshot", "key", "timestamp", "url", "status", "mime", "digest", "filename", "offset")
    found = ask(run, uk, "ls", "reef.example", "--host")
    assert [[row[name] for name in names] for row in found] == THEN["captures"]
    assert run("get", str(uk.path), FISH) == THEN["body"]
    assert run("get", str(uk.path), FISH, "--text") == THEN["text"]
    tomatoes = "http://garden.example/tomatoes"
    assert ask(run, uk, "diff", "2026-05", "2026-06", tomatoes)["lines"] == THEN["diff"]["lines"]
    assert ask(run, uk, "table", "get", FISH)["families"] == THEN["table"]["families"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("pagerank", ("2026-06",)),
        ("cheirank", ("2026-04", "--method", "cheirank")),
        ("hosts", ("2026-06", "--level", "host")),
    ],
)
def test_stored_scores_are_read_and_not_computed(
    uk: Collection, run: Callable[..., str], name: str, words: tuple[str, ...]
) -> None:
    found = ask(run, uk, "rank", *words, "--limit", "20")["top"]
    assert [[row[key] for key in ("rank", "node", "name", "score")] for row in found] == THEN[name]


def test_links_and_history_are_those_of_then(uk: Collection, run: Callable[..., str]) -> None:
    for name, words in (("outlinks", ()), ("inlinks", ("--in",))):
        assert ask(run, uk, "graph", "links", "2026-06", FISH, *words)["links"] == THEN[name]["links"]
    # without words, since summaries have another format
    found = ask(run, uk, "history", FISH, "--in")
    assert found["snapshots"] == THEN["history"]["snapshots"]
    for way in ("outlinks", "inlinks"):
        assert [[link["url"], link["snapshots"]] for link in found[way]] == THEN["history"][way]
    assert found["changes"] is None


def test_the_union_and_the_spectrum_are_those_of_then(uk: Collection, run: Callable[..., str]) -> None:
    found = ask(run, uk, "temporal", "stats")
    assert {name: found[name] for name in THEN["temporal"]} == THEN["temporal"]
    assert "no survival curves" in found["warnings"][0]
    with uk["2026-06"].open_part("spectrum") as part:
        from webstrata.rank.spectra.result import open_spectrum

        spectrum = open_spectrum(part.path).to_dict()
    assert spectrum["table"] == THEN["spectrum"]
    assert spectrum["core"]["leading"] == THEN["leading"]


def test_similar_pages_are_as_similar_as_then(uk: Collection, run: Callable[..., str]) -> None:
    found = {page["url"]: page["similarity"] for page in ask(run, uk, "similar", FISH)["pages"]}
    assert found == THEN["similar"]


def test_the_command_line_shows_what_is_stale_and_why(uk: Collection, run: Callable[..., str]) -> None:
    said = run("show", str(uk.path))
    assert "text_index is stale: 2026-04/text" in said
    assert "written by an earlier version (format 1, now 3)" in said
    assert "2026-06/pages follows the rule of 0.1.0" in said
    plan = {(row["what"], row["state"]) for row in ask(run, uk, "run", "--dry-run")["plan"]}
    assert {("/text_index", "due"), ("2026-06/summaries", "due"), ("2026-06/text", "due")} <= plan
    assert ("2026-06/links", "missing") not in plan


def test_the_text_index_is_refused_with_the_command_that_builds_it(
    uk: Collection, capsys: pytest.CaptureFixture[str]
) -> None:
    from webstrata.cli import run

    assert run(["search", str(uk.path), "tropical fish"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert said.rstrip().endswith(f"run `webstrata build {uk.path} text_index`")


def test_what_has_a_new_format_is_built_from_what_is_there(tmp_path: Path, run: Callable[..., str]) -> None:
    uk = unpack(tmp_path)
    # settings of then are given again: 0.1.0 did not keep them in the collection
    run("build", str(uk.path), "summaries", "--min-df", "1")
    run("build", str(uk.path), "text_index")
    found = ask(run, uk, "search", "tropical fish")
    assert next(hit["url"] for hit in found["hits"]) == THEN["search"][0]
    assert {hit["url"] for hit in found["hits"]} == set(THEN["search"])
    terms = json.loads(run("summaries", "show", str(uk.path), "2026-06", FISH, "--json"))
    assert {row["term"] for row in terms["terms"]} & {row["term"] for row in THEN["summary"]["terms"]}
    # the numbers of nodes are kept: nothing that was written stops to fit
    assert terms["node"] == THEN["summary"]["node"]
    for snapshot in uk:
        assert snapshot.graph.num_nodes == len(snapshot.urls)
