"""Which earlier snapshots a set of features in motion looks back at.

Where the setting `earlier` names none, it is the last one before that has the parts which the set needs (for
links) or all those that have them (for terms). ``all`` means all of these for either; labels mean those
snapshots, whose parts must be there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata.errors import MissingError, SettingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.collection import Snapshot

ALL = "all"


def find_earlier(
    snapshot: Snapshot, named: Sequence[str], inputs: Sequence[str], *, last_alone: bool = False
) -> list[Snapshot]:
    """The earlier snapshots, the oldest first; there may be none.

    Parameters
    ----------
    snapshot
        What is looked back from.
    named
        Labels, or ``all``, or nothing.
    inputs
        Parts that they must have.
    last_alone
        Whether nothing means the last one alone instead of all.

    Examples
    --------
    >>> from webstrata import testing
    >>> uk = testing.empty()
    >>> april, may, june = (uk.add(label) for label in ("2026-04", "2026-05", "2026-06"))
    >>> [some.date for some in find_earlier(june, [], [])]
    ['2026-04', '2026-05']
    >>> [some.date for some in find_earlier(june, [], [], last_alone=True)]
    ['2026-05']
    >>> [some.date for some in find_earlier(june, ["2026-04"], [])]
    ['2026-04']
    """
    if named and tuple(named) != (ALL,):
        return [_find(snapshot, label, inputs) for label in sorted(set(named))]
    found = [
        other
        for other in snapshot.collection
        if other.date < snapshot.date and all(name in other.parts for name in inputs)
    ]
    return found[-1:] if last_alone and not named else found


def choose_earlier(
    snapshot: Snapshot, named: Sequence[str], inputs: Sequence[str], *, last_alone: bool = False
) -> list[Snapshot]:
    """As `find_earlier`, but `MissingError` where there is none.

    Examples
    --------
    >>> from webstrata import testing
    >>> collection = testing.collection()
    >>> [snapshot.date for snapshot in choose_earlier(collection["2026-06"], [], ["graph"])]
    ['2026-04', '2026-05']
    >>> choose_earlier(collection["2026-04"], [], ["graph"])
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...2026-04: there is no earlier snapshot with graph to compare it with; add
    one, or leave the temporal sets out
    """
    found = find_earlier(snapshot, named, inputs, last_alone=last_alone)
    if not found:
        raise MissingError(
            f"{snapshot.path}: there is no earlier snapshot with {' and '.join(inputs)} to compare it with; "
            "add one, or leave the temporal sets out"
        )
    return found


def _find(snapshot: Snapshot, label: str, inputs: Sequence[str]) -> Snapshot:
    if label == ALL:
        raise SettingError("earlier: `all` stands alone; name labels, or all")
    if label >= snapshot.date:
        raise SettingError(f"earlier: {label} is not before {snapshot.date}; name an earlier snapshot")
    found = snapshot.collection[label]
    for name in inputs:
        found.parts.record(name)
    return found
