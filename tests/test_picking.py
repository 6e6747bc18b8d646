"""`make quick` runs the tests of what changed, the nearest first, within its limit."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests import picking
from tests.conftest import ROOT
from tests.picking import ImportGraph, Picked, module_name, pick, read_imports

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "src/webstrata/graph/__init__.py": (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from webstrata.graph.view import Graph\n"
    ),
    "src/webstrata/graph/view.py": "class Graph:\n    '''\n    >>> 1\n    1\n    '''\n",
    "src/webstrata/graph/hosts.py": "from webstrata.graph import Graph\n",
    "src/webstrata/rank/walk.py": "def walk():\n    from webstrata.graph.hosts import fold\n",
    "src/webstrata/rank/lists.py": (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from webstrata.rank.walk import Walk\n"
    ),
    "src/webstrata/web/url.py": "from webstrata._core import web\n",
    "src/webstrata/cli/rank.py": "import webstrata.rank.walk\n",
    "tests/graph/test_view.py": "from webstrata.graph.view import Graph\n",
    "tests/graph/test_hosts.py": "from webstrata.graph import hosts\n",
    "tests/rank/conftest.py": "from webstrata.web import url\n",
    "tests/rank/test_walk.py": "import importlib\nimportlib.import_module('webstrata.rank.walk')\n",
    "tests/rank/test_lists.py": "from webstrata.rank import lists\n",
    "tests/web/test_url.py": "from webstrata.web.url import parse\n",
    "tests/stories/test_ranks.py": "def test_ranks(webstrata):\n    webstrata('rank', 'uk')\n",
    "tests/stories/test_words.py": "def test_words():\n    assert 'rank'\n",
}


def pick_for(*changed: str, limit: float = 100.0, **seconds: float) -> Picked:
    files = {
        path: read_imports(text, module_name(path), is_package=path.endswith("__init__.py"))
        for path, text in FILES.items()
    }
    costs = {
        path: seconds[path.rpartition("/")[2][:-3]]
        for path in FILES
        if path.rpartition("/")[2][:-3] in seconds
    }
    found = pick(changed, FILES, ImportGraph(files), seconds=costs, limit=limit)
    return Picked([path for path in found.arguments if path != "tests/test_house.py"], found.left_out)


def test_the_tests_of_a_module_come_before_those_of_modules_that_import_it() -> None:
    assert pick_for("src/webstrata/graph/view.py").arguments == [
        "src/webstrata/graph/view.py",  # its doctests
        "tests/graph/test_view.py",
        "tests/graph/test_hosts.py",
        "tests/rank/test_walk.py",
        "tests/stories/test_ranks.py",
    ]


def test_a_module_that_nothing_imports_has_its_own_tests_alone() -> None:
    assert pick_for("src/webstrata/rank/lists.py").arguments == ["tests/rank/test_lists.py"]


def test_imports_for_types_alone_are_not_followed() -> None:
    assert "tests/rank/test_lists.py" not in pick_for("src/webstrata/rank/walk.py").arguments


def test_a_command_that_a_story_runs_leads_to_it() -> None:
    found = pick_for("src/webstrata/cli/rank.py").arguments
    assert "tests/stories/test_ranks.py" in found
    assert "tests/stories/test_words.py" not in found


def test_a_fixture_file_leads_to_the_tests_of_its_folder() -> None:
    found = pick_for("src/webstrata/web/url.py").arguments
    assert found == ["tests/web/test_url.py", "tests/rank/test_lists.py", "tests/rank/test_walk.py"]


@pytest.mark.parametrize("path", ["rust/src/web/url.rs", "rust/src/python/web/mod.rs", "rust/Cargo.toml"])
def test_a_kernel_leads_to_the_tests_of_what_calls_it(path: str) -> None:
    found = pick_for(path).arguments
    assert ("tests/web/test_url.py" in found) is path.startswith("rust/src")


def test_far_tests_are_left_out_at_the_limit_and_near_ones_never() -> None:
    found = pick_for("src/webstrata/graph/view.py", limit=5.0, test_view=50.0, test_hosts=1.0)
    assert found.arguments == ["src/webstrata/graph/view.py", "tests/graph/test_view.py"]
    assert found.left_out == [
        "tests/graph/test_hosts.py",
        "tests/rank/test_walk.py",
        "tests/stories/test_ranks.py",
    ]


def test_a_page_runs_its_examples_and_a_setting_of_tools_the_rules() -> None:
    assert pick_for("docs/howto/rank.md").arguments == [
        "tests/test_docs.py::test_every_example_of_a_page_runs[docs/howto/rank.md]"
    ]
    assert "tests/test_tools.py" in pick_for("pyproject.toml").arguments


def test_every_module_of_the_project_has_a_test_that_reaches_it(tmp_path: Path) -> None:
    """Without one, a change there would be passed by nothing."""
    texts = {
        path: (ROOT / path).read_text()
        for path in picking.list_files(ROOT)
        if path.endswith(".py") and not path.startswith("docs/")
    }
    graph = picking.load_graph(tmp_path, texts)
    assert (tmp_path / picking.IMPORTS).exists()
    alone = [
        path
        for path in texts
        if path.startswith("src/")
        and not path.endswith(("__init__.py", "__main__.py"))
        and not any(
            graph.paths.get(module, "").startswith("tests/")
            for module in graph.distances([module_name(path)])
        )
    ]
    assert not alone, f"no test imports them: {alone}"
    again = picking.load_graph(tmp_path, texts)
    assert again.importers == graph.importers


def git(folder: Path, *words: str) -> None:
    variables = {
        f"GIT_{who}_{what}": "a@b.example" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, env=os.environ | variables)


def test_changed_is_what_differs_from_the_commit_and_then_from_the_last_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init")
    for name in ("a.py", "b.py", "c.py"):
        (tmp_path / name).write_text("1\n")
    (tmp_path / ".gitignore").write_text(".pytest_cache/\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "Begin")
    assert picking.find_changed(tmp_path) == set()
    (tmp_path / "a.py").write_text("2\n")
    (tmp_path / "new file.py").write_text("")
    (tmp_path / "c.py").unlink()
    assert picking.find_changed(tmp_path) == {"a.py", "c.py", "new file.py"}
    monkeypatch.setattr(picking, "ROOT", tmp_path)
    assert picking.main(["--begin"]) == 0
    (tmp_path / "b.py").write_text("2\n")  # while the tests run
    assert picking.main(["--passed"]) == 0
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "Break b")
    assert picking.find_changed(tmp_path) == {"b.py"}


def test_seconds_of_later_runs_replace_those_of_earlier_ones(tmp_path: Path) -> None:
    picking.record_seconds(tmp_path, {"a": 1.0, "b": 2.0})
    picking.record_seconds(tmp_path, {"b": 3.004})
    assert picking._read(tmp_path / picking.SECONDS) == {"a": 1.0, "b": 3.0}
