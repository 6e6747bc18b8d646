"""Every example of the docs runs: console, Python, TOML and JSON blocks of README.md, docs/ and their like.

The blocks of a page run in the page's order, in one temporary folder, with a `webstrata` first on the PATH
that is the real one but for the loading (`tests.command`). A fence says what its block is:

- ``console``: lines that begin with ``$ `` are commands (``> `` continues one), the lines below each are what
  it prints, stdout and stderr together, with ``...`` for any text within a line, or alone for any lines. A
  block has one shell of its own. A command may fail only where a sentence of webstrata's is expected, or
  where ``$ echo $?`` comes next;
- ``python``: with ``>>>`` it runs as a doctest, sharing names with the page's other blocks; without, it must
  compile;
- ``toml``, ``json``: must parse.

Anything else (``text``, ``sh``) is for readers alone.
"""

from __future__ import annotations

import contextlib
import doctest
import gc
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
import textwrap
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.command import find_server
from webstrata.cli import VERBS
from webstrata.collection.settings import load_tables

if TYPE_CHECKING:
    from types import ModuleType

    from _pytest.mark import ParameterSet

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
# their examples crawl or compute for seconds what stories and rooms test too; one that is being written runs
LONG_PAGES = {
    "docs/tutorial/3-a-first-crawl",
    "docs/howto/captures",
    "docs/howto/changes",
    "docs/howto/classify",
    "docs/howto/crash",
    "docs/howto/crawl",
    "docs/howto/describe-a-web",
    "docs/howto/export",
    "docs/howto/gate",
    "docs/howto/graph-files",
    "docs/howto/graphs",
    "docs/howto/ingest",
    "docs/howto/rank",
    "docs/howto/report",
    "docs/howto/run",
    "docs/howto/search",
    "docs/howto/simulate",
    "docs/howto/spectrum",
    "docs/howto/summaries",
    "docs/howto/text-and-links",
    "docs/howto/time",
    "docs/howto/understand-a-graph",
    "docs/howto/watch-a-crawl",
    "docs/howto/wikipedia",
}
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
MARK = "\x1e"


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and the line it begins in."""

    language: str
    text: str
    line: int


@dataclass
class Command:
    """A command of a console block, what it should print, and what it did."""

    text: str
    line: int
    expected: str = ""
    printed: str = ""
    exit_code: int = 0


def read_blocks(text: str) -> list[Block]:
    """The fenced blocks of a page, indented ones too."""
    pattern = re.compile(r"^([ \t]*)(```+)(\S*)[^\n]*\n(.*?)^\1\2[ \t]*$", re.MULTILINE | re.DOTALL)
    return [
        Block(match[3], textwrap.dedent(match[4]), 2 + text.count("\n", 0, match.start()))
        for match in pattern.finditer(text)
    ]


def read_commands(block: Block) -> list[Command]:
    """The commands of a console block."""
    commands: list[Command] = []
    for number, line in enumerate(block.text.splitlines(), block.line):
        if line.startswith("$ "):
            commands.append(Command(line[2:], number))
        elif not commands:
            raise ValueError(f"line {number}: a console block begins with a line `$ command`")
        elif line.startswith("> ") and not commands[-1].expected:
            commands[-1].text += "\n" + line[2:]
        else:
            commands[-1].expected += line + "\n"
    return commands


def run_commands(commands: list[Command], folder: Path) -> None:
    """Run the commands in one shell, and note what each printed and how it ended."""
    script = "status=0\n"
    for number, command in enumerate(commands):
        delimiter = f"END_OF_COMMAND_{number}"
        script += (
            f"text=$(cat <<'{delimiter}'\n{command.text}\n{delimiter}\n)\n"
            '(exit "$status"); eval "$text"; status=$?\n'
            f"printf '{MARK}%s{MARK}' \"$status\"\n"
        )
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("WEBSTRATA_", "PYTEST_"))
    }
    environment |= {
        "PATH": os.pathsep.join(
            [str(find_server().folder), str(Path(sys.executable).parent), environment["PATH"]]
        ),
        "HOME": str(folder),
        "LC_ALL": "C.UTF-8",
        "COLUMNS": "110",
    }
    ran = subprocess.run(
        ["sh", "-c", script],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )
    pieces = ran.stdout.split(MARK)
    for number, command in enumerate(commands):
        command.printed, command.exit_code = pieces[2 * number], int(pieces[2 * number + 1])


def find_console_problems(block: Block, folder: Path) -> list[str]:
    """What a console block promises and does not keep."""
    commands = read_commands(block)
    run_commands(commands, folder)
    problems = []
    for command, after in zip(commands, [*commands[1:], None], strict=True):
        expected, printed = (_without_line_ends(text) for text in (command.expected, command.printed))
        if not matches(expected, printed):
            problems.append(
                f"line {command.line}: `{command.text}` should print\n{expected}and printed\n{printed}"
            )
        is_foreseen = "webstrata: " in command.expected or (after is not None and after.text == "echo $?")
        if command.exit_code != 0 and not is_foreseen:
            problems.append(f"line {command.line}: `{command.text}` ended with {command.exit_code}")
    return problems


def matches(expected: str, printed: str) -> bool:
    """Whether a command printed what its block says."""
    pattern = "".join(
        "(?:.*\n)*" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + "\n"
        for line in expected.splitlines()
    )
    return re.fullmatch(pattern, printed) is not None


def _without_line_ends(text: str) -> str:
    return "".join(line.rstrip() + "\n" for line in text.rstrip().splitlines())


def find_python_problems(block: Block, page: str, names: dict[str, object]) -> list[str]:
    """What a Python block promises and does not keep."""
    if ">>>" not in block.text:
        compile(block.text, page, "exec")
        return []
    test = doctest.DocTestParser().get_doctest(block.text, {}, page, page, block.line - 1)
    test.globs = names
    report = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    with contextlib.redirect_stdout(io.StringIO()):
        runner.run(test, out=report.write, clear_globs=False)
    return [report.getvalue()] if runner.failures else []


def find_problems(text: str, page: str, folder: Path) -> list[str]:
    """Run every block of a page in `folder`, the current one."""
    names: dict[str, object] = {"__name__": "__main__"}
    problems: list[str] = []
    for block in read_blocks(text):
        try:
            if block.language == "console":
                problems += find_console_problems(block, folder)
            elif block.language == "python":
                problems += find_python_problems(block, page, names)
            elif block.language == "toml":
                tomllib.loads(block.text)
            elif block.language == "json":
                json.loads(block.text)
        except (ValueError, SyntaxError) as error:
            problems.append(f"line {block.line}: {error}")
    return problems


def find_changed() -> set[str]:
    """The pages that are not as the last commit has them; all of them where there are no commits."""
    listed = subprocess.run(
        ["git", "status", "--porcelain", "-z", "--untracked-files=all", "--", "*.md"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode != 0:
        return {path.relative_to(ROOT).as_posix() for path in PAGES}
    return {line[3:] for line in listed.stdout.split("\0")}


def mark_pages() -> list[ParameterSet]:
    """All pages, the long ones with the mark unless they were changed."""
    changed, marked = find_changed(), []
    for path in PAGES:
        name = path.relative_to(ROOT).as_posix()
        is_long = name.removesuffix(".md") in LONG_PAGES and name not in changed
        marked.append(pytest.param(path, id=name, marks=[pytest.mark.long] if is_long else []))
    return marked


def test_pages_that_are_long_are_there() -> None:
    gone = [name for name in LONG_PAGES if not (ROOT / f"{name}.md").is_file()]
    assert not gone, f"take them out of LONG_PAGES: {gone}"


@pytest.mark.parametrize("page", mark_pages())
def test_every_example_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("WEBSTRATA_")]:
        monkeypatch.delenv(name)
    problems = find_problems(page.read_text(), page.name, tmp_path)
    gc.collect()  # what the page left open is its own fault, and not that of the next page
    assert not problems, f"{page.relative_to(ROOT)}: mend the page or the program\n" + "\n".join(problems)


@pytest.mark.parametrize(
    ("expected", "printed", "is_match"),
    [
        ("one\n...\n", "one\n", True),
        ("one\n...\nfour\n", "one\ntwo\nthree\nfour\n", True),
        ("one ... three\n", "one two three\n", True),
        ("one...\n", "one\ntwo\n", False),
        ("...\n", "", True),
        ("", "one\n", False),
        ("(a)\n", "a\n", False),
    ],
)
def test_three_dots_stand_for_text_within_a_line_or_for_lines(
    expected: str, printed: str, *, is_match: bool
) -> None:
    assert matches(expected, printed) is is_match


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("```console\n$ echo one\ntwo\n```\n", "should print"),
        ("```console\n$ echo one\n```\n", "should print"),
        ("```console\n$ false\n```\n", "`false` ended with 1"),
        ("```console\none\n```\n", "begins with a line `$ command`"),
        ("- a list\n\n  ```console\n  $ echo one\n  two\n  ```\n", "should print"),
        ("```python\n>>> 1 + 1\n3\n```\n", "Expected:\n    3"),
        ("```python\ndef f(:\n```\n", "invalid syntax"),
        ("```toml\na = \n```\n", "Invalid value"),
        ("```json\n{\n```\n", "Expecting property name"),
    ],
)
def test_an_example_that_does_not_run_is_found(text: str, problem: str, tmp_path: Path) -> None:
    (found,) = find_problems(text, "page.md", tmp_path)
    assert problem in found


def test_examples_share_the_folder_and_the_names_of_their_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = """
```console
$ echo one > a.txt; (exit 3)
$ echo $?
3
$ cat <<'EOF'
> two
> EOF
two
$ webstrata show nowhere
webstrata: nowhere: ...
```

