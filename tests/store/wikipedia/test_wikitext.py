"""Wikitext as pages: links, text, and what nobody should write."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.store.wikipedia import wikitext
from webstrata.store.wikipedia.titles import Wiki
from webstrata.store.wikipedia.wikitext import find_redirect, render
from webstrata.web import html

WIKI = Wiki("https://w.org/")


def read(text: str) -> tuple[str, list[tuple[str, str]]]:
    """The visible text, and the links with their anchors, as the store takes them from a page."""
    page = html.scan(render(text, WIKI).encode(), url="https://w.org/X", charset="utf-8", text=True)
    return page.text, [((link.url or "").removeprefix("https://w.org/"), link.anchor) for link in page.links]


@pytest.mark.parametrize(
    ("text", "shown", "links"),
    [
        ("a [[big fish|fish]] b", "a fish b", [("Big_fish", "fish")]),
        ("[[fish]]es, [[Éclair]]é", "fishes, Éclairé", [("Fish", "fishes"), ("%C3%89clair", "Éclairé")]),
        ("[[fish#Gills|gills]]", "gills", [("Fish", "gills")]),
        ("[[#Top|up]] [[a|b|c]]", "up b|c", [("A", "b|c")]),
        ("'''Bold''' and ''it''", "Bold and it", []),
        ("x<!-- [[no]] -->y <!-- open [[no]]", "xy", []),
        ("<nowiki>[[no]] '''x'''</nowiki>", "[[no]] '''x'''", []),
        ("a<math>x [[no]]</math>b", "ab", []),
        ("A.<ref>By [[Bob]], ''Book''</ref> B.<ref name=x /> C", "A. B. C\nBob", [("Bob", "Bob")]),
        ("{{Box|a=[[Sea]]|b={{c|[[Water|wet]]}} text}}X", "Sea wetX", [("Sea", "Sea"), ("Water", "wet")]),
        ("[[File:a.jpg|thumb|A [[shark]]|alt=x]]Y", "A shark Y", [("Shark", "shark")]),
        ("[[Category:Fish]][[de:Fisch]][[zh-min-nan:X]]Z", "Z", []),
        ("[[:Category:Fish]]", "Category:Fish", [("Category:Fish", "Category:Fish")]),
        ("[https://x.org/?a=1&b=2 out] [//y.org]", "out https://y.org",
         [("https://x.org/?a=1&b=2", "out"), ("https://y.org/", "https://y.org")]),
        ("== Head ==\n* one\n# two\n\npar", "Head\none\ntwo\npar", []),
        ("{| class=x\n! A !! b=c | B\n|-\n| [[One|1]] || 2\n|}", "A\nB\n1\n2", [("One", "1")]),
        ("5 < 6 & 7 > 2 &lt; &nbsp;8 &copy", "5 < 6 & 7 > 2 < \xa08 &copy", []),
        ("[http://x.org ''It'' is] [[a|''b''c]]", "It is bc", [("http://x.org/", "It is"), ("A", "bc")]),
        ("[[unclosed {{ too", "[[unclosed {{ too", []),
        ("{{a|[[b}} c]]", "c]]", []),
        ("[[x\ny]] [[{{t}}]] [[a<b]]", "[[x y]] a<b", []),
        ("line<br/>next", "line\nnext", []),
        ("<gallery>\nA.jpg|One [[fish|f]]\nB.jpg\n</gallery>x", "One f\nx", [("Fish", "f")]),
    ],
)  # fmt: skip
def test_what_a_reader_sees_and_where_it_leads(text: str, shown: str, links: list[tuple[str, str]]) -> None:
    assert read(text) == (shown, links)


def test_a_redirect_is_told_by_its_first_word() -> None:
    assert find_redirect(" #redirect:[[A b|c]]") == "A b"
    assert find_redirect("#REDIRECT [[Fish#Sea]] {{R from}}") == "Fish#Sea"
    assert find_redirect("A #REDIRECT [[Fish]]") is None


_tokens = st.sampled_from(
    ["[[", "]]", "{{", "}}", "|", "\n", "<ref>", "</ref>", "<nowiki>", "</nowiki>", "<!--", "-->", "{|", "|}",
     "==", "''", "[http://a.b ", "]", "<a href=x>", "<script>", "&", "File:", "word", ":", "#", "'"]
)  # fmt: skip


@given(st.lists(_tokens, max_size=30).map("".join))
def test_nothing_that_is_written_gets_out_of_its_place(text: str) -> None:
    made = render(text, WIKI)
    tags = set(re.findall(r"<(/?\w+)", made))
    assert tags <= {
        "a",
        "/a",
        "br",
        "p",
        "li",
        "/li",
        "hr",
        *(f"{end}h{n}" for n in range(1, 7) for end in ("", "/")),
    }
    # links do not lie within each other, and each is closed
    assert re.sub(r"<a [^<>]*>(?:(?!<a ).)*?</a>", "", made, flags=re.DOTALL).count("<a ") == 0


@pytest.mark.parametrize(
    "piece", ["[[", "{{", "[[a|", "<ref>", "<nowiki>", "<!--", "{{[[", "'", "=", "{|\n", "[//"]
)
def test_deep_nests_are_text_and_cost_no_more_than_others(
    piece: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = 0
    take = wikitext._Parser._take

    def count(parser: wikitext._Parser, *given: object) -> int:
        nonlocal steps
        steps += len(parser._stack)
        return take(parser, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(wikitext._Parser, "_take", count)
    render(piece * 3000, WIKI)
    assert steps <= 2 * 3000 * (wikitext.MAX_DEPTH + 2)
