"""The application of the first origin: every page as HTML and as JSON, static files, metrics and health.

A page function is called with the site and its typed parameters, which FastAPI reads from the address; the
HTML route renders its `PageView` with the template of the same name, the JSON route (``/search.json``,
``/page.json/URL``) sends ``PageView.to_dict()``. Nothing of an archive is rendered here: templates escape all
values, and the Content-Security-Policy allows no script, style or picture but those of this origin.
"""

import hashlib
import inspect
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import Response
from jinja2 import Environment, PackageLoader, StrictUndefined

from webstrata._core import __version__
from webstrata.collection.cells import show_bytes
from webstrata.collection.sentences import tell_plural
from webstrata.errors import WebstrataError
from webstrata.serve.http_api.coding import code_responses
from webstrata.serve.http_api.cors import allow_origins, check_origins
from webstrata.serve.http_api.link_routes import LinkRoutes
from webstrata.serve.http_api.metrics import Metrics
from webstrata.serve.http_api.openapi import describe_api, describe_document
from webstrata.serve.http_api.problems import ProblemDetails, send_problems
from webstrata.serve.page import drawing
from webstrata.serve.page.changes import show_changes
from webstrata.serve.page.control import add_control_routes
from webstrata.serve.page.crawl import show_crawl
from webstrata.serve.page.documents import show_features, show_history
from webstrata.serve.page.graph import show_graph
from webstrata.serve.page.helpers import add_helpers
from webstrata.serve.page.home import show_home
from webstrata.serve.page.hosts import show_host, show_hosts
from webstrata.serve.page.labels import TokenDesk, add_label_routes
from webstrata.serve.page.page import TABS, show_page
from webstrata.serve.page.parts import show_parts
from webstrata.serve.page.plane import show_plane, show_spectrum
from webstrata.serve.page.ranks import show_ranks
from webstrata.serve.page.search import show_search
from webstrata.serve.page.services import add_services, load_static
from webstrata.serve.page.site import Site, write_query
from webstrata.serve.page.view import PageView, TimeMark, to_json
from webstrata.serve.settings import ServeSettings

Page = Callable[..., PageView]


@dataclass(frozen=True)
class Route:
    """A page: its address below the base of a site, and the function that makes it."""

    path: str
    page: Page

    @property
    def json_path(self) -> str:
        """The address of its JSON document: the first word ends with ``.json``."""
        word, slash, rest = self.path.partition("/")
        return f"{word or 'home'}.json{slash}{rest}"

    @property
    def name(self) -> str:
        """The name of its document, as ``search``."""
        return self.page.__name__.removeprefix("show_")

    @property
    def api_path(self) -> str:
        """The address of the same document below ``api``."""
        return f"api/{self.path or 'home'}"


ROUTES = (
    Route("", show_home),
    Route("search", show_search),
    Route("page/{url:path}", show_page),
    Route("changes", show_changes),
    Route("graph", show_graph),
    Route("ranks", show_ranks),
    Route("plane", show_plane),
    Route("spectrum", show_spectrum),
    Route("hosts", show_hosts),
    Route("hosts/{host}", show_host),
    Route("crawl", show_crawl),
    Route("parts", show_parts),
)
DOCUMENTS = (Route("features", show_features), Route("history", show_history))
"""Documents without a page of their own, below ``api`` alone."""
NAVIGATION = ("search", "changes", "graph", "ranks", "hosts", "crawl", "parts")
"""Pages that the header links to."""


