"""What the user named: files of archives, and folders of them or of HTML files.

A folder stands for the archives in it, at any depth, and for its HTML files if their URLs are known. What is
neither a file nor a folder is left out: to open a FIFO would wait for somebody who writes to it.
"""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

from webstrata.archive.html_folder import ENDINGS, check_base, has_hosts
from webstrata.collection.files import explained
from webstrata.collection.sentences import tell_count
from webstrata.errors import FormatError, MissingError, UsageError
from webstrata.store.ingest.readers import READERS, Source, find_format

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_ARCHIVES = tuple(reader.ending for name, reader in READERS.items() if name not in ("HTML", "sitemap"))
_KINDS = {
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def list_sources(
    paths: Iterable[Path], *, base_url: str = "", scratch: Path | None = None, notes: list[str] | None = None
) -> list[Source]:
    r"""The files and folders of pages that `paths` name; an error if one of them is neither.

    A folder stands for the archives in it, at any depth, and for the pages in it if it has any. Compared with
    a sitemap, a folder of pages whose URLs nobody knows is where the files of the sitemap are looked for.
    What is left out is said in `notes`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.warc").write_bytes(b"WARC/1.0\r\n")
    ...     _ = Path(folder, "b.html").write_text("<p>Stray")
    ...     notes = []
    ...     sources = list_sources([Path(folder)], notes=notes)
    >>> [source.path.name for source in sources]
    ['a.warc']
    >>> notes[0].partition(": ")[2]
    '1 HTML file is not read, since its URL is not known; give --base-url to read it'
    """
    found = []
    paths = list(paths)
    notes = [] if notes is None else notes
    formats = {path: _find_format(path) for path in paths if not path.is_dir()}
    has_sitemap = "sitemap" in formats.values()
    folders = tuple(path for path in paths if path.is_dir())
    for path in paths:
        if not path.is_dir():
            if formats[path] == "HTML":
                check_base(path, base_url)
            found.append(Source(path, base_url, scratch, folders))
            continue
        files = _list_files(path, notes)
        archives = [file for file in files if any(ending in file.name.lower() for ending in _ARCHIVES)]
        archives = [file for file in archives if _is_archive(file)]
        found += [Source(file, "", scratch) for file in archives]
        pages = [file for file in files if file.suffix.lower() in ENDINGS]
        if not archives or pages:
            if not base_url and not has_hosts(path):
                if has_sitemap:
                    continue
                if archives:
                    whose = "its URL is" if len(pages) == 1 else "their URLs are"
                    notes.append(
                        f"{path}: {tell_count(len(pages), 'HTML file')} {'is' if len(pages) == 1 else 'are'} "
                        f"not read, since {whose} not known; give --base-url to read "
                        f"{'it' if len(pages) == 1 else 'them'}"
                    )
                    continue
            check_base(path, base_url)
            found.append(Source(path, base_url, scratch))
    return found


def _list_files(folder: Path, notes: list[str]) -> list[Path]:
    """The files of a folder at any depth, without symbolic links, FIFOs, sockets and devices."""
    files = []
    with explained(folder, "list"):
        for path in sorted(folder.rglob("*")):
            if path.is_symlink() or path.is_dir():
                continue
            kind = _KINDS.get(stat.S_IFMT(path.stat().st_mode))
            if kind is None:
                files.append(path)
            else:
                notes.append(f"{path}: this is {kind}, and is not read")
    return files


def _find_format(path: Path) -> str:
    if path.exists() and not path.is_file():
        kind = _KINDS.get(stat.S_IFMT(path.stat().st_mode), "no regular file")
        raise UsageError(
            f"{path}: this is {kind}; name a regular file or a folder, or save its content first"
        )
    return find_format(path)


def _is_archive(path: Path) -> bool:
    try:
        return find_format(path) != "HTML"
    except (FormatError, MissingError):
        return False
