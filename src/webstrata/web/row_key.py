"""Row keys: URLs with the host reversed, the one order of everything.

``http://www.example.org/a?b`` becomes ``org,example,www)/a?b``. Behind a blank comes what is not the default,
first the port and then the scheme (``org,example)/ 8080 https``), so that neither splits a host. In the order
of bytes ``)`` < ``,`` < ``-`` < digits < letters: the pages of a host are neighbours, and so are the hosts of
a domain.
"""

from __future__ import annotations

from urllib.parse import urlsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}


def row_key(url: str) -> str:
    """The row key of a normalized URL.

    Examples
    --------
    >>> row_key("http://www.example.co.uk/a/b?c=d")
    'uk,co,example,www)/a/b?c=d'
    >>> row_key("https://example.org:8080/")
    'org,example)/ 8080 https'
    """
    parts = urlsplit(url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    tail = ""
    if parts.port is not None and parts.port != _DEFAULT_PORTS.get(parts.scheme):
        tail += f" {parts.port}"
    if parts.scheme != "http":
        tail += f" {parts.scheme}"
    return ",".join(reversed((parts.hostname or "").split("."))) + ")" + target + tail
