"""Pages: the standard's odd cases, real pages beside a browser's parser, and any bytes at all."""

from __future__ import annotations

import gzip
import html
import random
import re
import time
from collections import Counter
from html.entities import html5
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from webstrata.web.charset import CharsetSource
from webstrata.web.html import Directives, Kind, Rel, glance, parse_directives, scan
from webstrata.web.url import Reject

if TYPE_CHECKING:
    from pathlib import Path

    from selectolax.lexbor import LexborNode

FRAMES = (Kind.ANCHOR, Kind.AREA, Kind.FRAME, Kind.IFRAME)
BLANKS = "".join(map(chr, range(33)))


def targets(body: str | bytes) -> list[str]:
    data = body.encode() if isinstance(body, str) else body
    return [link.target for link in scan(data, charset="utf-8").links]


# ---- what a browser's tree has


def links_of_tree(body: bytes) -> list[tuple[str, str]]:
    """Kind and target of each `a`, `area`, `frame` and `iframe` in the tree that lexbor builds."""
    found = []
    for node in LexborHTMLParser(body).css("a, area, frame, iframe"):
        name = "href" if node.tag in ("a", "area") else "src"
        value = (node.attributes.get(name) or "").strip(BLANKS)
        if name not in node.attributes or (name == "src" and not value):
            continue
        # an iframe of SVG is no iframe, whatever selectors say
        if node.tag == "a" or not is_foreign(node):
            found.append(("anchor" if node.tag == "a" else str(node.tag), value))
    return found


def is_foreign(node: LexborNode) -> bool:
    outer = node.parent
    while outer is not None and outer.tag not in ("svg", "math", "foreignObject", "desc", "mi"):
        outer = outer.parent
    return outer is not None and outer.tag in ("svg", "math")


def links_of_scan(body: bytes) -> list[tuple[str, str]]:
    page = scan(body, charset="utf-8", anchors=False)
    return [(link.kind.value, link.target) for link in page.links if link.kind in FRAMES]


def real_pages(test_data: Path) -> list[bytes]:
    return [gzip.decompress(path.read_bytes()) for path in sorted((test_data / "content/html").glob("*.gz"))]


def test_real_pages_have_the_links_that_a_browser_finds_in_the_same_order(test_data: Path) -> None:
    num_links = 0
    for body in real_pages(test_data):
        expected = links_of_tree(body)
        assert links_of_scan(body) == expected
        num_links += len(expected)
    assert num_links > 10_000


def test_real_pages_have_the_title_and_the_texts_of_links_that_a_browser_finds(test_data: Path) -> None:
    num_other = 0
    for body in real_pages(test_data):
        page, tree = scan(body, charset="utf-8"), LexborHTMLParser(body)
        titles = [node.text() for node in tree.css("title") if not is_foreign(node)]
        assert page.title == " ".join(titles[0].split())
        nodes = [node for node in tree.css("a") if "href" in node.attributes]
        anchors = [link.anchor for link in page.links if link.kind is Kind.ANCHOR]
        assert len(nodes) == len(anchors)
        for node, anchor in zip(nodes, anchors, strict=True):
            # lexbor's text of a node has the scripts within it
            num_other += re.sub(r"[ \t\n\f\r]+", " ", node.text()).strip(" ") != anchor
    assert num_other == 2


def tree_cases(test_data: Path) -> list[bytes]:
    cases = []
    for path in sorted((test_data / "html/tree").glob("*.dat")):
        for block in re.split(rb"(?:^|\n)#data\n", path.read_bytes())[1:]:
            body, _, rest = block.partition(b"\n#errors")
            if b"#document-fragment" not in rest and b"#script-on" not in rest:
                cases.append(body)
    return cases


def test_the_cases_of_html5lib_have_a_browsers_links_but_for_copies_of_them(test_data: Path) -> None:
    cases = tree_cases(test_data)
    copies: Counter[tuple[str, str]] = Counter()
    for body in cases:
        ours, theirs = links_of_scan(body), links_of_tree(body)
        assert set(ours) == set(theirs), body
        assert not Counter(ours) - Counter(theirs)
        # a tree repeats an `a` that is open where a table or block begins
        copies += Counter(theirs) - Counter(ours)
    assert len(cases) > 1500
    assert copies.total() == 6


