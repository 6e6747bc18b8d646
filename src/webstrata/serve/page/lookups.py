"""Routes without a page of their own: completion, neighbours, cells of the plane, figures, pages by form."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import FastAPI, Query, Request
from fastapi.responses import RedirectResponse, Response

from webstrata.serve.page.neighbourhood import MOST, show_neighbours
from webstrata.serve.page.plane import draw_figure, show_cell
from webstrata.serve.page.search import Cursor, Date, show_completion
from webstrata.serve.page.view import to_json
from webstrata.web.server.answers import Refusal

if TYPE_CHECKING:
    from webstrata.serve.page.site import Site

Describe = Callable[[str], dict[int | str, dict[str, Any]]]


def add_lookups(app: FastAPI, site: "Site", describe: Describe) -> None:
    """Add the routes that scripts and forms of pages ask, with what `describe` says of their documents.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> app = FastAPI()
    >>> add_lookups(app, Site(testing.collection(), "uk"), lambda name: {})
    >>> "/neighbours.json" in {route.path for route in app.routes}
    True
    """

    def complete(q: str = "") -> Response:
        view = show_completion(site, q=q[:100])
        return Response(to_json(view.to_dict()), media_type="application/json")

    def find_page(request: Request, url: str = "") -> Response:
        """Lead the form of a URL to its page."""
        if not url.strip():
            raise Refusal(422, "url is empty; write a URL as http://example.org/")
        url = url.strip() if "://" in url else f"http://{url.strip()}"
        return RedirectResponse(site.page(url, at=request.query_params.get("at")), 303)

    def figure(request: Request, name: str, date: str, theme: str = "light") -> Response:
        picture = draw_figure(site, name, date, is_dark=theme == "dark")
        return Response(
            picture,
            media_type="image/svg+xml",
            headers={
                "cache-control": "private, max-age=600",
                "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
            },
        )

    def neighbours(
        of: Annotated[str, Query(max_length=2000)],
        at: Date = None,
        limit: Annotated[int, Query(ge=1, le=MOST)] = 60,
        cursor: Cursor = None,
    ) -> Response:
        view = show_neighbours(site, of=of, at=at, limit=limit, cursor=cursor)
        return Response(to_json(view.to_dict()), media_type="application/json")

    def cell(
        x: Annotated[int, Query(ge=0, le=10_000)],
        y: Annotated[int, Query(ge=0, le=10_000)],
        at: Date = None,
    ) -> Response:
        return Response(to_json(show_cell(site, x=x, y=y, at=at).to_dict()), media_type="application/json")

    documents = (
        (complete, "Words that begin with the last word of a query."),
        (cell, "The pages of one cell of the plane of PageRank and CheiRank."),
        (neighbours, "The neighbours of a page or host in all snapshots, with the arcs between them."),
    )
    for function, summary in documents:
        name = function.__name__
        app.add_api_route(
            f"{site.base}/{name}.json",
            function,
            response_class=Response,
            summary=summary,
            tags=[site.name],
            operation_id=f"{name}_{site.name}",
            responses=describe(name),
        )
    app.add_api_route(f"{site.base}/page", find_page, include_in_schema=False)
    app.add_api_route(f"{site.base}/figures/{{name}}/{{date}}.svg", figure, include_in_schema=False)
