"""What a few pages say: the features of pages, means and variances, hashed words, linked hosts."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from webstrata.classify.features.pages import NAMES, PageMeter
from webstrata.classify.features.word_lists import WordLists
from webstrata.classify.gate.samples import (
    BUCKETS,
    COMPRESSION,
    FEATURES,
    MAX_TEXT,
    PAGE_FEATURES,
    host_name,
    measure_pages,
    measure_site,
)
from webstrata.web.html import Kind, scan
from webstrata.web.words import load_core, words

PAGE = b"""<title>Cheap tickets</title><body><p>Cheap tickets to the sea, cheap tickets to the sea.
<a href="http://www.b.org/x">more tickets</a> <a href="/own">own</a> <a href="mailto:x@y.org">mail</a>"""


def test_a_page_has_the_features_of_set_a() -> None:
    import pyarrow as pa

    [page] = measure_pages([("http://a.org/", PAGE)])
    text = "Cheap tickets to the sea, cheap tickets to the sea. more tickets own mail"
    [expected] = PageMeter(WordLists(), compression=COMPRESSION).measure(
        pa.array(["Cheap tickets"]), pa.array([text]), anchor_words=4, html_bytes=len(PAGE)
    )
    for name, value in zip(PAGE_FEATURES, page.features, strict=True):
        assert value == expected[NAMES.index(name)], name
    assert page.hosts == {"b.org"}
    # the same word, the same bucket
    assert page.buckets[0] == page.buckets[5]
    assert len(page.buckets) == 14


PIECES = st.sampled_from(
    [
        b"<p>", b"Cheap tickets ", b"caf\xe9 ", "straße ".encode(), b"<a href=/own>",
        b"<a href=//www.b.org:80/x>",
        b"<a href='http://c.org:8080/?a'>", b"</a>", b"<title>", b"</title>", b"<base href=http://d.org/e/>",
        b"<area href=//f.org/>", b"<img src=//g.org/>", b"<a href=mailto:a@h.org>", b"<script>", b"</script>",
        b"<a href='http://[bad'>", b"<a href=..>", b"<meta charset=utf-8>", b"\xff\xfe", b"<!--", b"-->",
    ]
)  # fmt: skip


@given(st.lists(st.lists(PIECES, max_size=12).map(b"".join), min_size=1, max_size=4))
def test_pages_are_seen_as_the_scanner_reads_them(bodies: list[bytes]) -> None:
    import pyarrow as pa

    pages = [(f"http://www.a.org/b/{place}", body) for place, body in enumerate(bodies)]
    for (url, body), seen in zip(pages, measure_pages(pages), strict=True):
        page = scan(body, url=url, anchors=True, text=True)
        anchors = [link for link in page.links if link.kind is Kind.ANCHOR]
        [expected] = PageMeter(WordLists(), compression=COMPRESSION).measure(
            pa.array([page.title]),
            pa.array([page.text]),
            anchor_words=len(words(" ".join(link.anchor for link in anchors))),
            html_bytes=len(body) or np.nan,
        )
        columns = [NAMES.index(name) for name in PAGE_FEATURES]
        assert np.array_equal(seen.features, expected[columns], equal_nan=True)
        assert seen.hosts == {host_name(link.url) for link in anchors if link.url} - {"a.org"}
        assert seen.buckets.tolist() == [int(hash_) % BUCKETS for hash_ in load_core().hashes(page.text)]


def test_only_how_far_a_page_compresses_depends_on_the_level() -> None:
    body = b"<p>" + b" ".join(
        b"%d cheap tickets to the sea" % (number * number % 97) for number in range(200)
    )
    [quick], [thorough] = (measure_pages([("http://a.org/", body)], compression=level) for level in (1, 6))
    differ = quick.features != thorough.features
    assert [name for name, one in zip(PAGE_FEATURES, differ, strict=True) if one] == ["compression"]
    place = PAGE_FEATURES.index("compression")
    assert 2 < quick.features[place] < thorough.features[place]
    assert (quick.buckets == thorough.buckets).all()


def test_of_a_long_text_only_the_beginning_counts() -> None:
    [page] = measure_pages([("http://a.org/", "é ".encode() * MAX_TEXT)])
    assert page.features[0] == MAX_TEXT / 2


def test_a_host_has_first_page_mean_variance_and_all_words() -> None:
    pages = measure_pages([("http://a.org/", PAGE), ("http://a.org/2", b"<p>one two three")])
    site = measure_site("a.org", pages)
    values = dict(zip(FEATURES, site.features, strict=True))
    assert (values["words_first"], values["words_mean"], values["words_variance"]) == (14, 8.5, 5.5**2)
    assert (values["pages"], site.num_pages, site.counts.sum()) == (2, 2, 17)
    assert site.counts.shape == (BUCKETS,)


@given(st.lists(st.binary(max_size=200), max_size=3))
def test_no_bytes_are_too_odd(bodies: list[bytes]) -> None:
    site = measure_site("a.org", measure_pages([("http://a.org/", body) for body in bodies]))
    assert site.features.shape == (len(FEATURES),)
    assert not np.isinf(site.features).any()
    assert site.num_pages == len(bodies)


def test_names_of_hosts_have_no_port_and_no_www() -> None:
    assert host_name("https://www.example.org:8443/a?b") == "example.org"
    assert host_name("http://www.uk/") == "www.uk"
