"""Writes `src/webstrata/keywords.py`: the keywords of the Python API, from the settings classes.

`docs/generate.py` runs it together with the pages. Every settings class gives a ``TypedDict`` of its name;
some methods take a part of the settings, and `build` takes those of all parts.
"""

from __future__ import annotations

import types
import typing
from pathlib import Path
from typing import TYPE_CHECKING

from webstrata.collection.declarations import load_parts
from webstrata.collection.settings import describe, load_tables
from webstrata.graph.settings import COMPRESSION
from webstrata.rank.settings import PLANE
from webstrata.search.settings import BUILDING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webstrata.collection.settings import Field

CHOICE = "one of "
LONGEST = 90
"""Characters of a name with its choices; more do not fit on a line, and the type is ``str``."""
KEYWORDS = Path(__file__).resolve().parent.parent / "src" / "webstrata" / "keywords.py"
HEAD = '''"""Keywords of the Python API, one ``TypedDict`` per settings class.

Written by docs/generate.py from the settings classes, so that editors complete and type checkers check what
methods take (``**settings: Unpack[RankKeywords]``). Only type checkers read this module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from collections.abc import Sequence
'''
ARGUMENTS = {"rank": ("method",), "search": BUILDING}
"""Settings of a table that are no keywords: a method takes them as an argument, or another method does."""
BUILD_ARGUMENTS = ("again", "workers", "snapshots")
"""Parameters of `Collection.build`; settings of the same name are given to the verbs of their own."""


def write_keywords() -> str:
    """The text of the module."""
    tables = load_tables()
    pieces = [HEAD]
    for table, cls in tables.items():
        fields = [field for field in describe(cls) if field.name not in ARGUMENTS.get(table, ())]
        pieces.append(_write_class(_name(table), f"The settings of ``[{table}]``.", fields))
    for name, (table, only) in {
        "compression": ("graph", COMPRESSION),
        "index": ("search", BUILDING),
        "plane": ("rank", PLANE),
    }.items():
        fields = [field for field in describe(tables[table]) if field.name in only]
        pieces.append(_write_class(_name(name), f"Some of the settings of ``[{table}]``.", fields))
    serving = [*describe(tables["serve"]), *describe(tables["server"])]
    about = "The settings of ``[serve]`` and ``[server]``."
    pieces.append(_write_class("ServingKeywords", about, serving))
    pieces.append(_write_class("BuildKeywords", "The settings of all parts that are built.", _list_built()))
    return "\n\n".join(pieces)


def _name(table: str) -> str:
    return "".join(word.title() for word in table.split("_")) + "Keywords"


def _list_built() -> list[Field]:
    """The settings of all parts by name, the type of the first; all have the same types."""
    classes = dict.fromkeys(part.settings for part in load_parts().values() if part.settings and part.build)
    found: dict[str, Field] = {}
    for cls in classes:
        for field in describe(cls):
            known = found.setdefault(field.name, field)
            if known is not field and _write_type(known) != _write_type(field):
                found[field.name] = _Any(field.name, {_write_type(known), _write_type(field)})
    return [found[name] for name in sorted(found) if name not in BUILD_ARGUMENTS]


def _write_class(name: str, about: str, fields: Iterable[Field]) -> str:
    lines = [f"class {name}(TypedDict, total=False):", f'    """{about}"""', ""]
    return "\n".join([*lines, *(f"    {field.name}: {_write_type(field)}" for field in fields), ""])


class _Any(typing.NamedTuple):
    """A setting of several parts that has another type in each."""

    name: str
    types: set[str]


def _write_type(field: Field | _Any) -> str:
    if isinstance(field, _Any):
        return " | ".join(sorted(field.types))
    kind = field.type
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        kind = next(member for member in typing.get_args(kind) if member is not types.NoneType)
    if typing.get_origin(kind) is tuple:
        return f"str | Sequence[{typing.get_args(kind)[0].__name__}]"
    if field.setting.unit:
        return f"{kind.__name__} | str"
    sentence = field.setting.check[0] if field.setting.check else ""
    if kind is str and sentence.startswith(CHOICE):
        names = ", ".join(f'"{name}"' for name in sentence.removeprefix(CHOICE).split(", "))
        if len(field.name) + len(names) <= LONGEST:
            return f"Literal[{names}]"
    return str(kind.__name__)
