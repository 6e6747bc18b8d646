"""What the records of an archive say of one request and its answer, whoever wrote them.

Archives differ in what they store. Here an answer has its payload without transfer coding and without content
coding, wherever these can be undone; where they cannot, the payload had none although the head tells of it,
or is damaged, and is kept as it is. A ``resource`` is an answer without a head of its own, and gets one. The
``request`` and ``metadata`` records that belong to an answer stand next to it, before or behind.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from webstrata.archive.codings import decode, first, parse_headers
from webstrata.archive.html_folder import is_html
from webstrata.archive.request_body import URN, parse_request
from webstrata.archive.warc import Record, Revisit
from webstrata.errors import UrlError
from webstrata.web.html import Directives, glance, parse_directives
from webstrata.web.url import normalize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from webstrata.archive.request_body import Request
    from webstrata.archive.tally import Tally

Truncated = Literal["length", "time", "disconnect", "unspecified"]

HTML = ("text/html", "application/xhtml+xml")
_STATUS = re.compile(rb"\s*HTTP/\d(?:\.\d)?[ \t]+(\d{3})\b")
_TRUNCATED: dict[str, Truncated] = {
    "length": "length",
    "time": "time",
    "disconnect": "disconnect",
    "unspecified": "unspecified",
}
_NOT_MODIFIED = "server-not-modified"
_DATE = re.compile(
    r"(\d{4})-?(\d\d)-?(\d\d|\d{3}(?=T))[T ]?(\d\d):?(\d\d):?(\d\d)(?:\.(\d+)|\d*)(Z|[+-]\d\d:?\d\d)?",
    re.ASCII | re.IGNORECASE,
)
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


@dataclass
class ReadResponse:
    """One answer of a server, ready to be stored."""

    record: Record
    url: str
    date: int | None
    """Nanoseconds since 1970; None where the record does not tell."""
    status: int
    """0 where the record does not tell, as a ``revisit`` without a head."""
    mime: str
    head: bytes
    body: bytes
    is_decoded: bool = False
    truncated: Truncated | None = None
    revisit: Revisit | None = None
    fingerprint: int | None = None
    redirect: str | None = None
    robots: str | None = None
    page_robots: str | None = None
    """What of `robots` the payload itself says."""
    request: bytes = b""
    parsed_request: Request | None = None
    """What was requested, where its method is not GET."""
    metadata: list[tuple[str, str]] = field(default_factory=list)
    others: list[Record] = field(default_factory=list)
    """The ``request`` and ``metadata`` records that belong to it."""

    @property
    def is_page(self) -> bool:
        """Whether it is what GET returns for an address: others may refer to its payload."""
        return self.parsed_request is None and not self.url.startswith(URN)

    @property
    def full_url(self) -> str:
        """The URL, with method and body of a request that is not GET: what makes it another capture."""
        return self.parsed_request.append_to(self.url) if self.parsed_request else self.url


def iter_answers(
    records: Iterable[Record], tally: Tally, *, alone: Callable[[Record], None] | None = None
) -> Iterator[ReadResponse]:
    r"""The answers among the records of a file, each with its request; what is none is counted.

    Records that belong to no answer are given to `alone`.

    Examples
    --------
    >>> from webstrata.archive.tally import Tally
    >>> facts = (
    ...     ("WARC-Target-URI", "http://a.uk/b/../c"), ("WARC-Date", "2001-09-09T01:46:40Z"),
    ...     ("Content-Type", "application/http"))
    >>> head = b"HTTP/1.1 301 Moved\r\nLocation: d\r\nTransfer-Encoding: chunked\r\n\r\n"
    >>> block = head + b"3\r\nabc\r\n0\r\n\r\n"
    >>> answer = next(iter_answers([Record("response", facts, block, 0)], Tally()))
    >>> answer.url, answer.date, answer.status, answer.redirect, answer.body
    ('http://a.uk/c', 1000000000000000000, 301, 'http://a.uk/d', b'abc')
    """
    leave = alone or (lambda _: None)
    answer: ReadResponse | None = None
    waiting: Record | None = None
    for record in records:
        if record.kind in ("response", "revisit", "resource"):
            if answer is not None:
                yield from _finish(answer, tally, leave)
            answer = _read(record, tally)
            if answer is None:
                leave(record)
            elif waiting is not None and _belong(waiting, record):
                answer.request = waiting.block
                answer.others.append(waiting)
                waiting = None
        elif record.kind == "request":
            if answer is not None and not answer.request and _belong(record, answer.record):
                answer.request = record.block
                answer.others.append(record)
            else:
                if waiting is not None:
                    leave(waiting)
                waiting = record
        elif record.kind == "metadata" and answer is not None and _belong(record, answer.record):
            answer.metadata += _read_fields(record.block)
            answer.others.append(record)
        else:
            leave(record)
            if record.kind not in ("warcinfo", "metadata"):
                tally.leave_out(f"a record of kind {record.kind}")
    if answer is not None:
        yield from _finish(answer, tally, leave)
    if waiting is not None:
        leave(waiting)


def _finish(answer: ReadResponse, tally: Tally, leave: Callable[[Record], None]) -> Iterator[ReadResponse]:
    if answer.request:
        request = parse_request(answer.request)
        if request is None:
            tally.leave_out("a response to what is no HTTP request")
            for record in (answer.record, *answer.others):
                leave(record)
            return
        answer.parsed_request = None if request.is_get else request
    yield answer


def _belong(other: Record, record: Record) -> bool:
    """Whether a request or metadata record is about the capture of `record`."""
    own, theirs = record.get("WARC-Record-ID"), other.get("WARC-Record-ID")
    links = [other.get("WARC-Concurrent-To"), other.get("WARC-Refers-To")]
    back = record.get("WARC-Concurrent-To")
    if any(links) or back:
        return (own is not None and own in links) or (theirs is not None and back == theirs)
    return other.url == record.url and other.get("WARC-Date") == record.get("WARC-Date")


def _read_fields(block: bytes) -> list[tuple[str, str]]:
    lines = (line.partition(":") for line in block.decode("utf-8", "replace").splitlines())
    return [(name.strip(), value.strip()) for name, colon, value in lines if colon and name.strip()]


def _read(record: Record, tally: Tally) -> ReadResponse | None:
    is_urn = record.kind == "resource" and (record.url or "").startswith(URN)
    try:
        url = (record.url or "") if is_urn else normalize(record.url or "")
    except UrlError as error:
        tally.leave_out(f"no page of the web by its URL ({error.reason})")
        return None
    date = parse_date(record.get("WARC-Date"))
    truncated = _TRUNCATED.get(record.get("WARC-Truncated") or "")
    if record.is_cut:
        truncated = "unspecified"
    if record.kind == "resource":
        mime = media_type(record.get("Content-Type") or "")
        head = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\n" % (record.get("Content-Type") or "").encode(
            "latin-1", "replace"
        )
        answer = ReadResponse(record, url, date, 200, mime, head, record.block, truncated=truncated)
    else:
        found = _STATUS.match(record.head)
        if found is None and record.kind == "response":
            tally.leave_out("no answer in HTTP")
            return None
        status, headers = int(found[1]) if found else 0, parse_headers(record.head)
        identified = media_type(record.get("WARC-Identified-Payload-Type") or "")
        mime = identified or media_type(first(headers, "content-type") or "")
        answer = ReadResponse(
            record, url, date, status, mime, record.head, record.payload, truncated=truncated
        )
        if record.kind == "revisit":
            answer.revisit = _read_revisit(record, url)
            answer.body = b""
        else:
            decoded = decode(record.head, record.payload, headers)
            answer.body, answer.is_decoded = decoded.body, decoded.is_decoded
            answer.truncated = "length" if decoded.is_cut else truncated
        _read_headers(answer, headers)
    if not is_urn:
        _look_at_page(answer)
    return answer


def _read_revisit(record: Record, url: str) -> Revisit:
    profile: Literal["identical-digest", "not-modified", "duplicate"] = "identical-digest"
    told = record.get("WARC-Profile") or ""
    if _NOT_MODIFIED in told:
        profile = "not-modified"
    elif "same-fingerprint" in told:
        profile = "duplicate"
    try:
        target = normalize(record.get("WARC-Refers-To-Target-URI") or url)
    except UrlError:
        target = url
    return Revisit(profile, target, parse_date(record.get("WARC-Refers-To-Date")) or 0)


def _read_headers(answer: ReadResponse, headers: list[tuple[str, str]]) -> None:
    location = first(headers, "location")
    if 300 <= answer.status < 400 and location:
        with contextlib.suppress(UrlError):
            # headers beyond ASCII are UTF-8 more often than Latin-1
            answer.redirect = normalize(location.encode("latin-1").decode("utf-8", "replace"), answer.url)
    tags = ", ".join(value for name, value in headers if name == "x-robots-tag")
    answer.robots = tell_robots(parse_directives(tags)) if tags else None


def _look_at_page(answer: ReadResponse) -> None:
    if answer.revisit is not None:
        return
    if not answer.mime and is_html(answer.body[:1024]):
        answer.mime = "text/html"
    if answer.mime in HTML and answer.status == 200:
        label = re.search(rb"(?i)\ncontent-type:[^\n]*charset=[\"' ]*([\w.:-]+)", answer.head)
        answer.fingerprint, asked = glance(answer.body, charset=label[1].decode() if label else None)
        answer.page_robots = tell_robots(asked)
        answer.robots = join_robots(answer.robots, answer.page_robots)


@lru_cache(64)
def join_robots(*asked: str | None) -> str | None:
    """What several sources ask of robots together, as the index tells it.

    Examples
    --------
    >>> join_robots("nofollow", None, "noindex,nofollow")
    'noindex,nofollow'
    """
    words = ",".join(text for text in asked if text)
    return ",".join(name for name in ("noindex", "nofollow") if name in words) or None


@lru_cache(64)
def tell_robots(asked: Directives) -> str | None:
    """What a page asks of robots, as the index tells it.

    Examples
    --------
    >>> tell_robots(Directives.NOINDEX | Directives.NOARCHIVE)
    'noindex'
    """
    both = ((Directives.NOINDEX, "noindex"), (Directives.NOFOLLOW, "nofollow"))
    return ",".join(name for directive, name in both if directive in asked) or None


# ---- HTTP


def media_type(value: str) -> str:
    """The media type of a Content-Type header, without its parameters.

    Examples
    --------
    >>> media_type("Text/HTML; charset=utf-8"), media_type("nonsense")
    ('text/html', '')
    """
    name = value.partition(";")[0].strip().lower()
    return name if re.fullmatch(r"[\w.+!#$&^-]+/[\w.+!#$&^-]+", name, re.ASCII) else ""


def parse_date(text: str | None) -> int | None:
    """Nanoseconds since 1970 of a ``WARC-Date``, also of 14 digits; None if it is none.

    ClueWeb writes the day of the year where that of the month belongs.

    Examples
    --------
    >>> parse_date("2001-09-09T01:46:40.123456789Z"), parse_date("20010909014640"), parse_date("yesterday")
    (1000000000123456789, 1000000000000000000, None)
    >>> parse_date("2008-10-294T05:21:46-0700") == parse_date("2008-10-20T12:21:46Z")
    True
    """
    match = _DATE.fullmatch((text or "").strip())
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(match[place]) for place in range(1, 7))
    extra = dt.timedelta()
    if day > 31:
        month, day, extra = 1, 1, dt.timedelta(days=day - 1)
    try:
        moment = dt.datetime(year, month, day, hour, minute, second, tzinfo=dt.UTC) + extra
        if match[8] and match[8] not in "Zz":
            away = dt.timedelta(hours=int(match[8][1:3]), minutes=int(match[8][-2:]))
            moment += away if match[8][0] == "-" else -away
    except (ValueError, OverflowError):
        return None
    seconds = (moment - _EPOCH) // dt.timedelta(seconds=1)
    return seconds * 10**9 + int((match[7] or "").ljust(9, "0")[:9]) if seconds >= 0 else None
