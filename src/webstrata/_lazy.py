"""Public names of a room, imported when they are first asked for.

A room's ``__init__`` names what is public. Importing all of it would load NumPy, Arrow and SciPy for commands
that only read settings, so the names are bound late (as SPEC 1 of Scientific Python proposes)::

    if TYPE_CHECKING:
        from webstrata.graph.view import Graph as Graph

    export(__name__, {"view": ("Graph",)})

A function may be called as its module (`webstrata.rank.pagerank`): the public name stays the function, also
after the import system has bound the module to it.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class _Room(ModuleType):
    """A package whose public names are bound late."""

    _homes: Mapping[str, str]

    def __setattr__(self, name: str, value: object) -> None:
        # the import system binds a submodule here; where the name is public, it is not the module's
        if not (name in self._homes and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


def export(
    package: str, names: Mapping[str, Iterable[str]], *, former: Mapping[str, str] | None = None
) -> None:
    """Give a package its public names, from each submodule those listed for it.

    Names in `former` are deprecated: they stand for the public names that replace them.

    Examples
    --------
    >>> import webstrata.rank.hits
    >>> from webstrata import rank
    >>> callable(rank.hits), "hits" in dir(rank)
    (True, True)
    """
    module = sys.modules[package]
    homes = {name: submodule for submodule, found in names.items() for name in found}

    renamed = dict(former or {})

    def load(name: str) -> object:
        if name in renamed:
            message = f"{package}.{name} is deprecated and will be removed in the next release; use "
            warnings.warn(f"{message}{package}.{renamed[name]}", DeprecationWarning, stacklevel=2)
            return load(renamed[name])
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(importlib.import_module(f"{package}.{homes[name]}"), name)
        module.__dict__[name] = value
        return value

    module.__dict__.update(
        _homes=homes,
        __all__=sorted(homes),
        __getattr__=load,
        __dir__=lambda: sorted(homes),
    )
    module.__class__ = _Room
