"""Sites: the hosts of a snapshot, where ``www.example.org`` and ``example.org`` are one.

A site is named by its host without ``www.``, as long as something is left that has a dot in it. Sites come in
row-key order of these names, and only those that have a stored page. Hosts of a graph that were linked to and
never captured (``--frontier``) are no sites.

The **home page** of a site is the page at ``/``, or what that stands for if it is a page of the site too, of
the bare host before that of ``www.``; where there is none, the page with the shortest row key, the first of
several.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webstrata.graph.hosts import Groups, group_hosts
from webstrata.store.urls import Urls
from webstrata.web.row_key import row_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from webstrata.collection import Snapshot
    from webstrata.collection.progress import Progress

NO_SITE = -1


class Sites(NamedTuple):
    """The sites of a snapshot."""

    names: list[str]
    """In row-key order."""
    of_node: npt.NDArray[np.int64]
    """The site of each page, in node order."""
    pages: npt.NDArray[np.int64]
    """How many pages each has."""
    home: npt.NDArray[np.int64]
    """The node of each home page."""

    def of_hosts(self, hosts: Sequence[str]) -> npt.NDArray[np.int64]:
        """The site that each host belongs to, `NO_SITE` where it has no stored page."""
        places = {name: place for place, name in enumerate(self.names)}
        return np.array([places.get(site_name(host), NO_SITE) for host in hosts], np.int64)


def site_name(host: str) -> str:
    """The name of the site that a host belongs to.

    Examples
    --------
    >>> [site_name(host) for host in ("www.example.org", "example.org", "www.com", "a.example.org")]
    ['example.org', 'example.org', 'www.com', 'a.example.org']
    """
    bare = host.removeprefix("www.")
    return bare if "." in bare else host


def site_key(name: str) -> bytes:
    """What sites are sorted by: the row key of the root of the host of that name.

    Examples
    --------
    >>> site_key("example.org")
    b'org,example)/'
    """
    return row_key(f"http://{name}/").encode()


def open_sites(snapshot: Snapshot, progress: Progress | None = None) -> Sites:
    """The sites of a snapshot that has the part `urls`.

    Examples
    --------
    >>> import webstrata as ws
    >>> open_sites(ws.create(getfixture("tmp_path") / "uk").add("2026-06"))
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...2026-06: there is no part urls (parts: none yet); `webstrata
    crawl ...` makes it
    """
    with snapshot.open_part("urls") as part:
        return group_sites(Urls(part.path), progress=progress)


def group_sites(urls: Urls, *, progress: Progress | None = None) -> Sites:
    """The sites of some pages.

    Examples
    --------
    >>> from webstrata.store.urls import write_urls
    >>> folder = getfixture("tmp_path")
    >>> none = pa.table({"row_key": pa.array([], pa.string()), "node": pa.array([], pa.uint32())})
    >>> write_urls(folder, pa.array(["org,a)/", "org,a,b)/x", "org,a,www)/", "org,a,www)/y"]), none)
    >>> sites = group_sites(Urls(folder))
    >>> sites.names, sites.of_node.tolist(), sites.pages.tolist(), sites.home.tolist()
    (['a.org', 'b.a.org'], [0, 1, 0, 0], [3, 1], [0, 1])
    """
    keys = urls.key_column
    hosts = group_hosts(keys, progress=progress)
    names = sorted({site_name(host) for host in hosts.names}, key=site_key)
    places = {name: place for place, name in enumerate(names)}
    of_host = np.array([places[site_name(host)] for host in hosts.names], np.int64)
    of_node = of_host[hosts.of_node] if len(hosts.names) else np.zeros(0, np.int64)
    home = _find_homes(urls, hosts, of_node, names) if names else np.zeros(0, np.int64)
    return Sites(names, of_node, np.bincount(of_node, minlength=len(names)), home)


def _find_homes(
    urls: Urls, hosts: Groups, of_node: npt.NDArray[np.int64], names: list[str]
) -> npt.NDArray[np.int64]:
    keys = urls.key_column
    with_www = np.array([site_name(name) != name for name in hosts.names], bool)
    lengths = pc.binary_length(keys).to_numpy().astype(np.int64)
    at_root = pc.match_substring_regex(keys, r"^[^)]*\)/( |$)").to_numpy(zero_copy_only=False)
    # the first of each site: at the root before others, those of the bare host first there, then the shortest
    order = np.lexsort((lengths, at_root & with_www[hosts.of_node], ~at_root, of_node))
    first = np.searchsorted(of_node[order], np.arange(len(names)))
    home = order[first].astype(np.int64)
    for prefix in ("http://www.", "https://www.", "http://", "https://"):
        lacking = np.flatnonzero(~at_root[home])
        if not len(lacking):
            break
        roots = [row_key(f"{prefix}{names[site]}/") for site in lacking]
        found = urls.resolve(pa.array(roots, pa.large_string())).nodes
        inside = (found >= 0) & (of_node[np.maximum(found, 0)] == lacking)
        home[lacking[inside]] = found[inside]
    return home
