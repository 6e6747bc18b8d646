"""Main content by the structure of a page."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.store.main_content import reference
from webstrata.store.main_content.dom import choose_blocks, extract_filtered, find_main, read_tree
from webstrata.store.main_content.evaluate import read_labelled
from webstrata.store.main_content.tokens import decode

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "This is paragraph number {} of an article, long enough, with commas, to count as running text."
ARTICLE = "".join(f"<p>{TEXT.format(n)}</p>" for n in range(6))
LINES = [TEXT.format(n) for n in range(6)]


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
def test_noise_is_left_out_wherever_it_stands(noise: str) -> None:
    noise = noise.replace(
        "{}", "Noise that is as long as a paragraph, with commas, and must not be kept at all."
    )
    for page in (
        f"<body>{noise}<div>{ARTICLE}</div>{noise}",
        f"<div>{noise}{ARTICLE}{noise}{ARTICLE}{noise}</div>",
    ):
        found = extract_filtered(page).splitlines()
        assert found == LINES * page.count(ARTICLE)


def test_what_holds_most_of_the_text_is_no_noise_whatever_its_name() -> None:
    page = f"<form class='page-with-sidebar'><div class='share modal'>{ARTICLE}</div></form>"
    assert extract_filtered(page).splitlines() == LINES


def test_comments_are_noise_even_where_they_are_longer_than_the_article() -> None:
    comments = f"<div class=comments>{ARTICLE.replace('paragraph', 'comment') * 3}</div>"
    found = extract_filtered(f"<div class='has-sidebar'>{ARTICLE}</div>{comments}")
    assert found.splitlines() == LINES


def test_an_element_that_says_so_is_the_main_content() -> None:
    other = "<div><p>Another text of the page, which stands beside the article, and is long too.</div>"
    for tag in ("<article>", "<div class=entry-content>", "<div itemprop=articleBody>"):
        end = f"</{tag[1:].split('>')[0].split()[0]}>"
        assert extract_filtered(f"<div>{other}{tag}{ARTICLE}{end}{other}</div>").splitlines() == LINES


def test_headings_between_paragraphs_stay_and_those_around_go() -> None:
    page = f"<div><h1>Title</h1><h2>Lead</h2>{ARTICLE}<h2>Part two</h2>{ARTICLE}<h3>More</h3></div>"
    assert extract_filtered(page).splitlines() == [*LINES, "Part two", *LINES]


def test_unclosed_and_misplaced_tags_do_no_harm() -> None:
    page = "<div><p>" + "<p>".join(LINES) + "</b></section></div></div></body>"
    assert extract_filtered(page).splitlines() == LINES
    cells = "<table><tr><td><p>" + "<tr><td>".join(LINES) + "</table>"
    assert extract_filtered(cells).splitlines() == LINES


def test_a_short_page_is_not_filtered_to_nothing() -> None:
    page = "<div class=widget><p>The only sentence of this page, a little longer than forty characters.</div>"
    assert extract_filtered(page).startswith("The only sentence")


TAGS = "<div> </div> <p> </p> <li> <td> <tr> <a> </a> <nav> </nav> <article> </article> <h1> <br> </html>"
pieces = st.sampled_from([*TAGS.split(), "x" * 50])


ATTRIBUTES = [
    "", " class=comments", " id='post-content'", ' class="a shareTools b"', " hidden", " role=Search",
    " class=hidden", " id=content_body", " style='display : none'", " itemprop=articleBody",
    " class='is-hidden wp-caption'", " aria-hidden=true x=1",
    " class=article__body", " class='relatedPosts entry'", " id=sr-only", " class=sharp-edges", " data-a=b",
]  # fmt: skip
NAMES = [
    "a",
    "article",
    "b",
    "br",
    "div",
    "form",
    "h1",
    "header",
    "hr",
    "li",
    "main",
    "nav",
    "noscript",
    "p",
    "td",
    "title",
    "tr",
]


@given(
    st.lists(
        st.one_of(
            st.tuples(st.sampled_from(NAMES), st.sampled_from(ATTRIBUTES)).map(
                lambda tag: f"<{tag[0]}{tag[1]}>"
            ),
            st.sampled_from(NAMES).map(lambda name: f"</{name}>"),
            st.sampled_from([" some text ", "&amp;", "été", "<!-- x -->", "<", "\u00a0", "<!DOCTYPE html>"]),
        ),
        max_size=20,
    )
)
def test_the_core_reads_the_tree_that_the_tables_mean(pieces: list[str]) -> None:
    page = "".join(pieces)
    found, expected = read_tree(page), reference.read_tree(page)
    assert found.tags == expected.tags
    assert found == expected


def test_the_core_reads_labelled_pages_as_the_reference_does(test_data: Path) -> None:
    for page in read_labelled(test_data / "content")[::10]:
        text = decode(page.body)
        assert read_tree(text).blocks == reference.read_tree(text).blocks


@given(st.lists(pieces))
def test_any_page_has_a_tree_and_no_text_is_invented(tags: list[str]) -> None:
    page = "".join(tags)
    tree = read_tree(page)
    assert all(parent < number for number, parent in enumerate(tree.parents))
    assert sum(block.text.count("x") for block in tree.blocks) == page.count("x")
    blocks = choose_blocks(tree, find_main(tree))
    assert all(block in tree.blocks for block in blocks)
    extract_filtered(page)


def test_deep_and_wide_pages_take_linear_time() -> None:
    for page in (
        "<div>" * 100_000 + TEXT,
        f"<p>{TEXT}" * 20_000,
        "<li><a>" * 50_000,
        "</div><div class=a>" * 50_000,
    ):
        began = time.process_time()
        extract_filtered(page)
        assert time.process_time() - began < 20
