"""Wikitext as HTML: headings, paragraphs, lists and links, for those who read pages to take them from.

This is no rendering of MediaWiki, which would need all templates and modules of the wiki. **Templates are not
expanded**: of a template only the links in its arguments are kept, which is what infoboxes and citations are
mostly made of; links that a template would add by itself, as those of a navigation box, are missing, and so
is the text of its arguments. Other than that

- ``[[Target|label]]`` is a link, with the letters behind it (``[[fish]]es``); to its own section it is text;
- ``[[File:…|caption]]`` is its caption, in a gallery too; ``[[Category:…]]`` is nothing, and neither is a
  link to the same page in another language (``[[de:Fisch]]``); with a colon before them they are links;
- ``[https://… label]`` is a link that asks not to be followed, as Wikipedia writes it;
- tables are their cells; of references the links stand at the end;
- ``nowiki`` and ``pre`` are text as it is written; formulas, scores, maps and timelines are nothing.

Each character is looked at a bounded number of times; what is nested more than `MAX_DEPTH` deep is text.
"""

from __future__ import annotations

import re
from html import escape as escape_all
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webstrata.store.wikipedia.titles import Wiki

MAX_DEPTH = 40
_HIDDEN = (
    "math",
    "chem",
    "ce",
    "score",
    "timeline",
    "graph",
    "mapframe",
    "maplink",
    "imagemap",
    "templatedata",
)
_VERBATIM = ("nowiki", "pre", "syntaxhighlight", "source")
_GALLERY = "gallery"
_BLOCKS = (
    "br",
    "p",
    "div",
    "li",
    "ul",
    "ol",
    "dd",
    "dt",
    "hr",
    "tr",
    "td",
    "th",
    "table",
    "blockquote",
    "center",
)
_TOKEN = re.compile(
    r"\{\{|\}\}|\[\[|\]\]|<(?P<close>/?)(?P<tag>[a-zA-Z][a-zA-Z0-9]*)\b(?P<rest>[^<>]*)>"
    r"|\[(?P<outside>(?:https?:)?//[^\s\[\]<>\"]+)[ \t]*(?P<label>[^\[\]\n]*)\]"
)
_END = {tag: re.compile(rf"</{tag}\s*>", re.IGNORECASE) for tag in (*_HIDDEN, *_VERBATIM, _GALLERY)}
_TRAIL = re.compile(r"[^\W\d_]+")
_LANGUAGE = re.compile(r"(?:[a-z]{2,3}|simple|[a-z]{2,3}-[a-z-]{2,}|[a-z]{2,3}_[a-z_]{2,})\Z")
_OPTION = re.compile(
    r"\s*(?:(?:alt|link|upright|lang|page|class|thumb|thumbnail|thumbtime|start|end)\s*=|[x\d]+px\s*\Z"
    r"|(?:thumb|thumbnail|frame|framed|frameless|border|left|right|center|none|upright)\s*\Z)",
    re.IGNORECASE,
)
"""What is said of a picture beside its caption."""
_HEADING = re.compile(r"(={1,6})[ \t]*(.+?)[ \t]*\1[ \t]*\Z")
_MAGIC = re.compile(r"__[A-Z]+__|'{2,}")
_AMPERSAND = re.compile(r"&(?!#?\w{1,31};)")
_CELLS = re.compile(r"\|\||!!")
_REDIRECT = re.compile(r"\s*#\s*redirect\w*\s*:?\s*\[\[([^\]|\n]+)", re.IGNORECASE)


class _Html(str):
    """A piece that is HTML already."""

    __slots__ = ()


class _Frame:
    """What stands between two brackets, or between tags of a reference."""

    __slots__ = ("kind", "opening", "pieces")

    def __init__(self, kind: str, opening: str) -> None:
        self.kind, self.opening = kind, opening
        self.pieces: list[str] = []


def find_redirect(text: str) -> str | None:
    """What a page leads to that begins as a redirect does in English; None for other pages.

    Examples
    --------
    >>> find_redirect("#REDIRECT [[Tropical fish#Sea]]"), find_redirect("A [[fish]]")
    ('Tropical fish#Sea', None)
    """
    found = _REDIRECT.match(text)
    return found[1] if found else None


