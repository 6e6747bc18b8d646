"""Pick the tests that are nearest to what changed, as many as run within a minute (`make quick`).

What changed is what differs from the last run that passed (`.pytest_cache/webstrata-passed.json`); before the
first one, from the last commit. The distance of a test file from a change is the number of imports between
them: 0 for ``tests/<room>/test_<module>.py`` and for the doctests of the module itself, 1 for a file that
imports the module, and so on. Files are taken in the order of their distances until their seconds, recorded
in earlier runs, add up to the limit; those at distance 0 are always taken.

Imports are read from the syntax tree, also those within functions. A name that a package exports leads to
the module that defines it. These count as imports too:

- a string that is the name of a module (`importlib`, tables of lazy names);
- in a test that runs commands, a string that is a verb: the module of that verb in `webstrata.cli`;
- the `conftest.py` of a test's folders;
- the modules that are found by their names: parts of rooms, and commands below a verb;
- for a compiled room ``webstrata._core.<room>``, the files of ``rust/src/<room>``.

    python -m tests.picking          # print the arguments for pytest, one per line
    python -m tests.picking --begin  # note the present files, without picking
    python -m tests.picking --passed # those that were noted have passed
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import subprocess
import sys
from collections import defaultdict, deque
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webstrata.cli import VERBS, module_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ROOT = Path(__file__).resolve().parent.parent
CACHE = Path(".pytest_cache")
BEGUN, PASSED, IMPORTS, SECONDS = (
    CACHE / f"webstrata-{name}.json" for name in ("begun", "passed", "imports", "seconds")
)
LIMIT = 40.0
"""Seconds of tests per core; starting pytest takes the rest of the minute."""
UNKNOWN = 3.0
"""Seconds of a test file that was never run here; the mean of all files is 2.6 on two cores."""
ALWAYS = ("tests/test_house.py",)
TOOLS = ("tests/test_house.py", "tests/test_tools.py", "tests/test_picking.py")
"""For files of the project that no module reads: settings of tools, requirements, the Makefile."""
EXAMPLES = "tests/test_docs.py::test_every_example_of_a_page_runs"
REFERENCE = "tests/test_docs.py::test_generated_pages_have_every_verb_setting_and_exception"
CORE = "webstrata._core"


@dataclass
class Imports:
    """What one file names: (module, name) of its imports, modules in strings, verbs that it runs."""

    names: list[tuple[str, str]] = field(default_factory=list)
    strings: list[str] = field(default_factory=list)
    verbs: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Picked:
    """Arguments for pytest, and the test files that are left to `make test`."""

    arguments: list[str]
    left_out: list[str]


def module_name(path: str) -> str:
    """The dotted name of a Python file of the project.

    Examples
    --------
    >>> module_name("src/webstrata/graph/__init__.py"), module_name("tests/graph/test_hosts.py")
    ('webstrata.graph', 'tests.graph.test_hosts')
    """
    parts = Path(path).with_suffix("").parts
    parts = parts[1:] if parts[0] == "src" else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def read_imports(text: str, module: str, *, is_package: bool = False) -> Imports:
    r"""What a file imports; names that only types need are read from packages alone, which export them.

    Examples
    --------
    >>> read_imports("def f():\n    from webstrata.graph import view", "webstrata.rank.walk").names
    [('webstrata.graph', 'view')]
    """
    tree = ast.parse(text)
    unused: set[ast.AST] = set()
    if not is_package:
        for node in ast.walk(tree):
            if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
                unused.update(child for statement in node.body for child in ast.walk(statement))
    found, words, runs = Imports(), set(), False
    for node in ast.walk(tree):
        if node in unused:
            continue
        if isinstance(node, ast.Import):
            found.names += [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            source = node.module or ""
            if node.level:
                above = module.split(".")[: len(module.split(".")) - node.level + is_package]
                source = ".".join([*above, *([source] if source else [])])
            found.names += [(source, alias.name) for alias in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words.add(node.value)
        elif isinstance(node, ast.arg) and node.arg == "webstrata":
            runs = True
    runs = runs or any(source == "webstrata.cli" for source, _ in found.names)
    found.strings = sorted(word for word in words if word.startswith("webstrata."))
    found.verbs = sorted(words & VERBS.keys()) if runs and module.startswith("tests.") else []
    return found


class ImportGraph:
    """Which module imports which, and the way back."""

    def __init__(self, files: Mapping[str, Imports]) -> None:
        self.paths = {module_name(path): path for path in files}
        self.importers: dict[str, set[str]] = defaultdict(set)
        self._exports: dict[str, dict[str, str]] = {}
        for path, found in files.items():
            if path.endswith("__init__.py"):
                self._exports[module_name(path)] = {name: source for source, name in found.names if name}
        for path, found in files.items():
            self._add(path, found)
        for module in self.paths:
            package, _, last = module.rpartition(".")
            if package.startswith("webstrata.cli."):
                self.importers[module].add(package)
            elif last == "part" and package.startswith("webstrata."):
                self.importers[module].add("webstrata.collection.discovery")

    def _add(self, path: str, found: Imports) -> None:
        module = module_name(path)
        imported = [self.find(source, name) for source, name in found.names]
        imported += [self.find(string, "") for string in found.strings]
        imported += [f"webstrata.cli.{module_of(verb)}" for verb in found.verbs]
        if path.startswith("tests/"):
            imported += [
                module_name((folder / "conftest.py").as_posix())
                for folder in Path(path).parents
                if f"{folder.as_posix().replace('/', '.')}.conftest" in self.paths
            ]
        for name in imported:
            if name and name != module:
                self.importers[name].add(module)

    def find(self, source: str, name: str) -> str:
        """The module that an import leads to; nothing if it is not the project's."""
        for _ in range(9):  # a package may export what another package exports
            if name and f"{source}.{name}" in self.paths:
                return f"{source}.{name}"
            home = self._exports.get(source, {}).get(name)
            if not name or home is None or home == source:
                break
            source = home
        if source == CORE and name:
            return f"{CORE}.{name}"
        return source if source in self.paths or source.startswith(f"{CORE}.") else ""

    def distances(self, changed: Iterable[str]) -> dict[str, int]:
        """For each module that reaches a changed one, the number of imports between them."""
        found = dict.fromkeys(changed, 0)
        queue = deque(found)
        while queue:
            module = queue.popleft()
            for importer in sorted(self.importers.get(module, ())):
                if importer not in found:
                    found[importer] = found[module] + 1
                    queue.append(importer)
        return found


