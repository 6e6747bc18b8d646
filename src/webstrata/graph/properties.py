"""The file ``.properties`` of a BVGraph: what it says, and whether the bits that are there agree.

It is text, a line ``name=value`` each, as Java writes properties. Beside what a reader needs (see `bvgraph`)
there are statistics, and those about the size of ``.graph`` can be compared with it at no cost: ``length``
(bits, by the crate), ``bitsperlink`` and ``bitspernode`` (by both, rounded to as many digits as they have).
Two graphs with as many nodes and arcs, such as a graph and its transpose, rarely agree in them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_LINE = re.compile(r"^[ \t]*([a-z]+)[ \t]*[=:][ \t]*(.*?)[ \t\r]*$", re.MULTILINE)


def read_properties(path: Path) -> dict[str, str]:
    """The properties of a file by their names.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "uk.properties"
    >>> _ = path.write_text("#BVGraph properties" + chr(10) + "nodes=3" + chr(10))
    >>> read_properties(path)
    {'nodes': '3'}
    """
    return dict(_LINE.findall(path.read_text("latin-1")))


def find_contradiction(properties: Mapping[str, str], num_nodes: int, num_arcs: int, bits: int) -> str:
    """What properties say of the size of a graph that is not so; nothing where they agree or say nothing.

    Examples
    --------
    >>> find_contradiction({"bitsperlink": "2.897"}, 325557, 3216152, 9318741)
    ''
    >>> find_contradiction({"bitsperlink": "2.343"}, 325557, 3216152, 9318741)
    'it says that bitsperlink is 2.343, and it is 2.897'
    """
    for name, divisor in (("length", 1), ("bitsperlink", num_arcs), ("bitspernode", num_nodes)):
        match = re.fullmatch(r"\d{1,18}(?:\.(\d{1,18}))?", properties.get(name, ""))
        if match and divisor:
            said, digits = float(match[0]), len(match[1] or "")
            # others round, or cut off; a number without a point was a whole one, or came out as one
            if abs(said - bits / divisor) > (0 if name == "length" else 1.01 * 10.0**-digits):
                return f"it says that {name} is {match[0]}, and it is {round(bits / divisor, 3):g}"
    return ""
