"""What a few pages say: the features of pages, means and variances, hashed words, linked hosts."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from webstrata.classify.pages import NAMES, PageMeter
from webstrata.classify.samples import (
    BUCKETS,
    FEATURES,
    PAGE_FEATURES,
    host_name,
    measure_pages,
    measure_site,
)
from webstrata.classify.word_lists import WordLists

PAGE = b"""<title>Cheap tickets</title><body><p>Cheap tickets to the sea, cheap tickets to the sea.
<a href="http://www.b.org/x">more tickets</a> <a href="/own">own</a> <a href="mailto:x@y.org">mail</a>"""


def test_a_page_has_the_features_of_set_a() -> None:
    import pyarrow as pa

    [page] = measure_pages([("http://a.org/", PAGE)])
    text = "Cheap tickets to the sea, cheap tickets to the sea. more tickets own mail"
    [expected] = PageMeter(WordLists()).measure(
        pa.array(["Cheap tickets"]), pa.array([text]), anchor_words=4, html_bytes=len(PAGE)
    )
    for name, value in zip(PAGE_FEATURES, page.features, strict=True):
        assert value == expected[NAMES.index(name)], name
    assert page.hosts == {"b.org"}
    # the same word, the same bucket
    assert page.buckets[0] == page.buckets[5]
    assert len(page.buckets) == 14


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
