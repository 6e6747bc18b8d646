"""The house rules, kept true: each failure says which file breaks one, and what to do."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import os
import re
import subprocess
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import click
import pytest

import webstrata
from tests.conftest import LeftOut
from webstrata import errors
from webstrata.cli import VERBS, module_of
from webstrata.collection.settings import Settings, describe, load_tables
from webstrata.crawl.filters import PREDICATES

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "webstrata"
MAX_LINES = 500
GENERATED = {"src/webstrata/keywords.py": "docs/generate.py writes it, from the settings classes"}
"""Files that nobody edits, which may be longer."""

# a verb's test is a story; what is left here has its reason beside it
TESTED_ELSEWHERE = {
    "__main__.py": "one call of the command line, tried in tests/stories/test_build.py",
    "_lazy.py": "tests/test_lazy.py",
    "classify/features/sets.py": "tests/classify/features/test_feature_sets.py",
    "api/parts.py": "every room's tests go through its properties",
    "api/functions.py": "its docstrings, and tests/api/test_verbs.py",
    "api/snapshot.py": "tests/api/test_collection.py and test_verbs.py, its docstrings, and the rooms' tests",
    "api/crawling.py": "tests/api/test_collection.py, and the stories of `webstrata crawl`",
    "classify/learning/lessons.py": "the story of `webstrata classify`",
    "collection/description.py": "the story of `webstrata show`",
    "graph/near.py": "the story of `webstrata graph links`",
    "pipeline/crawl_snapshot.py": "the stories of `webstrata crawl`",
    "pipeline/steps.py": "tests/api/test_collection.py, and the stories of `run`, `align`, `index`, `store`",
    "rank/following.py": "the story of `webstrata rank`",
    "search/evaluate/files.py": "the story of `webstrata search evaluate`",
    "store/duplicates/report.py": "the story of `webstrata duplicates`",
    "store/ingest/into.py": "tests/api/test_collection.py, and the stories of `webstrata ingest`",
    "store/listing.py": "the story of `webstrata ls`",
    "store/duplicates/similar.py": "the story of `webstrata similar`",
    "summaries/listing.py": "the story of `webstrata summaries show`",
    "keywords.py": "docs/generate.py writes it, and `make docs` compares it; type checkers alone read it",
    "errors.py": "it has no code; that each is in the docs is tested below",
    "cli/group.py": "the stories of the verbs that have commands of their own",
    "cli/options.py": "every verb's story",
    "cli/output.py": "every verb's story, and its docstrings",
}


@cache
def tracked(*patterns: str) -> list[Path]:
    """The files of the project, new ones included, that match a pattern of git's."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", *patterns],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listed.returncode != 0:
        pytest.skip("this is no git checkout, so nobody knows which files are the project's")
    paths = {ROOT / name for name in listed.stdout.decode().split("\0") if name}
    return sorted(path for path in paths if path.is_file())


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT))


def modules() -> list[Path]:
    """The Python modules of the package, without the stubs of the core."""
    return [path for path in tracked("src/webstrata/*.py") if "_core" not in path.parts]


def rooms() -> set[str]:
    return {path.parent.name for path in PACKAGE.glob("*/__init__.py")} - {"_core"}


def import_module(path: Path) -> object:
    words = path.relative_to(ROOT / "src").with_suffix("").parts
    return importlib.import_module(".".join(words).removesuffix(".__init__"))


@cache
def docs() -> str:
    return "\n".join(path.read_text() for path in sorted((ROOT / "docs").glob("**/*.md")))


def test_no_file_is_longer_than_500_lines() -> None:
    long = {
        shown(path): lines
        for path in tracked("*.py", "*.pyi", "*.rs")
        if (lines := len(path.read_text().splitlines())) > MAX_LINES and shown(path) not in GENERATED
    }
    assert not long, f"make a folder of each, with one module per noun: {long}"


