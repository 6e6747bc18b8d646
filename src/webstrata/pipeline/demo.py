"""The demo: a folder with a synthetic web, or installed documentation, and the settings of its run."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from webstrata.collection import Collection as StoredCollection
from webstrata.collection.action import PROGRAM, Action
from webstrata.collection.files import explained, make_directory, remove_tree, replace_file
from webstrata.collection.sentences import tell_count
from webstrata.errors import ExistsError, MissingError
from webstrata.store.documentation import MIN_PAGES, find_packages, find_roots

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from webstrata.api import Collection
    from webstrata.store.documentation import DocumentedPackage

TITLE = f"{PROGRAM} demo"
"""The title of a demo's collection, by which an earlier demo is recognized."""
SEED = 7
MONTHS = {"tiny": 2, "small": 4, "demo": 6}
"""Presets of the synthetic web, with the number of snapshots."""
_FETCHED = {"tiny": 80, "small": 800, "demo": 3_000}
"""Pages of a simulated crawl, a third of all pages."""
_LABELS = """\
labels = "truth"      # the synthetic web knows which hosts are spam

[train]
library = "small"
together = "domain"
folds = 3
"""
_CONFIG = """\
# The settings of the demo, for `run --config`. Change a line, and the same run builds what is stale then.
[run]
snapshots = {snapshots}
invitro = "{preset}"      # a synthetic web, served over real HTTP on loopback addresses
invitro_seed = {seed}
{labels}
[crawl]
# some hosts of this web ask for longer delays than a demo should take
max_crawl_delay = "{longest}"

[temporal]
by = "learned"

[simulate]
policy = ["breadth-first", "best-first", "in-degree", "oracle"]
relevant = "topic:1"
runs = 5
max_pages = {fetched}     # where policies still differ; without a limit all of them fetch all pages
"""


@dataclass(frozen=True)
class SyntheticDemo:
    """The demo on a synthetic web.

    Examples
    --------
    >>> demo = SyntheticDemo("tiny")
    >>> demo.snapshots, "invitro_seed = 7" in demo.config
    (['2026-01', '2026-02'], True)
    >>> demo.summary.splitlines()[0]
    'The web `tiny` is synthetic, and served on this machine: 2 months of some 200 pages on 15 hosts.'
    """

    preset: str = "demo"

    @property
    def snapshots(self) -> list[str]:
        """The dates of its months."""
        return [f"2026-{month:02}" for month in range(1, MONTHS[self.preset] + 1)]

    @property
    def config(self) -> str:
        """The settings of its run, as TOML."""
        is_large = self.preset == "demo"
        return _CONFIG.format(
            snapshots=json.dumps(self.snapshots),
            preset=self.preset,
            seed=SEED,
            longest="10ms" if is_large else "20ms",
            # the smaller webs have too few hosts to learn from
            labels=_LABELS if is_large else "",
            fetched=_FETCHED[self.preset],
        )

    @property
    def summary(self) -> str:
        """Its size, and its delays compared with those of the open web."""
        from webstrata.invitro import Web

        settings = Web(self.preset, seed=SEED).settings
        return (
            f"The web `{self.preset}` is synthetic, and served on this machine: {MONTHS[self.preset]} months "
            f"of some {tell_count(settings.pages, 'page')} on {tell_count(settings.hosts, 'host')}.\n"
            "Politeness is real, and its delays are scaled down to fit: "
            f"{1000 * settings.host_delay:g} ms between visits to a host and {1000 * settings.ip_delay:g} ms "
            "to an address; the defaults for the open web are 4 s and 0.5 s."
        )

    def write_config(self, folder: Path) -> Path:
        """Write the settings as ``demo.toml``; the file."""
        path = folder / "demo.toml"
        replace_file(path, self.config.encode())
        return path


def prepare_demo(folder: Path, *, is_real: bool = False) -> Path:
    """Make the folder of a demo, replacing an earlier demo; the place of its collection.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> prepare_demo(folder / "demo").name
    'web'
    >>> _ = (folder / "demo" / "mine.txt").write_text("kept")
    >>> prepare_demo(folder / "demo")
    Traceback (most recent call last):
    webstrata.errors.ExistsError: .../demo: this folder is not a demo; name another one with --output
    """
    place = folder / ("docs" if is_real else "web")
    with explained(folder, "read"):
        demos = [folder / name for name in ("web", "docs") if (folder / name / "collection.toml").is_file()]
        is_taken = folder.exists()
    if any(StoredCollection.open(demo).title == TITLE for demo in demos):
        remove_tree(folder)
    elif is_taken:
        raise ExistsError(f"{folder}: this folder is not a demo; name another one with --output")
    make_directory(place.parent)
    return place


def find_documentation(folders: Sequence[Path] = ()) -> list[DocumentedPackage]:
    """The installed packages with HTML documentation, below some folders or the usual ones.

    Examples
    --------
    >>> from webstrata import testing
    >>> find_documentation([testing.scratch()])
    Traceback (most recent call last):
    webstrata.errors.MissingError: no documentation with ... or more HTML pages below ...
    """
    roots = list(folders) or find_roots()
    found = find_packages(roots)
    if not found:
        where = ", ".join(map(str, roots)) or "the usual places"
        raise MissingError(
            f"no documentation with {MIN_PAGES} or more HTML pages below {where}; install a package such as "
            f"python3-doc, or name a folder with --docs"
        )
    return found


def suggest_next(collection: Collection, *, is_real: bool = False) -> list[Action]:
    """What to look at in a finished demo.

    Examples
    --------
    >>> from webstrata import testing
    >>> [action.verb for action in suggest_next(testing.collection())]
    ['report', 'history', 'rank', 'graph stats', 'run']
    """
    path, first, last = str(collection.path), collection.dates[0], collection.dates[-1]
    top = collection[last].rank().top(1)[0].name or ""
    if is_real:
        return [
            Action("search", path, words=("how to read a file",)),
            Action("rank", path, last, options={"limit": 10}),
            Action("similar", path, words=(top,)),
            Action("graph links", path, last, (top,), {"in": True}),
        ]
    return [
        Action("report", path, options={"open": True}),
        Action("history", path, words=(top,)),
        Action("rank", path, options={"all_snapshots": True, "of": first, "limit": 10}),
        Action("graph stats", path, last),
        Action("run", path, options={"dry_run": True}),
    ]