```python
>>> from pathlib import Path
>>> text = Path("a.txt").read_text()
```

```python
>>> text
'one...'
```

```text
$ no such command
```
"""
    assert find_problems(page, "page.md", tmp_path) == []


@pytest.fixture
def generate(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """docs/generate.py, writing into an empty folder."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "REFERENCE", tmp_path)
    return module


def test_a_generated_page_that_is_out_of_date_is_named_in_one_sentence(
    generate: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert generate.main([]) == 0
    assert generate.main(["--check"]) == 0
    assert capsys.readouterr().err == ""
    (tmp_path / "commands.md").write_text("old")
    (tmp_path / "api" / "attic.md").write_text("of a room that is gone")
    assert generate.main(["--check"]) == 1
    names = "docs/reference/api/attic.md, docs/reference/commands.md"
    assert capsys.readouterr().err == f"{names}: out of date; run `python docs/generate.py`\n"
    assert (tmp_path / "commands.md").read_text() == "old"
    assert generate.main([]) == 0
    assert generate.main(["--check"]) == 0


def test_generated_pages_have_every_verb_setting_and_exception(generate: ModuleType) -> None:
    pages = generate.write_pages()
    assert all(f"## webstrata {verb}\n" in pages["commands.md"] for verb in VERBS)
    assert all(f"## `[{table}]`\n" in pages["settings.md"] for table in load_tables())
    assert "| `DiskFullError` | `UserError` | 2 | No space is left on the device. |" in pages["errors.md"]
    assert "::: webstrata.collection.parts" in pages["api/collection.md"]
