"""What each predicate means, in plain Python, and what filters are made of."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from hypothesis import strategies as st

from webstrata.crawl.filters import Response
from webstrata.crawl.filters.language import And, Constant, Node, Not, Or, Predicate
from webstrata.web.host import registered_domain

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Subject:
    """A URL, the page it was found on, its depth, the answer."""

    url: str
    source: str | None = None
    depth: int = 0
    response: Response | None = None

    @property
    def host(self) -> str:
        return host_of(self.url)

    @property
    def path(self) -> str:
        return urlsplit(self.url).path


def host_of(url: str) -> str:
    authority = urlsplit(url).netloc
    return re.sub(r":\d*$", "", authority)


def has_repeat(segments: list[str], times: int) -> bool:
    """Whether a sequence of segments stands so many times behind itself, by trying all places and lengths."""
    for start, length in itertools.product(range(len(segments)), range(1, len(segments) + 1)):
        piece = segments[start : start + length]
        if segments[start : start + length * times] == piece * times:
            return True
    return False


def segments_of(path: str) -> list[str]:
    return path.removeprefix("/").removesuffix("/").split("/")


def domain_of(host: str) -> str:
    return registered_domain(host) or host


def ends_with(host: str, suffix: str) -> bool:
    labels, ending = host.split("."), suffix.removeprefix(".").split(".")
    if labels[-len(ending) :] != ending:
        return False
    return len(labels) > len(ending) or not suffix.startswith(".")


def _is_answer(test: Callable[[Response], bool]) -> Callable[[Subject], bool]:
    return lambda subject: subject.response is not None and test(subject.response)


def holds(subject: Subject, name: str, *arguments: str) -> bool:
    """Whether a predicate is true of a subject; its arguments are as the core gets them."""
    first = arguments[0] if arguments else ""
    on_urls: dict[str, Callable[[Subject], bool]] = {
        "DepthLessThan": lambda s: s.depth < int(first),
        "DomainEquals": lambda s: registered_domain(s.host) == first,
        "DomainOneOf": lambda s: registered_domain(s.host) in arguments,
        "DuplicateSegmentsLessThan": lambda s: not has_repeat(segments_of(s.path), int(first)),
        "HasNoQuery": lambda s: "?" not in s.url,
        "HostEndsWith": lambda s: ends_with(s.host, first),
        "HostEndsWithOneOf": lambda s: any(ends_with(s.host, suffix) for suffix in arguments),
        "HostEquals": lambda s: s.host == first,
        "HostOneOf": lambda s: s.host in arguments,
        "NoMoreSlashThan": lambda s: s.path.count("/") <= int(first),
        "PathEndsWithOneOf": lambda s: s.path.lower().endswith(tuple(end.lower() for end in arguments)),
        "SameDomain": lambda s: s.source is None or domain_of(host_of(s.source)) == domain_of(s.host),
        "SameHost": lambda s: s.source is None or host_of(s.source) == s.host,
        "SchemeEquals": lambda s: urlsplit(s.url).scheme == first,
        "URLEquals": lambda s: s.url == first,
        "URLMatchesRegex": lambda s: re.fullmatch(first, s.url) is not None,
        "URLShorterThan": lambda s: len(s.url.encode()) < int(first),
    }
    on_responses: dict[str, Callable[[Response], bool]] = {
        "ContentTypeStartsWith": lambda r: r.content_type.lower().startswith(first.lower()),
        "DigestEquals": lambda r: r.digest.hex() == first,
        "IsDuplicate": lambda r: r.is_duplicate,
        "IsHttpResponse": lambda r: r.status >= 100,
        "IsProbablyBinary": lambda r: r.body[:1000].count(0) >= 3,
        "LanguageIs": lambda r: r.language in arguments,
        "ResponseMatches": lambda r: re.fullmatch(first.encode(), r.body, re.DOTALL) is not None,
        "SizeLessThan": lambda r: len(r.body) < int(first),
        "StatusCategory": lambda r: r.status // 100 == int(first),
        "StatusIs": lambda r: str(r.status) in arguments,
    }
    if name in on_urls:
        return on_urls[name](subject)
    return _is_answer(on_responses[name])(subject)


def admits(node: Node, subject: Subject) -> bool:
    """Whether a filter admits a subject."""
    match node:
        case Constant(value):
            return value
        case Not(term):
            return not admits(term, subject)
        case And(terms):
            return all(admits(term, subject) for term in terms)
        case Or(terms):
            return any(admits(term, subject) for term in terms)
        case Predicate(name, arguments):
            return holds(subject, name, *arguments)


# ---- random filters, and what they look at: small alphabets, so that both answers are common

_names = st.sampled_from(["a.uk", "b.co.uk", "www.b.co.uk", "a.example", "x.a.example", "uk", "example"])
_suffixes = st.one_of(_names, _names.map(".{}".format))
_domains = st.sampled_from(["a.uk", "b.co.uk", "a.example"])
_numbers = st.integers(0, 40).map(str)
_regexes = st.sampled_from(
    ["http://.*", ".*a{1,2}.*", r"[^?]*\?.*", "https?://(a|b)[^/]*/(a/)*", '.*"x,y".*']
)
_endings = st.sampled_from(["a", "/", "A", "/a", "b/", ".html"])
_many = st.integers(1, 7)

urls = st.builds(
    "{}://{}{}/{}{}".format,
    st.sampled_from(["http", "https"]),
    _names,
    st.sampled_from(["", ":8080"]),
    st.lists(st.sampled_from(["a", "b", "A", "", "x.html"]), max_size=9).map("/".join),
    st.sampled_from(["", "?", "?a=/b/b"]),
)
responses = st.builds(
    Response,
    url=st.just("http://a.uk/"),
    status=st.sampled_from([0, 200, 204, 301, 404, 500]),
    content_type=st.sampled_from(["", "text/html", "Text/HTML; charset=utf-8", "image/png"]),
    body=st.one_of(st.binary(max_size=30), st.lists(st.sampled_from([b"a", b"\n", b"\x00"])).map(b"".join)),
    digest=st.sampled_from([bytes(20), bytes(range(20))]),
    is_duplicate=st.booleans(),
    language=st.sampled_from([None, "en", "eng", "deu"]),
)
subjects = st.builds(
    Subject, urls, st.none() | urls, depth=st.integers(0, 40), response=st.none() | responses
)


def _some(arguments: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(arguments, min_size=1, max_size=8).map(tuple)


def _one(arguments: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[str, ...]]:
    return arguments.map(lambda argument: (argument,))


ARGUMENTS: dict[str, st.SearchStrategy[tuple[str, ...]]] = {
    "DepthLessThan": _one(_numbers),
    "DomainEquals": _one(_domains),
    "DomainOneOf": _some(_domains),
    "DuplicateSegmentsLessThan": _one(st.integers(2, 4).map(str)),
    "HasNoQuery": st.just(()),
    "HostEndsWith": _one(_suffixes),
    "HostEndsWithOneOf": _some(_suffixes),
    "HostEquals": _one(_names),
    "HostOneOf": _some(_names),
    "NoMoreSlashThan": _one(st.integers(0, 8).map(str)),
    "PathEndsWithOneOf": _some(_endings),
    "SameDomain": st.just(()),
    "SameHost": st.just(()),
    "SchemeEquals": _one(st.sampled_from(["http", "https"])),
    "URLEquals": _one(urls),
    "URLMatchesRegex": _one(_regexes),
    "URLShorterThan": _one(_numbers),
}
RESPONSE_ARGUMENTS: dict[str, st.SearchStrategy[tuple[str, ...]]] = {
    "ContentTypeStartsWith": _one(st.sampled_from(["text/", "TEXT/html", "image/png"])),
    "DigestEquals": _one(st.just(bytes(20).hex())),
    "IsDuplicate": st.just(()),
    "IsHttpResponse": st.just(()),
    "IsProbablyBinary": st.just(()),
    "LanguageIs": st.sampled_from([("en", "eng"), ("de", "deu"), ("en", "eng", "fr", "fra")]),
    "ResponseMatches": _one(st.sampled_from([".*", "a+", ".*a.a.*", "[^a]*"])),
    "SizeLessThan": _one(_numbers),
    "StatusCategory": _one(st.integers(1, 5).map(str)),
    "StatusIs": _some(st.sampled_from(["200", "204", "301", "404"])),
}


def trees(leaves: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    """Random trees over these leaves."""
    return st.recursive(
        st.one_of(leaves, leaves, leaves, st.booleans().map(Constant)),
        lambda terms: st.one_of(
            terms.map(Not),
            st.lists(terms, min_size=2, max_size=4).map(lambda some: And(tuple(some))),
            st.lists(terms, min_size=2, max_size=4).map(lambda some: Or(tuple(some))),
        ),
        max_leaves=8,
    )


def filters(names: dict[str, st.SearchStrategy[tuple[str, ...]]]) -> st.SearchStrategy[Node]:
    """Random filters over these predicates."""
    return trees(
        st.sampled_from(sorted(names)).flatmap(
            lambda name: names[name].map(lambda arguments: Predicate(name, arguments))
        )
    )
