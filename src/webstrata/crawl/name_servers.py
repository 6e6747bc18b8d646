"""Whether the name servers of a crawl are there, asked before it begins.

Each is sent one question over UDP, for the servers of the root (RFC 1035, type NS, name ``.``); any answer
will do, also a refusal. A crawl whose servers are all silent would find no host, and give up every one.
"""

from __future__ import annotations

import ipaddress
import re
import secrets
import socket
import struct
from pathlib import Path
from typing import TYPE_CHECKING

from webstrata.crawl.hosts import parse_address
from webstrata.errors import UsageError
from webstrata.web.url import split

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

TIMEOUT = 2.0
"""Seconds that an answer may take; a lost question is put once more."""
_SYSTEM = Path("/etc/resolv.conf")


def check_name_servers(servers: Sequence[str], urls: Iterable[str], known: Container[str] = ()) -> None:
    """Raise `UsageError` if no server answers, and the host of a URL is neither known nor an address.

    Parameters
    ----------
    servers
        Addresses, with or without a port; if there are none, those of the system.
    urls
        What the crawl begins with, in normal form.
    known
        Names that nobody is asked for.

    Examples
    --------
    >>> check_name_servers(["127.0.0.1:1"], ["http://192.0.2.1/", "http://a.example/"], {"a.example"})
    >>> check_name_servers(["127.0.0.1:1"], ["http://a.example/"])
    Traceback (most recent call last):
    webstrata.errors.UsageError: name_servers: 127.0.0.1:1 does not answer, so no host would be found; look
    whether the network is up, or give another one with --name-servers
    """
    if all(_is_found(url, known) for url in urls):
        return
    asked = list(servers) or _system_servers()
    if not asked or any(_answers(server) for server in asked):
        return
    verb = "does not answer" if len(asked) == 1 else "do not answer"
    raise UsageError(
        f"name_servers: {', '.join(asked)} {verb}, so no host would be found; look whether the network is "
        "up, or give another one with --name-servers"
    )


def _is_found(url: str, known: Container[str]) -> bool:
    name = re.sub(r":\d+$", "", split(url)[0].partition("://")[2])
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return name in known
    return True


def _system_servers() -> list[str]:
    try:
        lines = _SYSTEM.read_text(errors="replace").splitlines()
    except OSError:
        return []
    words = [line.split() for line in lines if line.startswith("nameserver")]
    # an address of a link has the link's name behind it, and is left to the system
    return [line[1] for line in words if len(line) > 1 and "%" not in line[1] and parse_address(line[1])]


def _answers(server: str) -> bool:
    place = parse_address(server)
    if place is None:
        return False
    number = secrets.token_bytes(2)
    question = number + struct.pack(">HHHHH", 0x0100, 1, 0, 0, 0) + b"\0" + struct.pack(">HH", 2, 1)
    family = socket.AF_INET6 if ":" in place[0] else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as peer:
        peer.settimeout(TIMEOUT)
        for _ in range(2):
            try:
                # connected, so that the system tells of a port at which nobody listens
                peer.connect((place[0], place[1] or 53))
                peer.send(question)
                if peer.recv(4096)[:2] == number:
                    return True
            except OSError:
                continue
    return False