def test_every_module_has_its_test() -> None:
    missing = []
    for path in modules():
        name = path.relative_to(PACKAGE).as_posix()
        if path.name == "__init__.py" or name in TESTED_ELSEWHERE:
            continue
        if path.name == "settings.py" and path.parent.name != "collection":
            continue  # a class of declarations, which the test of every settings class below reads
        if path.name == "part.py":
            continue  # declarations, which tests/collection/test_declarations.py and those of builders use
        place = path.relative_to(PACKAGE).with_suffix("")
        if place.parts[0] == "cli":  # a verb that has become a folder is still one story
            test = ROOT / "tests" / "stories" / f"test_{place.parts[1]}.py"
        else:
            test = ROOT / "tests" / place.parent / f"test_{path.name}"
        if not test.is_file():
            missing.append(f"src/webstrata/{name} -> {shown(test)}")
    assert not missing, f"write the test, or give a reason in TESTED_ELSEWHERE: {missing}"


def test_reasons_are_given_for_modules_that_exist() -> None:
    gone = [name for name in TESTED_ELSEWHERE if not (PACKAGE / name).is_file()]
    assert not gone, f"take them out of TESTED_ELSEWHERE: {gone}"


def test_every_test_is_named_by_a_sentence() -> None:
    short = [
        f"{shown(path)}: {node.name}"
        for path in tracked("tests/*.py")
        for node in ast.walk(parse(path))
        if isinstance(node, ast.FunctionDef)
        and node.name.startswith("test_")
        and node.name != "test_data"
        and node.name.count("_") < 3
    ]
    assert not short, (
        f"name the test by the sentence it proves, as test_a_page_seen_twice_is_stored_once: {short}"
    )


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_every_verb_has_a_module_a_first_line_and_an_example(verb: str) -> None:
    module = importlib.import_module(f"webstrata.cli.{module_of(verb)}")
    command: click.Command = module.command
    assert command.name == verb, f"cli/{verb}.py: name the command {verb}"
    first = (command.help or "").splitlines()[0]
    assert first == VERBS[verb], f"cli/{verb}.py: its first line of help and that of VERBS must be the same"
    epilog = command.epilog or ""
    assert epilog.startswith(f"Example: webstrata {verb}"), f"cli/{verb}.py: give it epilog='Example: …'"
    hidden = [
        option.name for option in command.params if isinstance(option, click.Option) and not option.help
    ]
    assert not hidden, f"cli/{verb}.py: say what these options do: {hidden}"


def test_every_module_of_a_verb_is_in_the_list_of_verbs() -> None:
    files = [*(PACKAGE / "cli").glob("*.py"), *(PACKAGE / "cli").glob("*/__init__.py")]
    verbs = {
        (path.parent if path.stem == "__init__" else path).stem
        for path in files
        if re.search(r"^command\b|^def command\b|as command$", path.read_text(), re.MULTILINE)
    }
    assert verbs == set(map(module_of, VERBS)), "enter the verb in VERBS of cli/__init__.py, or take it out"


def test_every_verb_is_in_the_docs() -> None:
    missing = [verb for verb in VERBS if f"webstrata {verb}" not in docs()]
    assert not missing, f"write about them in docs/: {missing}"


def test_every_setting_and_its_variable_are_in_the_docs() -> None:
    missing = [
        f"[{table}] {field.name} or {field.variable}"
        for table, cls in load_tables().items()
        for field in describe(cls)
        if field.name not in docs() or field.variable not in docs()
    ]
    assert not missing, f"renew docs/reference/settings.md with docs/generate.py: {missing}"


def test_every_exception_is_in_the_docs_and_in_the_drawing_of_its_module() -> None:
    names = [
        name
        for name, cls in vars(errors).items()
        if inspect.isclass(cls) and issubclass(cls, BaseException) and cls.__module__ == errors.__name__
    ]
    assert len(names) > 10
    missing = [name for name in names if name not in docs()]
    assert not missing, f"renew docs/reference/errors.md with docs/generate.py: {missing}"
    undrawn = [name for name in names if name not in (errors.__doc__ or "")]
    assert not undrawn, f"draw them in the header of errors.py: {undrawn}"


