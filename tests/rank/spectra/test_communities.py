"""Hosts and words of where an eigenvector lives."""

from __future__ import annotations

from webstrata.rank.spectra.communities import Community, describe_community


def test_words_that_all_urls_have_tell_nothing() -> None:
    names = [
        f"http://site.example/page/{'garden' if node % 10 == 0 else 'other'}/{node}" for node in range(5000)
    ]
    found = describe_community(names, [0, 10, 20], [0.5, 0.25, 0.25])
    assert found.hosts == (("site.example", 1.0),)
    assert found.words[0] == ("garden", 1.0)
    assert "page" not in [word for word, _ in found.words]


def test_nodes_without_a_name_count_for_nothing() -> None:
    assert describe_community(["http://a.example/"], [5, 6], [0.5, 0.5]) == Community((), ())
    assert describe_community(["a.example"], [0, 6], [0.5, 0.5]).hosts == (("a.example", 1.0),)
    assert describe_community(["http://[x/"], [0], [1.0]).hosts == (("http://[x/", 1.0),)


def test_nodes_on_which_the_eigenvector_is_zero_contribute_nothing() -> None:
    names = ["http://a.example/rose", "http://b.example/lily", "http://c.example/oak"]
    found = describe_community(names, [0, 1, 2], [1.0, 0.0, 5e-324])
    assert found.hosts == (("a.example", 1.0),)
    assert [word for word, _ in found.words] == ["rose"]
    assert describe_community(names, [1], [0.0]) == Community((), ())
