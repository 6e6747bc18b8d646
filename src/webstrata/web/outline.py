"""The outline of a page: its elements and the blocks of text between them, as places in its visible text.

Elements within a line (``a``, ``b``, ``span`` …) and those without content are not in it. An end tag closes
what is open up to its start, which is looked for among the last 512 open elements; one without a start is
ignored. A start tag closes an open ``p``, and ``li``, ``dt``, ``dd``, ``td``, ``th``, ``tr`` and ``option``
close those of their kind. A *block* is the text between two tags of the outline; ``br`` breaks a line of it,
``hr`` ends it. ``head`` is not an element of the outline, nor are scripts, styles and templates.
"""

from __future__ import annotations

from typing import NamedTuple

from webstrata._core import web as _core


class Block(NamedTuple):
    """Text that stands by itself."""

    node: int
    """The element that it stands in."""
    begin: int
    end: int
    """Its place in the text, in bytes of UTF-8."""
    linked: int
    """Bytes of it within links."""
    is_step: bool
    """Whether it has a link to the next, the previous or an upper page (``rel``, ``accesskey``)."""


class Outline(NamedTuple):
    """Elements by number, the page itself first, each after the one around it; and the blocks in order."""

    text: str
    parents: list[int]
    tags: list[str]
    """Names in lower case; ``?`` for one of more than seven letters without a meaning in HTML."""
    names: list[str]
    """Class, id and itemprop as written, ``@role``, and ``@hidden`` for what is not shown."""
    blocks: list[Block]


def scan_outline(body: bytes, *, charset: str | None = None) -> Outline:
    r"""The outline of a page.

    Examples
    --------
    >>> outline = scan_outline(b"<div class=a role=main><p>One<br>two<p>Three <a href=/>four</a></div>")
    >>> outline.tags, outline.names[1], outline.parents
    (['html', 'div', 'p', 'p'], 'a @main ', [0, 0, 1, 1])
    >>> outline.text, [(block.node, block.begin, block.end, block.linked) for block in outline.blocks]
    ('One\ntwo\nThree four', [(2, 0, 7, 0), (3, 8, 18, 4)])
    """
    found = _core.scan_outline(body, charset)
    blocks = [Block(*block) for block in found.pop("blocks")]
    return Outline(blocks=blocks, **found)
