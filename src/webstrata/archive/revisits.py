"""Which stored capture a ``revisit`` record refers to.

The original of a revisit is, of the captures of the URL that it refers to with status 200 and a payload,

- one with the same digest, where the revisit has one;
- else the one at the time of ``WARC-Refers-To-Date``, to the second;
- for the profile of ours that stands for pages with equal fingerprints, else the nearest one before.

A ``server-not-modified`` record whose original is none of these has no payload: another capture of the URL
may have been of another version.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.archive.cdxj import Entry
    from webstrata.archive.record import Record

MIME = "warc/revisit"


def find_original(entry: Entry, record: Record, captures: Sequence[Entry]) -> Entry | None:
    """The capture, among those of the URL that a revisit refers to, whose payload it stands for, or None.

    Parameters
    ----------
    entry, record
        The index line of the revisit, and its record.
    captures
        Index lines of captures that it may refer to.

    Examples
    --------
    >>> from webstrata.archive.cdxj import Entry
    >>> from webstrata.archive.record import Record
    >>> page = {"url": "http://a.uk/", "mime": "text/html", "status": "200", "digest": "A"}
    >>> old, new = (Entry("uk,a)/", f"2026060{day}000000", page) for day in (1, 2))
    >>> revisit = page | {"mime": "warc/revisit", "status": "304", "digest": "-"}
    >>> line = Entry("uk,a)/", "20260603000000", revisit)
    >>> named = (("WARC-Refers-To-Date", "2026-06-01T00:00:00Z"),)
    >>> find_original(line, Record("revisit", named, b"", 0), [old, new]) is old
    True
    >>> find_original(line, Record("revisit", (), b"", 0), [old, new]) is None
    True
    """
    stored = [each for each in captures if each.fields["mime"] != MIME and each.fields["status"] == "200"]
    digest = entry.fields["digest"]
    if digest != "-":
        same = [each for each in stored if each.fields["digest"] == digest]
        if same:
            return same[0]
    profile = record.get("WARC-Profile") or ""
    if "identical-payload-digest" in profile and digest != "-":
        return None
    date = re.sub(r"\D", "", record.get("WARC-Refers-To-Date") or "")[:14]
    at_date = [each for each in stored if date and each.timestamp == date]
    if at_date:
        return at_date[0]
    if "same-fingerprint" not in profile:
        return None
    before = [each for each in stored if each.timestamp <= entry.timestamp]
    return max(before, key=lambda each: each.timestamp, default=None)