# no SVG or MathML here: what ends them depends on which elements are open, which a scan does not know
TAGS = """
<a href=1>|<a href='2' rel=x>|<a href="3">|</a>|<A HREF = 4 >|<a href=5/>|<a/href=6>|<a href>|<a href= >|<br/>
<a href=7 href=8>|<a\thref\t=\t9\t>|<area href=a>|<iframe src=i>|</iframe>|<!--|-->|--!>|<!-->|<!--->|<!|<?
</|<|>|'|"|=|/|<script>|</script>|<script|</script|<style>|</style>|<title>|</title>|<textarea>|</textarea>
<xmp>|</xmp>|<noscript>|</noscript>|<noembed>|</noembed>|<noframes>|</noframes>|<![CDATA[|]]>|<div>|</div>
<p>|</p>|<table>|<tr>|<td>|</table>|<b>|</b>|text|&amp;|&lt;| |\t|<!doctype html>|<template>|</template>|<li>
<body>|</body>|</html>|<head>|</head>|<a href='x>|<a href=x|\0|<ul>|</ul>|<title/>|<script/>|<style/>
<plaintext>|<a href="&#49;&amp;&copy=&copy;&notit;">
"""
SOUP = st.lists(st.sampled_from(re.split(r"[|\n]", TAGS)), max_size=12).map(
    lambda pieces: "".join(pieces).encode()
)


@settings(max_examples=500)
@given(SOUP)
@example(b"<script><!--<script></script><a href=1></script><a href=2>")
@example(b"<!--><a href=1>--><a href=2>")
@example(b"<a href=1><table><a href=2>")
def test_tag_soup_has_a_browsers_links_but_for_copies_of_them(body: bytes) -> None:
    ours, theirs = Counter(links_of_scan(body)), Counter(links_of_tree(body))
    assert set(ours) == set(theirs)
    assert not ours - theirs


FOREIGN = "<svg>|</svg>|<math>|</math>|<svg/>|<foreignObject>|</foreignObject>|<desc>|</desc>|<mi>|</mi>"
FRAMES_AND_MENUS = "<frameset>|</frameset>|<frame src=f>|<select>|</select>|<option>"


@pytest.mark.parametrize(
    ("more", "num_missed", "num_extra"), [("", 0, 0), (FOREIGN, 17, 7), (FRAMES_AND_MENUS, 4, 1036)]
)
def test_what_a_scan_cannot_know_is_counted(more: str, num_missed: int, num_extra: int) -> None:
    # of 20 000 pages, those on which a link is missed and those with one too many; see docs/decisions/html.md
    chance = random.Random(7)
    tags = re.split(r"[|\n]", TAGS) + (more.split("|") if more else [])
    found = [0, 0]
    for _ in range(20_000):
        body = "".join(chance.choices(tags, k=chance.randint(1, 12))).encode()
        ours, theirs = set(links_of_scan(body)), set(links_of_tree(body))
        found[0] += not ours >= theirs
        found[1] += not ours <= theirs
    assert found == [num_missed, num_extra]