def make_app(
    sites: Mapping[str, Site],
    settings: ServeSettings | None = None,
    replay_port: int = 0,
    *,
    metrics: Metrics | None = None,
) -> FastAPI:
    """The application that serves the pages of some collections.

    Parameters
    ----------
    sites
        By name; with one, its pages begin at ``/``, else at ``/NAME/``.
    settings
        Who may write, and where replay is.
    replay_port
        The port of the replay origin; 0 where replay is not served.
    metrics
        What counts responses, also those of the replay origin.

    Examples
    --------
    >>> from webstrata import testing
    >>> app = make_app({"uk": Site(testing.collection(), "uk")})
    >>> [path for path in sorted(app.openapi()["paths"]) if "search" in path]
    ['/api/search', '/search.json']
    """
    settings = settings or ServeSettings()
    app = FastAPI(
        title="webstrata",
        version=__version__,
        description="Pages, ranks, links and changes of a collection: the document of every page of HTML.",
        docs_url=None,  # these pages load programs from elsewhere
        redoc_url=None,
    )
    shell = _Shell(sites, settings, replay_port)
    metrics = metrics or Metrics()
    origins = check_origins(settings.cors_origins, [settings.replay_origin] if settings.replay_origin else [])
    app.add_middleware(code_responses)
    app.add_middleware(allow_origins, origins=origins, replay_port=replay_port)
    app.add_middleware(metrics.wrap, origin="pages")
    send_problems(app, shell.write_problem, shell.hide_paths if settings.public else None)
    for site in sites.values():
        for route in (*ROUTES, *DOCUMENTS):
            shell.add(app, site, route)
        add_helpers(app, site, describe_document)
        if settings.token_file and not settings.public:
            desk = TokenDesk(settings.token_file)
            add_label_routes(app, site, desk)
            add_control_routes(app, site, desk)
        app.mount(f"{site.base}/api/links", LinkRoutes(site))
    if len(sites) > 1:
        app.add_api_route("/", shell.list_collections, include_in_schema=False)
    add_services(app, sites, metrics, is_public=settings.public)
    describe_api(app, [f"{site.base}/api/links" for site in sites.values()])
    return app


