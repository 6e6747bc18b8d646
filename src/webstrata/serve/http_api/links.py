"""The connectivity server over HTTP: links, common neighbours and neighbourhoods, for one page or many.

A page is a URL or a node. GET asks about one page, POST about many, with a JSON document. The response is
JSON, or an Arrow stream with one row per page found if the request accepts
``application/vnd.apache.arrow.stream``. ``GET /`` has the limits for one request. Nothing is written.
"""

import io
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import pyarrow as pa
from fastapi import FastAPI, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field

from webstrata._core import __version__
from webstrata.errors import UrlError
from webstrata.serve.http_api.problems import describe_problems, send_problems
from webstrata.serve.http_api.refusals import describe_refusals, refuse_in_one_shape
from webstrata.web.server.answers import Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from webstrata.graph.connectivity import Connectivity
    from webstrata.graph.view import Graph, Rows

ARROW = "application/vnd.apache.arrow.stream"
ROWS = 1 << 16
"""Rows of a batch of a stream."""


@dataclass(frozen=True, kw_only=True)
class LinkLimits:
    """What one question may ask for."""

    pages: int = 10_000
    """Pages of a batch."""
    links: int = 1_000_000
    """Links of an answer, or looked at for it."""
    sources: int = 1_000
    """Pages whose links are read for their texts."""
    hops: int = 8
    """Links from a page to the end of its neighbourhood."""


Page = str | Annotated[int, Field(ge=0)]
Pages = Annotated[list[Page], Field(min_length=1, description="URLs or nodes.")]
OneUrl = Annotated[str | None, Query(description="The page by its URL.", examples=["http://example.org/"])]
OneNode = Annotated[int | None, Query(ge=0, description="The page by its node.")]
Way = Annotated[Literal["out", "in"], Field(description="out: what it links to; in: what links to it.")]
AnyWay = Annotated[Literal["out", "in", "both"], Field(description="Which way links are followed.")]
Names = Annotated[bool, Field(description="Whether URLs are told beside nodes.")]
Few = Annotated[int, Query(ge=1, le=100_000, description="How many at most.")]


class LinkRow(BaseModel):
    """A page that was found."""

    node: int
    url: str
    nofollow: bool | None = None
    texts: list[str] | None = None


class LinksOfPage(BaseModel):
    """The links of one page, in order of nodes."""

    node: int
    url: str
    direction: str
    total: int
    links: list[LinkRow]


class BatchQuestion(BaseModel):
    """Of which pages the links are wanted."""

    pages: Pages = Field(examples=[["http://example.org/", 17]])
    direction: Way = "out"
    names: Names = True


class FoundPages(BaseModel):
    """What was found for a page or a group of them; URLs only if they were asked for."""

    node: int | None = None
    nodes: list[int]
    urls: list[str] | None = None


class BatchAnswer(BaseModel):
    """What was found for each page, in their order; a URL that is no page has the node null."""

    pages: list[FoundPages]
    unknown: int


class CommonQuestion(BaseModel):
    """Which groups of pages are compared."""

    groups: list[Pages] = Field(min_length=1, examples=[[["http://example.org/", "http://example.com/"]]])
    direction: Way = "out"
    names: Names = True


class CommonAnswer(BaseModel):
    """What each group has in common."""

    groups: list[FoundPages]


class NeighbourhoodQuestion(BaseModel):
    """Around which pages one looks."""

    pages: Pages = Field(examples=[["http://example.org/"]])
    hops: int = Field(1, ge=1)
    direction: AnyWay = "out"
    limit: Few = 1000
    names: Names = True
    arcs: bool = Field(False, description="Whether the arcs between the pages found are told too.")


class NeighbourhoodAnswer(BaseModel):
    """The pages within some links, the nearest if there are more than the limit."""

    nodes: list[int]
    distances: list[int]
    urls: list[str] | None = None
    arcs: list[tuple[int, int]] | None = None
    complete: bool


