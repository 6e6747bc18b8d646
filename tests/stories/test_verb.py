"""One grammar: what all verbs have in common, and old spellings, which work with a note."""

from __future__ import annotations

import json
import os
import pty
import shutil
import struct
import subprocess
import sys
from fcntl import ioctl
from termios import TIOCSWINSZ
from typing import TYPE_CHECKING

import click
import pytest

import webstrata as ws
from tests.conftest import command_path
from tests.stories.conftest import assert_refused
from webstrata import testing
from webstrata.cli import TASKS, VERBS, run, verbs
from webstrata.cli.output import lay_out_table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.stories.conftest import Command

FISH, TOMATOES = "http://reef.example/fish", "http://garden.example/tomatoes"


@pytest.fixture
def place(tmp_path: Path) -> str:
    """Three months of a small collection, with graphs, union and text index."""
    return str(shutil.copytree(testing.collection().path, tmp_path / "uk", symlinks=True))


def walk(command: click.Command, context: click.Context) -> Iterator[click.Command]:
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from walk(found, context)
    else:
        yield command


def test_every_verb_has_a_task() -> None:
    listed = [verb for task in TASKS.values() for verb in task]
    assert sorted(listed) == sorted(VERBS)


def test_every_command_can_be_quiet_and_verbose() -> None:
    for command in walk(verbs, click.Context(verbs)):
        options = {name for one in command.params for name in one.opts}
        assert {"-q", "--quiet", "-v", "--verbose"} <= options, command.name


@pytest.mark.parametrize("path", ["crawl.start", "invitro.serve"])
def test_every_option_of_a_long_help_has_a_section(path: str) -> None:
    import importlib

    command = importlib.import_module(f"webstrata.cli.{path}").command
    placed = [name for names in command.sections.values() for name in names]
    options = {one.name for one in command.params if isinstance(one, click.Option)}
    assert len(placed) == len(set(placed))
    assert options - set(placed) == {"as_json", "quiet", "verbose"}
    assert set(placed) <= options


def test_every_count_of_printed_rows_is_called_limit() -> None:
    for command in walk(verbs, click.Context(verbs)):
        names = {name for one in command.params for name in one.opts}
        assert not names & {"--top", "--into", "--since"}, command.name
        for one in command.params:
            if one.opts[0] in ("--at", "--from", "--to") and command.name != "ingest":
                assert one.type.name == "date", command.name


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        (
            ["diff", TOMATOES, "2026-05", "2026-06"],
            ["diff", "2026-05", "2026-06", TOMATOES],
            "order of arguments",
        ),
        (
            ["similar", FISH, "--top", "2"],
            ["similar", FISH, "--limit", "2"],
            "--top is deprecated; use --limit",
        ),
        (["similar", FISH, "2026-05"], ["similar", "2026-05", FISH], "order of arguments"),
        (["get", TOMATOES, "2026-05"], ["get", "2026-05", TOMATOES], "order of arguments"),
        (["rank", "2026-06", "--top=2"], ["rank", "2026-06", "--limit", "2"], "--top is deprecated"),
        (["changes", "fish", "--since", "2026-04"], ["changes", "fish", "--from", "2026-04"], "use --from"),
        (["table scan", "--from", "example,r"], ["table scan", "--start", "example,r"], "use --start"),
        (["run", "--to", "graph", "--dry-run"], ["run", "--last", "graph", "--dry-run"], "use --last"),
        (["graph check", "--snapshot", "2026-06"], ["graph check", "2026-06"], "--snapshot is deprecated"),
    ],
)
def test_an_old_spelling_works_with_a_note(
    place: str, capfd: pytest.CaptureFixture[str], old: list[str], new: list[str], note: str
) -> None:
    def call(words: list[str]) -> tuple[str, str]:
        assert run([*words[0].split(), place, *words[1:]]) == 0
        return capfd.readouterr()

    said, noted = call(old)
    assert noted.startswith("note: ")
    assert note in noted.splitlines()[0]
    now, silent = call(new)
    assert said == now
    assert silent == "" or note not in silent
    assert call([*old, "--quiet"]) == (now, "")


def test_a_date_means_the_same_in_every_verb(place: str, capfd: pytest.CaptureFixture[str]) -> None:
    questions = {
        "get": [place, FISH, "--json"],
        "search": [place, "fish", "--json"],
        "similar": [place, FISH, "--json"],
        "changes": [place, "fish", "--json"],
    }

    def ask(verb: str, at: str) -> object:
        code = run([verb, *questions[verb], "--at", at])
        out = capfd.readouterr().out
        if code:
            return code
        document = json.loads(out)
        name = {"search": "snapshots", "changes": "after"}.get(verb, "snapshot")
        return [document[name]] if isinstance(document[name], str) else document[name]

    for verb in questions:
        assert ask(verb, "2026-05-20") == ["2026-05"], verb
        assert ask(verb, "2030") == ["2026-06"], verb
        assert ask(verb, "2025") == 2, verb
        assert ask(verb, "2026-13") == 2, verb
    assert run(["table", "get", place, FISH, "--at", "2030"]) == 0
    assert run(["table", "get", place, FISH, "--at", "2025"]) == 2
    assert run(["table", "get", place, FISH, "--at", "2026-13"]) == 2


def test_an_impossible_date_is_refused_with_its_option(webstrata: Command, place: str) -> None:
    for words in (
        ["get", place, FISH, "--at"],
        ["ls", place, FISH, "--from"],
        ["search", place, "a", "--to"],
    ):
        pattern = f"'{words[-1]}': '2026-99' is not a date; write it as 2026, 2026-06, 2026-06-12"
        assert_refused(webstrata(*words, "2026-99"), pattern)


