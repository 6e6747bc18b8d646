"""The command line computes nothing: rooms make results, and commands show their tables and figures."""

from __future__ import annotations

import ast

from tests.test_house import PACKAGE, parse, shown

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
