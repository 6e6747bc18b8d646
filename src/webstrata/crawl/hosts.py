"""The hosts table: names whose addresses are known without asking anybody.

A line has an address and the names that live there, as in ``/etc/hosts``; ``#`` begins a comment. Beyond
that, an address may have a port (``127.0.0.1:8080``, ``[::1]:8080``), which is asked in place of the one in
the URL: so a web that listens elsewhere is crawled under its own names.
"""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING

from webstrata.collection.files import explained
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Hosts = dict[str, tuple[str, int | None]]
"""Names with address and port, none for the one of the URL."""


def read_hosts_table(path: Path) -> Hosts:
    r"""The names of a hosts table; the first line that has a name counts.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "hosts"
    >>> _ = path.write_text("127.0.0.1:8080 a.example b.example # two\n::1 c.example\n")
    >>> read_hosts_table(path)
    {'a.example': ('127.0.0.1', 8080), 'b.example': ('127.0.0.1', 8080), 'c.example': ('::1', None)}
    """
    with explained(path, "read"):
        lines = path.read_text().splitlines()
    hosts: Hosts = {}
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        place = parse_address(words[0])
        if place is None or len(words) < 2:
            raise FormatError(
                f"{path}, line {number}: an address and names were expected, not {line.strip()!r}; "
                "write it as 127.0.0.1 www.example.org"
            )
        for name in words[1:]:
            hosts.setdefault(name.lower(), place)
    return hosts


def parse_address(text: str) -> tuple[str, int | None] | None:
    """Address and port of a text, or None if it is neither.

    Examples
    --------
    >>> parse_address("127.0.0.1:80"), parse_address("[::1]:80"), parse_address("::1"), parse_address("a")
    (('127.0.0.1', 80), ('::1', 80), ('::1', None), None)
    """
    match = re.fullmatch(r"(?:\[(?P<six>[^]]+)\]|(?P<four>[\d.]+)):(?P<port>\d{1,5})", text)
    address = (match["six"] or match["four"]) if match else text.strip("[]")
    port = int(match["port"]) if match else None
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return None
    return (str(ip), port) if port is None or 0 < port < 65536 else None


def check_hosts(hosts: Mapping[str, tuple[str, int | None]]) -> None:
    """Refuse names whose place is not an address and a port.

    Examples
    --------
    >>> check_hosts({"a.example": ("127.0.0.1", 8080)})
    >>> check_hosts({"a.example": ("127.0.0.1", 0)})
    Traceback (most recent call last):
    ValueError: hosts: expected an address and a port for a.example, got ('127.0.0.1', 0)
    """
    for name, place in hosts.items():
        if parse_address(str(place[0])) is None or not (place[1] is None or 0 < place[1] < 65536):
            raise ValueError(f"hosts: expected an address and a port for {name}, got {place!r}")
