"""The part ``packages``: what the WACZ files that a snapshot was ingested from say beyond their WARC files.

=========================  ==================================================================================
``packages.json``          one object per WACZ: ``number``, ``file``, ``digest`` (SHA-256 of its
                           ``datapackage.json``, or of nothing), ``lists``, and what verifying it found
                           (`webstrata.archive.packages.check.PackageCheck`)
``N/datapackage.json``     as it was, byte for byte, and so is ``N/datapackage-digest.json``
``N/pages/*.jsonl``        the page lists as they were; Browsertrix has ``extraPages.jsonl`` too
=========================  ==================================================================================

A page list has a header line (``format``, ``id``, ``title``) and one JSON object per page: ``url``, ``ts``,
and what else its writer knew (``title``, ``id``, ``seed``, ``depth``, ``text``, ``favIconUrl`` …). Lists say
which captures their maker regarded as pages; they do not decide which captures are nodes.
"""

from __future__ import annotations

import hashlib
import json
import re
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from webstrata.archive.packages.check import DIGEST, PACKAGE, PackageCheck, check_package
from webstrata.archive.packages.reading import MAX_LINE, Package
from webstrata.collection.files import explained, link_file, make_directory, open_writer
from webstrata.collection.progress import Progress
from webstrata.collection.tables import Table
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from webstrata.collection import Snapshot
    from webstrata.collection.parts import Part
    from webstrata.store.takedowns import Takedowns

NAME = "packages"
_TABLE = "packages.json"
_LIST = re.compile(r"pages/[\w.-]+\.jsonl", re.ASCII)


class ListedPage(NamedTuple):
    """A line of a page list."""

    file: str
    """The WACZ."""
    list: str
    """The name of the list, as ``pages/pages.jsonl``."""
    url: str
    time: str
    title: str
    fields: dict[str, Any]
    """The whole line."""


def check_packages(
    paths: Iterable[Path], *, strict: bool = False, progress: Progress | None = None
) -> list[PackageCheck]:
    """Verify WACZ files before something is made of them.

    Parameters
    ----------
    paths
        The files.
    strict
        Whether a finding is a `FormatError`.
    progress
        Where progress is shown.

    Examples
    --------
    >>> import tempfile, zipfile
    >>> path = Path(tempfile.mkdtemp(), "a.wacz")
    >>> with zipfile.ZipFile(path, "w") as archive:
    ...     archive.writestr("datapackage.json", '{"resources": [{"path": "archive/a.warc", "hash": "x"}]}')
    >>> [check.wrong for check in check_packages([path])]
    [1]
    >>> check_packages([path], strict=True)
    Traceback (most recent call last):
    webstrata.errors.FormatError: ...a.wacz!archive/a.warc: the file is listed and missing; get the file
    again, or ingest it without --strict
    """
    progress = progress or Progress()
    checks = []
    for path in paths:
        with progress.task(f"verifying {path.name}", total=path.stat().st_size, unit="bytes") as task:
            check = check_package(path, advance=task.advance)
        if strict and check.findings:
            more = f" (and {check.wrong - 1} more)" if check.wrong > 1 else ""
            raise FormatError(f"{check.findings[0]}{more}; get the file again, or ingest it without --strict")
        checks.append(check)
    return checks


def keep_packages(
    snapshot: Snapshot, checks: Sequence[PackageCheck], *, add: bool = False, progress: Progress | None = None
) -> None:
    """Make the part ``packages`` of a snapshot, or remove it where no WACZ is left.

    Parameters
    ----------
    snapshot
        Where it goes.
    checks
        The files and what verifying them found.
    add
        Whether packages that the snapshot has are kept; one with the same ``datapackage.json`` is replaced.
    progress
        Where the build reports.

    Examples
    --------
    >>> import tempfile, zipfile
    >>> import webstrata as ws
    >>> folder = Path(tempfile.mkdtemp())
    >>> with zipfile.ZipFile(folder / "a.wacz", "w") as archive:
    ...     archive.writestr("pages/pages.jsonl", '{"url": "http://a.uk/", "ts": "2026-06-12T18:30:00Z"}')
    >>> snapshot = ws.create(folder / "uk").add("2026-06")
    >>> keep_packages(snapshot, check_packages([folder / "a.wacz"]))
    >>> [(page.url, page.time) for page in snapshot.packages.iter_pages()]
    [('http://a.uk/', '2026-06-12T18:30:00Z')]
    """
    if not checks:
        if not add and NAME in snapshot.parts:
            snapshot.parts.remove(NAME)
        return
    with ExitStack() as stack:
        earlier = stack.enter_context(snapshot.open_part(NAME)) if add and NAME in snapshot.parts else None
        build = stack.enter_context(snapshot.write_part(NAME, progress=progress))
        rows: list[dict[str, Any]] = []
        for check in checks:
            number = len(rows) + 1
            folder = build.path / str(number)
            make_directory(folder)
            digest, lists = _copy(Path(check.file), folder)
            row = {"number": number, "file": Path(check.file).name, "digest": digest, "lists": lists}
            rows.append(row | {"check": check.to_dict()})
        if earlier is not None:
            _keep_earlier(Packages(earlier.path), rows, build.path)
        with open_writer(build.path / _TABLE) as out:
            out.write(json.dumps(rows, indent=1, ensure_ascii=False).encode() + b"\n")
        pages = sum(each["pages"] for row in rows for each in row["lists"])
        build.count(packages=len(rows), listed_pages=pages)


