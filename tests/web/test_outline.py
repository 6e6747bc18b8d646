"""The outline of a page against the same rules in plain Python."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.web.html import scan
from webstrata.web.outline import Block, scan_outline

INLINE = {"a", "b", "code", "font", "small", "span"}
CLOSED = {
    "li": ["li"], "dt": ["dd", "dt"], "dd": ["dd", "dt"], "td": ["td", "th"], "th": ["td", "th"],
    "tr": ["td", "th", "tr"],
}  # fmt: skip
NAMES = [
    "a", "article", "b", "blockquote", "body", "br", "code", "dd", "div", "dl", "dt", "font", "head", "hr",
    "img", "li", "main", "nav", "p", "pre", "small", "span", "table", "td", "th", "tr", "ul", "verylongname",
]  # fmt: skip
ATTRIBUTES = {
    "": "",
    " class='a B' id=c": "a B c ",
    " role=main": "@main ",
    " hidden": "@hidden ",
    " style='display : none'": "@hidden ",
    " aria-hidden=TRUE itemprop=articleBody": "articleBody @hidden ",
    " style=color:red data-class=x": "",
    " style='font-size: 8pt; COLOR: gray'": "@small @faded ",
    " style='background:#eef;font-size:1.5em' id=d": "d @large @tinted ",
    " bgcolor=#FFFFFF": "",
    " bgcolor=silver role=none": "@none @tinted ",
}
STARTS = [
    f"<{name}{attributes}>" for name in NAMES for attributes in (ATTRIBUTES if name not in INLINE else [""])
]
TOKENS = st.one_of(
    st.sampled_from(
        [
            *STARTS,
            "<font size=1>",
            "<font size=-2>",
            "<font size=5>",
            "<a href=/>",
            "<a href=/ rel=next>",
            "<a href=/ accesskey=p>",
            "<a href=# accesskey=1>",
        ]
    ),
    st.sampled_from([f"</{name}>" for name in NAMES]),
    st.sampled_from(["word", " ", "two words ", "été"]),
)


class Reference:
    """Tokens of a page as an outline."""

    def __init__(self, tokens: list[str]) -> None:
        self.text = ""
        self.parents, self.tags, self.names = [0], ["html"], [""]
        self.blocks: list[Block] = []
        self.stack, self.begin, self.linked, self.is_step, self.in_link = [0], 0, 0, False, False
        self.small, self.images, self.is_separated = 0, 0, False
        self.prints: list[tuple[str, bool, int]] = []
        for token in tokens:
            if token[0] != "<":
                self.add_text(token)
            elif token[1] == "/":
                self.end(token[2:-1])
            else:
                name, _, attributes = token[1:-1].partition(" ")
                self.start(name, attributes)
        self.text = self.text.rstrip("\n ")
        self.flush(len(self.text.encode()) + 1)

    def add_text(self, token: str) -> None:
        before = len(self.text.encode())
        if token[0] == " " and self.text and self.text[-1] not in " \n":
            self.text += " "
        self.text += " ".join(token.split())
        if token.split() and token[-1] == " ":
            self.text += " "
        if self.in_link:
            self.linked += len(self.text.encode()) - before
        if any(is_small for _, is_small, _ in self.prints):
            self.small += len(self.text.encode()) - before

    def break_line(self) -> int:
        self.text = self.text.rstrip("\n ")
        self.text += "\n" * bool(self.text)
        return len(self.text.encode())

    def flush(self, at: int) -> None:
        end = max(at - 1, self.begin)
        if end > self.begin:
            linked, small = (min(count, end - self.begin) for count in (self.linked, self.small))
            facts = (linked, self.is_step, small, self.images, self.is_separated)
            self.blocks.append(Block(self.stack[-1], self.begin, end, *facts))
            self.images, self.is_separated = 0, False
        self.begin, self.linked, self.small, self.is_step = at, 0, 0, False

    def start(self, name: str, attributes: str) -> None:
        if name == "a":
            self.in_link = "href" in attributes
            self.is_step |= bool(re.search("rel=next|accesskey=p", attributes))
        if name in ("small", "font"):
            is_small = name == "small" or attributes in ("size=1", "size=-2")
            self.prints.append((name, is_small, len(self.stack)))
        self.images += name == "img"
        if name in INLINE or name == "img":
            return
        at = self.break_line()
        if name == "hr":
            self.flush(at)
            self.is_separated = True
        if name in ("hr", "br", "head"):
            return
        for closed in ["p", *CLOSED.get(name, [])]:
            if len(self.stack) > 1 and self.tags[self.stack[-1]] == closed:
                self.flush(at)
                self.stack.pop()
                self.end_prints()
        self.flush(at)
        self.parents.append(self.stack[-1])
        self.stack.append(len(self.tags))
        self.tags.append("?" if name == "verylongname" else name)
        self.names.append(ATTRIBUTES[f" {attributes}" if attributes else ""])

    def end(self, name: str) -> None:
        if name == "a":
            self.in_link = False
        for place in range(len(self.prints) - 1, -1, -1):
            if self.prints[place][0] == name:
                del self.prints[place]
                break
        if name in INLINE or name == "img":
            return
        at = self.break_line()
        name = "?" if name == "verylongname" else name
        for place in range(len(self.stack) - 1, 0, -1):
            if self.tags[self.stack[place]] == name:
                self.flush(at)
                del self.stack[place:]
                self.end_prints()
                return

    def end_prints(self) -> None:
        while self.prints and self.prints[-1][2] > len(self.stack):
            self.prints.pop()


@given(st.lists(TOKENS, max_size=30))
def test_the_core_reads_the_outline_that_its_rules_mean(tokens: list[str]) -> None:
    found, expected = scan_outline("".join(tokens).encode(), charset="utf-8"), Reference(tokens)
    assert found.text == expected.text
    assert found.tags == expected.tags
    assert found.parents == expected.parents
    assert found.names == expected.names
    assert found.blocks == expected.blocks


ODD = st.sampled_from([
    "<svg>", "</svg>", "<template>", "</template>", "<script>x</script>", "<!-- x -->", "&amp;", "<",
    "<textarea>x</textarea>",
])  # fmt: skip


@given(st.lists(st.one_of(TOKENS, ODD)))
def test_blocks_are_the_text_and_nothing_is_in_two_of_them(tokens: list[str]) -> None:
    body = "".join(tokens).encode()
    outline = scan_outline(body)
    assert outline.text == scan(body, text=True).text
    data = outline.text.encode()
    assert "\n".join(data[block.begin : block.end].decode() for block in outline.blocks) == outline.text
    assert all(parent < number for number, parent in enumerate(outline.parents) if number)
    assert all(block.linked <= block.end - block.begin for block in outline.blocks)


def test_text_in_templates_scripts_and_heads_has_no_block() -> None:
    outline = scan_outline(
        b"<head><title>T</title><style>s</style></head><template><p>x</p></template><p>One"
    )
    assert outline.text == "One"
    assert outline.tags == ["html", "p"]


@pytest.mark.parametrize(
    "piece", ["<div>", "<p>x", "<li><a href=/>", "</div><div class=a>", "<x></y>", "<b></x>"]
)
def test_deep_and_wide_pages_take_linear_time(piece: str) -> None:
    began = time.process_time()
    scan_outline(piece.encode() * 200_000)
    assert time.process_time() - began < 20  # what is quadratic takes hours