def test_every_predicate_of_a_filter_is_in_the_docs() -> None:
    missing = [name for name in PREDICATES if f"`{name}(" not in docs()]
    assert not missing, f"renew docs/reference/filters.md with docs/generate.py: {missing}"


def test_an_exception_is_exit_code_1_or_2_by_its_class() -> None:
    for cls in vars(errors).values():
        if inspect.isclass(cls) and issubclass(cls, errors.WebstrataError):
            assert cls.exit_code == (2 if issubclass(cls, errors.UserError) else 1), cls


def test_every_settings_class_has_a_table_and_explains_its_fields() -> None:
    classes = {
        node.name
        for path in modules()
        for node in parse(path).body
        if isinstance(node, ast.ClassDef) and any(ast.unparse(base) == "Settings" for base in node.bases)
    }
    assert classes == {cls.__name__ for cls in load_tables().values()}, "put it into a module settings.py"
    for table, cls in load_tables().items():
        assert issubclass(cls, Settings)
        assert cls.table == table, f"{cls.__name__} is the class of [{cls.table}]"
        assert dataclasses.fields(cls), f"{cls.__name__} has no settings"
        assert cls() == cls.read(environment={}), f"{cls.__name__}: its defaults must pass its own checks"
        for field in describe(cls):
            assert field.setting.help.endswith("."), f"{cls.__name__}.{field.name}: explain it in a sentence"


def test_every_setting_obeys_option_then_environment_then_file_then_default() -> None:
    for cls in load_tables().values():
        for field in describe(cls):
            if field.type not in (int, float) or field.default is None:
                continue
            choices = [value for value in (1, 2, 3, 0.5, 0.25, 0.125) if _is_admitted(cls, field.name, value)]
            if len(choices) < 3:
                continue
            option, variable, file = choices[:3]
            sources = {
                "options": {field.name: option},
                "environment": {field.variable: str(variable)},
                "files": [("collection.toml", {field.name: file})],
            }
            for expected, left in ((option, ""), (variable, "options"), (file, "environment")):
                sources.pop(left, None)
                settings = cls.read(**({"environment": {}} | sources))  # type: ignore[arg-type]
                assert getattr(settings, field.name) == expected, f"[{cls.table}] {field.name} without {left}"


def _is_admitted(cls: type[Settings], name: str, value: float) -> bool:
    try:
        cls.read(options={name: value}, environment={})
    except errors.SettingError:
        return False
    return True


def public_definitions(path: Path) -> list[ast.FunctionDef | ast.ClassDef]:
    """Functions and classes at the top of a module whose name has no underscore before it."""
    return [
        node
        for node in parse(path).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
    ]


def test_every_module_and_public_name_says_what_it_is() -> None:
    silent = [shown(path) for path in modules() if not ast.get_docstring(parse(path))]
    silent += [
        f"{shown(path)}: {node.name}.{member.name}"
        for path in modules()
        for node in public_definitions(path)
        for member in [node, *(node.body if isinstance(node, ast.ClassDef) else [])]
        if isinstance(member, ast.FunctionDef | ast.ClassDef)
        and not member.name.startswith("_")
        and not ast.get_docstring(member)
    ]
    assert not silent, f"begin each with one line that says what comes back: {silent}"


def test_every_public_function_of_a_room_shows_an_example() -> None:
    # the verbs of cli have theirs in their help; one that needs a server, a terminal or a signal has none
    bare = [
        f"{shown(path)}: {node.name}"
        for path in modules()
        if path.relative_to(PACKAGE).parts[0] != "cli"
        for node in public_definitions(path)
        if isinstance(node, ast.FunctionDef) and ">>>" not in (ast.get_docstring(node) or "")
    ]
    assert not bare, f"add an Examples section that runs: {bare}"


