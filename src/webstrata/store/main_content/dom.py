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
its start, and one without a start is ignored. Everything is one pass over the tokens and one over the blocks.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from webstrata.store.main_content.tokens import VOID, tokenize

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
_CLOSED_BY_SAME = {
    "li": ("li",), "dt": ("dd", "dt"), "dd": ("dd", "dt"), "td": ("td", "th"), "th": ("td", "th"),
    "tr": ("td", "th", "tr"), "option": ("option",),
}  # fmt: skip

_NAMES = re.compile(
    r"""(?:^|\s)(class|id|role|itemprop|style|hidden|aria-hidden)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*))|(?=[\s/]|$))""",
    re.IGNORECASE,
)
_NOISY = re.compile(
    r"""(?:^|[\s_-])(?:(
      comments?|commentlist|disqus|footer|menu|nav|navbar|navigation|outbrain|recirc\w*|recommend\w*|related\w*
      |replies|respond|taboola
      )|ad|adv|advert\w*|banner|breadcrumbs?|byline|caption|contact|cookies?|credits?|copyright|disclaimer
      |donat\w*|dropdown|gallery|(?<![_-])hidden(?![_-])|infobox|legal|login|masthead|meta|metadata|modal|more|navigator
      |newsletter\w*|overlay|pager|pagination|popular|popup|print|promo\w*|ratings?|screen-reader-text
      |shar\w*|sidebar|signup|skip|social\w*|sponsor\w*|sr-only|subscri\w*|taglist|tags|teasers?|toc
      |toolbar|tooltip|trending|visually-hidden|widget|wp-caption
      )(?:$|[\s_-])""",
    re.IGNORECASE | re.VERBOSE,
)
"""What names of noise hold; the first group is of those that are never beside main content, but around it."""
_MAIN = re.compile(
    r"article-?_?body|articlebody|article-?_?content|article-?_?text|entry-?_?content|post-?_?content|post-?_?body"
    r"|story-?_?body|story-?_?content|body-?_?content|content-?_?body|main-?_?content|page-?_?content|article__body",
    re.IGNORECASE,
)

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
    tree = Tree()
    stack = [(0, "html")]
    open_names = {"html": 1}
    words: list[str] = []
    linked, in_link = 0, False

    def flush() -> None:
        nonlocal linked
        if not words:
            return
        text = " ".join("".join(words).split())
        words.clear()
        if text:
            number, name = stack[-1]
            tree.blocks.append(Block(number, name, text, min(linked, len(text))))
        linked = 0

    def pop() -> None:
        flush()
        open_names[stack.pop()[1]] -= 1

    for name, text in tokenize(page):
        if not name:
            words.append(text)
            if in_link:
                linked += len(text.strip())
            continue
        if name[0] == "/":
            name = name[1:]
            if name == "a":
                in_link = False
            elif name not in INLINE and open_names.get(name) and len(stack) > 1:
                while stack[-1][1] != name:
                    pop()
                if len(stack) > 1:
                    pop()
            continue
        if name in INLINE:
            if name == "a":
                in_link = True
            continue
        if name == "br":
            words.append(" ")
            continue
        if name in VOID:
            if name == "hr":
                flush()
            continue
        if stack[-1][1] == "p" and len(stack) > 1:
            pop()
        for closed in _CLOSED_BY_SAME.get(name, ()):
            if stack[-1][1] == closed:
                pop()
        flush()
        # long attributes hold data, and are not worth the memory of remembering them
        noise, mark = (judge_element if len(text) < 500 else judge_element.__wrapped__)(name, text)
        number = len(tree.parents)
        tree.parents.append(stack[-1][0])
        tree.tags.append(name)
        tree.marks.append(mark)
        tree.noise.append(noise)
        stack.append((number, name))
        open_names[name] = open_names.get(name, 0) + 1
    flush()
    return tree


@functools.lru_cache(maxsize=1 << 14)  # the elements of a site are written alike
def judge_element(name: str, attributes: str) -> tuple[int, int]:
    """How surely an element is noise (0 to 2), and whether it says that it is main content.

    Examples
    --------
    >>> [judge_element("div", text) for text in ("class=comments", "class=teaser", "id=entry-content")]
    [(2, 0), (1, 0), (0, 1)]
    """
    if name in NOISE:
        return (1 if name in ("form", "header") else 2), 0
    if name in ("body", "html", "main", "blockquote", "pre"):
        return 0, 0
    mark = 1 if name == "article" else 0
    if "=" not in attributes and "hidden" not in attributes:
        return 0, mark
    names = []
    for key, double, single, bare in _NAMES.findall(attributes):
        value, key = double or single or bare, key.lower()
        if key == "style":
            if re.search(r"display\s*:\s*none|visibility\s*:\s*hidden", value, re.IGNORECASE):
                return 1, 0
        elif key == "hidden" or (key == "aria-hidden" and value.lower() == "true"):
            return 1, 0
        elif key == "role":
            if value.lower() in ("navigation", "complementary", "banner", "contentinfo", "dialog", "search"):
                return 2, 0
        else:
            names.append(value)
    joined = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", " ".join(names))
    if _MAIN.search(joined):
        return 0, 1
    if name != "article" and (found := _NOISY.search(joined)):
        return (2 if found[1] else 1), 0
    return 0, mark


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
