"""Row keys: URLs with the host reversed, the one order of everything.

``http://www.example.org/a?b`` becomes ``org,example,www)/a?b``. Behind a blank comes what is not the default,
first the port and then the scheme (``org,example)/ 8080 https``), so that neither splits a host. In the order
of bytes ``)`` < ``,`` < ``-`` < digits < letters: the pages of a host are neighbours, and so are the hosts of
a domain. An IPv6 address is written without its brackets. Different URLs in normal form (`webstrata.web.url`)
have different keys, since no host holds ``,`` or ``)`` and no path a blank.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata._core import web as core
from webstrata.web.url import split

if TYPE_CHECKING:
    from collections.abc import Iterable

_DEFAULT_PORTS = {"http": "80", "https": "443"}


def row_key(url: str) -> str:
    """The row key of a normalized URL.

    Examples
    --------
    >>> row_key("http://www.example.co.uk/a/b?c=d")
    'uk,co,example,www)/a/b?c=d'
    >>> row_key("https://example.org:8080/")
    'org,example)/ 8080 https'
    """
    origin, target = split(url)
    scheme, _, authority = origin.partition("://")
    host, colon, port = authority.rpartition(":")
    if not colon or port.endswith("]"):  # the colons of an IPv6 address stand within brackets
        host, port = authority, ""
    key = ",".join(reversed(host.strip("[]").split("."))) + ")" + (target or "/")
    if port and port != _DEFAULT_PORTS.get(scheme):
        key += f" {port}"
    return key if scheme == "http" else f"{key} {scheme}"


def row_keys(urls: Iterable[str]) -> list[str]:
    """The row keys of many normalized URLs, by the core.

    Examples
    --------
    >>> row_keys(["http://example.org/", "https://example.org/a"])
    ['org,example)/', 'org,example)/a https']
    """
    return core.row_keys(list(urls))


def from_row_key(key: str) -> str:
    """The normalized URL whose row key this is.

    Examples
    --------
    >>> from_row_key("org,example,www)/a?b 8080 https")
    'https://www.example.org:8080/a?b'
    """
    host, _, rest = key.partition(")")
    target, *words = rest.split(" ")
    scheme = words.pop() if words and not words[-1].isdigit() else "http"
    name = f"[{host}]" if ":" in host else ".".join(reversed(host.split(",")))
    return f"{scheme}://{name}{''.join(f':{port}' for port in words)}{target}"
