"""The routes of the replay origin (`ROUTES`), as an ASGI application.

A URL is taken from the path as it was sent, with its query. Short work, such as an exact query or a record
of some kilobytes, is done in the event loop; everything else in threads.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, unquote

from webstrata._core import __version__
from webstrata.archive.revisits import MIME as REVISIT
from webstrata.errors import MissingError, UrlError, UserError, WebstrataError
from webstrata.serve.replay.cdx import answer_query, list_captures
from webstrata.serve.replay.files import answer_file
from webstrata.serve.replay.holdings import Holdings, explain_missing
from webstrata.serve.replay.memento import LINK_FORMAT, parse_accept_datetime, write_timemap
from webstrata.serve.replay.query import CdxError, CdxQuery
from webstrata.serve.replay.replies import (
    COMMON,
    RAW,
    Reply,
    Wanted,
    make_memento_headers,
    make_reply,
    redirect_to_exact,
)
from webstrata.serve.replay.viewer import NAME, VIEW, Viewer
from webstrata.web.server.answers import write_error

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webstrata.api import Collection
    from webstrata.serve.settings import ServeSettings
    from webstrata.web.server.exchange import Application

ROUTES = {
    "/{collection}/cdx": "CDX server.",
    "/{collection}/{url}": "TimeGate: the capture nearest to `Accept-Datetime`, or the last one.",
    "/{collection}/timemap/{form}/{url}": "TimeMap; the form is `link`, `json` or `cdxj`.",
    "/{collection}/{timestamp}/{url}": "Memento: the capture nearest to the timestamp, rewritten for replay.",
    "/{collection}/{timestamp}id_/{url}": "The same with the payload as it is stored.",
    "/{collection}/files/": "List of WARC files.",
    "/{collection}/files/{snapshot}/{name}": "A WARC file, whole or by range requests.",
    "/viewer/{path}": "A file of the folder `viewer`.",
    "/view/{collection}/{timestamp}/{url}": "A page that shows a capture in the viewer, with its scripts.",
    "/": "Names of the collections.",
    "/healthz": "`ok` while the server runs.",
}
"""Every path and what is there."""
PIECE = 1 << 16
"""Bytes of a response that are sent at a time."""
SHORT = 1 << 18
"""Bytes of a stored record that is read in the event loop."""
FIRST_TIME, PULL_TIME = 0.01, 0.05
"""Seconds after which the event loop hands over to a thread, and a thread that finds nothing reports back."""
THREADS = 8
_MEMENTO = re.compile(r"(\d{1,14})?([a-z]{2}_)?/(.+)", re.DOTALL)
_CODED = re.compile(r"https?(%3a|:%2f)", re.IGNORECASE)
_ONE_SLASH = re.compile(r"(https?):/+", re.IGNORECASE)
_ERROR_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


class Question(NamedTuple):
    """A request: what of it the routes look at."""

    path: str
    """After the collection, as it was sent, with the query."""
    query: str
    headers: dict[str, str]
    origin: str


def make_replay_app(collections: Mapping[str, Collection], settings: ServeSettings) -> Application:
    """The ASGI application of the replay origin.

    Examples
    --------
    >>> from urllib.request import urlopen
    >>> from webstrata import testing
    >>> from webstrata.serve.settings import ServeSettings
    >>> from webstrata.web.server import Server
    >>> app = make_replay_app({"uk": testing.collection()}, ServeSettings())
    >>> with Server(app) as server, urlopen(f"{server.url}/uk/2026id_/http://news.example/") as reply:
    ...     reply.status, reply.headers["Memento-Datetime"]
    (200, 'Wed, 01 Apr 2026 00:00:08 GMT')
    """
    return _Replay(collections, settings)


class _Replay:
    def __init__(self, collections: Mapping[str, Collection], settings: ServeSettings) -> None:
        self._holdings = {name: Holdings(name, collection) for name, collection in collections.items()}
        self._origin = settings.replay_origin.rstrip("/")
        self._redirects = settings.redirect_to_exact
        self._viewer = Viewer(settings.viewer) if settings.viewer else None
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="replay")

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401
        if scope["type"] != "http":
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        try:
            reply = await self._route(scope, headers)
        except WebstrataError as error:
            reply = _refuse(_status_of(error), str(error), headers)
        await self._send(reply, send)

    # ---- routes

    async def _route(self, scope: Any, headers: dict[str, str]) -> Reply:  # noqa: ANN401
        if scope["method"] == "OPTIONS":
            allowed = [
                ("access-control-allow-methods", "GET, HEAD, OPTIONS"),
                ("access-control-allow-headers", "*"),
            ]
            return Reply(204, allowed)
        if scope["method"] != "GET":
            return _refuse(
                405, f"{scope['method']} is not supported here; use GET", headers, allow="GET, HEAD"
            )
        raw, query = scope["raw_path"].decode("ascii"), scope["query_string"].decode("latin-1")
        name, _, rest = raw[1:].partition("/")
        name = unquote(name)
        if not name:
            return _json(200, {"collections": list(self._holdings)})
        if name == "healthz" and not rest:
            return Reply(200, [("content-type", "text/plain")], b"ok\n")
        if name == NAME and self._viewer is not None:
            return self._viewer.answer(unquote(rest))
        if name == VIEW and self._viewer is not None and name not in self._holdings:
            return self._show_in_viewer(rest, query, scope, headers)
        holdings = self._holdings.get(name)
        if holdings is None:
            known = ", ".join(self._holdings) or "none"
            return _refuse(404, f"no such collection: {name[:200]}; served are {known}", headers)
        origin = self._find_origin(scope, headers)
        path = rest + (f"?{query}" if query else "")
        question = Question(path, query, headers, f"{origin}/{quote(name)}/")
        state = scope.setdefault("state", {})
        state["route"] = (
            rest
            if rest == "cdx"
            else rest.partition("/")[0]
            if rest.startswith(("timemap/", "files"))
            else "memento"
        )
        if rest == "cdx":
            return await self._answer_cdx(holdings, question)
        if rest.startswith("timemap/"):
            return await self._answer_timemap(holdings, question)
        if rest == "files" or rest.startswith("files/"):
            wanted = unquote(rest.removeprefix("files").lstrip("/"))
            return answer_file(holdings, wanted, headers.get("range", ""))
        if not rest:
            return _json(200, {"collection": name, "snapshots": holdings.collection.dates})
        return await self._answer_memento(holdings, question)

    def _find_origin(self, scope: Any, headers: dict[str, str]) -> str:  # noqa: ANN401
        return self._origin or f"{scope['scheme']}://{headers.get('host', 'localhost')}"

    def _show_in_viewer(self, rest: str, query: str, scope: Any, headers: dict[str, str]) -> Reply:  # noqa: ANN401
        assert self._viewer is not None
        name, _, wanted = rest.partition("/")
        if unquote(name) not in self._holdings:
            return _refuse(404, f"no such collection: {unquote(name)[:200]}", headers)
        path = wanted + (f"?{query}" if query else "")
        return self._viewer.show(unquote(name), path, self._find_origin(scope, headers))

    async def _answer_cdx(self, holdings: Holdings, question: Question) -> Reply:
        try:
            query = CdxQuery.parse(question.query)
            answer = answer_query(holdings, query, question.origin)
        except CdxError as error:
            return _message(str(error))
        headers = [("content-type", answer.content_type)]
        pieces = answer.pieces
        if query.is_compressed and _accepts_gzip(question.headers):
            pieces = _compress(pieces)
            headers += [("content-encoding", "gzip"), ("vary", "accept-encoding")]
        return Reply(200, headers, pieces)

    async def _answer_timemap(self, holdings: Holdings, question: Question) -> Reply:
        form, _, url = question.path.removeprefix("timemap/").partition("/")
        url = _clean_url(url)
        try:
            query = CdxQuery.read([("url", url), ("matchType", "exact"), ("output", form)])
        except CdxError as error:
            return _message(str(error))
        if form == "link":
            captures = list_captures(holdings, query)
            pieces, kind = write_timemap(captures, question.origin, url, holdings.name), LINK_FORMAT
        else:
            answer = answer_query(holdings, query, question.origin)
            pieces, kind = answer.pieces, answer.content_type
        first = next((piece for piece in pieces if piece), None)
        if first is None:
            return Reply(404, [("content-type", kind)])
        return Reply(200, [("content-type", kind)], _chain(first, pieces))

    async def _answer_memento(self, holdings: Holdings, question: Question) -> Reply:
        match = _MEMENTO.fullmatch(question.path)
        timestamp, modifier, url = (match[1], match[2], match[3]) if match else ("", "", question.path)
        is_timegate = not timestamp
        headers = question.headers
        accept = headers.get("accept-datetime", "")
        if is_timegate and accept:
            try:
                timestamp = parse_accept_datetime(accept)
            except ValueError as error:
                return _refuse(400, str(error), headers)
        url = _clean_url(url)
        takedown = holdings.find_takedown(url)
        if takedown is not None:
            return _refuse(451, str(explain_missing(holdings.name, url, takedown)), headers)
        found = holdings.find(url, timestamp or "")
        if found is None:
            near = holdings.neighbours(url)
            return _refuse(404, f"{holdings.name}: {url} was not captured", headers, nearest=near)
        fetches = headers.get("sec-fetch-dest") == "empty"
        wanted = Wanted(
            prefix=question.origin,
            name=holdings.name,
            modifier=modifier or "",
            is_timegate=is_timegate,
            byte_range=headers.get("range", ""),
            is_fetch=fetches,
        )
        if self._redirects and (is_timegate or timestamp != found.entry.timestamp):
            return redirect_to_exact(found.entry.url, found.entry.timestamp, wanted)
        digest = found.entry.fields.get("digest", "-")
        tag = f'"{digest}-{found.entry.timestamp}-{wanted.modifier}{int(fetches)}-{__version__}"'
        freshness = [("etag", tag), ("cache-control", "no-cache")] if digest != "-" else []
        if freshness and tag in headers.get("if-none-match", ""):
            return Reply(
                304, [*make_memento_headers(found.entry.url, found.entry.timestamp, wanted), *freshness]
            )

        def make() -> Reply:
            reply = make_reply(holdings.read(found), wanted)
            reply.headers += freshness
            return reply

        fields = found.entry.fields
        is_short = int(fields["length"]) <= SHORT and fields["mime"] != REVISIT
        if is_short and wanted.modifier in RAW:
            return make()
        return await asyncio.get_running_loop().run_in_executor(self._pool, make)

    # ---- sending

    async def _send(self, reply: Reply, send: Any) -> None:  # noqa: ANN401
        headers = [*reply.headers, *COMMON]
        if isinstance(reply.body, bytes):
            if reply.status not in (204, 304):
                headers.append(("content-length", str(len(reply.body))))
            await send(_start(reply.status, headers))
            await send({"type": "http.response.body", "body": reply.body})
            return
        await send(_start(reply.status, headers))
        loop, body = asyncio.get_running_loop(), reply.body
        # the first piece is most often all
        piece, is_last = _pull(body, FIRST_TIME)
        while True:
            if piece or is_last:
                await send({"type": "http.response.body", "body": piece, "more_body": not is_last})
            if is_last:
                return
            piece, is_last = await loop.run_in_executor(self._pool, _pull, body)


def _pull(pieces: Iterator[bytes], seconds: float = PULL_TIME) -> tuple[bytes, bool]:
    """The next bytes of a response, perhaps none, and whether they are the last ones."""
    joined, size, until = [], 0, time.monotonic() + seconds
    for piece in pieces:
        joined.append(piece)
        size += len(piece)
        if size >= PIECE or (not piece and time.monotonic() > until):
            return b"".join(joined), False
    return b"".join(joined), True


def _start(status: int, headers: list[tuple[str, str]]) -> dict[str, Any]:
    coded = [(name.encode("latin-1"), value.encode("latin-1", "replace")) for name, value in headers]
    return {"type": "http.response.start", "status": status, "headers": coded}


def _chain(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def _accepts_gzip(headers: dict[str, str]) -> bool:
    return "gzip" in headers.get("accept-encoding", "").lower()


def _compress(pieces: Iterator[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    for piece in pieces:
        yield packer.compress(piece)
    yield packer.flush()


def _clean_url(url: str) -> str:
    """The URL of a path: as it is, encoded as a whole, without its scheme, or with one slash behind that."""
    if _CODED.match(url):
        url = unquote(url)
    url = _ONE_SLASH.sub(lambda match: f"{match[1]}://", url, count=1)
    return url if "://" in url[:12] else f"http://{url}"


def _json(status: int, document: object) -> Reply:
    return Reply(status, [("content-type", "application/json")], json.dumps(document).encode())


def _message(sentence: str) -> Reply:
    """An error of the CDX server, as pywb sends it."""
    return _json(400, {"message": sentence})


def _status_of(error: WebstrataError) -> int:
    if isinstance(error, MissingError):
        return 404
    if isinstance(error, UrlError):
        return 400
    return 422 if isinstance(error, UserError) else 500


def _refuse(status: int, sentence: str, headers: dict[str, str], **more: Any) -> Reply:  # noqa: ANN401
    """An error: a page for browsers, a document for programs."""
    extra = [("allow", more.pop("allow"))] if "allow" in more else []
    if "text/html" not in headers.get("accept", ""):
        body = write_error(status, sentence, **more)
        return Reply(status, [("content-type", "application/json"), *extra], body)
    near = "".join(f"<li>{escape(url)}</li>" for url in more.get("nearest", ()))
    page = f"<!doctype html><title>{status}</title><p>{escape(sentence)}.</p>"
    page += f"<p>The nearest captured URLs:</p><ul>{near}</ul>" if near else ""
    kind = [("content-type", "text/html; charset=utf-8"), ("content-security-policy", _ERROR_POLICY)]
    return Reply(status, [*kind, *extra], page.encode())
