"""Where the payloads of a snapshot's pages are: in its own WARC files, or in those of an earlier snapshot.

A page that was captured as ``revisit`` may have its payload in an earlier snapshot of the collection. Its row
of ``pages.parquet`` then has ``LABEL/NAME`` as ``warc_filename``, and the part `pages` has ``LABEL/warc`` as
an input: if those files are replaced, the pages are stale.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from webstrata.errors import MissingError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import TracebackType

    from webstrata.collection import Snapshot


def locate(folders: Mapping[str, str], filename: str) -> Path:
    """The path of a file that ``pages.parquet`` names; `folders` are those of snapshots, "" for its own.

    Examples
    --------
    >>> locate({"": "june", "2026-05": "may"}, "2026-05/a.warc.gz").as_posix()
    'may/a.warc.gz'
    """
    label, _, name = filename.rpartition("/")
    return Path(folders[label]) / name


def find_lenders(inputs: Iterable[str], label: str) -> list[str]:
    """The snapshots, other than `label`, whose WARC files are among the inputs of a part.

    Examples
    --------
    >>> find_lenders(["2026-06/captures", "2026-05/warc"], "2026-06")
    ['2026-05']
    """
    found = (name.split("/") for name in inputs)
    return sorted({owner for owner, part in found if part == "warc" and owner not in ("", label)})


def find_lending(snapshot: Snapshot) -> dict[str, Path]:
    """The indexes of earlier snapshots, whose WARC files may hold payloads of revisits; the newest first.

    Examples
    --------
    >>> from webstrata import testing
    >>> list(find_lending(testing.collection()["2026-06"]))
    ['2026-05', '2026-04']
    """
    found = {}
    for label in reversed(snapshot.collection.dates):
        other = snapshot.collection[label]
        if label < snapshot.date and {"captures", "warc"} <= {record.name for record in other.parts}:
            with other.open_part("captures") as part:
                found[label] = part.path / "index.cdxj.gz"
    return found


class WarcFiles:
    """The WARC files with the payloads of a snapshot's pages, held open; a context manager.

    Examples
    --------
    >>> from webstrata import testing
    >>> snapshot = testing.snapshot()
    >>> with WarcFiles(snapshot) as files:
    ...     files.find(snapshot.pages[0]["warc_filename"]).is_file()
    True
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._held = ExitStack()
        self.folders: dict[str, str] = {}
        """The WARC folder of each snapshot by label; that of this one under ""."""
        with self._held:
            pages = snapshot.parts.record("pages")
            self.folders[""] = str(self._held.enter_context(snapshot.open_part("warc")).path)
            for label in find_lenders(pages.inputs, snapshot.date):
                expected = pages.inputs[f"{label}/warc"]
                if label not in snapshot.collection or "warc" not in snapshot.collection[label].parts:
                    raise MissingError(_explain(snapshot, label, "is gone"))
                part = self._held.enter_context(snapshot.collection[label].open_part("warc"))
                if part.record.checksum != expected:
                    raise MissingError(_explain(snapshot, label, "has changed"))
                self.folders[label] = str(part.path)
            self._held = self._held.pop_all()

    def find(self, filename: str) -> Path:
        """The path of a file that ``pages.parquet`` names."""
        return locate(self.folders, filename)

    def close(self) -> None:
        """Let the files go."""
        self._held.close()

    def __enter__(self) -> WarcFiles:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _explain(snapshot: Snapshot, label: str, what: str) -> str:
    return (
        f"{snapshot.path}: payloads of its pages are in snapshot {label}, which {what}; "
        f"ingest or crawl {snapshot.date} again; `show` prints the command"
    )
