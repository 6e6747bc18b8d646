"""The hardened HTTP server base: ASGI applications and line protocols behind limits.

`running` puts handlers on sockets and stops them in order. `connections` accepts, limits and evicts.
`exchange` speaks HTTP/1.1 (parsed by h11) with an ASGI application. `hosts` checks the header ``Host``,
`rates` limits requests per client, `answers` has the JSON document of every error.

Every limit is a setting of `webstrata.web.settings.ServerSettings`. Only h11 is needed, so a crawl can use
the base without the extra ``serve``.
"""

from webstrata.web.server.answers import Refusal, write_error
from webstrata.web.server.connections import Connection
from webstrata.web.server.exchange import HttpHandler
from webstrata.web.server.hosts import HostNames
from webstrata.web.server.running import Door, Server, Service, bind

__all__ = [
    "Connection",
    "Door",
    "HostNames",
    "HttpHandler",
    "Refusal",
    "Server",
    "Service",
    "bind",
    "write_error",
]
