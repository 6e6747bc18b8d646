"""Every verb on real pages that were ingested: it ends with its exit code, and without a traceback.

Commands are run in this process, so that an error that is not a sentence fails the test with its traceback.
"""

from __future__ import annotations

import json
import shlex
import shutil
import signal
import subprocess
from typing import TYPE_CHECKING
from urllib.request import urlopen

import click
import pytest

from tests.conftest import command_path
from webstrata.cli import VERBS, run, verbs
from webstrata.pipeline import list_stages

if TYPE_CHECKING:
    from pathlib import Path

PAGE = "https://flink.apache.org/downloads.html"
OTHER_SCHEME = "http://flink.apache.org/downloads.html"
READING = {
    "align flink --by learned": "URLs in common",
    "changes flink checkpoint --at 2018-10-23 --limit 3": "flink.apache.org",
    "check docs": "docs is sound",
    "classify features docs 2026-01": "link",
    "classify features flink 2018-10-23": "temporal-link",
    "content extract page.html": "Flink",
    f"diff flink {PAGE} 2016-06-01 2018-10-23": f"+++ {PAGE} 2018-10-23",
    f"diff flink {OTHER_SCHEME} 2016-06-01 2018-10-23 --json": f'"asked": "{OTHER_SCHEME}"',
    "duplicates flink 2018-10-23": "100 pages",
    "duplicates docs 2026-01 --near --method simhash": "near-duplicates",
    "duplicates flink 2018-10-23 --near --across": "near-duplicates",
    "export flink 2018-10-23 --wacz --output site.wacz": "site.wacz",
    "export flink 2018-10-23 --bundle --output bundle": "bundle",
    "export docs 2026-01 --parquet --output captures.parquet": "captures.parquet",
    "export docs 2026-01 --wet --output pages.wet.gz": "pages.wet.gz",
    "export docs 2026-01 --trec --output pages.trec.gz": "pages.trec.gz",
    f"get flink {PAGE} --text": "Flink",
    f"get flink {OTHER_SCHEME} --headers --at 2017": "200 OK",
    "graph build flink 2018-10-23": "100 nodes",
    "graph check flink 2018-10-23": "",
    "graph convert flink 2018-10-23 --format parquet --output site.parquet": "site.parquet",
    f"graph links flink 2018-10-23 {OTHER_SCHEME} --in --anchors": "https://flink.apache.org/",
    "graph stats docs 2026-01": "Bow tie",
    "graph stats flink 2016-06-01 --json": '"warnings"',
    f"history flink {PAGE} --in": "2016-06-01",
    f"history flink {OTHER_SCHEME}": PAGE,
    "index flink": "3 snapshots",
    "ls flink flink.apache.org --host --limit 3": PAGE[:25],
    f"ls flink {OTHER_SCHEME}": PAGE,
    "plane docs 2026-01": "correlator",
    "rank docs 2026-01 --limit 5": "docs.test",
    "rank docs 2026-01 --level host --method cheirank": "6 hosts",
    "rank flink 2018-10-23 --level host": "1 host by pagerank",
    "rank flink --all-snapshots --limit 5": "2018-10-23",
    "report docs": "report.html",
    "run flink --dry-run": "jobs would be done",
    "search docs 'window function' --limit 3": "docs.test",
    "search flink checkpoint --at 2017-08 --json": "flink.apache.org",
    "search compare docs --servers 2 --queries 20": "terms",
    "show flink": "3 snapshots",
    f"similar flink {OTHER_SCHEME} --limit 3": "flink.apache.org",
    "simulate docs 2026-01 --policy breadth-first,random,oracle --relevant query:function --runs 2": "oracle",
    "simulate flink 2018-10-23 --policy opic,in-degree,pagerank --relevant query:stream --clock": "opic",
    "spectrum docs 2026-01 --arnoldi 40": "values have a residual below 1e-06",
    "spectrum flink 2016-06-01 --inverse": "G* at",
    "spectrum flink 2018-10-23 --level host": "N_circ",
    "store flink 2018-10-23": "text, links and anchors",
    "summaries build docs 2026-01": "summaries",
    "summaries stats flink 2018-10-23": "100 summaries",
    f"summaries show flink 2018-10-23 {OTHER_SCHEME}": "download",
    f"table get flink {OTHER_SCHEME} --family http": "200",
    "table scan flink org,apache --limit 2": "org,apache,flink)/",
    "temporal bias flink --replicates 20": "No estimate has an interval",
    "temporal stats flink": "Survival",
}
"""Commands that end well, each with a part of what it prints."""
REFUSED = {
    "classify experiment docs --labels labels.csv": "too few for 5 folds",
    "classify gate docs 2026-01 --labels labels.csv": "too few for 5 folds",
    "classify train docs --labels labels.csv": "too few for 5 folds",
    "crawl report flink 2018-10-23": "its pages were ingested",
    "crawl status flink 2018-10-23": "its pages were ingested",
    "get flink https://nowhere.example/": "was not captured",
    "ingest flink 2018-10-23 site.warc.gz": "",
    "new flink": "",
    "search evaluate flink --queries none.tsv --judgements none.tsv": "none.tsv",
    "temporal stats docs": "no union of snapshots: it takes two, and there is one",
}
"""Commands that a real collection of this kind must refuse with a sentence and exit code 2."""
ELSEWHERE = {
    "completion": "it reads no pages; tests/stories/test_completion.py",
    "demo": "makes a synthetic web of its own",
    "invitro": "serves and describes synthetic webs",
    "links-server": "test_links_are_served",
    "compare-ranks": "needs a web graph release; tests/stories/test_compare_ranks.py",
    "freshness": "needs dates of captures that differ; tests/stories/test_freshness.py",
    "panel": "needs a web graph release; tests/stories/test_panel.py",
    "serve": "tests/stories/test_serve.py",
    "build": "tests/stories/test_build.py; all stages below build the same parts",
    **{
        verb: "changes collections: tests/pipeline/test_life.py and its neighbours"
        for verb in ("merge", "remove", "rename", "split", "takedown")
    },
}
"""Verbs that are not about a collection, or have a test of their own here."""


