"""Rewritten pages against a plain model: every address that a parser finds leads to the archive."""

from __future__ import annotations

import re
from urllib.parse import urljoin

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from webstrata.serve.replay.rewriting import find_kind, rewrite

URL = "http://a.uk/b/c.html"
PREFIX = "/uk/20260601000000"
TARGETS = st.sampled_from(
    ["d.png", "/e?f=1&g=2", "//h.uk/", "https://i.uk/j", "../k", "?l=m", "http://n.uk/%20o", "p q"]
)
ATTRIBUTES = {
    "a": "href",
    "img": "src",
    "iframe": "src",
    "video": "poster",
    "body": "background",
    "q": "cite",
}
QUOTES = st.sampled_from(['"', "'"])


def model(target: str) -> str:
    joined = urljoin(URL, target).replace(" ", "%20")
    return f"{PREFIX}/{joined}"


def make(text: str, content_type: str = "text/html; charset=utf-8") -> str:
    return rewrite(text.encode(), "page", URL, content_type, PREFIX)[0].decode()


@settings(deadline=None, max_examples=200)
@given(st.lists(st.tuples(st.sampled_from(sorted(ATTRIBUTES)), TARGETS, QUOTES), max_size=8))
def test_every_address_leads_where_the_model_says(links: list[tuple[str, str, str]]) -> None:
    text = "".join(
        f"<{tag} {ATTRIBUTES[tag]}={quote}{target.replace('&', '&amp;')}{quote}></{tag}>"
        for tag, target, quote in links
        if tag != "body"
    )
    tree = LexborHTMLParser(make(text))
    for tag in sorted(set(ATTRIBUTES) - {"body"}):
        found = [node.attributes[ATTRIBUTES[tag]] for node in tree.css(tag)]
        assert found == [model(target) for own, target, _ in links if own == tag]


@settings(deadline=None, max_examples=300)
@given(
    st.lists(
        st.sampled_from(
            [
                *("<", ">", "'", '"', "=", "/", " ", "-->", "<!--", "&lt;", "\x00", "x"),
                *(
                    "<script>",
                    "</script>",
                    "<svg>",
                    "</svg>",
                    "<style>",
                    "</style>",
                    "<noscript>",
                    "</noscript>",
                ),
                *(
                    "<a href=",
                    "javascript:x",
                    "<img src=http://x/ onerror=y>",
                    "<base href=//z>",
                    "<template>",
                ),
                *("<meta http-equiv=refresh content=0>", "<title>", "</title>", "<textarea>", "<plaintext>"),
            ]
        ),
        max_size=12,
    )
)
def test_no_tag_that_a_parser_finds_runs_or_leaves(pieces: list[str]) -> None:
    made = make("".join(pieces))
    # a browser without scripts reads noscript as tags, and so does not this parser
    tree = LexborHTMLParser(re.sub("</?noscript[^>]*>", "", made))
    assert not tree.css("script")
    assert not tree.css("base")
    assert not tree.css("meta[http-equiv=refresh]")
    for node in tree.css("*"):
        assert not [name for name in node.attributes if name.startswith("on") and len(name) > 2]
        assert not (node.attributes.get("href") or "").startswith("javascript:")


def test_text_without_tags_is_copied_byte_by_byte() -> None:
    text = "<!DOCTYPE html>\n<!-- a & b --><p class=x  id='y'>&nbsp;é<br/></p>\r\n<pre>\n</pre>"
    assert make(text) == text


@pytest.mark.parametrize(
    ("mime", "modifier", "kind"),
    [
        ("text/html", "", "page"),
        ("application/xhtml+xml", "mp_", "page"),
        ("image/svg+xml", "im_", "page"),
        ("text/css", "", "stylesheet"),
        ("text/plain", "cs_", "stylesheet"),
        ("text/html", "cs_", "page"),
        ("application/javascript", "", None),
        ("text/plain", "", None),
    ],
)
def test_the_type_says_how_a_payload_is_rewritten(mime: str, modifier: str, kind: str | None) -> None:
    assert find_kind(mime, modifier) == kind


def test_charsets_are_kept_and_declared() -> None:
    body, kind = rewrite(
        "é<a href=x>".encode("latin-1"), "page", URL, "text/html; charset=iso-8859-1", PREFIX
    )
    assert (body[:1], kind) == (b"\xe9", "text/html; charset=windows-1252")
    body, kind = rewrite("<p>é".encode("utf-16"), "page", URL, "text/html", PREFIX)
    assert (body.decode(), kind) == ("<p>é", "text/html; charset=UTF-8")
    body, kind = rewrite(
        b'<?xml version="1.0" encoding="koi8-r"?><svg/>', "page", URL, "image/svg+xml", PREFIX
    )
    assert kind == "image/svg+xml; charset=KOI8-R"
    body, kind = rewrite(b'@charset "latin1";a{b:url(\xe9)}', "stylesheet", URL, "text/css", PREFIX)
    assert kind == "text/css; charset=utf-8"
    assert b"/http://a.uk/b/%C3%A9" in body
