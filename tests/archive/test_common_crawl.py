"""Columns made of URLs, against what the standard library and the lists say of each."""

from __future__ import annotations

from urllib.parse import urlsplit

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from webstrata.archive.cdxj import surt
from webstrata.archive.common_crawl import URL_SCHEMA, url_columns
from webstrata.errors import UrlError
from webstrata.web.host import registered_domain, registry_domain
from webstrata.web.url import normalize

HOSTS = ["a.uk", "www.b.co.uk", "alice.github.io", "com", "192.0.2.1", "[2001:db8::1]", "x.nonsense", "é.fr"]


def describe(*urls: str) -> list[dict[str, object]]:
    table = url_columns(pa.chunked_array([list(urls)], pa.string()))
    assert table.schema == URL_SCHEMA
    return list(table.to_pylist())


@given(
    st.lists(
        st.builds(
            "{}://{}{}/{}".format,
            st.sampled_from(["http", "https"]),
            st.sampled_from(HOSTS),
            st.sampled_from(["", ":81", ":443", ":80"]),
            st.text("ab/?&=:é%[]", max_size=8),
        )
    )
)
def test_every_column_is_what_the_url_says(urls: list[str]) -> None:
    good = []
    for url in urls:
        try:
            good.append(normalize(url))
        except UrlError:
            continue
    for url, row in zip(good, describe(*good), strict=True):
        parts = urlsplit(url)
        host = str(row["url_host_name"])
        assert (row["url"], row["url_surtkey"], row["url_protocol"]) == (url, surt(url), parts.scheme)
        assert (host.strip("[]"), row["url_port"], row["url_path"]) == (
            parts.hostname,
            parts.port,
            parts.path,
        )
        assert row["url_query"] == (parts.query if "?" in url else None)
        assert row["url_host_registered_domain"] == registry_domain(host)
        assert row["url_host_private_domain"] == registered_domain(host)


def test_addresses_have_no_domain() -> None:
    for row in describe("http://192.0.2.1/", "http://[2001:db8::1]:8080/"):
        assert (
            row["url_host_tld"] is row["url_host_registered_domain"] is row["url_host_private_domain"] is None
        )
        assert row["url_host_name_reversed"] == row["url_host_name"]
    assert describe("http://www.b.co.uk/")[0]["url_host_name_reversed"] == "uk.co.b.www"
    row = describe("http://a.b.www.c.co.uk/")[0]
    labels = [row[f"url_host_{place}_last_part"] for place in ("2nd", "3rd", "4th", "5th")]
    assert labels == ["co", "c", "www", "b"]
    assert (row["url_host_registry_suffix"], row["url_host_private_suffix"]) == ("co.uk", "co.uk")
    row = describe("http://alice.github.io/")[0]
    assert (row["url_host_registry_suffix"], row["url_host_private_suffix"]) == ("io", "github.io")
    assert describe() == []
