"""A sheet of labels that grows by one host at a time: what is labelled, and which host comes next.

The file is that of `webstrata.classify.learning.labels`: ``host,label``. Every answer is written before the
next question, so an interruption loses nothing; run again with the same file to resume.
"""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import numpy as np

from webstrata.classify.features.sites import open_sites
from webstrata.collection.files import explained, replace_file
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from webstrata.classify.features.sites import Sites
    from webstrata.collection import Snapshot

UNDECIDED = "undecided"


class LabelSheet:
    """The labels of a file, in the order in which they were given.

    Examples
    --------
    >>> from webstrata import testing
    >>> sheet = LabelSheet(testing.scratch() / "labels.csv")
    >>> sheet.add("a.org", "spam")
    >>> sheet.add("b.org", "nonspam")
    >>> LabelSheet(sheet.path).labels
    {'a.org': 'spam', 'b.org': 'nonspam'}
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.labels: dict[str, str] = {}
        if path.exists():
            with explained(path, "read"):
                rows = list(csv.reader(io.StringIO(path.read_bytes().decode("utf-8", "replace"))))
            first = ",".join(rows[0]) if rows else "empty"
            if first != "host,label":
                raise FormatError(
                    f"{path}: its first line is {first}, and `host,label` was expected; name another file"
                )
            self.labels = {row[0]: row[1] for row in rows[1:] if len(row) > 1}

    def add(self, host: str, label: str) -> None:
        """Note the label of a host, and write the file."""
        self.labels[host] = label
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["host", "label"])
        writer.writerows(self.labels.items())
        replace_file(self.path, stream.getvalue().encode())


def propose_hosts(hosts: Sequence[str], done: Sequence[str], *, seed: int = 1) -> list[str]:
    """Hosts that have no label yet, in random order, always the same one for a seed.

    Examples
    --------
    >>> hosts = ["a.org", "b.org", "c.org"]
    >>> propose_hosts(hosts, ["b.org"]) == propose_hosts(hosts, ["b.org"])
    True
    """
    shuffled = np.random.default_rng(seed).permutation(len(hosts))
    known = set(done)
    return [hosts[place] for place in shuffled if hosts[place] not in known]


def show_pages(
    snapshot: Snapshot, host: str, most: int = 3, letters: int = 600, *, sites: Sites | None = None
) -> Iterator[tuple[str, str, str]]:
    """URL, title and beginning of the text of some pages of a host, the home page first.

    Parameters
    ----------
    snapshot, host
        Whose pages.
    most, letters
        How many pages, and how much of each text.
    sites
        Those of the snapshot, where they are at hand.

    Examples
    --------
    >>> from webstrata import testing
    >>> [(url, title) for url, title, _ in show_pages(testing.snapshot(), "news.example")]
    [('http://news.example/', 'Harbour news'), ('http://news.example/storm', 'The storm')]
    """
    from webstrata.store.hiding import Hidden
    from webstrata.store.text import Text
    from webstrata.store.urls import Urls

    hidden = Hidden(snapshot.collection, snapshot)
    sites = sites or open_sites(snapshot)
    if host not in sites.names:
        return
    site = sites.names.index(host)
    home = int(sites.home[site])
    others = [int(node) for node in np.flatnonzero(sites.of_node == site) if node != home]
    shown = [node for node in [home, *others] if not hidden.has_node(node)]
    with snapshot.open_part("urls") as urls_part, snapshot.open_part("text") as text_part:
        urls, text = Urls(urls_part.path), Text(text_part.path)
        for node in shown[:most]:
            page = text[node]
            yield urls[node], page.title, " ".join(page.text.split())[:letters]