@pytest.fixture(scope="session")
def place(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the collections for this process, with files that commands need."""
    folder = tmp_path_factory.mktemp("verbs")
    for name in ("flink", "docs"):
        shutil.copytree(built / name, folder / name, symlinks=True)
    labels = "\n".join(
        f"{host}.docs.test,{label}"
        for host, label in zip(
            ("python", "git", "sqlite", "postgres", "cmake", "django"), ("spam", "nonspam") * 3, strict=True
        )
    )
    (folder / "labels.csv").write_text(f"host,label\n{labels}\n")
    (folder / "page.html").write_text("<title>A</title><p>" + "Flink processes streams of data. " * 20)
    return folder


@pytest.mark.parametrize("words", READING)
def test_a_verb_answers_on_real_pages(
    words: str, place: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(place)
    capfd.readouterr()
    code = run(shlex.split(words))
    said = capfd.readouterr()
    assert code == 0, said.err
    assert READING[words].lower() in said.out.lower()
    # ls lists every URL with the same key, and what `align --by learned` joined is one page for history
    if OTHER_SCHEME in words and not words.startswith(("ls", "history")):
        assert f"this is about {PAGE}" in said.err
    assert "Traceback" not in said.err


@pytest.mark.parametrize("words", REFUSED)
def test_what_cannot_be_done_is_refused_in_a_sentence(
    words: str, place: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(place)
    capfd.readouterr()
    assert run(shlex.split(words)) == 2
    said = capfd.readouterr().err.splitlines()[-1]
    assert said.startswith("webstrata: ")
    assert REFUSED[words] in said


def test_a_cell_is_written_and_a_host_is_labelled(
    place: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(place)
    assert run(["table", "put", "flink", PAGE, "scores", "mine", "0.5", "--number"]) == 0
    assert run(["table", "delete", "flink", PAGE, "scores"]) == 0
    done = subprocess.run(
        [command_path(), "classify", "label", "docs", "2026-01", "--labels", "mine.csv", "--pages", "1"],
        cwd=place, input="y\nq\n", capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert ",spam" in (place / "mine.csv").read_text()


def test_a_model_of_few_hosts_is_trained_and_asked_with_warnings(
    place: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(place)
    more = ["--folds", "2", "--library", "small", "--together", "address", "--output", "few.model"]
    assert run(["classify", "train", "docs", "--labels", "labels.csv", *more]) == 0
    assert "warning: computed from 3 positive labels, fewer than 10" in capfd.readouterr().err
    assert run(["classify", "predict", "docs", "2026-01", "--model", "few.model"]) == 0
    said = capfd.readouterr()
    assert "the threshold with the best F1 on hosts not trained on" in said.out
    assert "warning: computed from 3 positive labels, fewer than 10" in said.err


def test_links_are_served(place: Path) -> None:
    process = subprocess.Popen(
        [command_path(), "links-server", "flink", "2018-10-23"],
        cwd=place,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        with urlopen(f"{first.split()[-1]}/links?url={PAGE}&direction=in") as answer:
            assert json.load(answer)["links"]
    finally:
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (0, "")


def test_every_verb_is_run_here() -> None:
    used = {words.split()[0] for words in (*READING, *REFUSED)} | set(ELSEWHERE)
    assert used == set(VERBS)


def test_every_command_of_a_verb_is_run_here() -> None:
    used = {tuple(words.split()[:2]) for words in (*READING, *REFUSED)}
    used |= {("table", "put"), ("table", "delete"), ("classify", "label"), ("classify", "predict")}
    # the labelled pages that it measures with are checked in tests/store/main_content
    used |= {("content", "evaluate"), ("search", "pages")}
    context = click.Context(verbs)
    for verb in set(VERBS) - set(ELSEWHERE) - {"crawl"}:
        command = verbs.get_command(context, verb)
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                assert (verb, name) in used, (verb, name)


@pytest.mark.parametrize("name", ["flink", "docs"])
def test_all_stages_run_on_real_pages(name: str, built: Path, capfd: pytest.CaptureFixture[str]) -> None:
    # math domain error in communities ended it with a traceback after the first spectrum
    assert (built / f"{name}.code").read_text() == "0"
    capfd.readouterr()
    assert run(["run", str(built / name), "--dry-run", "--json"]) == 0
    plan = json.loads(capfd.readouterr().out)["plan"]
    assert {step["stage"] for step in plan} == set(list_stages())
    assert {step["what"] for step in plan if step["state"] == "due"} == set()
    # what is left out needs labels, judgements or a second snapshot
    left = {step["what"].rpartition("/")[2] for step in plan if step["state"] == "left out"}
    asked = {"sheet-experiment", "sheet-evaluation"}
    assert left == asked if name == "flink" else left >= asked


@pytest.mark.parametrize("name", ["flink", "docs"])
def test_a_report_on_ingested_pages_suggests_no_crawl(name: str, built: Path) -> None:
    text = (built / name / "reports" / "report.html").read_text()
    assert "--seeds seeds.txt" not in text
    assert "webstrata crawl" not in text
    assert "Survival" in text or name == "docs"


@pytest.mark.slow
@pytest.mark.parametrize("which", ["flink", "docs"])
def test_all_stages_run_on_the_whole_collections(
    which: str, history: Path, docs: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    place = str(tmp_path / "web")
    assert run(["new", place]) == 0
    files = sorted(history.glob("*.warc.gz")) if which == "flink" else [docs]
    for path in files:
        label = path.name.removesuffix(".warc.gz") if which == "flink" else "2026-01"
        assert run(["ingest", place, label, str(path)]) == 0
    assert run(["run", place]) == 0
    assert "failed: " not in capfd.readouterr().err
