"""What a graph in rows is, in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


def to_rows(lists: Iterable[Iterable[int]]) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Offsets and targets of successor lists."""
    offsets, targets = [0], []
    for successors in lists:
        targets += sorted(set(successors))
        offsets.append(len(targets))
    return np.array(offsets, dtype=np.uint64), np.array(targets, dtype=np.uint32)