class FactsQuestion(BaseModel):
    """About which arcs, pairs of pages, the links are asked."""

    arcs: list[tuple[Page, Page]] = Field(min_length=1, examples=[[["http://example.org/", 17]]])


class Fact(BaseModel):
    """The links of one arc; nofollow is null where there is no link."""

    links: int
    nofollow: bool | None
    texts: list[str]


class FactsAnswer(BaseModel):
    """The links of each arc, in their order."""

    arcs: list[Fact]


class About(BaseModel):
    """What is served."""

    snapshot: str
    nodes: int
    arcs: int
    pages: int
    limits: dict[str, int]


def make_links_app(
    server: "Connectivity", limits: LinkLimits | None = None, *, is_mounted: bool = False
) -> FastAPI:
    """The application that answers questions about the links of a snapshot.

    Where it is mounted below the pages, its errors are problems (RFC 9457) as those of the pages.

    Examples
    --------
    >>> app = make_links_app(None)
    >>> sorted(app.openapi()["paths"])
    ['/', '/common', '/facts', '/links', '/neighbourhood', '/nodes']
    """
    limits = limits or LinkLimits()
    app = FastAPI(
        title="Links of a snapshot",
        version=__version__,
        description=__doc__ or "",
        docs_url=None,  # these pages load programs from elsewhere
        redoc_url=None,
    )
    describe = describe_problems if is_mounted else describe_refusals
    if is_mounted:
        send_problems(app)
    else:
        refuse_in_one_shape(app)
    ask = _Questions(server, limits)
    refusals = describe(404, 422)
    streams: dict[int | str, dict[str, Any]] = {200: {"content": {ARROW: {}}}, **refusals}

    @app.get("/", summary="What is served, and the limits", response_model=About, responses=describe(404))
    def about() -> JSONResponse:
        return JSONResponse(
            {
                "snapshot": server.snapshot.date,
                "nodes": server.num_nodes,
                "arcs": server.num_arcs,
                "pages": len(server.urls),
                "limits": asdict(limits),
            }
        )

    @app.post("/nodes", summary="The nodes of URLs", response_model=list[int | None], responses=refusals)
    def find_nodes(pages: Pages) -> JSONResponse:
        return JSONResponse([None if node < 0 else node for node in ask.nodes(pages).tolist()])

    @app.get("/links", summary="The links of a page", response_model=LinksOfPage, responses=refusals)
    def list_links(
        url: OneUrl = None,
        node: OneNode = None,
        direction: Annotated[Literal["out", "in"], Query(description="out, or in")] = "out",
        offset: Annotated[int, Query(ge=0, description="How many are passed over.")] = 0,
        limit: Few = 1000,
        facts: Annotated[bool, Query(description="Whether texts and nofollow are told.")] = False,
    ) -> JSONResponse:
        own = ask.one(url, node)
        found = server.links(np.array([own]), direction)[1]
        total, found = len(found), found[offset : offset + limit]
        columns = {"node": found.tolist(), "url": server.urls_of(found).to_pylist()}
        if facts:
            ends = np.full(len(found), own, dtype=np.uint32), found
            table = ask.facts(*(ends if direction == "out" else ends[::-1]))
            columns |= {name: table[name].to_pylist() for name in ("nofollow", "texts")}
        links = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
        (name,) = server.urls_of([own]).to_pylist()
        return JSONResponse(
            {"node": own, "url": name, "direction": direction, "total": total, "links": links}
        )

    @app.post("/links", summary="The links of many pages", response_model=BatchAnswer, responses=streams)
    def list_many_links(question: BatchQuestion, request: Request) -> Response:
        nodes = ask.nodes(question.pages)
        found = ask.links(nodes, question.direction)
        if _wants_arrow(request):
            return ask.stream(found, names=question.names)
        rows = ask.rows(found, names=question.names)
        pages = [
            {"node": None if node < 0 else node} | row for node, row in zip(nodes.tolist(), rows, strict=True)
        ]
        return JSONResponse({"pages": pages, "unknown": int((nodes < 0).sum())})

    @app.get("/common", summary="What pages have in common", response_model=FoundPages, responses=refusals)
    def find_common(
        url: Annotated[list[str], Query(description="Pages by URL.")] = [],  # noqa: B006
        node: Annotated[list[Annotated[int, Field(ge=0)]], Query(description="Pages by node.")] = [],  # noqa: B006
        direction: Annotated[Literal["out", "in"], Query(description="out, or in")] = "out",
    ) -> JSONResponse:
        if not url and not node:
            raise Refusal(422, "url: name the pages with ?url=… or ?node=…, once for each")
        (row,) = ask.rows(ask.common([[*url, *node]], direction), names=True)
        return JSONResponse(row)

    @app.post(
        "/common",
        summary="What groups of pages have in common",
        response_model=CommonAnswer,
        responses=streams,
    )
    def find_many_common(question: CommonQuestion, request: Request) -> Response:
        found = ask.common(question.groups, question.direction)
        if _wants_arrow(request):
            return ask.stream(found, names=question.names)
        return JSONResponse({"groups": ask.rows(found, names=question.names)})

    @app.get(
        "/neighbourhood",
        summary="The pages near a page",
        response_model=NeighbourhoodAnswer,
        responses=refusals,
    )
    def look_around(
        url: OneUrl = None,
        node: OneNode = None,
        hops: Annotated[int, Query(ge=1, description="Links to follow.")] = 1,
        direction: Annotated[Literal["out", "in", "both"], Query(description="out, in, or both")] = "out",
        limit: Few = 1000,
        arcs: Annotated[bool, Query(description="Whether the arcs between them are told.")] = False,
    ) -> JSONResponse:
        pages: list[str | int] = [ask.one(url, node)]
        return ask.neighbourhood(
            NeighbourhoodQuestion(pages=pages, hops=hops, direction=direction, limit=limit, arcs=arcs)
        )

    @app.post(
        "/neighbourhood",
        summary="The pages near some pages",
        response_model=NeighbourhoodAnswer,
        responses=refusals,
    )
    def look_around_many(question: NeighbourhoodQuestion) -> JSONResponse:
        return ask.neighbourhood(question)

    @app.post("/facts", summary="The links of arcs", response_model=FactsAnswer, responses=refusals)
    def tell_facts(question: FactsQuestion) -> JSONResponse:
        sources, targets = (ask.known([arc[end] for arc in question.arcs]) for end in (0, 1))
        return JSONResponse({"arcs": ask.facts(sources, targets).to_pylist()})

    return app


