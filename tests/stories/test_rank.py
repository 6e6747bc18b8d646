"""`webstrata rank`, as typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.rank.months import make_months
from webstrata.cli import run
from webstrata.rank import pagerank

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def months(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_months(tmp_path_factory.mktemp("story")).path


def test_the_top_of_a_snapshot_is_shown_with_the_bound_of_its_error(
    months: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["rank", str(months), "2026-01", "--limit", "3", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    snapshot = ws.open(months)["2026-01"]
    wanted = pagerank(snapshot.graph)
    assert [row["url"] if "url" in row else row["name"] for row in document["top"]] == [
        snapshot.urls[place.node] for place in wanted.top(3)
    ]
    assert document["error_bound"] <= 1e-9
    assert run(["rank", str(months), "2026-01", "--method", "hubs", "--limit", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("2026-01: 120 pages by hubs")
    assert len(lines) == 6
    assert run(["rank", str(months), "2026-01", "--level", "domain", "--method", "2drank"]) == 0
    assert "example.uk" in capsys.readouterr().out


def test_a_list_is_followed_through_all_snapshots(
    months: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [f"http://{host}.example.org/{page}" for host in "abc" for page in range(3)]
    followed, outside = tmp_path / "list.txt", tmp_path / "outside.txt"
    followed.write_text("".join(f"{name}\t{'art' if '/0' in name else 'science'}\n" for name in names))
    outside.write_text("\n".join(reversed(names)))
    words = ["rank", str(months), "--all-snapshots", "--list", str(followed), "--against", str(outside)]
    assert run([*words, "--json", "--plots", str(tmp_path / "pictures")]) == 0
    document = json.loads(capsys.readouterr().out)
    for label, snapshot in zip(("2026-01", "2026-02", "2026-03"), document["snapshots"], strict=True):
        ranking = ws.open(months)[label].rank("pagerank")
        urls = ws.open(months)[label].urls
        for member in snapshot["members"]:
            assert member["ranks"]["pagerank"] == ranking.ranks[urls.node(member["name"])]
    assert set(document["trajectories"]) == set(names)
    assert document["overlap"]["pagerank"]["9"] == [9, 9, 9]
    assert len(document["stability"]["pagerank"]) == 2
    assert (tmp_path / "pictures" / "ranks.html").is_file()
    assert run([*words, "--limit", "5"]) == 0
    shown = capsys.readouterr().out
    assert "Shares of categories among the first 5" in shown
    assert "rank-biased overlap" in shown
    assert run(["rank", str(months), "2026-02", "--list", str(followed)]) == 0
    assert "within the local square" in capsys.readouterr().out


def test_the_top_of_one_snapshot_is_followed_through_the_others(
    months: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["rank", str(months), "--all-snapshots", "--limit", "4", "--of", "2026-02", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    ranks = [moves["pagerank"][1] for moves in document["trajectories"].values()]
    assert ranks == [1, 2, 3, 4]


def test_a_surfer_may_prefer_what_a_file_names(
    months: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trusted = tmp_path / "trusted.txt"
    trusted.write_text("http://e.example.uk/5\t2\nhttp://e.example.uk/6\n")
    for method in ("personalized", "trustrank", "hits"):
        words = ["--method", method, "--preference", str(trusted), "--supersource", "200", "--limit", "1"]
        assert run(["rank", str(months), "2026-01", *words]) == 0
        assert "http://e.example.uk/" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("2026-01 --alpha 1.2", "alpha is 1.2, and must be from 0 to 1"),
        ("2026-01 --alpha nan", "alpha"),
        ("2026-01 --method pagerang", "method"),
        ("2026-01 --method trustrank", "--preference"),
        ("2026-01 --list LIST", "1 of 2 names is not there (http://nowhere.org/)"),
        ("2026-01 --preference LIST", "1 of 2 names is not there"),
        ("--all-snapshots --list LIST", "1 of 2 names is not there"),
        ("--all-snapshots --list LIST --of 2026-01", "name one of them"),
        ("--all-snapshots --of 2027-01", "no such snapshot"),
        ("--all-snapshots 2026-01", "name one SNAPSHOT"),
        ("2026-01 --of 2026-01", "--all-snapshots"),
        ("--all-snapshots --against LIST", "name a --list"),
        ("2026-01 --level host --compressed", "take `weighted` away"),
        ("2026-01 --plots pictures", "webstrata plane"),
        ("", "name one SNAPSHOT"),
        ("2030-01", "no snapshot 2030-01"),
    ],
)
def test_what_cannot_be_ranked_is_refused_in_a_sentence(
    months: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: str, said: str
) -> None:
    (tmp_path / "list.txt").write_text("http://nowhere.org/\nhttp://a.example.org/1\n")
    chosen = words.replace("LIST", str(tmp_path / "list.txt")).split()
    assert run(["rank", str(months), *chosen]) == 2
    shown = capsys.readouterr().err
    assert said in shown
    assert shown.count("\n") == 1


def test_unknown_names_are_left_out_where_that_is_asked_for(
    months: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "list.txt").write_text("http://nowhere.org/\nhttp://a.example.org/1\n")
    words = ["rank", str(months), "2026-01", "--list", str(tmp_path / "list.txt"), "--skip-unknown"]
    assert run(words) == 0
    shown = capsys.readouterr()
    assert "left out: http://nowhere.org/" in shown.err
    assert "nowhere" not in shown.out
