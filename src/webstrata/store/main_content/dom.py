"""Main content by the structure of a page: where it is, and what there is noise (STORE; Gupta et al. 2003).

The page is its `Outline`: elements, and blocks of text in them. A byte of text weighs 20, a byte in a link 1,
and an element what its blocks and those of the elements in it weigh.

1. *Noise.* An element is noise **always** (controls, fallbacks of media), **surely** (``nav``, ``footer``,
   roles and names of navigation, hidden ones; a bar of links to the next and previous page), or **maybe**
   (``header``, ``form``, names as ``related`` or ``tags``). What is surely noise is left out unless it has
   9/10 of the weight of the page, what may be noise unless it has half of it, and only from articles.
2. *Place.* The main content is in the element that says so (``main``, ``role=main``) and has 3/10 of the
   weight; in it, in the innermost of those that are named as content (``article``, ``entry-content`` …) and
   have 8/10 of the weight of the heaviest of these, itself more than 4/10. Where nothing is named, it is the
   innermost element with 9/10 of the weight that is not a part of a list, a table or a text.
3. *Kind of page.* With what may be noise left out, and 3/4 in place of 9/10, the place is that of an article.
   The page is taken for one if 3/4 of the text there, links not counted, is running text (blocks of 80 bytes
   and more outside of ``pre``, ``dl`` and ``table``), less than 1/10 is in those three, links are no more
   than 4/5 of what was found in step 2, and there is much else on the page: the article is less than 65% of
   all text, or an element with the name of one holds a fifth of the weight.
4. *Blocks.* Of an article those from the first paragraph (40 bytes and more, or in a data table) to the last,
   without titles (``h1``) and blocks of which more than 4/5 is links. Of any other page, such as
   documentation, all in the place that step 2 found: there, short lines, tables and lists of links are
   content.
5. *Doubt.* Content of less than 200 bytes is looked for again with noise of the first level alone left out,
   and that is taken if it is more than ten times as long. What is then empty, or less than 200 bytes and a
   twentieth of the text, is none: the whole text stands in.

**Tables.** A table lays out the page if its role says so (``presentation``, ``none``), or if it has no
``th``, ``thead`` or ``caption`` and one of these holds: another table is in it, it has one row or fewer than
two cells a row, or more than half of its text is in blocks of 150 bytes and more. Its cells may be the place
of main content. Any other is a data table: parts of it are no place, and an article may begin or end with it.

**Visual cues** (STORE; Yu et al. 2003) are those of the markup, see `webstrata.web.outline`. The position of
a block counts in step 4. The method ``visual`` uses the others too: elements in small or gray print may be
noise (step 1); text in layout tables may be running text (step 3); and of an article, captions are left out
(40 to 99 bytes with one image, in ``div``, ``td``, ``section``, ``figure`` or ``center``), and what follows
the last line (``hr``), if it is no more than a third. It is not the default;
``docs/decisions/main-content.md`` has the figures.

The core computes this while it reads text and links of a page (``rust/src/store/main_content.rs``);
`find_blocks` says in Python what it computes, by the same tables. The tests compare the two.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, NamedTuple

from webstrata._core.store import ContentRules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.web.outline import Block, Outline

ALWAYS, SURE, MAYBE = 3, 2, 1
"""Levels of noise."""
MAIN, CONTENT, POSTING = 3, 2, 1
"""What an element can say that it holds: the main content, content, the text of an article."""

NOISE = {
    ALWAYS: (
        "audio", "button", "canvas", "dialog", "noscript", "object", "optgroup", "option", "select", "svg",
        "template", "textarea", "video",
    ),
    SURE: ("aside", "footer", "menu", "nav"),
    MAYBE: ("address", "fieldset", "figcaption", "form", "header", "map"),
}  # fmt: skip
"""Elements that are noise by their kind."""
PLAIN = ("blockquote", "body", "html", "pre")
"""Elements that are not noise, whatever their attributes say."""
REFERENCE = ("dl", "pre")
"""Elements whose text is not running text, as that of tables is not."""
INNER = (
    "blockquote", "dd", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "li", "ol", "p", "pre", "ul",
)  # fmt: skip
"""Elements that are parts of a text, and not the place of one; those of data tables are too."""
GRID = ("table", "tbody", "td", "th", "thead", "tr")
"""Elements of tables."""
HEADS = ("caption", "th", "thead")
"""Elements that layout does not need."""
LAYOUT_ROLES = ("@none", "@presentation")
FRAMES = ("center", "div", "figure", "section", "td")
"""Elements that an image and its caption stand in."""

WORDS = {
    SURE: (
        "breadcrumb*", "comments", "commentlist", "cookie", "cookies", "copyright", "disqus", "footer*",
        "*footer", "legal", "masthead", "menu", "*menu", "nav*", "*nav", "newsletter*", "outbrain",
        "pager", "paginat*", "recirc*", "recommend*", "replies", "respond", "sidebar*", "*sidebar",
        "skip", "social*", "sponsor*", "taboola", "toolbar", "advert*",
    ),
    MAYBE: (
        "ad", "adv", "banner", "byline", "caption", "comment", "contact", "credit", "credits",
        "disclaimer", "donat*", "dropdown", "gallery", "header", "infobox", "login", "meta", "metadata",
        "modal", "more", "overlay", "popular", "popup", "print", "promo*", "rating", "ratings",
        "related*", "shar*", "signup", "subscri*", "taglist", "tags", "teaser", "teasers", "toc",
        "tooltip", "trending", "widget",
    ),
    0: ("navy",),
}  # fmt: skip
"""Words of class and id of noise; ``*`` stands for any letters, level 0 for words that only look like it."""
PHRASES = {
    SURE: (
        "@alertdialog", "@banner", "@complementary", "@contentinfo", "@dialog", "@hidden", "@menu",
        "@menubar", "@navigation", "@search", "@toolbar",
    ),
    MAYBE: ("hidden", "screen-reader-text", "sr-only", "visually-hidden"),
}  # fmt: skip
"""Names as a whole, roles, and ``@hidden`` for what is not shown, of noise."""
CUES = {"@faded": MAYBE, "@small": MAYBE}
"""Visual cues of noise."""
PAIRS = {
    POSTING: (
        ("article", "body content text"), ("article_", "body"), ("entry", "content"),
        ("post", "content body"), ("story", "body content"),
    ),
    CONTENT: (("body", "content"), ("content", "body"), ("main", "content"), ("page", "content")),
}  # fmt: skip
"""Words that stand together, joined by nothing, ``-`` or ``_``, in the names of content."""
HARMLESS = "embed"
"""What names end with that are not those of noise: posts of a social network are content of an article."""

MIN_CONTENT = 200
"""Bytes below which content is doubted."""
MIN_PARAGRAPH = 40
"""Bytes of a block that an article may begin or end with."""
MIN_RUNNING = 80
"""Bytes of a block of running text."""
MIN_LONG = 150
"""Bytes of a block that is long for a cell of data."""
CAPTION = range(40, 100)
"""Bytes of a caption."""
MAX_BAR = 300
"""Bytes of the longest bar with links to the next and previous page."""


class Found(NamedTuple):
    """Main content of a page."""

    text: str
    """The visible text of the page."""
    places: list[int]
    """Where sections of main content begin and end in it, in bytes of UTF-8, in turn."""
    is_fallback: bool
    """Whether none was found, so that the whole text stands in."""


def find_main(body: bytes, *, charset: str | None = None, visual: bool = False) -> Found:
    r"""The main content of a page, found by the core; with visual cues if so.

    Examples
    --------
    >>> find_main(b"<nav><a href=/>Home</a></nav><h1>fork</h1><p>Make a process.<pre>pid_t fork(void);</pre>")
    Found(text='Home\nfork\nMake a process.\npid_t fork(void);', places=[5, 43], is_fallback=False)
    """
    return Found(*load_rules(visual=visual).find(body, charset))


@functools.cache
def load_rules(*, visual: bool = False) -> ContentRules:
    """The tables of this module, as the core takes them, for ``dom`` or for ``visual``.

    Examples
    --------
    >>> load_rules().judge("comments-list"), load_rules().judge("postBody")
    ((2, 0), (0, 1))
    """
    levels = {tag: level for level, tags in NOISE.items() for tag in tags}
    marks = {"main": MAIN, "article": CONTENT}
    flags = {
        "plain": {*levels, *marks, *PLAIN}, "reference": REFERENCE, "inner": INNER, "title": ("h1",),
        "grid": GRID, "table": ("table",), "row": ("tr",), "cell": ("td", "th"), "head": HEADS,
        "frame": FRAMES,
    }  # fmt: skip
    return ContentRules(
        kinds={
            tag: (
                levels.get(tag, 0),
                marks.get(tag, 0),
                " ".join(flag for flag, tags in flags.items() if tag in tags),
            )
            for tag in set().union(*flags.values())
        },
        words={word: level for level, words in WORDS.items() for word in words if "*" not in word},
        prefixes=[(word[:-1], level) for level, words in WORDS.items() for word in words if word[-1] == "*"],
        suffixes=[(word[1:], level) for level, words in WORDS.items() for word in words if word[0] == "*"],
        phrases={phrase: level for level, phrases in PHRASES.items() for phrase in phrases}
        | (CUES if visual else {}),
        pairs=[
            (first, second, mark)
            for mark, pairs in PAIRS.items()
            for first, seconds in pairs
            for second in seconds.split()
        ],
        harmless=HARMLESS,
        visual=visual,
    )


# ---- the same in Python


def find_blocks(outline: Outline, *, visual: bool = False) -> tuple[list[Block], bool]:
    """The blocks of main content, and whether those of the whole text stand in for them.

    Examples
    --------
    >>> from webstrata.web.outline import scan_outline
    >>> blocks, is_fallback = find_blocks(scan_outline(b"<p>One <nav><p><a href=/>Two</a></nav><p>Three"))
    >>> [block.begin for block in blocks], is_fallback
    ([0, 8], False)
    """
    blocks = _Page(outline, visual=visual).choose()
    size, everything = _size(blocks), _size(outline.blocks)
    is_none = size == 0 or (size < MIN_CONTENT and size * 20 < everything)
    return (outline.blocks, True) if is_none and outline.blocks else (blocks, False)


def find_places(outline: Outline, *, visual: bool = False) -> tuple[list[int], bool]:
    """Where main content begins and ends in the text, in turn, and whether the whole text stands in for it.

    Blocks that follow each other in the text are one section.

    Examples
    --------
    >>> from webstrata.web.outline import scan_outline
    >>> find_places(scan_outline(b"<p>One<nav><p><a href=/>Two</a></nav><p>Three<p>Four"))
    ([0, 3, 8, 18], False)
    """
    blocks, is_fallback = find_blocks(outline, visual=visual)
    if is_fallback:
        return [0, len(outline.text.encode())], True
    places: list[int] = []
    for block in blocks:
        if places and block.begin <= places[-1] + 1:
            places[-1] = block.end
        else:
            places += [block.begin, block.end]
    return places, False


def judge_names(names: str, *, visual: bool = False) -> tuple[int, int]:
    """How surely an element is noise by what it says of itself, and what it says that it holds.

    Examples
    --------
    >>> judge_names("siteFooter"), judge_names("x @main "), judge_names("navy")
    ((2, 0), (0, 3), (0, 0))
    """
    names = re.sub("[A-Z]", lambda letter: letter[0].lower(), re.sub("(?<=[a-z])(?=[A-Z])", "-", names))
    tokens = [token for token in re.split("[ \t\n\r\f]+", names) if token]
    said = [token for token in tokens if token[0] == "@"]
    if any(token in PHRASES[SURE] for token in said):
        return SURE, 0
    if "@main" in said:
        return 0, MAIN
    for mark, pairs in PAIRS.items():
        if any(re.search(f"{first}-?_?(?:{seconds.replace(' ', '|')})", names) for first, seconds in pairs):
            return 0, mark
    for token in tokens:
        if token.endswith(HARMLESS):
            continue
        if token in PHRASES[MAYBE] or (visual and token in CUES):
            return MAYBE, 0
        for word in re.split("[-_]", token):
            if level := _judge_word(word):
                return level, 0
    return 0, 0


def _judge_word(word: str) -> int:
    for level, words in WORDS.items():
        if word in words:
            return level
    return max(
        (
            level
            for level, words in WORDS.items()
            for pattern in words
            if (pattern[-1] == "*" and word.startswith(pattern[:-1]))
            or (pattern[0] == "*" and word.endswith(pattern[1:]))
        ),
        default=0,
    )


def _judge(tag: str, names: str, *, visual: bool) -> tuple[int, int]:
    for level, tags in NOISE.items():
        if tag in tags:
            return level, 0
    if tag in ("main", "article"):
        return 0, MAIN if tag == "main" else CONTENT
    return (0, 0) if tag in PLAIN else judge_names(names, visual=visual)


def _size(blocks: Sequence[Block]) -> int:
    return sum(block.end - block.begin for block in blocks)


def _free(blocks: Sequence[Block]) -> int:
    return sum(block.end - block.begin - block.linked for block in blocks)


def _is_long(block: Block, least: int) -> bool:
    return block.end - block.begin >= least and 2 * block.linked < block.end - block.begin


def _end_at_line(blocks: list[Block]) -> list[Block]:
    """The blocks before the last line, if no more than a third of them is behind it."""
    total, behind = _size(blocks), 0
    for place in range(len(blocks) - 1, 0, -1):
        behind += blocks[place].end - blocks[place].begin
        if 3 * behind > total:
            break
        if blocks[place].is_separated:
            return blocks[:place]
    return blocks


class _Page:
    """A page whose noise is left out in three steps."""

    def __init__(self, outline: Outline, *, visual: bool) -> None:
        self.outline, self.parents, self.tags, self.visual = outline, outline.parents, outline.tags, visual
        judged = [
            _judge(tag, names, visual=visual) for tag, names in zip(outline.tags, outline.names, strict=True)
        ]
        self.noise = [noise for noise, _ in judged]
        self.marks = [mark for _, mark in judged]
        for number in self._find_bars():
            self.noise[number] = max(self.noise[number], SURE)
        self.is_data = self._find_data()
        self.is_inner = [
            tag in INNER or (tag in GRID and is_data)
            for tag, is_data in zip(self.tags, self.is_data, strict=True)
        ]
        is_reference = self._spread([
            tag in REFERENCE or (tag == "table" and not visual) for tag in self.tags
        ])  # fmt: skip
        self.is_reference = [one or other for one, other in zip(is_reference, self.is_data, strict=True)]

    def choose(self) -> list[Block]:
        """The blocks of main content, perhaps none."""
        first = self._leave_out(self.outline.blocks, ALWAYS, 2, 1)
        second = self._leave_out(first, SURE, 9, 10)
        found = self._inside(second, self._find_main(second, 9, 10))
        article = self._choose_article(second, found)
        if article:
            return article
        if _size(found) >= MIN_CONTENT:
            return found
        other = self._inside(first, self._find_main(first, 9, 10))
        return found if 10 * _size(found) >= _size(other) else other

    def _choose_article(self, second: list[Block], found: list[Block]) -> list[Block]:
        """The paragraphs of an article, if the page is one."""
        third = self._leave_out(second, MAYBE, 1, 2)
        blocks = self._inside(third, self._find_main(third, 3, 4))
        reference = [block for block in blocks if self.is_reference[block.node]]
        running = [
            block for block in blocks if not self.is_reference[block.node] and _is_long(block, MIN_RUNNING)
        ]
        weights = self._weigh(second)
        has_posting = any(
            mark == POSTING and 5 * weight >= weights[0]
            for mark, weight in zip(self.marks, weights, strict=True)
        )
        is_article = (
            4 * _free(running) >= 3 * _free(blocks)
            and 10 * _free(reference) < _free(blocks)
            and (has_posting or 100 * _size(blocks) < 65 * _size(self.outline.blocks))
            and 5 * _free(found) >= _size(found)
        )
        paragraphs = [
            place
            for place, block in enumerate(blocks)
            if _is_long(block, 0 if self.is_data[block.node] else MIN_PARAGRAPH)
        ]
        if not is_article or not paragraphs:
            return []
        kept = [
            block
            for block in blocks[paragraphs[0] : paragraphs[-1] + 1]
            if 5 * block.linked <= 4 * (block.end - block.begin) and self.tags[block.node] != "h1"
        ]
        if self.visual:
            kept = _end_at_line([block for block in kept if not self._is_caption(block)])
        return kept if _size(kept) >= MIN_CONTENT else []

    def _is_caption(self, block: Block) -> bool:
        return block.images == 1 and block.end - block.begin in CAPTION and self.tags[block.node] in FRAMES

    def _find_data(self) -> list[bool]:
        """Which elements are in data tables, the innermost table around them counting."""
        number_of = [0] * len(self.tags)
        rows, cells, long, sizes = ([0] * len(self.tags) for _ in range(4))
        has_head, is_nested = ([False] * len(self.tags) for _ in range(2))
        for number, tag in enumerate(self.tags):
            around = number_of[self.parents[number]]
            number_of[number] = number if tag == "table" else around
            if tag == "table":
                is_nested[around] = True
            table = number_of[number]
            rows[table] += tag == "tr"
            cells[table] += tag in ("td", "th")
            has_head[table] = has_head[table] or tag in HEADS
        for block in self.outline.blocks:
            size = block.end - block.begin
            sizes[number_of[block.node]] += size
            long[number_of[block.node]] += size if size >= MIN_LONG else 0
        is_data = [False] * len(self.tags)
        for table, tag in enumerate(self.tags):
            roles = self.outline.names[table].lower().split()
            if tag == "table" and not any(role in LAYOUT_ROLES for role in roles):
                is_grid = rows[table] > 1 and cells[table] >= 2 * rows[table]
                is_short = 2 * long[table] <= sizes[table]
                is_data[table] = has_head[table] or (is_grid and is_short and not is_nested[table])
        return [table > 0 and is_data[table] for table in number_of]

    def _sum(self, values: Sequence[int]) -> list[int]:
        """Of each element its value and those of all elements in it."""
        sums = list(values)
        for number in range(len(sums) - 1, 0, -1):  # an element has a larger number than the one around it
            sums[self.parents[number]] += sums[number]
        return sums

    def _spread(self, flags: Sequence[bool]) -> list[bool]:
        """Which elements have a flag, or lie in one that has it."""
        spread = list(flags)
        for number in range(1, len(spread)):
            spread[number] = spread[number] or spread[self.parents[number]]
        return spread

    def _weigh(self, blocks: Sequence[Block]) -> list[int]:
        weights = [0] * len(self.tags)
        for block in blocks:
            weights[block.node] += 20 * (block.end - block.begin - block.linked) + block.linked
        return self._sum(weights)

    def _find_bars(self) -> list[int]:
        """Short elements with a link to the next page or the like, at most a third of the page."""
        sizes, linked, steps = ([0] * len(self.tags) for _ in range(3))
        for block in self.outline.blocks:
            sizes[block.node] += block.end - block.begin
            linked[block.node] += block.linked
            steps[block.node] += block.is_step
        sizes, linked, steps = self._sum(sizes), self._sum(linked), self._sum(steps)
        return [
            number
            for number in range(1, len(sizes))
            if steps[number]
            and sizes[number] <= MAX_BAR
            and 3 * sizes[number] <= sizes[0]
            and 10 * linked[number] >= 3 * sizes[number]
        ]

    def _leave_out(self, blocks: Sequence[Block], level: int, share: int, of: int) -> list[Block]:
        """The blocks without noise of a level; what has `share` / `of` of the weight is no noise."""
        weights = self._weigh(blocks)
        is_noise = [noise == level for noise in self.noise]
        for number, weight in enumerate(weights):
            is_noise[number] = is_noise[number] and number > 0 and of * weight < share * weights[0]
        gone = self._spread(is_noise)
        return [block for block in blocks if not gone[block.node]]

    def _find_main(self, blocks: Sequence[Block], share: int, of: int) -> int:
        """The number of the element that is the main content."""
        weights = self._weigh(blocks)
        numbers = range(len(weights))
        mains = [
            number
            for number in numbers
            if self.marks[number] == MAIN and 10 * weights[number] >= 3 * weights[0]
        ]
        top = max(mains, key=weights.__getitem__) if mains else 0
        is_inside = self._spread([number == top for number in numbers])
        inside = [number for number in numbers if is_inside[number]]
        marked = [
            number
            for number in inside
            if self.marks[number] in (CONTENT, POSTING) and 10 * weights[number] > 4 * weights[top]
        ]
        if marked:
            largest = max(weights[number] for number in marked)
            return max(number for number in marked if 10 * weights[number] >= 8 * largest)
        if mains:
            return top
        best = max(number for number in numbers if of * weights[number] >= share * weights[0])
        while best and self.is_inner[best]:
            best = self.parents[best]
        return best

    def _inside(self, blocks: Sequence[Block], main: int) -> list[Block]:
        is_inside = self._spread([number == main for number in range(len(self.tags))])
        return [block for block in blocks if is_inside[block.node]]
