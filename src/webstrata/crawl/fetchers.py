"""Fetchers by URL scheme: documents that do not come by HTTP (LECT: extensible, new protocols).

A fetcher is a function of a URL that returns what is there, `Fetched`, or raises `OSError`. It is for one
scheme other than http and https, and is asked only where the setting ``schemes`` of ``[crawl]`` names that
scheme. Known are ``file`` (`fetch_file`), those that `register_fetcher` was called with, and those of
installed packages: an entry point of the group ``webstrata.fetchers`` is named after its scheme.

**Nothing is fetched by itself.** Only seeds are asked for, and what their documents link to below the folder
of the seed, on the same host: no page of the web leads to a fetcher. Links to http and https become seeds of
the crawl. Requests to other hosts than ``localhost`` keep the delay ``host_delay``; ``max_response``,
``max_depth`` and ``max_pages`` hold.

Documents are stored as WARC records of type ``resource``, in files ``<name>-<scheme>-00000.warc.gz`` next to
those of the crawl, and are captures and nodes as any other. The normal form of their URLs is that of http
with the scheme in place (`webstrata.web.url.normalize_any`).
"""

from __future__ import annotations

import datetime as dt
import hashlib
import mimetypes
import os
import re
import time
from collections import deque
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

from webstrata.archive.cdxj import Line
from webstrata.archive.warc import WarcWriter
from webstrata.collection.files import explained, link_file, make_directory, open_writer, remove_tree
from webstrata.errors import SettingError, UrlError
from webstrata.web import html
from webstrata.web.fingerprint import fingerprint
from webstrata.web.url import normalize_any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from webstrata.collection import Snapshot
    from webstrata.collection.progress import Progress
    from webstrata.crawl.filters import Filter
    from webstrata.crawl.settings import CrawlSettings

    Fetch = Callable[[str], "Fetched"]

GROUP = "webstrata.fetchers"
FOLDER = "schemes"
"""In the folder of a crawl: what fetchers brought."""
CAPTURES = "captures.cdxj"
_HTML = ("text/html", "application/xhtml+xml")


@dataclass(frozen=True)
class Fetched:
    """What a fetcher found."""

    body: bytes | None = None
    """None where there is nothing to store, as of a folder."""
    content_type: str = "application/octet-stream"
    links: Sequence[str] = ()
    """Where it leads, in addition to the links of HTML; relative or absolute."""


_registered: dict[str, Fetch] = {}


def register_fetcher(scheme: str, fetch: Fetch) -> None:
    """Make a fetcher known for a scheme in this process.

    Examples
    --------
    >>> register_fetcher("memory", lambda url: Fetched(b"Hello", "text/plain"))
    >>> find_fetchers(["memory"])["memory"]("memory://localhost/a").body
    b'Hello'
    >>> unregister_fetcher("memory")
    """
    if scheme in ("http", "https") or not re.fullmatch(r"[a-z][a-z0-9+.-]*", scheme):
        raise ValueError(f"scheme: expected one in lower case, other than http and https; got {scheme!r}")
    _registered[scheme] = fetch


def unregister_fetcher(scheme: str) -> None:
    """Forget a fetcher that was registered.

    Examples
    --------
    >>> unregister_fetcher("never-there")
    """
    _registered.pop(scheme, None)


def find_fetchers(schemes: Iterable[str]) -> dict[str, Fetch]:
    """The fetchers of these schemes.

    Examples
    --------
    >>> list(find_fetchers(["file"]))
    ['file']
    >>> find_fetchers(["gopher"])
    Traceback (most recent call last):
    webstrata.errors.SettingError: schemes: there is no fetcher for gopher; known are file
    """
    found: dict[str, Fetch] = {}
    for scheme in schemes:
        points = [point for point in entry_points(group=GROUP) if point.name == scheme]
        if scheme in _registered:
            found[scheme] = _registered[scheme]
        elif scheme == "file":
            found[scheme] = fetch_file
        elif points:
            found[scheme] = points[0].load()
        else:
            known = sorted({"file", *_registered, *(point.name for point in entry_points(group=GROUP))})
            raise SettingError(f"schemes: there is no fetcher for {scheme}; known are {', '.join(known)}")
    return found


def fetch_file(url: str) -> Fetched:
    """A file of this machine, or the names in a folder, which is not stored itself.

    Symbolic links are not followed, and what is not a regular file is not read.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> _ = (folder / "a.txt").write_text("Hello")
    >>> fetch_file(f"file://localhost{folder}/").links, fetch_file(f"file://localhost{folder}/a.txt").body
    (['a.txt'], b'Hello')
    """
    parts = urlsplit(url)
    if parts.hostname not in (None, "localhost"):
        raise OSError(f"{url} is on another host")
    path = Path(unquote(parts.path))
    if Path(os.path.realpath(path)) != Path(os.path.abspath(path)):  # noqa: PTH100 (which follows no links)
        raise OSError(f"{path} is reached by a symbolic link, which is not followed")
    if path.is_dir():
        names = sorted((each.name, each.is_dir()) for each in path.iterdir() if not each.is_symlink())
        return Fetched(links=[quote(name) + "/" * is_folder for name, is_folder in names])
    if not path.is_file():
        raise OSError(f"{path} is not a file")
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return Fetched(path.read_bytes(), kind)


def has_scheme(url: str, schemes: Iterable[str]) -> bool:
    """Whether a URL is of one of the schemes.

    Examples
    --------
    >>> has_scheme("file:///a", ["file"]), has_scheme("example.org", ["file"])
    (True, False)
    """
    return url.partition(":")[0].strip().lower() in schemes


