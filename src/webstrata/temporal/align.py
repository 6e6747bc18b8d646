r"""Which URLs of two snapshots are the same page: the key that a row key is aligned by.

Two pages of different snapshots are the same if their aligned keys are equal. By method, each doing what the
one before it does too:

===============  ==========================================================================================
``static``       pages whose URL has no question mark, as they are (TIME, section 3)
``canonical``    without the scheme, a leading ``www.`` and a trailing index page (``/index.html``)
``learned``      dynamic URLs too, without parameters that make no difference on their host, and with
                 parameters in order where their order makes none (see `rules`)
===============  ==========================================================================================

A page that is not aligned has no key: it is in no union. Nothing is rewritten: the maps of a union lead back
to the pages of each snapshot, and to the URLs that these had.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webstrata.collection.action import Action
from webstrata.collection.sentences import tell_count
from webstrata.errors import DateError, MissingError
from webstrata.temporal.rules import AlignmentRule, apply_rules
from webstrata.temporal.settings import METHODS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webstrata.collection import Collection, Snapshot

# in the order in which they are applied to row keys, where scheme and port stand behind a blank
_CANONICAL = (
    (r" https$", ""),
    # `www.com` is no `com`: something must be left of the name
    (r"^([^),]+,[^)]+),www\)", r"\1)"),
    (r"(?i)/(?:index|default|welcome)\.(?:x?html?|shtml|php[3-5]?|aspx?|jsp|cgi)( \d+)?$", r"/\1"),
)


class Aligner:
    """Row keys to the keys that pages are aligned by.

    Examples
    --------
    >>> keys = pa.array(["org,a,www)/index.html https", "org,a)/b?id=1&sid=2", "com,www)/"])
    >>> Aligner("static").keys(keys).to_pylist()
    ['org,a,www)/index.html https', None, 'com,www)/']
    >>> Aligner("canonical").keys(keys).to_pylist()
    ['org,a)/', None, 'com,www)/']
    >>> Aligner("learned", [AlignmentRule("a.org", "parameter", "sid", 9, 1.0)]).keys(keys).to_pylist()
    ['org,a)/', 'org,a)/b?id=1', 'com,www)/']
    """

    def __init__(self, by: str, rules: Iterable[AlignmentRule] = ()) -> None:
        if by not in METHODS:
            raise ValueError(f"by: expected one of {', '.join(METHODS)}, got {by!r}")
        self.by = by
        self.rules = list(rules) if by == "learned" else []

    def keys(self, keys: pa.Array) -> pa.Array:
        """The aligned key of each row key, null for a page that is not aligned."""
        keys = keys.cast(pa.large_string())
        is_dynamic = pc.match_substring(keys, "?")
        none = pa.scalar(None, pa.large_string())
        if self.by == "static":
            return pc.if_else(is_dynamic, none, keys)
        found = canonical_keys(keys)
        if self.by == "canonical":
            return pc.if_else(is_dynamic, none, found)
        # the rules of hosts are asked where there is something to leave out
        can_change = pc.or_(is_dynamic, pc.match_substring(keys, ";"))
        places = np.flatnonzero(can_change.to_numpy(zero_copy_only=False))
        if not (len(places) and self.rules):
            return found
        changed = apply_rules(self.rules, found.take(pa.array(places)).to_pylist())
        return pc.replace_with_mask(found, can_change, pa.array(changed, pa.large_string()))


def canonical_keys(keys: pa.Array) -> pa.Array:
    """Row keys without scheme, ``www`` and a trailing index page.

    Examples
    --------
    >>> keys = pa.array(["org,a,www)/x/Default.asp 8080", "org,a)/x https", "org,a)/index.html?b"])
    >>> canonical_keys(keys).to_pylist()
    ['org,a)/x/ 8080', 'org,a)/x', 'org,a)/index.html?b']
    """
    for pattern, instead in _CANONICAL:
        keys = pc.replace_substring_regex(keys, pattern, instead)
    return keys


def choose_snapshots(collection: Collection, words: str = "") -> list[Snapshot]:
    """The snapshots that a text names, oldest first, or all; each must have a graph.

    Labels and ranges stand with commas between them: ``2026-01..2026-06,2026-09``. Either end of a range may
    be left out.

    Examples
    --------
    >>> from webstrata import testing
    >>> collection = testing.collection()
    >>> [snapshot.date for snapshot in choose_snapshots(collection, "..2026-05")]
    ['2026-04', '2026-05']
    >>> choose_snapshots(collection, "2026-05")
    Traceback (most recent call last):
    webstrata.errors.DateError: ...uk: only 2026-05 is named, and it takes two snapshots to align; name
    another
    """
    known = collection.dates
    labels = collection.choose(words.split(",") if words else ())
    if len(labels) < 2:
        there = (
            f"only {labels[0]} is named"
            if words and labels
            else f"it has {tell_count(len(known), 'snapshot')}"
        )
        do = "name another" if words else "crawl or ingest another"
        raise DateError(f"{collection.path}: {there}, and it takes two snapshots to align; {do}")
    if len(labels) > 64:
        raise DateError(
            f"{collection.path}: {len(labels)} snapshots are named, and a label has 64 bits; name fewer with "
            "--snapshots"
        )
    snapshots = [collection[label] for label in labels]
    for snapshot in snapshots:
        if "graph" not in snapshot.parts:
            raise MissingError(
                f"{collection.path}: {snapshot.date} has no graph; {{fix}}, or leave it out of `snapshots`",
                fix=Action.on(snapshot, "build", "graph"),
            )
    return snapshots
