"""Small ready collections, snapshots, graphs and files for examples, tests of plugins and notebooks.

::

    from webstrata import testing

    collection = testing.collection()     # three snapshots of five small hosts, with all usual parts
    june = testing.snapshot()             # the newest of them, alone in a collection
    graph = testing.graph()               # its pages and links, in memory
    path = testing.warc()                 # its captures as a WARC file
    mine = testing.snapshot_of({"http://a.example/": "<title>A</title>"})  # pages of your own
    uk = testing.empty()                  # a new collection without snapshots
    folder = testing.scratch()            # a new empty folder

Every call returns a new copy, so that one example cannot affect another. All copies are in one temporary
directory, which is removed when the process ends. The ready collection is built once per process, in about
two seconds. It has the snapshots 2026-04, 2026-05 and 2026-06 of five hosts: reef.example, kitchen.example,
garden.example, news.example and pills.example.

- A storm happens in June: http://news.example/storm and http://reef.example/storm are new;
- http://kitchen.example/bread is gone after April, http://garden.example/pond appears in May;
- http://garden.example/tomatoes and http://news.example/ have another text in every snapshot;
- http://www.reef.example/ redirects to http://reef.example/;
- http://kitchen.example/index.html has the content of http://kitchen.example/;
- http://pills.example/ is spam: repeated words, and links only to its own pages.
"""

from __future__ import annotations

import atexit
import contextlib
import datetime as dt
import fcntl
import os
import shutil
import tempfile
import threading
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from webstrata import api
from webstrata.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from webstrata.graph.rows import RowsGraph

__all__ = [
    "LABELS",
    "PAGES",
    "PARTS",
    "collection",
    "collection_of",
    "empty",
    "graph",
    "scratch",
    "snapshot",
    "snapshot_of",
    "warc",
]


PARTS = ("graph", "summaries", "rank-pagerank", "temporal", "text_index")
"""The parts that can be built in addition to those of an ingest, in the order of their inputs."""
LABELS = ("2026-04", "2026-05", "2026-06")
"""The snapshots of the ready collection."""

