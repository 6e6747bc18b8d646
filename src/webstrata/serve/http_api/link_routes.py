"""The connectivity server of every snapshot, below one path: ``/api/links/2026-06/links?url=…``.

An application of `webstrata.serve.http_api.links` is made for a snapshot when it is first asked for, and made
again when a part was built.
"""

from typing import TYPE_CHECKING, Any

from webstrata.serve.http_api.links import make_links_app
from webstrata.web.server.answers import Refusal

if TYPE_CHECKING:
    from webstrata.serve.http_api.metrics import Message, Receive, Send
    from webstrata.serve.page.site import Site


class LinkRoutes:
    """An ASGI application that gives a request to the connectivity server of the snapshot in its path."""

    def __init__(self, site: "Site") -> None:
        self._site = site

    async def __call__(self, scope: "Message", receive: "Receive", send: "Send") -> None:
        """Answer a request."""
        root = scope.get("root_path", "")
        _, _, rest = scope["path"].removeprefix(root).partition("/")
        date, _, _ = rest.partition("/")
        if date not in self._site.dates or "graph" not in self._site.collection[date].parts:
            known = ", ".join(self._site.dates) or "none"
            raise Refusal(404, f"{date[:20]} is not a snapshot with a graph; there are {known}")
        app: Any = self._site.keep(
            ("links", date), lambda opened: make_links_app(opened[date].connectivity, is_mounted=True)
        )
        await app({**scope, "root_path": f"{root}/{date}", "app": app}, receive, send)
