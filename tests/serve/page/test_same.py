"""The command and the Python call on a page run, and give what the page shows."""

from __future__ import annotations

import shlex
import subprocess
from typing import Any

import pytest

import webstrata as ws
from tests.serve.page.served import ask
from tests.serve.page.test_app import PAGE, PAGES, to_json
from webstrata import testing
from webstrata.cli import run
from webstrata.serve.page.plane import show_spectrum
from webstrata.serve.page.site import Site

MORE = (
    "search?q=fish&host=reef.example&language=en&fold=true&from=2026-04&to=2026-05", f"page/{PAGE}?view=host",
    f"page/{PAGE}?view=diff&before=2026-04&source=true", f"graph?of={PAGE}&direction=in", "home",
    "changes?q=storm&from=2026-04&to=2026-06&method=none", "ranks?method=cheirank&at=2026-05",
)  # fmt: skip


COMPUTED = ("spectrum",)
"""Pages of parts that the ready collection lacks: their commands build them, on one of their own."""


@pytest.mark.parametrize("path", [path for path in (*PAGES, *MORE) if path not in COMPUTED])
def test_the_command_and_the_call_of_every_page_run(
    url: str, path: str, ready: ws.Collection, capsys: pytest.CaptureFixture[str]
) -> None:
    document = ask(f"{url}/{to_json(path) if path != 'home' else 'home.json'}").json
    for command in document["made_by"].split(" && "):
        if "<<<" in command:
            done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
            assert (done.returncode, done.stderr) == (0, "")
            continue
        assert run(shlex.split(command)[1:]) == 0, command
        assert capsys.readouterr().out.strip()
    assert evaluate(document["python"]) is not None
    assert str(ready.path) in document["python"]


def test_the_command_and_the_call_of_the_spectrum_compute_it(capsys: pytest.CaptureFixture[str]) -> None:
    snapshot = testing.snapshot()
    view = show_spectrum(Site(snapshot.collection, "uk"))
    assert run(shlex.split(view.command)[1:]) == 0
    assert capsys.readouterr().out.strip()
    assert evaluate(view.python).table()


def evaluate(call: str) -> Any:  # noqa: ANN401
    return eval(call, {"webstrata": ws})


def test_the_call_of_the_search_page_gives_its_results(url: str) -> None:
    document = ask(f"{url}/search.json?q=fish+soup&at=2026-06&host=reef.example").json
    assert [row["url"] for row in document["rows"]] == [hit.url for hit in evaluate(document["python"])]


def test_the_call_of_the_ranks_page_gives_its_ranks(url: str) -> None:
    document = ask(f"{url}/ranks.json?method=cheirank&at=2026-05").json
    ranking = evaluate(document["python"])
    assert [row["name"] for row in document["rows"]] == [ranking.place(node).name for node in ranking.order]


def test_the_call_of_a_difference_gives_its_lines(url: str) -> None:
    document = ask(f"{url}/page.json/{PAGE}?view=diff&before=2026-04").json
    found = evaluate(document["python"])
    shown = [(row["mark"], "".join(piece for piece, _ in row["pieces"])) for row in document["rows"]]
    changed_lines = [(change.mark, change.text) for change in found.changes]
    assert sorted(shown) == sorted(changed_lines)


def test_the_calls_of_the_graph_page_give_its_neighbours(url: str) -> None:
    document = ask(f"{url}/graph.json?of={PAGE}").json
    found = {row["url"] for rows in evaluate(document["python"]) for row in rows.rows}
    assert {row["name"] for row in document["rows"]} == found - {PAGE}


def test_the_call_of_the_text_gives_the_text(url: str) -> None:
    document = ask(f"{url}/page.json/{PAGE}?view=text&at=2026-05").json
    assert [row["text"] for row in document["rows"]] == evaluate(document["python"]).splitlines()


def test_the_call_of_the_ranks_of_a_page_gives_its_ranks(url: str) -> None:
    document = ask(f"{url}/page.json/{PAGE}?view=ranks").json
    found = evaluate(document["python"])
    shown = [row["rank"] for row in document["rows"] if row["method"] == "pagerank"]
    assert shown == [moment.members[0].ranks["pagerank"] for moment in found.moments]