_FIRST = {
    "http://reef.example/": (
        "The coral reef",
        "A coral reef is a city under water. Small fish hide between the corals, large fish pass by in the "
        "evening, and turtles come to sleep. Our divers have counted the fish of this reef for ten years.",
        {
            "/fish": "fish of the reef",
            "/corals": "corals",
            "http://news.example/": "harbour news",
            "http://kitchen.example/soup": "fish soup",
        },
    ),
    "http://reef.example/fish": (
        "Fish of the reef",
        "The clownfish lives in an anemone. The parrotfish bites the coral and leaves white sand. The moray "
        "eel waits in its cave for smaller fish. Tropical fish like warm and clear water.",
        {"/": "the reef", "/corals": "corals"},
    ),
    "http://reef.example/corals": (
        "Corals",
        "Corals are animals that build houses of stone. They feed on light and on what the water brings. "
        "When the sea is too warm they lose their colour and may die.",
        {"/": "the reef", "/fish": "fish"},
    ),
    "http://kitchen.example/": (
        "Kitchen notes",
        "Recipes for every day, written down after dinner. We cook what the garden gives and what the "
        "harbour sells, and we write down only what we would cook again.",
        {
            "/soup": "fish soup",
            "/bread": "bread",
            "http://garden.example/": "our garden",
            "http://garden.example/tomatoes": "tomatoes",
        },
    ),
    "http://kitchen.example/soup": (
        "Fish soup",
        "Fry onions and tomatoes in oil, add water, saffron and a bay leaf, and let it boil for half an "
        "hour. Add the fish last: it needs only five minutes. Serve the soup with bread.",
        {"/": "kitchen", "http://garden.example/tomatoes": "tomatoes", "http://reef.example/fish": "fish"},
    ),
    "http://kitchen.example/bread": (
        "Bread",
        "Mix flour, water, salt and a little yeast, and wait until tomorrow. Fold the dough, wait again, and "
        "bake the bread for forty minutes in a hot oven.",
        {"/": "kitchen"},
    ),
    "http://garden.example/": (
        "The kitchen garden",
        "A small garden behind the house, with vegetables, herbs and an apple tree. What we plant, and when, "
        "is written here from month to month.",
        {"/tomatoes": "tomatoes", "http://kitchen.example/": "kitchen notes"},
    ),
    "http://garden.example/tomatoes": (
        "Tomatoes",
        "April: the seeds are in small pots at the window. Tomatoes need light and warm nights.",
        {"/": "the garden", "http://kitchen.example/soup": "soup"},
    ),
    "http://news.example/": (
        "Harbour news",
        "April: the fishing boats are painted. The market opens on Saturday, with fish, bread and flowers.",
        {"http://reef.example/": "the reef", "http://kitchen.example/": "recipes"},
    ),
    "http://pills.example/": (
        "Cheap pills cheap",
        "cheap pills buy cheap pills online cheap cheap pills best price buy pills now cheap pills buy buy",
        {"/buy": "cheap pills", "/best": "best pills"},
    ),
    "http://pills.example/buy": (
        "Buy pills cheap",
        "buy cheap pills buy pills cheap price cheap pills online pills pills buy cheap now best cheap pills",
        {"/": "cheap pills", "/best": "cheap pills"},
    ),
    "http://pills.example/best": (
        "Best cheap pills",
        "best cheap pills best price best pills buy best cheap pills online now cheap best pills buy cheap",
        {"/": "cheap pills", "/buy": "cheap pills"},
    ),
}
_SECOND = {
    **{url: page for url, page in _FIRST.items() if url != "http://kitchen.example/bread"},
    "http://garden.example/": (
        "The kitchen garden",
        "A small garden behind the house, with vegetables, herbs, an apple tree and now a pond. What we "
        "plant, and when, is written here from month to month.",
        {"/tomatoes": "tomatoes", "/pond": "the new pond", "http://kitchen.example/": "kitchen notes"},
    ),
    "http://garden.example/pond": (
        "The pond",
        "We have dug a pond. Water lilies grow at its edge, and three goldfish swim in it. Fish in a pond "
        "need shade in summer and deep water in winter.",
        {"/": "the garden", "http://reef.example/fish": "other fish"},
    ),
    "http://garden.example/tomatoes": (
        "Tomatoes",
        "May: the young plants go out into the garden. Water them in the morning, and never their leaves.",
        {"/": "the garden", "http://kitchen.example/soup": "soup"},
    ),
    "http://news.example/": (
        "Harbour news",
        "May: the market was full on Saturday. A school of dolphins was seen near the harbour.",
        {"http://reef.example/": "the reef", "http://garden.example/pond": "a pond"},
    ),
}
_THIRD = {
    **_SECOND,
    "http://garden.example/tomatoes": (
        "Tomatoes",
        "June: the storm has broken two plants, the others have flowers. Tie them to a stick and wait.",
        {"/": "the garden", "http://news.example/storm": "the storm"},
    ),
    "http://news.example/": (
        "Harbour news",
        "June: a storm came over the harbour on Sunday night. The market is closed until the roof is mended.",
        {"/storm": "the storm", "http://reef.example/storm": "storm over the reef"},
    ),
    "http://news.example/storm": (
        "The storm",
        "The storm came from the west on Sunday night. Waves as high as a house ran over the harbour wall, "
        "two boats sank, and nobody was hurt. It was the strongest storm in thirty years.",
        {"/": "news", "http://reef.example/storm": "storm damage on the reef"},
    ),
    "http://reef.example/storm": (
        "After the storm",
        "Our divers looked at the reef after the storm. Many corals are broken, and the fish have moved to "
        "deeper water. The reef has survived storms before.",
        {"/": "the reef", "http://news.example/storm": "the storm"},
    ),
}
_PREFIX, _LOCK = "webstrata-testing-", "in-use"
_REDIRECTS = {"http://www.reef.example/": "http://reef.example/"}
_COPIES = {"http://kitchen.example/index.html": "http://kitchen.example/"}


def _to_html(title: str, text: str, links: Mapping[str, str]) -> str:
    items = "".join(f'<li><a href="{url}">{anchor}</a></li>\n' for url, anchor in links.items())
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head><title>{title}</title></head>\n<body>\n'
        f"<h1>{title}</h1>\n<p>{text}</p>\n<ul>\n{items}</ul>\n</body>\n</html>\n"
    )


PAGES: Mapping[str, Mapping[str, str]] = {
    label: {url: _to_html(*page) for url, page in pages.items()}
    for label, pages in zip(LABELS, (_FIRST, _SECOND, _THIRD), strict=True)
}
"""The pages of the ready collection as HTML, by snapshot and URL."""


