"""What every server has besides its pages: static files, health, readiness and metrics."""

import hashlib
import mimetypes
from collections.abc import Mapping
from functools import cache
from importlib import resources

from fastapi import FastAPI, Request
from fastapi.responses import Response

from webstrata.serve.http_api.metrics import TEXT_FORMAT, Metrics
from webstrata.serve.page.site import Site
from webstrata.web.server.answers import Refusal
from webstrata.web.server.rates import is_loopback


@cache
def load_static() -> dict[str, tuple[bytes, str, str]]:
    """The static files: name, content, digest and media type.

    Examples
    --------
    >>> sorted(load_static())
    ['forces.js', 'graph.js', 'icon.svg', 'page.css', 'page.js', 'plane.js', 'strip.js']
    """
    found = {}
    for file in (resources.files("webstrata.serve.page") / "static").iterdir():
        content = file.read_bytes()
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        found[file.name] = (content, hashlib.sha256(content).hexdigest()[:12], kind)
    return found


def add_services(
    app: FastAPI, sites: Mapping[str, Site], metrics: Metrics, *, is_public: bool = False
) -> None:
    """Add their routes to an application.

    Examples
    --------
    >>> app = FastAPI()
    >>> add_services(app, {}, Metrics())
    >>> "/healthz" in {route.path for route in app.routes}
    True
    """

    async def static(name: str) -> Response:
        if name not in load_static():
            raise Refusal(404, f"there is no file {name[:40]} here")
        content, digest, kind = load_static()[name]
        return Response(
            content,
            media_type=kind,
            headers={"cache-control": "public, max-age=86400", "etag": f'"{digest}"'},
        )

    async def health() -> Response:
        return Response(b'{"status": "ok"}', media_type="application/json")

    def readiness() -> Response:
        for site in sites.values():
            site.collection.states()
        return Response(b'{"status": "ready"}', media_type="application/json")

    def tell_metrics(request: Request) -> Response:
        if is_public and request.client is not None and not is_loopback(request.client.host):
            raise Refusal(404, "metrics are for clients on the machine of the server")
        return Response(metrics.to_text(), headers={"content-type": TEXT_FORMAT, "cache-control": "no-store"})

    app.add_api_route("/static/{name}", static, include_in_schema=False)
    app.add_api_route("/healthz", health, include_in_schema=False)
    app.add_api_route("/readyz", readiness, include_in_schema=False)
    app.add_api_route("/metrics", tell_metrics, include_in_schema=False)