def render(text: str, wiki: Wiki) -> str:
    r"""The body of a page as HTML.

    Examples
    --------
    >>> from webstrata.store.wikipedia.titles import Wiki
    >>> wiki = Wiki("https://en.wikipedia.org/wiki/")
    >>> print(render("'''Fish''' live in [[sea]]s.\n== See ==\n* {{box|in=[[Water]]|no=text}}", wiki))
    Fish live in <a href="https://en.wikipedia.org/wiki/Sea">seas</a>.
    <h2>See</h2>
    <li><a href="https://en.wikipedia.org/wiki/Water">Water</a></li>
    """
    return _arrange(_Parser(wiki).parse(_strip_comments(text)))


def _strip_comments(text: str) -> str:
    pieces, place = [], 0
    while (start := text.find("<!--", place)) >= 0:
        pieces.append(text[place:start])
        end = text.find("-->", start + 4)
        if end < 0:
            return "".join(pieces)
        place = end + 3
    return "".join([*pieces, text[place:]])


class _Parser:
    """Brackets and tags, from the first to the last."""

    def __init__(self, wiki: Wiki) -> None:
        self._wiki = wiki
        self._stack = [_Frame("page", "")]
        self._notes: list[str] = []
        """Links of references, which stand at the end of a page."""
        self._endless: set[str] = set()
        """Tags that are closed nowhere from here on: to look once is enough."""

    def parse(self, text: str) -> str:
        place = 0
        while found := _TOKEN.search(text, place):
            if found.start() > place:
                self._stack[-1].pieces.append(text[place : found.start()])
            place = self._take(found, text)
        self._stack[-1].pieces.append(text[place:])
        while len(self._stack) > 1:
            self._give_up()
        notes = "".join(f"\n* {link}" for link in self._notes)
        return "".join(map(_to_html, self._stack[0].pieces)) + notes

    def _take(self, found: re.Match[str], text: str) -> int:
        """Take a token in; where to go on."""
        token, end = found[0], found.end()
        if token in ("{{", "[["):
            if len(self._stack) > MAX_DEPTH:
                self._stack[-1].pieces.append(token)
            else:
                self._stack.append(_Frame(token, token))
        elif token in ("}}", "]]"):
            if not self._close("{{" if token == "}}" else "[["):
                self._stack[-1].pieces.append(token)
            elif token == "]]":
                return self._end_link(text, end)
            else:
                self._put_links(self._stack.pop())
        elif found["outside"]:
            self._put_outside(found["outside"], found["label"])
        else:
            return self._take_tag(found, text)
        return end

    def _close(self, opening: str) -> bool:
        """Make the frame of a bracket the last one, if it is open; those within it are given up."""
        kinds = [frame.kind for frame in self._stack]
        if opening not in kinds:
            return False
        # a template goes over what is open in it, a link does not reach out of its template
        last = len(kinds) - 1 - kinds[::-1].index(opening)
        if opening == "[[" and "{{" in kinds[last:]:
            return False
        while len(self._stack) - 1 > last:
            self._give_up()
        return True

    def _give_up(self) -> None:
        """What was opened and never closed is text."""
        frame = self._stack.pop()
        if frame.kind == "ref":
            self._put_links(frame)
        else:
            self._stack[-1].pieces += [frame.opening, *frame.pieces]

    def _put_links(self, frame: _Frame) -> None:
        """Of a template or a reference, the links."""
        links = [piece for piece in frame.pieces if isinstance(piece, _Html) and "<a " in piece]
        if frame.kind == "ref":
            self._notes += links
        elif links:
            self._stack[-1].pieces.append(_Html(" " + " ".join(links)))

    def _put_outside(self, url: str, label: str) -> None:
        url = url if url.startswith("http") else f"https:{url}"
        shown = _escape(label.strip() or url)
        self._stack[-1].pieces.append(
            _Html(f'<a rel="nofollow" href="{escape_all(url)}">{_mask(_MAGIC.sub("", shown))}</a>')
        )

    def _take_tag(self, found: re.Match[str], text: str) -> int:
        tag, end = found["tag"].lower(), found.end()
        is_empty = found["rest"].rstrip().endswith("/")
        if tag in _END:
            if found["close"] or is_empty:
                return end
            closing = None if tag in self._endless else _END[tag].search(text, end)
            if closing is None:  # MediaWiki shows such a tag as text
                self._endless.add(tag)
                self._stack[-1].pieces.append(found[0])
                return end
            if tag in _VERBATIM:
                shown = escape_all(text[end : closing.start()], quote=False)
                self._stack[-1].pieces.append(_Html(_mask(shown)))
            elif tag == _GALLERY:
                lines = (line.partition("|")[2] for line in text[end : closing.start()].split("\n"))
                captions = "".join(f"\n* {line}" for line in lines if line.strip())
                self._stack[-1].pieces.append(_Html(_Parser(self._wiki).parse(captions) + "\n"))
            return closing.end()
        if tag == "ref":
            if found["close"]:
                if self._stack[-1].kind == "ref":
                    self._put_links(self._stack.pop())
            elif not is_empty and len(self._stack) <= MAX_DEPTH:
                self._stack.append(_Frame("ref", found[0]))
        elif tag in _BLOCKS:
            self._stack[-1].pieces.append(_Html("<br>"))
        return end

    def _end_link(self, text: str, end: int) -> int:
        pieces = self._stack.pop().pieces
        target, labels = _split(pieces)
        trail = ""
        if target is not None:
            found = self._wiki.find(target)
            is_plain = not target.lstrip().startswith(":")
            if is_plain and found is not None and found[0] == 6:
                captions = [label for label in labels if not _OPTION.match("".join(label))]
                caption = "".join(map(_to_html, captions[-1])) if captions else ""
                self._stack[-1].pieces.append(_Html(f" {caption} "))
                return end
            prefix, colon, _ = target.strip().partition(":")
            if is_plain and ((found and found[0] == 14) or (colon and _LANGUAGE.match(prefix))):
                return end
            if match := _TRAIL.match(text, end):
                trail, end = match[0], match.end()
            shown = [piece for label in labels for piece in ("|", *label)][1:] or [target.strip().lstrip(":")]
            label = _mask(_MAGIC.sub("", "".join(map(_to_html, shown)) + _escape(trail)))
            if found is not None and "<a " not in label:
                label = f'<a href="{escape_all(self._wiki.url(*found))}">{label}</a>'
            self._stack[-1].pieces.append(_Html(label))
            return end
        self._stack[-1].pieces += ["[[", *pieces, "]]"]
        return end


