"""Main content by the structure of a page: noise is filtered, the rest is weighed (STORE; Gupta et al. 2003).

1. *Filter.* Elements that never hold main content (navigation, asides, forms, captions, hidden ones) and
   those whose class, id or role names noise (``share``, ``related``, ``comments`` …) are left out with all
   they contain.
2. *Blocks.* What is left is cut into blocks at every element that begins a line. A block is a paragraph if it
   is long enough and little of it lies in links.
3. *Place.* The main content is the smallest element that holds most of the text of paragraphs; elements
   that say so by name or kind (``article``, ``itemprop=articleBody``, ``entry-content`` …) come first.
4. *Trim.* Of its blocks, those are dropped that are mostly links, and what precedes the first paragraph and
   follows the last one.

The tree is not that of a browser: elements within lines are not in it, an end tag closes what is open up to
its start, and one without a start is ignored. The tree and its blocks are read by the core, in one pass, by
the tables of this module; the rest is here. ``tests/store/main_content/reference.py`` reads the same tree in
Python.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from webstrata._core.store import ContentRules
from webstrata.store.main_content.tokens import HIDDEN, RAW, VOID

if TYPE_CHECKING:
    from collections.abc import Sequence

INLINE = frozenset({
    "a", "abbr", "acronym", "amp-img", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em",
    "font", "i", "img", "ins", "kbd", "label", "mark", "nobr", "path", "picture", "q", "s", "samp", "small",
    "source", "span", "strike", "strong", "sub", "sup", "svg", "time", "tt", "u", "var", "wbr",
})  # fmt: skip
"""Elements within a line."""
NOISE = frozenset({
    "address", "aside", "button", "dialog", "fieldset", "figcaption", "footer", "form", "head", "header",
    "map", "menu", "nav",
})  # fmt: skip
"""Elements that hold no main content."""
PLAIN = frozenset({"body", "html", "main", "blockquote", "pre"})
"""Elements that are no noise whatever their attributes say."""
CLOSED = {
    "li": ("li",), "dt": ("dd", "dt"), "dd": ("dd", "dt"), "td": ("td", "th"), "th": ("td", "th"),
    "tr": ("td", "th", "tr"), "option": ("option",),
}  # fmt: skip
"""By name of an element, those that its start closes where they are the last that was opened."""

ROLES = frozenset({"navigation", "complementary", "banner", "contentinfo", "dialog", "search"})
"""Roles of noise."""
SURE = (
    "comment", "comments", "commentlist", "disqus", "footer", "menu", "nav", "navbar", "navigation",
    "outbrain", "recirc*", "recommend*", "related*", "replies", "respond", "taboola",
)  # fmt: skip
"""Words in the class or id of what is around main content, never within; ``*`` stands for any letters."""
MAYBE = (
    "ad", "adv", "advert*", "banner", "breadcrumb", "breadcrumbs", "byline", "caption", "contact", "cookie",
    "cookies", "credit", "credits", "copyright", "disclaimer", "donat*", "dropdown", "gallery", "infobox",
    "legal", "login", "masthead", "meta", "metadata", "modal", "more", "navigator", "newsletter*", "overlay",
    "pager", "pagination", "popular", "popup", "print", "promo*", "rating", "ratings", "shar*", "sidebar",
    "signup", "skip", "social*", "sponsor*", "subscri*", "taglist", "tags", "teaser", "teasers", "toc",
    "toolbar", "tooltip", "trending", "widget",
)  # fmt: skip
"""Words in the class or id of what may be noise."""
PHRASES = ("hidden", "screen-reader-text", "sr-only", "visually-hidden")
"""Names of noise as a whole."""
MAIN = tuple(
    (first, second)
    for first, seconds in (
        ("article", "body content text"), ("entry", "content"), ("post", "content body"),
        ("story", "body content"), ("body", "content"), ("content", "body"), ("main", "content"),
        ("page", "content"), ("article_", "body"),
    )
    for second in seconds.split()
)  # fmt: skip
"""Words that stand together in the class, id or itemprop of main content."""

INNER = 0.8
"""The share of its text that an element must leave to one within it that is preferred."""
MIN_CONTENT = 200
"""Characters below which the filter is suspected to have been too strict."""
MIN_PARAGRAPH = 40
"""Characters from which on a block counts as paragraph."""


@dataclass(slots=True)
class Block:
    """Text that stands by itself."""

    node: int
    tag: str
    text: str
    linked: int
    """Characters of it within links."""

    @property
    def is_paragraph(self) -> bool:
        """Whether it looks like running text."""
        return len(self.text) >= MIN_PARAGRAPH and self.linked < 0.5 * len(self.text)


@dataclass(slots=True)
class Tree:
    """The elements that begin lines, by number, and the blocks between them."""

    parents: list[int] = field(default_factory=lambda: [-1])
    tags: list[str] = field(default_factory=lambda: ["html"])
    marks: list[int] = field(default_factory=lambda: [0])
    """1 where an element says that it is main content, 0 elsewhere."""
    noise: list[int] = field(default_factory=lambda: [0])
    """2 where an element is surely noise by its kind or name, 1 where it may be, 0 elsewhere."""
    blocks: list[Block] = field(default_factory=list)

    def weigh(self) -> list[int]:
        """The characters of paragraphs, outside of links, in each element and all it contains."""
        mass = [0] * len(self.parents)
        for block in self.blocks:
            if block.is_paragraph:
                mass[block.node] += len(block.text) - block.linked
        for number in range(len(mass) - 1, 0, -1):  # children have larger numbers than their parents
            mass[self.parents[number]] += mass[number]
        return mass

    def filter(self, level: int, most: float) -> None:
        """Drop the blocks of noise of a level; what holds `most` of the text is none, whatever its name."""
        mass = self.weigh()
        is_noise = [False] * len(mass)
        for number in range(1, len(mass)):
            is_noise[number] = is_noise[self.parents[number]] or (
                self.noise[number] == level and mass[number] < most * mass[0]
            )
        self.blocks = [block for block in self.blocks if not is_noise[block.node]]


def read_tree(page: str) -> Tree:
    """The tree of a page.

    Examples
    --------
    >>> [block.text for block in read_tree("<nav>Menu</nav><p>One<p>Two <a>three</a>").blocks]
    ['Menu', 'One', 'Two three']
    """
    parents, tags, noise, marks, nodes, texts, linked = load_rules().read_tree(page)
    blocks = [Block(node, tags[node], text, of) for node, text, of in zip(nodes, texts, linked, strict=True)]
    return Tree(parents, tags, marks, noise, blocks)


@functools.cache
def load_rules() -> ContentRules:
    """The tables of this module, as the core takes them.

    Examples
    --------
    >>> load_rules().read_tree("<div class=comments>")[2]
    [0, 2]
    """
    kinds = dict.fromkeys(INLINE, "inline") | dict.fromkeys(VOID, "void")
    kinds |= dict.fromkeys(HIDDEN, "hidden") | dict.fromkeys(RAW, "raw") | dict.fromkeys(PLAIN, "plain")
    levels = dict.fromkeys(MAYBE, 1) | dict.fromkeys(SURE, 2)
    return ContentRules(
        kinds=kinds,
        noise={name: 1 if name in ("form", "header") else 2 for name in NOISE},
        closes={name: list(closed) for name, closed in CLOSED.items()},
        words={word: level for word, level in levels.items() if word[-1] != "*"},
        prefixes=[(word[:-1], level) for word, level in levels.items() if word[-1] == "*"],
        phrases=dict.fromkeys(PHRASES, 1),
        main=list(MAIN),
        roles=set(ROLES),
    )


def find_main(tree: Tree) -> int:
    """The number of the element that is the main content.

    Examples
    --------
    >>> text = "A paragraph of running text that is long enough to count as one. "
    >>> tree = read_tree(f"<div>{text}</div><article><p>{text}<p>{text}<p>{text}</article>")
    >>> tree.tags[find_main(tree)]
    'article'
    """
    mass = tree.weigh()
    marked = [number for number, mark in enumerate(tree.marks) if mark and mass[number] > 0.4 * mass[0]]
    if marked:
        # of those within each other the innermost that loses little
        largest = max(mass[number] for number in marked)
        return max(number for number in marked if mass[number] >= INNER * largest)
    # what holds more than half of the text lies within each other, so the last one is the innermost
    best = max(number for number in range(len(mass)) if mass[number] >= 0.75 * mass[0])
    while best and tree.tags[best] in ("p", "li", "blockquote", "pre", "h1", "h2", "h3"):
        best = tree.parents[best]
    return best


def choose_blocks(tree: Tree, main: int) -> Sequence[Block]:
    """The blocks of the main content, without what is mostly links, and without its edges.

    Examples
    --------
    >>> text = "A paragraph of running text that is long enough to count as one."
    >>> tree = read_tree(f"<h1>Title</h1><p>{text}<p><a>More</a>")
    >>> [block.text for block in choose_blocks(tree, 0)]
    ['A paragraph of running text that is long enough to count as one.']
    """
    inside = [False] * len(tree.parents)
    inside[main] = True
    for number in range(main + 1, len(inside)):
        inside[number] = inside[tree.parents[number]]
    blocks = [block for block in tree.blocks if inside[block.node]]
    paragraphs = [place for place, block in enumerate(blocks) if block.is_paragraph]
    if not paragraphs:
        return []
    kept = blocks[paragraphs[0] : paragraphs[-1] + 1]
    return [block for block in kept if block.linked <= 0.5 * len(block.text) and block.tag != "h1"]


def extract_filtered(page: str) -> str:
    r"""The main content of a page, a line a block.

    Examples
    --------
    >>> text = "A paragraph of running text that is long enough to count as one."
    >>> page = f"<nav><p>{text}</nav><div><h1>Title</h1>{f'<p>{text}' * 4}</div><footer>End</footer>"
    >>> extract_filtered(page) == "\n".join([text] * 4)
    True
    """
    tree = read_tree(page)
    everything, found = tree.blocks, ""
    for levels in (((2, 0.9), (1, 0.5)), ((2, 0.9),), ()):
        tree.blocks = everything
        for level, most in levels:
            tree.filter(level, most)
        text = "\n".join(block.text for block in choose_blocks(tree, find_main(tree)))
        found = max(found, text, key=len)
        if len(found) >= MIN_CONTENT:
            break
    return found
