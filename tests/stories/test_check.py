"""`webstrata check`, as typed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conftest import command_path
from tests.stories.conftest import assert_refused, picture
from webstrata.collection import Collection
from webstrata.collection.manifest import read_manifest

if TYPE_CHECKING:
    from tests.stories.conftest import Command


def test_a_sound_collection_is_said_to_be_sound(webstrata: Command, uk: Collection) -> None:
    done = webstrata("check", "uk")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "uk is sound: 2 parts, 2 files, 1008 B.\n"
    document = json.loads(webstrata("check", "uk", "--json").stdout)
    assert document == {"parts": 2, "files": 2, "bytes": 1008, "damage": [], "notes": []}
    assert len(uk) == 2


def test_damage_is_named_with_what_to_do(webstrata: Command, uk: Collection) -> None:
    (uk.path / "snapshots" / "2026-06" / "graph" / "a.graph").write_bytes(b"spoilt")
    done = webstrata("check", "uk")
    assert_refused(done, r"uk: 1 damaged \(2026-06/graph\); see above")
    assert done.stdout == (
        "damaged: 2026-06/graph: a.graph is damaged (its content has another SHA-256); "
        "run `webstrata build uk 2026-06 graph`\n"
    )
    done = webstrata("check", "uk", "--json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["damage"][0]["where"] == "2026-06/graph"


def test_repair_makes_a_damaged_manifest_again_and_keeps_it(webstrata: Command, uk: Collection) -> None:
    manifest = uk.path / "snapshots" / "2026-06" / "manifest.toml"
    before = read_manifest(manifest)
    manifest.write_bytes(manifest.read_bytes()[:300])
    assert_refused(webstrata("check", "uk"), r"1 damaged \(uk/snapshots/2026-06/manifest\.toml\)")
    done = webstrata("check", "uk", "--repair")
    assert (done.returncode, done.stderr) == (0, "")
    assert "made again with 2 parts, and kept the damaged one as manifest.toml.damaged1" in done.stdout
    assert read_manifest(manifest) == before
    assert len(manifest.with_name("manifest.toml.damaged1").read_bytes()) == 300
    assert webstrata("show", "uk").returncode == 0


def test_a_repair_on_a_full_disk_loses_nothing(webstrata: Command, uk: Collection) -> None:
    manifest = uk.path / "snapshots" / "2026-06" / "manifest.toml"
    manifest.write_bytes(manifest.read_bytes()[:300])
    before = picture(uk.path)
    for after in (0, 300):
        done = webstrata("check", "uk", "--repair", faults=f"no-space after={after}")
        assert_refused(done, "no space left to write")
        after_it = picture(uk.path)
        assert {name: after_it[name] for name in before} == before
    assert webstrata("check", "uk", "--repair").returncode == 0


HOLD = """
import sys
from webstrata.collection import Collection
with Collection.open("uk")["2026-06"].write_part("urls") as build:
    (build.path / "a").write_text("new")
    print("building", flush=True)
    sys.stdin.read()
