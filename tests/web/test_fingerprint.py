"""Fingerprints: what keeps them, what changes them, and the duplicates planted in the in-vitro web."""

from __future__ import annotations

import re
from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.simulate.invitro import Web
from webstrata.web.fingerprint import fingerprint

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
    """What the fingerprint is made from, in plain Python."""
    text = re.sub(r"<!.*?>|<\?.*?>", "", page.decode())
    text = re.sub(r"&#\d+", lambda found: "".join(chr(0x2460 + int(digit)) for digit in found[0][2:]), text)
    text = re.sub(r"<frame src=(.*?)>", "<FRAME-\\1>", text)
    text = re.sub(r"<(?!FRAME)(/?[a-zA-Z]+).*?>", lambda found: f"<{found[1].lower()}>", text)
    return re.sub(r"\s*(<.*?>)\s*", r"\1", re.sub(r"[0-9\s]+", " ", text)).strip(" ")


@given(st.lists(PIECES, max_size=8), st.lists(PIECES, max_size=8))
def test_pages_have_one_fingerprint_if_and_only_if_the_same_text_is_hashed(
    one: list[tuple[str, str]], other: list[tuple[str, str]]
) -> None:
    for second in (
        other,
        one + other,
        other + one,
        [(kind, "b" if kind == "text" else x) for kind, x in one],
    ):
        pages = make_page(one), make_page(second)
        is_same = hashed_text(pages[0]) == hashed_text(pages[1])
        assert (fingerprint(pages[0]) == fingerprint(pages[1])) == is_same, pages


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("<p>Visitor 9, 2026-01-02", "<p>Visitor 10345, 2025-12-31", True),
        ("<a href=/b?sid=1a>b</a>", "<a href=/b?sid=2c class=x>b</a>", True),
        ("<div>a b</div>", "<DIV>\n  a\n  b\n</DIV>\n<!-- 0.3 s -->", True),
        ("<script>a()</script><style>b{}</style>c", "<script>d()</script><style></style>c", True),
        ("<svg><style>a</style></svg>", "<svg><style>b</style></svg>", True),
        ("<p>one</p>", "<p>two</p>", False),
        ("<p>ab</p>", "<p>a b</p>", False),
        ("<p>a</p>", "<p>A</p>", False),
        ("<p>a</p>", "<h1>a</h1>", False),
        ("<p>a</p>", "<p>a", False),
        ("<frame src=a>", "<frame src=b>", False),
        ("<p>&#28450;", "<p>&#28451;", False),
        ("<p>999 hits", "<p>1,000 hits", False),
        ("<title>a</title>", "<title>b</title>", False),
    ],
)
def test_what_is_volatile_keeps_it_and_words_and_tags_change_it(
    one: str, other: str, *, is_same: bool
) -> None:
    assert (fingerprint(one.encode()) == fingerprint(other.encode())) == is_same


def test_an_empty_page_has_the_hash_of_nothing() -> None:
    # as the specification of XXH3 has it: collections keep fingerprints, so the hash must stay
    assert fingerprint(b"<!-- nothing --> 2026 ") == 0x2D06800538D394C2


def test_utf_16_has_the_fingerprint_of_utf_8() -> None:
    text = "<p>Grüße 17</p>"
    assert fingerprint(text.encode()) == fingerprint(text.encode("utf-16"))


@pytest.mark.parametrize("preset", ["tiny", "small"])
def test_planted_duplicates_have_one_fingerprint_and_all_other_pages_their_own(preset: str) -> None:
    web = Web(preset, seed=7)
    graph = web.graph()
    found: dict[int, set[int]] = defaultdict(set)
    for url, page in zip(graph.urls, graph.pages.tolist(), strict=True):
        found[page].add(fingerprint(web.fetch(url).body))
    assert len(found) < graph.num_nodes
    assert len(set(graph.families.tolist())) < len(found)
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
            assert fingerprint(answers[0].body) == fingerprint(answers[1].body)
        missing = [web.fetch(f"http://{name}/is/{word}") for word in ("not", "there", "at/all?really=1")]
        if all(answer.status == 200 for answer in missing):
            num_soft += 1
            assert len({fingerprint(answer.body) for answer in missing}) == 1
    assert num_mirrors > 10
    assert num_soft > 10