def _split(pieces: Iterable[str]) -> tuple[str | None, list[list[str]]]:
    """The target of a link, None if it is not plain text, and what stands between its bars."""
    parts: list[list[str]] = [[]]
    for piece in pieces:
        if isinstance(piece, _Html):
            parts[-1].append(piece)
            continue
        first, *more = piece.split("|")
        parts[-1].append(first)
        parts += [[text] for text in more]
    if any(isinstance(piece, _Html) for piece in parts[0]) or "\n" in (target := "".join(parts[0])):
        return None, []
    labels = [part for part in parts[1:] if any(piece.strip() for piece in part)]
    return target, labels


def _escape(text: str) -> str:
    """Text as HTML; what is a character reference in wikitext is one here."""
    return _AMPERSAND.sub("&amp;", text).replace("<", "&lt;").replace(">", "&gt;")


def _to_html(piece: str) -> str:
    return piece if isinstance(piece, _Html) else _escape(piece)


def _mask(html: str) -> str:
    """HTML in which nothing looks like the beginning of a line, a cell or italics."""
    for sign, number in (("|", 124), ("!", 33), ("'", 39), ("=", 61)):
        if sign in html and "<a " not in html:
            html = html.replace(sign, f"&#{number};")
    return html


def _arrange(html: str) -> str:
    """Lines as paragraphs, headings, items and cells."""
    lines: list[str] = []
    depth = 0
    for line in _MAGIC.sub("", html).split("\n"):
        text = line.strip()
        if text.startswith("{|"):
            depth += 1
            continue
        if depth and text.startswith("|}"):
            depth -= 1
            text = text[2:]
        elif depth and text.startswith(("|-", "|+", "|", "!")):
            text = _read_cells(text)
        if not text:
            lines.append("<p>" if lines and lines[-1] != "<p>" else "")
        elif text[0] == "=" and (found := _HEADING.match(text)):
            level = len(found[1])
            lines.append(f"<h{level}>{found[2]}</h{level}>")
        elif text[0] in "*#:;":
            lines.append(f"<li>{text.lstrip('*#:; ')}</li>")
        elif text.startswith("----"):
            lines.append("<hr>" + text.lstrip("-"))
        else:
            lines.append(text)
    return "\n".join(filter(None, lines))


def _read_cells(text: str) -> str:
    """What the cells of a row say, without attributes; nothing of the line that begins a row."""
    if text.startswith("|-"):
        return ""
    cells = _CELLS.split(text.lstrip("|!+"))
    return "<br>" + "<br>".join(cell.rpartition("|")[2].strip() for cell in cells)