class _Shell:
    """What is around the content of every page: templates, headers, the origin of replay."""

    def __init__(self, sites: Mapping[str, Site], settings: ServeSettings, replay_port: int) -> None:
        self._sites, self._settings, self._replay_port = sites, settings, replay_port
        self._environment = Environment(
            loader=PackageLoader("webstrata.serve.page"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters |= {
            "number": drawing.show_number,
            "rate": drawing.show_rate,
            "many": tell_plural,
            "bytes": lambda value: show_bytes(int(value)),
            "seconds": drawing.show_seconds,
            "address": drawing.show_url,
            "crumbs": drawing.split_url,
        }
        self._environment.globals |= {
            "drawing": drawing,
            "static": lambda name: f"/static/{name}?v={load_static()[name][1]}",
            "navigation": NAVIGATION,
            "tabs": TABS,
            "version": __version__,
        }

    def find_origin(self, request: Request) -> str:
        """The replay origin as this browser reaches it; empty where replay is not served."""
        if self._settings.replay_origin:
            return self._settings.replay_origin
        if not self._replay_port:
            return ""
        host = request.headers.get("host", "127.0.0.1")
        name = host[: host.rfind("]") + 1] if host.startswith("[") else host.partition(":")[0]
        return f"http://{name}:{self._replay_port}"

    def add(self, app: FastAPI, site: Site, route: Route) -> None:
        """Add the HTML and the JSON route of a page."""
        is_document = route in DOCUMENTS
        paths = [(route.path, False), (route.json_path, True)] if not is_document else []
        for path, is_json in [*paths, (route.api_path, True)]:
            app.add_api_route(
                f"{site.base}/{path}",
                self._make_endpoint(site, route, is_json=is_json),
                include_in_schema=is_json,
                name=f"{route.page.__name__}{site.base}",
                summary=_first_line(route.page),
                tags=[site.name],
                response_class=Response,
                responses=describe_document(route.name) if is_json else {},
                operation_id=f"{'api_' * path.startswith('api/')}{route.page.__name__}_{site.name}",
            )

    def _make_endpoint(self, site: Site, route: Route, *, is_json: bool) -> Callable[..., Response]:
        given = inspect.signature(route.page, locals={"Site": Site}, eval_str=True)
        mine = [one for one in given.parameters.values() if one.name != "site"]

        def endpoint(request: Request, **values: Any) -> Response:  # noqa: ANN401
            tag = self._make_tag(site, request)
            if has_tag(request.headers.get("if-none-match", ""), tag) and route.page is not show_crawl:
                return Response(status_code=304, headers=self._headers(request, tag, is_live=False))
            started = time.perf_counter()
            here = site.with_replay(self.find_origin(request))
            view = route.page(here, **values)
            view.marks = view.marks or here.marks(chosen=_chosen(here, request))
            if self._settings.public:
                hide_path(view, here)
            if is_json:
                headers = self._headers(request, tag, is_live=view.is_live)
                return Response(to_json(view.to_dict()), media_type="application/json", headers=headers)
            return self._render(request, here, view, route, tag, time.perf_counter() - started)

        parameter = inspect.Parameter("request", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Request)
        positional = [one for one in mine if one.kind is one.POSITIONAL_OR_KEYWORD]
        keyword = [one for one in mine if one.kind is one.KEYWORD_ONLY]
        endpoint.__signature__ = inspect.Signature([parameter, *positional, *keyword])  # type: ignore[attr-defined]
        endpoint.__name__ = route.page.__name__
        return endpoint

    def _make_tag(self, site: Site, request: Request) -> str:
        words = (__version__, site.version, request.url.path, request.url.query, self.find_origin(request))
        # weak: the same document has other bytes in each content coding
        return f'W/"{hashlib.sha256(chr(0).join(words).encode("utf-8", "replace")).hexdigest()[:20]}"'

    def _headers(self, request: Request, tag: str, *, is_live: bool) -> dict[str, str]:
        headers = {
            "content-security-policy": write_policy(self.find_origin(request)),
            # forms send Origin only with this, and nobody else learns which page it was
            "referrer-policy": "same-origin",
        }
        if is_live:
            return headers | {"cache-control": "no-store"}
        return headers | {"etag": tag, "cache-control": "private, no-cache"}

    def _render(
        self, request: Request, site: Site, view: PageView, route: Route, tag: str, seconds: float
    ) -> Response:
        body = self._environment.get_template(f"{view.name}.html").render(
            view=view,
            facts=view.facts,
            rows=view.rows,
            site=site,
            title=site.collection.title,
            sites=self._sites,
            marks=view.marks,
            here=_make_here(request),
            json_address=_json_address(request, site, route),
            kept={name: request.query_params.get(name, "") for name in ("at", "from", "to")},
            query=request.query_params.get("q", ""),
            seconds=seconds,
            can_write=bool(self._settings.token_file) and not self._settings.public,
            current=view.name,
        )
        headers = self._headers(request, tag, is_live=view.is_live)
        headers["server-timing"] = f"page;dur={1000 * seconds:.1f}"
        return Response(
            body.encode("utf-8", "replace"), media_type="text/html; charset=utf-8", headers=headers
        )

    def list_collections(self, request: Request) -> Response:
        """The collections that are served, where there are several."""
        body = self._environment.get_template("collections.html").render(
            sites=self._sites, site=None, view=None, title="webstrata"
        )
        headers = {"content-security-policy": write_policy(self.find_origin(request))}
        return Response(body, media_type="text/html; charset=utf-8", headers=headers)

    def hide_paths(self, _request: Request, problem: ProblemDetails) -> ProblemDetails:
        """A problem without the paths of collections and without commands, for strangers."""
        detail = problem.detail.partition("; run `")[0]
        for site in self._sites.values():
            detail = detail.replace(str(site.collection.path), site.name)
        return replace(problem, detail=detail, fix="")

    def write_problem(self, request: Request, problem: ProblemDetails) -> Response | None:
        """A page of HTML about a problem, for those who did not ask for JSON."""
        path = request.url.path
        word = next((part for part in path.split("/") if part.endswith(".json")), "")
        is_page = "text/html" in request.headers.get("accept", "") and not path.startswith(
            ("/api/", "/static/")
        )
        if word or not is_page:
            return None
        site = next(
            (one for one in self._sites.values() if one.base and path.startswith(f"{one.base}/")),
            next(iter(self._sites.values())),
        )
        body = self._environment.get_template("error.html").render(
            problem=problem,
            site=site,
            title=site.collection.title,
            view=None,
            query=request.query_params.get("q", ""),
            kept={name: "" for name in ("at", "from", "to")},
            sites=self._sites,
            current="",
            marks=_find_marks(site),
            here=_make_here(request),
        )
        headers = {"content-security-policy": write_policy(self.find_origin(request))}
        return Response(
            body.encode("utf-8", "replace"),
            problem.status,
            media_type="text/html; charset=utf-8",
            headers=headers,
        )


def has_tag(header: str, tag: str) -> bool:
    """Whether an ``If-None-Match`` has an ETag, compared as RFC 9110, 8.8.3.2 says for weak ones.

    Examples
    --------
    >>> has_tag('"a", W/"b"', 'W/"b"'), has_tag('"b"', 'W/"b"'), has_tag("*", 'W/"b"'), has_tag("", 'W/"b"')
    (True, True, True, False)
    """
    known = {one.strip().removeprefix("W/") for one in header.split(",")}
    return tag.removeprefix("W/") in known or "*" in known


def hide_path(view: PageView, site: Site) -> None:
    """Write the name of a collection in place of its path into the commands of a page.

    Examples
    --------
    >>> from webstrata import testing
    >>> site = Site(testing.empty(), "uk")
    >>> view = show_home(site)
    >>> hide_path(view, site)
    >>> view.action.collection
    'uk'
    """
    path = str(site.collection.path)
    view.action = replace(view.action, collection=site.name)
    if view.also is not None:
        view.also = replace(view.also, collection=site.name)
    view.missing = [replace(one, command=one.command.replace(path, site.name)) for one in view.missing]
    for row in view.rows if view.name == "parts" else ():
        row["command"] = row["command"].replace(path, site.name)
    if "run" in view.facts:
        view.facts["run"] = str(view.facts["run"]).replace(path, site.name)


def write_policy(replay: str = "") -> str:
    """The Content-Security-Policy of the pages: nothing but this origin, and frames of the replay origin.

    Examples
    --------
    >>> "script-src 'self'" in write_policy(), write_policy("http://127.0.0.1:8081").split("; ")[-1]
    (True, 'frame-src http://127.0.0.1:8081')
    """
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
        + f"frame-src {replay or chr(39) + 'none' + chr(39)}"
    )


def _first_line(function: Callable[..., object]) -> str:
    return (inspect.getdoc(function) or "").splitlines()[0]


def _chosen(site: Site, request: Request) -> set[str]:
    """The snapshots that a page is about by the dates in its address."""
    from webstrata.collection.dates import find_last, find_range

    at, start, end = (request.query_params.get(name) or None for name in ("at", "from", "to"))
    try:
        if at:
            return {find_last(site.dates, at)}
        return set(find_range(site.dates, start, end)) if start or end else set(site.dates)
    except WebstrataError:
        return set()


def _find_marks(site: Site) -> list[TimeMark]:
    """The time strip of a page about an error; none where the collection cannot be read either."""
    try:
        return site.marks()
    except WebstrataError:
        return []


def _make_here(request: Request) -> Callable[..., str]:
    """The address of this page with some parameters changed; ``None`` removes one."""

    def here(**changes: object) -> str:
        values: dict[str, object] = dict(request.query_params)
        values.pop("cursor", None)
        values |= {name.rstrip("_"): value for name, value in changes.items()}
        path = str(request.scope["raw_path"].decode("ascii"))
        return path + write_query(values)

    return here


def _json_address(request: Request, site: Site, route: Route) -> str:
    path = request.scope["raw_path"].decode("ascii").removeprefix(site.base).removeprefix("/")
    word, slash, rest = path.partition("/")
    query = f"?{request.url.query}" if request.url.query else ""
    return f"{site.base}/{word or 'home'}.json{slash}{rest}{query}"
