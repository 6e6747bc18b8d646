"""The header ``Host``: whom a request was meant for.

A page of a stranger can let its own host name resolve to 127.0.0.1 (DNS rebinding) and then read what a
server on this machine sends, since to the browser it is the stranger's origin. Such a request has the
stranger's name in ``Host``. So only names are served that the server is known by; IP addresses are always
served, because a browser that was given an address did not resolve a name.
"""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from webstrata.web.server.answers import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable

_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::[0-9]{0,5})?")


class HostNames:
    """The names that a server accepts in ``Host``; ``*`` accepts every name.

    Examples
    --------
    >>> names = HostNames(["archive.example.org"])
    >>> names.check("archive.example.org:8080"), names.check("[::1]:8080"), names.check("LOCALHOST")
    ('archive.example.org', '::1', 'localhost')
    >>> names.check("attacker.example")
    Traceback (most recent call last):
    webstrata.web.server.answers.Refusal: Host is attacker.example, which is not served here; if it is a name
    of this server, start it with --allowed-hosts attacker.example
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names = {name.lower().rstrip(".") for name in names} | {"localhost"}

    def check(self, text: str) -> str:
        """The host name or address in `text`, or `Refusal` with status 400 or 421."""
        match = _HOST.fullmatch(text)
        if match is None:
            raise Refusal(400, f"Host is {text[:80]!r}, which is not a host name with an optional port")
        name = match[1].strip("[]").lower().rstrip(".")
        if name in self._names or name.endswith(".localhost") or "*" in self._names or _is_address(name):
            return name
        raise Refusal(
            421,
            f"Host is {name[:255]}, which is not served here; if it is a name of this server, start it with "
            f"--allowed-hosts {name[:255]}",
        )


@lru_cache(4096)
def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
