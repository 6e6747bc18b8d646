"""The command line computes nothing: rooms make results, and commands show their tables and figures."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import click
import pytest

from tests.test_house import PACKAGE, parse, shown
from webstrata.cli import verbs
from webstrata.cli.options import Date

if TYPE_CHECKING:
    from collections.abc import Iterator

COMPUTING = ("altair", "numpy", "polars", "pyarrow", "scipy")
"""Packages that a command has no use for."""
TABLES = ("Rows", "lay_out_table")
"""What makes a table, or its lines; `cli/output.py` alone does the latter."""


def test_commands_import_nothing_to_compute_with() -> None:
    found = []
    for path in (PACKAGE / "cli").rglob("*.py"):
        for node in ast.walk(parse(path)):
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            elif isinstance(node, ast.Import):
                names = [each.name for each in node.names]
            else:
                continue
            found += [f"{shown(path)}: {name}" for name in names if name.partition(".")[0] in COMPUTING]
    assert not found, f"move this into a room: {found}"


def test_commands_lay_out_no_tables_of_their_own() -> None:
    found = [
        f"{shown(path)}, line {node.lineno}: {node.func.id}"
        for path in (PACKAGE / "cli").rglob("*.py")
        if path.name != "output.py"
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in TABLES
    ]
    assert not found, f"give the result `tables()`, and call `show(result)`: {found}"


def walk(command: click.Command, words: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(command)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from walk(found, (*words, name))
    else:
        yield " ".join(words), command


COMMANDS = dict(walk(verbs))
NO_COLLECTION = {"completion", "content", "demo", "invitro"}
"""Verbs that are about a shell, files or a synthetic web; ``invitro truth`` writes into a collection."""


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_takes_the_collection_then_snapshots_then_what_is_asked(name: str) -> None:
    command = COMMANDS[name]
    context = click.Context(command)
    arguments = [one.make_metavar(context) for one in command.params if isinstance(one, click.Argument)]
    if name.split()[0] in NO_COLLECTION and name != "invitro truth":
        assert not any("COLLECTION" in each for each in arguments)
        return
    assert arguments[0].startswith("COLLECTION")
    snapshots = [place for place, each in enumerate(arguments) if "SNAPSHOT" in each and "URL" not in each]
    asked = [place for place, each in enumerate(arguments) if "URL" in each or each == "QUERY"]
    assert max(snapshots, default=0) < min(asked, default=len(arguments))


DATES = {"ingest --at": "several dates", "invitro serve --at": "a moment of the served web"}
"""Options that are no single date, and why."""


@pytest.mark.parametrize("name", COMMANDS)
def test_dates_limits_and_files_are_the_same_options_everywhere(name: str) -> None:
    for option in COMMANDS[name].params:
        if not isinstance(option, click.Option) or option.hidden:
            continue
        for spelled in option.opts:
            if spelled in ("--at", "--from", "--to") and f"{name} {spelled}" not in DATES:
                assert isinstance(option.type, Date), spelled
            if spelled == "--output" and name != "graph convert":  # it may be a basename
                assert isinstance(option.type, click.Path), spelled
            assert spelled not in ("--top", "--into", "--since", "--until"), spelled
