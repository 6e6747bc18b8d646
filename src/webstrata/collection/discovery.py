"""Finds what rooms declare: every module of the package called ``settings`` or ``part``.

The collection knows no room by name. A room that has a ``settings.py`` adds tables to settings files, and one
that has a ``part.py`` adds parts; both are found by the name of the file. These modules are imported
together, so they import nothing heavy themselves.
"""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

PACKAGE = "webstrata"


@cache
def load_modules(name: str) -> tuple[ModuleType, ...]:
    """Every module of the package with this name, in the order of their folders.

    Examples
    --------
    >>> [module.__name__ for module in load_modules("settings")][:2]
    ['webstrata.classify.settings', 'webstrata.collection.settings']
    """
    root = Path(__file__).parent.parent
    found = sorted(path.relative_to(root).with_suffix("").parts for path in root.rglob(f"{name}.py"))
    return tuple(importlib.import_module(".".join((PACKAGE, *parts))) for parts in found)