"""


def start_writer(folder: Path) -> subprocess.Popen[str]:
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "building\n"
    return child


def test_a_second_writer_is_told_who_writes(webstrata: Command, uk: Collection, tmp_path: Path) -> None:
    child = start_writer(tmp_path)
    manifest = uk.path / "snapshots" / "2026-06" / "manifest.toml"
    whole = manifest.read_text()
    manifest.write_text("spoilt")
    done = webstrata("check", "uk", "--repair")
    assert_refused(done, rf"2026-06: process {child.pid} \(-c\) has been writing here since .*wait until")
    manifest.write_text(whole)
    child.communicate()
    assert webstrata("check", "uk").stdout.startswith("uk is sound: 3 parts")


def test_the_lock_of_a_killed_process_is_taken_over_and_said(
    webstrata: Command, uk: Collection, tmp_path: Path
) -> None:
    child = start_writer(tmp_path)
    child.kill()
    child.communicate()
    (uk.path / "snapshots" / "2026-06" / "manifest.toml").write_text("spoilt")
    done = webstrata("check", "uk", "--repair")
    assert done.returncode == 0
    assert f"took over the lock of process {child.pid} (-c), which died while writing" in done.stderr
    assert "a build was interrupted; start it again" in done.stdout


def test_a_reader_needs_no_lock_and_keeps_what_it_opened(
    webstrata: Command, uk: Collection, tmp_path: Path
) -> None:
    snapshot = uk["2026-06"]
    with snapshot.open_part("graph") as part:
        for number in range(3):
            with Collection.open(uk.path)["2026-06"].write_part("graph") as build:
                (build.path / "a.graph").write_text(str(number))
        assert (part.path / "a.graph").read_bytes() == bytes(1000)
        child = start_writer(tmp_path)
        assert "is building it" in webstrata("check", "uk").stdout
        assert webstrata("show", "uk").returncode == 0
        child.communicate()


@pytest.mark.parametrize(
    ("words", "variables", "pattern"),
    [
        (["--workers", "-1"], {}, "--workers is -1, and must be 0 or more"),
        (["--workers", "two"], {}, "--workers is 'two', and a whole number was expected"),
        (
            [],
            {"WEBSTRATA_RESOURCES_WORKERS": "x"},
            "environment variable WEBSTRATA_RESOURCES_WORKERS: workers",
        ),
        (
            [],
            {"WEBSTRATA_RESOURCES_WORKRES": "2"},
            "WEBSTRATA_RESOURCES_WORKRES is not a variable.*known are WEBSTRATA_RESOURCES_WORKERS",
        ),
    ],
)
def test_a_setting_that_cannot_be_is_refused(
    webstrata: Command, uk: Collection, words: list[str], variables: dict[str, str], pattern: str
) -> None:
    assert_refused(webstrata("check", "uk", *words, **variables), pattern)
    assert len(uk) == 2


def test_an_unknown_setting_in_a_file_is_refused_with_the_known_ones(
    webstrata: Command, uk: Collection
) -> None:
    file = uk.path / "collection.toml"
    file.write_text(file.read_text().replace("[resources]\n", "[resources]\nworkres = 2\n"))
    pattern = (
        r"collection\.toml, \[resources\]: workres is not a setting.*did you mean workers.*known are workers"
    )
    assert_refused(webstrata("check", "uk"), pattern)


def start_long_check(uk: Collection) -> subprocess.Popen[str]:
    """A check that is busy with a file that no disk holds."""
    with (uk.path / "snapshots" / "2026-06" / "graph" / "a.graph").open("r+b") as stream:
        stream.truncate(1 << 40)
    child = subprocess.Popen(
        [command_path(), "check", "uk"], cwd=uk.path.parent, stderr=subprocess.PIPE, text=True
    )
    # it reads: the kernel has the file open
    descriptors = Path(f"/proc/{child.pid}/fd")
    while not any(_target(path).endswith("a.graph") for path in descriptors.iterdir()):
        time.sleep(0.01)
    return child


def _target(path: Path) -> str:
    try:
        return str(path.readlink())
    except FileNotFoundError:
        return ""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_long_check_with_130_and_one_sentence(uk: Collection, number: signal.Signals) -> None:
    child = start_long_check(uk)
    os.kill(child.pid, number)
    _, stderr = child.communicate()
    assert child.returncode == 130
    assert stderr.strip().startswith("webstrata: interrupted; ")
    assert len(stderr.strip().splitlines()) == 1


def test_the_digests_of_stored_records_are_verified(webstrata: Command, tmp_path: Path) -> None:
    from tests.store.warcs import pack, response

    (tmp_path / "a.warc.gz").write_bytes(pack(response("http://a.uk/", b"<p>a", payload="md5:00")))
    webstrata("new", "nl")
    refused = webstrata("ingest", "nl", "2026-06", str(tmp_path / "a.warc.gz"), "--strict")
    assert_refused(refused, r"a.warc.gz, byte 0 .*http://a.uk/.*WARC-Payload-Digest is md5:00")
    assert not Path("nl/snapshots/2026-06").exists()
    told = webstrata("ingest", "nl", "2026-06", str(tmp_path / "a.warc.gz")).stdout
    assert "wrong digest: " in told
    done = webstrata("check", "nl", "--fixity")
    assert done.returncode == 0
    assert "note: known since the ingest: 2026-06/a.warc.gz, byte 0" in done.stdout
    document = json.loads(webstrata("check", "nl", "--fixity", "--json").stdout)
    assert (document["digests"], len(document["known"]), document["mismatches"]) == (2, 1, [])
    listed = json.loads(webstrata("ls", "nl", "2026-06", "--records", "--json").stdout)
    assert [(row["kind"], row["url"]) for row in listed] == [("response", "http://a.uk/")]