def test_the_public_names_are_sorted_and_can_be_had() -> None:
    for path in [PACKAGE / "__init__.py", *PACKAGE.glob("*/__init__.py")]:
        module = import_module(path)
        names = getattr(module, "__all__", [])
        assert names == sorted(names), f"{shown(path)}: sort __all__"
        for name in names:
            assert hasattr(module, name), f"{shown(path)}: {name} is in __all__, and cannot be had"
    assert dir(webstrata) == sorted(webstrata.__all__)


def test_every_room_has_a_line_in_the_layers_and_a_page_in_the_docs() -> None:
    layers = (ROOT / "pyproject.toml").read_text().partition("layers = [")[2]
    built = {name for name in re.findall(r"\(?\w+\)?", layers) if not name.startswith("(")}
    missing = [room for room in rooms() if room not in built]
    assert not missing, f"take their parentheses away in the layers of pyproject.toml: {missing}"
    pages = {path.stem for path in (ROOT / "docs" / "reference" / "rooms").glob("*.md")}
    assert rooms() <= pages, f"write docs/reference/rooms/<room>.md for {rooms() - pages}"


def test_more_of_the_system_is_python_than_rust() -> None:
    # tests count on neither side; those of a Rust module stand at its end
    python, rust = (
        sum(
            bool(line.strip())
            for path in tracked(pattern)
            for line in path.read_text().partition("#[cfg(test)]")[0].splitlines()
        )
        for pattern in ("src/*.py", "rust/*.rs")
    )
    assert python > rust, f"{python} lines of Python, {rust} of Rust: what decides once per stage is Python"


def test_no_folder_has_more_than_40_modules() -> None:
    folders = [path.parent for path in modules()]
    crowded = {shown(folder): number for folder in set(folders) if (number := folders.count(folder)) > 40}
    assert not crowded, f"give each sub-folders by subject: {crowded}"


def test_no_drawer_without_a_subject() -> None:
    drawers = [
        shown(path)
        for path in tracked("*.py", "*.rs")
        if re.fullmatch(r"(utils?|helpers?|common|misc)", path.stem)
        or any(re.fullmatch(r"(utils?|helpers?|common|misc)", part) for part in path.relative_to(ROOT).parts)
    ]
    assert not drawers, f"put each function into the room whose subject it is about: {drawers}"


def test_no_file_names_this_machine_or_a_place_that_packages_come_from() -> None:
    # written in pieces, or this file would name them
    places = ["/wo" + "rk/", "/fa" + "rm/", "/ro" + "ot/", "/tmp/bash" + "_jobs", "/ho" + "me/"]
    sources = [
        "pypi.or" + "g",
        "pythonhosted.or" + "g",
        "registry.npmj" + "s",
        "index.crates.i" + "o",
        "localhost:80" + "81",
    ]
    pattern = "|".join(map(re.escape, places + sources))
    found = [
        f"{shown(path)}: {match[0]}"
        for path in tracked()
        if path.suffix not in (".png", ".gz", ".woff2", ".warc", ".ico")
        and shown(path) != "rust/Cargo.lock"
        and (match := re.search(pattern, path.read_text(errors="replace")))
    ]
    assert not found, f"take them out; locks are written without addresses: {found}"


def test_the_lock_of_the_core_names_no_mirror() -> None:
    sources = set(re.findall(r'^source = "(.*)"$', (ROOT / "rust" / "Cargo.lock").read_text(), re.MULTILINE))
    allowed = "registry+https://github.com/rust-lang/crates.io-index"
    assert sources <= {allowed}, f"rust/Cargo.lock: make it again without a mirror: {sources - {allowed}}"


def test_nothing_is_left_unfinished() -> None:
    words = [
        "TO" + "DO",
        "FIX" + "ME",
        "XX" + "X",
        "NotImplemented" + "Error",
        "unimplemented" + "!",
        "to" + "do!(",
    ]
    pattern = re.compile("|".join(rf"(?<!\w){re.escape(word)}" for word in words))
    found = [
        f"{shown(path)}:{text.count(chr(10), 0, match.start()) + 1}"
        for path in tracked("src/*.py", "rust/src/*.rs", "tests/*.py", "bench/*.py")
        if any(word in (text := path.read_text()) for word in words)
        for match in pattern.finditer(text)
    ]
    assert not found, f"finish it, or write an issue: {found}"


