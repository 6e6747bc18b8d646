"""Checks the language of docs and code: phrases that a native technical editor would replace.

::

    python docs/words.py            check; end with 1 and one line per phrase if a page or room has too many
    python docs/words.py --count    print how many phrases each page and room has
    python docs/words.py --list src/crawl    print those of some pages or rooms
    python docs/words.py --lower    write smaller numbers into docs/words.toml; they never grow

Pages of `docs`, README.md and the other pages next to it must be free of the phrases in `PHRASES`, except in
code, link targets and comments. Strings and comments of `src` and `rust/src` are counted per room, because
much of the code is older than the check: docs/words.toml has the maximum for each room, which may only fall.

Mark a deliberate use in its paragraph with `<!-- words: ok -->`, or in code with `# words: ok` (Rust:
`// words: ok`) on one of its lines. A check does not make prose good: it keeps out what reviews found most.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
import tokenize
import tomllib
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT = Path(__file__).resolve().parent.parent
ALLOWED = Path(__file__).resolve().parent / "words.toml"
GENERATED = "<!-- Written by docs/generate.py"
"""Pages with this line repeat the code, where their words are counted."""
OK = "words: ok"

NOUNS = (
    "row|line|file|column|folder|sheet|bit|byte|number|record|entry|URL|segment|thread|loop|process|page|table"
    "|chart|shard|letter"
)
COMPARATIVES = (
    "longer|more|less|fewer|better|worse|larger|smaller|wider|higher|lower|slower|faster|shorter|deeper"
)
PHRASES = {
    r"\banew\b": "again, from the start",
    r"\bafresh\b": "again",
    r"\bheed(?:s|ed|ing)?\b": "use, obey, apply",
    r"\b(?:go|goes|gone|went|going) on\b": "continue, resume",
    r"\bof (?:yours|ours|mine|theirs)\b": "your own, webstrata's",
    r"\b(?:is|are|be|been|was|were|not) told\b": "report, state, recognize",
    r"\btold apart\b": "distinguished",
    r"\b(?:if not|unless|where not) told\b": "default",
    rf"(?<!\bthere )(?<!\bThere )\b(?:is|are) no (?!(?:{COMPARATIVES})\b)[\w-]+": "is not a …",
    r"\bturn(?:s|ed|ing)? (?:all \w+ )?round\b": "transpose, reverse",
    r"\b(?:taken|takes|took|taking) over\b": "reuse, import",
    r"\bweb that does not exist\b": "synthetic web",
    r"\bin[ -]vitro\b": "synthetic, on a synthetic web",
    r"\bwho(?:ever)? asks\b": "clients, larger values",
    r"\bwhoever\b": "users who, if you",
    rf"\ban? (?:{NOUNS}) an? (?!few\b|little\b|lot\b)": "one … per …",
    r"\bin place of\b": "instead of",
    r"\b(?:is|are|was|were|be|been) passed over\b": "skipped",
    r"\bbeside\b": "next to, compared with",
    r"\bvouch(?:es|ed)?\b": "trusted, untrusted",
    r"\bout of force\b": "commented out",
    r"\bin force\b": "current, in effect",
    r"\b(?:broken|breaks|break|broke|breaking) off\b": "interrupted",
    r"\bmend(?:s|ed|ing)?\b": "fix, correct",
    r"\bdealt out\b": "permuted, distributed",
    r"\b(?:is|are|was|were) not there\b": "is missing",
    r"\band (?:its|their) kin\b": "and similar",
    r"\bwill do\b": "suffices, works",
    r"\bbytes of strangers\b": "untrusted input",
    r"\bwho goes on\b": "the resumed run",
}
SEARCH = [(re.compile(pattern, re.IGNORECASE), advice) for pattern, advice in PHRASES.items()]


@dataclass(frozen=True)
class Passage:
    """A piece of prose and its first line; each line of the text is a line of the file."""

    line: int
    text: str


@dataclass(frozen=True)
class Found:
    """A phrase in a file."""

    place: str
    line: int
    phrase: str
    advice: str

    def __str__(self) -> str:
        return f"{self.place}:{self.line}: “{self.phrase}”: rather {self.advice}"


def find_phrases(passage: Passage) -> Iterator[tuple[int, str, str]]:
    """Line, phrase and advice of each phrase of a passage, however its lines are broken."""
    words, starts, lines, position = [], [], [], 0
    for number, line in enumerate(passage.text.split("\n"), passage.line):
        for word in line.split():
            words.append(word)
            starts.append(position)
            lines.append(number)
            position += len(word) + 1
    text = " ".join(words)
    for pattern, advice in SEARCH:
        for match in pattern.finditer(text):
            yield lines[bisect_right(starts, match.start()) - 1], match[0], advice


def read_page(text: str) -> Iterator[Passage]:
    """The paragraphs of a page, without code, targets of links, attributes and comments."""

    def blank(match: re.Match[str]) -> str:
        return "\n" * match[0].count("\n") or " "

    text = re.sub(r"^([ \t]*)(```+|~~~+).*?^\1\2[ \t]*$", blank, text, flags=re.MULTILINE | re.DOTALL)
    number = 1
    for paragraph in re.split(r"(\n[ \t]*\n)", text):
        if OK not in paragraph:
            plain = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "`", paragraph, flags=re.DOTALL)
            plain = re.sub(r"<!--.*?-->|<[^<>]*>|\{ *#[^{}]*\}", blank, plain, flags=re.DOTALL)
            yield Passage(number, re.sub(r"\]\([^()]*(?:\([^()]*\)[^()]*)*\)", "]", plain))
        number += paragraph.count("\n")


def read_python(text: str) -> Iterator[Passage]:
    """The strings and comments of a module; consecutive lines of comments are one passage."""
    marked = {number for number, line in enumerate(text.split("\n"), 1) if OK in line}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            end = node.end_lineno or node.lineno
            if " " in node.value and marked.isdisjoint(range(node.lineno, end + 1)):
                yield Passage(node.lineno, node.value)
    comments = {
        token.start[0]: token.string.lstrip("#: ")
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT and token.start[0] not in marked
    }
    yield from _join(comments)


def read_rust(text: str) -> Iterator[Passage]:
    """The comments and strings of a Rust file, found by regular expressions."""
    comments = {}
    for number, line in enumerate(text.split("\n"), 1):
        if OK in line:
            continue
        comment = re.search(r"(?<![:\"\w])//[/!]? ?(.*)", line)
        if comment:
            comments[number] = comment[1]
        for string in re.findall(r'"((?:[^"\\]|\\.)* (?:[^"\\]|\\.)*)"', line[: comment and comment.start()]):
            yield Passage(number, string)
    yield from _join(comments)


def _join(comments: dict[int, str]) -> Iterator[Passage]:
    first = None
    for number in sorted(comments):
        if number - 1 not in comments:
            first = number
        if number + 1 not in comments and first is not None:
            yield Passage(first, "\n".join(comments[line] for line in range(first, number + 1)))


def find_in_file(path: Path) -> list[Found]:
    """The phrases of a page or of a source file."""
    readers = {".py": read_python, ".pyi": read_python, ".rs": read_rust}
    text, place = path.read_text(), path.relative_to(ROOT).as_posix()
    passages = readers.get(path.suffix, read_page)(text)
    return sorted(
        (Found(place, *found) for passage in passages for found in find_phrases(passage)),
        key=lambda found: found.line,
    )


def list_pages() -> Iterator[Path]:
    """Every page that is not generated, and the introductions of those that are."""
    yield ROOT / "docs" / "intros.toml"
    for path in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]):
        if GENERATED not in path.read_text():
            yield path


def list_sources() -> Iterator[Path]:
    """Every source file of the package and of the core."""
    for pattern in ("src/webstrata/**/*.py", "src/webstrata/**/*.pyi", "rust/src/**/*.rs"):
        yield from sorted(ROOT.glob(pattern))


def room_of(place: str) -> str:
    """The page itself, or the room of a source file.

    >>> room_of("src/webstrata/crawl/run.py"), room_of("rust/src/rank/fold.rs"), room_of("docs/index.md")
    ('src/crawl', 'rust/rank', 'docs/index.md')
    """
    words = place.split("/")
    if words[:2] == ["src", "webstrata"]:
        return "/".join(["src", *words[2:-1][:1]])
    if words[:2] == ["rust", "src"]:
        return "/".join(["rust", *words[2:-1][:1]])
    return place


def find_all() -> dict[str, list[Found]]:
    """The phrases of each page and room that contains any."""
    found: dict[str, list[Found]] = {}
    for path in [*list_pages(), *list_sources()]:
        for one in find_in_file(path):
            found.setdefault(room_of(one.place), []).append(one)
    return found


def read_allowed() -> dict[str, int]:
    """The maximum number of phrases for each room or page."""
    return dict(tomllib.loads(ALLOWED.read_text())["allowed"]) if ALLOWED.is_file() else {}


def find_problems(found: dict[str, list[Found]], allowed: dict[str, int]) -> list[str]:
    """For each page or room above its maximum, one line that says so and one line per phrase."""
    problems = []
    for room, phrases in sorted(found.items()):
        most = allowed.get(room, 0)
        if len(phrases) > most:
            problems.append(
                f"{room}: phrases to avoid: {len(phrases)}, allowed: {most}; rewrite the new ones, or mark a "
                f"deliberate one with `{OK}`"
            )
            problems += [f"    {phrase}" for phrase in phrases]
    return problems


def lower(allowed: dict[str, int], counts: Counter[str]) -> dict[str, int]:
    """The maxima, reduced to the current numbers where these are smaller.

    >>> lower({"src/crawl": 5, "src/rank": 2, "src/web": 1}, Counter({"src/crawl": 3, "src/rank": 4}))
    {'src/crawl': 3, 'src/rank': 2}
    """
    fallen = {room: min(most, counts[room]) for room, most in allowed.items()}
    return {room: most for room, most in sorted(fallen.items()) if most > 0}


def write_allowed(allowed: dict[str, int]) -> None:
    """Write docs/words.toml."""
    lines = [f'"{room}" = {most}' for room, most in sorted(allowed.items())]
    head = (
        "# Maximum number of phrases that docs/words.py may find in each room or page. The numbers may only\n"
        "# fall: rewrite some, then run `python docs/words.py --lower`.\n"
    )
    ALLOWED.write_text(head + "\n".join(["[allowed]", *lines]) + "\n")


def main(arguments: Iterable[str]) -> int:
    """Check, count, list or lower."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--count", action="store_true", help="Print the number of phrases per page and room.")
    parser.add_argument("--list", nargs="+", metavar="ROOM", help="Print the phrases of pages or rooms.")
    parser.add_argument("--lower", action="store_true", help="Write lower numbers to docs/words.toml.")
    options = parser.parse_args(list(arguments))
    found, allowed = find_all(), read_allowed()
    counts = Counter({room: len(phrases) for room, phrases in found.items()})
    if options.list:
        chosen = [
            one for room in sorted(found) if room.startswith(tuple(options.list)) for one in found[room]
        ]
        print("\n".join(map(str, chosen)))
        return 0
    if options.count:
        for room, number in sorted(counts.items()):
            print(f"{number:6} of {allowed.get(room, 0):4}  {room}")
        print(f"{counts.total():6}          in all")
        return 0
    if options.lower:
        write_allowed(lower(allowed, counts))
        return 0
    problems = find_problems(found, allowed)
    print("\n".join(problems), end="\n" if problems else "", file=sys.stderr)
    if not problems and lower(allowed, counts) != allowed:
        print("docs/words.toml: some numbers have fallen; run `python docs/words.py --lower`")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