# ---- case by case


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<a href=x/>", ["x/"]),
        ("<A\nHREF\n=\n' x '>", ["x"]),
        ("<a href=1 HREF=2>", ["1"]),
        ("<a title='>' href=1>", ["1"]),
        ("<a href='1' <a href=2>", ["1"]),
        ("<a href=1", []),
        ("<a href='1>", []),
        ("a < b <a href=1>", ["1"]),
        ("</a href=1><a href=2>", ["2"]),
        ("<a\0 href=1><a href='\0'>", ["\ufffd"]),
        ("<!-- <a href=1> --!><a href=2><!--><a href=3><!-- <a href=4>", ["2", "3"]),
        ("<!doctype html '><a href=1>'><a href=2>", ["1", "2"]),
        ("<?xml ?><a href=1><![CDATA[<a href=2>]]>", ["1"]),
        (
            "<svg><![CDATA[<a href=1>]]><a xlink:href=2><style><a href=3></style></svg><a href=4>",
            ["2", "3", "4"],
        ),
        ("<svg><foreignObject><title><a href=1></title></foreignObject></svg>", []),
        ("<svg><title><a href=1></title></svg>", ["1"]),
        ("<svg/><style><a href=1></style>", []),
        ("<script>'<a href=1>'</SCRIPT ><a href=2><script>", ["2"]),
        ("<textarea><a href=1></textarea><xmp><a href=2></xmp><iframe><a href=3></iframe>", []),
        ("<noscript><a href=1></noscript><noframes><a href=2></noframes>", ["1"]),
        ("<template><a href=1><base href=2><title>x</title></template><a href=3>", ["3"]),
        ("<template shadowrootmode=open><a href=1></template>", ["1"]),
        ("<plaintext><a href=1></plaintext>", []),
        ("<frameset><frame src=1><frame src=''></frameset><iframe src=2>", ["1", "2"]),
        ("<a href='?a&amp;b&#x26;c&copy=1&copy;&eacute'>", ["?a&b&c&copy=1©é"]),
    ],
)
def test_links_stand_where_the_standard_has_them(body: str, expected: list[str]) -> None:
    assert targets(body) == expected


@pytest.mark.parametrize(
    ("rel", "kind"),
    [
        ("canonical", Kind.CANONICAL),
        ("NEXT", Kind.NEXT),
        ("previous nofollow", Kind.PREV),
        ("alternate", Kind.ALTERNATE),
        ("amphtml", Kind.AMP),
        ("author", Kind.LINK),
        ("", Kind.LINK),
        ("alternate stylesheet", Kind.STYLESHEET),
        ("shortcut icon", Kind.ICON),
        ("apple-touch-icon-precomposed", Kind.ICON),
        ("preload", Kind.PRELOAD),
        ("modulepreload", Kind.PRELOAD),
        ("manifest", Kind.MANIFEST),
        ("mask-icon", Kind.ICON),
        ("prefetch", None),
        ("dns-prefetch", None),
        ("preconnect", None),
    ],
)
def test_a_link_element_is_what_its_rel_says(rel: str, kind: Kind | None) -> None:
    body = f"<link rel='{rel}' href=a>".encode()
    found = [link.kind for link in scan(body, resources=True).links]
    assert found == ([kind] if kind else [])
    is_page = kind is not None and tuple(Kind).index(kind) <= tuple(Kind).index(Kind.LINK)
    assert len(scan(body).links) == is_page


def test_resources_are_found_on_request_alone() -> None:
    body = (
        b"<img src=1><image src=2><script src=3></script><embed src=4><object data=5></object><video src=6>"
        b"<source src=7></video><a href=8><img src=''>"
    )
    assert targets(body) == ["8"]
    kinds = ["image", "image", "script", "embed", "object", "media", "media", "anchor"]
    assert [link.kind for link in scan(body, resources=True).links] == kinds


def test_resources_are_found_in_styles_sets_of_sources_and_svg() -> None:
    body = (
        b"<style>@import '1';a{b:url(2)}</style><style type=text/x>a{b:url(no)}</style>"
        b"<p style='b:url(&quot;3&quot;)'><img srcset='4 1x, 5 2x'><source srcset=6>"
        b"<link rel=preload href=7 imagesrcset='8 1x'><body background=9>"
        b"<video poster=10></video><input type=IMAGE src=11><input src=no><svg><style>a{b:url(12)}</style>"
        b"<image href=13 /><use xlink:href='14#x'/><use href='#no'/><feImage href=15 /></svg>"
        b"<template><p style='b:url(no)'><img srcset=no></template><td background=16>"
    )
    found = [link.target for link in scan(body, resources=True).links]
    assert sorted(found, key=lambda text: int(text.partition("#")[0])) == [
        *["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14#x", "15", "16"]
    ]
    assert scan(body).links == []


def test_links_are_resolved_against_the_first_base() -> None:
    body = b"<a href=a><base target=_top><base href=/b/c><base href=/d/><a href=http://x.y/><a href=//z/>"
    page = scan(body, url="http://h.uk/e/f")
    assert page.base == "http://h.uk/b/c"
    assert [link.url for link in page.links] == ["http://h.uk/b/a", "http://x.y/", "http://z/"]
    assert scan(b"<base href=javascript:x><a href=a>", url="http://h.uk/").links[0].url == "http://h.uk/a"