def test_every_target_of_the_makefile_says_what_it_does() -> None:
    makefile = (ROOT / "Makefile").read_text()
    phony = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    targets = {target for line in phony for target in line.split()}
    explained = set(re.findall(r"^([a-z-]+):.*## \S", makefile, re.MULTILINE))
    inner = {"tools"}  # a step of the others, of no use by itself
    assert targets - inner == explained, "write `## what it does` behind the target, and list it in .PHONY"


def test_the_changelog_has_a_place_for_this_change() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text()
    unreleased = changelog.partition("\n## Unreleased\n")[2].partition("\n## ")[0]
    assert "\n- " in unreleased, "write a line under Unreleased in CHANGELOG.md"


def test_ci_runs_what_everybody_runs() -> None:
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    # before it only programs that tests compare with are installed
    assert lines[-1] == "exec make test", ".ci/run ends with `make test`"
    assert [line for line in lines if "make " in line and "peers" not in line] == [lines[-1]]
    assert "export CI=true" in lines


def plan(*words: str) -> str:
    """What make would run."""
    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "MAKEFLAGS")}
    ran = subprocess.run(
        ["make", "--dry-run", *words],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout


def test_ci_leaves_no_test_and_no_check_out() -> None:
    planned = plan("test", "CI=true")
    assert "pytest -n" in planned
    assert '-m "not slow"' in planned
    for check in ("ruff check", "lint-imports", "clippy", "mypy\n", "stubtest", "cargo test", "mkdocs build"):
        assert check in planned, f"Makefile: `make test CI=true` does not run {check.strip()}"


def test_a_person_is_spared_long_tests_alone_and_can_run_them() -> None:
    assert '-m "not slow and not long"' in plan("python-test")
    assert '-m "long and not slow"' in plan("long")


def test_a_check_called_by_its_name_runs_whatever_passed_before() -> None:
    assert "mkdocs build" in plan("docs")
    assert "cargo test" in plan("rust-test")


def test_long_tests_that_are_left_out_are_counted_in_the_last_line() -> None:
    items = [
        SimpleNamespace(get_closest_marker=lambda name, marks=marks: name if name in marks else None)
        for marks in (["long"], ["long", "peer"], ["slow"], ["long", "slow"])
    ]
    lines: list[str] = []
    worker, controller = LeftOut(), LeftOut()
    worker.pytest_deselected(cast("list[pytest.Item]", items))
    output: dict[str, int] = {}
    session = SimpleNamespace(config=SimpleNamespace(workeroutput=output))
    worker.pytest_sessionfinish(cast("pytest.Session", session))
    for node in (SimpleNamespace(workeroutput=output), SimpleNamespace()):  # one that died has said nothing
        controller.pytest_testnodedown(node)
    reporter = SimpleNamespace(write_line=lines.append)
    controller.pytest_terminal_summary(cast("pytest.TerminalReporter", reporter))
    LeftOut().pytest_terminal_summary(cast("pytest.TerminalReporter", reporter))
    assert lines == ["2 long tests left out; `make test CI=true` or `make long` runs them"]


COMMANDS = re.compile(rf"\bwebstrata (?:{'|'.join(map(re.escape, VERBS))})\b")
"""A command line of webstrata, as text."""
RENDERERS = {"collection/action.py"}
"""Modules that write commands from actions, and show in their docstrings what comes out."""


def test_no_room_below_the_command_line_spells_a_command() -> None:
    found = [
        f"{name}:{number}"
        for path in modules()
        if not (name := path.relative_to(ROOT / "src/webstrata").as_posix()).startswith("cli/")
        and name not in RENDERERS
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if COMMANDS.search(line)
    ]
    assert not found, f"give the error or the report an Action (collection/action.py): {found}"
