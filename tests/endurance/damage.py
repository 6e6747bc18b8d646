"""Damaged parts, read by every command that reads them: `python -m tests.endurance.damage`.

A small collection with all parts is made once. A case damages one file of a copy of it and runs one command.
It is *refused* if the command ends with 2 and one sentence that names the file, or the part, and a command;
*unaffected* if the output is that of the sound collection; *unnoticed* if the command ends with 0 and other
output; everything else (a traceback, a signal, 130, more than a minute) is a *defect*.

Commands are run in two ways: as they are, and as if every file were too large to be compared when its part is
opened (``SMALL`` of `webstrata.collection.verify` is 0). In the second way a flipped bit may stay unnoticed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.command import find_server
from tests.endurance.page import to_table, write_section

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterable

    Done = subprocess.CompletedProcess[str]

ROOT = Path(__file__).parent.parent.parent
LABELS = ("2026-01", "2026-02")
NEW = LABELS[-1]
TOLD = ("part.toml", "SHA256SUMS", "XXH3SUMS")
"""Files that describe a part; commands that read a part do not read the first two."""

SETUP = """
[summaries]
min_df = 1
[simulate]
relevant = "query:{word}"
[spectrum]
arnoldi = 20
"""


# ---- the collection


def make(folder: Path) -> None:
    """Make a collection `uk` with two snapshots and every part, and ``verbs.json``, what reads it."""
    import webstrata as ws

    server = find_server()

    def run(*words: str) -> str:
        done = server.run(list(words), folder, dict(os.environ))
        if done.returncode:
            raise AssertionError(
                f"webstrata {' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}"
            )
        return done.stdout

    run("new", "uk")
    for month, label in enumerate(LABELS):
        web = ("--invitro", "tiny", "--invitro-seed", "7", "--month", str(month))
        run("crawl", "uk", label, *web, "--max-crawl-delay", "20ms")
        run("invitro", "truth", "uk", label, "--preset", "tiny", "--seed", "7", "--month", str(month))
    snapshot = ws.open(folder / "uk")[NEW]
    host = next(iter(snapshot.urls)).split("/")[2]
    url = next(url for url in snapshot.urls if f"//{host}/" in url)
    texts = (snapshot.text[node].text for node in range(20))
    word = Counter(re.findall(r"[a-z]{5,}", " ".join(texts).lower())).most_common(1)[0][0]
    (folder / "uk" / "collection.toml").write_text("format = 1\n" + SETUP.format(word=word))
    run("run", "uk", "--first", "store", "--off", "report")
    run("table", "put", "uk", url, "meta", "note", "seen twice")
    run("duplicates", "uk", NEW, "--near")
    run("index", "uk", "--partition", "documents")
    # rankings of `run` begin with those of the month before; built again, equal scores change places
    for record in list(snapshot.parts):
        if record.name.startswith("rank-"):
            snapshot.parts.remove(record.name)
    for words in list_verbs(url, word).values():
        run(*words)  # some build parts of their own
    (folder / "verbs.json").write_text(json.dumps(list_verbs(url, word)))


def list_verbs(url: str, word: str) -> dict[str, list[str]]:
    """Every command that reads parts, with its words; their output is the same each time."""
    host = url.split("/")[2]
    lines = [
        "show uk --json",
        f"get uk {url} --headers",
        f"get uk {url} --text",
        f"get uk {url} --text --main",
        f"get uk {url} --raw",
        f"ls uk {host} --host",
        f"diff uk {url} {LABELS[0]} {LABELS[1]}",
        f"history uk {url} --json",
        f"history uk {url} --in --json",
        f"search uk {word} --json",
        f"search uk {word} --partition documents",
        f"search uk {word} --at {LABELS[0]}",
        f"changes uk {word} --at {NEW} --json",
        f"similar uk {url} --at {NEW} --json",
        f"duplicates uk {NEW} --json",
        f"duplicates uk {NEW} --near --json",
        f"graph links uk {NEW} {url} --json",
        f"graph links uk {NEW} {url} --in",
        f"graph stats uk {NEW} --json",
        f"rank uk {NEW} --json",
        f"rank uk {NEW} --method cheirank",
        f"rank uk {NEW} --level host",
        f"plane uk {NEW} --json",
        f"spectrum uk {NEW} --json",
        f"summaries show uk {NEW} {url} --json",
        f"summaries stats uk {NEW} --json",
        "temporal stats uk --json",
        "temporal bias uk --json",
        f"simulate uk {NEW} --json",
        f"classify features uk {NEW} --json",
        f"table get uk {url} --json",
        "table scan uk --limit 20",
        f"crawl report uk {NEW} --output crawl.html",
        "report uk --output report.html",
        f"export uk {NEW} --wacz --output out.wacz",
        f"export uk {NEW} --parquet --output out.parquet",
        f"export uk {NEW} --trec --output out.trec",
        f"graph build uk {NEW}",
        "align uk",
        "index uk",
        f"store uk {NEW} --parts text,links,anchors",
        f"summaries build uk {NEW}",
        "run uk --first store --off report",
    ]
    return {line.replace(url, "URL").replace(word, "WORD"): line.split() for line in lines}


# ---- damage

DAMAGES: dict[str, Callable[[Path, random.Random], object]] = {}


def _damage(kind: str) -> Callable[[Callable[[Path, random.Random], object]], None]:
    def add(function: Callable[[Path, random.Random], object]) -> None:
        DAMAGES[kind] = function

    return add


def _replace(path: Path, data: bytes) -> None:
    """Put other content there, without changing the files of the sound collection that share it."""
    path.unlink()
    path.write_bytes(data)


def _flip(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    if data:
        data[min(place, len(data) - 1)] ^= 1 << place % 8
        _replace(path, bytes(data))


@_damage("bit flipped at the start")
def _(path: Path, chance: random.Random) -> None:
    _flip(path, chance.randrange(16))


@_damage("bit flipped in the middle")
def _(path: Path, _chance: random.Random) -> None:
    _flip(path, path.stat().st_size // 2)


@_damage("bit flipped at the end")
def _(path: Path, chance: random.Random) -> None:
    _flip(path, max(path.stat().st_size - 1 - chance.randrange(16), 0))


@_damage("bit flipped anywhere")
def _(path: Path, chance: random.Random) -> None:
    _flip(path, chance.randrange(max(path.stat().st_size, 1)))


@_damage("truncated to 0 bytes")
def _(path: Path, _chance: random.Random) -> None:
    _replace(path, b"")


@_damage("truncated to half")
def _(path: Path, _chance: random.Random) -> None:
    _replace(path, path.read_bytes()[: path.stat().st_size // 2])


@_damage("last byte missing")
def _(path: Path, _chance: random.Random) -> None:
    _replace(path, path.read_bytes()[:-1])


@_damage("grown by 100 bytes")
def _(path: Path, chance: random.Random) -> None:
    _replace(path, path.read_bytes() + chance.randbytes(100))


@_damage("replaced by random bytes")
def _(path: Path, chance: random.Random) -> None:
    _replace(path, chance.randbytes(path.stat().st_size))


@_damage("replaced by zeros")
def _(path: Path, _chance: random.Random) -> None:
    _replace(path, bytes(path.stat().st_size))


@_damage("replaced by another file of its kind")
def _(path: Path, chance: random.Random) -> None:
    root = next(folder for folder in path.parents if folder.name == "uk")
    same = [other for other in root.rglob(f"*{path.suffix}") if other.is_file() and not other.is_symlink()]
    others = [other for other in same if other.read_bytes() != path.read_bytes()]
    _replace(path, chance.choice(sorted(others)).read_bytes() if others else b"other")


@_damage("deleted")
def _(path: Path, _chance: random.Random) -> None:
    path.unlink()


@_damage("replaced by a directory")
def _(path: Path, _chance: random.Random) -> None:
    path.unlink()
    path.mkdir()


@_damage("folder of the part deleted")
def _(path: Path, _chance: random.Random) -> None:
    shutil.rmtree(next(folder for folder in path.parents if folder.parent.name in (".parts", "uk")))


# ---- cases


@dataclass(frozen=True)
class Case:
    """A file of the collection, what happens to it, the command that is run then."""

    file: str
    damage: str
    verb: str
    large: bool
    """Whether files count as too large to be compared when their part is opened."""
    seed: int = 0

    @property
    def part(self) -> str:
        """The part that has the file, without its generation; ``table`` for the table."""
        found = re.search(r"\.parts/([^/]+)\.\d+/", self.file)
        return found.group(1) if found else self.file.split("/")[1]

    def __str__(self) -> str:
        way = " (large)" if self.large else ""
        return f"{self.file}: {self.damage}; {self.verb}{way}"


@dataclass(frozen=True)
class Outcome:
    """What a command did: ``refused``, ``unaffected``, ``unnoticed`` or ``defect``."""

    case: Case
    kind: str
    said: str = ""


class Damage:
    """A sound collection, what commands print about it, and copies to be damaged."""

    def __init__(self, sound: Path, scratch: Path) -> None:
        self.sound, self.scratch = sound, scratch
        self.verbs: dict[str, list[str]] = json.loads((sound / "verbs.json").read_text())
        self.server = find_server()
        self.reads: dict[str, set[str]] = {}
        """The parts that a command opens."""
        self.outputs: dict[str, str] = {}
        self._copies = 0

    def copy(self, name: str) -> Path:
        """The collection once more; files are shared, but for those of the table, which is written to."""
        folder = self.scratch / name
        shutil.rmtree(folder, ignore_errors=True)
        shared = {"copy_function": os.link}
        shutil.copytree(self.sound / "uk", folder / "uk", symlinks=True, **shared)  # type: ignore[arg-type]
        for lock in (folder / "uk").rglob(".lock"):
            lock.unlink()  # the lock of a shared file would be shared
        shutil.rmtree(folder / "uk" / "table")
        shutil.copytree(self.sound / "uk" / "table", folder / "uk" / "table")
        return folder

    def run(self, verb: str, folder: Path, *, large: bool = False) -> Done:
        """Run a command; for ``large`` see `Case`."""
        environment = dict(os.environ) | {"WEBSTRATA_TEST_TRACE": str(folder / "trace")}
        if large:
            environment["WEBSTRATA_TEST_SMALL"] = "0"
        return self.server.run(self.verbs[verb], folder, environment)

    def learn(self) -> None:
        """Run every command on a sound copy, twice: what it prints and which parts it opens."""
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(self._learn, self.verbs))

    def _learn(self, verb: str) -> None:
        found = []
        folder = self.scratch
        for nth in range(2):
            folder = self.copy(f"sound-{list(self.verbs).index(verb)}-{nth}")
            done = self.run(verb, folder)
            assert done.returncode == 0, f"{verb}: {done.returncode}\n{done.stderr}"
            found.append(normal(done.stdout))
        self.reads[verb] = set((folder / "trace").read_text().split())
        if verb.startswith("table"):
            self.reads[verb].add("table")
        self.outputs[verb] = found[0] if found[0] == found[1] else ""

    def cases(self) -> list[Case]:
        """Every file of a part, each damage, each command that opens the part."""
        found: list[Case] = []
        root = self.sound / "uk"
        files = sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
        names = [path.relative_to(self.sound).as_posix() for path in files]
        for name in names:
            is_table = name.startswith("uk/table/")
            if not (is_table or "/.parts/" in name) or Path(name).name in ("LOCK", *TOLD[:2]):
                continue
            for damage in DAMAGES:
                if is_table and damage == "folder of the part deleted":
                    continue  # the table is no part: no manifest knows that there was one
                for verb in self.verbs:
                    for large in (False, True):
                        case = Case(name, damage, verb, large, seed=len(found))
                        if case.part in self.reads[verb]:
                            found.append(case)
        return found

    def try_case(self, case: Case) -> Outcome:
        """Damage a copy, run the command, judge what it did."""
        self._copies += 1
        folder = self.copy(f"case-{self._copies}")
        try:
            DAMAGES[case.damage](folder / case.file, random.Random(case.seed))
            done = self.run(case.verb, folder, large=case.large)
            return self._judge(case, done)
        except TimeoutError:
            return Outcome(case, "defect", "no answer within a minute")
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _judge(self, case: Case, done: Done) -> Outcome:
        last = done.stderr.strip().splitlines()[-1:] or [""]
        sentences = [line for line in done.stderr.splitlines() if line.startswith("webstrata: ")]
        if done.returncode == 0:
            same = normal(done.stdout) == self.outputs[case.verb] or not self.outputs[case.verb]
            return Outcome(case, "unaffected" if same else "unnoticed", last[0])
        if done.returncode == 2 and "Traceback" not in done.stderr:
            if case.verb.startswith("run "):
                return Outcome(case, "refused", last[0])
            named = len(sentences) == 1 and (
                case.part in sentences[0] or Path(case.file).name in sentences[0]
            )
            if named and ("`webstrata" in sentences[0] or "restore" in sentences[0]):
                return Outcome(case, "refused", sentences[0])
        return Outcome(case, "defect", f"exit {done.returncode}: {done.stderr[-3000:]}")


def normal(text: str) -> str:
    """Output without what differs from one run to the next: times, sizes and checksums of parts."""
    # a ranking that is built again ends within its error bound, not with the same last digits
    text = re.sub(r"\d\.\d{5,}(e-\d+)?", lambda found: f"{float(found.group()):.3g}", text)
    text = re.sub(
        r'"(seconds|built|bytes|version|generation|checksum|rate|error_bound|iterations|residual)": [^,}\n]*',
        "",
        text,
    )
    return re.sub(r"\d+(\.\d+)? (s|ms|pages/s|KiB|MiB|kB)\b", "", text)


def sample(cases: list[Case], number: int, seed: int) -> list[Case]:
    """Some of the cases, so that every part and every damage is among them as evenly as can be."""
    chance = random.Random(seed)
    by_part: dict[str, list[Case]] = {}
    for case in cases:
        by_part.setdefault(case.part, []).append(case)
    found: list[Case] = []
    for some in by_part.values():
        chance.shuffle(some)
    seen: Counter[str] = Counter()
    while len(found) < number and any(by_part.values()):
        for some in by_part.values():
            if some and len(found) < number:
                best = min(
                    range(min(len(some), 40)), key=lambda at: seen[some[at].damage] + seen[some[at].verb]
                )
                case = some.pop(best)
                seen.update([case.damage, case.verb])
                found.append(case)
    return found


def try_all(damage: Damage, cases: Iterable[Case], *, threads: int = 2) -> list[Outcome]:
    """Try cases, some at a time."""
    found = []
    with ThreadPoolExecutor(threads) as pool:
        for outcome in pool.map(damage.try_case, cases):
            found.append(outcome)
            if outcome.kind in ("unnoticed", "defect"):
                print(f"{outcome.kind}: {outcome.case}\n    {outcome.said.strip()}", flush=True)
    return found


# ---- the page


def to_section(outcomes: list[Outcome]) -> str:
    """A table with a row per kind of damage and way, and what commands did."""
    kinds = ("refused", "unaffected", "unnoticed", "defect")
    counts = Counter((each.case.damage, each.case.large, each.kind) for each in outcomes)
    rows = []
    for damage in DAMAGES:
        for large in (False, True):
            numbers = [counts[damage, large, kind] for kind in kinds]
            if sum(numbers):
                rows.append((damage, "large files" if large else "small files", sum(numbers), *numbers))
    header = ("damage", "way", "tried", "refused", "unaffected", "not noticed", "defects")
    parts = len({each.case.part for each in outcomes})
    verbs = len({each.case.verb for each in outcomes})
    said = f"{len(outcomes):,} cases: {parts} parts, {len(DAMAGES)} kinds of damage, {verbs} commands."
    return f"{said}\n\n{to_table(header, rows, numbers=range(2, 7))}"


def main() -> None:
    """Damage every part in every way and run every command that reads it, or some of that."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--number", type=int, help="how many cases; default: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--collection", type=Path, help="a folder that `make` filled; default: a new one")
    parser.add_argument("--only", default="", help="only commands that match this regular expression")
    parser.add_argument("--write", action="store_true", help="put the table into docs/reference/trust.md")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="damage-") as name:
        sound = chosen.collection or Path(name) / "sound"
        if not (sound / "verbs.json").exists():
            sound.mkdir(exist_ok=True, parents=True)
            make(sound)
        damage = Damage(sound, sound.parent / f"{sound.name}-copies")
        try:
            damage.verbs = {
                verb: words for verb, words in damage.verbs.items() if re.search(chosen.only, verb)
            }
            damage.learn()
            cases = damage.cases()
            print(f"{len(cases)} cases")
            outcomes = try_all(damage, sample(cases, chosen.number or len(cases), chosen.seed))
        finally:
            shutil.rmtree(damage.scratch, ignore_errors=True)
    print(Counter(outcome.kind for outcome in outcomes))
    print(to_section(outcomes))
    if chosen.write:
        write_section("damage", to_section(outcomes))
    if any(outcome.kind == "defect" for outcome in outcomes):
        sys.exit("mend it, and keep what was wrong as a test of the reader")


if __name__ == "__main__":
    main()
