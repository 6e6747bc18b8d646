"""Every way to find main content, behind one function."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from webstrata.errors import MissingExtraError, UsageError
from webstrata.store.main_content import DEFAULT, METHODS, extract
from webstrata.store.main_content.methods import find_places
from webstrata.store.text import cut_main
from webstrata.web.html import scan

TEXT = "Ein längerer Absatz über die Geschichte der Stadt, mit Kommas, der sicher als Fließtext gilt. " * 3
MENU = "".join(f"<li><a href=/{n}>Menü {n}</a></li>" for n in range(60))
PAGE = f"""<html><head><meta charset={{}}><title>Titel</title></head><body><nav><ul>{MENU}</ul></nav>
<article><h1>Titel</h1><p>{TEXT}</p><p>Dann: {TEXT[::-1]}</p></article>
<footer><ul>{MENU}</ul></footer></body></html>"""


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-15"])
def test_the_article_is_found_and_the_menu_is_not(method: str, charset: str) -> None:
    found = extract(PAGE.format(charset).encode(charset), url="http://example.de/", method=method)
    assert found.count("Geschichte der Stadt") == found.count("tdatS red ethcihcseG") == 3
    assert found.count("Menü") < 10


def test_the_label_of_the_header_is_stronger_than_the_page() -> None:
    assert "Fließtext" in extract(PAGE.format("utf-8").encode("latin-1"), charset="latin1", method="dom")


def test_without_its_package_trafilatura_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "trafilatura", None)
    with pytest.raises(
        MissingExtraError, match=r"pip install 'webstrata\[content\]'`, or choose the method dom"
    ):
        extract(b"<p>a", method="trafilatura")
    page = PAGE.format("utf-8").encode()
    assert extract(page) == extract(page, method=DEFAULT) == extract(page, method="dom") != ""


def test_a_method_that_is_not_known_is_refused_with_those_that_are() -> None:
    with pytest.raises(UsageError, match="choose one of dom, low-slope, slope, trafilatura"):
        extract(b"", method="best")


@hypothesis_settings(max_examples=50)
@given(st.binary(max_size=300))
@pytest.mark.parametrize("method", METHODS)
def test_any_bytes_will_do(method: str, body: bytes) -> None:
    assert isinstance(extract(body, method=method), str)


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-15", "utf-16"])
def test_places_are_those_of_the_content_that_is_extracted(charset: str) -> None:
    body = PAGE.format(charset).encode(charset)
    page = scan(body, url="http://example.de/", text=True)
    assert cut_main(page.text, find_places("dom", page, body)) == extract(body, method="dom")
    assert cut_main(page.text, find_places("low-slope", page, body)).count("Menü") < 10
    short = scan(b"<p>Short", text=True)
    assert find_places("low-slope", short, b"<p>Short") == [0, 5]
    assert find_places("low-slope", scan(b"", text=True), b"") == find_places("dom", scan(b""), b"") == []