def find_modules(changed: Iterable[str], graph: ImportGraph, texts: Mapping[str, str]) -> set[str]:
    """The modules that changed files belong to; `texts` has the Python files by their paths."""
    found: set[str] = set()
    for path in map(Path, changed):
        name, parts = path.as_posix(), path.parts
        if path.suffix in (".py", ".pyi") and parts[0] in ("src", "tests", "bench"):
            found.add(module_name(name))
        elif parts[:2] == ("rust", "src"):
            rooms = {module for module in graph.importers if module.startswith(f"{CORE}.")}
            room = parts[3] if parts[2] == "python" and len(parts) > 4 else parts[2]
            found |= {f"{CORE}.{room}"} & rooms or rooms
        elif parts[0] == "src":
            # a template, a script or a table of a package
            found |= {module for module, of in graph.paths.items() if Path(of).parent == path.parent}
        elif parts[0] == "tests":
            named = {path.name, path.parent.name}
            found |= {module_name(of) for of, text in texts.items() if any(word in text for word in named)}
    return found


def pick(changed: Iterable[str], texts: Mapping[str, str], graph: ImportGraph, **costs: Any) -> Picked:  # noqa: ANN401
    """The tests for these changed files, the nearest first.

    Parameters
    ----------
    changed
        Paths in the project; files that were removed too.
    texts
        The Python files of the project by their paths.
    graph
        Their imports.
    costs
        ``seconds`` by test file, and ``limit`` of their sum.
    """
    changed = sorted(changed)
    seconds, limit = costs["seconds"], costs["limit"]
    modules = find_modules(changed, graph, texts)
    distances = graph.distances(modules)
    own = {of for module in modules for of in own_tests(module)}
    near: dict[str, int] = {}
    for module, distance in distances.items():
        path = graph.paths.get(module, "")
        if path.startswith("tests/") and Path(path).name.startswith("test_"):
            near[path] = max(distance, 1)
        elif ">>> " in texts.get(path, "") and distance <= 1:
            near[path] = distance  # doctests
    near |= {path: 0 for path in own if path in texts}
    near |= {graph.paths[module]: 0 for module in modules if graph.paths.get(module) in near}
    rooms = {_room(graph.paths.get(module, "")) for module in modules}
    order = sorted(near, key=lambda of: (near[of], _room(of) not in rooms, seconds.get(of, UNKNOWN), of))
    taken: list[str] = []
    left_out: list[str] = []
    total = 0.0
    for path in order:
        total += seconds.get(path, UNKNOWN)
        (taken if near[path] == 0 or total <= limit else left_out).append(path)
    taken += [f"{EXAMPLES}[{path}]" for path in changed if path.endswith(".md") and (ROOT / path).exists()]
    if any(path.startswith("docs/") and path.endswith(".py") for path in changed):
        taken.append(REFERENCE)
    others = [path for path in changed if not path.startswith(("src/", "tests/", "bench/", "rust/src/"))]
    wanted = [*(ALWAYS if changed else ()), *(TOOLS if any(not of.endswith(".md") for of in others) else ())]
    taken += [path for path in dict.fromkeys(wanted) if path not in taken]
    return Picked(taken, [path for path in left_out if path not in taken])


