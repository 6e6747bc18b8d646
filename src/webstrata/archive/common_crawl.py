"""Names and types of Common Crawl's columnar index, for columns that mean the same here.

They are those of ``pages.parquet`` and of an export as Parquet, so that a query made for Common
Crawl runs on either. What a URL says of itself is taken apart once for a whole column (`url_columns`).

A registered domain is one by the suffixes of registries (``github.io``), a private domain also by those of
companies (``alice.github.io``), which is what the rest of webstrata calls a domain.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from webstrata._core import archive as core
from webstrata.web.host import registered_domain, registry_domain

TIME = pa.timestamp("ms", "UTC")
"""Of ``fetch_time``; whole seconds, as in the index."""

URL_SCHEMA = pa.schema([
    ("url_surtkey", pa.string()),
    ("url", pa.string()),
    ("url_host_name", pa.string()),
    ("url_host_tld", pa.string()),
    ("url_host_2nd_last_part", pa.string()),
    ("url_host_3rd_last_part", pa.string()),
    ("url_host_4th_last_part", pa.string()),
    ("url_host_5th_last_part", pa.string()),
    ("url_host_registry_suffix", pa.string()),
    ("url_host_registered_domain", pa.string()),
    ("url_host_private_suffix", pa.string()),
    ("url_host_private_domain", pa.string()),
    ("url_host_name_reversed", pa.string()),
    ("url_protocol", pa.string()),
    ("url_port", pa.int32()),
    ("url_path", pa.string()),
    ("url_query", pa.string()),
])  # fmt: skip
"""What is made of the URL alone."""

_URL = r"^(?P<protocol>[^:/?]+)://(?P<host>\[[^\]]*\]|[^/?:]*)(?::(?P<port>\d+))?(?P<path>/[^?]*)?(?P<query>\?.*)?$"


def url_columns(urls: pa.ChunkedArray) -> pa.Table:
    """The columns of `URL_SCHEMA` for normalized URLs.

    Examples
    --------
    >>> table = url_columns(pa.chunked_array([["https://www.example.co.uk:81/a?b", "http://alice.github.io/"]]))
    >>> table.select(["url_surtkey", "url_port", "url_query"]).to_pylist()[0]
    {'url_surtkey': 'uk,co,example:81)/a?b', 'url_port': 81, 'url_query': 'b'}
    >>> table["url_host_registered_domain"].to_pylist(), table["url_host_private_domain"].to_pylist()[1]
    (['example.co.uk', 'github.io'], 'alice.github.io')
    """
    urls = pc.cast(urls, pa.string())
    keys = pa.array(core.surts(urls.to_pylist()), pa.string())
    found = pc.extract_regex(urls, _URL)
    protocol, host, port, path, query = (
        pc.struct_field(found, name) for name in ("protocol", "host", "port", "path", "query")
    )
    return pa.table(
        [
            keys,
            urls,
            host,
            *_describe_hosts(host),
            protocol,
            pc.cast(_or_null(port), pa.int32()),
            path,
            pc.utf8_slice_codeunits(_or_null(query), 1),
        ],
        schema=URL_SCHEMA,
    )


def _or_null(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.if_else(pc.equal(texts, ""), None, texts)


def _describe_hosts(hosts: pa.ChunkedArray) -> list[pa.Array]:
    """The columns from ``url_host_tld`` to ``url_host_name_reversed``, made once for each host."""
    values = pc.unique(hosts)
    places = pc.index_in(hosts, value_set=values)
    names = [str(name) for name in values.to_pylist()]
    is_name = [not name.replace(".", "").isdigit() and "[" not in name for name in names]
    labels = [name.split(".") if good else [] for name, good in zip(names, is_name, strict=True)]
    registry, private = [registry_domain(name) for name in names], [registered_domain(name) for name in names]
    made = (
        *([parts[-place] if len(parts) >= place else None for parts in labels] for place in range(1, 6)),
        _find_suffixes(registry),
        registry,
        _find_suffixes(private),
        private,
        [
            ".".join(reversed(name.split("."))) if good else name
            for name, good in zip(names, is_name, strict=True)
        ],
    )
    return [pa.array(column, pa.string()).take(places.combine_chunks()) for column in made]


def _find_suffixes(domains: list[str | None]) -> list[str | None]:
    """What follows the first label of each domain: the suffix under which it is registered."""
    return [domain.partition(".")[2] or None if domain else None for domain in domains]
