r"""The language of filters (BUBING, 3.8): Boolean expressions over named predicates.

::

    filter    = and-term, { or, and-term }
    and-term  = term, { and, term }
    term      = not, term | "true" | "false" | "(", filter, ")" | predicate
    predicate = name, [ "(", [ argument, { ",", argument } ], ")" ]
    and       = "and" | "&" | "&&" | "∧"
    or        = "or"  | "|" | "||" | "∨"
    not       = "not" | "!" | "~"

Words are read in any case, names of predicates as they are written; white space and line ends count nowhere
but within arguments. An argument is plain text, without the blanks around it, or stands in double quotes, in
which ``\"`` and ``\\`` are a quote and a backslash, and other backslashes themselves. Plain text goes on to
the next comma or parenthesis outside of parentheses, brackets and braces, none of which counts behind a
backslash: most regular expressions need no quotes.

A tree is printed so that it is read as the same tree: ``parse(str(tree)) == tree``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from webstrata.errors import FilterError

if TYPE_CHECKING:
    from typing import NoReturn

MAX_DEPTH = 60
"""How many parentheses and negations may stand within each other."""

_WIDTH = 100
_TOKEN = re.compile(r"\s*(&&|\|\||[&|!~()∧∨]|[^\W\d]\w*|$)")
_MEANINGS = {"&": "and", "&&": "and", "∧": "and", "|": "or", "||": "or", "∨": "or", "!": "not", "~": "not"}
_WORDS = ("and", "or", "not", "true", "false")
_PLAIN = re.compile(r'[^\s"(),\[\]{}\\]+')
_QUOTED = re.compile(r'"((?:\\["\\]|[^"\\]|\\(?!["\\]))*+)"')
_CLOSING = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True)
class Constant:
    """``true`` or ``false``."""

    value: bool

    def __str__(self) -> str:
        return "true" if self.value else "false"


@dataclass(frozen=True)
class Predicate:
    """A name with arguments; `start` and `starts` are the places of both in the text."""

    name: str
    arguments: tuple[str, ...] = ()
    start: int = field(default=0, compare=False, repr=False)
    starts: tuple[int, ...] = field(default=(), compare=False, repr=False)

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(_quote, self.arguments))})"


@dataclass(frozen=True)
class Not:
    """What is true if its term is not."""

    term: Node

    def __str__(self) -> str:
        return f"not {_parenthesize(self.term, And, Or)}"


@dataclass(frozen=True)
class And:
    """What is true if all of its terms are, two or more, of which no more are looked at than needed."""

    terms: tuple[Node, ...]

    def __str__(self) -> str:
        return " and ".join(_parenthesize(term, And, Or) for term in self.terms)


@dataclass(frozen=True)
class Or:
    """What is true if any of its terms is, two or more, of which no more are looked at than needed."""

    terms: tuple[Node, ...]

    def __str__(self) -> str:
        return " or ".join(_parenthesize(term, Or) for term in self.terms)


Node = Constant | Predicate | Not | And | Or


def parse(text: str) -> Node:
    """The tree of a filter.

    Raises
    ------
    FilterError
        If the text is none; the message says where and what was expected.

    Examples
    --------
    >>> tree = parse("(HostEndsWith(foo.bar) and !ForbiddenHost(list.txt)) | NoMoreSlashThan(10)")
    >>> print(tree)
    HostEndsWith(foo.bar) and not ForbiddenHost(list.txt) or NoMoreSlashThan(10)
    >>> parse("URLMatchesRegex(.*/[ab]{1,2}(c|d))").arguments
    ('.*/[ab]{1,2}(c|d)',)
    """
    return _Parser(text).read_all()


def refuse(text: str, start: int, problem: str) -> FilterError:
    """The error for a place in a filter.

    Examples
    --------
    >>> error = refuse("true and", 8, "the filter ends where a term was expected")
    >>> print(error)
    filter, column 9: the filter ends where a term was expected
    >>> print(error.excerpt)
    true and
            ^
    """
    before = text[:start]
    line, column = before.count("\n") + 1, start - (before.rfind("\n") + 1)
    where = f"line {line}, column {column + 1}" if "\n" in text else f"column {column + 1}"
    # a mark needs columns of one width; a long line is cut around it
    shown = re.sub(r"\s", " ", text.split("\n")[line - 1])
    cut = max(0, column - _WIDTH // 2)
    piece = shown[cut : cut + _WIDTH]
    return FilterError(f"filter, {where}: {problem}", f"{piece}\n{' ' * (column - cut)}^")


def explain(error: FilterError) -> str:
    """The message of an error with the line below it that points at the place, for a terminal.

    Examples
    --------
    >>> try:
    ...     parse("true andd false")
    ... except FilterError as error:
    ...     print(explain(error))
    filter, column 6: `andd` stands where `and`, `or` or the end was expected; join two terms by `and` or `or`
      true andd false
           ^
    """
    lines = [str(error), *(f"  {line}" for line in error.excerpt.splitlines())]
    return "\n".join(lines)


def _quote(argument: str) -> str:
    if _PLAIN.fullmatch(argument):
        return argument
    escaped = argument.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _parenthesize(node: Node, *weaker: type) -> str:
    return f"({node})" if isinstance(node, weaker) else str(node)


class _Parser:
    """One token is always looked at: its `kind`, its `word` as written, and where it starts."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.end = 0
        self.depth = 0
        self._advance()

    def read_all(self) -> Node:
        node = self._read_or()
        if self.kind == ")":
            self._fail(self.start, "this `)` closes nothing; take it out, or open a `(` before it")
        if self.kind:
            self._fail_word("`and`, `or` or the end was expected; join two terms by `and` or `or`")
        return node

    def _read_or(self) -> Node:
        terms = [self._read_and()]
        while self.kind == "or":
            self._advance()
            terms.append(self._read_and())
        return terms[0] if len(terms) == 1 else Or(tuple(terms))

    def _read_and(self) -> Node:
        terms = [self._read_term()]
        while self.kind == "and":
            self._advance()
            terms.append(self._read_term())
        return terms[0] if len(terms) == 1 else And(tuple(terms))

    def _read_term(self) -> Node:
        kind, word, start = self.kind, self.word, self.start
        if kind in ("true", "false"):
            self._advance()
            return Constant(kind == "true")
        if kind == "name":
            arguments, starts = self._read_arguments()
            self._advance()
            return Predicate(word, arguments, start, starts)
        if kind not in ("not", "("):
            self._fail_word("a predicate, `not`, `true`, `false` or `(` was expected; complete the filter")
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self._fail(start, f"more than {MAX_DEPTH} `(` and `not` stand within each other; simplify it")
        self._advance()
        if kind == "not":
            node: Node = Not(self._read_term())
        else:
            node = self._read_or()
            if not self.kind:
                self._fail(start, "this `(` is never closed; add a `)`")
            if self.kind != ")":
                self._fail_word("`and`, `or` or `)` was expected; join two terms by `and` or `or`")
            self._advance()
        self.depth -= 1
        return node

    def _advance(self) -> None:
        match = _TOKEN.match(self.text, self.end)
        if match is None:
            start = self.end + len(self.text[self.end :]) - len(self.text[self.end :].lstrip())
            letter = self.text[start]
            self._fail(
                start, f"`{letter}` has no meaning here; texts stand in the parentheses of a predicate"
            )
        self.word, self.start, self.end = match[1], match.start(1), match.end()
        lower = self.word.lower()
        if lower in _WORDS:
            self.kind = lower
        elif self.word[:1].isalpha() or self.word[:1] == "_":
            self.kind = "name"
        else:
            self.kind = _MEANINGS.get(self.word, self.word)

    def _read_arguments(self) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """What stands in the parentheses behind a name, if there are any; `end` moves behind them."""
        opening = self.end + len(self.text[self.end :]) - len(self.text[self.end :].lstrip())
        if not self.text.startswith("(", opening):
            return (), ()
        self.end = opening + 1
        arguments: list[str] = []
        starts: list[int] = []
        while True:
            self._skip_blanks()
            starts.append(self.end)
            is_quoted = self.text.startswith('"', self.end)
            argument = self._read_quoted() if is_quoted else self._read_plain(opening)
            self._skip_blanks()
            mark = self.text[self.end : self.end + 1]
            if not mark:
                self._fail(opening, "this `(` is never closed; add a `)`")
            if mark not in (",", ")"):
                self._fail(self.end, "`,` or `)` was expected behind the quotes; put all of the text in them")
            self.end += 1
            if not argument and not is_quoted:
                if mark == ")" and not arguments:
                    return (), ()
                self._fail(starts[-1], 'an argument was expected here; write `""` for an empty one')
            arguments.append(argument)
            if mark == ")":
                return tuple(arguments), tuple(starts)

    def _read_quoted(self) -> str:
        match = _QUOTED.match(self.text, self.end)
        if match is None:
            self._fail(self.end, 'this `"` is never closed; add one behind the argument')
        self.end = match.end()
        return re.sub(r'\\(["\\])', r"\1", match[1])

    def _read_plain(self, opening: int) -> str:
        start = self.end
        awaited: list[str] = []
        while self.end < len(self.text):
            letter = self.text[self.end]
            if letter == "\\":
                self.end += 1
            elif awaited and letter == awaited[-1]:
                awaited.pop()
            elif not awaited and letter in ",)":
                return self.text[start : self.end].rstrip()
            elif letter in _CLOSING and awaited[-1:] != ["]"]:  # in brackets all but their end are letters
                awaited.append(_CLOSING[letter])
            self.end += 1
        hint = " (an argument with brackets that do not match needs quotes)" if awaited else ""
        self._fail(opening, f"this `(` is never closed; add a `)`{hint}")

    def _skip_blanks(self) -> None:
        while self.text[self.end : self.end + 1].isspace():
            self.end += 1

    def _fail(self, start: int, problem: str) -> NoReturn:
        raise refuse(self.text, start, problem)

    def _fail_word(self, expected: str) -> NoReturn:
        seen = f"`{self.word}` stands" if self.word else "the filter ends"
        self._fail(self.start, f"{seen} where {expected}")
