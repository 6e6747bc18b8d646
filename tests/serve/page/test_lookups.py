"""What scripts and forms of pages ask for."""

from __future__ import annotations

from urllib.parse import quote

from tests.serve.page.served import ask

POND = "http://garden.example/pond"


def test_neighbours_are_told_with_the_arcs_among_them(url: str) -> None:
    found = ask(f"{url}/neighbours.json?of={POND}").json
    assert found["rows"][0]["name"] == POND
    assert {len(arc) for arc in found["arcs"]} == {4}
    assert found["made_by"].endswith(f"graph links {found['made_by'].split()[3]} 2026-06 {POND}")


def test_pages_of_a_cell_are_those_that_the_plane_counts(url: str) -> None:
    rows = ask(f"{url}/plane.json").json["rows"]
    for row in rows[:5]:
        cell = ask(f"{url}/cell.json?x={row['pagerank']}&y={row['cheirank']}").json
        assert cell["total"] == row["nodes"]
        assert len(cell["rows"]) == min(row["nodes"], 8)
    empty = ask(f"{url}/cell.json?x=0&y=10000").json
    assert (empty["rows"], empty["total"]) == ([], 0)


def test_a_page_is_marked_in_the_plane(url: str) -> None:
    found = ask(f"{url}/plane.json?find=reef.example").json["found"]
    assert (found["url"], found["pagerank"]) == ("http://reef.example/", 1)
    page = ask(f"{url}/plane?find=reef.example").text
    assert 'class="spot"' in page
    missing = ask(f"{url}/plane?find={quote('http://reef.example/none')}")
    assert missing.status == 404
    assert "reef.example" in missing.text


def test_wrong_parameters_are_refused(url: str) -> None:
    for path in ("neighbours.json", "neighbours.json?of=x&limit=0", "cell.json?x=1", "cell.json?x=-1&y=0"):
        assert ask(f"{url}/{path}", Accept="application/json").status == 422, path
