"""Parsers by content type: documents that are not HTML as pages with text and links (LECT: extensible).

A parser is a function of a payload, its URL and its content type that returns a `ParsedDocument`: a title, a
language and blocks of text, each of which may be a heading or a link. The store step writes the document as
HTML and parses that like any page, so text, words, language, main content, links and anchor texts follow by
the same rules as for HTML::

    payload ──parser──▶ ParsedDocument ──to_html──▶ the core ──▶ text, links, anchors

A parser has a name, and is used where the setting ``parsers`` of ``[store]`` names it: then documents of its
content types, with status 200, are pages and have nodes. Known are those of this package (`BUILT_IN`), those
that `register_parser` was called with, and those of installed packages: an entry point of the group
``webstrata.parsers`` names a `Parser`, or a function without arguments that returns one.

HTML and plain text are parsed by the core, and need no parser. A parser that raises an exception leaves a
page without text and links; it is logged and counted as unreadable.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import TYPE_CHECKING

from webstrata.errors import MissingExtraError, SettingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Parse = Callable[[bytes, str, str], "ParsedDocument"]

GROUP = "webstrata.parsers"
"""Of entry points."""
CORE_TYPES = ("text/html", "application/xhtml+xml", "text/plain")
"""Content types that the core parses."""
_WHOLE = re.compile(r"(?i)</?(?:base|body|frameset|head|html|link|meta|noframes|plaintext|title)\b[^>]*>")


@dataclass(frozen=True)
class ParsedBlock:
    """A paragraph, heading or link of a document."""

    text: str = ""
    level: int = 0
    """1 to 6 for headings."""
    link: str = ""
    """What the text is the anchor of; relative URLs are resolved against that of the document."""
    html: str = ""
    """Markup in place of the text; elements that concern the whole document are removed."""

    def to_html(self) -> str:
        """The block as HTML.

        Examples
        --------
        >>> ParsedBlock("A & B", link="/x").to_html(), ParsedBlock("Fish", level=2).to_html()
        ('<p><a href="/x">A &amp; B</a></p>', '<h2>Fish</h2>')
        """
        inner = _WHOLE.sub("", self.html) or html.escape(self.text).replace("\n", "<br>")
        if self.link:
            inner = f'<a href="{html.escape(self.link)}">{inner}</a>'
        name = f"h{min(self.level, 6)}" if self.level > 0 else "p"
        return f"<{name}>{inner}</{name}>"


@dataclass(frozen=True)
class ParsedDocument:
    """What a parser finds in a payload."""

    title: str = ""
    blocks: Sequence[ParsedBlock] = ()
    language: str = ""
    """As the document names it (``en``); empty where it does not."""

    def to_html(self) -> bytes:
        """A page in UTF-8 that shows the same.

        Examples
        --------
        >>> ParsedDocument("Fish", [ParsedBlock("They swim.")], "en").to_html().decode()
        '<!DOCTYPE html><html lang="en"><title>Fish</title><main><p>They swim.</p></main>'
        """
        language = f' lang="{html.escape(self.language)}"' if self.language else ""
        blocks = "\n".join(block.to_html() for block in self.blocks)
        page = f"<!DOCTYPE html><html{language}><title>{html.escape(self.title)}</title><main>{blocks}</main>"
        return page.encode("utf-8", "replace")


@dataclass(frozen=True)
class Parser:
    """A parser with its name and the content types it is for."""

    name: str
    content_types: tuple[str, ...]
    parse: Parse
    module: str = ""
    """A package that it needs, and that need not be installed."""

    def __post_init__(self) -> None:
        for kind in self.content_types:
            if kind in CORE_TYPES or kind != kind.lower().strip() or kind.count("/") != 1:
                raise ValueError(
                    f"parser {self.name}: expected content types such as application/pdf, other than "
                    f"{', '.join(CORE_TYPES)}; got {kind!r}"
                )


_registered: dict[str, Parser] = {}


def register_parser(name: str, content_types: Iterable[str], parse: Parse) -> Parser:
    """Make a parser known under a name in this process; one of the same name is replaced.

    Examples
    --------
    >>> def parse_csv(body, url, content_type):
    ...     return ParsedDocument(blocks=[ParsedBlock(line) for line in body.decode().splitlines()])
    >>> register_parser("csv", ["text/csv"], parse_csv).content_types
    ('text/csv',)
    >>> unregister_parser("csv")
    """
    parser = Parser(name, tuple(content_types), parse)
    _registered[name] = parser
    return parser


def unregister_parser(name: str) -> None:
    """Forget a parser that was registered.

    Examples
    --------
    >>> unregister_parser("never-there")
    """
    _registered.pop(name, None)


def _built_in() -> dict[str, Parser]:
    from webstrata.store.parsers.feeds import FEED
    from webstrata.store.parsers.json_ld import JSON_LD
    from webstrata.store.parsers.pdf import PDF

    return {parser.name: parser for parser in (FEED, JSON_LD, PDF)}


def list_parsers() -> dict[str, Parser]:
    """The parsers by name: ours, those of installed packages, and those that were registered.

    Examples
    --------
    >>> {"feed", "json-ld", "pdf"} <= set(list_parsers())
    True
    """
    found = _built_in()
    for point in entry_points(group=GROUP):
        if point.name not in found:
            loaded = point.load()
            found[point.name] = loaded if isinstance(loaded, Parser) else loaded()
    return found | _registered


def find_parsers(names: Iterable[str], setting: str = "parsers") -> dict[str, Parser]:
    """The parsers of these names, by content type; of two for one type the later one counts.

    `setting` is what names them, for messages.

    Examples
    --------
    >>> sorted(find_parsers(["feed"]))
    ['application/atom+xml', 'application/rss+xml']
    >>> find_parsers(["fed"])
    Traceback (most recent call last):
    webstrata.errors.SettingError: parsers: there is no parser fed; known are feed, json-ld, pdf
    """
    wanted = list(names)
    if not wanted:
        return {}
    known = list_parsers()
    for name in wanted:
        if name not in known:
            raise SettingError(f"{setting}: there is no parser {name}; known are {', '.join(sorted(known))}")
        module = known[name].module
        if module and find_spec(module) is None:
            raise MissingExtraError(
                f"the parser {name} needs {module}, which is not installed; `pip install webstrata[{name}]` "
                f"brings it"
            )
    return {kind: known[name] for name in wanted for kind in known[name].content_types}
