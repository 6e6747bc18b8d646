"""What `webstrata.testing` gives: ready, small, and of no use to anybody else's example."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from webstrata import testing
from webstrata.archive.warc import read_records
from webstrata.errors import UsageError


def test_the_ready_collection_has_every_usual_part_and_none_is_stale() -> None:
    states = testing.collection().states()
    for label in testing.LABELS:
        for part in ("warc", "pages", "urls", "text", "links", "anchors", *testing.PARTS[:3]):
            assert not states[f"{label}/{part}"].stale, part
    for part in testing.PARTS[3:]:
        assert not states[f"/{part}"].stale, part


def test_what_one_example_does_to_its_copy_reaches_no_other() -> None:
    spoilt = testing.collection()
    for path in spoilt.path.rglob("*"):
        if path.is_file():
            path.write_bytes(b"spoilt")
    shutil.rmtree(testing.snapshot().collection.path)
    assert [hit.url for hit in testing.collection().search("goldfish", at="2026-05")] == [
        "http://garden.example/pond"
    ]
    assert len(testing.snapshot().urls) == 15


def test_the_ready_collection_has_the_story_that_its_page_tells() -> None:
    collection = testing.collection()
    urls = {label: set(collection[label].urls) for label in testing.LABELS}
    assert urls["2026-04"] - urls["2026-05"] == {"http://kitchen.example/bread"}
    assert urls["2026-05"] - urls["2026-04"] == {"http://garden.example/pond"}
    assert urls["2026-06"] - urls["2026-05"] == {"http://news.example/storm", "http://reef.example/storm"}
    assert urls["2026-05"] <= urls["2026-06"]
    june = collection["2026-06"].urls
    answer = june.look_up("http://www.reef.example/")
    assert answer is not None
    assert (answer.url, answer.reason) == ("http://reef.example/", "redirect")
    for url in ("http://garden.example/tomatoes", "http://news.example/"):
        texts = {each.text[each.urls.node(url)].text for each in collection}
        assert len(texts) == 3
    pills = range(june.host("pills.example").start, june.host("pills.example").stop)
    graph = collection["2026-06"].graph
    assert all(int(target) in pills for node in pills for target in graph.successors(node))


def test_a_snapshot_and_a_graph_are_those_of_the_collection() -> None:
    june, alone = testing.collection()["2026-06"], testing.snapshot()
    assert list(june.urls) == list(alone.urls)
    rows = [list(graph.rows()[1]) for graph in (june.graph, alone.graph, testing.graph())]
    assert rows[0] == rows[1] == rows[2]
    assert alone.collection.dates == ["2026-06"]


@pytest.mark.parametrize("label", testing.LABELS)
def test_a_warc_file_has_the_responses_of_its_snapshot(label: str) -> None:
    records = [record for record in read_records(testing.warc(label)) if record.kind == "response"]
    assert {record.url for record in records} == {
        *testing.PAGES[label],
        "http://www.reef.example/",
        "http://kitchen.example/index.html",
    }
    assert all(str(record.get("WARC-Date")).startswith(f"{label}-01T00:00:") for record in records)


def test_pages_of_your_own_become_snapshots_with_the_parts_that_are_named() -> None:
    pages = {"http://a.example/": "<a href=/b>fish</a>", "http://a.example/b": "Fish"}
    uk = testing.collection_of({"2025": pages, "2026-06": pages}, parts=testing.PARTS)
    assert uk.dates == ["2025", "2026-06"]
    assert uk.temporal.num_arcs == 1
    assert next(iter(uk.search("fish", at="2025"))).url == "http://a.example/b"
    assert "graph" not in testing.snapshot_of(pages, parts=()).parts


def test_parts_labels_and_pages_that_do_not_exist_are_refused_in_a_sentence() -> None:
    with pytest.raises(UsageError, match=r"unknown part 'sound'; expected names among graph, "):
        testing.snapshot_of({"http://a.example/": ""}, parts=["sound"])
    with pytest.raises(UsageError, match=r"2026-05 has no pages; give it at least one"):
        testing.collection_of({"2026-05": {}})
    with pytest.raises(UsageError, match=r"no snapshot '2030-01' in the ready collection"):
        testing.warc("2030-01")


def test_everything_is_removed_when_the_process_ends_and_not_by_a_fork_of_it() -> None:
    code = (
        "import os, sys\n"
        "from webstrata import testing\n"
        "folder = testing.scratch()\n"
        "if os.fork() == 0:\n"
        "    sys.exit()\n"
        "os.wait()\n"
        "print(folder.is_dir(), folder)\n"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    was_there, folder = printed.split()
    assert was_there == "True"
    assert not Path(folder).exists()
    assert not Path(folder).parent.exists()


def test_what_a_killed_process_left_is_removed_by_the_next_and_not_what_is_in_use(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom webstrata import testing\nprint(testing.scratch(), flush=True)\nsys.stdin.read()\n"
    )
    environment = os.environ | {"TMPDIR": str(tmp_path)}

    def start() -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [sys.executable, "-c", code], env=environment, stdin=pipe, stdout=pipe, text=True
        )

    def read_folder(process: subprocess.Popen[str]) -> Path:
        assert process.stdout is not None
        return Path(process.stdout.readline().strip())

    with start() as killed, start() as alive:
        folders = [read_folder(killed), read_folder(alive)]
        killed.kill()
        killed.wait()
        assert all(folder.is_dir() for folder in folders)
        with start() as following:
            read_folder(following)
            assert [folder.is_dir() for folder in folders] == [False, True]
            following.communicate("")
        alive.communicate("")
    assert not list(tmp_path.iterdir())
