"""Public names: each means one thing, and is listed."""

from __future__ import annotations

import ast
import importlib

from tests.test_house import ROOT, modules, parse, shown


def public_rooms() -> list[str]:
    """Rooms whose ``__init__`` exports names, and the package itself."""
    rooms = [path.parent.name for path in (ROOT / "src/webstrata").glob("*/__init__.py")]
    return ["webstrata", *(f"webstrata.{room}" for room in sorted(rooms) if room not in ("_core", "cli"))]


def test_no_public_name_means_two_things() -> None:
    found: dict[str, tuple[str, object]] = {}
    twice = []
    for room in public_rooms():
        module = importlib.import_module(room)
        for name in module.__all__:
            value = getattr(module, name)
            home, other = found.setdefault(name, (room, value))
            # Collection and Snapshot of `webstrata` are those of the room, with the methods of all rooms
            is_extended = isinstance(value, type) and isinstance(other, type) and issubclass(other, value)
            if value is not other and not is_extended:
                twice.append(f"{name}: {home}, {room}")
    assert not twice, f"rename one of each, and keep the old name with a warning: {twice}"


def test_public_names_of_rooms_are_listed() -> None:
    page = (ROOT / "docs/reference/stability.md").read_text()
    missing = [
        f"{room}.{name}"
        for room in public_rooms()
        for name in importlib.import_module(room).__all__
        if f"`{name}`" not in page
    ]
    assert not missing, f"list these in docs/reference/stability.md: {missing}"


MAX_SHARED_NAMES = 2
"""Public class names that two modules define: Collection and Snapshot, of `api` and of `collection`."""


def test_a_class_name_is_used_once() -> None:
    homes: dict[str, list[str]] = {}
    for path in modules():
        if "cli" not in path.parts:
            for node in parse(path).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    homes.setdefault(node.name, []).append(shown(path))
    shared = {name: places for name, places in homes.items() if len(places) > 1}
    assert len(shared) <= MAX_SHARED_NAMES, shared


def test_the_page_about_python_imports_nothing_below_the_package() -> None:
    page = (ROOT / "docs/howto/python.md").read_text()
    lines = [line.lstrip(">. ") for line in page.splitlines() if line.startswith((">>> ", "... "))]
    deep = [line for line in lines if line.startswith(("from webstrata.", "import webstrata."))]
    assert not deep
    for heading in ("Crawl and rank", "Load a graph", "Search with time, into polars"):
        assert f"## {heading}" in page
