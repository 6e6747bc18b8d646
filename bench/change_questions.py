r"""Questions about the histories of published sites, derived from commits.

``python -m bench.change_questions FOLDER [SITE …]``, where FOLDER has the repositories of `SITES` as
``OWNER+NAME/repo``, writes one file per site, ``bench/questions/SITE.tsv``: commit, date, the two snapshots,
subject and right URLs. The files are committed, and were committed before any ranking was run on them. They
have these facts about public commits, and nothing of the sites. The rule uses no part of webstrata except the
rule from paths to URLs:

- **Commits** are all of the branch except merges, with a committer time in the interval (t₁, t₂] between two
  snapshots. Snapshots are those of `Site.dates`, each at the end of its day, UTC.
- **The query** is the subject of the commit, unedited. Where sources and published pages are committed apart
  (*Rebuild website*), a commit whose own subject is not a query gets that of the commit before it, if that is
  one, touches no published page and is the only one since pages were published last.
- **Words** of a page are ``\w+`` of its HTML without comments, scripts, styles and tags, in lower case.
- **Right pages** are those that the commit *added* (`MIN_WORDS` words or more, and git finds no page that it
  was moved from) or *rewrote*: the new words (the multiset of words after less that before) are at least
  `MIN_WORDS` and at least `MIN_SHARE` of all its words after.
- A right page must still be published at t₂. Feeds and lists of posts or tags (`LISTING`) are not right
  pages.
- **A commit gives a question** if it has 1 to `MAX_RIGHT` right pages, and at most `MAX_TOUCHED` pages
  changed; more is a rebuild or a new layout.
- **A subject is a query** if at least `MIN_TERMS` words with two letters or more remain after issue keys,
  numbers of issues and hexadecimal IDs are removed, it does not begin with *merge* or *revert*, and no more
  than `MAX_REPEATS` commits of the branch have it (digits and case aside): ``Rebuild website`` says nothing.
- Of more than `MAX_QUESTIONS` questions of a site those with the smallest commit IDs are taken, which is a
  random choice; of several with the same subject and interval the first.
"""

from __future__ import annotations

import html
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

QUESTIONS = Path(__file__).with_name("questions")
MIN_WORDS = 50
MIN_SHARE = 0.2
MAX_RIGHT = 5
MAX_TOUCHED = 1000
MIN_TERMS = 3
MAX_REPEATS = 2
MAX_QUESTIONS = 100
LISTING = re.compile(
    r"(^|/)(feeds?|tags?|categor(y|ies)|archives?|page-?\d+)(/|\.|$)|(^|/)(blog|news)(/index)?\.html$"
)
_ENDINGS = (".html", ".htm", ".xhtml", ".shtml")
_NOT_TEXT = re.compile(r"<!--.*?-->|<(script|style|template)\b.*?</\1\s*>|<[^>]*>", re.IGNORECASE | re.DOTALL)
_KEYS = re.compile(r"\[?\b[A-Z][A-Z0-9]+-\d+\]?:?|#\d+|\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b")


@dataclass(frozen=True)
class Site:
    """A published site whose history is a git repository."""

    name: str
    repository: str
    branch: str
    root: str
    host: str
    dates: tuple[str, ...]
    use: str
    """``tune``: defaults were chosen here; ``report``: reported; ``untouched``: added after the choice."""


def _years(first: int, last: int) -> tuple[str, ...]:
    return tuple(f"{year}-01-01" for year in range(first, last + 1))


SITES = [
    Site("flink", "apache/flink-web", "asf-site", "content", "flink.apache.org", _years(2016, 2024), "tune"),
    Site("llvm", "llvm/llvm-www", "main", "", "llvm.org", _years(2016, 2026), "tune"),
    Site("wcag", "w3c/wcag", "main", "", "w3c.github.io", _years(2017, 2026), "tune"),
    Site("drill", "apache/drill-site", "asf-site", "", "drill.apache.org", _years(2016, 2021), "report"),
    Site("openbsd", "openbsd/www", "master", "", "www.openbsd.org", _years(2016, 2026), "report"),
    Site("i18n", "w3c/i18n-drafts", "gh-pages", "", "www.w3.org", _years(2017, 2025), "report"),
    Site("aria", "w3c/aria-practices", "main", "", "www.w3.org", _years(2017, 2025), "report"),
    Site("curl", "curl/curl-www", "master", "", "curl.se", _years(2014, 2024), "untouched"),
]  # fmt: skip


@dataclass(frozen=True)
class Question:
    """A commit as a query with its right pages."""

    commit: str
    date: str
    before: str
    after: str
    subject: str
    right: tuple[str, ...]


def read_questions(site: str, folder: Path = QUESTIONS) -> list[Question]:
    """The questions of a site, as they are committed."""
    lines = (folder / f"{site}.tsv").read_text(encoding="utf-8").splitlines()
    cells = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return [
        Question(commit, date, before, after, subject, tuple(right))
        for commit, date, before, after, subject, *right in cells
    ]


def write_questions(site: str, questions: list[Question], folder: Path = QUESTIONS) -> None:
    """Write the questions of a site, in the order of their dates."""
    head = "# commit\tdate\tbefore\tafter\tsubject\tright URLs\n"
    lines = ["\t".join([q.commit, q.date, q.before, q.after, q.subject, *q.right]) + "\n" for q in questions]
    folder.mkdir(exist_ok=True)
    (folder / f"{site}.tsv").write_text(head + "".join(lines), encoding="utf-8")


# ---- the rule


def is_query(subject: str, repeats: int) -> bool:
    """Whether the subject of a commit says what it is about."""
    if repeats > MAX_REPEATS or re.match(r"(merge|revert)\b", subject, re.IGNORECASE) or "\t" in subject:
        return False
    return len(re.findall(r"[^\W\d_]{2,}", _KEYS.sub(" ", subject))) >= MIN_TERMS