# ---- folders


@cache
def _home() -> Path:
    """The temporary directory of this process; first remove those that killed processes left."""
    for lock in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*/{_LOCK}"):
        # those of other users cannot be opened, and symbolic links are not followed
        if (descriptor := _try_lock(lock)) is not None:
            shutil.rmtree(lock.parent, ignore_errors=True)
            os.close(descriptor)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    (folder / "new").touch()
    _try_lock(folder / "new")  # held until the process ends, however it does
    (folder / "new").rename(folder / _LOCK)
    atexit.register(_remove, folder, os.getpid())
    return folder


def _try_lock(path: Path) -> int | None:
    """The descriptor of a file that is now locked; None if it is locked elsewhere or gone."""
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
        else:
            return descriptor
    return None


def _remove(folder: Path, owner: int) -> None:
    # a forked child that exits must not remove the folder of its parent
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


def scratch() -> Path:
    """A new empty folder, which is removed when the process ends.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> folder.is_dir(), list(folder.iterdir()), folder == testing.scratch()
    (True, [], False)
    """
    return Path(tempfile.mkdtemp(dir=_home()))


# ---- collections


def empty(name: str = "uk", *, title: str = "") -> api.Collection:
    """A new collection without snapshots, in a folder with this name; see `scratch`.

    Examples
    --------
    >>> from webstrata import testing
    >>> uk = testing.empty()
    >>> uk.path.name, uk.dates
    ('uk', [])
    >>> uk.add("2026-06").date
    '2026-06'
    """
    return api.create(scratch() / name, title=title)


def collection() -> api.Collection:
    """A copy of the ready collection: three snapshots with text, links, graphs, ranks, union and text index.

    Examples
    --------
    >>> from webstrata import testing
    >>> collection = testing.collection()
    >>> collection.dates
    ['2026-04', '2026-05', '2026-06']
    >>> [hit.url for hit in collection.search("tropical fish", at="2026-06")][:2]
    ['http://reef.example/fish', 'http://kitchen.example/soup']
    >>> answer = collection.changes("storm", "2026-05", "2026-06")
    >>> [change.url for change in answer][:2]
    ['http://reef.example/storm', 'http://news.example/storm']
    """
    return _copy(_ready())


def snapshot() -> api.Snapshot:
    """A copy of the newest snapshot of the ready collection, 2026-06, alone in a new collection.

    Examples
    --------
    >>> from webstrata import testing
    >>> june = testing.snapshot()
    >>> len(june.urls), june.graph.num_arcs
    (15, 36)
    >>> june.text[june.urls.node("http://reef.example/corals")].title
    'Corals'
    >>> [anchor.text for anchor in june.anchors[june.urls.node("http://news.example/storm")]]
    ['the storm', 'the storm', 'the storm']
    """
    return _copy(_ready_snapshot())[LABELS[-1]]


def collection_of(
    snapshots: Mapping[str, Mapping[str, str]], *, parts: Iterable[str] = ("graph",)
) -> api.Collection:
    """A new collection of your own pages: for each snapshot the HTML of its pages by their URLs.

    Parameters
    ----------
    snapshots
        By label, for example ``{"2026-06": {"http://a.example/": "<a href=/x>X</a>"}}``.
    parts
        Parts to build in addition to those of an ingest: names from `PARTS`.

    Examples
    --------
    >>> from webstrata import testing
    >>> pages = {"http://a.example/": "<a href=/x>X</a>", "http://a.example/x": "Fish and chips"}
    >>> home = {"http://a.example/": "<p>Nothing here yet"}
    >>> uk = testing.collection_of({"2026-05": home, "2026-06": pages}, parts=["graph", "temporal"])
    >>> uk["2026-06"].graph.successors(0).tolist(), uk.temporal.num_nodes
    ([1], 2)
    """
    chosen = list(parts)
    if unknown := [name for name in chosen if name not in PARTS]:
        raise UsageError(f"parts: unknown part {unknown[0]!r}; expected names among {', '.join(PARTS)}")
    if bare := [label for label, pages in snapshots.items() if not pages]:
        raise UsageError(f"snapshots: {bare[0]} has no pages; give it at least one")
    made = _create_small()
    for label, pages in snapshots.items():
        _ingest(made, label, _write_warc(label, pages, {}, {}))
    for name in PARTS:
        if name in chosen:
            _build(made, name)
    return made