def own_tests(module: str) -> list[str]:
    """Where the tests of a module are, by the rule of the house; the module itself if it is one of tests.

    Examples
    --------
    >>> own_tests("webstrata.graph.hosts"), own_tests("webstrata.testing")
    (['tests/graph/test_hosts.py'], ['tests/test_testing.py'])
    """
    parts = module.split(".")
    if parts[0] == "webstrata" and len(parts) > 1:
        *rooms, last = parts[1:]
        if rooms == ["cli"]:
            return [f"tests/stories/test_{last}.py"]
        return ["/".join(["tests", *rooms, f"test_{last}.py"])]
    return ["/".join(parts) + ".py"] if parts[-1].startswith("test_") else []


def _room(path: str) -> str:
    """The folder of a file below `src/webstrata` or `tests`."""
    return path.removeprefix("src/webstrata/").removeprefix("tests/").partition("/")[0]


# ---- files of the project


def list_files(root: Path) -> list[str]:
    """The files that git has or would add."""
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(words, cwd=root, capture_output=True, text=True, check=True).stdout
    return sorted({path for path in listed.split("\0") if path and (root / path).is_file()})


def find_changed(root: Path) -> set[str]:
    """The files that differ from the last run that passed, or, before the first, from the last commit."""
    passed = _read(root / PASSED)
    if passed:
        now = digests(root)
        return {path for path in passed.keys() | now.keys() if passed.get(path) != now.get(path)}
    words = ["git", "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"]
    listed = subprocess.run(words, cwd=root, capture_output=True, text=True, check=True).stdout
    return {line[3:] for line in listed.split("\0") if line}


def digests(root: Path) -> dict[str, str]:
    """A digest of each file of the project."""
    return {
        path: hashlib.blake2b((root / path).read_bytes(), digest_size=12).hexdigest()
        for path in list_files(root)
    }


def load_graph(root: Path, texts: Mapping[str, str]) -> ImportGraph:
    """The imports of all files; those that did not change since the last call are not parsed again."""
    known, files, fresh = _read(root / IMPORTS), {}, {}
    version = hashlib.blake2b(Path(__file__).read_bytes(), digest_size=12).hexdigest()
    for path, text in texts.items():
        key = hashlib.blake2b(text.encode(), digest_size=12).hexdigest() + version
        if known.get(path, {}).get("key") == key:
            entry = known[path]
            names = [(source, name) for source, name in entry["names"]]
            files[path] = Imports(names, entry["strings"], entry["verbs"])
        else:
            try:
                files[path] = read_imports(text, module_name(path), is_package=path.endswith("__init__.py"))
            except SyntaxError:
                files[path] = Imports()  # its tests say what is wrong
        fresh[path] = {"key": key, **asdict(files[path])}
    _write(root / IMPORTS, fresh)
    return ImportGraph(files)


def record_seconds(root: Path, seconds: Mapping[str, float]) -> None:
    """Remember how long each test file took."""
    _write(root / SECONDS, _read(root / SECONDS) | {path: round(took, 2) for path, took in seconds.items()})


def _read(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return found


def _write(path: Path, content: Mapping[str, object]) -> None:
    path.parent.mkdir(exist_ok=True)
    new = path.with_suffix(f".{os.getpid()}")
    new.write_text(json.dumps(content))
    new.replace(path)


def main(words: list[str]) -> int:
    """Print what pytest is to run, and on stderr how it was chosen."""
    if words == ["--passed"]:
        (ROOT / BEGUN).replace(ROOT / PASSED)
        return 0
    # what is changed while the tests run has not passed them
    _write(ROOT / BEGUN, digests(ROOT))
    if words == ["--begin"]:
        return 0
    changed = find_changed(ROOT)
    python = [path for path in list_files(ROOT) if path.endswith(".py") and not path.startswith("docs/")]
    texts = {path: (ROOT / path).read_text() for path in python}
    limit = LIMIT * (os.cpu_count() or 1)
    picked = pick(changed, texts, load_graph(ROOT, texts), seconds=_read(ROOT / SECONDS), limit=limit)
    print("\n".join(picked.arguments))
    count = f"{len(changed)} changed {'file' if len(changed) == 1 else 'files'}"
    rest = f"; {len(picked.left_out)} more reach the change, `make test` runs them" if picked.left_out else ""
    print(f"quick: {count}, {len(picked.arguments)} test files{rest}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
