"""What holds for every verb: help, unknown words, refused places, output that nobody takes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conftest import command_path
from tests.stories.conftest import assert_refused, picture
from webstrata.cli import VERBS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.stories.conftest import Command
    from webstrata.collection import Collection


def test_help_lists_the_verbs_with_an_example(webstrata: Command) -> None:
    for words in (["--help"], ["-h"], []):
        done = webstrata(*words)
        assert (done.returncode, done.stderr) == (0, "")
        assert "Example: webstrata new uk" in done.stdout
        words_shown = " ".join(done.stdout.split())
        for verb, sentence in VERBS.items():
            assert f" {verb} {sentence}" in words_shown


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_the_help_of_a_verb_says_what_it_does_and_shows_an_example(webstrata: Command, verb: str) -> None:
    done = webstrata(verb, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert VERBS[verb] in done.stdout
    assert f"Example: webstrata {verb}" in done.stdout


def test_help_loads_no_verb_and_no_numpy() -> None:
    code = (
        "import sys; from webstrata.cli import run; run(['--help']);"
        "sys.exit(any(name in sys.modules for name in ('numpy', 'rich', 'webstrata.cli.show')))"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL, check=False).returncode == 0
    )


def test_the_version_is_printed(webstrata: Command) -> None:
    assert re.fullmatch(r"webstrata \d+\.\d+\.\d+\n", webstrata("--version").stdout)


@pytest.mark.parametrize(
    ("words", "pattern"),
    [
        (
            ["shwo", "uk"],
            r"^webstrata: unknown command 'shwo'; did you mean show\? \(`webstrata --help` shows how\)$",
        ),
        (["frobnicate"], "unknown command 'frobnicate'; choose one of align, .*temporal"),
        (["import"], r"Missing argument 'COLLECTION' \(`webstrata ingest --help` shows how\)"),
        (["show"], r"Missing argument 'COLLECTION' \(`webstrata show --help` shows how\)"),
        (["show", "uk", "--jsno"], "No such option.*--json.*`webstrata show --help`"),
        (["--verbos"], "No such option.*`webstrata --help`"),
        (["show", "uk", "2026-06", "more"], "unexpected extra argument"),
        (["check", "uk", "--workers"], "requires an argument"),
        (["ls", "uk", "--limit", "two"], "'--limit': 'two' is not a whole number"),
        (["graph", "convert", "uk", "2026-06", "out"], r"Missing option '--format'. Choose from: edges, mtx"),
    ],
)
def test_a_word_that_is_not_known_is_refused_in_one_sentence(
    webstrata: Command, uk: Collection, words: list[str], pattern: str
) -> None:
    assert_refused(webstrata(*words), pattern)
    assert len(uk) == 2


def test_a_group_without_a_command_shows_its_help_and_nothing_else(webstrata: Command) -> None:
    done = webstrata("search")
    assert done.returncode == 2
    assert done.stderr.startswith("Usage: webstrata search ")
    assert done.stderr.rstrip().endswith('Example: webstrata search uk "tropical fish" --at 2026-06')


def test_a_traceback_is_shown_to_those_who_ask(webstrata: Command) -> None:
    done = webstrata("--traceback", "show", "gone")
    assert "Traceback" in done.stderr
    assert "MissingError" in done.stderr


def test_a_reader_that_goes_away_is_no_failure(uk: Collection) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [command_path(), "show", "uk"],
        cwd=uk.path.parent,
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_output_that_finds_no_space_is_said(uk: Collection) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [command_path(), "show", "uk"],
            cwd=uk.path.parent,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert_refused(done, "standard output: no space left to print")


def test_a_terminal_without_unicode_gets_what_it_can_show(webstrata: Command) -> None:
    done = webstrata("--help", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture
def locked_out(uk: Collection) -> Iterator[list[str]]:
    """A command as somebody runs it who may read and write only what permission bits allow."""
    drop = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
    if os.geteuid() != 0:
        yield [command_path()]
    elif shutil.which("setpriv") is None or subprocess.run([*drop, "true"], check=False).returncode != 0:
        pytest.skip(
            "the superuser may do everything, and setpriv, which would change that, does not work here"
        )
    else:
        yield [*drop, command_path()]
    for path in [uk.path, *uk.path.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() else 0o644)


@pytest.mark.parametrize(
    ("closed", "mode", "words", "pattern"),
    [
        ("", 0o000, "show uk", "no permission to read"),
        ("", 0o000, "new uk 2026-07", "no permission to read"),
        ("", 0o000, "demo --output uk", "no permission to read"),
        ("", 0o555, "new uk/sub", "no permission to create"),
        ("collection.toml", 0o000, "show uk", r"collection\.toml: no permission to read"),
        ("snapshots", 0o000, "show uk", "snapshots: no permission to list"),
        ("snapshots", 0o555, "new uk 2026-07", "no permission to create"),
        ("snapshots/2026-06", 0o000, "show uk", "no permission to read"),
        ("snapshots/2026-06", 0o000, "check uk", "no permission to read"),
        ("snapshots/2026-06/manifest.toml", 0o000, "show uk", r"manifest\.toml: no permission to read"),
        ("snapshots/2026-06/.parts", 0o000, "check uk", "no permission to read"),
        ("snapshots/2026-06/.parts/graph.1/a.graph", 0o000, "check uk", r"a\.graph: no permission to read"),
    ],
)
def test_a_place_without_permission_is_said_and_nothing_is_lost(
    uk: Collection, locked_out: list[str], closed: str, mode: int, words: str, pattern: str
) -> None:
    before = picture(uk.path)
    place = uk.path / closed
    was = place.stat().st_mode
    place.chmod(mode)
    done = subprocess.run(
        [*locked_out, *words.split()], cwd=uk.path.parent, capture_output=True, text=True, check=False
    )
    place.chmod(was)
    assert_refused(done, pattern + "; change the permissions or choose another place")
    assert picture(uk.path) == before


def test_a_manifest_that_may_not_be_replaced_is_said(uk: Collection, locked_out: list[str]) -> None:
    folder = uk.path / "snapshots" / "2026-06"
    (folder / "manifest.toml").write_text("spoilt")
    before = picture(uk.path)
    folder.chmod(0o555)
    done = subprocess.run(
        [*locked_out, "check", "uk", "--repair"],
        cwd=uk.path.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    folder.chmod(0o755)
    assert_refused(done, "no permission to write; change the permissions or choose another place")
    assert picture(uk.path) == before
