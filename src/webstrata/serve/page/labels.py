"""Labels of hosts that people give on the page; the only thing that is written, and only with the token.

The file is ``labels.csv`` in the collection (``host,label``), which `classify train --labels` reads.
A request needs the token, in the form or as ``Authorization: Bearer …``, and must come from a page of this
origin: ``Origin``, where a browser sends it, has to name this server, and ``Sec-Fetch-Site`` must not name
another site. The token is compared in constant time, and appears in no address and no log.
"""

import hmac
import re
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from webstrata.errors import UsageError
from webstrata.serve.page.view import to_json
from webstrata.web.server.answers import Refusal

if TYPE_CHECKING:
    from webstrata.serve.page.site import Site

FILE = "labels.csv"
LABELS = ("spam", "nonspam", "undecided")
KINDS = ("news", "commercial", "educational", "discussion", "personal", "high-quality")
"""Genres and qualities that the form offers, as SPAM has them."""
MIN_TOKEN = 16
_KIND = re.compile("[a-z][a-z0-9-]{0,39}")


def join_label(label: str, kinds: Sequence[str] = ()) -> str:
    """The label that is written for a host: what it is, and the kinds of one that is not spam.

    Examples
    --------
    >>> join_label("nonspam", ["news", "", "high-quality"]), join_label("spam", ["news"])
    ('news|high-quality', 'spam')
    >>> join_label("what")
    Traceback (most recent call last):
    webstrata.web.server.answers.Refusal: label: expected spam, nonspam, undecided
    """
    if label not in LABELS:
        raise Refusal(422, f"label: expected {', '.join(LABELS)}")
    named = list(dict.fromkeys(kind.strip().lower() for kind in kinds if kind.strip()))
    for kind in named:
        if not _KIND.fullmatch(kind) or kind in LABELS:
            raise Refusal(422, f"kind: {kind[:40]!r} is not a word of letters, digits and hyphens")
    return "|".join(named) if named and label == "nonspam" else label


def read_sheet(collection: Any) -> dict[str, str]:  # noqa: ANN401
    """The labels that were given on the page.

    Examples
    --------
    >>> from webstrata import testing
    >>> read_sheet(testing.collection())
    {}
    """
    from webstrata.classify.learning.label_sheet import LabelSheet

    return LabelSheet(collection.working_folder(FILE)).labels


def find_kinds(site: "Site") -> list[str]:
    """The genres and qualities that the form offers: the usual ones, those given before, those of models.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> find_kinds(Site(testing.collection(), "uk"))[:2]
    ['news', 'commercial']
    """
    given = {name for label in read_sheet(site.collection).values() for name in label.split("|")}
    return [*KINDS, *sorted(given - {*KINDS, *LABELS})]


class TokenDesk:
    """Takes forms from those who know the token in a file.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "token"
    >>> _ = path.write_text("a token of some length")
    >>> TokenDesk(str(path)).knows("a token of some length"), TokenDesk(str(path)).knows("another")
    (True, False)
    """

    def __init__(self, token_file: str) -> None:
        path = Path(token_file)
        try:
            self._token = path.read_text().strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "not text"
            raise UsageError(f"{path}: no token can be read there ({reason}); name another file") from None
        if len(self._token) < MIN_TOKEN:
            raise UsageError(
                f"{path}: the token has {len(self._token)} characters; use at least {MIN_TOKEN}, as "
                "`openssl rand -hex 16` prints"
            )
        self.lock = threading.Lock()

    def knows(self, token: str) -> bool:
        """Whether this is the token, compared in constant time."""
        return hmac.compare_digest(token.encode(), self._token.encode())

    async def read_form(self, request: Request) -> dict[str, str]:
        """The values of a form that has the token and comes from this origin, or `Refusal`."""
        check_origin(request)
        body = (await request.body()).decode("utf-8", "replace")
        values = {name: "\n".join(found) for name, found in parse_qs(body).items()}
        scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
        token = bearer.strip() if scheme.lower() == "bearer" else values.pop("token", "")
        if not self.knows(token):
            raise Refusal(
                401, "the token is missing or wrong; it is in the file that the server was started with"
            )
        return values


def add_label_routes(app: FastAPI, site: "Site", desk: TokenDesk) -> None:
    """Add the form's route to an application.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> path = testing.scratch() / "token"
    >>> _ = path.write_text("a token of some length")
    >>> app = FastAPI()
    >>> add_label_routes(app, Site(testing.collection(), "uk"), TokenDesk(str(path)))
    >>> "/hosts/{host}/label" in {route.path for route in app.routes}
    True
    """

    async def give_label(request: Request, host: str) -> Response:
        values = await desk.read_form(request)
        label = join_label(values.get("label", ""), values.get("kind", "").split("\n"))
        wants_json = "text/html" not in request.headers.get("accept", "")
        return await run_in_threadpool(_write, site, desk, host.lower(), label, wants_json=wants_json)

    app.add_api_route(
        f"{site.base}/hosts/{{host}}/label",
        give_label,
        methods=["POST"],
        response_class=Response,
        summary="Label a host, with the token",
        tags=[site.name],
        operation_id=f"give_label_{site.name}",
    )


def _write(site: "Site", desk: TokenDesk, host: str, label: str, *, wants_json: bool) -> Response:
    from webstrata.classify.learning.label_sheet import LabelSheet

    if site.snapshot().host_graph.get(host) is None:
        raise Refusal(404, f"{host[:253]} is not among the hosts of {site.snapshot().date}")
    with desk.lock:
        LabelSheet(site.collection.working_folder(FILE)).add(host, label)
    if wants_json:
        return Response(to_json({"host": host, "label": label}), media_type="application/json")
    return RedirectResponse(site.path(f"hosts/{host}"), 303)


def check_origin(request: Request) -> None:
    """Refuse a request that a page of another origin sent.

    Examples
    --------
    >>> own = {"type": "http", "headers": [(b"host", b"127.0.0.1:8080"), (b"origin", b"http://127.0.0.1:8080")]}
    >>> check_origin(Request(own)) is None
    True
    >>> scope = {"type": "http", "headers": [(b"host", b"127.0.0.1:8080"), (b"origin", b"http://evil.example")]}
    >>> check_origin(Request(scope))
    Traceback (most recent call last):
    webstrata.web.server.answers.Refusal: this request comes from another site; use the form of this server
    """
    origin = request.headers.get("origin")
    same = origin is None or urlsplit(origin).netloc == request.headers.get("host", "")
    if not same or request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise Refusal(403, "this request comes from another site; use the form of this server")
