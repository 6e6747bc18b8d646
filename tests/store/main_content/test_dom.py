"""Main content by the structure of a page."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from webstrata.store.main_content.dom import (
    HARMLESS,
    PAIRS,
    PHRASES,
    WORDS,
    find_main,
    find_places,
    judge_names,
    load_rules,
)
from webstrata.store.main_content.evaluate import read_labelled
from webstrata.store.main_content.methods import extract
from webstrata.web.outline import scan_outline

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "This is paragraph number {} of an article, long enough, with commas, to count as running text."
LINES = [TEXT.format(number) for number in range(6)]
ARTICLE = "".join(f"<p>{line}</p>" for line in LINES)
MENU = (
    "<ul class=menu>" + "".join(f"<li><a href=/{number}>Topic {number}</a>" for number in range(60)) + "</ul>"
)
"""So much of it that the page looks like that of a newspaper."""
REFERENCE = """<h1>read(2)</h1><dl><dt>EINTR<dd>Interrupted.<dt>EIO<dd>Broken.</dl>
<pre>n = read(0, b, 9);</pre><table><tr><td>size<td>bytes<tr><td>flags<td>none, or <a href=/>these</a></table>
<ul><li><a href=/w>write</a><li><a href=/o>open</a></ul>
<p>It reads at most as many bytes as were asked for."""
REFERENCE_LINES = [
    "read(2)", "EINTR", "Interrupted.", "EIO", "Broken.", "n = read(0, b, 9);", "size", "bytes", "flags",
    "none, or these", "write", "open", "It reads at most as many bytes as were asked for.",
]  # fmt: skip


def lines(page: str) -> list[str]:
    return extract(page.encode(), charset="utf-8", method="dom").splitlines()


@pytest.mark.parametrize(
    "noise",
    [
        "<nav><p>{}</p></nav>",
        "<footer>{}</footer>",
        "<aside><div><p>{}</aside>",
        "<div class='related-posts'><p>{}</p></div>",
        "<div id=comments><p>{}</p><p>{}</p></div>",
        "<div class=shareTools>{}</div>",
        "<p style='display: none'>{}</p>",
        "<div hidden><p>{}</p></div>",
        "<section aria-hidden=true>{}</section>",
        "<div role=navigation>{}</div>",
        "<figure><img><figcaption>{}</figcaption></figure>",
        "<form><p>{}</p></form>",
        "<ul><li><a href=/>{}</a></li></ul>",
    ],
)
def test_noise_is_left_out_of_an_article_wherever_it_stands(noise: str) -> None:
    noise = noise.replace(
        "{}", "Noise that is as long as a paragraph, with commas, and must not be kept at all."
    )
    for page in (
        f"<body>{MENU}{noise}<div>{ARTICLE}</div>{noise}",
        f"<body>{MENU}<div>{noise}{ARTICLE}{noise}{ARTICLE}{noise}</div>{MENU}",
    ):
        assert lines(page) == LINES * page.count(ARTICLE)


@pytest.mark.parametrize(
    "noise",
    [
        "<nav><p>{}</p></nav>",
        "<footer>{}</footer>",
        "<div role=navigation>{}</div>",
        "<div class=topNav>{}</div>",
        "<div id=sidebar>{}</div>",
        "<ul class='breadcrumbs'><li>{}</ul>",
        "<table><tr><td><a href=p accesskey=p>{}</a><td>Up</table>",
        "<p><a href=n rel=next>{}</a></p>",
        "<select><option>{}</select>",
    ],
)
def test_noise_is_left_out_of_documentation_and_all_else_is_kept(noise: str) -> None:
    noise = noise.format("Another chapter")
    assert lines(f"<body>{noise}<div>{REFERENCE}</div>{noise}") == REFERENCE_LINES
    assert lines(f"<body><div>{noise}{REFERENCE}{noise}</div>") == REFERENCE_LINES


@pytest.mark.parametrize("tag", ["main", "div role=main", "section class=main-content", "article", "div"])
def test_short_text_beside_the_place_of_documentation_is_left_out(tag: str) -> None:
    page = f"<body><p>Project 1.2</p><{tag}>{REFERENCE * 3}</{tag.split()[0]}><p>Made by a generator.</p>"
    assert lines(page) == REFERENCE_LINES * 3


def test_names_that_are_noise_around_articles_are_content_in_documentation() -> None:
    page = (
        f"<div class=x><div class=comment><p>What it does.</div><ul class=toc><li>One</ul>{REFERENCE}</div>"
    )
    assert lines(page) == ["What it does.", "One", *REFERENCE_LINES]


def test_what_holds_most_of_the_text_is_no_noise_whatever_its_name() -> None:
    page = f"<form class='page-with-sidebar'><div class='share modal'>{ARTICLE}</div></form>"
    assert lines(page) == LINES


def test_comments_are_noise_even_where_they_are_longer_than_the_article() -> None:
    comments = f"<div class=comments>{ARTICLE.replace('paragraph', 'comment') * 3}</div>"
    assert lines(f"<div class='has-image'>{ARTICLE}</div>{comments}") == LINES


def test_an_element_that_says_so_is_the_main_content() -> None:
    other = "<div><p>Another text of the page, which stands beside the article, and is long too.</div>"
    for tag in ("<article>", "<div class=entry-content>", "<div itemprop=articleBody>"):
        end = f"</{tag[1:].split('>')[0].split()[0]}>"
        assert lines(f"<div>{other}{tag}{ARTICLE}{end}{other}</div>") == LINES


def test_headings_between_paragraphs_of_an_article_stay_and_those_around_go() -> None:
    page = f"{MENU * 3}<div><h1>Title</h1><h2>Lead</h2>{ARTICLE}<h2>Part two</h2>{ARTICLE}<h3>More</h3></div>"
    assert lines(page) == [*LINES, "Part two", *LINES]


def test_unclosed_and_misplaced_tags_do_no_harm() -> None:
    page = "<div><p>" + "<p>".join(LINES) + "</b></section></div></div></body>"
    assert lines(page) == LINES
    assert lines("<table><tr><td><p>" + "<tr><td>".join(LINES) + "</table>") == LINES


def test_a_short_page_is_not_filtered_to_nothing() -> None:
    page = "<div class=sidebar><p>The only sentence of this page.</div>"
    assert lines(page) == ["The only sentence of this page."]


def test_where_nothing_is_found_the_visible_text_stands_in() -> None:
    page = b"<div><button>Search for it</button><select><option>Red<option>Blue</select></div>"
    found = find_main(page)
    assert found.is_fallback
    assert found.places == [0, len(found.text.encode())]
    assert find_main(b"") == ("", [], False)
    assert find_main(b"<p>Text") == ("Text", [0, 4], False)


# ---- tables and visual cues


def test_a_cell_of_a_layout_table_is_the_place_and_its_neighbours_are_not() -> None:
    side = "<td>Home<br>News of the day<br>About us"
    for table in ("<table role=presentation><tr>", "<table><tr>"):
        page = f"<body>{table}{side}<td>{REFERENCE * 4}<td>Ask us anything</table>"
        assert lines(page) == REFERENCE_LINES * 4
    data = f"<body><table><tr><th>Name<td>{REFERENCE * 4}<td>Ask us anything</table>"
    assert lines(data) == ["Name", *REFERENCE_LINES * 4, "Ask us anything"]


def test_an_article_may_begin_or_end_with_a_data_table() -> None:
    data = "<table><tr><td>Height<td>8 849 m<tr><td>First climbed<td>1953</table>"
    cells = ["Height", "8 849 m", "First climbed", "1953"]
    page = f"{MENU * 3}<div>{data}{ARTICLE}{data}</div>"
    assert lines(page) == [*cells, *LINES, *cells]
    layout = data.replace("<table", "<table role=presentation")
    assert lines(f"{MENU * 3}<div>{layout}{ARTICLE}{layout}</div>") == LINES


@pytest.mark.parametrize(
    "noise",
    [
        "<div style='font-size: 10px'><p>{}</p></div>",
        "<p style='color: #888888'>{}</p>",
        "<hr><p>{}</p>",
        "<div><img src=a.png>{}</div>",
    ],
)
def test_visual_cues_leave_noise_out_of_an_article_where_they_are_asked_for(noise: str) -> None:
    told = "A sentence that looks like the article, of about the same kind, long enough."
    page = f"<body>{MENU * 3}<div>{ARTICLE * 2}{noise.format(told)}</div>".encode()
    assert extract(page, charset="utf-8", method="visual").splitlines() == LINES * 2
    assert extract(page, charset="utf-8", method="dom").splitlines() == [*LINES * 2, told]


# ---- the core and the reference

SENTENCES = [
    "Some text, ",
    "A longer sentence, of running text, such as articles have. " * 2,
    "été ",
    "x" * 90,
]
TAGS = [
    "article", "aside", "blockquote", "button", "dd", "div", "dl", "dt", "fieldset", "figcaption", "footer",
    "form", "h1", "h2", "header", "li", "main", "nav", "noscript", "ol", "p", "pre", "section", "select",
    "caption", "center", "small", "table", "tbody", "td", "th", "tr", "ul",
]  # fmt: skip
SAID = [
    "", " class=comments", " id='post-content'", ' class="a shareTools b"', " hidden", " role=Search",
    " role=main", " class=hidden", " id=content_body", " style='display : none'", " itemprop=articleBody",
    " class=navy",
    " class='is-hidden wp-caption'", " class=article__body", " class='relatedPosts entry'", " class=sideNav",
    " id=page-content", " class='social embed'", " role=presentation", " style='font-size:9px'",
    " style='color:#999'", " bgcolor=red",
]  # fmt: skip
PIECES = st.one_of(
    st.tuples(st.sampled_from(TAGS), st.sampled_from(SAID)).map("<{0[0]}{0[1]}>".format),
    st.sampled_from(TAGS).map("</{}>".format),
    st.sampled_from(SENTENCES),
    st.sampled_from(SENTENCES).map("<a href=/>{}</a>".format),
    st.sampled_from(["<a href=/ rel=prev>Back</a>", "<br>", "<hr>", "</b>", "<img>"]),
    st.sampled_from(
        ["<table><tr><td>1<td>2<tr><td>3<td>4</table>", "<div><img>" + "A caption. " * 5 + "</div>"]
    ),
)


@hypothesis_settings(max_examples=300)
@given(st.lists(PIECES, max_size=40), st.integers(0, 8), st.booleans())
def test_the_core_finds_what_the_reference_finds(
    pieces: list[str],
    paragraphs: int,
    visual: bool,  # noqa: FBT001 (hypothesis gives it by place)
) -> None:
    body = ("".join(pieces) + ARTICLE[: paragraphs * len(LINES[0])]).encode()
    found = find_main(body, charset="utf-8", visual=visual)
    outline = scan_outline(body, charset="utf-8")
    assert (found.places, found.is_fallback) == find_places(outline, visual=visual)


NAMES = st.lists(
    st.sampled_from([
        *(word.strip("*") for words in WORDS.values() for word in words),
        *(phrase for phrases in PHRASES.values() for phrase in phrases),
        *(first + second for pairs in PAIRS.values() for first, joined in pairs for second in joined.split()),
        "a", "-", "_", " ", "  ", " @small ", "@faded", "Post", "Body", "Nav", "é", "K", "@main", "@",
        HARMLESS, "s",
    ]),
    max_size=6,
).map("".join)  # fmt: skip


@hypothesis_settings(max_examples=500)
@given(NAMES)
def test_the_core_judges_names_as_the_reference_does(names: str) -> None:
    for visual in (False, True):
        assert load_rules(visual=visual).judge(names) == judge_names(names, visual=visual)


def test_the_core_finds_in_real_pages_what_the_reference_finds(test_data: Path) -> None:
    for page in read_labelled(test_data / "content")[::10]:
        for visual in (False, True):
            found = find_main(page.body, charset="utf-8", visual=visual)
            outline = scan_outline(page.body, charset="utf-8")
            assert (found.places, found.is_fallback) == find_places(outline, visual=visual)


@given(st.binary(max_size=300))
def test_places_are_in_order_and_within_the_text(body: bytes) -> None:
    found = find_main(body)
    assert found.places == sorted(found.places)
    assert len(found.places) % 2 == 0
    assert not found.places or found.places[-1] <= len(found.text.encode())


def test_deep_and_wide_pages_take_linear_time() -> None:
    for page in (
        "<div>" * 100_000 + TEXT,
        f"<p>{TEXT}" * 20_000,
        "<li><a href=/ rel=next>x" * 50_000,
        "</div><div class=a>" * 50_000,
        "".join(f"<div class=a{number}>x" for number in range(50_000)),
    ):
        began = time.process_time()
        find_main(page.encode())
        assert time.process_time() - began < 20
