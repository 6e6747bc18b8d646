"""The history of a published site becomes snapshots: one per date, named by the date.

A repository of published HTML (a branch like ``asf-site`` or ``gh-pages``) has every state that the site had.
The state at a date is the last commit of the branch, along first parents, whose committer time is not after
the end of the date in UTC: ``2026-06-12`` includes that day, ``2026-06`` that month, ``2026-06-12T1830`` that
minute. All pages of a snapshot count as captured at this end. URLs are those of `webstrata.archive.git_tree`
below ``SCHEME://HOST/``. Every snapshot has all payloads, so that it stands alone; pages that are the same as
in the snapshot before are not parsed again.

Everything is checked before the first snapshot is made. Each snapshot is there whole or not at all. A
snapshot that the same repository, commit, root and host made before is kept, so that running the same command
resumes after an interruption.
"""

from __future__ import annotations

import datetime as dt
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from webstrata.archive.git_tree import GitState, call_git, list_files, may_be_page
from webstrata.archive.html_folder import ENDINGS
from webstrata.collection.action import Action
from webstrata.collection.collection import MAX_SNAPSHOTS
from webstrata.collection.progress import Progress
from webstrata.collection.snapshot_dates import parse_snapshot_date
from webstrata.collection.tables import Table
from webstrata.errors import DateError, ExistsError, MissingError, UsageError
from webstrata.store.ingest.readers import Source
from webstrata.store.ingest.run import IngestResult, ingest_sources
from webstrata.web.url import normalize

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from os import PathLike
    from typing import Any, Literal

    from webstrata.collection import Collection, Snapshot

SCHEMES = ("https", "http")


class DatedState(NamedTuple):
    """The state of a site at the date of a snapshot."""

    label: str
    state: GitState
    committed: dt.datetime
    """When the commit was made."""


@dataclass(frozen=True, repr=False)
class HistoryResult(Table):
    """What an ingest of a history did."""

    states: list[DatedState]
    results: dict[str, IngestResult]
    """By snapshot; those that were there already are not among them."""
    seconds: float

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per snapshot: its commit, and how many captures and pages it has."""
        return [
            {
                "snapshot": each.label,
                "commit": each.state.commit,
                "committed": each.committed,
                "captures": getattr(self.results.get(each.label), "captures", None),
                "pages": getattr(self.results.get(each.label), "pages", None),
                "damaged": getattr(self.results.get(each.label), "damaged", None),
            }
            for each in self.states
        ]

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data."""
        return {
            "snapshots": [
                {
                    "snapshot": each.label,
                    "commit": each.state.commit,
                    "committed": each.committed.isoformat(),
                    "result": self.results[each.label].to_dict() if each.label in self.results else None,
                }
                for each in self.states
            ],
            "seconds": self.seconds,
        }


def end_of_label(label: str) -> dt.datetime:
    """The last second of the time that the label of a snapshot stands for, or `DateError`.

    Examples
    --------
    >>> end_of_label("2024-02").isoformat(), end_of_label("2026-06-12T1830").isoformat()
    ('2024-02-29T23:59:59+00:00', '2026-06-12T18:30:59+00:00')
    """
    start = parse_snapshot_date(label)
    if len(label) == 4:
        after = start.replace(year=start.year + 1)
    elif len(label) == 7:
        after = (start + dt.timedelta(days=31)).replace(day=1)
    else:
        after = start + (dt.timedelta(days=1) if len(label) == 10 else dt.timedelta(minutes=1))
    return after - dt.timedelta(seconds=1)


