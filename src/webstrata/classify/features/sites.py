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
    >>> from webstrata import testing
    >>> sites = open_sites(testing.snapshot())
    >>> sites.names, sites.pages.tolist()
    (['garden.example', 'kitchen.example', 'news.example', 'pills.example', 'reef.example'], [3, 3, 2, 3,
    4])
    """
    with snapshot.open_part("urls") as part:
        return group_sites(Urls(part.path), progress=progress)


def group_sites(urls: Urls, *, progress: Progress | None = None) -> Sites:
    """The sites of some pages.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.store.urls import write_urls
    >>> folder = testing.scratch()
    >>> none = pa.table({"row_key": pa.array([], pa.string()), "node": pa.array([], pa.uint32())})
    >>> write_urls(folder, pa.array(["org,a)/", "org,a,b)/x", "org,a,www)/", "org,a,www)/y"]), none)
    >>> sites = group_sites(Urls(folder))
    >>> sites.names, sites.of_node.tolist(), sites.pages.tolist(), sites.home.tolist()
    (['a.org', 'b.a.org'], [0, 1, 0, 0], [3, 1], [0, 1])
    """
    return _group(urls, np.arange(len(urls)), urls.key_column, progress)


class ChosenSites(NamedTuple):
    """Some sites of a snapshot, and their pages alone."""

    nodes: npt.NDArray[np.int64]
    """Of their pages, in order."""
    sites: Sites
    """`of_node` and `home` are places among `nodes`."""


def find_sites(urls: Urls, names: Sequence[str]) -> ChosenSites:
    """The sites of these names, found by their row keys: the other pages are not looked at.

    A name without a page is left out.

    Examples
    --------
    >>> from webstrata import testing
    >>> urls = testing.snapshot().urls
    >>> chosen = find_sites(urls, ["news.example", "no.example"])
    >>> chosen.sites.names, [urls[node] for node in chosen.nodes[chosen.sites.home]]
    (['news.example'], ['http://news.example/'])
    """
    ranges = [
        urls.host(host)
        for name in dict.fromkeys(map(site_name, names))
        for host in (name, f"www.{name}")
        if site_name(host) == name
    ]
    nodes = np.unique(np.concatenate([np.zeros(0, np.int64), *(np.array(some, np.int64) for some in ranges)]))
    return ChosenSites(nodes, _group(urls, nodes, urls.key_column.take(pa.array(nodes)), None))


def _group(
    urls: Urls, nodes: npt.NDArray[np.int64], keys: pa.ChunkedArray, progress: Progress | None
) -> Sites:
    """The sites of some nodes with their row keys; pages are places among them."""
    hosts = group_hosts(keys, progress=progress)
    names = sorted({site_name(host) for host in hosts.names}, key=site_key)
    places = {name: place for place, name in enumerate(names)}
    of_host = np.array([places[site_name(host)] for host in hosts.names], np.int64)
    of_node = of_host[hosts.of_node] if len(hosts.names) else np.zeros(0, np.int64)
    home = _find_homes(urls, nodes, keys, hosts, of_node, names) if names else np.zeros(0, np.int64)
    return Sites(names, of_node, np.bincount(of_node, minlength=len(names)), home)


def _find_homes(
    urls: Urls,
    nodes: npt.NDArray[np.int64],
    keys: pa.ChunkedArray,
    hosts: Groups,
    of_node: npt.NDArray[np.int64],
    names: list[str],
) -> npt.NDArray[np.int64]:
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
        place = np.minimum(np.searchsorted(nodes, found), len(nodes) - 1)
        inside = (found >= 0) & (nodes[place] == found) & (of_node[place] == lacking)
        home[lacking[inside]] = place[inside]
    return home