class _Questions:
    """Questions to a server, refused where they ask for too much."""

    def __init__(self, server: "Connectivity", limits: LinkLimits) -> None:
        self._server, self._limits = server, limits

    def nodes(self, pages: "Sequence[str | int]") -> "npt.NDArray[np.int64]":
        if len(pages) > self._limits.pages:
            allowed = f"{self._limits.pages:,} are allowed in one question"
            raise Refusal(422, f"pages: these are {len(pages):,}, and {allowed}; ask in pieces")
        for page in pages:
            if not isinstance(page, str) and page >= self._server.num_nodes:
                raise Refusal(422, f"node {page}: the graph has {self._server.num_nodes:,} nodes, from 0 on")
        return self._server.nodes(pages)

    def known(self, pages: "Sequence[str | int]") -> "npt.NDArray[np.int64]":
        """Nodes of pages that must be there."""
        nodes = self.nodes(pages)
        if len(nodes) and nodes.min() < 0:
            url = str(pages[int(np.argmin(nodes))])
            try:
                near = self._server.nearest(url)
            except UrlError as error:
                raise Refusal(422, f"this is no URL: {error}") from None
            raise Refusal(404, f"{url}: no such page in {self._server.snapshot.date}", nearest=near)
        return nodes

    def one(self, url: str | None, node: int | None) -> int:
        if (url is None) == (node is None):
            raise Refusal(422, "url: name one page, with ?url=… or with ?node=…")
        page: str | int = url if url is not None else node  # type: ignore[assignment]
        return int(self.known([page])[0])

    def links(self, nodes: "npt.NDArray[np.int64]", direction: Literal["out", "in"]) -> "Rows":
        """Rows of nodes, empty for those below 0."""
        self._limit_links(self._server.graph_of(direction), nodes[nodes >= 0])
        return self._server.links(nodes, direction)

    def common(self, groups: "Sequence[Sequence[str | int]]", direction: Literal["out", "in"]) -> "Rows":
        nodes = self.known([page for group in groups for page in group])
        self._limit_links(self._server.graph_of(direction), nodes)
        bounds = np.cumsum([0, *(len(group) for group in groups)])
        pieces = [nodes[start:end] for start, end in pairwise(bounds)]
        return self._server.common(pieces, direction=direction)

    def neighbourhood(self, question: NeighbourhoodQuestion) -> JSONResponse:
        if question.hops > self._limits.hops:
            raise Refusal(422, f"hops: {question.hops}, and {self._limits.hops} are allowed")
        nodes = self.known(question.pages)
        found = self._server.neighbourhood(
            nodes,
            hops=question.hops,
            direction=question.direction,
            limit=question.limit,
            max_links=self._limits.links,
        )
        answer = {"nodes": found.nodes.tolist(), "distances": found.distances.tolist()}
        if question.names:
            answer["urls"] = self._server.urls_of(found.nodes).to_pylist()
        if question.arcs:
            self._limit_links(self._server.graph, found.nodes)
            offsets, targets = self._server.subgraph(found.nodes).rows()
            sources = np.repeat(found.nodes, np.diff(offsets).astype(np.int64))
            answer["arcs"] = np.stack([sources, found.nodes[targets]], axis=1).tolist()
        return JSONResponse(answer | {"complete": found.is_complete})

    def facts(self, sources: "npt.NDArray[Any]", targets: "npt.NDArray[Any]") -> pa.Table:
        if len(np.unique(sources)) > self._limits.sources:
            raise Refusal(
                413,
                f"the texts of links of {len(np.unique(sources)):,} pages are asked for, and "
                f"{self._limits.sources:,} are allowed; ask in pieces (limit and offset)",
            )
        return self._server.facts(sources, targets)

    def rows(self, found: "Rows", *, names: bool) -> list[dict[str, Any]]:
        """Found pages as JSON, one document for each row."""
        ends, nodes = found[0].tolist(), found[1].tolist()
        spans = [slice(start, end) for start, end in pairwise(ends)]
        if not names:
            return [{"nodes": nodes[span]} for span in spans]
        urls = self._server.urls_of(found[1]).to_pylist()
        return [{"nodes": nodes[span], "urls": urls[span]} for span in spans]

    def stream(self, found: "Rows", *, names: bool) -> Response:
        """Found pages as Arrow: the place of what was asked in the question, node, URL."""
        places = np.repeat(np.arange(len(found[0]) - 1, dtype=np.uint32), np.diff(found[0]).astype(np.int64))
        columns: dict[str, Any] = {"place": places, "node": found[1]}
        if names:
            unique, which = np.unique(found[1], return_inverse=True)
            dictionary = self._server.urls_of(unique)
            columns["url"] = pa.DictionaryArray.from_arrays(pa.array(which, pa.int32()), dictionary)
        table = pa.table(columns)
        sink = io.BytesIO()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table, max_chunksize=ROWS)
        return Response(sink.getvalue(), media_type=ARROW)

    def _limit_links(self, graph: "Graph", nodes: "npt.NDArray[Any]") -> None:
        number = int(graph.outdegrees(nodes).sum(dtype=np.int64))
        if number > self._limits.links:
            raise Refusal(
                413,
                f"{number:,} links would have to be looked at, and {self._limits.links:,} are allowed in one "
                "question; ask about fewer pages",
            )


def _wants_arrow(request: Request) -> bool:
    return ARROW in request.headers.get("accept", "")