def find_commit(repository: Path, branch: str, moment: dt.datetime) -> tuple[str, dt.datetime]:
    """The last commit of a branch at or before a moment, and its time; or `MissingError`.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> _ = (folder / "index.html").write_text("<p>Fish")
    >>> identity = ["-c", "user.name=me", "-c", "user.email=me@example.org"]
    >>> for words in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "Begin"]):
    ...     _ = call_git(folder, words)
    >>> commit, time = find_commit(folder, "HEAD", dt.datetime.now(dt.UTC))
    >>> len(commit), time <= dt.datetime.now(dt.UTC)
    (40, True)
    """
    call_git(repository, ["rev-parse", "--git-dir"])
    try:
        call_git(repository, ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{branch}^{{commit}}"])
    except UsageError:
        raise MissingError(
            f"{repository}: there is no branch or commit {branch!r}; choose one with --branch, as `git "
            "branch --all` lists them"
        ) from None
    # --before would stop at the first commit whose clock was wrong, so that all times are compared
    listed = call_git(repository, ["log", "--first-parent", "--format=%H %ct", "--end-of-options", branch])
    for line in listed.decode().splitlines():
        commit, _, seconds = line.partition(" ")
        if int(seconds) <= moment.timestamp():
            return commit, dt.datetime.fromtimestamp(int(seconds), dt.UTC)
    first = dt.datetime.fromtimestamp(int(seconds), dt.UTC)
    raise MissingError(
        f"{repository}: there is no commit of {branch} at or before {moment:%Y-%m-%dT%H:%MZ}; the first is "
        f"of {first:%Y-%m-%d}"
    )


def find_states(
    repository: str | PathLike[str], *, at: Iterable[str], root: str = "", branch: str = "HEAD"
) -> list[DatedState]:
    """The state of a site at each date, in the order of dates; an error for the first that cannot be had.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> _ = (folder / "index.html").write_text("<p>Fish")
    >>> identity = ["-c", "user.name=me", "-c", "user.email=me@example.org"]
    >>> for words in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "Begin"]):
    ...     _ = call_git(folder, words)
    >>> [(dated.label, dated.state.date.isoformat()) for dated in find_states(folder, at=["2080", "2080-06"])]
    [('2080-06', '2080-06-30T23:59:59+00:00'), ('2080', '2080-12-31T23:59:59+00:00')]
    """
    place = Path(repository)
    labels = sorted(set(at), key=lambda label: (end_of_label(label), label))
    if not labels:
        raise UsageError("no date is given; write --at with the dates of snapshots, as 2026-06-01,2026-07-01")
    folder = "" if root in (".", "./") else root.strip("/")
    found = []
    for label in labels:
        moment = end_of_label(label)
        commit, committed = find_commit(place, branch, moment)
        if folder and not _has_folder(place, commit, folder):
            raise MissingError(
                f"{place}: commit {commit[:12]} of {label} has no folder {folder!r}; choose another --root, "
                "or later dates"
            )
        if not any(_is_page(file.path) for file in list_files(place, commit, folder)):
            raise MissingError(
                f"{place}: commit {commit[:12]} of {label} has no HTML file; "
                "choose another --root, --branch or later dates"
            )
        found.append(DatedState(label, GitState(commit, folder, moment), committed))
    return found


def ingest_history(
    collection: Collection,
    repository: str | PathLike[str],
    *,
    host: str,
    at: Iterable[str],
    root: str = "",
    branch: str = "HEAD",
    scheme: str = "https",
    mode: Literal["new", "again"] = "new",
    progress: Progress | None = None,
) -> HistoryResult:
    """Make a snapshot of the state that a published site had at each date.

    Parameters
    ----------
    collection
        Where the snapshots go.
    repository
        The folder of a git repository, bare or a working copy.
    host
        The host of the site's URLs, as ``example.org``.
    at
        Labels of snapshots; each is also the date whose last commit is taken.
    root
        The folder inside the repository that is published; all of it where not given.
    branch
        A branch, tag or commit.
    scheme
        ``https`` or ``http``.
    mode
        ``new`` refuses a snapshot that has other captures, ``again`` replaces them.
    progress
        Where progress is shown.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder, collection = testing.scratch(), testing.empty()
    >>> _ = (folder / "index.html").write_text("<p>Fish")
    >>> identity = ["-c", "user.name=me", "-c", "user.email=me@example.org"]
    >>> for words in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "Begin"]):
    ...     _ = call_git(folder, words)
    >>> _ = ingest_history(collection, folder, host="example.org", at=["2080-06"])
    >>> list(collection["2080-06"].urls)
    ['https://example.org/']
    """
    progress = progress or Progress()
    started = time.monotonic()
    place = Path(repository)
    base_url = make_base(host, scheme)
    states = find_states(place, at=at, root=root, branch=branch)
    if len({*collection.dates, *(each.label for each in states)}) > MAX_SNAPSHOTS:
        raise DateError(
            f"{collection.path}: with these dates it would have more than {MAX_SNAPSHOTS} snapshots, the "
            "upper limit; choose fewer dates, or another collection"
        )
    commands = {each.label: _renew(place, each, host, scheme) for each in states}
    todo = []
    for each in states:
        if each.label not in collection or mode == "again" or not _has_captures(collection[each.label]):
            todo.append(each)
            continue
        snapshot = collection[each.label]
        if _renew_of(snapshot) != commands[each.label]:
            raise ExistsError(
                f"{snapshot.path}: this snapshot has other captures already; choose another date, or replace "
                "them with --again"
            )
        progress.note(f"{snapshot.path}: it is complete, and is kept")
    results = {}
    with progress.task("making snapshots", total=len(todo), unit="snapshots") as task:
        for each in todo:
            results[each.label] = ingest_sources(
                collection.add(each.label),
                [Source(place, base_url, git=each.state)],
                mode=mode,
                renew=commands[each.label],
                progress=progress,
            )
            task.advance()
    return HistoryResult(states, results, time.monotonic() - started)


def make_base(host: str, scheme: str = "https") -> str:
    """The base URL of a host, or `UsageError`.

    Examples
    --------
    >>> make_base("Example.org"), make_base("localhost:8080", "http")
    ('https://example.org/', 'http://localhost:8080/')
    """
    if scheme not in SCHEMES:
        raise UsageError(f"scheme {scheme!r} is unknown; choose {' or '.join(SCHEMES)}")
    if not re.fullmatch(r"[^\s/?#@\\]+", host):
        raise UsageError(f"{host!r} is not a host; write a name as example.org, without scheme and path")
    return normalize(f"{scheme}://{host}/")


def _has_folder(repository: Path, commit: str, folder: str) -> bool:
    try:
        return call_git(repository, ["cat-file", "-t", f"{commit}:{folder}"]).strip() == b"tree"
    except UsageError:
        return False


def _is_page(path: bytes) -> bool:
    return may_be_page(path) and path.lower().endswith(tuple(ending.encode() for ending in ENDINGS))


def _renew(repository: Path, each: DatedState, host: str, scheme: str) -> str:
    """The command that makes a snapshot again, of the same commit."""
    words: Sequence[str] = [
        "--git", str(repository.resolve()), "--branch", each.state.commit,
        *(["--root", each.state.root] if each.state.root else []),
        "--host", host, "--scheme", scheme, "--at", each.label, "--again",
    ]  # fmt: skip
    return Action("ingest", "", words=tuple(words)).template


def _has_captures(snapshot: Snapshot) -> bool:
    return "warc" in snapshot.parts and "anchors" in snapshot.parts


def _renew_of(snapshot: Snapshot) -> str:
    return snapshot.parts.record("warc").renew
