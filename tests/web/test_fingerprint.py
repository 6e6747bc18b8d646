"""Fingerprints and shapes: what keeps them, what changes them, and duplicates of the in-vitro web."""

from __future__ import annotations

import re
from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.invitro import Web
from webstrata.web.fingerprint import LEAST_TEXT, fingerprint, shape

FILLER = "<p>" + "more words " * 30 + "</p>"
"""Enough text for a fingerprint."""

# pages as (kind, content): well-formed, so that a regular expression can say what is hashed
WORDS = st.sampled_from(["a", "b", "word", "é", "&amp;", "&#228;", "&#229;", ".", "-"])
PIECES = st.one_of(
    st.tuples(st.just("text"), WORDS),
    st.tuples(st.just("blank"), st.sampled_from([" ", "\n", "7", " 12 ", "2026"])),
    st.tuples(st.just("tag"), st.sampled_from(["p", "P", "/p", "div", "br", "a", "/a"])),
    st.tuples(st.just("attribute"), st.sampled_from(["href=x", "class='y z'", "src=q"])),
    st.tuples(st.just("dropped"), st.sampled_from(["<!-- c -->", "<!--d-->", "<!doctype html>", "<?e?>"])),
    st.tuples(st.just("frame"), st.sampled_from(["f", "g"])),
)


def make_page(pieces: list[tuple[str, str]]) -> bytes:
    forms = {
        "text": "{}",
        "blank": "{}",
        "dropped": "{}",
        "tag": "<{}>",
        "attribute": "<i {}>",
        "frame": "<frame src={}>",
    }
    return "".join(forms[kind].format(content) for kind, content in pieces).encode()


def hashed_text(page: bytes) -> str:
    """What the fingerprint is made from, in plain Python; tags end with ``>`` here."""
    text = re.sub(r"<!.*?>|<\?.*?>", "", page.decode())
    text = re.sub(r"<frame src=(.*?)>", "<FRAME-\\1>", text)
    text = re.sub(r"<(?!FRAME)(/?[a-zA-Z]+).*?>", lambda found: f"<{found[1].lower()}>", text)
    return re.sub(r"\s*(<.*?>)\s*", r"\1", re.sub(r"\s+", " ", text)).strip(" ")


def shape_text(page: bytes) -> str:
    """What the shape is made from: the same with a blank for each run of digits."""
    kept = re.compile(r"(<.*?>|&#\d+)|[0-9 ]*[0-9][0-9 ]*")
    text = kept.sub(lambda found: found[1] or " ", hashed_text(page))
    return re.sub(r" ?(<.*?>) ?", r"\1", text).strip(" ")


@given(st.lists(PIECES, max_size=8), st.lists(PIECES, max_size=8))
def test_pages_share_a_hash_if_and_only_if_the_same_text_is_hashed(
    one: list[tuple[str, str]], other: list[tuple[str, str]]
) -> None:
    for second in (
        other,
        one + other,
        other + one,
        [(kind, "b" if kind == "text" else x) for kind, x in one],
        [(kind, "31" if kind == "blank" else x) for kind, x in one],
    ):
        pages = make_page(one) + FILLER.encode(), make_page(second) + FILLER.encode()
        is_same = hashed_text(pages[0]) == hashed_text(pages[1])
        assert (fingerprint(pages[0]) == fingerprint(pages[1])) == is_same, pages
        is_alike = shape_text(pages[0]) == shape_text(pages[1])
        assert (shape(pages[0]) == shape(pages[1])) == is_alike, pages


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("<a href=/b?sid=1a>b</a>", "<a href=/b?sid=2c class=x>b</a>", True),
        ("<div>a b</div>", "<DIV>\n  a\n  b\n</DIV>\n<!-- 0.3 s -->", True),
        ("<script>a()</script><style>b{}</style>c", "<script>d()</script><style></style>c", True),
        ("<script type=module>a()</script>", "<script type=module>b()</script>", True),
        (
            "<script type='7f-text/javascript'>a</script>",
            "<script type='9e-text/javascript'>b</script>",
            True,
        ),
        ("<script type=application/ld+json>1</script>", "<script type=application/ld+json>2</script>", True),
        ("<svg><style>a</style></svg>", "<svg><style>b</style></svg>", True),
        ("<p>one</p>", "<p>two</p>", False),
        ("<p>ab</p>", "<p>a b</p>", False),
        ("<p>a</p>", "<p>A</p>", False),
        ("<p>a</p>", "<h1>a</h1>", False),
        ("<h1>a</h1>", "<h2>a</h2>", False),
        ("<p>a</p>", "<p>a", False),
        ("<frame src=a1>", "<frame src=a2>", False),
        ("<p>&#28450;", "<p>&#28451;", False),
        ("<p>&#x28;", "<p>&#x29;", False),
        ("<title>a</title>", "<title>b</title>", False),
        ("<script type=text/template><p>a</script>", "<script type=text/template><p>b</script>", False),
        ("<script type=text/x-handlebars>a</script>", "<script type=text/x-handlebars>b</script>", False),
        ("<script type='math/tex'>a</script>", "<script type='math/tex'>b</script>", False),
        ("<template>a</template>", "<template>b</template>", False),
        ("<noscript>a</noscript>", "<noscript>b</noscript>", False),
    ],
)
def test_what_is_volatile_keeps_both_hashes_and_words_and_tags_change_them(
    one: str, other: str, *, is_same: bool
) -> None:
    pages = [(text + FILLER).encode() for text in (one, other)]
    assert (fingerprint(pages[0]) == fingerprint(pages[1])) == is_same
    assert (shape(pages[0]) == shape(pages[1])) == is_same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("<p>Visitor 9, 2026-01-02", "<p>Visitor 10345, 2025-12-31"),
        ("<h1>MSVC10</h1>", "<h1>MSVC12</h1>"),
        ("<title>Django 2.1</title>", "<title>Django 1.11</title>"),
        ("<script type=text/template>7</script>", "<script type=text/template>8</script>"),
    ],
)
def test_digits_make_another_page_of_the_same_shape(one: str, other: str) -> None:
    pages = [(text + FILLER).encode() for text in (one, other)]
    assert fingerprint(pages[0]) != fingerprint(pages[1])
    assert shape(pages[0]) == shape(pages[1])


