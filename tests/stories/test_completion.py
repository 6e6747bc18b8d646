"""`webstrata completion`, and what the shells ask for with it."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from click.shell_completion import ShellComplete

from webstrata.cli import VERBS, verbs

if TYPE_CHECKING:
    from tests.stories.conftest import Command
    from webstrata.collection import Collection


def complete(*words: str) -> list[str]:
    """What is offered for the last word after the others."""
    completer = ShellComplete(verbs, {}, "webstrata", "_WEBSTRATA_COMPLETE")
    return [item.value for item in completer.get_completions(list(words[:-1]), words[-1])]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_is_printed(webstrata: Command, shell: str) -> None:
    done = webstrata("completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"_WEBSTRATA_COMPLETE={shell}_complete" in done.stdout
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=done.stdout, text=True, check=True)


def test_verbs_commands_and_options_are_completed() -> None:
    assert complete("") == sorted(VERBS)
    assert complete("sp") == ["spectrum", "split"]
    assert complete("graph", "c") == ["check", "convert"]
    assert complete("rank", "uk", "--lim") == ["--limit"]
    assert {"--quiet", "--verbose"} <= set(complete("show", "uk", "--"))


def test_collections_snapshots_and_parts_are_completed(
    uk: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = uk.path.parent
    (folder / "more" / "sub").mkdir(parents=True)
    monkeypatch.chdir(folder)
    assert complete("show", "") == ["more/", "uk"]
    assert complete("show", "more/") == ["more/sub/"]
    assert complete("show", "uk", "") == ["2026-05", "2026-06"]
    assert complete("diff", "uk", "2026-05", "2026-0") == ["2026-05", "2026-06"]
    assert complete("get", "uk", "--at", "") == ["2026-05", "2026-06"]
    assert complete("graph", "stats", "uk", "2026-06") == ["2026-06"]
    assert complete("build", "uk", "gr") == ["graph", "graph-bfs", "graph-llp"]
    assert complete("show", "gone", "") == []


def test_a_collection_is_completed_where_a_command_may_stand(
    uk: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(uk.path.parent)
    assert {"uk", "status", "watch"} <= set(complete("crawl", ""))
    assert {"uk", "compare"} <= set(complete("search", ""))
    assert complete("crawl", "uk", "") == ["2026-05", "2026-06"]
    assert complete("crawl", "status", "uk", "") == ["2026-05", "2026-06"]
