"""Pages as tokens: what is text, what is markup, and how long it takes to tell."""

from __future__ import annotations

import time
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.store.main_content.tokens import HIDDEN, RAW, decode, tokenize

if TYPE_CHECKING:
    from pathlib import Path


def names_and_texts(page: str) -> list[str]:
    return [f"<{name}>" if name else text.strip() for name, text in tokenize(page)]


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("a<b>c</b>d", ["a", "<b>", "c", "</b>", "d"]),
        ("<P Class='x>y'>a", ["<p>", "a"]),
        ('<a title="1 > 0" href=/>b', ["<a>", "b"]),
        ('<a title=""">b"c', ["<a>", 'b"c']),
        ("<img alt=a/>b", ["<img>", "b"]),
        ("a<!-- <p> -- > -->b", ["a", "b"]),
        ("a<!-->b<!--->c", ["a", "b", "c"]),
        ("a<!-- never closed <p>b", ["a"]),
        ("<!DOCTYPE html><?xml x?>a", ["a"]),
        ("<script>if (a<b) '</p>'</SCRIPT >b", ["b"]),
        ("<style>a{}</style>b<script>c", ["b"]),
        ("<noscript><p>a</noscript>b<svg><path/></svg>c", ["b", "c"]),
        ("<svg>a<p>b", ["<svg>", "a", "<p>", "b"]),
        ("<title>a</title>&lt;b&gt; &amp;amp;", ["<b> &amp;"]),
        ("a < b <3 c", ["a < b <3 c"]),
        ("a<b class='", ["a", "<b>"]),
        ("<scripted>a</scripted>", ["<scripted>", "a", "</scripted>"]),
        ("", []),
    ],
)
def test_text_and_markup_are_told_apart_as_in_the_standard(page: str, expected: list[str]) -> None:
    assert names_and_texts(page) == expected


@given(st.text(st.sampled_from("<>/!-=\"' abpsvg&;scriptyle")))
def test_any_text_can_be_read(page: str) -> None:
    for name, text in tokenize(page):
        assert name == name.lower()
        assert name or text.strip()


class Reference(HTMLParser):
    """The parser of the standard library, reduced to what we tell."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(f"<{tag}>")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(f"<{tag}>")

    def handle_endtag(self, tag: str) -> None:
        self.found.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.found.append(data.strip())


pieces = st.sampled_from(
    [
        "<p>",
        "</p>",
        "<a href='x'>",
        "</a>",
        "<br/>",
        "<!-- c -->",
        "word",
        " ",
        "&amp;",
        '<i title="a>b">',
        "</i>",
    ]
)


@given(st.lists(pieces).map("".join))
def test_well_written_pages_read_as_the_standard_library_reads_them(page: str) -> None:
    reference = Reference()
    reference.feed(page)
    reference.close()
    ours = names_and_texts(page)
    # a comment parts a text in one of them and not in the other
    assert "".join(ours) == "".join(reference.found) or " " in page
    assert [word for word in ours if word[0] == "<"] == [word for word in reference.found if word[0] == "<"]


@pytest.mark.parametrize(
    "piece",
    ["<a ", "<!--", "<svg>", '<a x="', "<a x='\"", "<script>", "<", "<script", "<!-", "--", "<a x=", "<?",
     "</svg", "<noscript></svg>", "<p>&"],
)  # fmt: skip
def test_hostile_pages_take_linear_time(piece: str) -> None:
    def measure(size: int) -> float:
        page = "</svg><!--x-->" + piece * size
        began = time.process_time()
        for _ in tokenize(page):
            pass
        return time.process_time() - began

    # a quadratic scan takes minutes
    assert measure(200_000) < 20


def test_real_pages_keep_all_their_words(test_data: Path) -> None:
    from webstrata.store.main_content.evaluate import count_shingles, read_labelled

    for page in read_labelled(test_data / "content")[:20]:
        text = " ".join(text for name, text in tokenize(decode(page.body)) if not name)
        assert count_shingles(page.truth, text).fn < 0.05, page.url


@pytest.mark.parametrize(
    ("body", "charset", "text"),
    [
        ("ü".encode(), None, "ü"),
        ("ü".encode("latin-1"), "latin1", "ü"),
        (b"\xef\xbb\xbfa", None, "a"),
        ("שלום".encode("iso-8859-8"), "iso-8859-8-i", "שלום"),
        (b"a\xff", "utf-8", "a\ufffd"),
    ],
)
def test_bytes_become_characters_by_their_charset(body: bytes, charset: str | None, text: str) -> None:
    assert decode(body, charset=charset) == text


def test_no_element_is_both_raw_and_hidden() -> None:
    assert not RAW & HIDDEN
