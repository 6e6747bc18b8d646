"""The predicates of filters: one table that makes their checks, their errors and their page of the docs.

A predicate becomes a test of the core with words for arguments. The same test may serve several predicates:
``HostEquals``, ``HostOneOf`` and ``ForbiddenHost`` all look a host up in a set. Some need a function that the
user gives, as a score of spam; they are asked in batches.

Where a predicate may stand depends on what it looks at:

- a URL, known in all five places, with its depth;
- a link, that is a URL and the page it was found on, known when it is scheduled;
- a response, known when it is parsed, followed and stored; whether it is a duplicate only once it is parsed.
"""

from __future__ import annotations

from dataclasses import dataclass

from webstrata.crawl.filters import arguments as read
from webstrata.crawl.filters.arguments import Parameter

PLACES = {
    "schedule": "whether a URL found on a page enters the frontier",
    "fetch": "whether a URL of the frontier is fetched when its turn comes",
    "parse": "whether a response is parsed",
    "follow": "whether the links of a page are looked at",
    "store": "whether a response is stored",
}
"""The five places where a crawl asks a filter, and what about."""

_RESPONSES = ("parse", "follow", "store")
_KNOWN_IN = {
    "URL": tuple(PLACES),
    "link": ("schedule",),
    "response": _RESPONSES,
    "duplicate": ("follow", "store"),
}


@dataclass(frozen=True)
class Definition:
    """A predicate: its name, its arguments, what it looks at, what it means, and the test that it becomes."""

    name: str
    parameters: tuple[Parameter, ...]
    looks_at: str
    meaning: str
    example: str
    origin: str
    test: str
    given: str = ""
    """The name under which the user gives the function that answers."""

    @property
    def places(self) -> tuple[str, ...]:
        """Where it may stand."""
        return _KNOWN_IN[self.looks_at]

    @property
    def signature(self) -> str:
        """Its name with the names of its arguments."""
        return f"{self.name}({', '.join(map(str, self.parameters))})"


_HOST = Parameter("host", read.read_host)
_HOSTS = Parameter("host", read.read_host, is_many=True, takes_lists=True)
_HOST_LIST = Parameter("list", read.read_host, is_many=True, is_list=True)
_SUFFIX = Parameter("suffix", read.read_host_suffix)
_SUFFIXES = Parameter("suffix", read.read_host_suffix, is_many=True, takes_lists=True)
_DOMAIN = Parameter("domain", read.read_domain)
_DOMAINS = Parameter("domain", read.read_domain, is_many=True, takes_lists=True)

