"""Row keys put hosts and domains together, and ports and schemes behind everything else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from webstrata.web.row_key import row_key, row_keys
from webstrata.web.url import normalize_many

LABEL = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,6}[a-z0-9])?", fullmatch=True)
PATH = st.from_regex(r"/[a-zA-Z0-9._~!$&'()*+,;=:@%/-]{0,12}", fullmatch=True)
URL = st.builds(
    lambda scheme, labels, port, path: f"{scheme}://{'.'.join(labels)}{port}{path}",
    st.sampled_from(["http", "https"]),
    st.lists(LABEL, min_size=1, max_size=4),
    st.sampled_from(["", ":8080"]),
    PATH,
)


@given(st.lists(URL, min_size=2, max_size=30))
def test_the_pages_of_a_host_are_neighbours(urls: list[str]) -> None:
    hosts = [url.split("/")[2].split(":")[0] for url in sorted(urls, key=row_key)]
    changes = [host for place, host in enumerate(hosts) if place == 0 or hosts[place - 1] != host]
    assert len(changes) == len(set(hosts))


@given(st.lists(st.lists(LABEL, min_size=2, max_size=4), min_size=2, max_size=30))
def test_the_hosts_of_a_domain_are_neighbours_even_with_hyphens(names: list[list[str]]) -> None:
    ordered = sorted(names, key=lambda labels: row_key(f"http://{'.'.join(labels)}/"))
    domains = [tuple(labels[-2:]) for labels in ordered]
    changes = [domain for place, domain in enumerate(domains) if place == 0 or domains[place - 1] != domain]
    assert len(changes) == len(set(domains))


@given(st.lists(URL, unique=True, max_size=30))
def test_different_urls_have_different_keys(urls: list[str]) -> None:
    assert len({row_key(url) for url in urls}) == len(urls)


def test_a_default_port_is_not_written() -> None:
    assert row_key("http://example.org:80/a") == row_key("http://example.org/a")
    assert row_key("https://example.org:443/a") == "org,example)/a https"


# references of a page, odd ones among them; what has a normal form has a key
ODD_URL = st.builds(
    lambda host, port, target: f"http://{host}{port}/{target}",
    st.sampled_from(["a.b", "b.a", "a-b", "a_b.c.", "1.2.3.4", "[::1]", "[1::ffff:1.2.3.4]", "é.fr", "a..b"]),
    st.sampled_from(["", ":80", ":443", ":0", ":81"]),
    st.text(max_size=8) | st.sampled_from(["?", "a?", "a??", " 81", ") https", "a,b)"]),
)


@given(st.lists(URL | ODD_URL | ODD_URL.map(lambda url: url.replace("http", "https", 1)), max_size=20))
def test_the_core_makes_the_same_keys_and_no_two_urls_share_one(references: list[str]) -> None:
    urls = [url for url in normalize_many(references)[0] if url is not None]
    keys = row_keys(urls)
    assert keys == [row_key(url) for url in urls]
    assert len(set(keys)) == len(set(urls))


def test_an_empty_query_is_not_none() -> None:
    assert row_key("http://example.org/?") == "org,example)/?"
