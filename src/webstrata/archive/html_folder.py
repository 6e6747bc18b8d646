"""A folder of HTML files as the captures of a site, or of several.

The path below the folder is the path of the URL, as a server of static files would have it: ``a b.html`` is
``/a%20b.html``, and ``index.html`` is its folder. The folder stands for a URL that the user gives, or else
its own folders are named by their hosts (``pages/www.example.org/a.html``), as ``wget --mirror`` leaves them.

Files whose name ends in ``.html``, ``.htm``, ``.xhtml`` or ``.shtml`` are pages, and those without an
ending that begin as HTML does. A page was captured when its file was last changed. Symbolic links are not
followed.
"""

from __future__ import annotations

import datetime as dt
import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from webstrata.archive.warc import MAX_BLOCK, Record
from webstrata.collection.files import explained
from webstrata.errors import UsageError
from webstrata.web.url import normalize

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike

    from webstrata.archive.tally import Tally

ENDINGS = (".html", ".htm", ".xhtml", ".shtml")
_HOST = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)+(:\d+)?", re.IGNORECASE)
_HTML = re.compile(
    rb"\s*(<!--.*?-->\s*)*<(!doctype\s+html|html|head|title|body)\b", re.IGNORECASE | re.DOTALL
)


def is_html(start: bytes) -> bool:
    r"""Whether a file that begins so is a page.

    Examples
    --------
    >>> is_html(b"\xef\xbb\xbf<!DOCTYPE html><p>"), is_html(b"plain text")
    (True, False)
    """
    return _HTML.match(start.removeprefix(b"\xef\xbb\xbf")) is not None


def read_tree(folder: str | PathLike[str], tally: Tally, *, base_url: str = "") -> Iterator[Record]:
    """The pages of a folder, or a page alone, as WARC records of kind ``resource``.

    Parameters
    ----------
    folder
        Where they are.
    tally
        Where it is told what was left out.
    base_url
        What the folder stands for; nothing where its folders are named by hosts.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.archive.tally import Tally
    >>> folder = testing.scratch()
    >>> (folder / "a b").mkdir()
    >>> _ = (folder / "index.html").write_text("Home"), (folder / "a b" / "c.htm").write_text("C")
    >>> [record.url for record in read_tree(folder, Tally(), base_url="http://example.org/docs/")]
    ['http://example.org/docs/', 'http://example.org/docs/a%20b/c.htm']
    """
    root = Path(folder)
    base_url = check_base(root, base_url)
    for path in _walk(root):
        if path.is_symlink():
            tally.leave_out("a symbolic link")
            continue
        try:
            status = path.stat()
            if not stat.S_ISREG(status.st_mode):  # to open a FIFO would wait for somebody who writes to it
                tally.leave_out("a FIFO, socket or device")
                continue
            block = path.read_bytes() if _is_page(path) and status.st_size <= MAX_BLOCK else None
        except OSError as error:
            tally.damaged(str(path), 0, error.strerror or str(error))
            continue
        if block is None:
            tally.leave_out("not HTML")
            continue
        parts = path.relative_to(root).parts if path != root else (path.name,)
        # the colon of a port is none of a path
        target = url_path(map(os.fsencode, parts), safe=":" if not base_url else "")
        url = base_url + target if base_url else f"http://{target}"
        yield page_record(url, block, dt.datetime.fromtimestamp(status.st_mtime, dt.UTC), path.suffix)


def url_path(parts: Iterable[bytes], *, safe: str = "") -> str:
    """The path of the URL of a file, without a slash at its beginning; that of ``index.html`` is its folder.

    Examples
    --------
    >>> url_path([b"a b", b"c.html"]), url_path([b"a", b"index.html"]), url_path([b"index.htm"])
    ('a%20b/c.html', 'a/', '')
    """
    target = "/".join(quote(part, safe=safe) for part in parts)
    return re.sub(r"(^|/)index\.x?html?$", r"\1", target)


def page_record(url: str, block: bytes, date: dt.datetime, suffix: str) -> Record:
    """A page as a WARC record of kind ``resource``; the suffix of its file's name decides its type.

    Examples
    --------
    >>> page_record("http://a.uk/", b"Hi", dt.datetime(2026, 6, 1, tzinfo=dt.UTC), ".html").url
    'http://a.uk/'
    """
    mime = "application/xhtml+xml" if suffix.lower() == ".xhtml" else "text/html"
    headers = (
        ("WARC-Type", "resource"),
        ("WARC-Target-URI", url),
        ("WARC-Date", date.strftime("%Y-%m-%dT%H:%M:%SZ")),
        ("Content-Type", mime),
    )
    return Record("resource", headers, block, 0)


def check_base(root: Path, base_url: str) -> str:
    """What a folder stands for, with a slash at its end; nothing where its folders are named by hosts.

    Examples
    --------
    >>> from webstrata import testing
    >>> check_base(testing.scratch(), "http://example.org")
    'http://example.org/'
    """
    if base_url:
        base_url = normalize(base_url)
        return base_url if base_url.endswith("/") else base_url + "/"
    if not root.is_dir() or not has_hosts(root):
        raise UsageError(
            f"{root}: nobody knows what URLs these pages have; say what the folder stands for with "
            f"--base-url http://example.org/, or give a folder whose folders are named by hosts"
        )
    return ""


def _walk(root: Path) -> Iterator[Path]:
    if not root.is_dir():
        yield root
        return
    with explained(root, "list"):
        for folder, folders, names in os.walk(root):
            folders.sort()
            yield from (Path(folder, name) for name in sorted(names))


def has_hosts(root: Path) -> bool:
    """Whether each folder in it, of those that are not hidden, has the name of a host.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> (folder / "www.example.org").mkdir()
    >>> has_hosts(folder)
    True
    """
    with explained(root, "list"), os.scandir(root) as entries:
        seen = [
            (entry.is_dir(), entry.name)
            for entry in entries
            if not entry.name.startswith(".") and (entry.is_dir() or entry.name.endswith(ENDINGS))
        ]
    return bool(seen) and all(is_folder and _HOST.fullmatch(name) for is_folder, name in seen)


def _is_page(path: Path) -> bool:
    if path.suffix:
        return path.suffix.lower() in ENDINGS
    with path.open("rb") as stream:
        return is_html(stream.read(1024))
