"""The outline of a page: its elements and the blocks of text between them, as places in its visible text.

Elements within a line (``a``, ``b``, ``span`` …) and those without content are not in it. An end tag closes
what is open up to its start, which is looked for among the last 512 open elements; one without a start is
ignored. A start tag closes an open ``p``, and ``li``, ``dt``, ``dd``, ``td``, ``th``, ``tr`` and ``option``
close those of their kind. A *block* is the text between two tags of the outline; ``br`` breaks a line of it,
``hr`` ends it. ``head`` is not an element of the outline, nor are scripts, styles and templates.

**Visual cues** are those of the markup; stylesheets are not read. Of an element, inline style and ``bgcolor``
give ``@small`` and ``@large`` (font size below 12 or from 20 pixels, 9 or 15 points, 0.9 or 1.25 em, or by
keyword), ``@faded`` (gray text) and ``@tinted`` (a background other than white). Of a block, the outline has
its bytes in small print (``small``, and ``font`` with a size below 3; both end with the element around them
at the latest), the images in it and directly before it, and whether a line (``hr``) separates it from the
block before.
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
    small: int = 0
    """Bytes of it in small print."""
    images: int = 0
    """Images in it, and between it and the block before."""
    is_separated: bool = False
    """Whether a line separates it from the block before."""


class Outline(NamedTuple):
    """Elements by number, the page itself first, each after the one around it; and the blocks in order."""

    text: str
    parents: list[int]
    tags: list[str]
    """Names in lower case; ``?`` for one of more than seven letters without a meaning in HTML."""
    names: list[str]
    """Class, id and itemprop as written, ``@role``, ``@hidden`` for what is not shown, and visual cues."""
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
