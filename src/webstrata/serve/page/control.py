"""Control of a running crawl from the page, with the token: pause, resume, stop, block a host, set a filter.

The crawl is asked at its socket, as the verb `crawl pause` asks it.
"""

from typing import TYPE_CHECKING

from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from webstrata.serve.page.labels import TokenDesk
from webstrata.serve.page.view import to_json
from webstrata.web.server.answers import Refusal

if TYPE_CHECKING:
    from webstrata.serve.page.site import Site

ACTIONS = ("pause", "resume", "stop", "blacklist", "set")


def add_control_routes(app: FastAPI, site: "Site", desk: TokenDesk) -> None:
    """Add the routes that steer a crawl to an application.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> path = testing.scratch() / "token"
    >>> _ = path.write_text("a token of some length")
    >>> app = FastAPI()
    >>> add_control_routes(app, Site(testing.collection(), "uk"), TokenDesk(str(path)))
    >>> "/crawl/{date}/{action}" in {route.path for route in app.routes}
    True
    """

    async def steer(request: Request, date: str, action: str) -> Response:
        values = await desk.read_form(request)
        if action not in ACTIONS:
            raise Refusal(404, f"there is no such action; there are {', '.join(ACTIONS)}")
        state = await run_in_threadpool(_steer, site, date, action, values)
        if "text/html" in request.headers.get("accept", ""):
            return RedirectResponse(site.path("crawl"), 303)
        return Response(
            to_json({"snapshot": date, "action": action, "state": state}), media_type="application/json"
        )

    app.add_api_route(
        f"{site.base}/crawl/{{date}}/{{action}}",
        steer,
        methods=["POST"],
        response_class=Response,
        summary="Pause, resume or stop a crawl, block a host or change a setting, with the token",
        tags=[site.name],
        operation_id=f"steer_{site.name}",
    )


def _steer(site: "Site", date: str, action: str, values: dict[str, str]) -> str:
    from webstrata.crawl.control import connect

    host, name = values.get("host", "").strip(), values.get("name", "").strip()
    if date not in site.collection:
        raise Refusal(404, f"there is no snapshot {date[:20]}")
    if action == "set" and not name:
        raise Refusal(422, "name: name the setting to change")
    if action == "blacklist" and not host:
        raise Refusal(422, "host: name the host or address to block")
    with connect(site.collection[date]) as client:
        if action == "set":
            return f"{name} = {client.set(name, values.get('value', ''))}"
        return client.blacklist(host) if action == "blacklist" else str(getattr(client, action)())