def test_what_has_no_normal_form_is_counted_by_reason() -> None:
    page = scan(
        b"<a href=mailto:me><a href=javascript:x><a href='http://a b/'><a href=ok>", url="http://h.uk/"
    )
    assert page.rejects == {Reject.SCHEME: 2, Reject.HOST: 1}
    assert [link.url for link in page.links] == [None, None, None, "http://h.uk/ok"]
    assert scan(b"<a href=b>").rejects == {Reject.RELATIVE: 1}


def test_rel_and_text_of_a_link_are_kept() -> None:
    body = b"<a href=1 rel='x UGC  nofollow'> A\n <b>b&eacute;</b><script>no</script>c <a href=2>d<p>e</a>f"
    links = scan(body).links
    assert [(link.rel, link.anchor) for link in links] == [(Rel.NOFOLLOW | Rel.UGC, "A béc"), (Rel(0), "de")]
    assert not scan(body, anchors=False).links[0].anchor


def test_the_text_has_a_line_for_each_block() -> None:
    body = (
        b"<title>no</title><style>no</style><body><h1>One\n two</h1><p>A<b>b</b> c<br>d<!-- no --> e"
        b"<script>no</script><ul><li>f<li>&lt;g&gt;</ul><template>no</template><textarea>h &amp;</textarea> "
    )
    assert scan(body, text=True).text == "One two\nAb c\nd e\nf\n<g>\nh &"
    assert not scan(body).text


@pytest.mark.parametrize(
    ("content", "delay", "target"),
    [
        ("5; url=/a", 5.0, "/a"),
        ("0;URL='a b'x", 0.0, "a b"),
        (" 3.7 , /b", 3.0, "/b"),
        ("1 url = c", 1.0, "c"),
        (".5;urla", 0.0, "urla"),
        ("7", 7.0, ""),
        ("7x", None, None),
        ("url=a", None, None),
    ],
)
def test_a_refresh_is_a_link(content: str, delay: float | None, target: str | None) -> None:
    page = scan(f'<meta http-equiv=Refresh content="{content}">'.encode())
    assert page.refresh == delay
    assert [(link.kind, link.target) for link in page.links] == (
        [] if target is None else [(Kind.REFRESH, target)]
    )


def test_directives_of_the_page_and_of_the_agent_add_up() -> None:
    body = (
        b"<meta name=ROBOTS content='noindex,x'><meta content=NoArchive name=MyBot><meta name=b content=none>"
    )
    assert scan(body).robots == Directives.NOINDEX
    assert scan(body, agents=["mybot"]).robots == Directives.NOINDEX | Directives.NOARCHIVE
    assert scan(b"<template><meta name=robots content=none></template>").robots == Directives(0)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("noindex", 1),
        ("None", 3),
        ("noindex,nofollow, noarchive", 7),
        ("bot: noindex, nofollow", 3),
        ("other: noindex, nofollow", 0),
        ("noarchive, other: noindex, BOT : nofollow", 6),
        ("unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow", 2),
        ("max-snippet: 3, noindex", 1),
        ("", 0),
    ],
)
def test_a_header_has_directives_for_all_or_for_one(value: str, expected: int) -> None:
    assert parse_directives(value, ["bot"]) == Directives(expected)


def test_what_the_page_says_about_itself_is_kept() -> None:
    page = scan(
        b"<html lang=' de-AT '><html lang=fr><title>\n A\n&amp;  B </title><title>C</title>"
        b"<svg><title>D</title></svg><link rel=canonical href=/c><link rel=canonical href=/d>",
        url="http://h.uk/",
    )
    assert (page.language, page.title, page.canonical) == ("de-AT", "A & B", "http://h.uk/c")
    assert (page.charset.name, page.charset.source) == ("windows-1252", CharsetSource.DEFAULT)


