"""Writes logs as the server does, request by request, in seconds since noon."""

from __future__ import annotations

import functools
import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from webstrata.invitro import Web

if TYPE_CHECKING:
    from pathlib import Path

NOON = 1_782_820_800_000_000


@functools.cache
def tiny() -> Web:
    """The web that the logs are about."""
    return Web("tiny", seed=7)


@functools.cache
def allowed_urls() -> dict[str, list[str]]:
    """Allowed targets of each host that is there, the home page first."""
    targets: dict[str, list[str]] = defaultdict(list)
    for url in tiny().graph().urls:
        host, _, target = url.removeprefix("http://").partition("/")
        targets[host].append(f"/{target}")
    return {host: sorted(found, key=len) for host, found in targets.items() if len(found) > 3}


@functools.cache
def hosts() -> list[tuple[str, str]]:
    """Two hosts of one address, then one of another, each with the address."""
    known = tiny().hosts()
    found = [
        (name, address)
        for name, address in zip(known["name"], known["address"], strict=True)
        if name in allowed_urls()
    ]
    for name, address in found:
        twins = [one for one in found if one[1] == address and one[0] != name]
        others = [one for one in found if one[1] != address]
        if twins and others:
            return [(name, address), twins[0], others[0]]
    raise AssertionError("no two hosts share an address")


class LogWriter:
    """A log in the making."""

    def __init__(self, **header: Any) -> None:  # noqa: ANN401
        self.lines = [f"# webstrata-requests 1 {json.dumps(tiny().header(0) | header)}"]

    def add(
        self,
        begin: float,
        end: float,
        *,
        host: int | str = 0,
        page: int | str = 0,
        connection: int = 0,
        status: int = 200,
        complete: bool = True,
        method: str = "GET",
        ip: str = "",
    ) -> int:
        """Add a request for a page of one of `hosts`, both by number or by name; its line."""
        name, address = hosts()[host] if isinstance(host, int) else (host, "127.0.0.1")
        target = allowed_urls()[name][page] if isinstance(page, int) else page
        times = [str(NOON + round(1e6 * moment)) for moment in (begin, end)]
        fields = [str(connection), ip or address, name, *times, str(status), "512", str(int(complete))]
        self.lines.append("\t".join([*fields, method, target]))
        return len(self.lines)

    def restart(self, moment: float) -> None:
        """Note that the client was started again."""
        self.lines.append(f"# restart {NOON + round(1e6 * moment)}")

    def connect(self, opened: float, closed: float, *, host: int = 0, connection: int = 0) -> int:
        """Note when a connection was open; the line."""
        times = " ".join(str(NOON + round(1e6 * moment)) for moment in (opened, closed))
        self.lines.append(f"# connection {connection} {hosts()[host][1]} {times}")
        return len(self.lines)

    def write(self, path: Path) -> Path:
        """Write the file."""
        path.write_text("\n".join(self.lines) + "\n")
        return path
