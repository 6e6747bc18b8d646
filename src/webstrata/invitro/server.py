"""A running server of an in-vitro web, of a given graph, or of an archive."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from webstrata.invitro.archive import ArchivedWeb
    from webstrata.invitro.given import GivenGraph
    from webstrata.invitro.web import Web

ADDRESS = "127.0.0.1"


def fitting_settings(web: Web) -> dict[str, Any]:
    """Settings of a crawl that fit an in-vitro web: its delays, and all other times scaled as they are.

    Examples
    --------
    >>> from webstrata.invitro import Web
    >>> fitting_settings(Web("small"))["host_delay"]
    0.01
    """
    scale = web.settings.host_delay / 4
    return {
        "user_agent": "webstrata (in vitro)",
        "host_delay": web.settings.host_delay,
        "ip_delay": web.settings.ip_delay,
        "resolve": False,
        "max_crawl_delay": 10 * web.settings.host_delay,
        "retry_delay": max(60 * scale, 0.01),
        "max_retry_after": 2.0,
    }


class InvitroServer:
    """Serves one month of a web from its creation until `close`; a context manager."""

    def __init__(
        self,
        web: Web,
        month: int,
        *,
        port: int = 0,
        origins: bool = False,
        workers: int = 1,
        log: Path | None = None,
        append_log: bool = False,
        speed: float = 0.0,
        started: float = 0.0,
        given: GivenGraph | None = None,
        archive: ArchivedWeb | None = None,
    ) -> None:
        self.web = web
        self.month = month
        self._archive = archive  # held, so that its file stays
        self._given = archive or given
        more: dict[str, Any] = {"given": True} if self._given else {}
        if speed:
            more |= {"speed": speed, "started": started}
        self._core = web._core.serve(
            month=month,
            address=ADDRESS,
            port=port,
            origins=origins,
            workers=workers,
            log=log,
            log_header=json.dumps(web.header(month) | more),
            append_log=append_log,
            speed=speed,
            started=int(started * 1e6),
            urls=given.urls if given else None,
            rows=given.graph.rows() if given else None,
            archive=(archive.path, archive.captures) if archive else None,
        )
        self.port = self._core.port
        self.authority = self._core.authority
        """The certificate that clients must trust, as PEM, where the web lives under https."""

    @property
    def proxy(self) -> str:
        """The address to give a client as its HTTP proxy."""
        return f"http://{ADDRESS}:{self.port}"

    def addresses(self) -> dict[str, str]:
        """The loopback address of every host that is there, mirrors included."""
        hosts = self.web.hosts(self.month)
        if self._given is not None:
            # its hosts have the addresses of the web's, in their order, again and again
            there = hosts["address"]
            return {name: there[place % len(there)] for place, name in enumerate(self._given.hosts)}
        rows = zip(hosts["name"], hosts["mirror"], hosts["address"], hosts["present"], strict=True)
        return {
            name: address
            for host, mirror, address, there in rows
            for name in (host, mirror)
            if there and name is not None
        }

    def hosts_table(self) -> str:
        """The hosts of the month with addresses and the port, as ``--hosts-table`` of a crawl has them.

        They are a line each; /etc/hosts has the same without ports.
        """
        return "".join(f"{address}:{self.port}\t{name}\n" for name, address in self.addresses().items())

    def counters(self) -> dict[str, int]:
        """Requests, connections, bytes and malformed requests so far."""
        return self._core.counters()

    def mark_restart(self) -> None:
        """Note in the log that the client was started again: what was in flight may be asked for again."""
        self._core.mark_restart()

    def flush_log(self) -> None:
        """Bring the log up to date."""
        self._core.flush_log()

    def close(self) -> None:
        """Stop serving; the log is complete then."""
        self._core.stop()

    def __enter__(self) -> InvitroServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
