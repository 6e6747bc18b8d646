"""Addresses in stylesheets and manifests, as browsers find them."""

from __future__ import annotations

import pytest

from webstrata.web.css import find_pictures, find_references


@pytest.mark.parametrize(
    ("sheet", "found"),
    [
        ("@import 'a.css'; @import url(b.css) screen and (width > 9em);", ["a.css", "b.css"]),
        ('a{background:url( "c d.png" )}b{background:URL(e.png)}', ["c d.png", "e.png"]),
        ("@font-face{src:local('x'),url(f.woff2)format('woff2')}", ["f.woff2"]),
        ("@media print{@layer x{i{cursor:url(g.cur) 1 2,auto}}}", ["g.cur"]),
        ("i{background:image-set('h.png' 1x, 'i.png' type('image/png') 2x)}", ["h.png", "i.png"]),
        ("i{mask:url(j.svg#mark);fill:url(#own);b:url(data:,x)}", ["j.svg#mark"]),
        ("@namespace x url(http://www.w3.org/1999/xhtml); /* url(no) */ i{content:'url(no)'}", []),
        ("i{b:url(k\\.png)}", ["k.png"]),
        ("i{b:url(l m.png)}j{b:url(n.png)}", ["n.png"]),
        ("}}} i{b:url(o.png", ["o.png"]),
    ],
)
def test_addresses_are_found_wherever_they_stand(sheet: str, found: list[str]) -> None:
    assert find_references(sheet.encode()) == found


def test_a_stylesheet_is_read_in_its_charset() -> None:
    sheet = '@charset "iso-8859-2"; i { b: url(ł.png) }'
    assert find_references(sheet.encode("iso-8859-2")) == ["ł.png"]
    assert find_references("i{b:url(ł.png)}".encode("utf-16")) == ["ł.png"]
    assert find_references("i{b:url(ż.png)}".encode("cp1250"), charset="windows-1250") == ["ż.png"]


def test_any_bytes_are_read_in_one_pass() -> None:
    for sheet in (b"", b"\xff\xfe", b"(" * 100_000, b"url(" * 50_000, b"@import " * 50_000, b'{"' * 50_000):
        assert isinstance(find_references(sheet), list)


def test_a_manifest_names_pictures_and_no_pages() -> None:
    shortcuts = b'"shortcuts": [{"url": "/b", "icons": [{"src": "c"}]}]'
    text = b'{"start_url": "/", "icons": [{"src": "a.png"}], %b}' % shortcuts
    assert find_pictures(text) == ["a.png", "c"]
    for other in (b"", b"[", b"[1]", b'{"icons": {"src": "a"}}', b"[" * 100_000):
        assert find_pictures(other) == []