def snapshot_of(pages: Mapping[str, str], *, parts: Iterable[str] = ("graph",)) -> api.Snapshot:
    """A snapshot 2026-06 of your own pages, alone in a new collection; see `collection_of`.

    Examples
    --------
    >>> from webstrata import testing
    >>> june = testing.snapshot_of({"http://a.example/": "<title>Fish</title>", "http://b.example/": "B"})
    >>> list(june.urls), june.text[0].title
    (['http://a.example/', 'http://b.example/'], 'Fish')
    """
    return collection_of({LABELS[-1]: pages}, parts=parts)[LABELS[-1]]


# ---- small objects


def graph() -> RowsGraph:
    """The pages of the newest snapshot and the links between them, in memory.

    Examples
    --------
    >>> from webstrata import testing
    >>> graph = testing.graph()
    >>> graph
    <RowsGraph of 15 nodes and 36 arcs>
    >>> graph.successors(0).tolist()
    [1, 2, 3]
    """
    from webstrata.graph.rows import RowsGraph

    return RowsGraph(*_ready_snapshot()[LABELS[-1]].graph.rows())


def warc(label: str = LABELS[-1]) -> Path:
    """A new WARC file with the responses of a snapshot of the ready collection.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.archive.warc import read_records
    >>> path = testing.warc()
    >>> path.name
    'pages-00000.warc.gz'
    >>> [record.url for record in read_records(path)][1:3]
    ['http://reef.example/', 'http://reef.example/fish']
    """
    if label not in PAGES:
        raise UsageError(f"label: no snapshot {label!r} in the ready collection; expected one of {LABELS}")
    return _write_warc(label, PAGES[label], _REDIRECTS, _COPIES)


# ---- how they are made


def _build(made: api.Collection, part: str) -> None:
    """Build a part: of the collection, or of all snapshots that do not have it."""
    made.build(part, workers=1)


_building = threading.RLock()


@cache
def _ready_snapshot() -> api.Collection:
    """The newest snapshot in a collection of its own; copied, never changed."""
    with _building:
        made = _create_small()
        _ingest(made, LABELS[-1], warc())
        for part in PARTS[:3]:
            _build(made, part)
        return made


@cache
def _ready() -> api.Collection:
    """The ready collection itself; copied, never changed."""
    with _building:
        made = _copy(_ready_snapshot())
        for label in LABELS[:-1]:
            _ingest(made, label, warc(label))
        for part in PARTS:
            _build(made, part)
        return made


def _ingest(made: api.Collection, label: str, path: Path) -> None:
    from webstrata.store.ingest.run import ingest

    ingest(made.add(label), [path])


def _copy(source: api.Collection) -> api.Collection:
    path = scratch() / "uk"
    shutil.copytree(source.path, path, symlinks=True, copy_function=shutil.copyfile)
    return api.open(path)


def _create_small() -> api.Collection:
    """A collection whose settings suit a handful of pages."""
    made = empty()
    file = made.path / "collection.toml"
    # by default a term must be in 20 pages
    file.write_text(file.read_text().replace("[summaries]\n", "[summaries]\nmin_df = 1\n", 1))
    return api.open(made.path)


def _write_warc(
    label: str, pages: Mapping[str, str], redirects: Mapping[str, str], copies: Mapping[str, str]
) -> Path:
    """Write the responses of a snapshot, one per second from the start of its first day."""
    from webstrata.archive.warc import Capture, WarcWriter

    folder = scratch()
    html = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8"
    responses = [(url, html, page) for url, page in pages.items()]
    responses += [
        (url, f"HTTP/1.1 301 Moved Permanently\r\nLocation: {to}", "") for url, to in redirects.items()
    ]
    responses += [(url, html, pages[original]) for url, original in copies.items()]
    first_day = dt.datetime.fromisoformat(label[:10] + "-01-01"[len(label[:10]) - 4 :]).replace(tzinfo=dt.UTC)
    with WarcWriter(folder, "pages") as writer:
        for second, (url, head, body) in enumerate(responses):
            time = int(first_day.timestamp()) + second
            writer.write(Capture(url=url, date=time * 10**9, head=head.encode(), body=body.encode()))
    return folder / "pages-00000.warc.gz"