def test_a_page_with_little_text_has_no_fingerprint() -> None:
    assert fingerprint(b"<p>This page has <a href=/new>moved</a>.</p>") is None
    text = b"x" * LEAST_TEXT
    for page in (text, b"<h1>" + text[:99] + b"</h1>\n<p>" + text[99:] + b" \n</p>"):
        assert fingerprint(page) is not None
        assert fingerprint(page.replace(b"x", b"", 1)) is None
    # tags, attributes, blanks next to tags, programs and what a frame shows are no text
    assert fingerprint(b"<p title=x> <iframe src=x></iframe><script>x</script> " * 300) is None
    assert shape(b"<p>1</p>") == shape(b"<p>2</p>") != shape(b"<p>a</p>")


def test_the_hashes_are_those_of_the_specification_of_xxh3() -> None:
    # collections keep fingerprints, so the hash must stay
    assert shape(b"<!-- nothing --> 2026 ") == 0x2D06800538D394C2
    assert fingerprint(b"<P>" + b"x" * LEAST_TEXT) == 0x28593FE5DA489BED


def test_utf_16_has_the_fingerprint_of_utf_8() -> None:
    text = "<p>Grüße 17</p>" + FILLER
    assert fingerprint(text.encode()) == fingerprint(text.encode("utf-16"))


@pytest.mark.parametrize("preset", ["tiny", "small"])
def test_planted_duplicates_have_one_shape_and_all_other_pages_their_own(preset: str) -> None:
    web = Web(preset, seed=7)
    graph = web.graph()
    found: dict[int, set[int]] = defaultdict(set)
    for url, page in zip(graph.urls, graph.pages.tolist(), strict=True):
        found[page].add(shape(web.fetch(url).body))
    assert len(found) < graph.num_nodes
    assert len(set(graph.families.tolist())) < len(found)
    assert all(len(shapes) == 1 for shapes in found.values())
    assert len(set.union(*found.values())) == len(found)


def test_planted_duplicates_without_counters_have_one_fingerprint() -> None:
    web = Web("tiny", seed=7, volatile_share=0.0)
    graph = web.graph()
    found: dict[int, set[int | None]] = defaultdict(set)
    for url, page in zip(graph.urls, graph.pages.tolist(), strict=True):
        found[page].add(fingerprint(web.fetch(url).body))
    assert len(found) < graph.num_nodes
    assert all(len(fingerprints) == 1 for fingerprints in found.values())
    assert len(set.union(*found.values())) == len(found)


def test_mirrors_and_soft_404s_are_found() -> None:
    web = Web("hostile", seed=7)
    hosts = web.hosts()
    num_mirrors = num_soft = 0
    for name, mirror in zip(hosts["name"], hosts["mirror"], strict=True):
        answers = [web.fetch(f"http://{host}/") for host in (name, mirror) if host]
        if len(answers) == 2 and all(answer.status == 200 for answer in answers):
            num_mirrors += 1
            assert shape(answers[0].body) == shape(answers[1].body)
        missing = [web.fetch(f"http://{name}/is/{word}") for word in ("not", "there", "at/all?really=1")]
        if all(answer.status == 200 for answer in missing):
            num_soft += 1
            assert len({shape(answer.body) for answer in missing}) == 1
    assert num_mirrors > 10
    assert num_soft > 10
