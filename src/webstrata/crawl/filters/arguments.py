"""Arguments of predicates: from the text of a filter to the words that the tests of the core take.

Each reader takes one argument and gives back one or more words, or raises `ValueError` with the part of a
sentence that says what was expected.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import TYPE_CHECKING

from webstrata._core import crawl as _core
from webstrata.collection.settings import parse_bytes
from webstrata.errors import UrlError
from webstrata.web.host import registered_domain
from webstrata.web.url import normalize, split

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_NUMBER = 2**32 - 1
"""The largest number of the core."""

_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
_LANGUAGES = """
af:afr ak:aka am:amh ar:ara az:aze be:bel bg:bul bn:ben ca:cat cs:ces da:dan de:deu el:ell en:eng eo:epo
es:spa et:est fa:pes fi:fin fr:fra gu:guj he:heb hi:hin hr:hrv hu:hun hy:hye id:ind it:ita ja:jpn jv:jav
ka:kat km:khm kn:kan ko:kor la:lat lt:lit lv:lav mk:mkd ml:mal mr:mar my:mya nb:nob ne:nep nl:nld no:nob
or:ori pa:pan pl:pol pt:por ro:ron ru:rus si:sin sk:slk sl:slv sn:sna sr:srp sv:swe ta:tam te:tel th:tha
tk:tuk tl:tgl tr:tur uk:ukr ur:urd uz:uzb vi:vie yi:yid zh:cmn zu:zul
"""
LANGUAGES = dict(pair.split(":") for pair in _LANGUAGES.split())
"""The languages that the core can tell from each other: codes of two letters, and of three."""


@dataclass(frozen=True)
class Parameter:
    """An argument by name: how it is read, whether there may be many, and whether it is or names a list."""

    name: str
    read: Callable[[str], list[str]]
    is_many: bool = False
    is_list: bool = False
    takes_lists: bool = False
    is_optional: bool = False

    def __str__(self) -> str:
        name = f"{self.name}, …" if self.is_many and not self.is_list else self.name
        return f"[{name}]" if self.is_optional else name


def read_text(argument: str) -> list[str]:
    """Any text but the empty one.

    Examples
    --------
    >>> read_text(".html")
    ['.html']
    """
    if not argument:
        raise ValueError("the text is empty; write at least one character")
    return [argument]


def read_host(argument: str) -> list[str]:
    """A host in lower case, a name by IDNA.

    Examples
    --------
    >>> read_host("Bücher.Example"), read_host("192.0.2.1"), read_host("[2001:DB8::1]")
    (['xn--bcher-kva.example'], ['192.0.2.1'], ['[2001:db8::1]'])
    """
    problem = f"`{argument}` is no host; expected a name such as `www.example.org`, without scheme and port"
    outside = argument.rpartition("]")[2]
    if (
        argument[:1] in ("", ".")
        or any(letter in outside for letter in ":/?#@\\")
        or argument != argument.strip()
    ):
        raise ValueError(problem)
    try:
        origin, _ = split(normalize(f"https://{argument}/"))
    except UrlError:
        raise ValueError(problem) from None
    return [origin.removeprefix("https://")]


def read_host_suffix(argument: str) -> list[str]:
    """A host, or a dot and one.

    Examples
    --------
    >>> read_host_suffix(".UK"), read_host_suffix("foo.bar")
    (['.uk'], ['foo.bar'])
    """
    dot = "." if argument.startswith(".") else ""
    return [dot + read_host(argument.removeprefix("."))[0]]


def read_domain(argument: str) -> list[str]:
    """A registered domain.

    Examples
    --------
    >>> read_domain("Example.co.uk")
    ['example.co.uk']
    >>> read_domain("www.example.co.uk")
    Traceback (most recent call last):
    ValueError: `www.example.co.uk` is no registered domain; that of this host is `example.co.uk`
    """
    host = read_host(argument)[0]
    domain = registered_domain(host)
    if domain is None:
        raise ValueError(f"`{argument}` is no registered domain, but an address or a public suffix")
    if domain != host:
        raise ValueError(f"`{argument}` is no registered domain; that of this host is `{domain}`")
    return [domain]


def read_url(argument: str) -> list[str]:
    """A URL in normal form.

    Examples
    --------
    >>> read_url("HTTP://Example.org:80/a#b")
    ['http://example.org/a']
    """
    try:
        return [normalize(argument)]
    except UrlError as error:
        raise ValueError(f"`{argument}` is no URL of a page ({error.reason})") from None


def read_scheme(argument: str) -> list[str]:
    """``http`` or ``https``.

    Examples
    --------
    >>> read_scheme("HTTPS")
    ['https']
    """
    if argument.lower() not in ("http", "https"):
        raise ValueError(f"`{argument}` is no scheme of a page; expected `http` or `https`")
    return [argument.lower()]


def read_count(argument: str, least: int = 0, most: int = MAX_NUMBER) -> list[str]:
    """A whole number.

    Examples
    --------
    >>> read_count("010")
    ['10']
    """
    number = int(argument) if argument.isascii() and argument.isdigit() and len(argument) < 20 else -1
    if not least <= number <= most:
        raise ValueError(f"`{argument}` is no whole number from {least} to {most}")
    return [str(number)]


def read_times(argument: str) -> list[str]:
    """How many times something may be repeated: 2 or more.

    Examples
    --------
    >>> read_times("3")
    ['3']
    """
    return read_count(argument, least=2)


def read_status(argument: str) -> list[str]:
    """A status of HTTP.

    Examples
    --------
    >>> read_status("404")
    ['404']
    """
    return read_count(argument, 100, 999)


def read_status_class(argument: str) -> list[str]:
    """The first digit of a status, also as ``2xx``.

    Examples
    --------
    >>> read_status_class("2"), read_status_class("4xx")
    (['2'], ['4'])
    """
    return read_count(argument.lower().removesuffix("xx"), 1, 9)


def read_size(argument: str) -> list[str]:
    """A size in bytes, also as ``64KiB`` or ``1MB``.

    Examples
    --------
    >>> read_size("64KiB")
    ['65536']
    """
    try:
        size = parse_bytes(argument)
    except (ValueError, ArithmeticError):
        size = -1
    if not 0 <= size < 2**63:
        raise ValueError(f"`{argument}` is no size such as `4096` or `64KiB`")
    return [str(size)]


def read_score(argument: str) -> list[str]:
    """A finite number.

    Examples
    --------
    >>> read_score("0.5")
    ['0.5']
    """
    try:
        score = float(argument)
    except ValueError:
        score = float("nan")
    if not abs(score) < float("inf"):
        raise ValueError(f"`{argument}` is no number")
    return [repr(score)]


def read_digest(argument: str) -> list[str]:
    """A SHA-1, in 40 hexadecimal digits or 32 letters of base 32, also behind ``sha1:``.

    Examples
    --------
    >>> read_digest("sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ")
    ['da39a3ee5e6b4b0d3255bfef95601890afd80709']
    """
    text = argument.lower().removeprefix("sha1:")
    try:
        digest = bytes.fromhex(text) if len(text) == 40 else base64.b32decode(text.upper())
    except (ValueError, binascii.Error):
        digest = b""
    if len(digest) != 20:
        raise ValueError(f"`{argument}` is no SHA-1 of 40 hexadecimal digits or 32 letters of base 32")
    return [digest.hex()]


def read_language(argument: str) -> list[str]:
    """A code of ISO 639, in both lengths.

    Examples
    --------
    >>> read_language("DE"), read_language("deu")
    (['de', 'deu'], ['de', 'deu'])
    """
    code = argument.lower()
    pairs = [list(pair) for pair in LANGUAGES.items() if code in pair]
    if not pairs:
        raise ValueError(f"`{argument}` is no language that can be told; known are {', '.join(LANGUAGES)}")
    return [word for pair in pairs for word in pair]


def read_url_regex(argument: str) -> list[str]:
    """A regular expression of the Rust crate ``regex``, which has no look-around and runs in linear time.

    Examples
    --------
    >>> read_url_regex("/(fish|reef)/")
    ['/(fish|reef)/']
    >>> read_url_regex("(a|b")
    Traceback (most recent call last):
    ValueError: `(a|b` is no regular expression (unclosed group)
    """
    return _read_regex(argument, "url-matches")


def read_body_regex(argument: str) -> list[str]:
    r"""The same for bytes.

    Examples
    --------
    >>> read_body_regex(r"\xFF+.*")
    ['\\xFF+.*']
    """
    return _read_regex(argument, "body-matches")


def read_dust(argument: str) -> list[str]:
    """A rule of DUST: the pattern, or the pattern, an arrow and what it is replaced by.

    Examples
    --------
    >>> read_dust("/index[.]html$ -> /"), read_dust("[?&]sid=[0-9a-f]+")
    (['/index[.]html$'], ['[?&]sid=[0-9a-f]+'])
    """
    pattern = argument.partition(" -> ")[0].strip()
    return _read_regex(pattern, "url-has")


def _read_regex(pattern: str, test: str) -> list[str]:
    try:
        _core.Filter(write_test(test, [pattern]))
    except ValueError as error:
        raise ValueError(f"`{pattern}` is no regular expression ({error})") from None
    return [pattern]


def write_test(test: str, words: list[str]) -> str:
    r"""A line of a program: a test with its words behind tabs.

    Examples
    --------
    >>> write_test("path-suffix", ["a\tb", "c"])
    'path-suffix\ta\\tb\tc'
    """
    return "\t".join([test, *(word.translate(_ESCAPES) for word in words)])
