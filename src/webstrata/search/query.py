"""Queries: what a user types, as a tree, and as clauses that the core scores.

::

    tropical fish              pages with either word, those with both higher
    "tropical fish"            the words one after the other
    +fish tropical -shop       with fish, without shop
    fish AND (salt OR sweet)   Boolean: AND binds closer than OR, NOT closer than both
    trop*                      every term that begins so
    title:fish                 in one field: title, text, other, anchor, host, url
    site:example.org           of a host, or of a domain with all hosts below it
    language:en                in a language

What is written as one word and has parts, as ``CVE-2023-25194``, ``node.js``, ``foo_bar`` or ``don't``, is
looked for as a phrase of its parts; pages with some of the parts are found too, and come after. In quotes,
or where it must be there or must not, the phrase alone counts. A run of three or more characters of a script
without blanks, as Chinese or Thai, is any of the pairs of neighbours in it. A name before a colon that is
not a field is part of the word: ``std::vector``. Parentheses attached to a word belong to it: ``main()``.

A word is scored by BM25F (``rust/src/search/scoring.rs``): the frequencies of a word in all fields are
weighted and added before they are saturated, the length of a document is that of title, main content and the
rest of its text (v, `fields.weight_list`), and df counts documents that have the word in any field. N, df
and the mean length are those of all documents of the index, whatever their time::

    score(t, d) = ln(1 + (N - df + ½) / (df + ½)) · (k₁ + 1) · x / (x + k₁ (1 - b + b L(d) / mean L)),
    x = Σ_f w_f · tf_f(t, d),   L(d) = Σ_f v_f · |d_f|,   k₁ = 0.6,   b = 0.8

A query scores the sum over its words. A phrase is scored as a word whose x counts phrases and whose IDF is
the sum of those of its words. Lengths are kept in one byte per field, exact up to 40 words, above that by at
most an eighth too short, as Lucene keeps them.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from webstrata.errors import QueryError
from webstrata.search.fields import NUMBERS, SCORED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from webstrata._core.search import Analyzer

FILTERS = ("site", "language")
MAX_TERMS = 64
"""Terms that a prefix stands for, those of most documents."""
MAX_DEPTH = 50
"""Parentheses within each other."""
_WIDTH = 78
_TOKEN = re.compile(
    r"""\s*(?: (?P<open>\() | (?P<close>\)) | (?P<sign>[+-](?=\S)) | (?P<field>[A-Za-z]+):(?=\S)
        | "(?P<phrase>[^"]*)" | (?P<broken>") | (?P<word>[^\s()"]+(?:\([^\s()"]*\)?[^\s()"]*)*) )""",
    re.VERBOSE,
)

Clause = tuple[Any, ...]
"""What the core takes: ``("word", term, fields)``, ``("boolean", [("must", clause), …])``, …"""


class Understood(NamedTuple):
    """What was made of a word or a quotation of a query."""

    text: str
    """As it was typed."""
    terms: list[str]
    """As they are in the index."""
    field: str = ""
    """The field that was named."""


@dataclass(frozen=True)
class Word:
    """One word, in one field or in all that are scored; `is_prefix` where it may go on."""

    text: str
    field: str = ""
    is_prefix: bool = False
    start: int = 0


@dataclass(frozen=True)
class Phrase:
    """Words one behind the other."""

    text: str
    field: str = ""
    start: int = 0


@dataclass(frozen=True)
class Group:
    """Some of which all are needed, some of which any helps, and some that must not be."""

    must: tuple[Node, ...] = ()
    should: tuple[Node, ...] = ()
    without: tuple[Node, ...] = ()


Node = Word | Phrase | Group