def test_errors_name_the_option_as_it_is_typed(webstrata: Command, place: str) -> None:
    words = ["crawl", place, "2026-07", "--invitro"]
    assert_refused(webstrata(*words, "tiny", "--host-delay", "4x"), "^webstrata: --host-delay is '4x'")
    assert_refused(
        webstrata(*words, "tinny"), r"^webstrata: --invitro: tinny is not a preset \(did you mean tiny"
    )
    assert_refused(webstrata("rank", place, "2026-06", "--limit", "0"), "^webstrata: --limit is 0")


def test_a_snapshot_and_a_date_contradict_each_other(webstrata: Command, place: str) -> None:
    words = ["2026-05", FISH, "--at", "2026-06"]
    for verb in ("get", "similar"):
        assert_refused(webstrata(verb, place, *words), "SNAPSHOT and --at both say when")


def test_what_is_not_a_url_is_refused(webstrata: Command, place: str) -> None:
    for word in ("not-a-url", "http://", "//reef.example/"):
        assert_refused(webstrata("get", place, word), "is not a URL; write it with its scheme and host")


def test_the_top_through_all_snapshots_is_listed(place: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["rank", place, "--all-snapshots", "--limit", "3"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[0].startswith("The top 3 of 2026-06 by pagerank")
    assert lines[2].split() == ["page", "2026-04", "2026-05", "2026-06"]
    assert [line.split()[-1] for line in lines[3:6]] == ["1", "2", "3"]


def test_a_comparison_of_partitions_leaves_nothing_behind(place: str) -> None:
    from webstrata.search.distributed.partitions import build_partition

    build_partition(ws.open(place), "terms", 3)
    before = {record.name: record.counts.get("parts") for record in ws.open(place).parts}
    assert run(["search", "compare", place, "--servers", "2", "--queries", "5", "--json"]) == 0
    assert {record.name: record.counts.get("parts") for record in ws.open(place).parts} == before


def test_the_report_of_a_resumed_crawl_separates_all_runs_from_this_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    from collections import Counter

    from webstrata.cli.crawl.start import _show
    from webstrata.crawl.results import CrawlResult

    counters = Counter(pages=90, duplicates=5, hosts=12, captures=106, requests=34)
    _show(CrawlResult("exhausted", 1.0, counters, pages_before=60), "uk 2026-06")
    first, *lines = capsys.readouterr().out.splitlines()
    assert first.startswith(
        "uk 2026-06: 90 pages (5 duplicates) of 12 hosts in all; 30 of them in this run, in 1.0 s, 30 pages/s"
    )
    assert [line.split() for line in lines[:4]] == [
        ["This", "run"],
        [],
        ["what", "number"],
        ["requests", "34"],
    ]
    assert "captures stored, in all runs     106" in lines
    _show(CrawlResult("exhausted", 3.0, counters), "uk 2026-06")
    assert "This run" not in capsys.readouterr().out


def test_binary_input_is_refused(webstrata: Command, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_bytes("<p>Grüße und ein längerer Satz über Fische im Riff.".encode())
    (tmp_path / "random.bin").write_bytes(bytes(range(1, 256)) * 20)
    assert webstrata("content", "extract", "page.html").returncode == 0
    assert_refused(webstrata("content", "extract", "random.bin"), "random.bin: this is binary data")


def test_a_collection_with_the_name_of_a_command_is_noted(webstrata: Command, tmp_path: Path) -> None:
    assert webstrata("new", "status").returncode == 0
    done = webstrata("crawl", "status", "status", "2026-06")
    assert (
        "note: status is taken as a command; for the collection write `webstrata crawl ./status …`"
        in done.stderr
    )
    for words in (["./status", "2026-06"], ["--", "status", "2026-06"]):
        assert_refused(webstrata("crawl", *words), "what to crawl is not clear")


def test_a_verbose_command_prints_the_log(place: str, capfd: pytest.CaptureFixture[str]) -> None:
    import logging

    assert run(["show", place, "-vv"]) == 0
    log = logging.getLogger("webstrata")
    assert (log.handlers, log.level) == ([], logging.NOTSET)


def test_a_table_fits_the_terminal_and_is_whole_elsewhere(place: str) -> None:
    words = [command_path(), "show", place]
    whole = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert max(map(len, whole.splitlines())) > 80
    ours, theirs = pty.openpty()
    ioctl(theirs, TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    done = subprocess.Popen(words, stdout=theirs, env=os.environ | {"COLUMNS": "80"})
    os.close(theirs)
    printed = b""
    try:
        while piece := os.read(ours, 1 << 16):
            printed += piece
    except OSError:  # the other side is closed
        pass
    os.close(ours)
    assert done.wait() == 0
    lines = printed.decode().splitlines()[2:]
    assert max(map(len, lines)) <= 80
    assert {word for word in whole.split() if len(word) < 12} <= set(printed.decode().split())


def test_a_table_that_cannot_be_narrowed_becomes_a_list() -> None:
    columns = [f"column{number}" for number in range(6)]
    lines = lay_out_table(columns, [[10**6] * 6, [1] * 6], 40)
    assert lines[0] == "column0  1,000,000"
    assert lines[6] == ""
    assert len(lines) == 13


def test_numbers_are_written_in_one_way() -> None:
    assert lay_out_table(["n"], [[1234567]], None) == ["        n", "1,234,567"]


def test_the_module_runs_as_a_program() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "webstrata", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("webstrata ")


def test_help_loads_no_numpy() -> None:
    code = (
        "import sys; from webstrata.cli import VERBS, run\n"
        "for verb in VERBS: run([verb, '--help'])\n"
        "found = {'numpy', 'pyarrow', 'scipy', 'rich', 'asyncio'} & set(sys.modules)\n"
        "sys.exit(', '.join(sorted(found)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
