"""The tree from which main content is chosen, read in plain Python, with names judged by patterns."""

from __future__ import annotations

import re

from webstrata.store.main_content.dom import CLOSED, INLINE, NOISE, PLAIN, ROLES, Block, Tree
from webstrata.store.main_content.tokens import VOID, tokenize

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
"""What names of noise hold; the first group is of those that are surely noise."""
_MAIN = re.compile(
    r"article-?_?body|articlebody|article-?_?content|article-?_?text|entry-?_?content|post-?_?content|post-?_?body"
    r"|story-?_?body|story-?_?content|body-?_?content|content-?_?body|main-?_?content|page-?_?content|article__body",
    re.IGNORECASE,
)


def read_tree(page: str) -> Tree:
    """The tree of a page, token by token."""
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
        for closed in CLOSED.get(name, ()):
            if stack[-1][1] == closed:
                pop()
        flush()
        noise, mark = judge_element(name, text)
        number = len(tree.parents)
        tree.parents.append(stack[-1][0])
        tree.tags.append(name)
        tree.marks.append(mark)
        tree.noise.append(noise)
        stack.append((number, name))
        open_names[name] = open_names.get(name, 0) + 1
    flush()
    return tree


def judge_element(name: str, attributes: str) -> tuple[int, int]:
    """How surely an element is noise (0 to 2), and whether it says that it is main content."""
    if name in NOISE:
        return (1 if name in ("form", "header") else 2), 0
    if name in PLAIN:
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
            if value.lower() in ROLES:
                return 2, 0
        else:
            names.append(value)
    joined = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", " ".join(names))
    if _MAIN.search(joined):
        return 0, 1
    if name != "article" and (found := _NOISY.search(joined)):
        return (2 if found[1] else 1), 0
    return 0, mark
