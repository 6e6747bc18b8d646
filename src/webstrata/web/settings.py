"""Settings of every HTTP server of the package."""

from __future__ import annotations

from dataclasses import dataclass

from webstrata.collection.settings import Settings, not_negative, positive, setting


@dataclass(frozen=True, kw_only=True)
class ServerSettings(Settings):
    """What clients of a server may use: connections, requests, bytes and time."""

    allowed_hosts: tuple[str, ...] = setting(
        (),
        "Host names accepted in the header Host, besides localhost, IP addresses and the name given as "
        "--host; * accepts every name.",
    )
    max_connections: int = setting(
        512, "Open connections of all clients; fewer if the descriptor limit requires it.", check=positive
    )
    max_connections_per_client: int = setting(
        64, "Open connections per client, which is an IPv4 address or an IPv6 /64.", check=positive
    )
    request_rate: float = setting(
        20.0,
        "Requests per second and client; 0 for no limit. Clients on loopback are not limited.",
        check=not_negative,
    )
    request_burst: int = setting(
        100, "Requests a client may send at once before the rate applies.", check=positive
    )
    max_head: int = setting(
        16 << 10, "Upper limit for the request line and header fields.", unit="bytes", check=positive
    )
    max_body: int = setting(
        1 << 20, "Upper limit for the body of a request.", unit="bytes", check=not_negative
    )
    head_time: float = setting(
        10.0, "Time a client has to send the head of a request.", unit="seconds", check=positive
    )
    body_time: float = setting(
        30.0, "Time a client has to send the body of a request.", unit="seconds", check=positive
    )
    idle_time: float = setting(
        15.0, "Time a connection may wait between two requests.", unit="seconds", check=positive
    )
    query_time: float = setting(
        10.0,
        "Time until a response begins; after it the client gets status 503.",
        unit="seconds",
        check=positive,
    )
    send_time: float = setting(
        30.0, "Time a client has to read the next 64 KiB of a response.", unit="seconds", check=positive
    )
    grace_time: float = setting(
        5.0, "Time for responses in progress when the server stops.", unit="seconds", check=not_negative
    )
