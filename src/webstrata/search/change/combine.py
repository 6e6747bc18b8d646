"""Text and change as one preference (CHANGE, section 2.3).

    p(u) = α · IR(u) / max IR + (1 − α) · change(u) / (change(u) + T),

then divided by its sum, since what a walk or a supersource gives is divided among the candidates. IR(u) is
that of neighbours too, which may match and were only not among the seeds. Where all are 0, all count alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Numbers = npt.NDArray[np.float64]


def combine(texts: Numbers, changes: Numbers, *, alpha: float, saturation: float) -> Numbers:
    """p(u) of each candidate, of sum 1.

    Examples
    --------
    >>> combine(np.array([4.0, 2.0, 0.0]), np.array([0.0, 10.0, 10.0]), alpha=0.5, saturation=10.0).tolist()
    [0.4, 0.4, 0.2]
    """
    most = texts.max(initial=0.0)
    text = texts / most if most > 0 else np.zeros_like(texts)
    found: Numbers = alpha * text + (1 - alpha) * changes / (changes + saturation)
    total = found.sum()
    if not total > 0:
        return np.full(len(found), 1 / max(len(found), 1))
    divided: Numbers = found / total
    return divided
