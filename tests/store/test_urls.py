"""From node to URL and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.store.urls import Urls, write_urls
from webstrata.web.row_key import from_row_key, row_key

if TYPE_CHECKING:
    from pathlib import Path

hosts = st.sampled_from(["a.org", "b.a.org", "a-b.org", "x.org:81", "[::1]", "[::1]:8080", "127.0.0.1"])
some_urls = st.builds(
    "{}://{}/{}".format,
    st.sampled_from(["http", "https"]),
    hosts,
    st.sampled_from(["", "a", "a/b?c=d", "(x)"]),
)


def open_urls(folder: Path, urls: list[str], others: dict[str, int | None] | None = None) -> Urls:
    rows = sorted((row_key(url), node) for url, node in (others or {}).items())
    table = pa.table({
        "row_key": pa.array([key for key, _ in rows], pa.string()),
        "node": pa.array([node for _, node in rows], pa.uint32()),
    })  # fmt: skip
    write_urls(folder, pa.array(sorted(map(row_key, urls)), pa.string()), table)
    return Urls(folder)


@given(url=some_urls)
def test_a_row_key_goes_back_to_its_url(url: str) -> None:
    assert from_row_key(row_key(url)) == url


@given(urls=st.sets(some_urls), others=st.dictionaries(some_urls, st.none() | st.integers(0, 9)))
def test_each_url_finds_its_node(tmp_path: Path, urls: set[str], others: dict[str, int | None]) -> None:
    others = {url: node for url, node in others.items() if url not in urls}
    found = open_urls(tmp_path, list(urls), others)
    order = sorted(urls, key=row_key)
    assert list(found) == order
    assert list(found.row_keys) == [row_key(url) for url in order]
    asked = [*order, *others, "http://nowhere.org/"]
    expected = [*range(len(order)), *others.values(), None]
    assert [found.get(url) for url in asked] == expected
    assert found.nodes(asked).to_pylist() == expected
    assert found[1:] == order[1:]


@given(urls=st.sets(some_urls))
def test_hosts_domains_and_folders_are_ranges(tmp_path: Path, urls: set[str]) -> None:
    found = open_urls(tmp_path, list(urls))

    def nodes(*beginnings: str) -> list[int]:
        return [node for node, key in enumerate(found.row_keys) if key.startswith(beginnings)]

    assert list(found.host("a.org")) == nodes("org,a)")
    assert list(found.host("a.org", "/a")) == nodes("org,a)/a")
    assert list(found.domain("a.org")) == nodes("org,a)", "org,a,")
    assert list(found.prefix("org")) == nodes("org")
    assert list(found.prefix("")) == list(range(len(urls)))


def test_what_is_no_url_has_no_node_and_what_is_no_node_no_url(tmp_path: Path) -> None:
    found = open_urls(tmp_path, ["http://a/"])
    assert found.get("mailto:me") is None
    assert found.get("HTTP://A:80#x") == 0
    for node in (-2, 1):
        with pytest.raises(IndexError):
            found[node]


def test_none_at_all_can_be_opened(tmp_path: Path) -> None:
    found = open_urls(tmp_path, [])
    assert len(found) == 0
    assert found.get("http://a/") is None
    assert found.host("a") == range(0)


def test_urls_that_differ_in_parameters_without_meaning_stand_for_one_node(tmp_path: Path) -> None:
    others = pa.table({"row_key": ["org,a)/3?sid=7"], "node": pa.array([1], pa.uint32())})
    keys = ["org,a)/1", "org,a)/2?sid=5&x=1", "org,b)/1"]
    write_urls(tmp_path, pa.array(keys), others, {"http://a.org": ["sid"]})
    urls = Urls(tmp_path)
    stands = {
        "http://a.org/1?sid=1": 0,
        "http://a.org/2?x=1": 1,
        "http://a.org/2?x=1&sid=9": 1,
        "http://a.org/3?sid=8": 1,
        "http://a.org/2?x=2&sid=9": None,
        "http://b.org/1?sid=1": None,
        "http://b.org/1": 2,
    }
    assert {url: urls.get(url) for url in stands} == stands
    assert urls.nodes(stands).to_pylist() == list(stands.values())


forms = st.builds(
    "{}://a.org/{}".format, st.sampled_from(["http", "https"]), st.sampled_from(["a", "a/", "a.html", "b?c"])
)


@given(urls=st.sets(forms), others=st.dictionaries(forms, st.none() | st.just(0)), asked=forms)
def test_a_url_that_was_not_captured_stands_for_one_that_differs_in_scheme_or_end_of_path(
    tmp_path: Path, urls: set[str], others: dict[str, int | None], asked: str
) -> None:
    urls = {"http://z.org/", *urls}
    others = {url: node for url, node in others.items() if url not in urls}
    found = open_urls(tmp_path, list(urls), others)
    order = sorted(urls, key=row_key)
    expected, reason = None, None
    scheme, _, rest = asked.partition("://")
    twin = {"http": "https", "https": "http"}[scheme]
    ends = ["/", ".html"] if rest[-1] != "/" and "?" not in rest else []
    tried = [(asked, ""), (f"{twin}://{rest}", "scheme")]
    tried += [(f"{name}://{rest}{end}", "path") for end in ends for name in (scheme, twin)]
    for url, why in tried:
        if url in urls:
            expected, reason = order.index(url), why
            break
        if url in others:
            expected, reason = others[url], why or "redirect"
            break
    assert found.get(asked) == expected
    assert found.nodes([asked]).to_pylist() == [expected]
    keys = pa.array([row_key(asked)], pa.large_string())
    assert found.find(keys).tolist() == [-1 if expected is None else expected]
    answer = found.look_up(asked)
    assert (answer and (answer.node, answer.reason)) == (None if expected is None else (expected, reason))