def refuse(text: str, start: int, problem: str) -> QueryError:
    """The error for a place in a query.

    Examples
    --------
    >>> error = refuse('fish "and chips', 5, "the quotation has no end")
    >>> print(error)
    query, column 6: the quotation has no end
    >>> print(error.excerpt)
    fish "and chips
         ^
    """
    shown = re.sub(r"\s", " ", text)
    cut = max(0, start - _WIDTH // 2)
    return QueryError(
        f"query, column {start + 1}: {problem}", f"{shown[cut : cut + _WIDTH]}\n{' ' * (start - cut)}^"
    )


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    start: int


def _tokens(text: str) -> Iterator[_Token]:
    end = len(text.rstrip())
    place = 0
    while place < end:
        found = _TOKEN.match(text, place)
        assert found is not None  # whatever is no blank is a word
        assert found.lastgroup
        kind = found.lastgroup
        start = found.start(kind) - (kind == "phrase")
        if kind == "broken":
            raise refuse(text, start, 'the quotation has no end; close it with "')
        yield _Token(kind, found.group(kind), start)
        place = found.end()


def parse(text: str) -> Node:
    """The tree of a query, or `QueryError` with the place marked.

    Examples
    --------
    >>> parse("tropical -shop")
    Group(must=(), should=(Word(text='tropical', ...),), without=(Word(text='shop', ...),))
    >>> parse("fish AND (salt")
    Traceback (most recent call last):
    webstrata.errors.QueryError: query, column 10: the parenthesis is not closed; write ) after the last word
    >>> parse("  ")
    Traceback (most recent call last):
    webstrata.errors.QueryError: query, column 1: there is nothing to look for; name a word
    """
    if not text.strip():
        raise refuse("", 0, "there is nothing to look for; name a word")
    return _Parser(text).read_all()


class _Parser:
    """Recursive descent over the tokens of a query."""

    def __init__(self, text: str) -> None:
        self._text, self._tokens, self._place, self._depth = text, list(_tokens(text)), 0, 0

    def read_all(self) -> Node:
        found = self._read_either()
        if (token := self._peek()) is not None:
            raise refuse(self._text, token.start, "this parenthesis was never opened; leave it out")
        return found

    def _peek(self) -> _Token | None:
        return self._tokens[self._place] if self._place < len(self._tokens) else None

    def _accept(self, *words: str) -> _Token | None:
        token = self._peek()
        if token is not None and token.kind == "word" and token.text in words:
            self._place += 1
            return token
        return None

    def _read_either(self) -> Node:
        """Groups with OR between them."""
        found = [self._read_group()]
        while self._accept("OR"):
            found.append(self._read_group())
        return found[0] if len(found) == 1 else Group(should=tuple(found))

    def _read_group(self) -> Node:
        """Words one after the other, with AND, NOT and signs."""
        must: list[Node] = []
        should: list[Node] = []
        without: list[Node] = []
        first = self._peek()
        joined = False
        while (token := self._peek()) is not None and token.kind != "close" and not self._is("OR"):
            if operator := self._accept("AND"):
                if not (must or should or without) or joined:
                    raise refuse(self._text, operator.start, "AND needs a word before it; name one")
                if should:
                    must.append(should.pop())
                joined = True
                continue
            sign = "-" if self._accept("NOT") else self._read_sign()
            node = self._read_term()
            if sign == "-":
                without.append(node)
            elif sign == "+" or joined:
                must.append(node)
            else:
                should.append(node)
            joined = False
        if joined or first is None or not (must or should or without):
            start = token.start if token is not None else len(self._text)
            raise refuse(self._text, start, "a word was expected here; name one")
        if not (must or should):
            raise refuse(
                self._text, first.start, "it only says what must not be there; name a word to look for too"
            )
        if not (must or without) and len(should) == 1:
            return should[0]
        return Group(tuple(must), tuple(should), tuple(without))

    def _is(self, word: str) -> bool:
        token = self._peek()
        return token is not None and token.kind == "word" and token.text == word

    def _read_sign(self) -> str:
        token = self._peek()
        if token is not None and token.kind == "sign":
            self._place += 1
            return token.text
        return ""

    def _read_term(self) -> Node:
        token = self._peek()
        if token is None or token.kind == "close" or (token.kind == "word" and token.text in ("AND", "OR")):
            start = token.start if token is not None else len(self._text)
            raise refuse(self._text, start, "a word was expected here; name one")
        self._place += 1
        if token.kind == "open":
            return self._read_inner(token)
        if token.kind == "field":
            return self._read_field(token)
        if token.kind == "phrase":
            if not token.text.strip():
                raise refuse(self._text, token.start, "the quotation is empty; put words into it")
            return Phrase(token.text, "", token.start)
        is_prefix = len(token.text) > 1 and token.text.endswith("*")
        return Word(token.text[:-1] if is_prefix else token.text, "", is_prefix, token.start)

    def _read_inner(self, opened: _Token) -> Node:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise refuse(self._text, opened.start, f"more than {MAX_DEPTH} parentheses are open; use fewer")
        found = self._read_either()
        token = self._peek()
        if token is None:
            raise refuse(
                self._text, opened.start, "the parenthesis is not closed; write ) after the last word"
            )
        self._place += 1
        self._depth -= 1
        return found

    def _read_field(self, token: _Token) -> Node:
        name = {"host": "site", "lang": "language"}.get(token.text, token.text)
        known = (*SCORED, *FILTERS)
        if name not in known:
            if near := difflib.get_close_matches(name.lower(), known, 1, 0.75):
                raise refuse(
                    self._text,
                    token.start,
                    f"there is no field {name}; write {near[0]}:, or put the word into quotes",
                )
            # `http://…`, `std::vector` and the like are words
            following = self._peek()
            if following is None or following.kind != "word":
                return Word(token.text, "", is_prefix=False, start=token.start)
            self._place += 1
            return Word(f"{token.text}:{following.text}", "", is_prefix=False, start=token.start)
        node = self._read_term()
        if isinstance(node, Group):
            raise refuse(self._text, token.start, "a field takes one word or one quotation; repeat it")
        return replace(node, field=name)


def escape(text: str) -> str:
    """The query for the words of a plain text: without quotes, signs, operators and fields.

    Examples
    --------
    >>> escape('Fix "title: NOT shown" (-Werror) for *.html')
    'Fix title not shown Werror for .html'
    """
    words = (word.lstrip("+-").strip("*") for word in re.sub(r'["():]', " ", text).split())
    kept = (word for word in words if any(map(str.isalnum, word)))
    return " ".join(word.lower() if word in ("AND", "OR", "NOT") else word for word in kept)


class Compiler:
    """Turns trees into clauses: words into terms, each in the fields that are scored.

    Parameters
    ----------
    analyzer
        What the index was made with.
    fields
        The names of those that words are looked for in.
    expand
        The terms of a field that begin so, for prefixes.

    Examples
    --------
    >>> from webstrata._core.search import Analyzer
    >>> from webstrata.web.words import load_core
    >>> compiler = Compiler(Analyzer(load_core(), "porter"), ["title", "text"], lambda *_: [])
    >>> compiler.compile("fishes")
    ('word', 'fish', [0, 1])
    >>> compiler.compile("+title:node.js")
    ('boolean', [('must', ('phrase', ['node', 'js'], [0]))])
    >>> compiler.terms, compiler.understood
    (['node', 'js'], [Understood(text='node.js', terms=['node', 'js'], field='title')])
    """

    def __init__(
        self,
        analyzer: Analyzer,
        fields: Iterable[str],
        expand: Callable[[str, str], list[str]],
    ) -> None:
        self._analyzer, self._fields, self._expand = analyzer, list(fields), expand
        self.terms: list[str] = []
        """Terms of the last query that may be marked in a text."""
        self.understood: list[Understood] = []
        """What was made of each of its words."""

    def compile(self, text: str) -> Clause:
        """The clause of a query."""
        self._text = text
        self.terms, self.understood = [], []
        found = self._compile(parse(text))
        self.terms = list(dict.fromkeys(self.terms))
        return found

    def _compile(self, node: Node, *, needed: bool = False) -> Clause:
        """The clause of a node; `needed` where a word with parts must be there as a whole."""
        if isinstance(node, Group):
            return self._compile_group(node)
        if node.field in FILTERS:
            value = node.text.casefold().strip().removesuffix(".")
            return ("filter", ("whole", NUMBERS[node.field], value))
        terms = self._analyzer.terms(node.text)
        fields = [NUMBERS[name] for name in ([node.field] if node.field else self._fields)]
        if isinstance(node, Word) and node.is_prefix and len(terms) == 1:
            return self._compile_prefix(node, fields)
        if not terms:
            raise refuse(self._text, node.start, "there is no letter or digit in this; name a word")
        self.terms += terms
        shown = f'"{node.text}"' if isinstance(node, Phrase) else node.text
        self.understood.append(Understood(shown, terms, node.field))
        if len(terms) == 1:
            return ("word", terms[0], fields)
        phrase: Clause = ("phrase", terms, fields)
        if isinstance(node, Phrase) or needed:
            return phrase
        if all(map(_is_character, terms)):
            # no blanks are written between words: pages with some of the pairs are found too
            return _any([("phrase", list(pair), fields) for pair in pairwise(terms)])
        # `async_orm.py` also means the page that is called `async_orm`
        return _any([phrase, *(("word", term, fields) for term in dict.fromkeys(terms))])

    def _is_blank(self, node: Node) -> bool:
        """Whether there is nothing to look for in it, as in ``&``."""
        return (
            not isinstance(node, Group) and node.field not in FILTERS and not self._analyzer.terms(node.text)
        )

    def _compile_prefix(self, node: Word, fields: list[int]) -> Clause:
        names = [node.field] if node.field else self._fields
        terms = dict.fromkeys(term for name in names for term in self._expand(name, node.text.casefold()))
        self.terms += terms
        self.understood.append(Understood(f"{node.text}*", [node.text.casefold()], node.field))
        return _any([("word", term, fields) for term in terms])

    def _compile_group(self, group: Group) -> Clause:
        must, should = (
            [node for node in nodes if not self._is_blank(node)] for nodes in (group.must, group.should)
        )
        if not (must or should):
            must, should = list(group.must), list(group.should)  # which is refused
        pairs: list[tuple[str, Clause]] = [("must", self._compile(node, needed=True)) for node in must]
        for node in should:
            clause = self._compile(node)
            if not must and clause[0] == "boolean" and all(occur == "should" for occur, _ in clause[1]):
                # one union of all words can be pruned, one of unions cannot
                pairs += clause[1]
            else:
                pairs.append(("should", clause))
        marked, understood = list(self.terms), list(self.understood)
        pairs += [
            ("not", self._compile(node, needed=True)) for node in group.without if not self._is_blank(node)
        ]
        # what must not be there is neither marked nor missed
        self.terms, self.understood = marked, understood
        if not any(occur != "not" and not _is_filter(clause) for occur, clause in pairs):
            pairs.append(("must", ("all",)))
        filters = [pair for pair in pairs if pair[0] == "should" and _is_filter(pair[1])]
        if filters and len(filters) < sum(pair[0] == "should" for pair in pairs):
            # `fish site:example.org`: a filter next to words is meant to hold
            rest = [pair for pair in pairs if pair not in filters]
            words = [pair for pair in rest if pair[0] == "should"]
            others = [pair for pair in rest if pair[0] != "should"]
            inner = [("must", ("boolean", words))] if not must else words
            pairs = [*others, *inner, *(("must", clause) for _, clause in filters)]
        return ("boolean", pairs)


def _is_character(term: str) -> bool:
    """Whether a term is a character of a script without blanks between words."""
    return len(term) == 1 and ord(term) >= 0xE00


def _is_filter(clause: Clause) -> bool:
    return str(clause[0]) == "filter"


def _any(clauses: list[Clause]) -> Clause:
    return ("boolean", [("should", clause) for clause in clauses])