def plain_subject(subject: str) -> str:
    """A subject without case and digits, by which repeats are found."""
    return re.sub(r"[\W\d_]+", " ", _KEYS.sub(" ", subject).lower()).strip()


def count_words(page: bytes) -> Counter[str]:
    """The words of a page."""
    text = html.unescape(_NOT_TEXT.sub(" ", page.decode("utf-8", "replace")))
    return Counter(re.findall(r"\w+", text.lower()))


def is_right(before: bytes | None, after: bytes) -> bool:
    """Whether a page was added, or rewritten."""
    words = count_words(after)
    new = words - count_words(before) if before is not None else words
    return new.total() >= max(MIN_WORDS, MIN_SHARE * words.total())


# ---- git


class Repository:
    """What the rule needs of a git repository."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._blobs = subprocess.Popen(
            ["git", "-C", str(path), "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def close(self) -> None:
        """End the process that reads files."""
        self._blobs.communicate()

    def call(self, *words: str) -> str:
        """The output of a git command."""
        done = subprocess.run(["git", "-C", str(self.path), *words], capture_output=True, check=True)
        return done.stdout.decode("utf-8", "surrogateescape")

    def blob(self, name: str) -> bytes | None:
        """The contents of a file, where they are there."""
        stdin, stdout = self._blobs.stdin, self._blobs.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(name.encode() + b"\n")
        stdin.flush()
        head = stdout.readline().split()
        if head[-1] == b"missing":
            return None
        block = stdout.read(int(head[2]))
        stdout.read(1)
        return block

    def paths(self, commit: str) -> set[str]:
        """The files of a commit."""
        return set(self.call("ls-tree", "-r", "-z", "--name-only", commit).split("\0"))


@dataclass(frozen=True)
class Touched:
    """A page that a commit added or changed."""

    path: str
    before: str
    """The blob, empty for a page that was added."""
    after: str


def list_touched(repository: Repository, commit: str, root: str) -> list[Touched]:
    """The pages below a folder that a commit added or changed; of a page that moved, what it was before."""
    words = ("diff-tree", "-r", "-z", "--no-commit-id", commit, "--", root or ".")
    try:
        fields = repository.call(*words[:2], "-M", *words[2:]).split("\0")
    except subprocess.CalledProcessError:  # contents of some file are missing, and moves cannot be found
        fields = repository.call(*words).split("\0")
    found, place = [], 0
    while place + 1 < len(fields):
        _, _, old, new, status = fields[place].lstrip(":").split()
        paths = 2 if status[0] in "RC" else 1
        path = fields[place + paths]
        place += 1 + paths
        if status[0] != "D" and path.lower().endswith(_ENDINGS):
            found.append(Touched(path, "" if status[0] == "A" else old, new))
    return found


def derive(site: Site, folder: Path) -> list[Question]:
    """The questions of a site by the rule."""
    from webstrata.archive.git_tree import page_url
    from webstrata.store.ingest.git_history import end_of_label, find_states

    repository = Repository(folder / site.repository.replace("/", "+") / "repo")
    states = find_states(repository.path, at=site.dates, root=site.root, branch=site.branch)
    published = {each.label: repository.paths(each.state.commit) for each in states}
    ends = [(label, end_of_label(label).timestamp()) for label in site.dates]
    log = repository.call("log", "--no-merges", "--format=%H%x00%ct%x00%cs%x00%s", site.branch)
    commits = [line.split("\0") for line in log.splitlines()]
    repeats = Counter(plain_subject(subject) for *_, subject in commits)
    found: list[Question] = []
    waiting: list[str] = []  # subjects of commits since pages were published last
    for commit, seconds, date, own in reversed(commits):
        after = next((place for place, (_, end) in enumerate(ends) if int(seconds) <= end), None)
        if not after:
            continue
        touched = list_touched(repository, commit, site.root)
        if not touched:
            waiting.append(own)
            continue
        subject = own
        if not is_query(own, repeats[plain_subject(own)]) and len(waiting) == 1:
            [subject] = waiting
        waiting = []
        if len(touched) > MAX_TOUCHED or not is_query(subject, repeats[plain_subject(subject)]):
            continue
        label = ends[after][0]
        right = []
        for page in touched:
            if page.path not in published[label] or LISTING.search(page.path):
                continue
            now, then = repository.blob(page.after), repository.blob(page.before) if page.before else None
            if now is not None and (then is not None or not page.before) and is_right(then, now):
                path = page.path.removeprefix(f"{site.root}/") if site.root else page.path
                right.append(page_url(f"https://{site.host}/", path.encode("utf-8", "surrogateescape")))
        if 1 <= len(right) <= MAX_RIGHT:
            found.append(Question(commit, date, ends[after - 1][0], label, subject, tuple(sorted(right))))
    repository.close()
    unique = {(question.subject, question.after): question for question in reversed(found)}
    chosen = sorted(unique.values(), key=lambda question: question.commit)[:MAX_QUESTIONS]
    return sorted(chosen, key=lambda question: (question.date, question.commit))


def main() -> None:
    """Write the questions of the sites named, or of all."""
    folder, names = Path(sys.argv[1]), sys.argv[2:]
    for site in SITES:
        if not names or site.name in names:
            questions = derive(site, folder)
            write_questions(site.name, questions)
            intervals = Counter(question.after for question in questions)
            print(
                f"{site.name}: {len(questions)} questions; "
                + ", ".join(f"{k}: {v}" for k, v in sorted(intervals.items()))
            )


if __name__ == "__main__":
    main()
