"""Collections that stories begin with, and what every refusal must look like."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

import pytest

from tests.once import make_once
from webstrata.collection import Collection

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path


class Command(Protocol):
    """The fixture `webstrata`: the real command in the test's folder."""

    def __call__(self, *words: str, faults: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        """Run it and wait."""
        ...


@pytest.fixture(scope="session")
def crawled_months(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection with two months of the tiny in-vitro web, crawled, with their graphs and their union."""
    return make_once(tmp_path_factory, "crawled-months", make_months) / "uk"


def make_months(folder: Path) -> None:
    from webstrata.cli import run

    place = folder / "uk"
    assert run(["new", str(place)]) == 0
    for month in range(2):
        words = [
            "--invitro",
            "tiny",
            "--invitro-seed",
            "7",
            "--month",
            str(month),
            "--max-crawl-delay",
            "20ms",
        ]
        assert run(["crawl", str(place), f"2026-0{month + 1}", *words]) == 0
        assert run(["graph", "build", str(place), f"2026-0{month + 1}", "--no-hosts"]) == 0
    assert run(["align", str(place)]) == 0


@pytest.fixture
def uk(tmp_path: Path) -> Collection:
    """A collection with two snapshots; the newer one has a graph made from links."""
    return make_uk(tmp_path)


def make_uk(folder: Path) -> Collection:
    collection = Collection.create(folder / "uk", title="United Kingdom")
    collection.add("2026-05")
    snapshot = collection.add("2026-06")
    with snapshot.write_part("links", renew="webstrata links {collection} {snapshot}") as build:
        (build.path / "arcs.txt").write_text("0 1\n1 2\n")
    with snapshot.write_part(
        "graph", inputs=("links",), renew="webstrata graph {collection} {snapshot}"
    ) as build:
        (build.path / "a.graph").write_bytes(bytes(1000))
        build.count(nodes=3, arcs=2000)
    return collection


def assert_refused(done: subprocess.CompletedProcess[str], pattern: str, *, exit_code: int = 2) -> None:
    """One sentence on stderr that says where, what and what to do; no traceback."""
    assert done.returncode == exit_code, done.stderr
    assert "Traceback" not in done.stderr
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("webstrata: ")
    assert re.search(pattern, lines[0]), lines[0]


def picture(folder: Path) -> dict[str, bytes | str]:
    """Every file and link below a folder, to see that nothing was lost; the lock's text does not count."""
    return {
        str(path.relative_to(folder)): str(path.readlink()) if path.is_symlink() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if (path.is_symlink() or path.is_file()) and path.name != ".lock"
    }
