"""Keywords that were renamed: the old ones work for one release, with a warning."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from webstrata.collection.tables import warn_renamed

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
T = TypeVar("T")


def rename_keywords(**renamed: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Let a function accept former keywords, each as the one that replaces it.

    Examples
    --------
    >>> import warnings
    >>> @rename_keywords(since="start")
    ... def find(*, start=None):
    ...     return start
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     found = find(since="2026-05")
    >>> found, str(caught[0].message).partition(";")[2]
    ('2026-05', ' use start')
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            for old, new in renamed.items():
                if old in kwargs:
                    if new in kwargs:
                        raise TypeError(f"{function.__name__}() got both {old!r} and {new!r}; give {new!r}")
                    warn_renamed(old, new)
                    kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        return call

    return decorate
