"""Documentation in HTML that is installed on this machine: real pages to try webstrata on.

A **package** is a folder below one of the roots (``/usr/share/doc`` and the like) with enough HTML files. Its
name becomes a host, ``nodejs.docs.test``, under a top-level domain that is reserved for tests. `copy_pages`
puts its pages below a folder of that name, so that an ingest knows their URLs. Of a large package
the pages nearest to its top are taken.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from webstrata.collection.files import explained, make_directory

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ROOTS = ("/usr/share/doc", "/usr/local/share/doc", "/usr/share/javadoc", "/usr/share/gtk-doc/html")
MIN_PAGES = 20
"""HTML files of the smallest package that is taken."""
PACKAGE_PAGES = 1_500
"""Pages taken of one package at most."""
ALL_PAGES = 3_000
"""Pages taken of all packages together at most."""
_SCANNED = 200_000
"""Files looked at below one package at most."""


@dataclass(frozen=True)
class DocumentedPackage:
    """HTML pages that belong together."""

    host: str
    folder: Path
    pages: Sequence[str]
    """Paths below the folder."""


def find_roots() -> list[Path]:
    """The folders of this machine below which packages have their documentation.

    Examples
    --------
    >>> all(root.is_dir() for root in find_roots())
    True
    """
    roots = [Path(root) for root in ROOTS]
    if shutil.which("rustc"):
        found = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True, check=False)
        if found.returncode == 0:
            roots.append(Path(found.stdout.strip()) / "share" / "doc")
    return [root for root in roots if root.is_dir()]


def find_packages(
    roots: Iterable[Path],
    *,
    min_pages: int = MIN_PAGES,
    package_pages: int = PACKAGE_PAGES,
    all_pages: int = ALL_PAGES,
) -> list[DocumentedPackage]:
    """The packages below some folders, the smallest first, until there are enough pages.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> (folder / "node.js" / "api").mkdir(parents=True)
    >>> _ = (folder / "node.js" / "api" / "fs.html").write_text("<title>File system</title>")
    >>> [(package.host, package.pages) for package in find_packages([folder], min_pages=1)]
    [('node-js.docs.test', ['api/fs.html'])]
    """
    found = []
    for root in roots:
        with explained(root, "list"):
            folders = sorted(path for path in root.iterdir() if path.is_dir() and not path.is_symlink())
        for folder in folders:
            pages = _list_pages(folder)
            if len(pages) >= min_pages:
                found.append(DocumentedPackage(_name_host(folder.name), folder, pages[:package_pages]))
    found.sort(key=lambda package: (len(package.pages), package.host))
    chosen: dict[str, DocumentedPackage] = {}
    left = all_pages
    for package in found:
        if package.host not in chosen and left >= min_pages:
            chosen[package.host] = DocumentedPackage(package.host, package.folder, package.pages[:left])
            left -= len(package.pages)
    return list(chosen.values())


def copy_pages(packages: Iterable[DocumentedPackage], target: Path) -> int:
    """Copy the pages of packages below folders named by their hosts; how many there are.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> (folder / "a").mkdir()
    >>> _ = (folder / "a" / "index.html").write_text("A")
    >>> copy_pages([DocumentedPackage("a.docs.test", folder / "a", ["index.html"])], folder / "pages")
    1
    >>> (folder / "pages" / "a.docs.test" / "index.html").read_text()
    'A'
    """
    number = 0
    for package in packages:
        for page in package.pages:
            path = target / package.host / page
            make_directory(path.parent)
            with explained(package.folder / page, "copy"):
                shutil.copy2(package.folder / page, path)
            number += 1
    return number


def _list_pages(folder: Path) -> list[str]:
    """The HTML files below a folder, those nearest to it first; symbolic links are not followed."""
    found: list[str] = []
    scanned = 0
    for place, folders, names in os.walk(folder):
        folders.sort()
        scanned += len(names)
        for name in names:
            path = Path(place, name)
            if name.endswith((".html", ".htm", ".xhtml")) and not path.is_symlink():
                found.append(path.relative_to(folder).as_posix())
        if scanned > _SCANNED:
            break
    return sorted(found, key=lambda path: (path.count("/"), path))


def _name_host(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") + ".docs.test"
