"""The server of the verb `serve`: pages at one port, replay at the next, in one process.

Both run on the hardened base (`webstrata.web.server`) rather than on uvicorn: it checks ``Host``, limits
head, body, time, connections and requests per client, and closes who waits longest when it is full.
"""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

from webstrata.errors import UsageError
from webstrata.serve.http_api.metrics import Metrics
from webstrata.serve.page.app import make_app
from webstrata.serve.page.home import show_home
from webstrata.serve.page.search import show_search
from webstrata.serve.page.site import Site
from webstrata.serve.replay import make_replay_app
from webstrata.web.server import Door, HostNames, HttpHandler, Service, bind
from webstrata.web.server.running import refuse_http
from webstrata.web.settings import ServerSettings

if TYPE_CHECKING:
    import socket
    from collections.abc import Sequence

    from webstrata.api import Collection
    from webstrata.serve.settings import ServeSettings

_TRIES = 20


class PageServer(Service):
    """Serves the pages of collections at `url`, and their captures at `replay_url`; it listens at once.

    Examples
    --------
    >>> import urllib.request
    >>> from webstrata import testing
    >>> from webstrata.serve.settings import ServeSettings
    >>> with PageServer([testing.collection()], ServeSettings(port=0)) as server:
    ...     with urllib.request.urlopen(f"{server.url}/home.json") as response:
    ...         response.status, response.headers["content-type"]
    (200, 'application/json')
    """

    def __init__(
        self,
        collections: Sequence[Collection],
        settings: ServeSettings,
        limits: ServerSettings | None = None,
    ) -> None:
        limits = limits or ServerSettings()
        named = name_collections(collections)
        pages, replay = _listen(settings.host, settings.port)
        try:
            self.port: int = pages.getsockname()[1]
            self.replay_port: int = replay.getsockname()[1]
            host = f"[{settings.host}]" if ":" in settings.host else settings.host
            self.url = f"http://{host}:{self.port}"
            self.replay_url = f"http://{host}:{self.replay_port}"
            sites = {
                name: Site(one, name, base=f"/{name}" if len(named) > 1 else "", models=settings.model)
                for name, one in named.items()
            }
            names = HostNames((*limits.allowed_hosts, settings.host))
            metrics = Metrics()
            first = make_app(sites, settings, self.replay_port, metrics=metrics)
            second = metrics.wrap(make_replay_app(named, settings), "replay")
            doors = [
                Door(pages, HttpHandler(first, limits, names, problems=True), refuse_http()),
                Door(replay, HttpHandler(second, limits, names), refuse_http()),
            ]
        except BaseException:
            pages.close()
            replay.close()
            raise
        self._sites = list(sites.values())
        super().__init__(doors, limits, name="webstrata pages")

    def run(self, seconds: float | None = None, *, warm: bool = False) -> None:
        """Serve until Ctrl-C, SIGTERM, `close`, or for some seconds.

        With `warm`, a thread opens what the first pages need, so that the first visitor does not wait for it.
        """
        if warm:
            threading.Thread(target=self._warm, name="webstrata warm-up", daemon=True).start()
        super().run(seconds)

    def _warm(self) -> None:
        for site in self._sites:
            for show in (show_home, show_search):
                if self._is_stopped.is_set():
                    return
                with contextlib.suppress(Exception):  # the request that needs it tells what is wrong
                    show(site)


def name_collections(collections: Sequence[Collection]) -> dict[str, Collection]:
    """Collections by the names of their folders; a second one of the same name gets a number.

    Examples
    --------
    >>> from webstrata import testing
    >>> list(name_collections([testing.empty("uk"), testing.empty("uk")]))
    ['uk', 'uk-2']
    """
    found: dict[str, Collection] = {}
    for one in collections:
        base = one.path.resolve().name or "collection"
        name, number = base, 1
        while name in found:
            number += 1
            name = f"{base}-{number}"
        found[name] = one
    return found


def _listen(host: str, port: int) -> tuple[socket.socket, socket.socket]:
    """Two listening sockets with neighbouring ports; any two where `port` is 0."""
    for _ in range(_TRIES):
        pages = bind(host, port)
        try:
            return pages, bind(host, pages.getsockname()[1] + 1)
        except UsageError:
            pages.close()
            if port:
                raise
    raise UsageError(f"{host}: no two free ports next to each other; name one with --port")