@pytest.mark.parametrize(
    "charset", ["utf-8", "utf-16", "utf-16be", "iso2022_jp", "shift_jis", "euc_jp", "gb18030"]
)
def test_all_charsets_give_the_same_page(charset: str) -> None:
    text = "<title>日本</title><a href='/語?a=本'>本<b>日</b></a><p>語 "
    page = scan(text.encode(charset), charset=charset.replace("iso2022_jp", "iso-2022-jp"), text=True)
    assert (page.title, page.links[0].target, page.links[0].anchor) == ("日本", "/語?a=本", "本日")
    assert page.text == "本日\n語"


# ---- character references


def test_every_named_reference_is_known() -> None:
    for name in html5:
        text = scan(f"<textarea>x&{name}y".encode(), charset="utf-8", text=True).text
        assert text.split() == html.unescape(f"x&{name}y").split(), name


@given(
    st.lists(
        st.sampled_from(["&", "#", "x", "1", "9f", "128", ";", "not", "it", "amp", "=", "lt", "zz", "é"])
    )
)
@example(["&", "#", "1114112", ";", "&", "#", "x", "d800", "&", "#", "0"])
def test_references_in_text_are_those_of_the_standard(pieces: list[str]) -> None:
    text = "".join(pieces)
    found = scan(f"<textarea>x{text}y".encode(), charset="utf-8", text=True).text
    # the tree of a browser is the judge: Python's own leaves some control characters out
    node = LexborHTMLParser(f"<textarea>x{text}y").css_first("textarea")
    assert node is not None
    assert found.split() == node.text().split()


@given(
    st.lists(
        st.sampled_from(["&", "#", "x", "1", "128", ";", "not", "it", "amp", "=", "lt", "copy", "?", "é"])
    )
)
def test_references_in_attributes_are_those_of_the_standard(pieces: list[str]) -> None:
    body = f'<a href="y{"".join(pieces)}">'.encode()
    assert links_of_scan(body) == links_of_tree(body)


# ---- anything


@settings(max_examples=500)
@given(
    st.one_of(st.binary(max_size=200), SOUP), st.sampled_from([None, "utf-8", "utf-16le", "iso-2022-jp", "?"])
)
def test_any_bytes_are_a_page(body: bytes, charset: str | None) -> None:
    page = scan(body, url="http://h.uk/", charset=charset, resources=True, text=True)
    for link in page.links:
        assert (link.url is None) == (link.reject is not None)
        assert link.target == link.target.strip(BLANKS)
    assert page.text == page.text.strip(" \t\n\f\r")
    assert page.fingerprint == scan(body, charset=charset).fingerprint


HOSTILE = """<!-- <!-->|<!--->--|<script|<script>|<script><!--|<script><!--<script>|</script|<a |<a href=
<a href='|<a>|<a href=x>|<svg>|<svg></svg>|<svg><title>|</svg>|<math><mi>|<![CDATA[|<svg><![CDATA[
]]>|&|&#|&#1|&a|&amp|<template>|<title>|<textarea>|</textarea|<p>|<|>|-|--|--!>|</|<?|<!|/| |\t|=|\0
a|1|<meta charset=|<meta content=charset|charset|<meta name=robots content=none>|<base href=x>
<html lang=x>|<plaintext>|\x1b|ÿ|é|<a b """


@given(st.binary(max_size=300), st.sampled_from([None, "utf-16", "shift_jis"]))
def test_a_glance_tells_what_a_scan_tells(body: bytes, charset: str | None) -> None:
    page = scan(b"<meta name=robots content=nofollow><p>" + body, charset=charset)
    assert glance(b"<meta name=robots content=nofollow><p>" + body, charset=charset) == (
        page.fingerprint,
        page.robots,
    )


@pytest.mark.parametrize("piece", re.split(r"[|\n]", HOSTILE))
def test_time_is_linear_in_the_page(piece: str) -> None:
    # a scan that went over the rest for each piece would take minutes
    body = piece.encode("latin-1") * (1_000_000 // len(piece))
    begin = time.process_time()
    for page in (body, b"<svg>" + body, b"<a href=x>" + body, b"<!--" + body):
        scan(page, url="http://h.uk/", text=True)
    assert time.process_time() - begin < 20
