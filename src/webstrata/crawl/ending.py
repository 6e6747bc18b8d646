"""The end of a crawl: its working files are settled, then the parts that it promises are built.

A crawl that is killed here must leave a state from which the same command finishes. So the order is: the
report ``crawl.json`` is written; ``finished`` says that nothing is left to fetch; only then are the working
files removed, and ``finished`` last where all of them are. A snapshot counts as finished when its parts are
there too: `missing_parts` names those that are not, and `finish_parts` builds them without fetching anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from webstrata.collection.files import crash_point, explained, remove_tree, replace_file
from webstrata.crawl.recovery import FINISHED, JOURNAL, SCRATCH, is_finished
from webstrata.errors import ExistsError
from webstrata.store.build import build_parsed, find_unparsed

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from webstrata.collection import Snapshot
    from webstrata.collection.progress import Progress

REPORT = "crawl.json"
SETTLED = "crawl.files-settled"
"""The point at which a plan of faults can kill a crawl between its files and the parts it parses."""


def settle_files(
    folder: Path, report: bytes, *, exhausted: bool, removed: Collection[str], whole: Collection[str]
) -> None:
    """Write the report of a crawl and remove the files that nobody needs any more.

    Parameters
    ----------
    folder
        The working folder of the crawl.
    report
        The content of ``crawl.json``.
    exhausted
        Whether nothing is left to fetch; otherwise every file stays, and the same command resumes.
    removed
        Names of files to remove in any case.
    whole
        Names of files to remove where nothing was given up; empty if something was.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as name:
    ...     folder = Path(name)
    ...     (folder / "journal").touch()
    ...     settle_files(folder, b"{}", exhausted=True, removed=[], whole=["journal"])
    ...     sorted(path.name for path in folder.iterdir())
    ['crawl.json']
    """
    remove_tree(folder / SCRATCH)
    replace_file(folder / REPORT, report)
    if exhausted:
        replace_file(folder / FINISHED, b"a retry takes back what was given up\n")
        with explained(folder, "remove"):
            for name in (*removed, *whole):
                if name not in (FINISHED, REPORT, JOURNAL):
                    (folder / name).unlink(missing_ok=True)
            if whole:
                # without its journal nothing resumes the crawl, so the mark is not needed any more
                (folder / JOURNAL).unlink(missing_ok=True)
                (folder / FINISHED).unlink(missing_ok=True)
    crash_point(SETTLED)


def missing_parts(snapshot: Snapshot) -> list[str]:
    """Names of text, links and anchors that a crawl of this snapshot fetched the pages for and did not build.

    Empty while there is something left to fetch: the crawl itself builds them at its end.

    Examples
    --------
    >>> import tempfile
    >>> import webstrata as ws
    >>> with tempfile.TemporaryDirectory() as name:
    ...     missing_parts(ws.create(f"{name}/uk").add("2026-06"))
    []
    """
    return find_unparsed(snapshot) if is_finished(snapshot) else []


def raise_finished(snapshot: Snapshot, *, parses: bool) -> NoReturn:
    """Refuse to crawl a snapshot that is finished; names the parts that it lacks where they are wanted.

    Examples
    --------
    >>> import tempfile
    >>> import webstrata as ws
    >>> with tempfile.TemporaryDirectory() as name:
    ...     try:
    ...         raise_finished(ws.create(f"{name}/uk").add("2026-06"), parses=True)
    ...     except ExistsError as error:
    ...         print(str(error).rpartition(": ")[2])
    this snapshot was crawled already; choose another one, or crawl it again with --again
    """
    missing = missing_parts(snapshot) if parses else []
    also = f", without building {', '.join(missing)}" if missing else ""
    raise ExistsError(
        f"{snapshot.path}: this snapshot was crawled already{also}; choose another one, or crawl it again "
        "with --again"
    )


def finish_parts(
    snapshot: Snapshot, *, workers: int | None = None, progress: Progress | None = None
) -> list[str]:
    """Build the parts that an interrupted crawl of `snapshot` still owes; return their names.

    Examples
    --------
    >>> import tempfile
    >>> import webstrata as ws
    >>> with tempfile.TemporaryDirectory() as name:
    ...     finish_parts(ws.create(f"{name}/uk").add("2026-06"))
    []
    """
    names = missing_parts(snapshot)
    if names:
        build_parsed(snapshot, names, workers=workers, progress=progress)
    return names
