"""Row keys put hosts and domains together, and ports and schemes behind everything else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from webstrata.web.row_key import row_key

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
