r"""Requests with a body in the index: how POST captures get keys of their own (Webrecorder's rule).

A capture of another method than GET is found under its URL with ``__wb_method=METHOD`` and the body of the
request appended as a query, so it never has the key of the page that GET returns. pywb, wabac.js and
cdxj-indexer do the same, by the content type of the body:

=====================================  ======================================================================
``application/x-www-form-urlencoded``  the text of the body, percent-decoded
``multipart/*``                        the fields as ``name=value``, encoded as a query
``application/json``, ``text/plain``   the numbers and texts in the JSON document as ``name=value``, nested or
                                       not; a repeated name gets ``.2_``, ``.3_`` …; lines of JSON as well
everything else, and what fails        ``__wb_post_data=`` and the body in base64
=====================================  ======================================================================

Only POST and PUT have a body here. The query is cut after `MAX_QUERY` characters.

Records that describe a page and have no address (``urn:view:http://example.org/`` is a screenshot) are found
under their whole name, in lower case.
"""

from __future__ import annotations

import base64
import email.parser
import email.policy
import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote_plus, urlencode

if TYPE_CHECKING:
    from collections.abc import Callable

URN = "urn:"
"""How names of records begin that describe pages and have no address."""
MAX_QUERY = 4096
MAX_BODY = 1 << 20
"""Bytes of a body that are looked at; the query is much shorter."""
_METHOD = re.compile(rb"[A-Z]{1,20}(?= )")


class Request(NamedTuple):
    """What a request says that decides about the key of its capture."""

    method: str
    query: str
    """The body as a query; empty where there is none."""

    @property
    def is_get(self) -> bool:
        """Whether the capture is of the URL alone."""
        return self.method == "GET"

    def append_to(self, url: str) -> str:
        """The URL by which the key is computed.

        Examples
        --------
        >>> Request("POST", "a=1").append_to("http://a.uk/?b=2"), Request("GET", "").append_to("http://a.uk/")
        ('http://a.uk/?b=2&__wb_method=POST&a=1', 'http://a.uk/')
        """
        if self.is_get:
            return url
        more = f"&{self.query}" if self.query else ""
        return f"{url}{'&' if '?' in url else '?'}__wb_method={self.method}{more}"


def amend(line: bytes, url: str, request: Request | None, surt: Callable[[str], str]) -> bytes:
    r"""A line of the index with the key and the fields of a capture that is not what GET returns.

    Examples
    --------
    >>> amend(b'uk,a)/ 2026 {"url": "http://a.uk/"}\n', "http://a.uk/", Request("POST", "a=1"), str)
    b'http://a.uk/?__wb_method=POST&a=1 2026 {"url": "http://a.uk/", "method": "POST",
    "requestBody": "a=1"}\n'
    """
    if url.startswith(URN):
        return to_key(url.lower()).encode() + line[line.index(b" ") :]
    if request is None or request.is_get:
        return line
    told = {"method": request.method} | ({"requestBody": request.query} if request.query else {})
    place = line.rindex(b"}")
    key = to_key(surt(request.append_to(url))).encode()
    return key + line[line.index(b" ") : place] + b", " + json.dumps(told).encode()[1:-1] + line[place:]


def to_key(text: str) -> str:
    r"""A text as a key of the index, which ends at the first blank.

    Examples
    --------
    >>> to_key("urn:view:a b\n")
    'urn:view:a%20b%0a'
    """
    return re.sub(r"[\x00-\x20\x7f]", lambda found: f"%{ord(found[0]):02x}", text)


def parse_request(block: bytes) -> Request | None:
    r"""The method and body of the block of a ``request`` record; None if it is no HTTP request.

    Examples
    --------
    >>> head = b"POST /search HTTP/1.1\r\nContent-Type: application/json\r\n\r\n"
    >>> parse_request(head + b'{"query": {"text": "fish"}, "page": 2}')
    Request(method='POST', query='text=fish&page=2')
    >>> parse_request(b"GET / HTTP/1.1\r\n\r\n")
    Request(method='GET', query='')
    """
    found = _METHOD.match(block)
    if found is None:
        return None
    method = found[0].decode()
    if method not in ("POST", "PUT"):
        return Request(method, "")
    head, _, body = block.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")[1:]
    names = (line.partition(":") for line in lines)
    mime = next((value.strip() for name, _, value in names if name.strip().lower() == "content-type"), "")
    return Request(method, _to_query(mime, body[:MAX_BODY])[:MAX_QUERY])


def _to_query(mime: str, body: bytes) -> str:
    kind = mime.lower()
    try:
        if kind.startswith("application/x-www-form-urlencoded"):
            return unquote_plus(body.decode())
        if kind.startswith("multipart/"):
            return _read_multipart(mime, body)
        if kind.startswith(("application/json", "text/plain")):
            return _read_json(body)
    except (ValueError, RecursionError):
        if kind.startswith("application/json"):
            return ""
    return "__wb_post_data=" + base64.b64encode(body).decode() if body else ""


def _read_multipart(mime: str, body: bytes) -> str:
    if "boundary=" not in mime.lower():
        raise ValueError("no boundary")
    head = f"Content-Type: {mime}\r\n\r\n".encode()
    message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + body)
    fields = []
    for part in message.iter_parts() if message.is_multipart() else ():
        name = part.get_param("name", header="content-disposition")
        value: Any = part.get_payload(decode=True)
        if isinstance(name, str) and isinstance(value, bytes):
            fields.append((name, value))
    return urlencode(fields)


def _read_json(body: bytes) -> str:
    try:
        documents = [json.loads(body)]
    except ValueError:
        if b"\n" not in body:
            raise
        documents = [json.loads(line) for line in body.split(b"\n")]
    found: dict[str, str] = {}
    repeated: dict[str, int] = {}

    def visit(value: object, name: str) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                visit(inner, key)
        elif isinstance(value, list):
            for inner in value:
                visit(inner, name)
        elif name:
            if name in found:
                repeated[name] = repeated.get(name, 1) + 1
                name = f"{name}.{repeated[name]}_"
            found[name] = str(value)

    for document in documents:
        visit(document, "")
    return urlencode(found)