_ROWS: tuple[tuple[str, tuple[Parameter, ...], str, str, str, str, str], ...] = (
    (
        "AllowedHost", (_HOST_LIST,), "URL",
        "The host is in a list, a file or a URL with one host a line.",
        "AllowedHost(hosts.txt)", "webstrata", "host",
    ),
    (
        "ContentTypeStartsWith", (Parameter("prefix", read.read_text),), "response",
        "The Content-Type header begins so, in any case.",
        "ContentTypeStartsWith(text/html)", "BUbiNG", "content-type",
    ),
    (
        "DepthLessThan", (Parameter("depth", read.read_count),), "URL",
        "Fewer links than this lead to the URL from the first one of its host.",
        "DepthLessThan(8)", "webstrata", "depth",
    ),
    (
        "DigestEquals", (Parameter("digest", read.read_digest),), "response",
        "The SHA-1 of the payload is this, in hexadecimal digits or base 32, also behind `sha1:`.",
        "DigestEquals(sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ)", "BUbiNG", "digest",
    ),
    (
        "DomainEquals", (_DOMAIN,), "URL",
        "The registered domain of the host is this.",
        "DomainEquals(example.co.uk)", "webstrata", "domain",
    ),
    (
        "DomainOneOf", (_DOMAINS,), "URL",
        "The registered domain of the host is one of these.",
        "DomainOneOf(example.co.uk, example.org)", "webstrata", "domain",
    ),
    (
        "DuplicateSegmentsLessThan", (Parameter("times", read.read_times),), "URL",
        "No sequence of segments of the path stands so many times directly behind itself, as `foo/bar` does "
        "twice in `/foo/bar/foo/bar/`.",
        "DuplicateSegmentsLessThan(3)", "BUbiNG", "repeats",
    ),
    (
        "DustFree", (Parameter("list", read.read_dust, is_many=True, is_list=True, is_optional=True),), "URL",
        "No DUST rule finds its pattern in the URL, which then has no twin under another name; the rules are "
        "lines `pattern -> replacement` of a list, or given as `DustRules`.",
        "DustFree(rules.txt)", "webstrata", "url-has",
    ),
    (
        "ForbiddenHost", (_HOST_LIST,), "URL",
        "The host is in a list, a file or a URL with one host a line; mostly used behind `not`.",
        "not ForbiddenHost(hosts.txt)", "paper", "host",
    ),
    (
        "HasNoQuery", (), "URL",
        "The URL has no `?`, so the page is static as far as one can see.",
        "HasNoQuery()", "webstrata", "no-query",
    ),
    (
        "HostEndsWith", (_SUFFIX,), "URL",
        "The host is this name or one below it; behind a dot, `.uk`, only one below it. Labels count as "
        "wholes: `foo.bar` does not end with `oo.bar`.",
        "HostEndsWith(foo.bar)", "BUbiNG", "host-suffix",
    ),
    (
        "HostEndsWithOneOf", (_SUFFIXES,), "URL",
        "The host ends, as for `HostEndsWith`, with one of these.",
        "HostEndsWithOneOf(.uk, example.org)", "BUbiNG", "host-suffix",
    ),
    (
        "HostEquals", (_HOST,), "URL",
        "The host is this, whatever the port.",
        "HostEquals(www.example.org)", "BUbiNG", "host",
    ),
    (
        "HostOneOf", (_HOSTS,), "URL",
        "The host is one of these.",
        "HostOneOf(a.example, file:more-hosts.txt)", "webstrata", "host",
    ),
    (
        "IsDuplicate", (), "duplicate",
        "A page with the same digest or fingerprint was there before.",
        "not IsDuplicate()", "webstrata", "duplicate",
    ),
    (
        "IsHttpResponse", (), "response",
        "A server has answered with a status.",
        "IsHttpResponse()", "BUbiNG", "response",
    ),
    (
        "IsProbablyBinary", (), "response",
        "Three or more of the first thousand bytes are zero.",
        "not IsProbablyBinary()", "BUbiNG", "binary",
    ),
    (
        "LanguageIs", (Parameter("language", read.read_language, is_many=True),), "response",
        "The language of the text is one of these, by codes of ISO 639 of two or three letters.",
        "LanguageIs(en, deu)", "webstrata", "language",
    ),
    (
        "NoMoreSlashThan", (Parameter("slashes", read.read_count),), "URL",
        "The path has no more slashes than this; `/a/b` has two.",
        "NoMoreSlashThan(10)", "paper", "slashes",
    ),
    (
        "PathEndsWithOneOf", (Parameter("ending", read.read_text, is_many=True),), "URL",
        "The path, without the query, ends with one of these, in any case.",
        "PathEndsWithOneOf(.html, .htm, /)", "BUbiNG", "path-suffix",
    ),
    (
        "ResponseMatches", (Parameter("regex", read.read_body_regex),), "response",
        "The whole body matches a regular expression, byte by byte; `.` is any byte.",
        'ResponseMatches(".*<title>.*")', "BUbiNG", "body-matches",
    ),
    (
        "SameDomain", (), "link",
        "The link stays in the registered domain of its page; a seed, on no page, passes.",
        "SameDomain()", "webstrata", "same-domain",
    ),
    (
        "SameHost", (), "link",
        "The link stays on the host of its page; a seed, on no page, passes.",
        "SameHost()", "BUbiNG", "same-host",
    ),
    (
        "SchemeEquals", (Parameter("scheme", read.read_scheme),), "URL",
        "The scheme is `http` or `https`, as given.",
        "SchemeEquals(https)", "BUbiNG", "scheme",
    ),
    (
        "SizeLessThan", (Parameter("size", read.read_size),), "response",
        "The body, decoded, has fewer bytes than this.",
        "SizeLessThan(1MiB)", "webstrata", "size",
    ),
    (
        "SpamScoreBelow", (Parameter("score", read.read_score),), "response",
        "The score that the function given as `SpamScore` has for the response is lower.",
        "SpamScoreBelow(0.5)", "webstrata", "",
    ),
    (
        "StatusCategory", (Parameter("class", read.read_status_class),), "response",
        "The first digit of the status is this.",
        "StatusCategory(2)", "BUbiNG", "status-class",
    ),
    (
        "StatusIs", (Parameter("status", read.read_status, is_many=True),), "response",
        "The status is one of these.",
        "StatusIs(200, 203)", "webstrata", "status",
    ),
    (
        "URLEquals", (Parameter("url", read.read_url),), "URL",
        "The URL is this, both in normal form.",
        "URLEquals(http://example.org/a)", "BUbiNG", "url",
    ),
    (
        "URLMatchesRegex", (Parameter("regex", read.read_url_regex),), "URL",
        "The whole URL matches a regular expression.",
        "URLMatchesRegex(https?://[^/]*/(news|blog)/.*)", "BUbiNG", "url-matches",
    ),
    (
        "URLShorterThan", (Parameter("length", read.read_count),), "URL",
        "The URL has fewer bytes than this.",
        "URLShorterThan(1024)", "BUbiNG", "url-shorter",
    ),
)  # fmt: skip

_GIVEN = {"SpamScoreBelow": "SpamScore", "DustFree": "DustRules"}

PREDICATES = {row[0]: Definition(*row, given=_GIVEN.get(row[0], "")) for row in _ROWS}
"""All of them by name, in alphabetical order."""


def describe_predicates() -> list[tuple[str, str, str]]:
    """Signature, places and meaning of each predicate, for a page or a terminal.

    Examples
    --------
    >>> describe_predicates()[-1]
    ('URLShorterThan(length)', 'all', 'The URL has fewer bytes than this.')
    """
    return [
        (
            definition.signature,
            "all" if len(definition.places) == len(PLACES) else ", ".join(definition.places),
            definition.meaning,
        )
        for definition in PREDICATES.values()
    ]
