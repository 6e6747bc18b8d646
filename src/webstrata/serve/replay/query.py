"""Parameters of the CDX server, as pywb and the Wayback Machine define them (`PARAMETERS`).

Other parameters, such as pywb's ``allowFuzzy``, are accepted and have no effect.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import parse_qsl, quote_plus

from webstrata.archive.cdxj import surt
from webstrata.errors import UrlError
from webstrata.serve.replay.filters import FieldFilter, FieldFilterError, parse_filters, rename
from webstrata.serve.replay.lines import Range
from webstrata.web.url import normalize

if TYPE_CHECKING:
    from collections.abc import Sequence

PARAMETERS = {
    "url": "A URL, a host, or a key such as `org,example)/`; `*.example.org` and `example.org/a*` are short "
    "for the match types domain and prefix.",
    "matchType": "`exact` (default), `prefix`, `host`, `domain`, or `range`: from `url` up to, and without, "
    "`urlEnd`.",
    "from, to": "First and last timestamp; 4 to 14 digits, which stand for the whole period.",
    "limit": "Number of captures; a negative one takes the last ones.",
    "sort": "`reverse` (also `reverse=true`) or `closest`.",
    "closest": "A timestamp; captures are sorted by their distance from it.",
    "filter": "`[!][=|~]field:value`: contains, equals (`=`), matches a regular expression from the "
    "beginning (`~`); `!` negates; up to 20.",
    "fields, fl": "Names, separated by commas.",
    "collapse": "`field` or `field:N`: of neighbours with the same value, or the same first N characters of "
    "it, the first one; `collapseTime=N` by timestamp and status.",
    "output": "`cdxj` (default), `json` (one object per line), `text` or `link`.",
    "page, pageSize": "The number of a page, from 0 on, and its size in blocks of about 300 captures; "
    "default size: 10.",
    "showNumPages": "`true`: the number of pages, as JSON.",
    "showResumeKey, resumeKey": "After a limited response, an empty line and the key with which the next "
    "request continues.",
    "resolveRevisits": "`true`: adds `orig.length`, `orig.offset` and `orig.filename`.",
    "gzip": "`false`: the response is not compressed.",
}
"""Every parameter and its meaning."""
MATCHES = ("exact", "prefix", "host", "domain", "range")
OUTPUTS = ("cdxj", "json", "text", "link")
PAGE_SIZE = 10
"""Blocks of a page, as in pywb."""
MAX_PAGE_SIZE = 100
_NO = frozenset({"", "0", "false", "no", "off"})


class CdxError(Exception):
    """A query that cannot be answered; the client gets status 400 and the sentence."""


@dataclass(frozen=True, kw_only=True)
class CdxQuery:
    """What a client asked for.

    Examples
    --------
    >>> query = CdxQuery.parse("url=*.example.org&limit=-3&fl=urlkey,timestamp")
    >>> query.match, query.limit, query.is_backward, query.fields
    ('domain', 3, True, ('urlkey', 'timestamp'))
    >>> CdxQuery.parse("url=http://example.org/&output=xml")
    Traceback (most recent call last):
    webstrata.serve.replay.query.CdxError: output=xml not supported
    """

    url: str
    match: str = "exact"
    ranges: tuple[Range, ...] = ()
    first: str = ""
    """First timestamp, 14 digits, or nothing."""
    last: str = ""
    limit: int | None = None
    order: Literal["", "reverse", "last", "closest"] = ""
    closest: str = ""
    filters: tuple[FieldFilter, ...] = ()
    fields: tuple[str, ...] = ()
    collapse: tuple[tuple[str, int], ...] = ()
    collapse_time: int = 0
    output: str = "cdxj"
    page: int | None = None
    page_size: int = PAGE_SIZE
    is_page_count: bool = False
    has_resume_key: bool = False
    resume: tuple[str, int] | None = None
    """Key with timestamp, and how many lines of these were sent before."""
    resolves_revisits: bool = False
    is_compressed: bool = True

    @classmethod
    def parse(cls, text: str, **given: str) -> CdxQuery:
        """The query of a query string; `given` parameters take precedence."""
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=200)
        return cls.read([*pairs, *given.items()])

    @classmethod
    def read(cls, pairs: Sequence[tuple[str, str]]) -> CdxQuery:
        """The query of names and values, or `CdxError`."""
        values = dict(pairs)
        output = values.get("output") or "cdxj"
        if output not in OUTPUTS:
            raise CdxError(f"output={output} not supported")
        url = values.get("url", "")
        if not url:
            raise CdxError('The "url" param is required')
        match = values.get("matchType", "")
        if not match:
            url, match = _split_wildcard(url)
        limit = _number(values, "limit", None)
        order = _find_order(values, limit)
        first, last = (_pad(values.get(name, ""), name, end) for name, end in (("from", "0"), ("to", "9")))
        try:
            filters = parse_filters([value for name, value in pairs if name == "filter"])
        except FieldFilterError as error:
            raise CdxError(str(error)) from None
        page = _number(values, "page", None)
        fields = values.get("fields") or values.get("fl") or ""
        return cls(
            url=url,
            match=match,
            ranges=find_ranges(url, match, values.get("urlEnd", "")),
            first=first,
            last=last,
            limit=abs(limit) if limit else None,
            order=order,
            closest=_pad(values.get("closest", ""), "closest", "0") if order == "closest" else "",
            filters=filters,
            fields=tuple(rename(name.strip()) for name in fields.split(",") if name.strip()),
            collapse=tuple(_parse_collapse(value) for name, value in pairs if name == "collapse" and value),
            collapse_time=_number(values, "collapseTime", 0) or 0,
            output=output,
            page=page,
            page_size=_page_size(values),
            is_page_count=_flag(values, "showNumPages"),
            has_resume_key=_flag(values, "showResumeKey"),
            resume=_parse_resume(values.get("resumeKey", "")),
            resolves_revisits=_flag(values, "resolveRevisits"),
            is_compressed="gzip" not in values or _flag(values, "gzip"),
        )

    @property
    def is_backward(self) -> bool:
        """Whether lines are read from the end of the range."""
        return self.order in ("reverse", "last")

    @property
    def is_plain(self) -> bool:
        """Whether every line of the ranges is wanted, in order."""
        return not (self.filters or self.collapse or self.collapse_time or self.resolves_revisits)


def find_ranges(url: str, match: str, end: str = "") -> tuple[Range, ...]:
    """The ranges of lines that a URL and a match type stand for, or `CdxError`.

    Examples
    --------
    >>> find_ranges("http://www.example.org/a/", "prefix")
    (Range(low=b'org,example)/a/', high=b'org,example)/a0'),)
    >>> find_ranges("example.org", "domain")
    (Range(low=b'org,example)', high=b'org,example-'), Range(low=b'org,example:', high=b'org,example;'))
    """
    if match not in MATCHES:
        raise CdxError(f"Invalid match_type: {match}")
    key = find_key(url)
    host = key.partition(")")[0]
    if match == "exact":
        return (Range(f"{key} ".encode(), f"{key}!".encode()),)
    if match == "range":
        if not end:
            raise CdxError('The "urlEnd" param is required with matchType=range')
        return (Range(key.encode(), find_key(end).encode()),)
    if match == "prefix":
        key += next((mark for mark in "/?" if url.endswith(mark) and not key.endswith(mark)), "")
        return (Range(key.encode(), _after(key)),)
    if match == "host":
        return (Range(f"{host})".encode(), f"{host}*".encode()),)
    # in the order of bytes `)` < `,` < `-` < `:`; names with a hyphen are between the host and its ports
    name = host.partition(":")[0]
    return Range(f"{name})".encode(), f"{name}-".encode()), Range(f"{name}:".encode(), f"{name};".encode())


def find_key(url: str) -> str:
    """The key of a URL, of a host, or of what is a key already, or `CdxError`.

    Examples
    --------
    >>> find_key("www.example.org"), find_key("org,example)/a")
    ('org,example)/', 'org,example)/a')
    """
    if "://" not in url and ")" in url.partition("/")[0] and "," in url:
        return url.lower()
    try:
        key = surt(normalize(url if "://" in url else f"http://{url}"))
    except UrlError as error:
        raise CdxError(f"Invalid Url: {url[:200]} ({error})") from None
    return key


def make_resume_key(key: str, timestamp: str, number: int) -> str:
    """The key with which a client continues after `number` lines of a key and timestamp.

    Examples
    --------
    >>> make_resume_key("org,example)/", "20260612000000", 1)
    'org%2Cexample%29%2F+20260612000000+1'
    """
    return quote_plus(f"{key} {timestamp} {number}")


def _split_wildcard(url: str) -> tuple[str, str]:
    if url.startswith("*."):
        return url[2:], "domain"
    if url.endswith("*"):
        return url[:-1], "prefix"
    return url, "exact"


def _find_order(values: dict[str, str], limit: int | None) -> Literal["", "reverse", "last", "closest"]:
    sort = values.get("sort", "")
    if sort not in ("", "default", "reverse", "closest"):
        raise CdxError(f"sort={sort} not supported")
    if values.get("closest"):
        return "closest"
    if sort == "closest":
        raise CdxError('The "closest" param is required with sort=closest')
    if sort == "reverse" or _flag(values, "reverse"):
        return "reverse"
    return "last" if limit is not None and limit < 0 else ""


def _parse_collapse(text: str) -> tuple[str, int]:
    name, _, length = text.partition(":")
    if length and not length.isdigit():
        raise CdxError(f"Invalid value for collapse= param: {text}")
    return rename(name), int(length or 0)


def _parse_resume(text: str) -> tuple[str, int] | None:
    if not text:
        return None
    words = text.rsplit(" ", 2)
    if len(words) != 3 or not words[1].isdigit() or not words[2].isdigit():
        raise CdxError(f"Invalid value for resumeKey= param: {text}")
    return f"{words[0]} {words[1]}", int(words[2])


def _page_size(values: dict[str, str]) -> int:
    size = _number(values, "pageSize", PAGE_SIZE) or PAGE_SIZE
    if size < 0:
        raise CdxError(f"Invalid value for pageSize= param: {size}")
    return min(size, MAX_PAGE_SIZE)


def _number(values: dict[str, str], name: str, default: int | None) -> int | None:
    text = values.get(name, "")
    if not text:
        return default
    try:
        number = int(text)
    except ValueError:
        raise CdxError(f"Invalid value for {name}= param: {text[:40]}") from None
    if abs(number) > 1 << 62:
        raise CdxError(f"Invalid value for {name}= param: {text[:40]}")
    return number


def _flag(values: dict[str, str], name: str) -> bool:
    return values.get(name, "").lower() not in _NO


def _pad(text: str, name: str, fill: str) -> str:
    """A timestamp of 14 digits: the first moment of a period, or (``9``) its last one."""
    if not text:
        return ""
    if text == "now" and name == "closest":
        return dt.datetime.now(dt.UTC).strftime("%Y%m%d%H%M%S")
    if not text.isascii() or not text.isdigit() or len(text) > 14:
        raise CdxError(f"Invalid value for {name}= param: {text[:40]}")
    if fill == "9":
        return text.ljust(14, "9")  # it is only compared
    return text + "00000101000000"[len(text) :] if len(text) >= 4 else text.ljust(14, "0")


def _after(key: str) -> bytes:
    return (key[:-1] + chr(ord(key[-1]) + 1)).encode()