def fetch_seeds(
    seeds: Iterable[str],
    settings: CrawlSettings,
    snapshot: Snapshot,
    progress: Progress,
    filters: Mapping[str, Filter | None] | None = None,
) -> list[tuple[str, int, str | None]]:
    """Fetch the seeds of other schemes and what they lead to; the links to http and https, as a crawl begins.

    Links that the filters ``schedule`` or ``fetch`` refuse are left out: nobody looks their hosts up.
    A crawl that resumes has them: where its folder is complete, nothing is fetched again.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.collection.progress import Progress
    >>> from webstrata.crawl.settings import CrawlSettings
    >>> path = testing.scratch() / "a.html"
    >>> _ = path.write_text("<a href='http://a.example/'>A</a>")
    >>> snapshot = testing.empty().add("2026-06")
    >>> fetch_seeds([f"file://{path}"], CrawlSettings(schemes=("file",)), snapshot, Progress())
    [('http://a.example/', 0, None)]
    """
    place = snapshot.working_folder("crawl") / FOLDER
    seeds = [seed for seed in seeds if has_scheme(seed, settings.schemes)]
    if not seeds or (place / CAPTURES).is_file():
        return []
    prefix = f"{snapshot.collection.path.name}-{snapshot.date}"
    remove_tree(place)
    make_directory(place)
    fetchers = find_fetchers(settings.schemes)
    waiting = deque((normalize_any(_complete(seed)), 0) for seed in seeds)
    folders = [url.rpartition("/")[0] + "/" for url, _ in waiting]
    seen = {url for url, _ in waiting}
    lines: list[bytes] = []
    found: dict[str, None] = {}
    rested = 0.0
    with WarcWriter(place, f"{prefix}-{'-'.join(sorted(fetchers))}") as writer:
        while waiting and not (settings.max_pages and len(lines) >= settings.max_pages):
            url, depth = waiting.popleft()
            if urlsplit(url).hostname != "localhost":
                time.sleep(max(rested + settings.host_delay - time.monotonic(), 0.0))
            try:
                fetched = fetchers[urlsplit(url).scheme](url)
            except OSError as error:
                progress.note(f"{url}: {error}; it is left out")
                continue
            finally:
                rested = time.monotonic()
            if fetched.body is not None:
                lines.append(_write(writer, url, fetched, settings.max_response))
            for link in _links(url, fetched):
                if link.startswith(("http://", "https://")):
                    found[link] = None
                elif depth < settings.max_depth and link not in seen and link.startswith(tuple(folders)):
                    seen.add(link)
                    waiting.append((link, depth + 1))
    with open_writer(place / CAPTURES) as stream:
        stream.write(b"".join(lines))
    urls = list(found)
    for chosen in ((filters or {}).get("schedule"), (filters or {}).get("fetch")):
        if urls and chosen is not None:
            urls = [url for url, passes in zip(urls, chosen.admits_many(urls), strict=True) if passes]
    return [(url, 0, None) for url in urls]


def _complete(url: str) -> str:
    return re.sub(r"^file:/(?://)?(?=/|[^/])(?!/*localhost)/*", "file://localhost/", url.strip())


def _write(writer: WarcWriter, url: str, fetched: Fetched, limit: int) -> bytes:
    """Store a document, and give the line of the index."""
    body = (fetched.body or b"")[:limit]
    truncated = "length" if len(body) < len(fetched.body or b"") else None
    date = time.time_ns()
    headers = [
        ("WARC-Type", "resource"),
        ("WARC-Target-URI", url),
        ("WARC-Date", dt.datetime.fromtimestamp(date / 1e9, dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")),
        ("Content-Type", fetched.content_type),
        *([("WARC-Truncated", truncated)] if truncated else []),
    ]
    kind = fetched.content_type.partition(";")[0].strip().lower()
    return Line(
        url=url,
        date=date,
        mime=kind,
        status=200,
        digest=hashlib.sha1(body, usedforsecurity=False).digest(),
        fingerprint=fingerprint(body) if kind in _HTML else None,
        truncated=truncated,
        **writer.write_record(headers, body, date)._asdict(),
    ).to_bytes()


def _links(url: str, fetched: Fetched) -> list[str]:
    """Where a document leads, in normal form: relative links have its own scheme and host."""
    scheme, _, rest = url.partition("://")
    written = list(fetched.links)
    if fetched.body is not None and fetched.content_type.startswith(_HTML):
        written += [link.target for link in html.scan(fetched.body, url=f"http://{rest}").links]
    found = []
    for target in written:
        try:
            if re.match(r"(?i)[a-z][a-z0-9+.-]*:", target):
                found.append(normalize_any(target))
            else:
                resolved = normalize_any(target, base=f"http://{rest}")
                found.append(f"{scheme}://{resolved.partition('://')[2]}")
        except UrlError:
            continue
    return found


def merge_fetched(folder: Path) -> Path:
    """The folder to store from: that of the crawl, or one with the files of fetchers and of the crawl.

    The files of a crawl are its journal; what fetchers brought must not stand among them.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> merge_fetched(folder) == folder
    True
    """
    place = folder / FOLDER
    if not (place / CAPTURES).is_file():
        return folder
    merged = place / "merged"
    remove_tree(merged)
    make_directory(merged)
    for source in (folder, place):
        for path in source.iterdir():
            if path.is_file() and path.name != CAPTURES:
                link_file(path, merged / path.name)
    with open_writer(merged / CAPTURES) as stream:
        for source in (folder, place):
            if (source / CAPTURES).is_file():
                with explained(source / CAPTURES, "read"):
                    stream.write((source / CAPTURES).read_bytes())
    return merged
