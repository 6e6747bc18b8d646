"""The published HTML files of one commit of a git repository, as captures of a site.

The path below the root folder is the path of the URL, by the rule of `webstrata.archive.html_folder`:
``docs/a b.html`` is ``/docs/a%20b.html``, and ``index.html`` is its folder. Files whose name ends in
``.html``, ``.htm``, ``.xhtml`` or ``.shtml`` are pages, and so are files without an ending that begin as HTML
does. Symbolic links and submodules are left out.

Files are read with the program `git` (``ls-tree`` and ``cat-file --batch``), from bare repositories and from
working copies alike; the working copy itself is not looked at. No hook and no filter of the repository runs,
and nothing is fetched from elsewhere: a file whose contents are missing counts as damaged.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, NamedTuple

from webstrata.archive.html_folder import ENDINGS, is_html, page_record, url_path
from webstrata.archive.warc import MAX_BLOCK
from webstrata.errors import MissingError, UsageError

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator, Sequence

    from webstrata.archive.tally import Tally
    from webstrata.archive.warc import Record


class GitState(NamedTuple):
    """One state of a published site."""

    commit: str
    """The full ID of the commit."""
    root: str
    """The folder inside the repository that the site consists of; empty for all of it."""
    date: dt.datetime
    """When its pages count as captured."""


class TreeFile(NamedTuple):
    """A file of a commit."""

    path: bytes
    """Below the root folder."""
    blob: str
    size: int


def call_git(repository: Path, words: Sequence[str]) -> bytes:
    """The output of a git command in a repository, or `UsageError` with what git says.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> _ = call_git(folder, ["init", "--quiet"])
    >>> call_git(folder, ["rev-parse", "--git-dir"]).decode().strip()
    '.git'
    >>> call_git(testing.scratch(), ["rev-parse", "--git-dir"])
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...: this is not a git repository; name its folder, bare or a working copy
    """
    if not repository.is_dir():
        raise MissingError(f"{repository}: there is no such folder; name a git repository")
    try:
        done = subprocess.run(
            _command(repository, words), capture_output=True, env=_environment(), check=False
        )
    except FileNotFoundError:
        raise _no_git() from None
    if done.returncode == 0:
        return done.stdout
    said = done.stderr.decode(errors="replace").strip().splitlines()
    if any("not a git repository" in line for line in said):
        raise MissingError(
            f"{repository}: this is not a git repository; name its folder, bare or a working copy"
        )
    told = said[0].removeprefix("fatal: ") if said else f"exit code {done.returncode}"
    raise UsageError(f"{repository}: `git {words[0]}` failed: {told}")


def list_files(repository: Path, commit: str, root: str) -> list[TreeFile]:
    """The files of a commit below a folder, in the order of their paths, without links and submodules.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> _ = (folder / "index.html").write_text("<p>Fish"), (folder / "style.css").write_text("")
    >>> identity = ["-c", "user.name=me", "-c", "user.email=me@example.org"]
    >>> for words in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "Begin"]):
    ...     _ = call_git(folder, words)
    >>> [(file.path, file.size) for file in list_files(folder, "HEAD", "")]
    [(b'index.html', 7), (b'style.css', 0)]
    """
    tree = f"{commit}:{root}" if root else commit
    listed = call_git(repository, ["ls-tree", "-r", "-z", "-l", "--full-tree", tree])
    found = []
    for entry in listed.split(b"\0"):
        if not entry:
            continue
        facts, _, path = entry.partition(b"\t")
        mode, kind, blob, size = facts.decode().split()
        if kind == "blob" and mode != "120000":
            found.append(TreeFile(path, blob, int(size) if size.isdigit() else 0))
    return found


def may_be_page(path: bytes) -> bool:
    """Whether the name of a file allows a page: by its ending, or by having none.

    Examples
    --------
    >>> may_be_page(b"a/b.HTML"), may_be_page(b"LICENSE"), may_be_page(b"a.css")
    (True, True, False)
    """
    suffix = _suffix(path)
    return not suffix or suffix in ENDINGS


def page_url(base_url: str, path: bytes) -> str:
    """The URL of a file of a published site, whose base URL ends with a slash.

    Examples
    --------
    >>> page_url("https://example.org/", b"docs/index.html")
    'https://example.org/docs/'
    """
    return base_url + url_path(path.split(b"/"))


def read_git(repository: Path, state: GitState, tally: Tally, *, base_url: str) -> Iterator[Record]:
    """The pages of a commit as WARC records of kind ``resource``, in the order of their paths.

    Parameters
    ----------
    repository
        Its folder.
    state
        Which commit, which folder of it, and when its pages count as captured.
    tally
        Counts what was left out or could not be read.
    base_url
        The URL of the root folder, with a slash at its end.

    Examples
    --------
    >>> import datetime as dt
    >>> from webstrata import testing
    >>> from webstrata.archive.tally import Tally
    >>> folder = testing.scratch()
    >>> _ = (folder / "index.html").write_text("<p>Fish"), (folder / "style.css").write_text("")
    >>> identity = ["-c", "user.name=me", "-c", "user.email=me@example.org"]
    >>> for words in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "Begin"]):
    ...     _ = call_git(folder, words)
    >>> state = GitState("HEAD", "", dt.datetime(2026, 6, 1, tzinfo=dt.UTC))
    >>> records = read_git(folder, state, Tally(), base_url="https://example.org/")
    >>> [(record.url, record.block) for record in records]
    [('https://example.org/', b'<p>Fish')]
    """
    chosen = []
    for file in list_files(repository, state.commit, state.root):
        if may_be_page(file.path) and file.size <= MAX_BLOCK:
            chosen.append(file)
        else:
            tally.leave_out("not HTML")
    for file, block in read_blobs(repository, chosen):
        if block is None:
            tally.damaged(os.fsdecode(file.path), 0, f"the repository has no contents of blob {file.blob}")
        elif not _suffix(file.path) and not is_html(block[:1024]):
            tally.leave_out("not HTML")
        else:
            yield page_record(page_url(base_url, file.path), block, state.date, _suffix(file.path))


def read_blobs(repository: Path, files: Sequence[TreeFile]) -> Iterator[tuple[TreeFile, bytes | None]]:
    """The contents of files in their order; nothing where the repository does not have them.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> _ = (folder / "index.html").write_text("<p>Fish")
    >>> for words in (["init", "-q"], ["add", "."]):
    ...     _ = call_git(folder, words)
    >>> blob = call_git(folder, ["hash-object", "index.html"]).decode().strip()
    >>> [content for _, content in read_blobs(folder, [TreeFile(b"index.html", blob, 7)])]
    [b'<p>Fish']
    """
    if not files:
        return
    try:
        process = subprocess.Popen(
            _command(repository, ["cat-file", "--batch"]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
        )
    except FileNotFoundError:
        raise _no_git() from None
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        for file in files:
            process.stdin.write(file.blob.encode() + b"\n")
            process.stdin.flush()
            yield file, _read_blob(process.stdout, repository)
    finally:
        process.stdin.close()
        process.stdout.close()
        process.kill()
        process.wait()


def _read_blob(stream: IO[bytes], repository: Path) -> bytes | None:
    head = stream.readline()
    if head.endswith(b" missing\n"):
        return None
    try:
        size = int(head.split()[2])
    except (IndexError, ValueError):
        raise UsageError(
            f"{repository}: `git cat-file` ended early; check the repository with `git fsck`"
        ) from None
    block = stream.read(size)
    stream.read(1)
    return block


def _suffix(path: bytes) -> str:
    return PurePosixPath(os.fsdecode(path)).suffix.lower()


def _command(repository: Path, words: Sequence[str]) -> list[str]:
    return ["git", "--no-replace-objects", "-C", str(repository), *words]


def _environment() -> dict[str, str]:
    """Without variables that point git elsewhere; missing objects are not fetched."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {"GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}


def _no_git() -> MissingError:
    return MissingError("the program git is not installed; install it to read repositories")
