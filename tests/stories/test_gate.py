"""A gate learned from one crawl and asked in another: `classify gate` and `crawl --gate`, as typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from webstrata.cli import run
from webstrata.crawl.run import Crawl
from webstrata.crawl.settings import CrawlSettings

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A month of a small web, crawled, and labels of its hosts."""
    folder = tmp_path_factory.mktemp("gate")
    web = ws.invitro.Web(
        "small",
        seed=7,
        hosts=40,
        pages=300,
        words=60,
        farm_hosts=3,
        spam_share=0.4,
        hosts_per_ip=1,
        failing_share=0,
    )
    quick = CrawlSettings(host_delay=0, ip_delay=0, max_crawl_delay=0, retry_delay=0.01, resolve=False)
    with web.serve(origins=True) as server:
        known = {name: (address, server.port) for name, address in server.addresses().items()}
        snapshot = ws.create(folder / "uk").add("2026-01")
        Crawl(snapshot, quick, seeds=web.home_pages(), hosts=known, parses=False).run()
    hosts = web.hosts()
    rows = [
        f"{name},{'spam' if spam else 'nonspam'}"
        for name, spam, there in zip(hosts["name"], hosts["spam"], hosts["present"], strict=True)
        if there
    ]
    (folder / "labels.csv").write_text("\n".join(["host,label", *rows, "nobody.example,spam"]) + "\n")
    return folder


def test_a_gate_is_learned_told_and_asked(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    uk, labels, gate = str(place / "uk"), str(place / "labels.csv"), str(place / "spam.gate")
    words = ["classify", "gate", uk, "2026-01", "--labels", labels, "--output", gate]
    assert run([*words, "--folds", "2", "--pages", "2", "--max-loss", "0.3"]) == 0
    told = capsys.readouterr()
    assert "nobody.example" in told.err
    assert "labelled hosts are to be refused; AUC on hosts not trained on:" in told.out
    assert "honest lost" in told.out
    assert "spam.gate (" in told.out

    words = ["crawl", uk, "2026-03", "--invitro", "tiny", "--invitro-seed", "7", "--month", "1"]
    words += ["--max-crawl-delay", "20ms", "--no-parse-pages"]
    assert run([*words, "--gate", gate]) == 0
    assert "at the gate: hosts judged" in capsys.readouterr().out
    folder = ws.open(uk)["2026-03"].working_folder("crawl")
    said = [json.loads(line) for line in (folder / "gate.jsonl").read_text().splitlines()]
    report = json.loads((folder / "crawl.json").read_text())
    assert report["gate"]["hosts"] == len(said) > 0
    assert report["settings"]["gate_after"] == 2
    assert all(line["pages"] == 2 and 0 <= line["score"] <= 1 for line in said)


def test_a_bound_that_nothing_can_promise_is_told(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["classify", "gate", str(place / "uk"), "2026-01", "--labels", str(place / "labels.csv")]
    words += ["--output", str(place / "shut.gate"), "--folds", "2", "--pages", "2", "--max-loss", "0.0001"]
    assert run(words) == 0
    assert "refuses nobody: with" in capsys.readouterr().out
    assert run([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["thresholds"] == {"content": None, "links": None}


def test_hosts_of_one_address_may_be_parted(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["classify", "gate", str(place / "uk"), "2026-01", "--labels", str(place / "labels.csv")]
    words += ["--output", str(place / "apart.gate"), "--folds", "2", "--pages", "2", "--json"]
    counts = []
    for together in ("both", "domain"):
        assert run([*words, "--together", together]) == 0
        counts.append(json.loads(capsys.readouterr().out)["hosts"])
    assert counts[0] == counts[1] > 0
    assert run([*words, "--together", "nothing"]) == 2
    assert "must be one of both, domain" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--labels", "none.csv"], "none.csv"),
        (["--labels", "labels.csv", "--task", "news"], "news is not a task of these labels"),
        (["--labels", "labels.csv", "--folds", "30"], "too few for 30 folds"),
    ],
)
def test_what_cannot_be_learned_is_told_in_a_sentence(
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    sentence: str,
) -> None:
    monkeypatch.chdir(place)
    assert run(["classify", "gate", "uk", "2026-01", *words]) == 2
    assert sentence in capsys.readouterr().err


def test_a_crawl_with_a_file_that_is_no_gate_leaves_nothing(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["crawl", str(place / "uk"), "2026-09", "--invitro", "tiny", "--gate", str(place / "labels.csv")]
    assert run(words) == 2
    assert (
        "this is not a gate; run `webstrata classify gate COLLECTION --labels FILE`"
        in capsys.readouterr().err
    )
    assert "2026-09" not in ws.open(place / "uk")
