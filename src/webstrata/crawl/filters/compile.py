"""From the tree of a filter to the program that the core runs.

A program has one node a line, parents before their children: ``and N``, ``or N``, ``not``, ``true``,
``false``, a test of the core with its words behind tabs, or ``ask N`` for the N-th function of Python's.
Names, numbers of arguments, arguments and places are checked here, so that a program never fails to load;
lists are read here, so that a running crawl depends on no other file or server.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from webstrata.crawl.filters.arguments import write_test
from webstrata.crawl.filters.language import And, Constant, Not, Or, Predicate, refuse
from webstrata.crawl.filters.lists import is_list, read_filter_list
from webstrata.crawl.filters.predicates import PLACES, PREDICATES

if TYPE_CHECKING:
    from pathlib import Path
    from typing import NoReturn

    from webstrata.crawl.filters.arguments import Parameter
    from webstrata.crawl.filters.language import Node
    from webstrata.crawl.filters.predicates import Definition

Batch = Sequence[Any]
"""URLs where a filter looks at URLs, and responses where it looks at responses."""

Functions = Mapping[str, Callable[..., Iterable[Any]] | Sequence[tuple[str, str]]]
"""What users give: predicates by name, and what ready-made ones ask for (``SpamScore``, ``DustRules``)."""


@dataclass(frozen=True)
class Asked:
    """A predicate that Python answers, in batches."""

    text: str
    function: Callable[..., Iterable[Any]]
    arguments: tuple[str, ...]

    def __call__(self, batch: Batch) -> list[bool]:
        """One truth value for each of a batch."""
        answers = [bool(answer) for answer in self.function(batch, *self.arguments)]
        if len(answers) != len(batch):
            raise ValueError(f"{self.text} gave {len(answers)} answers for a batch of {len(batch)}")
        return answers


@dataclass(frozen=True)
class Program:
    """The text for the core, and the functions that it may ask by number."""

    text: str
    asked: tuple[Asked, ...]


def compile_tree(
    tree: Node,
    place: str = "schedule",
    *,
    text: str = "",
    functions: Functions | None = None,
    folder: Path | None = None,
) -> Program:
    r"""The program of a filter.

    Parameters
    ----------
    tree
        What `parse` made of `text`.
    place
        Where the filter is to stand, one of `PLACES`.
    text
        For the excerpts of errors.
    functions
        Predicates that users give, by name.
    folder
        Where the paths of lists begin.

    Raises
    ------
    FilterError
        If a predicate is not known, does not fit the place, or cannot take its arguments.

    Examples
    --------
    >>> from webstrata.crawl.filters.language import parse
    >>> compile_tree(parse("HostEndsWith(Foo.bar) and not HasNoQuery()")).text
    'and 2\nhost-suffix\tfoo.bar\nnot\nno-query'
    """
    if place not in PLACES:
        raise ValueError(f"place: expected one of {', '.join(PLACES)}, got {place!r}")
    taken = [name for name in functions or {} if name in PREDICATES or not name.isidentifier()]
    if taken:
        raise ValueError(f"predicates: expected names that are words and not ready-made, got {taken[0]!r}")
    compiler = _Compiler(text or str(tree), place, functions or {}, folder)
    compiler.write(tree)
    return Program("\n".join(compiler.lines), tuple(compiler.asked))


class _Compiler:
    def __init__(self, text: str, place: str, functions: Functions, folder: Path | None) -> None:
        self.text = text
        self.place = place
        self.functions = functions
        self.folder = folder
        self.lines: list[str] = []
        self.asked: list[Asked] = []

    def write(self, node: Node) -> None:
        """Add the lines of a tree."""
        match node:
            case Constant():
                self.lines.append(str(node))
            case Not(term):
                self.lines.append("not")
                self.write(term)
            case And(terms) | Or(terms):
                self.lines.append(f"{'and' if isinstance(node, And) else 'or'} {len(terms)}")
                for term in terms:
                    self.write(term)
            case Predicate():
                self._write_predicate(node)

    def _write_predicate(self, node: Predicate) -> None:
        definition = PREDICATES.get(node.name)
        given = self.functions.get(definition.given if definition else node.name)
        if definition is None:
            if not callable(given):
                self._fail_unknown(node)
            self._ask(Asked(str(node), given, node.arguments))
            return
        self._check_place(node, definition)
        words = self._read_arguments(node, definition)
        if definition.name == "SpamScoreBelow":
            self._ask(Asked(str(node), _bind_score(self._need(node, definition, given)), tuple(words)))
        elif definition.name == "DustFree" and not node.arguments:
            rules = given if callable(given) or given is None else list(given)
            if isinstance(rules, list):
                read = definition.parameters[0].read
                patterns = [word for pattern, _ in rules for word in self._convert(read, pattern, node.start)]
                self._write_dust(patterns)
            else:
                self._ask(Asked(str(node), _bind_rewriter(self._need(node, definition, rules)), ()))
        elif definition.name == "DustFree":
            self._write_dust(words)
        else:
            self.lines.append(write_test(definition.test, words))

    def _write_dust(self, patterns: list[str]) -> None:
        # free of dust: no pattern is found
        self.lines += ["not", f"or {len(patterns)}", *(write_test("url-has", [word]) for word in patterns)]

    def _ask(self, asked: Asked) -> None:
        # the same question twice in a filter is asked once
        if asked.text not in (known.text for known in self.asked):
            self.asked.append(asked)
        number = [known.text for known in self.asked].index(asked.text)
        self.lines.append(f"ask {number}")

    def _check_place(self, node: Predicate, definition: Definition) -> None:
        if self.place not in definition.places:
            looked_at = {"link": "the page of a link", "duplicate": "pages parsed before"}
            subject = looked_at.get(definition.looks_at, f"a {definition.looks_at}")
            self._fail(
                node.start,
                f"{node.name} looks at {subject}, which the {self.place} filter does not know; "
                f"it may stand in {' and '.join(definition.places)}",
            )

    def _read_arguments(self, node: Predicate, definition: Definition) -> list[str]:
        parameters, count = definition.parameters, len(node.arguments)
        is_many = bool(parameters) and parameters[-1].is_many and not parameters[-1].is_list
        least = sum(not parameter.is_optional for parameter in parameters)
        if count < least or (count > len(parameters) and not is_many):
            expected = f"{least} or more arguments" if is_many else f"{len(parameters) or 'no'} arguments"
            expected = expected.removesuffix("s") if expected == "1 arguments" else expected
            hint = "; put an argument with commas in quotes" if count > len(parameters) > 0 else ""
            start = node.starts[len(parameters)] if hint and node.starts else node.start
            self._fail(start, f"{node.name} takes {expected}, {definition.signature}, and has {count}{hint}")
        words: list[str] = []
        for position, argument in enumerate(node.arguments):
            start = node.starts[position] if node.starts else node.start
            parameter = parameters[min(position, len(parameters) - 1)]
            for entry in self._entries(parameter, argument, start):
                words += self._convert(parameter.read, entry, start, argument)
        return words

    def _entries(self, parameter: Parameter, argument: str, start: int) -> list[str]:
        if not (parameter.is_list or (parameter.takes_lists and is_list(argument))):
            return [argument]
        try:
            return read_filter_list(argument, self.folder)
        except ValueError as error:
            self._fail(start, f"{error}; give a file, or a URL with http: or https:")

    def _convert(
        self, read: Callable[[str], list[str]], entry: str, start: int, argument: str | None = None
    ) -> list[str]:
        try:
            return read(entry)
        except ValueError as error:
            within = "" if argument in (None, entry) else f"in the list {argument}, "
            self._fail(start, f"{within}{error}")

    def _need(self, node: Predicate, definition: Definition, given: object) -> Callable[..., Iterable[Any]]:
        if not callable(given):
            self._fail(
                node.start,
                f"{node.name} needs a function; give it as predicates={{'{definition.given}': function}}",
            )
        return given

    def _fail_unknown(self, node: Predicate) -> NoReturn:
        known = [*PREDICATES, *self.functions]
        # the right name in the wrong case is nearer than any other
        near = [name for name in known if name.lower() == node.name.lower()]
        near = near or difflib.get_close_matches(node.name, known, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(sorted(known))}"
        self._fail(node.start, f"{node.name} is no predicate; {hint}")

    def _fail(self, start: int, problem: str) -> NoReturn:
        raise refuse(self.text, start, problem)


def _bind_score(scores: Callable[..., Iterable[Any]]) -> Callable[..., Iterable[bool]]:
    def is_below(batch: Batch, limit: str) -> list[bool]:
        return [score < float(limit) for score in scores(batch)]

    return is_below


def _bind_rewriter(rewrite: Callable[..., Iterable[Any]]) -> Callable[..., Iterable[bool]]:
    def is_unchanged(batch: Batch) -> list[bool]:
        urls = [getattr(item, "url", item) for item in batch]
        return [new == old for new, old in zip(rewrite(urls), urls, strict=True)]

    return is_unchanged
