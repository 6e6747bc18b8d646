"""Random inputs that several rooms' tests draw."""

from __future__ import annotations

import datetime as dt

from hypothesis import strategies as st

from webstrata.collection.faults import POINTS
from webstrata.collection.manifest import Manifest, PartRecord

part_names = st.from_regex(r"[a-z][a-z0-9-]{0,8}", fullmatch=True)

_texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=12)
_plain_values = st.one_of(
    st.booleans(),
    st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False, allow_infinity=False),
    _texts,
    st.lists(_texts, max_size=3),
)

labels = st.one_of(
    st.dates(dt.date(1000, 1, 1)).flatmap(
        lambda day: st.sampled_from([f"{day:%Y}", f"{day:%Y-%m}", f"{day:%Y-%m-%d}"])
    ),
    st.datetimes(dt.datetime(1000, 1, 1)).map(lambda moment: f"{moment:%Y-%m-%dT%H%M}"),
)
"""Snapshot labels of all four forms."""


@st.composite
def part_records(draw: st.DrawFn, names: st.SearchStrategy[str] = part_names) -> PartRecord:
    """Records as builds write them, with odd texts where a stage may put some."""
    digests = st.binary(min_size=32, max_size=32).map(lambda digest: f"sha256:{digest.hex()}")
    moments = st.datetimes(dt.datetime(1990, 1, 1), dt.datetime(2100, 1, 1), timezones=st.just(dt.UTC))
    return PartRecord(
        name=draw(names),
        generation=draw(st.integers(1, 10**6)),
        built=draw(moments).replace(microsecond=0),
        seconds=draw(st.floats(0, 1e6)),
        version=draw(st.from_regex(r"[0-9]\.[0-9]{1,2}\.[0-9]", fullmatch=True)),
        files=draw(st.integers(0, 10**6)),
        bytes=draw(st.integers(0, 2**60)),
        checksum=draw(digests),
        renew=draw(_texts),
        settings=draw(st.dictionaries(part_names, _plain_values, max_size=3)),
        inputs=draw(st.dictionaries(_texts, digests, max_size=3)),
        counts=draw(st.dictionaries(part_names, st.integers(0, 2**60), max_size=3)),
    )


@st.composite
def manifests(draw: st.DrawFn) -> Manifest:
    """Manifests of up to four parts."""
    names = draw(st.lists(part_names, max_size=4, unique=True))
    return Manifest({name: draw(part_records(st.just(name))) for name in sorted(names)})


@st.composite
def fault_plans(draw: st.DrawFn) -> str:
    """Plans that make a small build die or fail at any of its steps, or none of them."""
    kind = draw(st.sampled_from(["", "point", "any", "no-space", "write-fails", "torn", "sync-fails"]))
    if kind == "point":
        return f"crash at={draw(st.sampled_from(POINTS))} after={draw(st.integers(0, 4))}"
    if kind == "any":
        return f"crash after={draw(st.integers(0, 70))}"
    if kind == "sync-fails":
        return f"sync-fails after={draw(st.integers(0, 40))}"
    return f"{kind} after={draw(st.integers(0, 4000))}" if kind else ""