def _copy(path: Path, folder: Path) -> tuple[str, list[dict[str, Any]]]:
    """Copy what describes a package; the digest of its description, and its page lists."""
    digest, lists = hashlib.sha256().hexdigest(), []
    try:
        with Package(path) as package:
            for name in (PACKAGE, DIGEST):
                if (info := package.find(name)) is not None:
                    data = package.read(info)
                    with open_writer(folder / name) as out:
                        out.write(data)
                    digest = hashlib.sha256(data).hexdigest() if name == PACKAGE else digest
            for name in sorted(set(filter(_LIST.fullmatch, package.names))):
                make_directory(folder / "pages")
                lists.append({"name": name, **_copy_list(package, name, folder / name)})
    except FormatError:  # what is wrong is among the findings; what was read is kept
        pass
    return digest, lists


def _copy_list(package: Package, name: str, target: Path) -> dict[str, Any]:
    info = package.find(name)
    assert info is not None
    with open_writer(target) as out:
        for piece in package.iter_pieces(info):
            out.write(piece)
    title, number, bad = "", 0, 0
    for fields in _iter_lines(target):
        if fields is not None and "format" in fields and not number and "url" not in fields:
            title = str(fields.get("title", ""))[:1000]
        elif fields is not None and isinstance(fields.get("url"), str):
            number += 1
        else:
            bad += 1
    return {"title": title, "pages": number, "malformed_lines": bad}


def _keep_earlier(earlier: Packages, rows: list[dict[str, Any]], target: Path) -> None:
    known = {row["digest"] for row in rows}
    for old in earlier.rows:
        if old["digest"] in known:
            continue
        row = old | {"number": len(rows) + 1}
        source, folder = earlier.path / str(old["number"]), target / str(row["number"])
        make_directory(folder)
        for path in sorted(source.rglob("*")):
            place = folder / path.relative_to(source)
            if path.is_dir():
                make_directory(place)
            else:
                link_file(path, place)
        rows.append(row)


class Packages(Table):
    """The part ``packages`` of a snapshot, read; as a table one row per listed page.

    Pages that `takedowns` hide are left out.
    """

    name = "page lists"
    empty_columns = ("file", "list", "time", "url", "title")

    def __init__(
        self, path: Path, part: Part | None = None, takedowns: Callable[[], Takedowns] | None = None
    ) -> None:
        self.path, self._part, self._takedowns = path, part, takedowns
        with explained(path / _TABLE, "read"):
            try:
                self.rows: list[dict[str, Any]] = json.loads((path / _TABLE).read_bytes())
            except ValueError as error:
                raise FormatError(f"{path / _TABLE}: not JSON ({error}); ingest the WACZ again") from error

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<Packages {', '.join(row['file'] for row in self.rows)}>"

    def to_rows(self) -> Iterator[dict[str, Any]]:
        """One row per listed page, without the other fields of its line."""
        for page in self.iter_pages():
            name = page.list.removeprefix("pages/")
            yield {"file": page.file, "list": name, "time": page.time, "url": page.url, "title": page.title}

    def iter_pages(self) -> Iterator[ListedPage]:
        """The pages that the packages list, in the order of packages, lists and lines."""
        takedowns = self._takedowns() if self._takedowns else None
        for page in self._iter_all():
            if not takedowns or not takedowns.hides(page.url):
                yield page

    def _iter_all(self) -> Iterator[ListedPage]:
        for row in self.rows:
            for each in row["lists"]:
                for fields in _iter_lines(self.path / str(row["number"]) / each["name"]):
                    if fields is not None and isinstance(fields.get("url"), str):
                        moment, title = (str(fields.get(name) or "") for name in ("ts", "title"))
                        yield ListedPage(row["file"], each["name"], fields["url"], moment, title, fields)


def _iter_lines(path: Path) -> Iterator[dict[str, Any] | None]:
    """The objects of a page list, None for a line that is none."""
    with explained(path, "read"), path.open("rb") as stream:
        while line := stream.readline(MAX_LINE + 1):
            if len(line) > MAX_LINE:
                yield None
                while line and not line.endswith(b"\n"):
                    line = stream.readline(MAX_LINE + 1)
                continue
            if line.strip():
                try:
                    found = json.loads(line)
                except (ValueError, RecursionError):
                    found = None
                yield found if isinstance(found, dict) else None
